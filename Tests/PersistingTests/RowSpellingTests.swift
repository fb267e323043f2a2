import Foundation
import Persisting
import Testing

/// A way to say which users, and in which order.
private struct Spelling: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let query: Query<User>
    /// Who they are, in the order of the rows.
    let names: [String]

    init(_ text: String, _ query: Query<User>, _ names: String...) {
        testDescription = text
        self.query = query
        self.names = names
    }

    static let conditions = [
        Spelling(#"\.age > 20"#, User.where(\.age > 20), "Ada", "Cy"),
        Spelling(#"\.isActive"#, User.where(\.isActive), "Bo", "Dan"),
        Spelling(#"!(\.age > 20) || \.name == "Cy""#, User.where(!(\.age > 20) || \.name == "Cy"), "Bo", "Cy", "Dan"),
        Spelling("no rows", User.where(\.age > 20 && \.isActive == true)),
        Spelling("a dictionary", User.where(["isActive": true]), "Bo", "Dan"),
        Spelling("a format", User.where(.format("age < 40 AND isActive = NO")), "Ada"),
        Spelling("SQL", User.where(.sql("AGE IS NULL")), "Bo"),
        Spelling("#Predicate", User.where(#Predicate { $0.name > "Bo" }), "Cy", "Dan"),
        Spelling("one after the other", User.where(\.isActive).where(#Predicate { $0.name == "Dan" }), "Dan"),
    ]

    static let orders = [
        Spelling("a text", User.sorted(by: "isActive desc, name desc"), "Dan", "Bo", "Cy", "Ada"),
        Spelling("a property", User.sorted(by: \.age), "Bo", "Dan", "Ada", "Cy"),
        Spelling("a property, descending", User.sorted(by: \.age, .descending), "Cy", "Ada", "Dan", "Bo"),
        Spelling(
            "orderings", User.sorted(by: [.ascending(\.isActive), .descending(\.name)]), "Cy", "Ada", "Dan", "Bo"),
        Spelling(
            "a sort descriptor", User.sorted(by: SortDescriptor(\.name, order: .reverse)), "Dan", "Cy", "Bo", "Ada"),
        Spelling(
            "sort descriptors",
            User.limit(nil).sorted(by: [SortDescriptor(\.score), SortDescriptor(\.name, order: .reverse)]), "Dan", "Cy",
            "Bo", "Ada"),
    ]
}

/// What is done with rows. Each gives a text that tells which rows it had.
private enum Verb: CaseIterable {
    case fetchAll, fetchOne, count, exists, forEach, forEachBatch, values, select, dictionaries, sum, page, export
    case update, delete

    /// Whether it says anything of the order.
    var isOrdered: Bool { ![.count, .exists, .sum, .update, .delete].contains(self) }

    func expected(_ names: [String]) -> String {
        switch self {
        case .fetchOne: names.first ?? "none"
        case .count, .update, .delete: "\(names.count)"
        case .exists: "\(!names.isEmpty)"
        case .sum: "\(names.compactMap { ["Ada": 30, "Cy": 40, "Dan": 20][$0] }.reduce(0, +))"
        default: names.joined(separator: " ")
        }
    }

    func answer(_ query: Query<User>, _ manager: PersistenceManager) throws -> String {
        var names: [String] = []
        switch self {
        case .fetchAll: names = try manager.fetchAll(query).map(\.name)
        case .fetchOne: return try manager.fetchOne(query)?.name ?? "none"
        case .count: return "\(try manager.count(query))"
        case .exists: return "\(try manager.exists(query))"
        case .forEach: try manager.forEach(query) { names.append($0.name) }
        case .forEachBatch: try manager.forEachBatch(query, of: 1) { names += $0.map(\.name) }
        case .values: names = try manager.values(query, \.name)
        case .select: names = try manager.select(query, \.name, \.age).map { $0.0 }
        case .dictionaries: names = try manager.dictionaries(query).compactMap { $0["name"] as? String }
        case .sum: return "\(try manager.sum(query, \.age) ?? 0)"
        case .page: names = try manager.fetchPage(query, limit: 9).map(\.name)
        case .export: names = try Self.names(manager.csv(query))
        case .update: return "\(try manager.update(query, set: ["score": 1.5]))"
        case .delete: return "\(try manager.delete(query))"
        }
        return names.joined(separator: " ")
    }

    func suspendedAnswer(_ query: Query<User>, _ manager: PersistenceManager) async throws -> String {
        var names: [String] = []
        switch self {
        case .fetchAll: names = try await manager.fetchAll(query).map(\.name)
        case .fetchOne: return try await manager.fetchOne(query)?.name ?? "none"
        case .count: return "\(try await manager.count(query))"
        case .exists: return "\(try await manager.exists(query))"
        case .forEach: try await manager.forEach(query) { names.append($0.name) }
        case .forEachBatch: try await manager.forEachBatch(query, of: 1) { names += $0.map(\.name) }
        case .values: names = try await manager.values(query, \.name)
        case .select: names = try await manager.select(query, \.name, \.age).map { $0.0 }
        case .dictionaries: names = try await manager.dictionaries(query).compactMap { $0["name"] as? String }
        case .sum: return "\(try await manager.sum(query, \.age) ?? 0)"
        case .page: names = try await manager.fetchPage(query, limit: 9).map(\.name)
        case .export: names = try await Self.names(manager.suspendedCSV(query))
        case .update: return "\(try await manager.update(query, set: ["score": 1.5]))"
        case .delete: return "\(try await manager.delete(query))"
        }
        return names.joined(separator: " ")
    }

    /// The rows' own verb, with the manager that is current; nil where rows have none.
    func ownAnswer(_ query: Query<User>) throws -> String? {
        switch self {
        case .fetchAll: return try query.all().map(\.name).joined(separator: " ")
        case .fetchOne: return try query.first()?.name ?? "none"
        case .count: return "\(try query.count())"
        case .exists: return "\(try query.exists())"
        case .forEach:
            var names: [String] = []
            try query.forEach { names.append($0.name) }
            return names.joined(separator: " ")
        case .values: return try query.fetchValues(\.name).joined(separator: " ")
        case .select: return try query.select(\.name, \.age).map { $0.0 }.joined(separator: " ")
        case .sum: return "\(try query.sum(\.age) ?? 0)"
        case .page: return try query.page(limit: 9).map(\.name).joined(separator: " ")
        case .update: return "\(try query.update(set: ["score": 1.5]))"
        case .delete: return "\(try query.delete())"
        case .forEachBatch, .dictionaries, .export: return nil
        }
    }

    func suspendedOwnAnswer(_ query: Query<User>) async throws -> String? {
        switch self {
        case .fetchAll: return try await query.all().map(\.name).joined(separator: " ")
        case .fetchOne: return try await query.first()?.name ?? "none"
        case .count: return "\(try await query.count())"
        case .exists: return "\(try await query.exists())"
        case .forEach:
            var names: [String] = []
            try await query.forEach { names.append($0.name) }
            return names.joined(separator: " ")
        case .values: return try await query.fetchValues(\.name).joined(separator: " ")
        case .select: return try await query.select(\.name, \.age).map { $0.0 }.joined(separator: " ")
        case .sum: return "\(try await query.sum(\.age) ?? 0)"
        case .page: return try await query.page(limit: 9).map(\.name).joined(separator: " ")
        case .update: return "\(try await query.update(set: ["score": 1.5]))"
        case .delete: return "\(try await query.delete())"
        case .forEachBatch, .dictionaries, .export: return nil
        }
    }

    private static func names(_ csv: String) throws -> [String] {
        csv.split(whereSeparator: \.isNewline).dropFirst().map { String($0.split(separator: ",")[1]) }
    }
}

extension PersistenceManager {
    fileprivate func csv(_ query: Query<User>) throws -> String {
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "users.csv")
        _ = try exportCSV(query, to: url)
        return try withExtendedLifetime(directory) { try String(contentsOf: url, encoding: .utf8) }
    }

    fileprivate func suspendedCSV(_ query: Query<User>) async throws -> String {
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "users.csv")
        _ = try await exportCSV(query, to: url)
        return try withExtendedLifetime(directory) { try String(contentsOf: url, encoding: .utf8) }
    }
}

// F15, F68, F75, F77, F78
@Suite("Each verb takes each spelling of rows") struct RowSpellingTests {
    @Test("of a condition", arguments: Spelling.conditions, Verb.allCases)
    private func condition(_ spelling: Spelling, _ verb: Verb) async throws {
        try await check(spelling, verb)
    }

    @Test("of an order", arguments: Spelling.orders, Verb.allCases.filter(\.isOrdered))
    private func order(_ spelling: Spelling, _ verb: Verb) async throws {
        try await check(spelling, verb)
    }

    /// Each form has a database of its own: some of them change it.
    private func check(_ spelling: Spelling, _ verb: Verb) async throws {
        let (query, expected) = (spelling.query, verb.expected(spelling.names))
        #expect(try verb.answer(query, fourUsers()) == expected)
        #expect(try await verb.suspendedAnswer(query, fourUsers()) == expected)
        try fourUsers().asCurrent { () throws in
            let own = try verb.ownAnswer(query)
            #expect(own == nil || own == expected)
        }
        try await fourUsers().asCurrent { () async throws in
            let own = try await verb.suspendedOwnAnswer(query)
            #expect(own == nil || own == expected)
        }
    }
}
