/// A key that isn't a property with a column, but is kept in one: a ``BitField`` or an ``Alias``.
struct VirtualKey: Sendable {
    enum Kind: Hashable, Sendable {
        /// The column by another name.
        case name
        /// Bits of the column's integer.
        case bits(Int64)
        /// Computed from the column's property.
        case computed
    }

    let key: String
    /// The column that it is kept in.
    let index: Int
    let kind: Kind
    /// The computed property that has the key.
    let keyPath: (any AnyKeyPath & Sendable)?
    /// Converts its values.
    let codec: any FieldCodec

    private static let bool = ConvertibleCodec<Bool>()

    init(_ bits: BitField, index: Int) {
        key = bits.key
        self.index = index
        kind = .bits(bits.mask)
        keyPath = bits.keyPath
        codec = Self.bool
    }

    init(_ alias: Alias, index: Int, _ codec: any FieldCodec) {
        key = alias.key
        self.index = index
        kind = alias.path == nil ? .name : .computed
        keyPath = alias.path?.keyPath
        self.codec = codec
    }

    /// The value that an object has for the key.
    func value(of object: PersistingModel, _ mapping: Mapping) throws -> Any {
        switch kind {
        case .name, .computed: codec.value(in: Memory(object), at: mapping.fields[index].offset)
        case .bits(let mask): try bits(of: object, mapping) & mask == mask
        }
    }

    /// Gives an object a value for the key.
    func assign(_ value: Any?, to object: PersistingModel, _ mapping: Mapping) throws {
        do {
            switch kind {
            case .name:
                try mapping.setting(index, of: object) {
                    try codec.assign(value, to: Memory(object), at: mapping.fields[index].offset)
                }
            // The setter sets the column's property by its own setter.
            case .computed: try codec.assign(value, to: Memory(object), at: mapping.fields[index].offset)
            case .bits(let mask):
                let isSet = try Self.bool.convert(value)
                let old = try bits(of: object, mapping)
                let new = isSet ? old | mask : old & ~mask
                // The bits of a nil are not set; it stays one.
                if new != old { try mapping.assign(stored: .integer(new), to: index, of: object) }
            }
        } catch {
            throw column(in: mapping).error(for: value, .typeMismatch, error, mapping)
        }
    }

    private func bits(of object: PersistingModel, _ mapping: Mapping) throws -> Int64 {
        if case .integer(let bits) = try mapping.stored(index, of: object) { bits } else { 0 }
    }

    /// The key as a column of its own, for conditions and errors. Its name is the SQL that SQLite computes it by.
    func column(in mapping: Mapping) -> Column {
        let name = mapping.sql.columns[index]
        let sql = if case .bits(let mask) = kind { "(ifnull(\(name), 0) & \(mask) = \(mask))" } else { name }
        return Column(name: sql, key: key, type: codec.type, codec: codec)
    }
}

/// The virtual keys of a class, checked.
extension VirtualKey {
    static func all(of description: ModelDescription) throws -> [VirtualKey] {
        let type = description.modelType
        var keys: [VirtualKey] = []
        func add(_ key: VirtualKey) throws {
            let isTaken = description.columns.contains { $0.key == key.key }
            guard !key.key.isEmpty, !isTaken, keys[key.key] == nil else {
                throw PersistenceError(
                    .invalidModel,
                    key.key.isEmpty
                        ? "a bit field or an alias has an empty key" : "the key \"\(key.key)\" is declared twice",
                    model: description.modelName, key: key.key)
            }
            keys.append(key)
        }
        for bits in type.bitFields {
            let index = try description.index(of: bits.property, for: "the bit field \(bits.key)", computed: true)
            try check(bits, description.columns[index], description.modelName)
            try add(VirtualKey(bits, index: index))
        }
        for alias in type.aliases {
            let index = try description.index(
                of: alias.property, for: "the alias \(alias.key)", computed: alias.path != nil)
            try add(VirtualKey(alias, index: index, codec(alias, description, description.columns[index])))
        }
        return keys
    }

    private static func check(_ bits: BitField, _ column: Column, _ modelName: String) throws {
        let type = unwrapped(column.type)
        let isInteger = type is any FixedWidthInteger.Type || type is any OptionSet.Type
        let fits = !column.codec.values(of: [.integer(bits.mask)]).isEmpty || column.declaration.isBitPattern
        guard isInteger, fits, bits.mask != 0 else {
            throw PersistenceError(
                .invalidModel,
                isInteger
                    ? "the mask \(bits.mask) of the bit field \(bits.key) "
                        + (fits ? "has no bits" : "has bits that \(column.key) has not")
                    : "the bit field \(bits.key) is kept in \(column.key), which isn't an integer",
                model: modelName, key: bits.key, found: column.type)
        }
    }

    private static func codec(
        _ alias: Alias, _ description: ModelDescription, _ column: Column
    ) throws -> any FieldCodec {
        guard let path = alias.path else { return column.codec }
        guard path.begins(description.modelType),
            let plain = try description.codec(for: path.valueType, .any, column: column.name, key: alias.key),
            let codec = path.codec(plain)
        else {
            throw PersistenceError(
                .invalidModel,
                "the alias \(alias.key) is declared by a key path of another class, "
                    + "\(source: path.modelType)",
                model: description.modelName, key: alias.key)
        }
        return codec
    }
}

extension [VirtualKey] {
    /// The one of a name.
    subscript(key: String) -> VirtualKey? { first { $0.key == key } }
}

extension ModelDescription {
    /// The column of a property that a bit field or an alias names.
    ///
    /// - Parameter computed: Whether setting the key writes what the property holds, changed.
    fileprivate func index(of property: String, for what: String, computed: Bool) throws -> Int {
        let index = try columns.index(ofKey: property, "\(what) is kept in", modelName)
        guard !computed || !columns[index].declaration.isDeferred else {
            throw PersistenceError(
                .invalidModel,
                "\(what) is kept in \(property), which can't be deferred",
                model: modelName, key: property)
        }
        return index
    }
}
