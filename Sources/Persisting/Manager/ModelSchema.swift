/// How a class is stored: its table, its columns, its key.
///
/// ```swift
/// let schema = try Album.schema()
/// schema.columns.map(\.name)                      // ["ID", "TITLE", …]
/// schema.column(forKey: "mediaKey")?.name         // "MEDIA_KEY"
/// schema.column(named: "MEDIA_KEY")?.key          // "mediaKey"
/// print(schema.createTable)                       // CREATE TABLE ALBUM (…
/// ```
public struct ModelSchema: Sendable {
    /// A column and the property that it stores.
    public struct Column: Sendable {
        /// The column's name.
        public let name: String
        /// The property's name.
        public let key: String
        /// The property's type.
        public let type: any Any.Type
        /// The type that the column is declared with.
        public let columnType: ColumnType
        /// What follows the name in CREATE TABLE, except a composite key.
        public let definition: String
        /// Whether the property can be nil.
        public let isOptional: Bool
        /// Whether the column belongs to the primary key.
        public let isPrimaryKey: Bool
        /// Whether the class declares the column to be generated: computed by SQLite.
        public let isGenerated: Bool
        /// Whether the column is left out when objects are fetched.
        public let isDeferred: Bool
    }

    /// The class's name.
    public let modelName: String
    /// The table's name.
    public let tableName: String
    /// The columns, in order.
    public let columns: [Column]
    /// The names of the properties that are the primary key, in the key's order; none for a class without one, and
    /// `rowID` for ``PrimaryKey/rowID``.
    public let primaryKey: [String]
    /// Whether SQLite generates the key while it is nil.
    public let isKeyGenerated: Bool
    /// The keys of bit fields and aliases, each with that of the property they are kept in.
    public let virtualKeys: [String: String]
    /// The columns that are fetched, as a list for SELECT.
    public let selectList: String
    /// `CREATE TABLE`.
    public let createTable: String
    /// `CREATE INDEX`, one for each index.
    public let createIndexes: [String]

    init(_ mapping: Mapping) throws {
        let definition = try mapping.definition
        modelName = mapping.modelName
        tableName = mapping.tableName
        columns = mapping.columns.enumerated().filter { $0.offset != mapping.rowID }.map { index, column in
            Column(
                name: column.name, key: column.key, type: column.type, columnType: column.codec.columnType,
                definition: definition.column(column.name)?.definition ?? "", isOptional: column.isOptional,
                isPrimaryKey: mapping.key.contains(index), isGenerated: column.declaration.generation != nil,
                isDeferred: column.declaration.isDeferred)
        }
        primaryKey = mapping.key.map { mapping.columns[$0].key }
        isKeyGenerated = mapping.isKeyGenerated
        virtualKeys = Dictionary(
            uniqueKeysWithValues: mapping.virtualKeys.map { ($0.key, mapping.columns[$0.index].key) })
        selectList = mapping.sql.fetchedColumns
        let database = PlanDatabase(mapping.database, isNamed: false)
        createTable = database.creating(definition.sql)
        createIndexes = definition.indexes.map { database.creating($0.sql) }
    }

    /// The column that a key is stored in: a property's name, a bit field's or an alias's. Nil for any other.
    ///
    /// - Parameter key: The property's name.
    public func column(forKey key: String) -> Column? {
        let key = virtualKeys[key] ?? key
        return columns.first { $0.key == key }
    }

    /// The column of a name, without regard to the case of ASCII letters. Nil when there is none.
    ///
    /// - Parameter name: The name.
    public func column(named name: String) -> Column? {
        columns.first { asciiLowercased($0.name) == asciiLowercased(name) }
    }
}

extension ActiveRecord {
    /// How the class is stored.
    ///
    /// If the key is ``PrimaryKey/fromSchema``, it is read from the class's current manager.
    ///
    /// - Parameter dates: The form of dates where a column does not say another, which a manager has too.
    /// - Throws: ``PersistenceError`` that says what is wrong with the class; ``PersistenceError/Code/noManager`` and
    ///   ``PersistenceError/Code/noTable`` where the key cannot be asked for.
    public static func schema(dates: DateStorage = .unixSeconds) throws -> ModelSchema {
        let schemaKey =
            primaryKey.kind == .fromSchema
            ? try PersistenceManager.current(for: self).table(of: self).mapping.schemaKey : nil
        return try ModelSchema(Mapping.of(self, dates: dates, schemaKey: schemaKey))
    }
}
