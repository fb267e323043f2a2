/// What has been read.
struct NotedReads {
    /// The numbers of the schemas; nil when they can't be read.
    let schema: [String: Int64]?
    /// What of each table, by its key.
    var reads: [String: TableReads] = [:]

    /// Adds columns of any rows.
    mutating func add(_ columns: [String: Set<String>]) {
        for (table, columns) in columns { reads[table, default: TableReads()].add(columns) }
    }

    mutating func merge(_ other: [String: TableReads]) {
        reads.merge(other) { $0.merged(with: $1) }
    }
}
