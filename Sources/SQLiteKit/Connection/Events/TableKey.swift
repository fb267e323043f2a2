/// What a table is called among those that were changed or read: in lower case, its name for one of `main`, and
/// `schema.name` for a temporary one and one of an attached database.
///
/// - Parameters:
///   - table: The table's name.
///   - schema: The database: nil or `main`, `temp`, or the name of an attached one.
package func tableKey(_ table: String, in schema: String? = nil) -> String {
    guard let schema = schema.map(asciiLowercased), schema != "main" else { return asciiLowercased(table) }
    return schema + "." + asciiLowercased(table)
}
