import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private class Token: PersistingModel {
    var id: Int64?
    var token = UUID()
    override class var tableName: String { "TOKEN" }
    class var storage: UUIDStorage? { nil }
    override class var columns: Columns {
        ["ID": .int, "TOKEN": storage.map { .uuid.stored(as: $0) } ?? .uuid]
    }
}
private final class UpperToken: Token { override class var storage: UUIDStorage? { .text } }
private final class LowerToken: Token { override class var storage: UUIDStorage? { .lowercaseText } }
private final class ByteToken: Token { override class var storage: UUIDStorage? { .blob } }

private final class Trip: PersistingModel {
    enum Kind: String, SQLiteValueConvertible { case full, half }
    var id: Int64?
    var kind = Kind.full
    var other: Kind?
    var begun = Date(timeIntervalSince1970: 0)
    override class var columns: Columns {
        [
            "ID": .int, "KIND": .string, "OTHER": .string,
            "BEGUN": .date.transformed(
                by: Transform<Date>(
                    encode: { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded()) },
                    decode: { (stored: Date) in stored })),
        ]
    }
}

private final class Leg: PersistingModel {
    var id: Int64?
    var tripID: Int64?
    static let trip = ToOne(\Leg.tripID, Day.self)
    override class var relations: Relations { ["trip": trip] }
}

private final class Day: PersistingModel {
    var id: Int64?
    var placed: Date?
}

// F31, F52, F89
@Suite("UUIDs in the letters that a class declares") struct UUIDLetterTests {
    private func tokens(_ sql: String) throws -> PersistenceManager {
        try memoryManager(
            script:
                "CREATE TABLE TOKEN (ID INTEGER PRIMARY KEY, TOKEN TEXT NOT NULL); INSERT INTO TOKEN (TOKEN) VALUES \(sql)"
        )
    }

    @Test(
        "a plan converts between all forms, and is empty afterwards", .local(.textAndDateFunctions),
        arguments: [LowerToken.self, UpperToken.self, ByteToken.self] as [Token.Type])
    fileprivate func plans(_ first: Token.Type) throws {
        let ids = (0..<3).map { _ in UUID() }
        for second in [UpperToken.self, LowerToken.self, ByteToken.self, UpperToken.self] as [Token.Type] {
            let manager = try memoryManager(first)
            for id in ids {
                let token = first.init()
                token.token = id
                try manager.insert(token)
            }
            try manager.updateSchema(for: [second], allowing: .rewrites)
            #expect(try manager.schemaPlan(for: [second]).isEmpty)
            let read = try manager.dictionaries("SELECT TOKEN FROM TOKEN ORDER BY ID").compactMap { $0["TOKEN"] }
            #expect(read == (try ids.map { try stored($0, second) }), "\(first) to \(second)")
        }
    }

    fileprivate func stored(_ id: UUID, _ type: Token.Type) throws -> SQLiteValue {
        switch type.storage {
        case .lowercaseText: .text(id.uuidString.lowercased())
        case .blob: .blob(withUnsafeBytes(of: id.uuid) { Data($0) })
        default: .text(id.uuidString)
        }
    }

    @Test("a class that declares no form leaves another program's letters alone", .local(.textAndDateFunctions))
    func undeclared() throws {
        let manager = try tokens("('e621e1f8-c36c-495a-93fc-0c247a3e6e5f')")
        #expect(try manager.schemaPlan(for: [Token.self]).isEmpty)
        #expect(failure { try manager.fetchAll(Token.self) }?.message.contains("lowercaseText") == true)
        #expect(try manager.schemaPlan(for: [LowerToken.self]).isEmpty)
        #expect(try manager.fetchAll(LowerToken.self).count == 1)
        try manager.updateSchema(for: [UpperToken.self], allowing: .rewrites)
        #expect(try manager.fetchAll(Token.self).count == 1)
    }

    @Test("alterTable converts, too", .local(.textAndDateFunctions)) func alteration() throws {
        let manager = try tokens("('E621E1F8-C36C-495A-93FC-0C247A3E6E5F')")
        try manager.alterTable("TOKEN") { table in
            table.change("TOKEN", to: .uuid.stored(as: .lowercaseText).notNull)
        }
        #expect(try manager.fetchAll(LowerToken.self).count == 1)
    }

    @Test("a model source declares the form that all values have")
    func modelSource() throws {
        let (lower, upper) = ("'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'")
        for (values, source) in [
            ([lower, lower], ".uuid.stored(as: .lowercaseText)"), ([upper], "token: UUID = UUID()"),
            (["x'e621e1f8c36c495a93fc0c247a3e6e5f'"], ".uuid.stored(as: .blob)"),
            ([lower, upper], "token: String = \"\""),
            ([lower, "x'e621e1f8c36c495a93fc0c247a3e6e5f'"], "SQLiteValue"),
        ] {
            let manager = try memoryManager(script: "CREATE TABLE TOKEN (ID INTEGER PRIMARY KEY, TOKEN UUID NOT NULL)")
            for value in values { try manager.run("INSERT INTO TOKEN (TOKEN) VALUES (\(value))") }
            let text = try manager.modelSource(table: "TOKEN")
            #expect(text.contains(source), "\(text)")
        }
    }

    @Test("imports take either letters, and write those of the column") func files() throws {
        let manager = try memoryManager(LowerToken.self)
        let token = LowerToken()
        try manager.insert(token)
        let folder = try TemporaryDirectory()
        let url = folder.url.appending(path: "tokens.json")
        try manager.exportJSON(LowerToken.rows, to: url)
        let json = try String(contentsOf: url, encoding: .utf8)
        for json in [json, json.replacing(token.token.uuidString, with: token.token.uuidString.lowercased())] {
            try manager.deleteAll(LowerToken.self)
            try manager.importJSON(LowerToken.self, contentsOf: Data(json.utf8))
            #expect(try manager.fetchAll(LowerToken.self).map(\.token) == [token.token])
        }
        #expect(try manager.stored("SELECT TOKEN FROM TOKEN") == .text(token.token.uuidString.lowercased()))
    }
}

// F82, F85
@Suite("Expressions of properties of any kind") struct PropertyExpressionTests {
    @Test("a property of an enum is compared in an expression") func enums() throws {
        let manager = try memoryManager(Trip.self)
        for kind in [Trip.Kind.full, .half, .half] {
            try manager.insert(Trip.self, values: ["kind": kind, "other": kind])
        }
        let row = Trip.row
        #expect(try manager.count(Trip.self, where: row.kind == .full) == 1)
        #expect(try manager.count(Trip.self, where: row.kind != .full && row.other == .half) == 2)
    }

    @Test("a date behind a transform that stores dates has parts", .local(.textAndDateFunctions)) func transformed()
        throws
    {
        let manager = try memoryManager(Trip.self)
        try manager.insert(Trip.self, values: ["begun": Date(timeIntervalSince1970: 86_399.7)])
        let groups = try manager.groups(Trip.rows, by: .day(\.begun), computing: .count)
        // Of what is stored, which is rounded to the next day.
        #expect(groups.map { day, _ in day } == [Date(timeIntervalSince1970: 86_400)])
    }

    @Test("rows are grouped by a date of related rows", .local(.textAndDateFunctions)) func related() throws {
        let manager = try memoryManager(Day.self, Leg.self)
        for day in [0.0, 40, 41] {
            try manager.insert(Day.self, values: ["placed": Date(timeIntervalSince1970: day * 86_400)])
        }
        for trip in [1, 2, 3, nil] { try manager.insert(Leg.self, values: ["tripID": trip]) }
        let months = try manager.groups(Leg.rows, by: .key(Leg.trip[\.placed]).start(of: .month), computing: .count)
        #expect(months.map { month, _ in month?.timeIntervalSince1970 } == [nil, 0, 31 * 86_400])
        #expect(months.map { _, count in count } == [1, 1, 2])
        let placed = GroupKey.key(Leg.trip[\.placed])
        #expect(try manager.groups(Leg.rows, by: placed.start(of: .day), computing: .count).count == 4)
        #expect(try manager.groups(Leg.rows, by: placed.start(of: .year), computing: .count).count == 2)
    }
}
