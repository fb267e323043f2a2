internal import SQLiteKit

/// What the leader does for a statement.
final class ClusterExecution: RemoteExecution {
    private let connection: ClusterConnection
    private let kept: KeptStatement
    /// Whether the node keeps it prepared.
    private let isCached: Bool
    private var rows: RowStream?
    private(set) var columns = ColumnNames(names: [])
    private(set) var changes = 0

    init(_ kept: KeptStatement, isCached: Bool, _ connection: ClusterConnection) {
        self.kept = kept
        self.isCached = isCached
        self.connection = connection
    }

    var isReadOnly: Bool { kept.text.kind == .query }
    var parameterNames: [String?] { kept.text.parameterNames }

    func begin(_ values: [SQLiteValue]) throws(SQLiteError) {
        changes = 0
        switch try connection.run(kept, values, isCached: isCached) {
        case .rows(let stream):
            rows = stream
            columns = try kept.columnNames(of: stream.page)
            if kept.text.kind == .returning { changes = connection.returnedChanges }
        case .changes(let count): changes = count
        }
    }

    func next() throws(SQLiteError) -> RemoteRow? {
        guard let rows, try connection.next(rows) else { return nil }
        return rows.page.row
    }

    func end() {
        if let rows { connection.leave(rows) }
        rows = nil
    }
}
