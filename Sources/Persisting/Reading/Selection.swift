/// A class's columns in raw SQL that joins tables, under names that distinguish them from those of other classes.
///
/// ```swift
/// let album = try Album.selection("a"), artist = try Artist.selection("b")
/// let pairs = try manager.fetchAll(
///     album, artist,
///     sql: """
///         SELECT \(album), \(artist) FROM ALBUM a
///         LEFT JOIN ARTIST b ON b.ID = a.ARTIST_ID
///         """)
/// for (album, artist) in pairs { print(album.title, artist?.name ?? "unknown") }
/// ```
///
/// Interpolated into `SQL`, it is the select list `a.ID AS "a.ID", a.TITLE AS "a.TITLE", …` of the columns
/// that a fetch reads. Where the SQL names the columns itself, it says by which names they are found:
/// `Artist.selection(prefix: "artist_")` finds `artist_ID`.
public struct Selection<Model: PersistingModel>: Sendable {
    let modelType: PersistingModel.Type
    let prefix: String
    /// The select list.
    public let sql: String
}

extension ActiveRecord {
    /// The class's columns in SQL that joins tables.
    ///
    /// - Parameters:
    ///   - table: The table's alias in the SQL; nil for the table's own name.
    ///   - prefix: What the columns' names begin with in the result; nil for the alias or the table's name and a dot. A
    ///     column of a table without an alias is found by such a prefix even where the SQL does not rename it: `SELECT
    ///     *` from two tables, each by its own name.
    /// - Throws: ``PersistenceError`` when the class cannot be mapped.
    public static func selection(_ table: String? = nil, prefix: String? = nil) throws -> Selection<Self> {
        let mapping = try Mapping.of(self)
        let table = table ?? mapping.tableName
        let prefix = prefix ?? table + "."
        let columns = mapping.columns + (mapping.place?.addedColumns ?? [])
        let list = columns.filter { !$0.declaration.isDeferred }.map { column in
            let name = SQLText.identifier(column.name)
            return "\(SQLText.identifier(table)).\(name) AS \(SQLText.identifier(prefix + column.name))"
        }
        return Selection(modelType: self, prefix: prefix, sql: list.joined(separator: ", "))
    }
}

extension SQL.StringInterpolation {
    /// Writes a class's columns with their names in the result: `SELECT \(selection) FROM …`.
    ///
    /// - Parameter selection: The columns to select.
    public mutating func appendInterpolation<Model: PersistingModel>(_ selection: Selection<Model>) {
        appendLiteral(selection.sql)
    }
}
