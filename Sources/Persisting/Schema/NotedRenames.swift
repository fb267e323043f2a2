/// Which names have been exchanged, as the database notes it.
///
/// When two columns, or two tables, have exchanged their names, the names are the same as before: only a note tells
/// that it is done. A table that is created for classes whose names go by each other's has the note from the start.
struct NotedRenames {
    /// Exchanges of tables.
    private(set) var tables: Set<Renames.Exchange> = []
    /// Exchanges of columns, by the tables' names in lower case.
    private var columns: [String: Set<Renames.Exchange>] = [:]
    /// Exchanges of columns of tables that are gone, such as one that was renamed by hand.
    private var orphans: Set<Renames.Exchange> = []

    /// Reads the notes.
    ///
    /// - Parameter table: The table that has them, as SQL finds it. Where it doesn't exist, nothing has been noted.
    init(_ table: String, in database: PlanDatabase, _ db: any EngineConnection) throws {
        guard try !db.columns(of: table, in: database.name).isEmpty else { return }
        let rows = try db.rows(
            SQL("SELECT table_name, column_name, former_name FROM \(database.table(table))" as String), cached: false)
        for row in rows {
            let (table, former) = (asciiLowercased(try row[0] as String), asciiLowercased(try row[2] as String))
            if let column = try row[1] as String? {
                let exchange = Renames.Exchange(name: asciiLowercased(column), former: former)
                columns[table, default: []].insert(exchange)
            } else {
                tables.insert(Renames.Exchange(name: table, former: former))
            }
        }
        for (table, exchanges) in columns where try db.columns(of: table, in: database.name).isEmpty {
            orphans.formUnion(exchanges)
        }
    }

    /// What columns of a table have exchanged their names. A table that was renamed by hand has the notes of the one
    /// that is gone.
    func columns(of table: String) -> Set<Renames.Exchange> { columns[asciiLowercased(table)] ?? orphans }

    /// Whether columns of a table have exchanged their names.
    func hasColumns(of table: String) -> Bool { columns[asciiLowercased(table)] != nil }

    /// The statements that note exchanges.
    ///
    /// - Parameters:
    ///   - exchanges: Of columns, or of tables where `table` is nil.
    ///   - notes: The table that has the notes.
    static func statements(
        noting exchanges: [Renames.Exchange], of table: String?, _ notes: String, _ database: PlanDatabase
    ) -> [String] {
        guard !exchanges.isEmpty else { return [] }
        let rows = exchanges.map { exchange in
            let (name, former) = (SQLText.literal(exchange.name), SQLText.literal(exchange.former))
            return table.map { "(\(SQLText.literal($0)), \(name), \(former))" } ?? "(\(name), NULL, \(former))"
        }
        let name = database.table(notes)
        return [
            "CREATE TABLE IF NOT EXISTS \(name) "
                + "(table_name TEXT NOT NULL, column_name TEXT, former_name TEXT NOT NULL)",
            "INSERT INTO \(name) (table_name, column_name, former_name) VALUES \(rows.list(", "))",
        ]
    }

    /// The statement after which nothing is noted of a table's columns.
    static func statement(forgetting table: String, _ notes: String, _ database: PlanDatabase) -> String {
        "DELETE FROM \(database.table(notes)) "
            + "WHERE lower(table_name) = lower(\(SQLText.literal(table))) AND column_name IS NOT NULL"
    }

    /// The statement that has the notes of a table's columns follow its name.
    static func statement(renaming table: String, to name: String, _ notes: String, _ database: PlanDatabase) -> String
    {
        "UPDATE \(database.table(notes)) SET table_name = \(SQLText.literal(name)) "
            + "WHERE lower(table_name) = lower(\(SQLText.literal(table))) AND column_name IS NOT NULL"
    }
}
