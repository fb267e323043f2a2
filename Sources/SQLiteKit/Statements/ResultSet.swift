/// The rows of a query, read as they are asked for.
///
/// ```swift
/// let rows = try db.query("SELECT name, age FROM user")
/// while let row = try rows.next() {
///     let name: String = try row["name"]
///     let age: Int? = try row["age"]
/// }
/// ```
///
/// A result set belongs to its statement's current execution and, in a queue or pool, to the access it was made in.
/// When either has ended, it throws ``ResultCode/expired``: rows never come from another query in silence. One that is
/// released before its end closes itself.
public final class ResultSet {
    @usableFromInline package let statement: Statement
    private let execution: Int
    private let epoch: Int
    @exclusivity(unchecked) private var isDone = false

    init(_ statement: Statement) {
        self.statement = statement
        execution = statement.execution
        epoch = statement.connection.epoch
    }

    deinit {
        close()
    }

    /// The next row, or nil after the last, and from then on.
    ///
    /// The row is a view, good until the next call. ``Row/snapshot()`` makes a copy that lasts.
    ///
    /// - Throws: ``SQLiteError`` of SQLite, or ``ResultCode/expired``. After an error there are no more rows.
    public func next() throws(SQLiteError) -> Row? {
        if isDone { return nil }
        guard isCurrent else {
            isDone = true
            throw statement.connection.failure(
                .expired, "the result set was used after its statement ran again, or after its access had ended",
                sql: statement.sql)
        }
        do throws(SQLiteError) {
            if try statement.step() { return Row(self) }
        } catch {
            isDone = true
            throw error
        }
        close()
        return nil
    }

    private var isCurrent: Bool {
        execution == statement.execution && epoch == statement.connection.epoch
    }

    /// Ends the query before its last row. Afterwards ``next()`` returns nil. ``Statement/reset()`` says what this
    /// means for a write.
    public func close() {
        if !isDone, isCurrent { statement.end() }
        isDone = true
    }

    /// Ends the query since a row cannot be read. A write outside a transaction is undone.
    @usableFromInline func giveUp() {
        if !isDone, isCurrent { statement.giveUp() }
    }

    /// The names of the columns, in order.
    public var columnNames: [String] { statement.columnNames }

    /// All the rows that are left, copied.
    ///
    /// - Throws: ``SQLiteError``, also when a text isn't valid UTF-8. Outside a transaction, what the statement wrote is
    ///   undone then.
    public func snapshots() throws(SQLiteError) -> [RowSnapshot] {
        var rows: [RowSnapshot] = []
        do throws(SQLiteError) {
            while let row = try next() { rows.append(try row.snapshot()) }
        } catch {
            giveUp()
            throw error
        }
        return rows
    }

    /// Calls `body` with each of the rows that are left.
    ///
    /// - Throws: ``SQLiteError``, or what `body` throws; either ends the query.
    public func forEach(_ body: (Row) throws -> Void) throws {
        defer { close() }
        while let row = try next() { try body(row) }
    }
}

@available(*, unavailable)
extension ResultSet: Sendable {}
