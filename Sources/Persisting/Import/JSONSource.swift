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
    ///
    /// - Throws: ``PersistenceError``.
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

/// The JSON of an `Encodable` value, such as one that a program has decoded for another purpose.
///
/// ```swift
/// try User.upsertAll(json: EncodedJSON(people))  // [Person], which is Codable
/// ```
public struct EncodedJSON<Value: Encodable>: JSONSource {
    private let value: Value
    private let encoder: JSONEncoder

    /// - Parameters:
    ///   - value: One value that is encoded as an object, or an array of them.
    ///   - encoder: Encodes it; nil is one whose dates are ISO 8601.
    public init(_ value: Value, encoder: JSONEncoder? = nil) {
        self.value = value
        let standard = JSONEncoder()
        standard.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(DateStorage.unixSeconds.exactText(of: .real(date.timeIntervalSince1970)))
        }
        self.encoder = encoder ?? standard
    }

    /// Encodes the value.
    ///
    /// - Throws: `EncodingError`, and what the value's own method throws.
    public func jsonObject() throws -> Any { try encoder.encode(value).jsonObject() }
}

extension JSONSource {
    /// The part of the JSON that is inside objects, as most responses of servers have it.
    ///
    /// ```swift
    /// // {"response": {"users": […]}}
    /// try User.upsertAll(json: data.at("response.users"))
    /// ```
    ///
    /// - Parameter path: The key, with points between those of objects inside each other. JSON that doesn't have it
    ///   throws ``PersistenceError/Code/invalidFormat``.
    public func at(_ path: String) -> some JSONSource { JSONPart(whole: self, path: path) }
}

private struct JSONPart<Whole: JSONSource>: JSONSource {
    let whole: Whole
    let path: String

    func jsonObject() throws -> Any {
        guard let object = try whole.jsonObject() as? [String: Any], let part = JSONPath(path).value(in: object) else {
            throw PersistenceError(.invalidFormat, "the JSON has nothing at \"\(path)\"")
        }
        return part
    }
}

/// What to do about a value that a property can't hold.
public enum InvalidValues: Sendable, Hashable {
    /// It is an error, and nothing is written.
    case fail
    /// The property stays as it is.
    case keep
}

extension JSONSource {
    /// The objects of the JSON; one that isn't an array is the only one.
    func dictionaries(for model: String) throws -> [[String: Any]] {
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
                let value = ImportValue(
                    kind: form, start: bytes.baseAddress, count: bytes.count, isString: form == .text)
                try kind.check(value)
                return try self.stored(value)
            }
        }
        switch value {
        case is NSNull: return try self.stored(.null)
        case let text as String: return try stored(text, .text)
        case let number as Double where type(of: value) == Double.self && unwrapped(column.type) == SQLiteValue.self:
            return .real(number)
        case let number as NSNumber where unwrapped(column.type) == SQLiteValue.self && number.isReal:
            return .real(number.doubleValue)
        case let number as NSNumber where number.isTruth:
            return number.boolValue ? try stored("true", .yes) : try stored("false", .no)
        case let number as NSNumber: return try stored(number.stringValue, .number)
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
            throw ImportProblem(
                reason: "a value of type \(typeOf: value) "
                    + "isn't a valid \(source: unwrapped(column.type))")
        }
    }
}

extension NSNumber {
    /// Whether it was made of true or false.
    fileprivate var isTruth: Bool { Swift.type(of: self) == Swift.type(of: NSNumber(value: true)) }

    /// Whether it was made of a floating-point number.
    fileprivate var isReal: Bool {
        let type = String(cString: objCType)
        return type == "d" || type == "f"
    }
}
