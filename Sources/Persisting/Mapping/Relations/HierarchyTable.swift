/// The table that the classes of a hierarchy share.
///
/// It has the columns of the base class, one for the kind, and those that subclasses add, which are NULL in the rows of
/// other classes.
final class HierarchyTable: Sendable {
    let hierarchy: Hierarchy
    /// The column of the kind, of which no object has a property.
    let kindColumn: Column
    /// What files and JSON call the kind: `kind`, or the column's name where a class has a property of that name.
    let kindKey: String
    /// The keys of all classes' properties.
    let keys: Set<String>
    /// All columns, except for the identifier of the rows.
    let columns: [Column]
    /// The same as CREATE TABLE declares them.
    let definitions: [ColumnDefinition]
    let indexes: [IndexDefinition]
    let kinds: [String]

    /// - Parameter descriptions: Those of all members, in the hierarchy's order.
    /// - Throws: ``PersistenceError/Code/invalidModel`` where two classes don't agree about the table.
    init(_ hierarchy: Hierarchy, _ descriptions: [ModelDescription]) throws {
        self.hierarchy = hierarchy
        let base = descriptions[0]
        let name = hierarchy.base.kindColumn
        kindColumn = Column(name: name, key: name, type: String.self, codec: ConvertibleCodec<String>())
        keys = Set(descriptions.flatMap { $0.columns.map(\.key) + $0.virtualKeys.map(\.key) })
        kindKey = keys.contains("kind") ? name : "kind"
        kinds = hierarchy.members.map { $0.kind }
        for (position, kind) in kinds.enumerated() {
            guard let other = kinds[..<position].firstIndex(of: kind) else { continue }
            throw descriptions[position].failure(
                .invalidModel,
                "the kind \"\(kind)\" is that of \(descriptions[other].modelName), too: override kind in one of them")
        }
        var columns = base.storedColumns
        let kind = ColumnDefinition(
            name: name, type: ColumnType.text.rawValue,
            clauses: [Clause(.notNull, "NOT NULL"), .defaultValue(.text(kinds[0]))])
        columns.append((kindColumn, kind))
        var indexes = base.indexes + [IndexDefinition(nil, on: base.tableName, [name])]
        for description in descriptions {
            try Self.check(description, against: base, kindColumn: name)
            columns += try Self.added(by: description, to: columns, base)
            for index in description.indexes where !indexes.contains(where: { index.isMet(by: $0) }) {
                indexes.append(index)
            }
        }
        self.columns = columns.map(\.0)
        definitions = columns.map(\.1)
        self.indexes = indexes
    }

    /// The columns that a class adds to those of others.
    private static func added(
        by description: ModelDescription, to columns: [(Column, ColumnDefinition)], _ base: ModelDescription
    ) throws -> [(Column, ColumnDefinition)] {
        try description.storedColumns.compactMap { column, definition in
            let definition = description.modelType == base.modelType ? definition : definition.ofSubclass
            guard let known = columns.first(where: { isSameName($0.0.name, column.name) }) else {
                return (column, definition)
            }
            // Rows that are fetched with those of other classes wouldn't have it.
            if known.0.declaration.isDeferred, !column.declaration.isDeferred {
                throw description.failure(
                    .invalidModel,
                    "another class of \(base.modelName)'s table defers the column \(column.name): declare it in the same "
                        + "way, or give it a column of its own", key: column.key)
            }
            // A class may begin with another value of a property that it inherits.
            if base.columns.contains(where: { isSameName($0.name, column.name) }) { return nil }
            guard known.1.definition == definition.definition, known.0.key == column.key else {
                throw description.failure(
                    .invalidModel,
                    "another subclass of \(base.modelName) declares the column \(column.name) as \(known.1.sql): "
                        + "declare the property in \(base.modelName), or give it a column of its own",
                    key: column.key)
            }
            return nil
        }
    }

    private static func check(
        _ description: ModelDescription, against base: ModelDescription, kindColumn: String
    ) throws {
        if let column = description.columns.first(where: { isSameName($0.name, kindColumn) }) {
            throw description.failure(
                .invalidModel,
                "the column \(column.name) is that of the kind, which says of what class a row is: name another by "
                    + "overriding kindColumn in \(base.modelName)", key: column.key)
        }
        func differs(_ what: String) -> PersistenceError {
            description.failure(
                .invalidModel,
                "\(what) isn't that of \(base.modelName), in whose table the class is kept: leave it to "
                    + base.modelName
            )
        }
        guard isSameName(description.tableName, base.tableName) else {
            throw differs("the table \(description.tableName)")
        }
        guard isSameName(description.schemaName ?? "main", base.schemaName ?? "main") else {
            throw differs("the database \(description.schemaName ?? "main")")
        }
        for column in base.columns {
            guard let own = description.columns.first(where: { $0.key == column.key }) else {
                throw description.failure(
                    .invalidModel, "\(column.key) has no column, and has one in \(base.modelName)", key: column.key)
            }
            guard isSameName(own.name, column.name), own.codec.columnType == column.codec.columnType else {
                throw differs("the column \(own.name)")
            }
        }
        func keys(_ description: ModelDescription) -> [String] { description.key.map { description.columns[$0].key } }
        guard keys(description) == keys(base), description.isKeyGenerated == base.isKeyGenerated else {
            throw differs("the primary key")
        }
        guard description.modelType.versionKey == base.modelType.versionKey else { throw differs("the version") }
    }

    /// The classes' rows among those of the table, as a condition in SQL.
    ///
    /// SQLite takes a comparison without statistics for one that few rows meet, and would prefer the index of the kind
    /// to those of the user's conditions and orders. See
    /// [likelihood](https://www.sqlite.org/lang_corefunc.html#likelihood).
    func condition(_ kinds: [String]) -> String {
        let column = SQLText.identifier(kindColumn.name)
        let values = kinds.map { SQLText.literal($0) }
        let comparison = values.count == 1 ? "\(column) = \(values[0])" : "\(column) IN (\(values.list(", ")))"
        return "likelihood(\(comparison), 0.5)"
    }
}

/// What a class is in its hierarchy.
struct HierarchyPlace: Sendable {
    let table: HierarchyTable
    /// The class's own kind.
    let kind: String
    /// The classes that inherit from it, with their kinds.
    let subclasses: [(kind: String, mapping: Mapping)]
    /// Which rows of the table are the class's; nil for all.
    let condition: String?
    /// Which rows are objects of the class itself, and of none that inherits from it. A row of an object that is no
    /// longer among them has become one of another class since.
    let ownCondition: String
    /// The kinds of the class's rows, known ones.
    let kinds: [String]
    /// The columns that are read in addition to the class's own, so that its rows become objects of their classes: the
    /// kind, and those of subclasses.
    let addedColumns: [Column]

    /// - Parameter mappings: Those of the classes that inherit from this one, and maybe of others.
    init(_ table: HierarchyTable, of description: ModelDescription, _ mappings: [Mapping]) {
        self.table = table
        let type = description.modelType
        let hierarchy = table.hierarchy
        kind = type.kind
        subclasses = hierarchy.members.compactMap { member in
            guard Hierarchy.inherits(member, from: type) else { return nil }
            return mappings.first { $0.modelType == member }.map { (member.kind, $0) }
        }
        kinds = [kind] + subclasses.map(\.kind)
        if type != hierarchy.base {
            condition = table.condition(kinds)
        } else {
            condition = type.unknownKind == .skipped ? table.condition(table.kinds) : nil
        }
        let isKeptByBase = type == hierarchy.base && type.unknownKind == .asBase
        ownCondition = isKeptByBase ? "NOT \(table.condition(subclasses.map(\.kind)))" : table.condition([kind])
        var added = [table.kindColumn]
        for column in subclasses.flatMap(\.mapping.columns)
        where !(description.columns + added).contains(where: { isSameName($0.name, column.name) }) {
            added.append(column)
        }
        addedColumns = subclasses.isEmpty ? [] : added
    }

    var kindColumnName: String { table.kindColumn.name }

    /// How a new row of the class is marked.
    var mark: KindMark {
        KindMark(
            column: SQLText.identifier(table.kindColumn.name), value: SQLText.literal(kind), rows: ownCondition)
    }
}

/// The kind of a class's rows, as SQL writes it.
struct KindMark: Sendable {
    let column: String
    let value: String
    /// Which rows are the class's own.
    let rows: String
}

extension ModelDescription {
    /// The columns as CREATE TABLE declares them, except for the identifier of the rows, which every table has by
    /// itself.
    fileprivate var storedColumns: [(Column, ColumnDefinition)] {
        let isKeptByRowID = modelType.primaryKey.kind == .rowID
        return columns.indices.filter { !isKeptByRowID || $0 != key.first }.map { (columns[$0], definitions[$0]) }
    }
}

extension ColumnDefinition {
    /// The column of a subclass, in which rows of other classes hold NULL.
    fileprivate var ofSubclass: ColumnDefinition {
        var column = self
        column.clauses.removeAll { $0.kind == .notNull || $0.kind == .defaultValue && $0.isImplied }
        return column
    }
}

extension Mapping {
    /// The columns of the class's table, those of other classes of its hierarchy among them, as
    /// ``MappingSQL/definition`` declares them.
    package var tableColumns: [Column] {
        place?.table.columns ?? columns.indices.filter { $0 != rowID }.map { columns[$0] }
    }

    /// The class, and those of its table that inherit from it.
    var members: [Mapping] { [self] + (place?.subclasses.map(\.mapping) ?? []) }

    /// Whether a file may have a value of a key: a property, or the kind.
    func isFileKey(_ key: String) -> Bool { hasColumn(forKey: key) || place?.table.kindKey == key }

    /// Whether a key is a property of another class that shares the table.
    func isOfOtherClass(_ key: String) -> Bool { !isFileKey(key) && place?.table.keys.contains(key) == true }

    /// The class whose rows are of a kind: this one, or one that inherits from it.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKind``.
    func member(ofKind kind: String) throws -> Mapping {
        guard let place, kind != place.kind else { return self }
        if let found = place.subclasses.first(where: { $0.kind == kind }) { return found.mapping }
        let base = place.table.hierarchy.base
        if base == modelType, base.unknownKind == .asBase { return self }
        throw unknownKind(.text(kind), place)
    }

    /// The error for a row that isn't of the class, nor of one that inherits from it.
    func unknownKind(_ kind: SQLiteValue, _ place: HierarchyPlace) -> PersistenceError {
        var (name, isOther) = ("\(kind)", false)
        if case .text(let kind) = kind { (name, isOther) = (SQLText.literal(kind), place.table.kinds.contains(kind)) }
        let base = ModelDescription.name(of: place.table.hierarchy.base)
        let reason =
            isOther
            ? "which isn't a \(modelName): fetch \(base), or add the condition "
                + "\(SQLText.identifier(place.table.kindColumn.name)) = \(SQLText.literal(place.kind))"
            : "which belongs to no class: list its class in the subclasses of \(base), or override unknownKind there"
        return PersistenceError(
            .unknownKind, "the row is of the kind \(name), \(reason)", model: modelName,
            key: place.table.kindColumn.key)
    }

    /// The columns that decide which objects the class's rows become: its own, those of its subclasses, and the kind.
    var columnsOfRows: [Column] {
        guard let place else { return columns }
        return columns + (hasSubclasses ? place.addedColumns : [place.table.kindColumn])
    }

    /// Whether a column of the table belongs to its primary key.
    func isKey(_ column: Column) -> Bool { key.contains { columns[$0].key == column.key } }
}
