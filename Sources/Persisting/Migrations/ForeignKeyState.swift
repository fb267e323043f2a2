/// The rows without a parent, at one moment.
///
/// A migration answers for the rows that it leaves without a parent, not for those that it found so: foreign keys are
/// off in many an older program. Rows have no identity that every migration keeps, so what counts is how many rows lack
/// a parent by each foreign key.
struct ForeignKeyState {
    private struct Key: Hashable {
        let table: String
        let columns: [String]
        let parent: String
    }

    private var rows: [Key: [Int64?]] = [:]
    /// The errors of foreign keys that can't be checked, such as one whose parent columns aren't unique.
    private var errors: [String: SQLiteError] = [:]

    init(_ db: any EngineConnection) throws(SQLiteError) {
        do throws(SQLiteError) {
            add(try db.foreignKeyViolations())
        } catch  where error.extendedCode == .error {
            let tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table'" as SQL
            for table in try db.column(tables, as: String.self) {
                do throws(SQLiteError) {
                    add(try db.foreignKeyViolations(of: table))
                } catch  where error.extendedCode == .error {
                    errors[error.message] = error
                }
            }
        }
    }

    private mutating func add(_ violations: [ForeignKeyViolation]) {
        for violation in violations {
            let key = Key(
                table: asciiLowercased(violation.table), columns: violation.columns.map(asciiLowercased),
                parent: asciiLowercased(violation.parent))
            rows[key, default: []].append(violation.rowID)
        }
    }

    /// Throws for rows that have lost their parents since an earlier moment.
    ///
    /// - Throws: ``PersistenceError/Code/constraint`` with the table and the rows.
    func check(since before: ForeignKeyState) throws {
        if let error = errors.first(where: { before.errors[$0.key] == nil })?.value { throw error }
        // What was renamed meanwhile takes its rows along.
        let gone = before.rows.filter { rows[$0.key] == nil }.values.joined().count
        let new = rows.filter { before.rows[$0.key] == nil }
        let grown = rows.filter { key, rows in before.rows[key].map { $0.count < rows.count } ?? false }
        for (key, rows) in grown.merging(new.values.joined().count > gone ? new : [:], uniquingKeysWith: { $1 }) {
            throw Self.error(key, rows, before.rows[key] ?? [])
        }
    }

    private static func error(_ key: Key, _ rows: [Int64?], _ before: [Int64?]) -> PersistenceError {
        let old = Set(before.compactMap { $0 })
        let new = rows.compactMap { $0 }.filter { !old.contains($0) }
        let names = new.prefix(5).map { "\($0)" } + (new.count > 5 ? ["\(new.count - 5) more"] : [])
        let count = rows.count - before.count
        return PersistenceError(
            .constraint,
            "\(count) \(count == 1 ? "row" : "rows") of \(key.table) would refer by "
                + "\(key.columns.joined(separator: ", ")) to no row of \(key.parent)"
                + (names.isEmpty ? "" : "; rowid: \(names.joined(separator: ", "))"))
    }
}
