/// The library's own tables.
///
/// The version is the only row of a table with one column, which FMDBx reads and writes too. Its companion holds what
/// ran, and when. The companion's first row, without a date, is the version that the database had before.
struct MigrationTables {
    let version: String
    var companion: String { version + "_history" }
    /// The names that tables and columns have exchanged; see ``NotedRenames``.
    var renames: String { version + "_renames" }
    /// The names of all.
    var names: [String] { [version, companion, renames] }
}
