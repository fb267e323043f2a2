internal import CSystemSQLite

/// The arguments of one call of an SQL function.
///
/// They are read by index and with all checks, as a ``Row``'s columns are:
///
/// ```swift
/// let id: Int64 = try arguments[0]            // throws for NULL
/// let name: String? = try arguments[1]        // nil for NULL
/// let any: SQLiteValue = try arguments[2]
/// ```
///
/// SQLite lends them for the call alone, so they cannot be copied or kept: what is read from them can.
public struct FunctionArguments: ~Copyable {
    /// What SQLite calls the function with; nil in an aggregate, which has no auxiliary data.
    let context: OpaquePointer?
    let pointers: UnsafeMutablePointer<OpaquePointer?>?
    /// The function's name, for errors.
    @usableFromInline let name: String
    let repairsText: Bool
    /// The number of arguments.
    public let count: Int

    init(
        _ name: String, _ context: OpaquePointer?, _ count: Int32, _ pointers: UnsafeMutablePointer<OpaquePointer?>?,
        repairsText: Bool
    ) {
        self.name = name
        self.context = context
        self.pointers = pointers
        self.count = Int(count)
        self.repairsText = repairsText
    }

    /// The value of an argument, counted from 0.
    ///
    /// - Throws: ``ResultCode/range`` for an argument that is not there, ``ResultCode/typeMismatch`` for a value that
    ///   the type cannot hold, ``ResultCode/invalidText`` for a text whose bytes are not UTF-8. Thrown on, it is the
    ///   error of the statement.
    public subscript<Value: SQLiteValueConvertible>(index: Int) -> Value {
        @inlinable get throws(SQLiteError) { try value(at: index, as: Value.self) }
    }

    /// The value of an argument, counted from 0.
    ///
    /// - Parameters:
    ///   - index: The argument.
    ///   - type: The type to read.
    /// - Throws: ``ResultCode/range``, ``ResultCode/typeMismatch`` or ``ResultCode/invalidText``.
    @inlinable
    public func value<Value: SQLiteValueConvertible>(
        at index: Int, as type: Value.Type
    ) throws(SQLiteError) -> Value {
        try stored(at: index).read(as: type, what: "argument \(index) of \(name)")
    }

    /// All the arguments, in order.
    ///
    /// - Throws: ``SQLiteError``.
    public func values() throws(SQLiteError) -> [SQLiteValue] {
        var values: [SQLiteValue] = []
        for index in 0..<count { values.append(try value(at: index, as: SQLiteValue.self)) }
        return values
    }

    /// The storage class of an argument, counted from 0; NULL for one that is not there.
    public func storageClass(at index: Int) -> StorageClass {
        (0..<count).contains(index) ? StorageClass(sqlite3_value_type(pointers?[index])) : .null
    }

    /// What `make` makes of an argument, made once for a statement in which that argument is a constant: a compiled
    /// pattern, a parsed format.
    ///
    /// In an aggregate, and for an argument that differs from row to row, it is made at each call. See
    /// [sqlite3_get_auxdata](https://www.sqlite.org/c3ref/get_auxdata.html).
    ///
    /// - Parameters:
    ///   - index: The argument, counted from 0, that the value depends on. It must depend on no other.
    ///   - make: Makes the value.
    /// - Throws: What `make` throws.
    public func kept<Value>(for index: Int, _ make: () throws -> Value) rethrows -> Value {
        guard let context, let index = Int32(exactly: index) else { return try make() }
        if let pointer = sqlite3_get_auxdata(context, index),
            let box = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() as? Box<Value>
        {
            return box.value
        }
        let box = Box(try make())
        // Where SQLite cannot keep it, it calls the destructor immediately.
        sqlite3_set_auxdata(context, index, box.retained(), releaseBox)
        return box.value
    }

    @usableFromInline
    func stored(at index: Int) throws(SQLiteError) -> StoredValue {
        guard index >= 0, index < count else {
            throw SQLiteError(.range, "\(name) has no argument \(index); it has \(count), counted from 0")
        }
        return StoredValue(pointer: pointers?[index], repairsText: repairsText)
    }
}
