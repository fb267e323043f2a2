/// What a statement does that an index or statistics would spare it; see `PersistenceManager.lint(_:minimumRows:)`.
public struct QueryAdvice: Sendable, Hashable, CustomStringConvertible {
    /// What SQLite does.
    public enum Finding: Sendable, Hashable {
        /// It reads all rows of a table to find some.
        case scan(table: String)
        /// It reads all rows of a table for each row of another.
        case correlatedScan(table: String)
        /// It sorts what it has read.
        case sort(table: String)
        /// It makes an index each time the statement runs.
        case automaticIndex(table: String)
        /// It guesses which of a large table's indexes to use, since there are no statistics.
        case missingStatistics(table: String)
        /// It chooses an index by statistics of a table that has grown or shrunk tenfold since.
        case outdatedStatistics(table: String)

        /// The table.
        public var table: String {
            switch self {
            case .scan(let table), .correlatedScan(let table), .sort(let table), .automaticIndex(let table),
                .missingStatistics(let table), .outdatedStatistics(let table):
                table
            }
        }
    }

    /// The statement.
    public let sql: String
    /// What SQLite does.
    public let finding: Finding
    /// The declaration that spares it, or the SQL where no class of the table is known. SQLite has confirmed it on an
    /// empty copy of the schema. Nil when no index on the statement's columns helps. For statistics it is the ANALYZE.
    public let remedy: String?

    /// The finding, the statement and the remedy, for a log.
    public var description: String {
        let what =
            switch finding {
            case .scan(let table): "reads all rows of \(table)"
            case .correlatedScan(let table): "reads all rows of \(table) for each row outside"
            case .sort(let table): "sorts rows of \(table)"
            case .automaticIndex(let table): "makes an index of \(table) each time"
            case .missingStatistics(let table): "guesses which index of \(table) to use, without statistics"
            case .outdatedStatistics(let table): "chooses an index of \(table) by outdated statistics"
            }
        return "\(what): \(sql)" + (remedy.map { "\n  \($0)" } ?? "")
    }
}
