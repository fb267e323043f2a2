public import Foundation

/// JSON that objects are made from: `Data`, or a dictionary or array as `JSONSerialization` gives it.
public protocol JSONSource {
    /// The JSON as `JSONSerialization` gives it.
    ///
    /// - Returns: A dictionary, or an array of them.
    /// - Throws: Foundation's error for data that isn't JSON.
    func jsonObject() throws -> Any
}

extension Data: JSONSource {
    /// Parses the data.
    public func jsonObject() throws -> Any { try JSONSerialization.jsonObject(with: self) }
}

extension Dictionary: JSONSource where Key == String, Value == Any {
    /// The dictionary itself.
    public func jsonObject() -> Any { self }
}

extension Array: JSONSource where Element == [String: Any] {
    /// The array itself.
    public func jsonObject() -> Any { self }
}

/// What becomes of a value that a property can't have.
public enum InvalidValues: Sendable, Hashable {
    /// It is an error, and nothing is written.
    case fail
    /// The property stays as it is.
    case keep
}

extension JSONSource {
    /// The objects of the JSON; one that isn't an array is the only one.
    func objects(_ model: String) throws -> [[String: Any]] {
        let json = try jsonObject()
        if let object = json as? [String: Any] { return [object] }
        guard let array = json as? [Any] else {
            throw PersistenceError(
                .invalidFormat, "the JSON is neither an object nor an array of objects", model: model)
        }
        return try array.enumerated().map { position, element in
            guard let object = element as? [String: Any] else {
                throw PersistenceError(
                    .invalidFormat, "element \(position) of the JSON isn't an object", model: model)
            }
            return object
        }
    }
}

extension ImportColumn {
    /// What the column stores for a value of JSON, or another that the property could have.
    func stored(json value: Any, _ kind: RemoteMapping.Kind) throws -> SQLiteValue {
        func stored(_ text: String, _ form: ImportValue.Kind) throws -> SQLiteValue {
            var text = text
            return try text.withUTF8 { bytes in
                let value = ImportValue(kind: form, start: bytes.baseAddress, count: bytes.count)
                try kind.check(value)
                return try self.stored(value)
            }
        }
        switch value {
        case is NSNull: return try self.stored(.null)
        case let text as String: return try stored(text, .text)
        case let number as NSNumber: return try stored(number.stringValue, .number)
        case let value as Bool: return try stored(value ? "1" : "0", .number)
        case let number as any BinaryInteger: return try stored("\(number)", .number)
        case let number as Double: return try stored("\(number)", .number)
        case is [Any], is [String: Any]:
            guard JSONSerialization.isValidJSONObject(value) else { break }
            let json = try JSONSerialization.data(withJSONObject: value)
            return try stored(String(decoding: json, as: UTF8.self), .container)
        default: break
        }
        do {
            return try column.codec.stored(value)
        } catch {
            throw ImportProblem(reason: "a value of type \(type(of: value)) isn't a valid \(unwrapped(column.type))")
        }
    }
}
