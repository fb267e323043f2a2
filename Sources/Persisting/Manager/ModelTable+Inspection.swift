extension ModelTable {
    /// What a look at the table has shown.
    final class Inspection: Sendable {
        /// The table's columns.
        let columns: [DatabaseSchema.Column]
        /// The columns for which the table has a default, except for those of the key.
        let columnsWithDefault: [Int]
        /// Those of them whose property may hold nil.
        let optionalsWithDefault: [Int]
        let generatedColumns: ColumnSet
        /// The columns that may change what is stored in them.
        let fits: [Int: ColumnFit]
        let uniqueness: Uniqueness
        let isView: Bool
        let hasRowIDs: Bool
        /// Whether there are indexes, those of unique constraints among them.
        let hasIndexes: Bool
        /// A name of the rows' identifiers that no column has; nil for a table without them.
        let rowID: String?
        /// The columns of dates that may hold other forms than the class writes.
        let dates: [DateColumn]
        /// Those of them that the library writes in another form, or rejects.
        let convertedDates: [DateColumn]
        /// The affinities of columns of decimal numbers that aren't of texts, and so may hold other numbers.
        let decimals: [Int: Affinity]
        /// The columns of binary texts to which the table gives another collation.
        let collated: ColumnSet
        let isUTF16: Bool
        /// Whether VACUUM may give the rows other identifiers: those that are no column stay only by chance.
        let movesRowIDs: Bool
        /// Whether the table has columns of dates, and no rows that would tell their form.
        let isOfNoRows: Bool

        /// - Throws: ``PersistenceError/Code/missingColumn``, ``PersistenceError/Code/invalidModel``, and what
        ///   ``ColumnFit`` says of a column that can't be read.
        init(_ mapping: Mapping, _ schema: TableSchema, _ db: any EngineConnection) throws {
            try mapping.checkRowIDs(of: schema)
            var found = try FoundColumns(mapping, schema)
            try mapping.checkKey(of: schema)
            columns = schema.columns
            (isView, hasRowIDs, hasIndexes) = (schema.isView, schema.hasRowIDs, !schema.indexes.isEmpty)
            rowID = ["_rowid_", "rowid", "oid"].first { schema.hasRowIDs && schema.column($0) == nil }
            movesRowIDs = schema.hasRowIDs && !schema.key.isRowID
            dates = try DateColumn.all(of: mapping, in: schema, rowID: rowID, db)
            convertedDates = dates.filter(\.isConverted)
            isOfNoRows = !schema.isView && dates.contains(where: \.isUnseen)
            for column in dates where column.isConverted || column.takesTexts {
                found.fits[column.index] = column.keyFit
            }
            fits = found.fits
            generatedColumns = found.generated
            columnsWithDefault = found.withDefault
            optionalsWithDefault = found.withDefault.filter {
                mapping.columns[$0].isOptional || mapping.fields[$0].kind == .custom
            }
            uniqueness = try Uniqueness(mapping, schema, db)
            decimals = mapping.decimals(in: schema)
            collated = mapping.collatedOtherwise(in: schema)
            let encoding = try db.rows("PRAGMA encoding", cached: false).first
            isUTF16 = try encoding?.value(at: 0, as: String.self) != "UTF-8"
        }

        /// What would be found in a table that the class's own declarations have made.
        init(declaredBy mapping: Mapping) {
            let withDefault = mapping.columns.indices.filter {
                mapping.columns[$0].declaration.defaultValue != nil && !mapping.fields[$0].isKey
            }
            (columnsWithDefault, optionalsWithDefault) = (withDefault, withDefault)
            generatedColumns = mapping.generated
            uniqueness = Uniqueness()
            (columns, dates, convertedDates, rowID) = ([], [], [], nil)
            (fits, decimals, collated) = ([:], [:], ColumnSet())
            (isView, hasRowIDs, hasIndexes) = (false, false, false)
            (isUTF16, movesRowIDs, isOfNoRows) = (false, false, false)
        }

        /// The forms in which to write columns of dates, where they are not the class's own.
        ///
        /// - Parameter isNew: Whether a row may be inserted.
        /// - Throws: ``PersistenceError/Code/invalidModel`` for a column of texts whose form nobody knows.
        func dateForms(_ columns: ColumnSet, _ mapping: Mapping, isNew: Bool) throws -> [Int: DateForm] {
            var forms: [Int: DateForm] = [:]
            for column in convertedDates where columns.contains(column.index) {
                forms[column.index] = try column.formToWrite(mapping, isNew: isNew)
            }
            return forms
        }
    }
}

/// The columns of a class as its table has them.
private struct FoundColumns {
    var withDefault: [Int] = []
    var generated = ColumnSet()
    var fits: [Int: ColumnFit] = [:]

    /// - Throws: ``PersistenceError/Code/missingColumn``; ``PersistenceError/Code/invalidModel`` for a column that both
    ///   the table and the library compute; what ``ColumnFit`` says of one that can't be read.
    init(_ mapping: Mapping, _ schema: TableSchema) throws {
        for (index, column) in mapping.columns.enumerated() where index != mapping.rowID {
            guard let found = schema.column(column.name) else { throw mapping.lacks(column, schema) }
            if found.isGenerated || column.declaration.generation != nil {
                guard !mapping.automaticColumns.contains(index) else {
                    throw PersistenceError(
                        .invalidModel,
                        "the table \(mapping.tableName) computes \(column.name), which the class has the library write",
                        model: mapping.modelName, key: column.key)
                }
                generated.insert(index)
                continue
            }
            if found.hasDefault, !mapping.fields[index].isKey { withDefault.append(index) }
            guard !schema.isView else { continue }
            fits[index] = ColumnFit(column, declaredType: found.declaredType, isStrict: schema.isStrict)
            if let fit = fits[index], fit.isUnreadable { throw fit.error(column, mapping) }
        }
        guard let place = mapping.place else { return }
        for column in [place.table.kindColumn] + place.addedColumns where schema.column(column.name) == nil {
            throw mapping.lacks(column, schema)
        }
    }
}

extension Mapping {
    /// The columns of binary texts to which the table gives another collation.
    fileprivate func collatedOtherwise(in schema: TableSchema) -> ColumnSet {
        ColumnSet(
            columns.indices.filter { index in
                guard operands[index].ownCollation == .binary,
                    let collation = schema.column(columns[index].name)?.collation
                else { return false }
                return asciiLowercased(collation) != "binary"
            })
    }

    /// The affinities of columns of decimal numbers that aren't of texts.
    fileprivate func decimals(in schema: TableSchema) -> [Int: Affinity] {
        var found: [Int: Affinity] = [:]
        for (index, column) in columns.enumerated() where column.codec.columnType == .decimal {
            guard let declared = schema.column(column.name)?.declaredType else { continue }
            let affinity = Affinity(declaredType: declared, isStrict: false)
            if affinity != .text { found[index] = affinity }
        }
        return found
    }

    /// Only the identifier of the rows gets a value from SQLite. Any other column stores the NULL.
    fileprivate func checkKey(of schema: TableSchema) throws {
        if takesKeyFromSchema, schemaKey != schema.key { throw keyHasChanged() }
        guard isKeyGenerated, rowID == nil, !schema.isView, let key = key.first.map({ columns[$0] }) else { return }
        guard schema.key == SchemaKey(columns: [asciiLowercased(key.name)], isRowID: true) else {
            throw PersistenceError(
                .invalidModel,
                "SQLite generates no key for \(key.name) of the table \(tableName), because it isn't an INTEGER "
                    + "PRIMARY KEY: override primaryKey with .assigned(\"\(key.key)\")",
                model: modelName, key: key.key)
        }
    }

    /// The error of a table without a column.
    fileprivate func lacks(_ column: Column, _ schema: TableSchema) -> PersistenceError {
        let names = schema.columns.map(\.name).joined(separator: ", ")
        return PersistenceError(
            .missingColumn,
            "the table \(tableName) has no column \(column.name); it has: \(names)"
                + (schema.isView ? "" : ". \(SchemaRemedy.table(self))"),
            model: modelName, key: column.key)
    }
}
