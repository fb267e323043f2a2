import Foundation
import Persisting

/// Rows as CSV and JSON, and tables that are exported and imported again.
enum Exchange {
    /// Rows as JSON, by the names of the properties.
    static func json(_ kind: Kind, _ rows: [Write.Values]) -> String {
        let objects = rows.map { values in
            let fields = kind.properties.compactMap { property in
                values[property.name].map { "\"\(property.name)\": \(json(property, $0))" }
            }
            return "{\(fields.joined(separator: ", "))}"
        }
        return "[\(objects.joined(separator: ", "))]"
    }

    private static func json(_ property: Property, _ number: Int) -> String {
        switch property.form {
        case .int, .doubled: "\(number)"
        case .float: "\(property.value(number))"
        case .words: "[\"w\(number)\", \"x\"]"
        case .sheet: "{\"theme\": \"s\(number)\", \"pages\": [\(number), \(number + 1)]}"
        default: "\"\(text(property, number))\""
        }
    }

    private static func text(_ property: Property, _ number: Int) -> String {
        switch property.form {
        case let form where form.isDate: "\(Property.day(number))T10:00:00.\(Property.fraction(number))Z"
        case .data, .deferredData: Data([UInt8(truncatingIfNeeded: number), 7]).base64EncodedString()
        case .words: "[\"\"w\(number)\"\",\"\"x\"\"]"
        case .sheet: "{\"\"pages\"\":[\(number),\(number + 1)],\"\"theme\"\":\"\"s\(number)\"\"}"
        default: "\(property.value(number))"
        }
    }

    /// Rows as CSV with a header.
    static func csv(_ kind: Kind, _ rows: [Write.Values]) -> String {
        let used = kind.properties.filter { property in rows.contains { $0[property.name] != nil } }
        let lines = rows.map { values in
            used.map { property in
                let field = values[property.name].map { text(property, $0) } ?? ""
                return [.words, .sheet].contains(property.form) && !field.isEmpty ? "\"\(field)\"" : field
            }.joined(separator: ",")
        }
        return ([used.map(\.name).joined(separator: ",")] + lines).joined(separator: "\n")
    }

    /// Exports a class's rows, imports them into another database, and compares what the two fetch.
    ///
    /// - Returns: What has diverged.
    static func roundTrip(_ kind: Kind, isCSV: Bool, from manager: PersistenceManager) throws -> String? {
        func through<Model: PersistingModel>(_ type: Model.Type) throws -> String? {
            let url = FileManager.default.temporaryDirectory.appending(path: "meeting-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: url) }
            let copy = try PersistenceManager(.memory)
            try copy.execute("ATTACH DATABASE ':memory:' AS archive")
            try copy.execute("PRAGMA foreign_keys = OFF")
            for kind in Kind.bases { try copy.createTableIfNecessary(for: kind.type) }
            let query = Query(type)
            if isCSV {
                try manager.exportCSV(query, to: url)
                try copy.importCSV(type, contentsOf: url)
            } else {
                try manager.exportJSON(query, to: url)
                try copy.importJSON(type, contentsOf: url)
            }
            let (before, after) = try (Objects.words(query, manager), Objects.words(query, copy))
            try copy.close()
            return before == after ? nil : "exported \(before), imported \(after)"
        }
        return try through(kind.type)
    }
}
