import Foundation

/// A change of rows, in one of the library's forms or in SQL. The numbers stand for values: see ``Property``.
enum Write {
    typealias Values = [String: Int]

    case insert(Kind, [Values])
    case insertOver(Kind, Values, replaces: Bool)
    case save(Kind, [Int], [String: Int?])
    case update(Kind, [Int], String, Int?)
    case upsert(Kind, Values)
    case delete(Kind, [[Int]])
    /// Of the rows of a query, or of its objects as an array.
    case updateWhere(Kind, below: Int, String, Int?, asArray: Bool)
    case deleteWhere(Kind, below: Int, asArray: Bool)
    case relate(Relating, Link, Int, [Int])
    case importRows(Kind, [Values], isCSV: Bool)
    case sqlInsert(Kind, Values, replaces: Bool)
    case sqlUpdate(Kind, [Int], String, Int?)
    case sqlDelete(Kind, [Int])

    /// What is done to what an object is related to.
    enum Relating: String, CaseIterable { case add, remove, replace }
    /// A to-many relation.
    enum Link: String, CaseIterable {
        case notes = "Folder.notes", labels = "Note.labels", pins = "Note.pins"

        var owner: Kind { self == .notes ? .folder : .note }
        var target: Kind { self == .notes ? .note : .label }
    }

    /// The class of which objects or rows are written, or changed in their relations.
    var kind: Kind {
        switch self {
        case .insert(let kind, _), .insertOver(let kind, _, _), .save(let kind, _, _), .update(let kind, _, _, _),
            .upsert(let kind, _), .delete(let kind, _), .updateWhere(let kind, _, _, _, _),
            .deleteWhere(let kind, _, _),
            .importRows(let kind, _, _), .sqlInsert(let kind, _, _), .sqlUpdate(let kind, _, _, _),
            .sqlDelete(let kind, _):
            kind
        case .relate(_, let link, _, _): link.owner
        }
    }

    /// What kind of write it is, for what tells one divergence from another.
    var signature: String {
        switch self {
        case .insert(let kind, _): "insert \(kind.rawValue)"
        case .insertOver(let kind, _, _): "insert on conflict \(kind.rawValue)"
        case .save(let kind, _, _): "save \(kind.rawValue)"
        case .update(let kind, _, _, _): "update \(kind.rawValue)"
        case .upsert(let kind, _): "upsert \(kind.rawValue)"
        case .delete(let kind, _): "delete \(kind.rawValue)"
        case .updateWhere(let kind, _, _, _, let asArray):
            asArray ? "save an array of \(kind.rawValue)" : "update of a query \(kind.rawValue)"
        case .deleteWhere(let kind, _, let asArray):
            asArray ? "delete an array of \(kind.rawValue)" : "delete of a query \(kind.rawValue)"
        case .relate(let relating, let link, _, _): "\(relating.rawValue) \(link.rawValue)"
        case .importRows(let kind, _, _): "import \(kind.rawValue)"
        case .sqlInsert, .sqlUpdate, .sqlDelete: "SQL"
        }
    }

    /// The SQL of a change in SQL; nil for the others.
    var sql: String? {
        switch self {
        case .sqlInsert(let kind, let values, let replaces):
            let (names, stored) = Self.columns(kind, values)
            if names.isEmpty { return "INSERT INTO \(kind.table.rawValue) DEFAULT VALUES" }
            return "\(replaces ? "REPLACE" : "INSERT") INTO \(kind.table.rawValue) (\(names.joined(separator: ", "))) "
                + "VALUES (\(stored.joined(separator: ", ")))"
        case .sqlUpdate(let kind, let key, let name, let number):
            guard let property = kind.property(name) else { return nil }
            let value = number.map { "\(property.stored($0))" } ?? "NULL"
            return "UPDATE \(kind.table.rawValue) SET \(property.column) = \(value) WHERE \(Self.condition(kind, key))"
        case .sqlDelete(let kind, let key):
            return "DELETE FROM \(kind.table.rawValue) WHERE \(Self.condition(kind, key))"
        default: return nil
        }
    }

    private static func columns(_ kind: Kind, _ values: Values) -> (names: [String], values: [String]) {
        var (names, stored): ([String], [String]) = ([], [])
        for property in kind.properties {
            guard let number = values[property.name] else { continue }
            names.append(property.column)
            stored.append("\(property.stored(number))")
        }
        if kind.table == .media { (names, stored) = (names + ["KIND"], stored + ["'\(kind.rawValue)'"]) }
        return (names, stored)
    }

    private static func condition(_ kind: Kind, _ key: [Int]) -> String {
        zip(kind.table.identity, key).compactMap { name, number in
            kind.property(name).map { "\($0.column) = \($0.stored(number))" }
        }.joined(separator: " AND ")
    }
}

extension Write {
    /// As Swift, with what comes before the verb: `try a.insert(…)`.
    func code(_ manager: String, isAsync: Bool) -> String {
        let effect = isAsync ? "try await " : "try "
        let call = effect + manager + "."
        switch self {
        case .insert(let kind, let rows):
            let objects = rows.map { Self.object(kind, $0) }.joined(separator: ", ")
            return "\(call)insert(\(rows.count == 1 ? objects : "[\(objects)]"))"
        case .insertOver(let kind, let values, let replaces):
            return "\(call)insert(\(Self.object(kind, values)), onConflict: \(replaces ? ".replace" : ".ignore"))"
        case .save(let kind, let key, let changes):
            let settings = changes.sorted { $0.key < $1.key }.map { name, number in
                "object.\(name) = \(Self.code(kind, name, number))"
            }
            return "let object = \(call)\(Self.find(kind, key))!; \(settings.joined(separator: "; ")); "
                + "\(call)save(object)"
        case .update(let kind, let key, let name, let number):
            return
                "\(call)update(\(manager).\(Self.find(kind, key))!, \\.\(name), to: \(Self.code(kind, name, number)))"
        case .upsert(let kind, let values): return "\(call)upsert(\(Self.object(kind, values)))"
        case .delete(let kind, let keys):
            let objects = keys.map { "\(manager).\(Self.find(kind, $0))!" }.joined(separator: ", ")
            return "\(call)delete(\(keys.count == 1 ? objects : "[\(objects)]"))"
        case .updateWhere(let kind, let limit, let name, let number, true):
            return "let objects = \(call)fetchAll(\(kind.rawValue).where(\\.\(kind.numbered?.name ?? "") < \(limit))); "
                + "for object in objects { object.\(name) = \(Self.code(kind, name, number)) }; \(call)save(objects)"
        case .deleteWhere(let kind, let limit, true):
            return
                "\(call)delete(\(manager).fetchAll(\(kind.rawValue).where(\\.\(kind.numbered?.name ?? "") < \(limit))))"
        case .updateWhere(let kind, let limit, let name, let number, false):
            return "\(call)update(\(kind.rawValue).where(\\.\(kind.numbered?.name ?? "") < \(limit)), set: "
                + "[\"\(name)\": \(Self.code(kind, name, number))])"
        case .deleteWhere(let kind, let limit, false):
            return "\(call)delete(\(kind.rawValue).where(\\.\(kind.numbered?.name ?? "") < \(limit)))"
        case .relate(let relating, let link, let owner, let others):
            let objects = others.map { "\(manager).\(Self.find(link.target, [$0]))!" }.joined(separator: ", ")
            let object = "\(manager).\(Self.find(link.owner, [owner]))!"
            switch relating {
            case .add: return "\(effect)\(object).add([\(objects)], to: \(link.rawValue))"
            case .remove: return "\(effect)\(object).remove([\(objects)], from: \(link.rawValue))"
            case .replace: return "\(effect)\(object).replace(\(link.rawValue), with: [\(objects)])"
            }
        case .importRows(let kind, let rows, let isCSV):
            let text = isCSV ? Exchange.csv(kind, rows) : Exchange.json(kind, rows)
            return "\(call)import\(isCSV ? "CSV" : "JSON")(\(kind.rawValue).self, contentsOf: Data(#\"\(text)\"#.utf8))"
                .replacingOccurrences(of: "\n", with: "\\n")
        case .sqlInsert, .sqlUpdate, .sqlDelete: return "\(call)execute(\"\(sql ?? "")\")"
        }
    }

    private static func code(_ kind: Kind, _ name: String, _ number: Int?) -> String {
        kind.property(name)?.code(number) ?? ""
    }

    private static func object(_ kind: Kind, _ values: Values) -> String {
        let given = kind.properties.compactMap { property in
            values[property.name].map { "\(property.name): \(property.code($0))" }
        }
        return "\(kind.rawValue)(\(given.joined(separator: ", ")))"
    }

    static func find(_ kind: Kind, _ key: [Int]) -> String {
        let names = zip(kind.table.identity, key).map { name, number in (name, code(kind, name, number)) }
        if names.count == 1, kind != .scrap { return "find(\(kind.rawValue).self, \(names[0].1))" }
        return "fetchOne(\(kind.rawValue).self, where: [\(names.map { "\"\($0)\": \($1)" }.joined(separator: ", "))])"
    }
}
