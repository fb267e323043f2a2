/// The values for a statement's parameters: by position, by name, or both.
///
/// ```swift
/// try db.execute("INSERT INTO t (a, b) VALUES (?, ?)", [1, "x"])
/// try db.execute("INSERT INTO t (a, b) VALUES (:a, @b)", ["a": 1, "@b": "x"])
/// try db.execute("INSERT INTO t (a, b) VALUES (?, :b)", [1], ["b": "x"])
/// try db.execute(sql, Arguments(array))      // values made at run time
/// try db.execute(sql, Arguments(any: json))  // of types known at run time only
/// try db.execute(
///     "DELETE FROM t WHERE a IN (SELECT value FROM json_each(:list))",
///     ["list": JSON([1, 2])])
/// ```
///
/// A name may be written with its prefix (`:a`, `@a`, `$a`, `?3`) or, if just one parameter answers to it, without.
/// Positional values go, in order, to the parameters that were not named. Missing values, values left over and unknown
/// names throw. See [Parameters](https://www.sqlite.org/lang_expr.html#varparam).
public struct Arguments: Sendable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// The values given by position.
    public private(set) var positional: [(any SQLiteValueConvertible)?]

    /// The values given by name, in the order they were given.
    public var named: [(name: String, value: (any SQLiteValueConvertible)?)] { pairs.map { ($0, $1) } }

    /// The same as a literal gives them.
    private var pairs: [(String, (any SQLiteValueConvertible)?)]

    /// Whether one of the values by position was interpolated after a `?` for which there was none.
    private var isAfterOpenParameter = false
    /// Whether values by position were added to such: they would go to the wrong parameters.
    private var isOutOfOrder = false

    /// No values.
    public init() {
        positional = []
        pairs = []
    }

    /// Values by position.
    ///
    /// - Parameter values: The values.
    public init(_ values: some Sequence<(any SQLiteValueConvertible)?>) {
        positional = Array(values)
        pairs = []
    }

    /// Values of one type by position.
    ///
    /// - Parameter values: The values.
    public init<Value: SQLiteValueConvertible>(_ values: some Sequence<Value>) {
        positional = values.map { $0 }
        pairs = []
    }

    /// Values by name.
    ///
    /// - Parameter values: The values.
    public init(_ values: [String: (any SQLiteValueConvertible)?]) {
        positional = []
        pairs = values.map { ($0.key, $0.value) }
    }

    /// Values whose types are known at run time only, by position: of JSON, of a property list.
    ///
    /// - Parameter values: Values of types that conform to ``SQLiteValueConvertible``, numbers of Foundation, nil or
    ///   `NSNull` for NULL.
    /// - Throws: ``ResultCode/typeMismatch`` for a value of another type.
    public init(any values: [Any?]) throws(SQLiteError) {
        var positional: [(any SQLiteValueConvertible)?] = []
        for (index, value) in values.enumerated() { positional.append(try anyValue(value, "\(index + 1)")) }
        self.init(positional)
    }

    /// Values whose types are known at run time only, by name: of JSON, of a property list.
    ///
    /// - Parameter values: Values of types that conform to ``SQLiteValueConvertible``, numbers of Foundation, nil or
    ///   `NSNull` for NULL.
    /// - Throws: ``ResultCode/typeMismatch`` for a value of another type.
    public init(any values: [String: Any?]) throws(SQLiteError) {
        var named: [String: (any SQLiteValueConvertible)?] = [:]
        for (name, value) in values { named.updateValue(try anyValue(value, name), forKey: name) }
        self.init(named)
    }

    /// Values by position: `[1, "x", nil]`.
    public init(arrayLiteral elements: (any SQLiteValueConvertible)?...) {
        positional = elements
        pairs = []
    }

    /// Values by name: `["a": 1, "b": nil]`.
    public init(dictionaryLiteral elements: (String, (any SQLiteValueConvertible)?)...) {
        positional = []
        pairs = elements
    }

    /// Whether there is no value at all.
    public var isEmpty: Bool { positional.isEmpty && pairs.isEmpty }

    /// Adds an interpolated value.
    ///
    /// - Parameter isOpen: Whether the text has a `?` before it for which there is no value.
    mutating func append(_ value: (any SQLiteValueConvertible)?, isOpen: Bool) {
        positional.append(value)
        if isOpen { isAfterOpenParameter = true }
    }

    /// Adds the values of SQL that is interpolated.
    ///
    /// - Parameter isOpen: Whether the text has a `?` before it for which there is no value.
    mutating func append(_ others: Arguments, isOpen: Bool) {
        if others.isEmpty { return }
        positional += others.positional
        pairs += others.pairs
        isOutOfOrder = isOutOfOrder || others.isOutOfOrder
        isAfterOpenParameter =
            isAfterOpenParameter || others.isAfterOpenParameter || isOpen && !others.positional.isEmpty
    }

    /// Both sets of values: the positional ones of `rhs` after those of `lhs`.
    public static func + (lhs: Arguments, rhs: Arguments) -> Arguments {
        if rhs.isEmpty { return lhs }
        if lhs.isEmpty { return rhs }
        var sum = lhs
        sum.append(rhs, isOpen: false)
        sum.isOutOfOrder = sum.isOutOfOrder || lhs.isAfterOpenParameter && !rhs.positional.isEmpty
        return sum
    }

    /// Throws for values by position that would go to the wrong parameters.
    package func checkOrder() throws(SQLiteError) {
        guard !isOutOfOrder else {
            throw SQLiteError(
                .argumentCount,
                "a ? stands before an interpolated value, so values by position can't be told apart: interpolate them "
                    + "all, or name the parameters that aren't interpolated, such as :name")
        }
    }
}

extension Arguments: Equatable {
    /// Two are equal when SQLite would be given the same values; values that cannot be stored are never equal.
    public static func == (lhs: Arguments, rhs: Arguments) -> Bool {
        func same(_ a: (any SQLiteValueConvertible)?, _ b: (any SQLiteValueConvertible)?) -> Bool {
            do {
                return try a?.sqliteValue() ?? .null == b?.sqliteValue() ?? .null
            } catch {
                return false
            }
        }
        return lhs.positional.elementsEqual(rhs.positional, by: same)
            && lhs.pairs.elementsEqual(rhs.pairs) { haveSameBytes($0.0, $1.0) && same($0.1, $1.1) }
    }
}

extension Arguments: CustomStringConvertible {
    /// The values as SQL literals, those by name after their names: `[1, NULL, name: 'it''s']`.
    ///
    /// A value that no column can hold is written as Swift does, in angle brackets.
    public var description: String {
        func literal(_ value: (any SQLiteValueConvertible)?) -> String {
            guard let value else { return "NULL" }
            return (try? value.sqliteValue())?.description ?? "<\(value)>"
        }
        let values = positional.map(literal) + pairs.map { "\($0.0): \(literal($0.1))" }
        return "[\(values.joined(separator: ", "))]"
    }
}

/// A value where it lies in an array of arguments.
///
/// To copy a value whose type is known at run time only costs more than to bind it, and only what cannot be copied is
/// surely not copied. Memory is taken for this by its layout: a struct has that of a tuple of its fields, one of a
/// single field has that of the field.
struct ValueInPlace: ~Copyable {
    let value: any SQLiteValueConvertible
}

struct NamedValueInPlace: ~Copyable {
    let name: String
    let value: ValueInPlace?
}

/// Which value goes to which parameter.
extension Arguments {
    func withValuesInPlace<T>(
        _ body: (UnsafeBufferPointer<ValueInPlace?>, UnsafeBufferPointer<NamedValueInPlace>) throws -> T
    ) rethrows -> T {
        try positional.withUnsafeBufferPointer { positional in
            try positional.withMemoryRebound(to: ValueInPlace?.self) { positional in
                try pairs.withUnsafeBufferPointer { pairs in
                    try pairs.withMemoryRebound(to: NamedValueInPlace.self) { try body(positional, $0) }
                }
            }
        }
    }

    /// The values in the order of the parameters.
    func values(for parameters: ParameterNames) throws(SQLiteError) -> [(any SQLiteValueConvertible)?] {
        var last = -1
        let places = try places(for: parameters, after: &last)
        let values = positional + pairs.map(\.1)
        return places.isEmpty ? values : places.map { values[$0] }
    }

    /// Whether there is a positional value for each of `count` parameters, and no other.
    @inline(__always)
    func areInOrder(count: Int) -> Bool { pairs.isEmpty && positional.count == count && !isOutOfOrder }

    /// The place of each parameter's value: in `positional`, or after those in `pairs`. None where all are in their
    /// order.
    ///
    /// - Parameter last: The parameter that was asked for last.
    func places(for parameters: ParameterNames, after last: inout Int) throws(SQLiteError) -> [Int] {
        try checkOrder()
        let names = parameters.names
        if pairs.isEmpty {
            guard positional.count == names.count else { throw miscounted(for: names.count) }
            return []
        }
        if positional.isEmpty, withValuesInPlace({ parameters.areNamedInOrder(by: $1) }) { return [] }
        let none = -1
        var places = [Int](repeating: none, count: names.count)
        for (place, (name, _)) in pairs.enumerated() {
            let index = try parameters.index(of: name, after: &last)
            guard places[index] == none else {
                throw SQLiteError(.unknownParameter, "the argument \(name) was given twice")
            }
            places[index] = positional.count + place
        }
        var next = 0
        for index in names.indices where places[index] == none {
            guard next < positional.count else {
                throw miscounted(for: names.count, missing: names[index] ?? "\(index + 1)")
            }
            places[index] = next
            next += 1
        }
        guard next == positional.count else { throw miscounted(for: names.count) }
        return places
    }

    private func miscounted(for expected: Int, missing: String? = nil) -> SQLiteError {
        SQLiteError(
            .argumentCount,
            "arguments expected: \(expected), given: \(positional.count + pairs.count)"
                + (missing.map { "; none for parameter \($0)" } ?? ""))
    }
}
