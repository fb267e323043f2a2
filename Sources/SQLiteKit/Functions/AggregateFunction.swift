internal import CSystemSQLite

/// An SQL function over the rows of a group, such as `sum`: a value that adds rows one by one.
///
/// ```swift
/// struct Product: AggregateFunction {
///     var product = 1.0
///     mutating func step(_ arguments: borrowing FunctionArguments) throws {
///         product *= try arguments[0]
///     }
///     func value() -> (any SQLiteValueConvertible)? { product }
/// }
///
/// try db.addAggregate("product", argumentCount: 1, .deterministic) { Product() }
/// ```
///
/// Each group has a value of its own, made when its first row comes, or at its end when there was none.
public protocol AggregateFunction: SendableMetatype {
    /// Adds a row.
    ///
    /// - Parameter arguments: The values of the row that the function was called with.
    /// - Throws: What it throws fails the statement, as with a function of one row.
    mutating func step(_ arguments: borrowing FunctionArguments) throws

    /// The result for the rows added so far. Nil is NULL.
    ///
    /// It may be called for a query that was abandoned, and for a ``WindowFunction`` again and again.
    ///
    /// - Throws: What it throws fails the statement.
    func value() throws -> (any SQLiteValueConvertible)?
}

/// An aggregate that can also be used with OVER, because it can remove rows again, in the order in which they were
/// added.
///
/// See [User-Defined Aggregate Window Functions](https://www.sqlite.org/windowfunctions.html#udfwinfunc).
public protocol WindowFunction: AggregateFunction {
    /// Removes the oldest row.
    ///
    /// - Parameter arguments: The values that ``AggregateFunction/step(_:)`` took in for that row.
    /// - Throws: What it throws fails the statement.
    mutating func inverse(_ arguments: borrowing FunctionArguments) throws
}

/// The state of one group, whatever the type that computes it.
private class AggregateState {
    /// An error ends the statement; the value is then asked for by no one.
    var hasFailed = false

    func step(_ arguments: borrowing FunctionArguments) throws {}
    func inverse(_ arguments: borrowing FunctionArguments) throws {}
    func value() throws -> (any SQLiteValueConvertible)? { nil }
}

private class PlainState<Function: AggregateFunction>: AggregateState {
    var function: Function

    init(_ function: Function) { self.function = function }

    override func step(_ arguments: borrowing FunctionArguments) throws { try function.step(arguments) }
    override func value() throws -> (any SQLiteValueConvertible)? { try function.value() }
}

private final class WindowState<Function: WindowFunction>: PlainState<Function> {
    override func inverse(_ arguments: borrowing FunctionArguments) throws { try function.inverse(arguments) }
}

/// An aggregate as it was added to a connection.
private final class Aggregate: Boxed {
    let name: String
    let repairsText: Bool
    let makeState: () -> AggregateState

    init(_ name: String, repairsText: Bool, makeState: @escaping () -> AggregateState) {
        self.name = name
        self.repairsText = repairsText
        self.makeState = makeState
    }

    /// Where SQLite keeps the group's state: zero bytes at first. Nil when there is no memory.
    ///
    /// See [sqlite3_aggregate_context](https://www.sqlite.org/c3ref/aggregate_context.html).
    static func slot(_ context: OpaquePointer?) -> UnsafeMutablePointer<Unmanaged<AggregateState>?>? {
        sqlite3_aggregate_context(context, Int32(MemoryLayout<Unmanaged<AggregateState>?>.size))?
            .assumingMemoryBound(to: Unmanaged<AggregateState>?.self)
    }

    /// Calls `body` with the group's state and a row.
    static func row(
        _ context: OpaquePointer?, _ count: Int32, _ pointers: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: (AggregateState, borrowing FunctionArguments) throws -> Void
    ) {
        guard let slot = slot(context) else {
            sqlite3_result_error_nomem(context)
            return
        }
        let aggregate = object(at: sqlite3_user_data(context))
        let state: AggregateState
        if let stored = slot.pointee {
            state = stored.takeUnretainedValue()
        } else {
            state = aggregate.makeState()
            slot.pointee = .passRetained(state)
        }
        do {
            try body(
                state, FunctionArguments(aggregate.name, nil, count, pointers, repairsText: aggregate.repairsText))
        } catch {
            state.hasFailed = true
            setError(context, error)
        }
    }

    /// Sets the result; at the end, which SQLite reaches even with a query that is abandoned, releases the state.
    static func result(_ context: OpaquePointer?, isLast: Bool) {
        let slot = slot(context)
        let state = slot?.pointee?.takeUnretainedValue() ?? object(at: sqlite3_user_data(context)).makeState()
        if isLast {
            slot?.pointee?.release()
            slot?.pointee = nil
        }
        if !state.hasFailed { setResult(context) { try state.value() } }
    }
}

/// Aggregates for use in SQL.
extension Database {
    /// Adds an aggregate function, or replaces the function of the same name and number of arguments.
    ///
    /// What ``addFunction(_:argumentCount:_:_:)`` says of names, flags, errors and lifetime holds here as well;
    /// ``removeFunction(_:argumentCount:)`` removes it.
    ///
    /// - Parameters:
    ///   - name: The name, of 1 to 255 bytes.
    ///   - argumentCount: How many arguments it takes, 0 to 127; nil takes any number.
    ///   - flags: What SQLite may assume of it.
    ///   - make: Makes the value that takes in the rows of one group.
    /// - Throws: ``ResultCode/misuse`` for a name or number that cannot be, ``ResultCode/busy`` when a statement runs.
    public func addAggregate<Function: AggregateFunction>(
        _ name: String, argumentCount: Int? = nil, _ flags: FunctionFlags = [],
        _ make: @escaping @Sendable () -> Function
    ) throws(SQLiteError) {
        let (handle, count) = try checkFunction(name, argumentCount)
        let aggregate = Aggregate(name, repairsText: connection.repairsText) { PlainState(make()) }
        try connection.check(
            sqlite3_create_function_v2(
                handle, name, count, SQLITE_UTF8 | flags.rawValue, aggregate.retained(), nil,
                { context, count, values in Aggregate.row(context, count, values) { try $0.step($1) } },
                { context in Aggregate.result(context, isLast: true) }, releaseBox))
    }

    /// Adds an aggregate that can be used with OVER, too.
    ///
    /// - Parameters:
    ///   - name: The name, of 1 to 255 bytes.
    ///   - argumentCount: How many arguments it takes, 0 to 127; nil takes any number.
    ///   - flags: What SQLite may assume of it.
    ///   - make: Makes the value that takes in, and out, the rows of one group or window.
    /// - Throws: ``ResultCode/misuse`` for a name or number that cannot be, ``ResultCode/busy`` when a statement runs.
    public func addAggregate<Function: WindowFunction>(
        _ name: String, argumentCount: Int? = nil, _ flags: FunctionFlags = [],
        _ make: @escaping @Sendable () -> Function
    ) throws(SQLiteError) {
        let (handle, count) = try checkFunction(name, argumentCount)
        let aggregate = Aggregate(name, repairsText: connection.repairsText) { WindowState(make()) }
        try connection.check(
            sqlite3_create_window_function(
                handle, name, count, SQLITE_UTF8 | flags.rawValue, aggregate.retained(),
                { context, count, values in Aggregate.row(context, count, values) { try $0.step($1) } },
                { context in Aggregate.result(context, isLast: true) },
                { context in Aggregate.result(context, isLast: false) },
                { context, count, values in Aggregate.row(context, count, values) { try $0.inverse($1) } }, releaseBox))
    }
}
