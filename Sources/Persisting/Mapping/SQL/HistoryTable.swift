/// Where a class's history is, and how SQL asks for it.
///
/// The log has an entry for each row as it once was, with the numbers of the transactions that began and ended it. Of a
/// row as it is now another table has the key and the number of the transaction that began it.
struct HistoryTable: Sendable {
    /// The table of transactions, which all histories of a database share. An open one is the library's, which closes
    /// it before the commit; `open` is 2 once something has been written in it. Others are of what ran outside of the
    /// library's transactions, and count in `writes` the rows that they have written.
    static let transactions = RowTriggers.opened

    static let transactionsSQL = """
        CREATE TABLE history_transactions (number INTEGER PRIMARY KEY, date REAL NOT NULL, name TEXT, author TEXT, \
        open INTEGER, writes INTEGER, reverses INTEGER)
        """

    static let dateIndex = "history_transactions_date"
    static let dateIndexSQL = "CREATE INDEX history_transactions_date ON history_transactions (date)"

    /// The number of the entry that says from which transaction on the log is kept, once it has been pruned. It began
    /// and ended with that one, so that no query of the past finds it.
    static let horizonID = 0

    /// The transaction from which on a log is kept; nil if nothing has been pruned.
    static func horizon(of log: String, _ db: any EngineConnection) throws -> Int64? {
        try db.scalar(SQL("SELECT _ended FROM \(log) WHERE _id = \(horizonID)" as String), as: Int64.self)
    }

    /// The number of the last transaction.
    static let last = "(SELECT max(number) FROM history_transactions)"

    /// The time in seconds, which is the same for all triggers of a statement.
    static let now = "round((julianday('now') - 2440587.5) * 86400, 3)"

    /// The columns that are no one else's.
    static let ownColumns = ["_id", began, "_ended"]
    static let began = "_began"

    /// The name of the log.
    static func name(of table: String) -> String { table + "_history" }

    /// The name of the table of what there is now.
    static func current(of table: String) -> String { name(of: table) + "_current" }

    /// Both, as SQL names them.
    static func sources(of table: String) -> (log: String, current: String) {
        ("main." + SQLText.identifier(name(of: table)), "main." + SQLText.identifier(current(of: table)))
    }
}
