extension ColumnDeclaration {
    /// A column for a property by its key path: its own getter and setter run, so a computed property can be stored,
    /// or one whose type is another in the database.
    ///
    /// The column's key is the stored property that belongs to the column's name; for a computed one say
    /// ``property(_:)``, or else it is the column's name in camel case: BACK_COLOR gives backColor.
    ///
    /// A type that no column can hold is rejected when the class is first used, unless the class's transforms know it.
    ///
    /// - Parameter keyPath: A property of the class, or of one that it inherits from.
    public static func path<Model: PersistingModel, Value>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable
    ) -> ColumnDeclaration {
        ColumnDeclaration(PathColumn(keyPath))
    }

    /// A column for a property by its key path, with a transform between the property's type and the stored one.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the class, or of one that it inherits from.
    ///   - transform: What is stored of its values.
    @_disfavoredOverload
    public static func path<Model: PersistingModel, Value>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, transform: Transform<Value>
    ) -> ColumnDeclaration {
        ColumnDeclaration(PathColumn(keyPath)).transformed(by: transform)
    }

    /// A column for an Optional property by its key path, with a transform between the type it wraps and the stored
    /// one. Nil is NULL.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the class, or of one that it inherits from.
    ///   - transform: What is stored of its values.
    public static func path<Model: PersistingModel, Wrapped>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Wrapped?> & Sendable, transform: Transform<Wrapped>
    ) -> ColumnDeclaration {
        ColumnDeclaration(PathColumn(keyPath)).transformed(by: transform)
    }
}

/// A property that a column stores by its key path.
struct PathColumn: Sendable {
    /// The class that the key path begins with.
    let modelType: PersistingModel.Type
    let valueType: any Any.Type
    let keyPath: any AnyKeyPath & Sendable
    /// Whether a class is the one that the key path begins with, or inherits from it.
    let begins: @Sendable (PersistingModel.Type) -> Bool
    /// Makes a codec of the property's type one that reads and writes it by the key path.
    let codec: @Sendable (any FieldCodec) -> (any FieldCodec)?

    init<Model: PersistingModel, Value>(_ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable) {
        modelType = Model.self
        valueType = Value.self
        self.keyPath = keyPath
        begins = { $0 is Model.Type }
        codec = { ($0 as? any FieldCodec<Value>).map { PathCodec(keyPath: keyPath, wrapped: $0) } }
    }
}

/// The codec of a property that is read and written by its key path.
struct PathCodec<Model: PersistingModel, Value>: FieldCodec {
    let keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable
    let wrapped: any FieldCodec<Value>
    var columnType: ColumnType { wrapped.columnType }
    var storesOwnForm: Bool { wrapped.storesOwnForm }
    var asksForNil: Bool { wrapped.asksForNil }
    var keepsOrder: Bool { wrapped.keepsOrder }
    var keepsSums: Bool { wrapped.keepsSums }
    var dateForm: DateStorage? { wrapped.dateForm }
    var comparedForm: ComparedForm { wrapped.comparedForm }
    var ownForm: OwnForm? { wrapped.ownForm }
    var isOfBytesAlone: Bool { false }
    func encode(_ value: Value) throws -> SQLiteValue { try wrapped.encode(value) }
    func decode(_ stored: SQLiteValue) throws -> Value { try wrapped.decode(stored) }
    func value(given stored: SQLiteValue) throws -> Value { try wrapped.value(given: stored) }
    func read(_ object: Memory, at offset: Int) -> Value { object.object(as: Model.self)[keyPath: keyPath] }

    func write(_ value: Value, to object: Memory, at offset: Int) {
        object.object(as: Model.self)[keyPath: keyPath] = value
    }
}
