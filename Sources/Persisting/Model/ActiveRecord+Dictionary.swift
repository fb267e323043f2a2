internal import Foundation

/// What the keys of an object's dictionary are.
public enum DictionaryKeys: Sendable, Hashable {
    /// The properties' names.
    case properties
    /// The columns' names. Bit fields and computed properties, which have no column of their own, keep their keys.
    case columns
}

/// Objects as dictionaries.
extension ActiveRecord {
    /// All properties with a column, by name. Those that are nil are left out.
    ///
    /// A class that cannot be mapped has none; using it with a manager says what is wrong.
    public func dictionary() -> [String: Any] {
        guard let mapping = try? Mapping.of(self) else { return [:] }
        return mapping.columns.indices.reduce(into: [:]) { result, index in
            if index != mapping.rowID, let value = mapping.value(index, of: self) {
                result[mapping.columns[index].key] = value
            }
        }
    }

    /// Properties by name or by column. Those that are nil are left out.
    ///
    /// - Parameters:
    ///   - keys: The properties' names, bit fields and aliases among them; nil is all properties with a column.
    ///   - naming: What the dictionary's keys are.
    /// - Throws: ``PersistenceError/Code/unknownKey``.
    public func dictionary(forKeys keys: [String]? = nil, by naming: DictionaryKeys) throws -> [String: Any] {
        try values(keys, naming) { _, value in value }
    }

    /// Properties as a dictionary that Foundation's `JSONSerialization` takes. Those that are nil are left out.
    ///
    /// Numbers and texts are themselves; a date is a text in ISO 8601, in UTC, with the fewest digits that are read as
    /// the same date, at most nine; bytes are Base64; a UUID, a URL and a Decimal are text; what is stored as JSON is
    /// that, and any other type what it is stored as. For a property of type ``/SQLiteKit/SQLiteValue``, bytes are
    /// `{"base64": "…"}` and a real number without a fraction is `{"real": "1.0"}`. An object of a class hierarchy has
    /// its ``PersistingModel/kind`` as `kind`.
    ///
    /// `setValues(_:)` takes these values for the same properties, and `upsert(_:json:)` makes an object of them.
    ///
    /// ```swift
    /// let json = try JSONSerialization.data(
    ///     withJSONObject: album.jsonObject(), options: [.sortedKeys])
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The properties' names, bit fields and aliases among them; nil is all properties with a column.
    ///   - naming: What the dictionary's keys are.
    /// - Throws: ``PersistenceError/Code/unknownKey``, and ``PersistenceError/Code/typeMismatch`` for a number that
    ///   JSON does not have, such as infinity.
    public func jsonObject(
        forKeys keys: [String]? = nil, by naming: DictionaryKeys = .properties
    ) throws -> [String: Any] {
        let mapping = try Mapping.of(self)
        var keys = keys
        var kind: [String: Any] = [:]
        if let place = mapping.place, keys?.contains(place.table.kindKey) ?? true {
            kind[naming == .columns ? place.kindColumnName : place.table.kindKey] = place.kind
            keys?.removeAll { $0 == place.table.kindKey }
        }
        return try values(keys, naming) { key, value in try mapping.json(value, key, of: self) }.merging(kind) { $1 }
    }

    private func values(
        _ keys: [String]?, _ naming: DictionaryKeys, _ form: (String, Any) throws -> Any
    ) throws -> [String: Any] {
        let mapping = try Mapping.of(self)
        return try (keys ?? mapping.columns.indices.filter { $0 != mapping.rowID }.map { mapping.columns[$0].key })
            .reduce(into: [:]) { result, key in
                guard let value = try mapping.value(forKey: key, of: self) else { return }
                let name = naming == .columns ? mapping.columnName(ofKey: key) : nil
                result[name ?? key] = try form(key, value)
            }
    }
}

/// Whether a value is bytes, as which Swift also casts any empty array.
func isBytes(_ bytes: [UInt8], _ value: Any?) -> Bool {
    !bytes.isEmpty || flattened(value).map { type(of: $0) == [UInt8].self } ?? false
}

extension Mapping {
    /// The name of a key's column; nil for a key without a column of its own.
    fileprivate func columnName(ofKey key: String) -> String? {
        guard let virtual = virtualKeys[key] else { return (try? index(ofKey: key)).map { columns[$0].name } }
        return virtual.kind == .name ? columns[virtual.index].name : nil
    }

    /// Throws for the kind of another class.
    func checkKind(_ value: Any?) throws {
        guard let place, let value = flattened(value), (value as? String) != place.kind else { return }
        throw PersistenceError(
            .unknownKind,
            "the kind that is set is another class's, and an object's class never changes: its kind is "
                + SQLText.literal(place.kind), model: modelName, key: place.table.kindKey)
    }

    /// A property's value as JSON has it.
    func json(_ value: Any, _ key: String, of object: PersistingModel? = nil) throws -> Any {
        switch value {
        case let value as Bool: return value
        case let value as String: return value
        case let value as Data: return value.base64EncodedString()
        case let bytes as [UInt8] where isBytes(bytes, value): return Data(bytes).base64EncodedString()
        case let value as UInt64: return value
        case let value as UInt: return value
        case let value as SQLiteValue: return value.json
        default: break
        }
        let codec = try virtualKeys[key]?.codec ?? columns[index(ofKey: key)].codec
        let stored: SQLiteValue
        do {
            stored = try storedForJSON(value, codec)
        } catch {
            let failure = try columns[index(ofKey: key)].failure(error, self)
            throw object.map { failure.adding(rowOf: $0) } ?? failure
        }
        switch stored {
        case .null: return NSNull()
        case .integer(let bits) where !codec.keepsOrder: return UInt64(bitPattern: bits)
        case .integer(let number): return number
        case .real(let number) where number.isFinite: return number
        case .real(let number):
            let failure = PersistenceError(
                .typeMismatch, "\(key): JSON has no number for \(number)", model: modelName, key: key,
                found: type(of: value))
            throw object.map { failure.adding(rowOf: $0) } ?? failure
        case .text(let text): return json(text, of: value) ?? text
        case .blob(let data): return data.base64EncodedString()
        }
    }

    /// What a property's value is stored as, with dates always as text.
    private func storedForJSON(_ value: Any, _ codec: any FieldCodec) throws -> SQLiteValue {
        if let date = value as? Date {
            return try DateStorage.exactText(secondsSince1970: date.timeIntervalSince1970).map { .text($0) }
                ?? DateStorage.iso8601.value(for: date)
        }
        if let value = value as? any SQLiteValueConvertible, codec.keepsOrder { return try value.sqliteValue() }
        return try codec.stored(value)
    }

    /// What a text says in JSON, where it is that of a value; nil for a text of the type's own form.
    private func json(_ text: String, of value: Any) -> Any? {
        // A value that has no JSON is stored as something else.
        guard let value = value as? any Codable, !(value is Decimal), (try? StoredJSON.encode(value)) == text else {
            return nil
        }
        return try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }
}
