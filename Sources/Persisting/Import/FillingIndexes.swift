internal import SQLiteKit

extension ImportTarget {
    /// Runs an import, with the full-text indexes of a table that is empty filled when the rows are in.
    ///
    /// FTS5 writes what it has with each statement, so that to fill an index at once takes a seventh of the time: see
    /// [The 'rebuild' Command](https://www.sqlite.org/fts5.html#the_rebuild_command). Its triggers are out of the way
    /// meanwhile. They are back with the commit, and with a rollback.
    func fillingIndexes<T>(_ db: any EngineConnection, _ body: () throws -> T) throws -> T {
        let mapping = table.mapping
        // A class that hears of its objects may search.
        guard mapping.hasCompanions, db is Database, !needsObjects, !members.contains(where: \.needsObjects),
            try db.scalar("SELECT EXISTS (SELECT 1 FROM \(sql: SQL(mapping.sql.table)))", as: Bool.self) == false
        else { return try body() }
        let (texts, database) = (try mapping.schemaTexts(db), mapping.planDatabase)
        // One that follows its table isn't filled again.
        let companions = try [mapping].companions(of: mapping.definition).filter {
            $0.following == nil && $0.isIn(texts)
        }
        guard !companions.isEmpty else { return try body() }
        for sql in companions.flatMap({ $0.droppingTriggers(texts, in: database) }) {
            try db.execute(SQL(sql), cached: false)
        }
        let result = try body()
        for companion in companions {
            let triggers = companion.triggers.items.filter { $0.kind == .trigger }
            for sql in companion.filling(database.table) + triggers.map({ database.creating($0.sql) }) {
                try db.execute(SQL(sql), cached: false)
            }
        }
        return result
    }
}
