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
    }

    private struct Mistake: Hashable {
        let database: String
        let message: String
    }

    private var rows: [Key: [Int64?]] = [:]
    /// The errors of foreign keys that can't be checked, such as one whose parent columns aren't unique.
    private var errors: [Mistake: SQLiteError] = [:]

    init(_ db: any EngineConnection) throws(SQLiteError) {
        databases = try db.databaseNames
        for database in databases { try look(db, in: database) }
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
    func check(since before: ForeignKeyState) throws {
        // What was attached meanwhile was so before, and what was detached is as it is.
        let both = Set(databases).intersection(before.databases)
        let (now, then) = (rows.filter { both.contains($0.key.database) }, before.rows)
        let new = errors.filter { both.contains($0.key.database) && before.errors[$0.key] == nil }
        if let error = new.first?.value { throw error }
        // What was renamed meanwhile takes its rows along.
        let gone = then.filter { both.contains($0.key.database) && now[$0.key] == nil }.values.joined().count
        let added = now.filter { then[$0.key] == nil }
        let grown = now.filter { key, rows in then[key].map { $0.count < rows.count } ?? false }
        for (key, rows) in grown.merging(added.values.joined().count > gone ? added : [:], uniquingKeysWith: { $1 }) {
            throw Self.error(key, rows, then[key] ?? [])
        }
    }

    private static func error(_ key: Key, _ rows: [Int64?], _ before: [Int64?]) -> PersistenceError {
        let old = Set(before.compactMap { $0 })
        let new = rows.compactMap { $0 }.filter { !old.contains($0) }
        let names = new.prefix(5).map { "\($0)" } + (new.count > 5 ? ["\(new.count - 5) more"] : [])
        let count = rows.count - before.count
        return PersistenceError(
            .constraint,
            "\(count) \(count == 1 ? "row" : "rows") of \(PlanDatabase(key.database, isNamed: false).title(key.table)) would refer by "
                + "\(key.columns.joined(separator: ", ")) to no row of \(key.parent)"
                + (names.isEmpty ? "" : "; rowid: \(names.joined(separator: ", "))"))
    }
}
