/// The arguments of a format, taken in order. They are values and keys, and never text of the format.
struct FormatArguments {
    private let values: [(any Sendable)?]
    private let text: FormatText
    private var taken = 0

    init(_ values: [(any Sendable)?], _ text: FormatText) {
        self.values = values
        self.text = text
    }

    private mutating func next(_ token: FormatToken) throws -> (any Sendable)? {
        guard taken < values.count else {
            throw text.failure(
                "there is no argument for \(text[token.range]): \(counted), and this is number \(taken + 1)",
                at: token.range.lowerBound)
        }
        taken += 1
        return values[taken - 1]
    }

    /// The value for `%@` or a number's specifier.
    mutating func value(_ token: FormatToken) throws -> (any Sendable)? {
        let value = try next(token)
        guard case .argument(let specifier) = token.kind, let letter = specifier.last, letter != "@" else {
            return value
        }
        let given = flattened(value)
        let fits =
            given is any BinaryInteger || (letter == "f" || letter == "g") && given is any BinaryFloatingPoint
        guard fits else {
            let expected = letter == "f" || letter == "g" ? "a number" : "an integer"
            throw mismatch(expected, given, token)
        }
        return value
    }

    /// The key for `%K`.
    mutating func key(_ token: FormatToken) throws -> String {
        let given = flattened(try next(token))
        guard let key = given as? String else { throw mismatch("a key, which is a String", given, token) }
        return key
    }

    /// The values of an array or a set for `%@`.
    mutating func list(_ token: FormatToken) throws -> [CriteriaTerm] {
        let value = try next(token)
        if let set = value as? any CriteriaSet { return set.values }
        // A blob is an array too, and one value.
        guard let value, let values = value as? [(any Sendable)?], type(of: value) != [UInt8].self else {
            throw mismatch("an array", flattened(value), token)
        }
        return values.map { .value($0) }
    }

    func checkAllUsed() throws {
        guard taken == values.count else {
            throw text.failure("\(counted), but the format needs \(taken)", at: text.scalars.count)
        }
    }

    private var counted: String { values.count == 1 ? "1 argument is given" : "\(values.count) arguments are given" }

    private func mismatch(_ expected: String, _ given: Any?, _ token: FormatToken) -> PersistenceError {
        let found = given.map { "a value of type \(typeOf: $0)" } ?? "nil"
        return text.failure("\(text[token.range]) needs \(expected), not \(found)", at: token.range.lowerBound)
    }
}
