internal import Foundation

/// Conditions by dictionary: `["lastName": "Bluth", "<NOT>luckyNumber": 13, "id": [1, 2, 3]]`.
extension Criteria: ExpressibleByDictionaryLiteral {
    /// The rows that have all of these values. An empty literal, `[:]`, is every row.
    ///
    /// A key is a property's name, with `<NOT>` before it for the rows that do not have the value. Nil is IS NULL. Of
    /// an array or a Set the property has one value, nil among them meaning NULL, unless the property is a list itself,
    /// which is then equal to the array; in a range, such as `1...5`, `1..<5` or `5...`, it lies.
    public init(dictionaryLiteral elements: (String, (any Sendable)?)...) {
        self.init(.and(elements.map { Self.node($0.0, $0.1) }))
    }

    /// The rows that have all the values of a dictionary made at run time.
    ///
    /// - Parameter values: As in the literal form. An empty dictionary is every row.
    public init(_ values: [String: (any Sendable)?]) {
        // In the order of the keys, so that equal dictionaries make equal SQL.
        self.init(.and(values.sorted { $0.key < $1.key }.map { Self.node($0.key, $0.value) }))
    }

    private static func node(_ key: String, _ value: (any Sendable)?) -> CriteriaNode {
        if key.hasPrefix("<NOT>") { return node(String(key.dropFirst(5).drop { $0 == " " }), value).negated }
        if let value, isList(value, of: key) { return .compares(.key(key), .equal, .value(value), []) }
        // A blob is an array too, and one value.
        if let value, let values = value as? [(any Sendable)?], type(of: value) != [UInt8].self {
            return .isIn(.key(key), values.map { .value($0) }, [])
        }
        if let set = value as? any CriteriaSet { return .isIn(.key(key), set.values, []) }
        if let range = value as? any CriteriaRange { return range.contains(.key(key)) }
        return .compares(.key(key), .equal, .value(value), [])
    }

    /// Whether a value is a list that a property stored as JSON can hold.
    private static func isList(_ value: any Sendable, of key: String) -> Bool {
        guard value is any Collection, let model = Model.self as? PersistingModel.Type,
            let mapping = try? Mapping.of(model),
            let operand = mapping.columnsOfSubclasses(key).first ?? (try? mapping.columnOperand(key)),
            operand.isJSONList
        else { return false }
        let isOfType = type(of: value) == unwrapped(operand.column.type)
        return (isOfType || JSONSerialization.isValidJSONObject(value))
            && (try? operand.column.codec.stored(value)) != nil
    }
}
