/// Reading a row's values with all checks: what ``Row`` and ``RowSnapshot`` have in common.
///
/// ```swift
/// let id: Int64 = try row["id"]               // throws for NULL
/// let name: String? = try row["name"]         // nil for NULL
/// let any: SQLiteValue = try row[2]
/// // nil for a column that is not there, too
/// let note: String? = try row[optional: "note"]
/// ```
///
/// A name is found by SQLite's rule, without regard to the case of ASCII letters: `row["NAME"]` reads the column
/// `name`. Of several columns that match, the first is read, even if a later one is spelled exactly so;
/// `row["author.name"]` names the table as well. A column that is not there throws
/// ``ResultCode/noSuchColumn``, a value that the type cannot hold ``ResultCode/typeMismatch``; both name the column.
///
/// Nothing is converted between storage classes, so a text is never read as a number. `row.integer("age")`,
/// `row.real(_:)`, `row.text(_:)` and `row.bytes(_:)` convert as SQLite does.
public protocol RowReading {
    /// The names of the columns, in order.
    var columnNames: [String] { get }
    /// The number of columns.
    var count: Int { get }
    /// The first column with a name, also as `table.column`; nil if there is none.
    ///
    /// - Parameter name: The column's name.
    func index(of name: String) -> Int?
    /// All columns with a name: more than one means that the name is ambiguous.
    ///
    /// - Parameter name: The column's name.
    func indices(of name: String) -> [Int]
    /// The value of a column, counted from 0.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - type: The type to read.
    /// - Throws: ``SQLiteError``.
    func value<Value: SQLiteValueConvertible>(at index: Int, as type: Value.Type) throws(SQLiteError) -> Value
    /// Whether a column, counted from 0, holds NULL.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Throws: ``SQLiteError``.
    func isNull(at index: Int) throws(SQLiteError) -> Bool
    /// The error for what is wrong with the row, with the SQL where it is known.
    ///
    /// - Parameters:
    ///   - code: The result code.
    ///   - message: What was wrong.
    func failure(_ code: ResultCode, _ message: String) -> SQLiteError
}

extension RowReading {
    /// The value of a column, counted from 0.
    public subscript<Value: SQLiteValueConvertible>(index: Int) -> Value {
        @inlinable get throws(SQLiteError) { try value(at: index, as: Value.self) }
    }

    /// The value of a column by its name.
    public subscript<Value: SQLiteValueConvertible>(name: String) -> Value {
        @inlinable get throws(SQLiteError) { try value(at: requiredIndex(of: name), as: Value.self) }
    }

    /// The stored value of a column, counted from 0: what `try row[0] == 5.5` and `try row[0] != nil` read.
    public subscript(index: Int) -> SQLiteValue {
        get throws(SQLiteError) { try value(at: index, as: SQLiteValue.self) }
    }

    /// The stored value of a column by its name: what `try row["price"] == 5.5` and `try row["price"] != nil` read.
    public subscript(name: String) -> SQLiteValue {
        get throws(SQLiteError) { try value(at: requiredIndex(of: name), as: SQLiteValue.self) }
    }

    /// The value of a column by its name; nil for NULL, and nil when there is no such column.
    ///
    /// - Parameter name: The column's name.
    /// - Throws: ``SQLiteError``.
    public subscript<Value: SQLiteValueConvertible>(optional name: String) -> Value? {
        get throws(SQLiteError) {
            guard let index = index(of: name) else { return nil }
            return try value(at: index, as: Value?.self)
        }
    }

    /// The index of a column by its name.
    ///
    /// - Parameter name: The column's name.
    /// - Throws: ``ResultCode/noSuchColumn`` with the names there are.
    public func requiredIndex(of name: String) throws(SQLiteError) -> Int {
        guard let index = index(of: name) else {
            throw failure(
                .noSuchColumn, "there is no column \(name); there is: \(columnNames.joined(separator: ", "))")
        }
        return index
    }

    /// Whether more than one column has a name.
    ///
    /// - Parameter name: The column's name.
    public func isAmbiguous(_ name: String) -> Bool { indices(of: name).count > 1 }

    /// All values, in order.
    ///
    /// - Throws: ``SQLiteError``.
    public func values() throws(SQLiteError) -> [SQLiteValue] {
        var values: [SQLiteValue] = []
        values.reserveCapacity(count)
        for index in 0..<count { values.append(try value(at: index, as: SQLiteValue.self)) }
        return values
    }

    /// All values by their columns' names, NULL included. Of several columns of one name the first counts.
    ///
    /// - Throws: ``SQLiteError``.
    public func dictionary() throws(SQLiteError) -> [String: SQLiteValue] {
        Dictionary(zip(columnNames, try values())) { first, _ in first }
    }

    func noSuchIndex(_ index: Int) -> SQLiteError {
        failure(.noSuchColumnIndex, "there is no column \(index); there are \(count), counted from 0")
    }

    func conversionFailure(_ error: any Error, at index: Int) -> SQLiteError {
        let reason = error as? SQLiteError
        if let reason, reason.extendedCode == .invalidText { return reason }
        return failure(
            reason?.extendedCode ?? .typeMismatch,
            "column \(columnNames.indices.contains(index) ? columnNames[index] : "\(index)"): \(reason?.message ?? StoredJSON.reason(of: error))"
        )
    }
}
