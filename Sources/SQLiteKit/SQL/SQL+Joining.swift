/// Putting SQL together, each part with its values.
extension SQL {
    /// Both texts, one after the other, with the values of both.
    public static func + (lhs: SQL, rhs: SQL) -> SQL { "\(sql: lhs)\(sql: rhs)" }

    /// Adds a text with its values.
    public static func += (lhs: inout SQL, rhs: SQL) { lhs = lhs + rhs }
}

extension Sequence<SQL> {
    /// The texts of all elements, with another between them, and the values of all in order.
    ///
    /// ```swift
    /// let conditions: [SQL] = ["price < \(limit)", "title LIKE \(pattern)"]
    /// try db.query(
    ///     "SELECT * FROM book WHERE \(sql: conditions.joined(separator: " AND "))")
    /// ```
    ///
    /// - Parameter separator: What stands between two elements.
    /// - Returns: The SQL; an empty one of no elements.
    public func joined(separator: SQL = "") -> SQL {
        var interpolation = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for (index, element) in enumerated() {
            if index > 0 { interpolation.appendInterpolation(sql: separator) }
            interpolation.appendInterpolation(sql: element)
        }
        return SQL(stringInterpolation: interpolation)
    }
}
