internal import Foundation

/// What a class says of itself, found by reflection and checked: the draft of a ``Mapping``.
struct ModelDescription {
    let modelType: PersistingModel.Type
    let modelName: String
    let tableName: String
    /// Nil for `main`.
    let schemaName: String?
    let dates: DateStorage
    let transforms: [AnyTransform]
    let schemaKey: SchemaKey?
    private(set) var columns: [Column] = []
    /// The columns as CREATE TABLE declares them, except for a composite key.
    private(set) var definitions: [ColumnDefinition] = []
    private(set) var indicesByKey = NameIndex()
    private(set) var kinds: [FieldKind] = []
    private(set) var offsets: [Int] = []
    private(set) var keepsDefaultOnNull: [Bool] = []
    private(set) var key: [Int] = []
    private(set) var isKeyGenerated = false
    private(set) var indexes: [IndexDefinition] = []
    private(set) var virtualKeys: [VirtualKey] = []
    private(set) var automaticColumns = AutomaticColumns()
    private(set) var declaredKeyPaths: [(keyPath: AnyKeyPath, key: String)] = []
    /// Whether the class or one above it is `@Observable`.
    private(set) var isObservable = false

    /// - Throws: ``PersistenceError`` that says what is wrong with the class, in words for whoever wrote it.
    init(_ type: PersistingModel.Type, dates: DateStorage, schemaKey: SchemaKey?) throws {
        modelType = type
        modelName = Self.name(of: type)
        tableName = type.tableName
        schemaName = type.schemaName.flatMap { isSameName($0, "main") ? nil : $0 }
        self.dates = dates
        transforms = type.transforms
        self.schemaKey = schemaKey
        guard !tableName.isEmpty else { throw failure(.invalidModel, "tableName is empty") }
        guard schemaName?.isEmpty != true else {
            throw failure(.invalidModel, "schemaName is empty: return nil for the main database")
        }

        // Two objects as init() makes them: to look into, and to see whether they agree.
        let prototypes = (type.init(), type.init())
        let properties = Self.properties(of: type)
        isObservable = properties.contains(where: \.isObserved)
        try checkTransientKeys(type, properties)
        var chosen = try choose(type, properties)
        guard !chosen.isEmpty else { throw failure(.invalidModel, "the class has no property to store") }
        if type.primaryKey.kind == .rowID { chosen.append(rowIDChoice(besides: chosen)) }
        makeRoom(for: chosen.count)
        for choice in chosen { try add(choice) }
        try checkUnique()
        (key, isKeyGenerated) = try foundKey(type.primaryKey)
        try checkTableOptions()
        try checkGenerated()
        for index in key { kinds[index] = kinds[index].ofKey(keepsDefaultOnNull: keepsDefaultOnNull[index]) }
        automaticColumns = try AutomaticColumns(of: self)
        let search = KeyPathSearch(modelType: type, columns: columns, offsets: offsets)
        indexes = try type.indexes.map { try IndexDefinition($0, tableName, search, modelName) }
        definitions = try columns.indices.map { try definition($0, prototypes) }
        try prove(chosen, prototypes.0)
        virtualKeys = try VirtualKey.all(of: self)
        for virtual in virtualKeys {
            if let keyPath = virtual.keyPath { declare(keyPath, virtual.key) }
        }
    }

    /// Holds the places of the properties against those that `Mirror` says.
    private func prove(_ chosen: [Choice], _ prototype: PersistingModel) throws {
        var proof = LayoutProof(modelName, prototype)
        for (choice, kind) in zip(chosen, kinds) {
            if let property = choice.property { try proof.check(property, kind) }
        }
        try proof.checkPlaces()
    }

    /// The class's name without its module, and without the type it is nested in.
    static func name(of type: any Any.Type) -> String {
        // What String(describing:) gives, which first asks the runtime for five conformances.
        _typeName(type, qualified: false)
    }

    /// The class's name as a word: that of a generic class has its arguments in it, `Box<Int>` gives BoxInt.
    static func word(of type: PersistingModel.Type) -> String {
        let name = name(of: type)
        // That of most classes is one.
        if name.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0 | 32) || $0 == 95 }) { return name }
        return name.filter { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    func failure(_ code: PersistenceError.Code, _ message: String, key: String? = nil) -> PersistenceError {
        PersistenceError(code, message, model: modelName, key: key)
    }
}

extension [Column] {
    /// The place of a column whose key the class names.
    ///
    /// - Parameter what: The words before the key in the error, such as "primaryKey names".
    func index(ofKey key: String, _ what: String, _ modelName: String) throws -> Int {
        if let index = firstIndex(where: { $0.key == key }) { return index }
        let known = map(\.key).joined(separator: ", ")
        throw PersistenceError(
            .unknownKey, "\(what) \"\(key)\", which has no column; there is: \(known)", model: modelName, key: key)
    }
}

/// A stored property that a column could store.
struct ModelProperty {
    /// The property's name; of the storage `_title` in an Observable class it is title.
    let key: String
    let stored: StoredProperty
    /// Whether it is one of an Observable class.
    var isObserved = false
}

/// Which properties, in which columns.
extension ModelDescription {
    /// The stored properties that can be columns: strongly held variables whose names do not begin with an underscore,
    /// `lazy` ones left out.
    private static func properties(of type: PersistingModel.Type) -> [ModelProperty] {
        var result: [ModelProperty] = []
        for owner in lineage(of: type, below: PersistingModel.self) {
            let own = owner == type ? storedProperties(of: owner) : InheritedProperties.shared.properties(of: owner)
            let isObservable = own.contains { $0.name == "_$observationRegistrar" }
            for property in own where property.isStrongVariable && !property.name.hasPrefix("$") {
                if !property.name.hasPrefix("_") {
                    result.append(ModelProperty(key: property.name, stored: property))
                } else if isObservable, !property.name.hasPrefix("_$"), !property.name.hasPrefix("__") {
                    let key = String(property.name.dropFirst())
                    result.append(ModelProperty(key: key, stored: property, isObserved: true))
                }
            }
        }
        return result
    }

    private func checkTransientKeys(_ type: PersistingModel.Type, _ properties: [ModelProperty]) throws {
        for key in type.transientKeys.sorted() where !properties.contains(where: { $0.key == key }) {
            throw failure(
                .unknownKey, "transientKeys names \"\(key)\", which isn't a stored variable of the class", key: key)
        }
    }

    /// A column, and what it stores.
    private struct Choice {
        let name: String
        let key: String
        /// Nil for a column that reads and writes by a key path.
        let property: ModelProperty?
        let declaration: ColumnDeclaration

        /// The property's type.
        var type: any Any.Type { declaration.path?.valueType ?? property?.stored.type ?? Never.self }
    }

    private func choose(_ type: PersistingModel.Type, _ properties: [ModelProperty]) throws -> [Choice] {
        let (naming, declared) = (type.naming, type.columns)
        let choices = try declared.elements.map { name, declaration in
            try choose(name, declaration, naming, properties)
        }
        guard declared.isAutomatic else { return choices }
        let transient = type.transientKeys
        for (position, choice) in choices.enumerated() {
            let isSecond = choices[..<position].contains { $0.key == choice.key }
            guard !isSecond, !transient.contains(choice.key) else {
                throw failure(
                    .invalidModel,
                    "columns declares \(choice.name), which stores a property that "
                        + (isSecond ? "another column stores" : "transientKeys lists"), key: choice.key)
            }
        }
        let stored = properties.filter { !transient.contains($0.key) }.map { property in
            choices.first { $0.key == property.key }
                ?? Choice(
                    name: naming.column(property.key), key: property.key, property: property, declaration: .any)
        }
        // Computed ones are in no list of Swift's.
        return stored + choices.filter { choice in !properties.contains { $0.key == choice.key } }
    }

    /// The column that a class declares, with the property that belongs to it.
    private func choose(
        _ name: String, _ declaration: ColumnDeclaration, _ naming: Naming, _ properties: [ModelProperty]
    ) throws -> Choice {
        let property =
            if let wanted = declaration.propertyName {
                properties.first { $0.key == wanted }
            } else {
                properties.first { naming.column($0.key) == name }
                    ?? properties.first { asciiLowercased(naming.column($0.key)) == asciiLowercased(name) }
                    ?? properties.first { $0.key == name }
            }
        if declaration.path != nil {
            let key = declaration.propertyName ?? property?.key ?? NameText.camelCase(name)
            return Choice(name: name, key: key, property: nil, declaration: declaration)
        }
        guard let property else {
            let known = properties.map(\.key).joined(separator: ", ")
            throw failure(
                .unknownKey,
                "no stored variable belongs to the column \(name)"
                    + (declaration.propertyName.map { ", which names \"\($0)\"" } ?? "")
                    + ": the class has \(known); name one by .property(\"…\")", key: name)
        }
        return Choice(name: name, key: property.key, property: property, declaration: declaration)
    }

    private func rowIDChoice(besides chosen: [Choice]) -> Choice {
        let taken = Set(chosen.map { asciiLowercased($0.name) })
        let name = RowIDColumn.names.first { !taken.contains($0) } ?? RowIDColumn.names[0]
        return Choice(name: name, key: RowIDColumn.key, property: nil, declaration: .rowID)
    }

    private mutating func checkUnique() throws {
        var indicesByName = NameIndex()
        indicesByName.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() {
            if let other = indicesByName.add(asciiLowercased(column.name), at: index) {
                let other = columns[other]
                throw failure(
                    .invalidModel,
                    "the properties \(other.key) and \(column.key) have the same column, \(column.name): name one of them by "
                        + "overriding columns, or list one in transientKeys", key: column.key)
            }
            if let other = indicesByKey.add(column.key, at: index) {
                throw failure(
                    .invalidModel, "the columns \(columns[other].name) and \(column.name) store the same property",
                    key: column.key)
            }
        }
    }
}

/// Types.
extension ModelDescription {
    private mutating func makeRoom(for count: Int) {
        columns.reserveCapacity(count)
        kinds.reserveCapacity(count)
        offsets.reserveCapacity(count)
        keepsDefaultOnNull.reserveCapacity(count)
        indicesByKey.reserveCapacity(count)
    }

    private mutating func add(_ choice: Choice) throws {
        let (name, key, declaration) = (choice.name, choice.key, choice.declaration)
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw failure(.invalidModel, "\"\(name)\" can't be the name of a column", key: key)
        }
        let type = choice.type
        let codec = try codec(choice)
        columns.append(Column(name: name, key: key, type: type, codec: codec, declaration: declaration))
        kinds.append(codec.isOwnForm ? FieldKind(type) : .custom)
        offsets.append(choice.property?.stored.offset ?? 0)
        keepsDefaultOnNull.append(declaration.nullHandling == .default && !isOptional(type))
        if let path = declaration.path { declare(path.keyPath, key) }
    }

    private mutating func declare(_ keyPath: AnyKeyPath, _ key: String) {
        declaredKeyPaths.removeAll { $0.keyPath == keyPath }
        declaredKeyPaths.append((keyPath, key))
    }

    /// The codec for what a column stores.
    private func codec(_ choice: Choice) throws -> any FieldCodec {
        let (name, declaration) = (choice.name, choice.declaration)
        if let path = declaration.path, !path.begins(modelType) {
            throw failure(
                .invalidModel,
                "the column \(name) is declared by a key path of another class, "
                    + "\(source: path.modelType)",
                key: choice.key)
        }
        let plain = try codec(for: choice.type, declaration, column: name, key: choice.key)
        let codec = declaration.path.map { path in plain.flatMap { path.codec($0) } } ?? plain
        guard let codec else {
            throw PersistenceError(
                .unsupportedType, noColumn(for: choice.type, declaration, name, choice.key), model: modelName,
                key: choice.key, found: choice.type)
        }
        try check(declaration, fits: choice.type, codec, name, choice.key)
        return codec
    }
}
