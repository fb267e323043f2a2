/// The tables of a connection's databases, as they were when they were looked at.
///
/// Other connections may change them at any time but during a transaction that writes. What was noted by old tables is
/// found out afterwards: the numbers of the schemas are others then.
struct RecordedSchema {
    let tables: [RecordedTable]
    private var places: [Name: Int] = [:]
    /// The table that was written to last.
    private var last: Int?
    /// What the schemas' numbers were.
    private let numbers: [String: Int64]
    /// Whether a statement that fails may leave some of what it has written, by a trigger's RAISE(FAIL) or a conflict
    /// clause of a table.
    let mayLeaveParts: Bool
    private var databases: [Database]
    /// The place of `main` among them.
    private let main: Int
    /// Whether one of them is checked.
    private var isChecked = false
    /// Whether the numbers must be looked at when the transaction has ended.
    var mayHaveChanged = false

    private struct Name: Hashable {
        let schema: String
        let table: String
    }

    private struct Database {
        let name: String
        /// What ``Connection/dataVersion(of:)`` was.
        var version: UInt32?
        /// Whether it is known not to have been changed by others before the transaction that writes now.
        var isChecked = false
    }

    /// Looks at the tables; nil when that is impossible now.
    init?(_ connection: Connection) {
        for _ in 1...3 {
            guard let numbers = connection.schemaNumbers else { return nil }
            let databases = numbers.keys.map { Database(name: $0, version: connection.dataVersion(of: $0)) }
            let tables = connection.probing { _ in try? RecordedTable.all(connection) }
            let mayLeaveParts = numbers.keys.contains { Self.says("FAIL", in: $0, connection) }
            // Outside a transaction another connection may have changed them meanwhile.
            guard let tables, let now = connection.schemaNumbers else { return nil }
            guard now == numbers, let main = databases.firstIndex(where: { $0.name == "main" }) else { continue }
            self.tables = tables
            self.numbers = numbers
            self.mayLeaveParts = mayLeaveParts
            self.databases = databases
            self.main = main
            for (index, table) in tables.enumerated() {
                places[Name(schema: asciiLowercased(table.schema), table: asciiLowercased(table.ownName))] = index
                table.database = databases.firstIndex { asciiLowercased($0.name) == asciiLowercased(table.schema) }
            }
            return
        }
        return nil
    }

    /// Whether a database's schema has a word in it, or can't be read.
    private static func says(_ word: String, in database: String, _ connection: Connection) -> Bool {
        let sql = "SELECT 1 FROM \(SQLText.identifier(database)).sqlite_schema WHERE sql LIKE '%\(word)%' LIMIT 1"
        return connection.probing { _ in try? Statement(sql, connection, isPersistent: false).step() } ?? true
    }

    /// A table by the names that SQLite gives to the hook, inside a transaction that writes to it; nil for one that was
    /// made later.
    mutating func place(
        _ database: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ connection: Connection
    ) -> Int? {
        if last.map({ tables[$0].is(database, name) }) != true {
            let name = Name(
                schema: asciiLowercased(String(cString: database)), table: asciiLowercased(String(cString: name)))
            guard let place = places[name] else { return nil }
            last = place
        }
        if !mayHaveChanged, let last, let index = tables[last].database, !databases[index].isChecked {
            // Others may have changed its tables before the transaction.
            databases[index].isChecked = true
            isChecked = true
            if databases[index].version != connection.dataVersion(of: database) { mayHaveChanged = true }
        }
        return last
    }

    /// What ``Connection/dataVersion(of:)`` of `main` was.
    var mainVersion: UInt32? { databases[main].version }

    /// Whether no transaction has written to the tables since ``holds(_:)`` was asked.
    var isSettled: Bool { !isChecked && !mayHaveChanged }

    /// Says after a transaction whether the tables were what they are here, as long as it was open.
    mutating func holds(_ connection: Connection) -> Bool {
        if isChecked { uncheck() }
        guard mayHaveChanged else { return true }
        guard connection.schemaNumbers == numbers else { return false }
        for index in databases.indices { databases[index].version = connection.dataVersion(of: databases[index].name) }
        mayHaveChanged = false
        return true
    }

    private mutating func uncheck() {
        isChecked = false
        for index in databases.indices where databases[index].isChecked {
            databases[index].isChecked = false
            // Its own commit counts, too. A connection that shares its pages may have committed since.
            databases[index].version? &+= 1
        }
    }
}
