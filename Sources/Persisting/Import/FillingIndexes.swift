internal import SQLiteKit

extension ImportTarget {
    /// Runs an import. If the table is empty, fills its full-text indexes after the rows have been inserted.
    ///
    /// FTS5 writes to its tables after each statement, so filling an index in one statement takes a seventh of the
    /// time: see [The 'rebuild' Command](https://www.sqlite.org/fts5.html#the_rebuild_command). The triggers are
    /// dropped meanwhile. A commit or a rollback brings them back.
    func fillingIndexes<T>(_ db: any EngineConnection, _ body: () throws -> T) throws -> T {
        let mapping = table.mapping
        // If the class has hooks, they may search.
        guard mapping.hasCompanions, db is Database, !needsObjects, !members.contains(where: \.needsObjects),
            try db.scalar("SELECT EXISTS (SELECT 1 FROM \(sql: SQL(mapping.sql.table)))", as: Bool.self) == false
        else { return try body() }
        let (texts, database) = (try mapping.schemaTexts(db), mapping.planDatabase)
        // An index that follows its table isn't filled again.
        let companions = try [mapping].companions(of: mapping.definition).filter {
            $0.following == nil && $0.isIn(texts)
        }
        guard !companions.isEmpty else { return try body() }
        for sql in companions.flatMap({ $0.droppingTriggers(texts, in: database) }) {
            try db.execute(SQL(sql), cached: false)
        }
        let result = try body()
        // To fill an index is an INSERT too.
        let last = (db as? Database)?.lastInsertRowID
        defer { if let last { (db as? Database)?.setLastInsertRowID(last) } }
        for companion in companions {
            let triggers = companion.triggers.items.filter { $0.kind == .trigger }
            for sql in companion.filling(database.table) + triggers.map({ database.creating($0.sql) }) {
                try db.execute(SQL(sql), cached: false)
            }
        }
        return result
    }
}
