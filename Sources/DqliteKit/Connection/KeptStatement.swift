internal import SQLiteKit

/// An SQL text that a connection keeps: what is known of it, and its number at the node.
final class KeptStatement {
    let text: StatementText
    /// The statement's number at the node, and of which connection to it; nil before it has been prepared.
    var remote: (id: UInt32, link: Int)?
    /// Grows with each use of any statement.
    var lastUse = 0
    private var names: ColumnNames?
    private var nameBytes: [UInt8] = []

    init(_ sql: CachedSQL, _ capabilities: EngineCapabilities, _ engineName: String) throws(SQLiteError) {
        try capabilities.check(sql.text, engineName)
        text = try StatementText(sql.text)
    }

    /// The names of the columns of a message, which are as a rule those of the last.
    func columnNames(of page: RowPage) throws(SQLiteError) -> ColumnNames {
        if let names, page.hasNames(nameBytes) { return names }
        let new = try page.columnNames()
        names = new
        nameBytes = Array(page.nameBytes)
        return new
    }
}
