/// The values for a statement's parameters: by position, by name, or both.
///
/// ```swift
/// try db.execute("INSERT INTO t (a, b) VALUES (?, ?)", [1, "x"])
/// try db.execute("INSERT INTO t (a, b) VALUES (:a, @b)", ["a": 1, "@b": "x"])
/// try db.execute("INSERT INTO t (a, b) VALUES (?, :b)", [1], ["b": "x"])
/// try db.execute(sql, Arguments(array))                       // values made at run time
/// try db.execute("DELETE FROM t WHERE a IN (SELECT value FROM json_each(:list))", ["list": JSON([1, 2])])
/// ```
///
/// A name may be written with its prefix (`:a`, `@a`, `$a`, `?3`) or, if just one parameter answers to it, without.
/// Positional values go, in order, to the parameters that were not named. Missing values, values left over and unknown
/// names throw. See [Parameters](https://www.sqlite.org/lang_expr.html#varparam).
public struct Arguments: Sendable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// The values given by position.
    public private(set) var positional: [(any SQLiteValueConvertible)?]

    /// The values given by name, in the order they were given.
    public private(set) var named: [(name: String, value: (any SQLiteValueConvertible)?)]

    /// No values.
    public init() {
        positional = []
        named = []
    }

    /// Values by position.
    public init(_ values: some Sequence<(any SQLiteValueConvertible)?>) {
        positional = Array(values)
        named = []
    }

    /// Values of one type by position.
    public init<Value: SQLiteValueConvertible>(_ values: some Sequence<Value>) {
        positional = values.map { $0 }
        named = []
    }

    /// Values by name.
    public init(_ values: [String: (any SQLiteValueConvertible)?]) {
        positional = []
        named = values.map { ($0.key, $0.value) }
    }

    /// Values by position: `[1, "x", nil]`.
    public init(arrayLiteral elements: (any SQLiteValueConvertible)?...) {
        positional = elements
        named = []
    }

    /// Values by name: `["a": 1, "b": nil]`.
    public init(dictionaryLiteral elements: (String, (any SQLiteValueConvertible)?)...) {
        positional = []
        named = elements.map { (name: $0.0, value: $0.1) }
    }

    /// Whether there is no value at all.
    public var isEmpty: Bool { positional.isEmpty && named.isEmpty }

    /// Both sets of values: the positional ones of `rhs` behind those of `lhs`.
    public static func + (lhs: Arguments, rhs: Arguments) -> Arguments {
        if rhs.isEmpty { return lhs }
        if lhs.isEmpty { return rhs }
        var sum = lhs
        sum.positional += rhs.positional
        sum.named += rhs.named
        return sum
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
            && lhs.named.elementsEqual(rhs.named) { haveSameBytes($0.name, $1.name) && same($0.value, $1.value) }
    }
}

extension Statement {
    /// Binds all arguments, and leaves no parameter without a value.
    ///
    /// - Throws: ``ResultCode/argumentCount`` for too few or too many, ``ResultCode/unknownParameter`` for a name that
    ///   the statement does not have, has twice, or that was given twice, and what a value's conversion throws. The
    ///   statement is named, and nothing has run.
    public func bind(_ arguments: Arguments) throws(SQLiteError) {
        let places: [Int]
        do throws(SQLiteError) {
            places = try arguments.places(for: parameters, after: &lastParameter)
        } catch {
            throw naming(error)
        }
        let positional = arguments.positional
        willBindAll()
        var index = 1
        do {
            // In place: to copy a value whose type is known at run time only costs more than to bind it.
            try positional.withUnsafeBufferPointer { positional in
                try arguments.named.withUnsafeBufferPointer { named in
                    while index <= parameterCount {
                        let place = places.isEmpty ? index - 1 : places[index - 1]
                        let isBound: Void? =
                            if place < positional.count {
                                try positional[place]?.bind(to: self, at: index)
                            } else {
                                try named[place - positional.count].value?.bind(to: self, at: index)
                            }
                        if isBound == nil { try bindNull(at: index) }
                        index += 1
                    }
                }
            }
        } catch {
            giveUpBinding()
            throw bindingFailure(error, at: index)
        }
    }

    /// Binds one value whose type is known at run time only.
    ///
    /// - Parameters:
    ///   - value: The value; nil is NULL.
    ///   - index: The parameter, counted from 1.
    public func bind(_ value: (any SQLiteValueConvertible)?, at index: Int) throws(SQLiteError) {
        do {
            if let value { try value.bind(to: self, at: index) } else { try bindNull(at: index) }
        } catch {
            throw bindingFailure(error, at: index)
        }
    }

    private func bindingFailure(_ error: any Error, at index: Int) -> SQLiteError {
        if let error = error as? SQLiteError { return naming(error) }
        let name = parameterNames.indices.contains(index - 1) ? parameterNames[index - 1] : nil
        return connection.failure(
            .typeMismatch, "the argument for parameter \(name ?? "\(index)"): \(error)", sql: sql)
    }

    /// Binds one value by name.
    ///
    /// - Parameters:
    ///   - value: The value; nil is NULL.
    ///   - name: The parameter's name, with its prefix or without.
    public func bind(_ value: (any SQLiteValueConvertible)?, named name: String) throws(SQLiteError) {
        try bind(value, at: parameterIndex(name))
    }

    /// The index of a parameter, counted from 1.
    ///
    /// - Throws: ``ResultCode/unknownParameter`` when no parameter has the name, or more than one.
    public func parameterIndex(_ name: String) throws(SQLiteError) -> Int {
        do throws(SQLiteError) {
            return try parameters.index(of: name, after: &lastParameter) + 1
        } catch {
            throw naming(error)
        }
    }

    private func naming(_ error: SQLiteError) -> SQLiteError { error.adding(sql: sql, path: connection.path) }
}

/// Which value goes to which parameter.
extension Arguments {
    /// The values in the order of the parameters.
    func values(for parameters: ParameterNames) throws(SQLiteError) -> [(any SQLiteValueConvertible)?] {
        var last = -1
        let places = try places(for: parameters, after: &last)
        return places.isEmpty
            ? positional : places.map { $0 < positional.count ? positional[$0] : named[$0 - positional.count].value }
    }

    /// The place of each parameter's value: in `positional`, or behind those in `named`. None where all are in their
    /// order.
    ///
    /// - Parameter last: The parameter that was asked for last.
    fileprivate func places(for parameters: ParameterNames, after last: inout Int) throws(SQLiteError) -> [Int] {
        let names = parameters.names
        if named.isEmpty {
            guard positional.count == names.count else { throw miscounted(for: names.count) }
            return []
        }
        let none = -1
        var places = [Int](repeating: none, count: names.count)
        for place in named.indices {
            let index = try parameters.index(of: named[place].name, after: &last)
            guard places[index] == none else {
                throw SQLiteError(.unknownParameter, "the argument \(named[place].name) was given twice")
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
            "arguments expected: \(expected), given: \(positional.count + named.count)"
                + (missing.map { "; none for parameter \($0)" } ?? ""))
    }
}
