internal import Foundation

/// How the properties of a class are stored.
extension ModelDescription {
    /// The codec for a property's type, as a column declares it or the class's transforms say; nil for a type that no
    /// column holds.
    ///
    /// - Throws: ``PersistenceError/Code/unsupportedType`` for a transform of another type.
    func codec(
        for type: any Any.Type, _ declaration: ColumnDeclaration, column name: String, key: String
    ) throws -> (any FieldCodec)? {
        if let transform = declaration.transform {
            guard let codec = transform.codec(type) else {
                throw PersistenceError(
                    .unsupportedType,
                    "the column \(name) is declared with a transform of \(source: transform.valueType), "
                        + "which a \(source: type) is not",
                    model: modelName, key: key, expected: transform.valueType, found: type, saysTypes: true)
            }
            return codec
        }
        if declaration.kind == .json { return jsonCodec(for: type) }
        if declaration.isBitPattern { return bitPatternCodec(for: type) }
        if declaration.dateStorage == nil, declaration.uuidStorage == nil, let codec = classCodec(for: type) {
            return codec
        }
        if let storage = declaration.uuidStorage, let codec = uuidCodec(for: type, storage) { return codec }
        return Persisting.codec(for: type, dates: declaration.dateStorage ?? dates)
    }

    /// The codec of the class's own transform for a type: the last one in the list, and before those for the type that
    /// an Optional wraps those for the Optional.
    private func classCodec(for type: any Any.Type) -> (any FieldCodec)? {
        (transforms.last { $0.valueType == type } ?? transforms.last { $0.valueType == unwrapped(type) })?.codec(type)
    }

    /// Why no column can hold a type, and the ways out.
    func noColumn(
        for type: any Any.Type, _ declaration: ColumnDeclaration, _ name: String, _ key: String
    ) -> String {
        if declaration.kind == .json { return "a \(source: type) is not Codable, which .json needs" }
        if declaration.isBitPattern {
            return
                "the column \(name) is declared .bitPattern, which is for UInt64, UInt and types with such a raw value"
        }
        let value = unwrapped(type)
        let element = element(of: value)
        let way =
            if value is PersistingModel.Type {
                "store the other object's key in a property of its own, and fetch the object by that: "
                    + "find(\(value).self, …)"
            } else if let element, element is PersistingModel.Type {
                "give \(element) a property that stores this object's key, and fetch by that: "
                    + "fetchAll(\(element).self, where: …)"
            } else if value is any RawRepresentable.Type {
                "add SQLiteValueConvertible to the conformances of \(value), which stores the raw value"
            } else if value is any Codable.Type {
                "declare the column .json, or add SQLiteValueConvertible to the conformances of your own type, "
                    + "which stores JSON"
            } else if let element, element != value {
                "make \(element) conform to Codable and declare the column .json, or declare it "
                    + ".any.transformed(by: …)"
            } else {
                "make the type conform to SQLiteValueConvertible, or declare the column .any.transformed(by: …)"
            }
        return
            "no column can hold a \(source: type): \(way); or leave the property out, by listing \"\(key)\" in "
            + "transientKeys "
            + "or by a name that begins with _"
    }

    /// What a collection holds, with an Optional around it taken off; nil for any other type.
    private func element(of type: any Any.Type) -> (any Any.Type)? {
        func element<Elements: Collection>(_ type: Elements.Type) -> any Any.Type { unwrapped(Elements.Element.self) }
        return (type as? any Collection.Type).map { element($0) }
    }

    /// Throws for a declaration that says other things of a column than its property's type and codec do.
    func check(
        _ declaration: ColumnDeclaration, fits type: any Any.Type, _ codec: any FieldCodec, _ name: String,
        _ key: String
    ) throws {
        let value = unwrapped(type)
        guard self.declaration(declaration.kind, fits: value, codec) else {
            let isTransformed = declaration.hasTransform || classCodec(for: type) != nil
            throw PersistenceError(
                .unsupportedType,
                "the column \(name) is declared .\(declaration.kind.rawValue), which a \(source: type) does not fit"
                    + (isTransformed ? ", since its transform stores \(codec.columnType.rawValue)" : ""),
                model: modelName, key: key, found: type)
        }
        if declaration.isDeferred, !isOptional(type) {
            throw PersistenceError(
                .invalidModel,
                "the column \(name) is declared .deferred, so its property is nil until it is loaded: make it Optional",
                model: modelName, key: key, found: type)
        }
        guard !declaration.isDeferred || !codec.asksForNil else {
            throw PersistenceError(
                .invalidModel,
                "the column \(name) is declared .deferred, and its transform asks for nil, which is what is not loaded",
                model: modelName, key: key, found: type)
        }
        try checkForm(declaration, value, type, name, key)
    }

    /// Whether a column may be declared to be of a kind.
    ///
    /// - Parameter value: The property's type, without an Optional around it.
    private func declaration(
        _ kind: ColumnDeclaration.Kind, fits value: any Any.Type, _ codec: any FieldCodec
    ) -> Bool {
        let columnType = codec.columnType
        let isPlainDate = value == Date.self && codec.keepsSums
        return switch kind {
        case .any, .json, .path: true
        case .int: columnType == .integer && !isPlainDate || columnType == .any
        case .double: columnType == .real && !isPlainDate || columnType == .any
        case .bool: value == Bool.self
        case .string: columnType == .text && !isPlainDate || columnType == .any
        case .data: columnType == .blob || columnType == .any
        case .date: value == Date.self
        case .uuid: value == UUID.self || uuidCodec(for: value, .text) != nil
        case .url: value == URL.self
        case .decimal: value == Decimal.self
        }
    }

    /// Throws for two ways of storing a column, and one that is for another type.
    private func checkForm(
        _ declaration: ColumnDeclaration, _ value: any Any.Type, _ type: any Any.Type, _ name: String, _ key: String
    ) throws {
        var ways: [String] = []
        if declaration.transform != nil { ways.append("a transform") }
        if declaration.kind == .json { ways.append(".json") }
        if declaration.isBitPattern { ways.append(".bitPattern") }
        if declaration.dateStorage != nil || declaration.uuidStorage != nil { ways.append(".stored(as:)") }
        guard ways.count <= 1 else {
            throw PersistenceError(
                .invalidModel,
                "the column \(name) is declared to be stored in several ways: by \(ways.joined(separator: " and "))",
                model: modelName, key: key, found: type)
        }
        func wrong(_ wanted: String, _ expected: any Any.Type) -> PersistenceError {
            PersistenceError(
                .unsupportedType, "the column \(name) is declared .stored(as:), which is for \(wanted)",
                model: modelName,
                key: key, expected: expected, found: type)
        }
        guard declaration.dateStorage == nil || value == Date.self else { throw wrong("dates", Date.self) }
        guard declaration.uuidStorage == nil || uuidCodec(for: value, .text) != nil else {
            throw wrong("UUIDs", UUID.self)
        }
    }
}
