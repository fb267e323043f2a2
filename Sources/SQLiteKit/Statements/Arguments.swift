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
        let count = parameterCount
        if arguments.named.isEmpty {
            guard arguments.positional.count == count else {
                throw naming(arguments.miscounted(for: count))
            }
            for (offset, value) in arguments.positional.enumerated() { try bind(value, at: offset + 1) }
            return
        }
        let values: [(any SQLiteValueConvertible)?]
        do throws(SQLiteError) {
            values = try arguments.values(for: parameterNames)
        } catch {
            throw naming(error)
        }
        for (offset, value) in values.enumerated() { try bind(value, at: offset + 1) }
    }

    /// Binds one value whose type is known at run time only.
    ///
    /// - Parameters:
    ///   - value: The value; nil is NULL.
    ///   - index: The parameter, counted from 1.
    public func bind(_ value: (any SQLiteValueConvertible)?, at index: Int) throws(SQLiteError) {
        do {
            if let value { try value.bind(to: self, at: index) } else { try bindNull(at: index) }
        } catch let error as SQLiteError {
            throw naming(error)
        } catch {
            let name = parameterNames.indices.contains(index - 1) ? parameterNames[index - 1] : nil
            throw connection.failure(
                .typeMismatch, "the argument for parameter \(name ?? "\(index)"): \(error)", sql: sql)
        }
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
            return try Arguments.index(of: name, in: parameterNames)
        } catch {
            throw naming(error)
        }
    }

    private func naming(_ error: SQLiteError) -> SQLiteError { error.adding(sql: sql, path: connection.path) }
}

/// Which value goes to which parameter.
extension Arguments {
    /// The values in the order of the parameters.
    ///
    /// - Parameter names: The parameters' names with their prefixes; nil for a plain `?`.
    func values(for names: [String?]) throws(SQLiteError) -> [(any SQLiteValueConvertible)?] {
        var values = [(any SQLiteValueConvertible)?](repeating: nil, count: names.count)
        var isGiven = [Bool](repeating: false, count: names.count)
        for (name, value) in named {
            let index = try Self.index(of: name, in: names) - 1
            guard !isGiven[index] else {
                throw SQLiteError(.unknownParameter, "the argument \(name) was given twice")
            }
            isGiven[index] = true
            values[index] = value
        }
        var rest = positional[...]
        for index in names.indices where !isGiven[index] {
            guard let value = rest.popFirst() else {
                throw miscounted(for: names.count, missing: named.isEmpty ? nil : names[index] ?? "\(index + 1)")
            }
            values[index] = value
        }
        guard rest.isEmpty else { throw miscounted(for: names.count) }
        return values
    }

    /// The index of a parameter, counted from 1.
    fileprivate static func index(of name: String, in names: [String?]) throws(SQLiteError) -> Int {
        func isSame(_ parameter: String?, _ name: String) -> Bool { parameter.map { haveSameBytes($0, name) } ?? false }
        if let exact = names.firstIndex(where: { isSame($0, name) }) { return exact + 1 }
        let candidates = names.indices.filter { isSame((names[$0]?.dropFirst()).map(String.init), name) }
        switch candidates.count {
        case 1: return candidates[0] + 1
        case 0:
            let known = names.compactMap(\.self).joined(separator: ", ")
            throw SQLiteError(
                .unknownParameter, "there is no parameter \(name); there is: \(known.isEmpty ? "none" : known)")
        default:
            let known = candidates.compactMap { names[$0] }.joined(separator: " and ")
            throw SQLiteError(.unknownParameter, "\(name) is ambiguous: it may be \(known)")
        }
    }

    fileprivate func miscounted(for expected: Int, missing: String? = nil) -> SQLiteError {
        SQLiteError(
            .argumentCount,
            "arguments expected: \(expected), given: \(positional.count + named.count)"
                + (missing.map { "; none for parameter \($0)" } ?? ""))
    }
}
