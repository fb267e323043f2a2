internal import Synchronization

/// A number by which a program's start knows that a database has all that its classes need, without reading the schema.
///
/// It stands in the header of the file as `PRAGMA user_version`, and is made of the classes and of `PRAGMA
/// schema_version`, which changes with each change of the schema, by whatever program. So another class and another
/// schema have another number, except for one case in 134 million. Negative numbers are the library's; 0 is free; what
/// is positive is a program's own, and stays.
struct SchemaFingerprint {
    /// Changes when plans find more to do than those of an earlier version of the library have found.
    private static let revision: UInt64 = 3

    private let classes: UInt64

    /// - Parameter dropped: What else the plan depends on.
    init(of mappings: [Mapping], dropping dropped: [String]) throws {
        var hash = StableHash()
        hash.add(Self.revision)
        for mapping in mappings { hash.add(try mapping.schemaHash) }
        for name in dropped { hash.add(name) }
        classes = hash.value
    }

    /// Whether the schema is known to have all that the classes need.
    func isStored(_ db: any EngineConnection) throws -> Bool {
        let (schema, stored) = try db.headerNumbers
        return stored == number(schema)
    }

    /// Stores the number of a schema that has just been changed, in the transaction that has changed it.
    func store(_ db: any EngineConnection) throws {
        let (schema, stored) = try db.headerNumbers
        if stored <= 0 { try db.setUserVersion(number(schema)) }
    }

    /// Stores the number of a schema that a plan has found fit.
    ///
    /// What is for the same schema stays: another program with other classes may have stored it, and would again.
    ///
    /// - Parameter schema: The schema's number before the plan was made.
    func store(_ db: any EngineConnection, seen schema: Int32) throws {
        // A local database without a path lasts no longer than the program.
        guard db.path != nil || !(db is Database), !db.isReadOnly, !db.isReading else { return }
        let stored = try db.headerNumbers.userVersion
        guard stored == 0 || stored < 0 && stored & Self.schemaBits != number(schema) & Self.schemaBits else { return }
        try db.setUserVersion(number(schema))
    }

    /// The bits of a number that tell schemas apart which follow each other.
    private static let schemaBits: Int32 = 0x7800_0000

    private func number(_ schema: Int32) -> Int32 {
        var hash = StableHash()
        hash.add(classes)
        hash.add(UInt64(UInt32(bitPattern: schema)))
        let bits = UInt32(truncatingIfNeeded: hash.value) & 0x07FF_FFFF
        return Int32(bitPattern: 0x8000_0000 | UInt32(bitPattern: schema) << 27 & 0x7800_0000 | bits)
    }
}

extension Mapping {
    /// A hash of all of the class that a plan depends on.
    var schemaHash: UInt64 {
        get throws {
            let known = knownSchemaHash.load(ordering: .relaxed)
            if known != 0 { return known }
            let definition = try definition
            var hash = StableHash()
            for sql in [definition.sql] + definition.indexes.map(\.sql) + modelType.formerTableNames { hash.add(sql) }
            for (column, definition) in zip(tableColumns, sql.definition.columns) {
                hash.add("\(column.type) \(column.declaration.dateStorage ?? dates)")
                if let storage = column.declaration.uuidStorage { hash.add("\(storage)") }
                hash.add("\(column.declaration.isNotNull) \(definition.clause(.defaultValue)?.isImplied == true)")
                for name in column.declaration.formerNames { hash.add(name) }
            }
            for companion in try [self].companions(of: definition) {
                for item in companion.shared + companion.items { hash.add(item.sql) }
            }
            hash.add("\(key) \(isKeyGenerated) \(takesKeyFromSchema)")
            knownSchemaHash.store(hash.value, ordering: .relaxed)
            return hash.value
        }
    }
}
