/// The tables of a connection's databases, as they were when they were looked at.
///
/// Other connections may change them at any time but during a transaction that writes. What was noted by old tables is
/// found out afterwards: the numbers of the schemas are others then.
struct RecordedSchema {
    var tables: [RecordedTable]
    private var places: [Name: Int] = [:]
    /// What the schemas' numbers were.
    private let numbers: [String: Int64]
    /// What ``Connection/dataVersion(of:)`` was for each database.
    private var versions: [String: UInt32] = [:]
    /// The databases that are known not to have been changed by others before the transaction that writes now.
    private var checked: Set<String> = []
    /// Whether the numbers must be looked at when the transaction has ended.
    var mayHaveChanged = false

    private struct Name: Hashable {
        let schema: String
        let table: String
    }

    /// Looks at the tables; nil when that is impossible now.
    init?(_ connection: Connection) {
        for _ in 1...3 {
            guard let numbers = connection.schemaNumbers else { return nil }
            let versions = Self.versions(connection, numbers)
            let tables = connection.probing { _ in try? RecordedTable.all(connection) }
            // Outside a transaction another connection may have changed them meanwhile.
            guard let tables, let now = connection.schemaNumbers else { return nil }
            guard now == numbers else { continue }
            self.tables = tables
            self.numbers = numbers
            self.versions = versions
            for (index, table) in tables.enumerated() {
                places[Name(schema: asciiLowercased(table.schema), table: asciiLowercased(table.ownName))] = index
            }
            return
        }
        return nil
    }

    private static func versions(_ connection: Connection, _ numbers: [String: Int64]) -> [String: UInt32] {
        var versions: [String: UInt32] = [:]
        for name in numbers.keys { versions[asciiLowercased(name)] = connection.dataVersion(of: name) }
        return versions
    }

    /// A table by the names that SQLite gives to the hook, inside a transaction that writes to it; nil for one that was
    /// made later.
    mutating func place(_ database: String, _ name: String, _ connection: Connection) -> Int? {
        let schema = asciiLowercased(database)
        if !mayHaveChanged, checked.insert(schema).inserted, versions[schema] != connection.dataVersion(of: database) {
            // Others have written to the database: they may have changed the table.
            mayHaveChanged = true
        }
        return places[Name(schema: schema, table: asciiLowercased(name))]
    }

    /// Says after a transaction whether the tables were what they are here, as long as it was open.
    mutating func holds(_ connection: Connection) -> Bool {
        checked = []
        guard mayHaveChanged else { return true }
        guard connection.schemaNumbers == numbers else { return false }
        versions = Self.versions(connection, numbers)
        mayHaveChanged = false
        return true
    }
}
