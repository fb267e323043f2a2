/// When the value of a generated column is computed.
public enum GeneratedStorage: String, Sendable, Hashable {
    /// When it is read: it takes no room.
    case virtual = "VIRTUAL"
    /// When the row is written: it takes room, and none of the reader's time.
    case stored = "STORED"
}

/// How a generated column comes by its values.
package struct Generation: Sendable {
    package let expression: SQL
    package let storage: GeneratedStorage

    /// What stands for it in CREATE TABLE.
    func definition(model: String, key: String) throws -> String {
        let expression = try expression.declared("a generated column", model: model, key: key)
        return "GENERATED ALWAYS AS (\(expression)) \(storage.rawValue)"
    }
}
