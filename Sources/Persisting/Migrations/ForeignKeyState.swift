/// The rows without a parent, at one moment.
///
/// A migration answers for the rows that it leaves without a parent, not for those that it found so: foreign keys are
/// off in many an older program. Rows have no identity that every migration keeps, so what counts is how many rows lack
/// a parent by each foreign key.
struct ForeignKeyState {
    /// The databases that were looked at.
    private let databases: [String]
    private struct Key: Hashable {
        let database: String
        let table: String
        let columns: [String]
        let parent: String

        init(database: String, table: String, columns: [String], parent: String) {
            (self.database, self.table, self.columns, self.parent) = (database, table, columns, parent)
        }

        init(_ table: DatabaseSchema.Table, _ key: DatabaseSchema.ForeignKey, in database: String) {
            self.init(
                database: database, table: asciiLowercased(table.name), columns: key.columns.map(asciiLowercased),
                parent: asciiLowercased(key.parent))
        }
    }

    private struct Mistake: Hashable {
        let database: String
        let message: String
    }

    private var rows: [Key: [Int64?]] = [:]
    /// The errors of foreign keys that can't be checked, such as one whose parent columns aren't unique.
    private var errors: [Mistake: SQLiteError] = [:]
    /// The foreign keys whose parent is missing: SQLite checks none of them that has no row, but rejects each write.
    private var orphans: Set<Key> = []
    /// The names of the tables, in lower case, by the databases.
    private var tables: [String: Set<String>] = [:]

    /// - Parameter databases: Those to look at; nil is all that the connection has.
    init(_ db: any EngineConnection, in databases: [String]? = nil) throws(SQLiteError) {
        if let databases { self.databases = databases } else { self.databases = try db.databaseNames }
        for database in self.databases { try look(db, in: database) }
    }

    private mutating func look(_ db: any EngineConnection, in database: String) throws(SQLiteError) {
        do throws(SQLiteError) {
            add(try db.foreignKeyViolations(in: database), of: database)
        } catch  where error.extendedCode == .error {
            let tables: SQL = "SELECT name FROM \(identifier: database).sqlite_schema WHERE type = 'table'"
            for table in try db.column(tables, as: String.self) {
                do throws(SQLiteError) {
                    add(try db.foreignKeyViolations(of: table, in: database), of: database)
                } catch  where error.extendedCode == .error {
                    errors[Mistake(database: database, message: error.message)] = error
                }
            }
        }
        let schema = try db.schema(of: database).tables
        let names = Set(schema.map { asciiLowercased($0.name) })
        tables[database] = names
        for table in schema {
            for key in table.foreignKeys where !names.contains(asciiLowercased(key.parent)) {
                orphans.insert(Key(table, key, in: database))
            }
        }
    }

    private mutating func add(_ violations: [ForeignKeyViolation], of database: String) {
        for violation in violations {
            let key = Key(
                database: database, table: asciiLowercased(violation.table),
                columns: violation.columns.map(asciiLowercased), parent: asciiLowercased(violation.parent))
            rows[key, default: []].append(violation.rowID)
        }
    }

    /// Throws for rows that have lost their parents since an earlier moment.
    ///
    /// - Throws: ``PersistenceError/Code/constraint`` with the table and the rows.
    func check(since before: ForeignKeyState, _ db: any EngineConnection) throws {
        // What was attached meanwhile was so before, and what was detached is as it is.
        for database in databases where before.databases.contains(database) {
            if let error = errors.first(where: { $0.key.database == database && before.errors[$0.key] == nil })?.value {
                throw error
            }
            // A parent that has never been there may be yet to come.
            for key in orphans
            where key.database == database && before.tables[database]?.contains(key.parent) == true
                && !before.orphans.contains(key)
            {
                throw PersistenceError(
                    .constraint,
                    "\(PlanDatabase(database, isNamed: false).title(key.table)) refers by "
                        + "\(key.columns.joined(separator: ", ")) to \(key.parent), which would be gone, so SQLite would "
                        + "reject each INSERT and DELETE of a row: drop these columns too, or keep \(key.parent)")
            }
            let (now, then) = (rows.filter { $0.key.database == database }, before.rows)
            let new = now.filter { then[$0.key] == nil }
            // What was renamed meanwhile takes its rows along; those of a foreign key that is still there are mended.
            let left = new.isEmpty ? [] : try Self.keys(of: database, db)
            let gone = then.filter { $0.key.database == database && !left.contains($0.key) }.values.joined().count
            let grown = now.filter { key, rows in then[key].map { $0.count < rows.count } ?? false }
            for (key, rows) in grown.merging(new.values.joined().count > gone ? new : [:], uniquingKeysWith: { $1 }) {
                throw Self.error(key, rows, then[key] ?? [])
            }
        }
    }

    /// The foreign keys that there are.
    private static func keys(of database: String, _ db: any EngineConnection) throws -> Set<Key> {
        Set(
            try db.schema(of: database).tables.flatMap { table in
                table.foreignKeys.map { Key(table, $0, in: database) }
            })
    }

    private static func error(_ key: Key, _ rows: [Int64?], _ before: [Int64?]) -> PersistenceError {
        let old = Set(before.compactMap { $0 })
        let new = rows.compactMap { $0 }.filter { !old.contains($0) }
        let names = new.prefix(5).map { "\($0)" } + (new.count > 5 ? ["\(new.count - 5) more"] : [])
        let count = rows.count - before.count
        let table = PlanDatabase(key.database, isNamed: false).title(key.table)
        return PersistenceError(
            .constraint,
            "\(count) \(count == 1 ? "row" : "rows") of \(table) would refer by "
                + "\(key.columns.joined(separator: ", ")) to no row of \(key.parent)"
                + (names.isEmpty ? "" : "; rowid: \(names.joined(separator: ", "))"))
    }
}
