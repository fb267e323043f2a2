internal import CSystemSQLite

/// What SQLite may assume of a function. See [Function Flags](https://www.sqlite.org/c3ref/c_deterministic.html).
public struct FunctionFlags: OptionSet, Sendable {
    /// The bits as SQLite takes them.
    public let rawValue: Int32

    /// Flags by SQLite's bits.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The same arguments always give the same result: SQLite may call it less often, and use it in an index, a
    /// generated column or the WHERE of a partial index.
    public static let deterministic = FunctionFlags(rawValue: SQLITE_DETERMINISTIC)
    /// It may be used in SQL of the program's own alone, not in views, triggers, CHECK constraints or anything else
    /// that a database file brings. For every function with a side effect, or that reveals something.
    public static let directOnly = FunctionFlags(rawValue: SQLITE_DIRECTONLY)
    /// It can do no harm whatever it is called with, so a file that is not trusted may use it, too; see
    /// ``DatabaseConfiguration/isDefensive``.
    public static let innocuous = FunctionFlags(rawValue: SQLITE_INNOCUOUS)
}

/// What is called with the context, the number of arguments and the arguments.
private typealias ScalarFunction = (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

private final class BoxedFunction: Boxed {
    let call: ScalarFunction

    init(_ call: @escaping ScalarFunction) {
        self.call = call
    }
}

/// Functions for use in SQL.
extension Database {
    /// Adds an SQL function, or replaces that of the same name and number of arguments.
    ///
    /// ```swift
    /// configuration.prepare = { db in
    ///     try db.addFunction("initial", argumentCount: 1, .deterministic) {
    ///         arguments in
    ///         let name: String? = try arguments[0]
    ///         return name?.first.map(String.init)
    ///     }
    /// }
    /// try db.column("SELECT DISTINCT initial(name) FROM person", as: String?.self)
    /// ```
    ///
    /// A function belongs to its connection: one that all connections need is added in
    /// ``DatabaseConfiguration/prepare``. The closure is released when the function is replaced or removed, or the
    /// connection closed.
    ///
    /// See [Application-Defined SQL Functions](https://www.sqlite.org/appfunc.html).
    ///
    /// - Parameters:
    ///   - name: The name, of 1 to 255 bytes. Its case does not matter.
    ///   - argumentCount: How many arguments it takes, 0 to 127; nil takes any number.
    ///   - flags: What SQLite may assume of it.
    ///   - body: The function. Nil is NULL. What it throws fails the statement: with its message, and its code if it is
    ///     an ``SQLiteError``.
    /// - Throws: ``ResultCode/misuse`` for a name or number that cannot be, ``ResultCode/busy`` when a statement that
    ///   runs keeps an earlier function from being replaced.
    public func addFunction(
        _ name: String, argumentCount: Int? = nil, _ flags: FunctionFlags = [],
        _ body: @escaping @Sendable (borrowing FunctionArguments) throws -> (any SQLiteValueConvertible)?
    ) throws(SQLiteError) {
        let (handle, count) = try checkFunction(name, argumentCount)
        let repairsText = connection.repairsText
        let function: ScalarFunction = { context, count, pointers in
            setResult(context) {
                try body(FunctionArguments(name, context, count, pointers, repairsText: repairsText))
            }
        }
        // SQLite calls the destructor even when it rejects the function.
        try connection.check(
            sqlite3_create_function_v2(
                handle, name, count, SQLITE_UTF8 | flags.rawValue, BoxedFunction(function).retained(),
                { context, count, pointers in
                    BoxedFunction.object(at: sqlite3_user_data(context)).call(context, count, pointers)
                }, nil, nil, releaseBox))
    }

    /// Removes a function or an aggregate that was added with this name and number of arguments. Without one it does
    /// nothing; SQLite's own functions cannot be removed.
    ///
    /// One of SQLite's that had been replaced does not come back on this connection.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - argumentCount: The number it was added with.
    /// - Throws: ``ResultCode/misuse`` for a name or number that cannot be, ``ResultCode/busy`` when a statement runs.
    public func removeFunction(_ name: String, argumentCount: Int? = nil) throws(SQLiteError) {
        let (handle, count) = try checkFunction(name, argumentCount)
        try connection.check(sqlite3_create_function_v2(handle, name, count, SQLITE_UTF8, nil, nil, nil, nil, nil))
    }

    /// The connection and number that SQLite takes for a function, if it can be.
    func checkFunction(
        _ name: String, _ argumentCount: Int?
    ) throws(SQLiteError) -> (handle: OpaquePointer, count: Int32) {
        let handle = try connection.accessible()
        guard (1...255).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw connection.failure(.misuse, "\(name.debugDescription) cannot name a function: 1 to 255 bytes, no NUL")
        }
        guard let argumentCount else { return (handle, -1) }
        guard (0...127).contains(argumentCount) else {
            throw connection.failure(
                .misuse, "the function \(name) cannot take \(argumentCount) arguments, but 0 to 127, or nil for any")
        }
        return (handle, Int32(argumentCount))
    }
}
