extension PersistenceManager {
    /// Runs one query, which by itself sees one moment and needs no transaction.
    func reading<T>(_ table: ModelTable, _ body: (any EngineConnection) throws -> T) throws -> T {
        try table.mapping.naming {
            try engine.query { db in
                try table.check(db)
                return try body(db)
            }
        }
    }

    /// Runs one statement that writes, which is atomic by itself.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` for a view.
    func writing<T>(_ table: ModelTable, _ body: (any EngineConnection) throws -> T) throws -> T {
        try table.mapping.naming {
            try engine.withoutTransaction { db in
                lookForSchemaOfOthers(db)
                try table.checkForWriting(db)
                return try table.whole(db) { try body(db) }
            }
        }
    }

    /// The object of the row with a key. A table that does not have the key as its own may have several: it is the
    /// first.
    package func object(
        _ type: PersistingModel.Type, _ table: ModelTable, _ key: some Collection<SQLiteValue>
    ) throws -> PersistingModel? {
        try reading(table) { db in
            guard db.isNotingReads else { return try object(type, table.mapping, key, db) }
            return try notingRows(of: table, db) { [try object(type, table.mapping, key, db)] }[0]
        }
    }

    /// Runs `body`, which looks for rows by their keys, for those who want to know what is read.
    ///
    /// - Parameter body: Returns an object for each row, nil where there is none.
    func notingRows(
        of table: ModelTable, _ db: any EngineConnection, _ body: () throws -> [PersistingModel?]
    ) throws -> [PersistingModel?] {
        let mapping = table.mapping
        let columns = mapping.key.map { mapping.columns[$0].name }
        return try db.notingRead(of: mapping.recordedName, by: columns) { (found: [PersistingModel?]) in
            var keys: Set<[SQLiteValue]> = []
            for object in found {
                guard let object, let trackedValues = object.record.trackedValues else { return nil }
                let mapping = try Mapping.of(object)
                keys.insert(try mapping.key.map { try mapping.stored($0, in: trackedValues) })
            }
            return keys
        } _: {
            try body()
        }
    }

    /// The object of the row with a key, if it is of just this class: what another object of the row takes over.
    ///
    /// - Throws: ``PersistenceError/Code/conflict`` for several rows with the key.
    func row(
        of type: PersistingModel.Type, _ table: ModelTable, _ key: some Collection<SQLiteValue>
    ) throws -> PersistingModel? {
        let mapping = table.mapping
        if mapping.mayHaveNullInKey, key.contains(where: \.isNull) {
            let count = try reading(table) { db in
                try db.scalar(SQL(mapping.sql.select("count(*)")), Arguments(Array(key)), as: Int.self) ?? 0
            }
            if count > 1 { throw mapping.severalRows(count, Array(key)) }
        }
        guard let object = try object(type, table, key), Swift.type(of: object) == type else { return nil }
        return object
    }

    private func object(
        _ type: PersistingModel.Type, _ mapping: Mapping, _ key: some Collection<SQLiteValue>,
        _ db: any EngineConnection
    ) throws -> PersistingModel? {
        switch try db.statement(mapping.sql.selectByKey) {
        case .local(let statement): try object(type, mapping, key, statement)
        case .other(let statement): try object(type, mapping, key, statement)
        }
    }

    private func object(
        _ type: PersistingModel.Type, _ mapping: Mapping, _ key: some Collection<SQLiteValue>,
        _ statement: some EngineStatement
    ) throws -> PersistingModel? {
        defer { statement.clear() }
        for (position, value) in key.enumerated() { try statement.bind(value: value, at: position + 1) }
        guard try statement.step() else { return nil }
        let fetch = FetchTraits(isTogether: try mapping.mayBeRelated)
        if mapping.hasSubclasses {
            var rows = RowObjects.selected(by: mapping, self, tracked: true, expecting: 1, fetch: fetch)
            return try rows.object(from: statement)
        }
        return try TrackedRows(self, mapping, capacity: 1, fetch: fetch).object(from: statement)
    }

    /// The objects of the rows of a SELECT of the mapping's columns, in order.
    func objects(
        _ type: PersistingModel.Type, _ mapping: Mapping, _ sql: CriteriaSQL, _ db: any EngineConnection, tracked: Bool,
        fetch: FetchTraits = FetchTraits()
    ) throws -> ContiguousArray<PersistingModel> {
        switch try db.statement(CachedSQL(sql.text)) {
        case .local(let statement): try objects(type, mapping, sql, statement, tracked: tracked, fetch)
        case .other(let statement): try objects(type, mapping, sql, statement, tracked: tracked, fetch)
        }
    }

    private func objects(
        _ type: PersistingModel.Type, _ mapping: Mapping, _ sql: CriteriaSQL, _ statement: some EngineStatement,
        tracked: Bool, _ fetch: FetchTraits
    ) throws -> ContiguousArray<PersistingModel> {
        try sql.bind(to: statement)
        defer { statement.clear() }
        var objects: ContiguousArray<PersistingModel> = []
        objects.reserveCapacity(RowObjects.expected)
        var rows = RowObjects.selected(by: mapping, self, tracked: tracked, fetch: fetch)
        while try statement.step() { objects.append(try rows.object(from: statement)) }
        return objects
    }

    /// The key under which an object's row is stored: the tracked one, even if the property has changed since.
    func storedKey(
        of object: PersistingModel, to verb: String
    ) throws -> (table: ModelTable, key: [SQLiteValue]) {
        let row = try knownRow(of: object, to: verb)
        if row.table.mapping.rowID != nil { try reading(row.table) { db in try row.checkIsSameRow(db) } }
        return (row.table, try row.key)
    }

    /// An object's state as far as this manager's database is concerned: one that came from another is new here.
    func state(of object: PersistingModel) -> Record.State {
        object.ofRows { $0.manager === self } == true ? object.record.state : .new
    }

    /// What is known of the row of an object that is in the table.
    func knownRow(of object: PersistingModel, to verb: String) throws -> KnownRow {
        try knownRow(of: object, to: verb, in: table(of: type(of: object)))
    }

    /// What is known of the row of an object that is in the table.
    ///
    /// - Parameter table: That of its class.
    func knownRow(of object: PersistingModel, to verb: String, in table: consuming ModelTable) throws -> KnownRow {
        if table.mapping.key.isEmpty { try table.mapping.requireKey() }
        guard state(of: object) == .persisted, let trackedRows = object.record.trackedRows else {
            throw table.mapping.notPersisted(object, to: verb)
        }
        if trackedRows.fetch.past != nil { throw table.mapping.isOfPast(object, to: verb) }
        // Only the mapping that made tracked values can read them.
        guard trackedRows.mapping === table.mapping else { throw table.mapping.keyHasChanged() }
        // An object of a row of SQL did not need the table, which says what columns are not to be written.
        if !table.isInspected { try reading(table) { _ in } }
        return try KnownRow(table, TrackedRow(trackedRows: trackedRows, slot: Int(object.record.slot)))
    }
}

extension PersistingModel {
    /// Becomes what a freshly read object of the same row is.
    func takeOver(_ fresh: PersistingModel, _ mapping: Mapping) {
        for index in mapping.columns.indices { mapping.copy(index, from: fresh, to: self) }
        record = fresh.record
    }
}

/// Errors about an object's row.
extension Mapping {
    /// The stored form of a key's value; nil for NULL, which is no one's key.
    func keyValue(_ value: (any SQLiteValueConvertible)?) throws -> SQLiteValue? {
        try requireKey()
        guard key.count == 1 else {
            throw PersistenceError(
                .noPrimaryKey, "the primary key is composite: fetchOne(…, where:) takes all its values",
                model: modelName)
        }
        let index = key[0]
        do {
            if fields[index].kind == .custom {
                // What has no stored form by itself may have one in the column.
                guard let value, (try? value.sqliteValue())?.isNull != true else { return nil }
                return try columns[index].codec.stored(value)
            }
            guard let plain = try value?.sqliteValue(), !plain.isNull else { return nil }
            if case .integer = plain, holdsAnyInteger(index) { return plain }
            var visitor = StoredAs(stored: plain)
            try fields[index].kind.visit(&visitor)
            return visitor.stored
        } catch {
            throw columns[index].error(for: value, .typeMismatch, error, self)
        }
    }

    func notFound(_ key: [SQLiteValue]) -> PersistenceError {
        PersistenceError(
            .notFound,
            "the row with \(condition(of: key)) doesn't exist any more"
                + (place == nil ? "" : ", or has become one of another class"), model: modelName,
            rowKey: keyValues(key))
    }

    /// An error about an object, of which the key stands between the words.
    private func error(
        _ code: PersistenceError.Code, _ begin: String, _ object: PersistingModel, _ end: String
    ) -> PersistenceError {
        let key = rowKey(of: object)
        let place = key.isEmpty ? "" : " with \(condition(of: key))"
        return PersistenceError(code, begin + place + end, model: modelName, rowKey: keyValues(key))
    }

    func isGone(_ object: PersistingModel) -> PersistenceError {
        error(.notFound, "somebody else has deleted the object's row", object, ": insert makes a new one")
    }

    func notPersisted(_ object: PersistingModel, to verb: String) -> PersistenceError {
        error(.notPersisted, "the object", object, " isn't in its table: there is nothing to \(verb)")
    }

    func isOfPast(_ object: PersistingModel, to verb: String) -> PersistenceError {
        error(
            .past, "the object", object,
            " is of the past, so there is nothing to \(verb): revert the row, or insert a new object")
    }

    func alreadyPersisted(_ object: PersistingModel) -> PersistenceError {
        error(
            .alreadyPersisted, "the object", object,
            " is in the table already; save or update writes its changes")
    }

    /// The error of an object whose generated key was set to nil after SQLite had made it.
    func keyIsNil(ofRow key: [SQLiteValue]) -> PersistenceError {
        PersistenceError(
            .missingPrimaryKeyValue,
            "the primary key is nil, and that of a row which is there isn't generated: set "
                + "\(self.key.map { columns[$0].key }.joined(separator: ", "))",
            model: modelName, key: self.key.first.map { columns[$0].key }, rowKey: keyValues(key))
    }

    func missingKeyValue() -> PersistenceError {
        // The first that has no value isn't known here.
        let names = key.map { columns[$0].key }.joined(separator: ", ")
        return PersistenceError(
            .missingPrimaryKeyValue, "the primary key is nil, and it is not generated: set \(names)", model: modelName,
            key: key.first.map { columns[$0].key })
    }
}

/// A value as a built-in type would store it, if the type can hold it.
private struct StoredAs: FieldVisitor {
    var stored: SQLiteValue

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) throws {
        stored = try T(sqliteValue: stored).sqliteValue()
    }

    mutating func visitCustom() {}
}
