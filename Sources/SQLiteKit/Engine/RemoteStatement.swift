internal import Foundation

/// What an engine elsewhere does for a ``RemoteStatement``: it takes all values in one call, and sends rows.
package protocol RemoteExecution: AnyObject {
    /// Whether the statement leaves the database as it is.
    var isReadOnly: Bool { get }
    /// The names of the parameters with their prefixes; nil for a plain `?`.
    var parameterNames: [String?] { get }
    /// Sends the values. The first rows may have come when it returns.
    func begin(_ values: [SQLiteValue]) throws(SQLiteError)
    /// The names of the result's columns, known from the beginning of an execution.
    var columns: ColumnNames { get }
    /// The next row, good until it is asked for another or the execution ends; nil when there are no more.
    func next() throws(SQLiteError) -> RemoteRow?
    /// How many rows have been inserted, updated or deleted, once there are no more rows.
    var changes: Int { get }
    /// Ends an execution, whose other rows nobody wants.
    func end()
}

/// A row that has been received: what its columns hold.
package struct RemoteRow {
    let contents: UnsafeMutablePointer<ColumnContent>
    let count: Int

    /// - Parameters:
    ///   - contents: What the columns hold. Whoever makes the row keeps it.
    ///   - count: How many columns there are.
    package init(_ contents: UnsafeMutablePointer<ColumnContent>, count: Int) {
        self.contents = contents
        self.count = count
    }

    /// What a column holds, counted from 0; NULL for one that is not there.
    package subscript(index: Int) -> ColumnContent { index >= 0 && index < count ? contents[index] : .null }
}

/// A statement of an engine elsewhere. It keeps the values, sends them when it begins, and is read from like this
/// library's own.
package final class RemoteStatement: EngineStatement {
    package let sql: String
    private let execution: any RemoteExecution
    private var values: [SQLiteValue]
    private var state = State.ready
    /// What the first step throws, since the columns' names, for which it began, can't throw it.
    private var failure: SQLiteError?

    /// The row that the statement stands on.
    private var row: RemoteRow?
    /// Room for what more columns hold than the row has.
    private var room = UnsafeMutablePointer<ColumnContent>.allocate(capacity: 1)
    private var roomCount = 1

    private enum State { case ready, running, done }

    package init(_ sql: String, _ execution: some RemoteExecution) {
        self.sql = sql
        self.execution = execution
        values = Array(repeating: .null, count: execution.parameterNames.count)
    }

    // The execution isn't ended here, perhaps after the connection was lent to another thread: that has ended it.
    deinit { room.deallocate() }

    package var isReadOnly: Bool { execution.isReadOnly }
    package var parameterNames: [String?] { execution.parameterNames }

    /// The names come with the rows, and so a query begins with this.
    package var columns: ColumnNames {
        if state == .ready, isReadOnly, failure == nil {
            do throws(SQLiteError) { try begin() } catch { failure = error }
        }
        return execution.columns
    }

    package func bindAll(_ bind: () throws -> Void) throws {
        clear()
        clearBindings()
        try bind()
    }

    package func step() throws(SQLiteError) -> Bool {
        if let failure {
            self.failure = nil
            throw failure
        }
        if state == .ready { try begin() }
        guard state == .running else { return false }
        do throws(SQLiteError) {
            row = try execution.next()
            if row != nil { return true }
        } catch {
            leaveRow(.done)
            throw error.adding(sql: sql)
        }
        leaveRow(.done)
        return false
    }

    private func begin() throws(SQLiteError) {
        state = .running
        do throws(SQLiteError) {
            try execution.begin(values)
        } catch {
            state = .done
            throw error.adding(sql: sql)
        }
    }

    private func leaveRow(_ state: State) {
        self.state = state
        row = nil
    }

    package func run() throws(SQLiteError) -> Int {
        while try step() {}
        return execution.changes
    }

    package func clear() {
        if state != .ready { execution.end() }
        leaveRow(.ready)
        failure = nil
    }

    package func clearBindings() {
        for index in values.indices { values[index] = .null }
    }

    private func set(_ value: SQLiteValue, _ index: Int) throws(SQLiteError) {
        guard values.indices.contains(index - 1) else {
            throw SQLiteError(.range, "there is no parameter \(index): the statement has \(values.count)", sql: sql)
        }
        values[index - 1] = value
    }

    package func bindNull(at index: Int) throws(SQLiteError) { try set(.null, index) }
    package func bind(int64 value: Int64, at index: Int) throws(SQLiteError) { try set(.integer(value), index) }
    package func bind(double value: Double, at index: Int) throws(SQLiteError) { try set(.real(value), index) }
    package func bind(text: String, at index: Int) throws(SQLiteError) { try set(.text(text), index) }
    package func bind(blob bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try set(.blob(Data(bytes)), index)
    }
}

/// The values of the row.
extension RemoteStatement {
    package var columnCount: Int { row?.count ?? columns.names.count }

    /// The values of the row's first columns. Columns that the row does not have are NULL.
    package func columns(upTo count: Int) -> ColumnValues<RemoteStatement> {
        if let row, count <= row.count { return ColumnValues(row.contents, self) }
        if count > roomCount {
            room.deallocate()
            room = .allocate(capacity: count)
            roomCount = count
        }
        for index in 0..<count { (room + index).initialize(to: content(at: index)) }
        return ColumnValues(room, self)
    }

    private func content(at index: Int) -> ColumnContent { row?[index] ?? .null }

    package func storageClass(at index: Int) -> StorageClass { content(at: index).storageClass }
    package func int64(at index: Int) -> Int64 { content(at: index).int64 ?? 0 }
    package func double(at index: Int) -> Double { content(at: index).double ?? 0 }

    package func text(at index: Int) throws(SQLiteError) -> String {
        let bytes = content(at: index).bytes
        if bytes.isEmpty { return "" }
        if let text = String(valid: bytes) { return text }
        let names = columns.names
        let name = names.indices.contains(index) ? names[index] : "\(index)"
        throw SQLiteError(
            .invalidText, "the text in column \(name) is not UTF-8; its bytes can be read as Data", sql: sql)
    }

    package func withBytes<T>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try body(content(at: index).bytes)
    }

    package func value(at index: Int) throws(SQLiteError) -> SQLiteValue {
        let content = content(at: index)
        return switch content.storageClass {
        case .null: .null
        case .integer: .integer(content.int64 ?? 0)
        case .real: .real(content.double ?? 0)
        case .text: .text(try text(at: index))
        case .blob: .blob(Data(content.bytes))
        }
    }
}
