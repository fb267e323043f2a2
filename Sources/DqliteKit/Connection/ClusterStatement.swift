internal import Foundation
internal import SQLiteKit

/// A statement with its values, which are sent when it begins.
final class ClusterStatement: EngineStatement {
    private let connection: ClusterConnection
    private let kept: KeptStatement
    /// Whether the node keeps it prepared.
    private let isCached: Bool
    let sql: String
    private var values: [SQLiteValue]
    private var rows: RowStream?
    private var names: ColumnNames?
    private var state = State.ready
    /// What the first step throws, since nobody else could.
    private var failure: SQLiteError?
    private var changes = 0

    private enum State { case ready, running, done }

    init(_ kept: KeptStatement, _ sql: String, isCached: Bool, _ connection: ClusterConnection) {
        self.kept = kept
        self.sql = sql
        self.isCached = isCached
        self.connection = connection
        values = Array(repeating: .null, count: kept.text.parameterNames.count)
    }

    struct Columns: EngineColumns {
        let statement: ClusterStatement
        subscript(index: Int) -> ClusterStatement { statement }
    }

    var isReadOnly: Bool { kept.text.kind == .query }
    var parameterNames: [String?] { kept.text.parameterNames }
    func columns(upTo count: Int) -> Columns { Columns(statement: self) }

    /// The node tells the names with the rows, and so the statement begins with this.
    var columns: ColumnNames {
        if state == .ready, isReadOnly {
            do throws(SQLiteError) { try begin() } catch { failure = error }
        }
        return names ?? ColumnNames(names: [])
    }

    func bindAll(_ bind: () throws -> Void) throws {
        clear()
        for index in values.indices { values[index] = .null }
        try bind()
    }

    func step() throws(SQLiteError) -> Bool {
        if state == .ready { try begin() }
        guard let rows, state == .running else { return false }
        do throws(SQLiteError) {
            if try connection.next(rows) { return true }
        } catch {
            state = .done
            throw error.adding(sql: sql)
        }
        connection.didEnd(rows)
        state = .done
        return false
    }

    private func begin() throws(SQLiteError) {
        defer { failure = nil }
        if let failure { throw failure }
        state = .running
        do throws(SQLiteError) {
            switch try connection.run(kept, values, isCached: isCached) {
            case .rows(let stream):
                rows = stream
                names = try kept.columnNames(of: stream.page)
            case .changes(let count):
                changes = count
                state = .done
            }
        } catch {
            state = .done
            throw error.adding(sql: sql)
        }
    }

    func run() throws(SQLiteError) -> Int {
        while try step() {}
        return kept.text.kind == .returning ? connection.returnedChanges : changes
    }

    func clear() {
        if let rows, state == .running { connection.leave(rows) }
        rows = nil
        state = .ready
        failure = nil
        changes = 0
    }

    func clearBindings() {
        for index in values.indices { values[index] = .null }
    }

    private func set(_ value: SQLiteValue, _ index: Int) throws(SQLiteError) {
        guard values.indices.contains(index - 1) else {
            throw SQLiteError(.range, "there is no parameter \(index): the statement has \(values.count)", sql: sql)
        }
        values[index - 1] = value
    }

    func bindNull(at index: Int) throws(SQLiteError) { try set(.null, index) }
    func bind(int64 value: Int64, at index: Int) throws(SQLiteError) { try set(.integer(value), index) }
    func bind(double value: Double, at index: Int) throws(SQLiteError) { try set(.real(value), index) }
    func bind(text: String, at index: Int) throws(SQLiteError) { try set(.text(text), index) }
    func bind(blob bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try set(.blob(Data(bytes)), index)
    }
}

/// The values of the row.
extension ClusterStatement {
    var columnCount: Int { rows?.page.columnCount ?? columns.names.count }

    func storageClass(at index: Int) -> StorageClass { rows?.page.storageClass(at: index) ?? .null }

    func int64(at index: Int) -> Int64 { rows?.page.int64(at: index) ?? 0 }

    func double(at index: Int) -> Double { rows?.page.double(at: index) ?? 0 }

    func text(at index: Int) throws(SQLiteError) -> String {
        if let text = withBytes(at: index, { String(validating: $0, as: UTF8.self) }) { return text }
        let name = columns.names.indices.contains(index) ? columns.names[index] : "\(index)"
        throw SQLiteError(
            .invalidText, "the text in column \(name) is not UTF-8; its bytes can be read as Data", sql: sql)
    }

    func withBytes<T>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        if let rows { return try rows.page.withBytes(at: index, body) }
        return try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    func value(at index: Int) throws(SQLiteError) -> SQLiteValue {
        switch storageClass(at: index) {
        case .null: .null
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(try text(at: index))
        case .blob: .blob(withBytes(at: index) { Data($0) })
        }
    }
}
