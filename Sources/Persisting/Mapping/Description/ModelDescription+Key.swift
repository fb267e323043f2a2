internal import Foundation

/// The key, and the lines of CREATE TABLE.
extension ModelDescription {
    /// The columns of the key in its order, none without one, and whether SQLite makes its value.
    func foundKey(_ declared: PrimaryKey) throws -> (columns: [Int], isGenerated: Bool) {
        func index(_ key: String) throws -> Int { try columns.index(ofKey: key, "primaryKey names", modelName) }
        switch declared.kind {
        case .none: return ([], false)
        case .rowID: return ([try index(RowIDColumn.key)], true)
        case .fromSchema:
            guard let schemaKey else { return ([], false) }
            let key = try columns(of: schemaKey)
            return (key, schemaKey.isRowID && key.allSatisfy(isOptionalInteger))
        case .automatic:
            guard let id = automaticKey else { return ([], false) }
            return ([id], try isGenerated(id))
        case .generated:
            let key = try declared.keys.map(index)
            guard key.allSatisfy(isOptionalInteger) else {
                throw PersistenceError(
                    .invalidModel,
                    "a generated key is an Optional integer, such as Int64?: it is nil until SQLite makes it",
                    model: modelName, key: declared.keys.first, found: key.first.map { columns[$0].type })
            }
            return (key, true)
        case .assigned:
            let key = try declared.keys.map(index)
            guard Set(key).count == key.count else {
                throw failure(
                    .invalidModel, "primaryKey names a property twice: \(declared.keys.joined(separator: ", "))")
            }
            return (key, false)
        }
    }

    /// The property `id`, in any case, or the one whose column has this name.
    private var automaticKey: Int? {
        columns.firstIndex { $0.key == "id" } ?? columns.firstIndex { asciiLowercased($0.key) == "id" }
            ?? columns.firstIndex { asciiLowercased($0.name) == "id" }
    }

    private func columns(of schemaKey: SchemaKey) throws -> [Int] {
        try schemaKey.columns.map { name in
            guard let index = columns.firstIndex(where: { asciiLowercased($0.name) == name }) else {
                throw failure(
                    .invalidModel,
                    "\(name), of the primary key of the table \(tableName), isn't a column of the class: a row is "
                        + "known by its whole key", key: name)
            }
            return index
        }
    }

    /// Whether SQLite makes the value of a key that the class doesn't declare.
    private func isGenerated(_ id: Int) throws -> Bool {
        let (column, type) = (columns[id], unwrapped(columns[id].type))
        guard column.codec.columnType == .integer, !isRawRepresentable(type), type != Bool.self, type != Date.self
        else { return false }
        guard column.isOptional else {
            throw failure(
                .invalidModel,
                "\(column.key) is \(source: column.type), whose 0 would be a key like any other: declare it "
                    + "\(source: column.type)? to have SQLite generate it, or override primaryKey with "
                    + ".assigned(\"\(column.key)\")", key: column.key)
        }
        return true
    }

    /// Whether a column's property can hold a key that SQLite makes, and none.
    private func isOptionalInteger(_ index: Int) -> Bool {
        columns[index].isOptional && columns[index].codec.columnType == .integer
            && unwrapped(columns[index].type) is any FixedWidthInteger.Type
    }

    func checkTableOptions() throws {
        guard columns.contains(where: { !$0.declaration.isDeferred }) else {
            throw failure(.invalidModel, "all columns are declared .deferred: at least one must not be")
        }
        if let deferred = key.first(where: { columns[$0].declaration.isDeferred }) {
            throw failure(
                .invalidModel, "the primary key can't be .deferred",
                key: columns[deferred].key)
        }
        guard modelType.tableOptions.contains(.withoutRowID), modelType.primaryKey.kind != .fromSchema else { return }
        guard !key.isEmpty, !isKeyGenerated else {
            throw failure(
                .invalidModel,
                "a table WITHOUT ROWID needs a primary key that is assigned, since SQLite generates none for it")
        }
    }

    /// Throws for a generated column that SQLite would reject.
    func checkGenerated() throws {
        for (index, column) in columns.enumerated() where column.declaration.generation != nil {
            let reason: String? =
                if key.contains(index) {
                    "a primary key cannot be generated from other columns"
                } else if column.declaration.defaultValue != nil {
                    "a generated column has no default"
                } else {
                    nil
                }
            if let reason { throw failure(.invalidModel, "the column \(column.name): \(reason)", key: column.key) }
        }
    }

    /// A column as CREATE TABLE declares it, now that the key is known.
    func definition(_ index: Int, _ prototypes: (PersistingModel, PersistingModel)) throws -> ColumnDefinition {
        let column = columns[index]
        let declaration = column.declaration
        let type = column.codec.columnType
        // In a STRICT table every column has a type, and ANY is that of all.
        let isAny = type == .any && modelType.tableOptions.contains(.strict)
        var clauses = [column.codec.dateForm?.mark].compactMap { $0 }
        let isKey = key.contains(index)
        let isOnlyKey = key == [index]
        // Any key but an INTEGER PRIMARY KEY may hold NULL in SQLite unless it is said.
        let isRowID =
            isOnlyKey && type == .integer && !modelType.tableOptions.contains(.withoutRowID)
        if declaration.isAutoincrement, !isRowID || !isKeyGenerated {
            throw failure(
                .invalidModel, "the column \(column.name) is declared .autoincrement, and isn't a generated key",
                key: column.key)
        }
        if isOnlyKey {
            clauses.append(
                Clause(.primaryKey, declaration.isAutoincrement ? "PRIMARY KEY AUTOINCREMENT" : "PRIMARY KEY"))
        }
        if !isRowID, declaration.isNotNull || isKey || !column.isOptional && declaration.nullHandling == .refused {
            clauses.append(Clause(.notNull, "NOT NULL"))
        }
        try declaration.reference?.check(from: modelType, key: column.key)
        let implied = isKey ? nil : sharedDefault(index, prototypes)
        clauses += try declaration.clauses(model: modelName, key: column.key, impliedDefault: implied)
        return ColumnDefinition(name: column.name, type: isAny ? "ANY" : type.rawValue, clauses: clauses)
    }

    /// The value a property begins with, if it may stand in the table: a number or text on which two fresh objects
    /// agree.
    private func sharedDefault(_ index: Int, _ prototypes: (PersistingModel, PersistingModel)) -> SQLiteValue? {
        let column = columns[index]
        let isSimple =
            FieldKind(column.type) != .custom && column.codec.storesOwnForm && column.type != Date.self
            && column.type != Data.self
            || isRawRepresentable(column.type) && column.codec.keepsSums || column.declaration.isBitPattern
        guard isSimple, !column.isOptional else { return nil }
        // A value that cannot be stored makes no default; saving it will say why.
        guard let value = try? column.codec.stored(in: Memory(prototypes.0), at: offsets[index]),
            let other = try? column.codec.stored(in: Memory(prototypes.1), at: offsets[index]), value == other
        else { return nil }
        if case .real(let number) = value, !number.isFinite { return nil }
        if case .text(let text) = value, text.utf8.contains(0) { return nil }
        return value.isNull ? nil : value
    }

    private func isRawRepresentable(_ type: any Any.Type) -> Bool {
        FieldKind(type) == .custom && unwrapped(type) is any RawRepresentable.Type
    }
}

extension ColumnDeclaration {
    /// What the declaration says of a column besides its type, its key and NOT NULL.
    ///
    /// - Parameter impliedDefault: The default where none is declared.
    func clauses(model: String, key: String, impliedDefault: SQLiteValue? = nil) throws -> [Clause] {
        var clauses: [Clause] = []
        if isUnique { clauses.append(Clause(.unique, "UNIQUE")) }
        if let generation {
            clauses.append(Clause(.generated, try generation.definition(model: model, key: key)))
        } else if let value = defaultValue ?? impliedDefault {
            clauses.append(.defaultValue(value, isImplied: defaultValue == nil))
        }
        if let check {
            clauses.append(Clause(.check, "CHECK (\(try check.declared("CHECK", model: model, key: key)))"))
        }
        if let collation {
            clauses.append(Clause(.collation, "COLLATE \(SQLText.identifier(collation.rawValue))"))
        }
        if let reference { clauses.append(Clause(.foreignKey, reference.sql)) }
        return clauses
    }
}
