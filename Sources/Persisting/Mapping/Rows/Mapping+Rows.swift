/// Rows into objects and objects into rows, a field at a time.
extension Mapping {
    /// Fills an object from a row, and adds its tracked values to `trackedRows`.
    ///
    /// It does not run `didSet`, as an initializer does not.
    ///
    /// - Parameters:
    ///   - fields: The mapping's, with the columns' places in the row.
    ///   - column: The value at a place in the row, read at the same index.
    /// - Throws: ``PersistenceError`` that names the column. The object is to be thrown away.
    @inline(__always)
    func fill<Source: ColumnSource, Column: ColumnSource>(
        _ object: PersistingModel, from source: borrowing Source, trackedRows: TrackedRows,
        fields: ContiguousArray<Field>, column: (Int) -> Column
    ) throws {
        let isTracking = trackedRows.isTracking
        let memory = Memory(object)
        let trackedValues = trackedRows.next
        var index = 0
        do {
            while index < fields.count {
                let field = fields[index]
                let isTracked = isTracking || field.isKept
                if field.position < 0 {
                    try leaveUnread(index, of: object, trackedValues: isTracked ? trackedValues : nil)
                } else if field.kind == .custom {
                    let position = Int(field.position)
                    let stored = try column(position).value(at: position)
                    try fill(memory, index, with: stored, trackedValues: isTracked ? trackedValues : nil)
                } else {
                    let position = Int(field.position)
                    var visitor = Fill(
                        column: column(position), position: position, field: field, memory: memory,
                        trackedValues: trackedValues, isTracked: isTracked)
                    try field.kind.visit(&visitor)
                }
                index += 1
            }
            trackedRows.commit()
        } catch {
            trackedRows.abandon(upTo: index)
            throw columns[index].failure(error, self, stored: source.storageClass(at: Int(fields[index].position)))
                .adding(rowKey: rowKey(in: source, fields))
        }
    }

    /// Fills a custom property.
    private func fill(_ object: Memory, _ index: Int, with stored: SQLiteValue, trackedValues: Memory?) throws {
        let field = fields[index]
        let codec = columns[index].codec
        if !field.keepsDefaultOnNull || !stored.isNull {
            try codec.assign(stored: stored, to: object, at: field.offset)
        }
        guard let trackedValues else { return }
        if codec.tracksGivenForm, !field.isKey, !stored.isNull {
            trackedValues.initialize(stored, at: field.trackedOffset)
            return
        }
        // As this class writes the value, which another writer may have put differently; but a key as it is.
        let own = try codec.stored(in: object, at: field.offset)
        trackedValues.initialize(field.isKey ? try keptKey(index, stored, own) : own, at: field.trackedOffset)
    }

    /// What a row has for a column of its key. Keys are found by what is stored, so JSON in another form isn't read.
    ///
    /// - Parameter own: What this class would write for the value.
    private func keptKey(_ index: Int, _ stored: SQLiteValue, _ own: SQLiteValue) throws -> SQLiteValue {
        if case .normalized = operands[index].comparedForm { try OwnForm.json.check(stored, own) }
        return stored
    }

    /// The key of a row for an error: as far as it can be read.
    private func rowKey<Source: ColumnSource>(
        in source: borrowing Source, _ fields: ContiguousArray<Field>
    ) -> [(column: Column, value: SQLiteValue)] {
        var key: [(column: Column, value: SQLiteValue)] = []
        for index in self.key {
            let position = Int(fields[index].position)
            // Invalid text doesn't stop the other differences from being reported.
            if position >= 0, let value = try? source.value(at: position) { key.append((columns[index], value)) }
        }
        return key
    }

    /// Leaves a property whose column the row does not have: a deferred one is nil, any other what `init()` made it.
    /// The tracked values hold the same, so that a save does not write it.
    private func leaveUnread(_ index: Int, of object: PersistingModel, trackedValues: Memory?) throws {
        if fields[index].isDeferred {
            try naming(index) {
                try columns[index].codec.assign(stored: .null, to: Memory(object), at: fields[index].offset)
            }
        }
        guard let trackedValues else { return }
        var visitor = InitializeFromObject(
            object: Memory(object), trackedValues: trackedValues, field: fields[index], codec: columns[index].codec)
        try fields[index].kind.visit(&visitor)
    }

    /// Binds columns of tracked values to parameters, in order. See `Statement.bindAll`.
    ///
    /// - Parameter first: The first parameter.
    /// - Returns: The next parameter.
    func bind<Sink: ParameterSink>(
        _ trackedValues: Memory, _ columns: ColumnSet, to sink: Sink, from first: Int = 1
    ) throws -> Int {
        var parameter = first
        for index in columns {
            try bind(index, of: trackedValues, to: sink, at: parameter)
            parameter &+= 1
        }
        return parameter
    }

    /// Binds the key in tracked values to parameters, in its order.
    ///
    /// - Returns: The next parameter.
    func bindKey<Sink: ParameterSink>(of trackedValues: Memory, to sink: Sink, from parameter: Int) throws -> Int {
        // By place: to go through an array counts a reference to it.
        for place in 0..<key.count { try bind(key[place], of: trackedValues, to: sink, at: parameter &+ place) }
        return parameter &+ key.count
    }

    @inline(__always)
    private func bind<Sink: ParameterSink>(_ index: Int, of trackedValues: Memory, to sink: Sink, at parameter: Int)
        throws
    {
        let field = fields[index]
        try naming(index) {
            if field.kind == .custom {
                try sink.bind(value: trackedValues.read(SQLiteValue.self, at: field.trackedOffset), at: parameter)
            } else {
                var visitor = Bind(
                    trackedValues: trackedValues, offset: field.trackedOffset, sink: .passUnretained(sink),
                    parameter: parameter)
                try field.kind.visit(&visitor)
            }
        }
    }

    /// Runs `body`, and names the column in what it throws.
    @inline(__always)
    func naming<T>(_ index: Int, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            throw columns[index].failure(error, self)
        }
    }

    /// Whether a column's value in an object differs from the tracked one.
    func differs(_ index: Int, _ object: PersistingModel, _ trackedValues: Memory) throws -> Bool {
        let memory = Memory(object)
        return try !memory.hasSameBytes(as: trackedValues, fields[index]) && !isSame(index, memory, trackedValues)
            && index != version
    }

    /// Whether one of the columns has a value in an object that differs from the tracked one; see ``changes(_:_:)``.
    func hasChanges(_ object: PersistingModel, _ trackedValues: Memory) throws -> Bool {
        var hasChanges = false
        try compare(object, trackedValues) { _ in
            hasChanges = true
            return false
        }
        return hasChanges
    }

    /// The columns whose values in an object differ from the tracked ones. The version is the library's own, whatever
    /// the property holds.
    func changes(_ object: PersistingModel, _ trackedValues: Memory) throws -> ColumnSet {
        var changed = ColumnSet()
        try compare(object, trackedValues) {
            changed.insert($0)
            return true
        }
        return changed
    }

    /// Calls `found` with each column that differs, until it returns false.
    @inline(__always)
    private func compare(_ object: PersistingModel, _ trackedValues: Memory, _ found: (Int) -> Bool) throws {
        let memory = Memory(object)
        var index = 0
        while true {
            // Equal bytes are the rule, and cost no look into a text or a blob.
            fields.withUnsafeBufferPointer { fields in
                while index < fields.count, memory.hasSameBytes(as: trackedValues, fields[index]) { index &+= 1 }
            }
            if index == fields.count { return }
            let differs: Bool
            do {
                differs = try !isSame(index, memory, trackedValues)
            } catch let error as PersistenceError {
                throw error.adding(rowOf: object)
            }
            if differs, index != version, !found(index) { return }
            index &+= 1
        }
    }

    private func isSame(_ index: Int, _ memory: Memory, _ trackedValues: Memory) throws -> Bool {
        var visitor = Compare(
            memory: memory, trackedValues: trackedValues, mapping: self, index: index, field: fields[index])
        try naming(index) { try visitor.field.kind.visit(&visitor) }
        return visitor.isSame
    }

    /// The columns to write of an object of whose row nothing is known but the key: all but the deferred ones that hold
    /// nil, since they may never have been loaded, and the version.
    func columnsToWrite(of object: PersistingModel) throws -> ColumnSet {
        var written = allColumns
        if let version { written.remove(version) }
        if let rowID { written.remove(rowID) }
        for index in deferred where try isNull(index, of: object) { written.remove(index) }
        return written
    }

    /// The same without the key that the row has, which stays as it is stored, perhaps in another form than the class's.
    func columnsToUpdate(of object: PersistingModel) throws -> ColumnSet {
        var written = try columnsToWrite(of: object)
        guard let known = object.record.trackedKey, object.record.trackedRows?.mapping === self else { return written }
        for index in key where try !differs(index, object, known) { written.remove(index) }
        return written
    }

    /// A column's value in an object.
    func value(_ index: Int, of object: PersistingModel) -> Any? {
        flattened(columns[index].codec.value(in: Memory(object), at: fields[index].offset))
    }

    /// The stored form of a column's value in an object.
    package func stored(_ index: Int, of object: PersistingModel) throws -> SQLiteValue {
        return try naming(index) { try columns[index].codec.stored(in: Memory(object), at: fields[index].offset) }
    }

    /// The stored form of a column's tracked value.
    func stored(_ index: Int, in trackedValues: Memory) throws -> SQLiteValue {
        var visitor = StoredTrackedValue(trackedValues: trackedValues, field: fields[index])
        try naming(index) { try fields[index].kind.visit(&visitor) }
        return visitor.stored
    }

    /// A value that was read, as a property takes it and as the tracked values are to hold it: as this class writes the
    /// value, which another writer may have put differently; but a key as it is.
    func taken(_ stored: SQLiteValue, _ index: Int) throws -> SQLiteValue {
        if stored.isNull, fields[index].keepsDefaultOnNull { return try self.stored(index, of: modelType.init()) }
        let canonical = try naming(index) { try columns[index].codec.canonical(stored) }
        return fields[index].isKey ? try naming(index) { try keptKey(index, stored, canonical) } : canonical
    }

    /// Puts a value of any type into a property.
    func assign(_ value: Any?, to index: Int, of object: PersistingModel) throws {
        if index == rowID { try checkWritable(index) }
        do {
            try setting(index, of: object) {
                try columns[index].codec.assign(value, to: Memory(object), at: fields[index].offset)
            }
        } catch {
            throw columns[index].error(for: value, .typeMismatch, error, self)
        }
    }

    /// Whether a column's tracked value is NULL.
    @inline(__always)
    func isNull(_ index: Int, in trackedValues: Memory) -> Bool {
        isNull(fields[index], trackedValues, at: fields[index].trackedOffset)
    }

    /// Whether tracked values lack a value of the key.
    @inline(__always)
    func lacksKey(_ trackedValues: Memory) -> Bool {
        for place in 0..<key.count where isNull(key[place], in: trackedValues) { return true }
        return false
    }

    /// Whether a property is stored as NULL.
    package func isNull(_ index: Int, of object: PersistingModel) throws -> Bool {
        fields[index].kind == .custom
            ? try stored(index, of: object).isNull : isNull(fields[index], Memory(object), at: fields[index].offset)
    }

    @inline(__always)
    private func isNull(_ field: Field, _ memory: Memory, at offset: Int) -> Bool {
        var visitor = IsNull(memory: memory, offset: offset)
        // A look at a value has nothing to throw.
        try? field.kind.visit(&visitor)
        return visitor.isNull
    }

    /// Puts a stored value into tracked values.
    func assign(stored: SQLiteValue, to index: Int, in trackedValues: Memory) throws {
        var visitor = AssignStored(stored: stored, memory: trackedValues, offset: fields[index].trackedOffset)
        try naming(index) { try fields[index].kind.visit(&visitor) }
    }

    /// Puts a stored value into a property.
    package func assign(stored: SQLiteValue, to index: Int, of object: PersistingModel) throws {
        try naming(index) {
            try setting(index, of: object) {
                if fields[index].kind == .custom {
                    try columns[index].codec.assign(stored: stored, to: Memory(object), at: fields[index].offset)
                } else {
                    var visitor = AssignStored(stored: stored, memory: Memory(object), offset: fields[index].offset)
                    try fields[index].kind.visit(&visitor)
                }
            }
        }
    }

    /// Puts the key that SQLite has made into tracked values, and into the object, unless its property, which was nil,
    /// has been set meanwhile.
    func assign(_ key: Int64, to index: Int, of object: PersistingModel, _ trackedValues: Memory) throws {
        let field = fields[index]
        if field.kind == .optionalInt64 {
            let memory = Memory(object)
            trackedValues.assign(Int64?.some(key), at: field.trackedOffset)
            if memory.read(Int64?.self, at: field.offset) == nil {
                setting(index, of: object) { memory.assign(Int64?.some(key), at: field.offset) }
            }
        } else {
            try assign(stored: .integer(key), to: index, in: trackedValues)
            if try isNull(index, of: object) { try assign(stored: .integer(key), to: index, of: object) }
        }
    }

    /// Puts a value of a property's own type into it. Faster than by its key path, where that leads straight there.
    func set<Value>(_ value: Value, at index: Int, of object: PersistingModel) {
        setting(index, of: object) { Memory(object).assign(value, at: fields[index].offset) }
    }

    /// Gives an object all of the tracked values.
    func assign(_ trackedValues: Memory, to object: PersistingModel) throws {
        for index in columns.indices { try assign(stored: stored(index, in: trackedValues), to: index, of: object) }
    }

    /// Copies a property from one object to another of the same class. Observers hear of it if the value is another.
    func copy(_ index: Int, from source: PersistingModel, to target: PersistingModel) {
        let offset = fields[index].offset
        func copy() { columns[index].codec.copy(from: Memory(source), to: Memory(target), at: offset) }
        if observedColumns != nil, let old = try? stored(index, of: target), old == (try? stored(index, of: source)) {
            copy()
        } else {
            setting(index, of: target, copy)
        }
    }
}

/// Reads a column into a property, and into the tracked values where they hold it.
private struct Fill<Source: ColumnSource>: FieldVisitor {
    let column: Source
    let position: Int
    let field: Field
    let memory: Memory
    let trackedValues: Memory
    let isTracked: Bool

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) throws {
        let storageClass = column.storageClass(at: position)
        if field.keepsDefaultOnNull, storageClass == .null {
            if isTracked { trackedValues.initialize(memory.read(type, at: field.offset), at: field.trackedOffset) }
            return
        }
        let value = try T.decode(position, storageClass, of: column)
        if isTracked { trackedValues.initialize(value, at: field.trackedOffset) }
        memory.assign(value, at: field.offset)
    }

    // Whatever takes the visitor's address keeps it in memory; `Mapping.fill` sees to these columns.
    @inline(__always)
    mutating func visitCustom() {}
}

private struct InitializeFromObject: FieldVisitor {
    let object: Memory
    let trackedValues: Memory
    let field: Field
    let codec: any FieldCodec

    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        trackedValues.initialize(object.read(type, at: field.offset), at: field.trackedOffset)
    }

    mutating func visitCustom() throws {
        trackedValues.initialize(try codec.stored(in: object, at: field.offset), at: field.trackedOffset)
    }
}

private struct Bind<Sink: ParameterSink>: FieldVisitor {
    let trackedValues: Memory
    let offset: Int
    // Who binds has the sink: no reference to it is counted.
    let sink: Unmanaged<Sink>
    let parameter: Int

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) throws {
        try sink._withUnsafeGuaranteedRef { try trackedValues.bind(type, at: offset, to: $0, at: parameter) }
    }

    // Whatever takes the visitor's address keeps it in memory; `Mapping.bind` sees to these columns.
    @inline(__always)
    mutating func visitCustom() {}
}

private struct StoredTrackedValue: FieldVisitor {
    let trackedValues: Memory
    let field: Field
    var stored = SQLiteValue.null

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) throws {
        stored = try trackedValues.read(type, at: field.trackedOffset).sqliteValue()
    }

    mutating func visitCustom() {
        stored = trackedValues.read(SQLiteValue.self, at: field.trackedOffset)
    }
}

private struct IsNull: FieldVisitor {
    let memory: Memory
    let offset: Int
    var isNull = false

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) { isNull = memory.read(type, at: offset).isNull }
    mutating func visitCustom() { isNull = memory.read(SQLiteValue.self, at: offset).isNull }
}

private struct AssignStored: FieldVisitor {
    let stored: SQLiteValue
    let memory: Memory
    let offset: Int

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) throws {
        memory.assign(try T.decode(stored), at: offset)
    }

    mutating func visitCustom() {
        memory.assign(stored, at: offset)
    }
}

private struct Compare: FieldVisitor {
    let memory: Memory
    let trackedValues: Memory
    // The one that compares.
    unowned(unsafe) let mapping: Mapping
    let index: Int
    let field: Field
    var isSame = false

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        isSame = memory.isSame(type, at: field.offset, as: trackedValues, at: field.trackedOffset)
    }

    mutating func visitCustom() throws {
        let codec = mapping.columns[index].codec
        let known = trackedValues.read(SQLiteValue.self, at: field.trackedOffset)
        let current = try codec.stored(in: memory, at: field.offset)
        // A key, and JSON, may be stored in another form than this class writes.
        let mayDiffer = !known.isNull && (field.isKey || codec.mayHaveOtherForm)
        isSame =
            try current == known
            || mayDiffer && codec.isSame(known, as: current, in: memory, at: field.offset)
    }
}
