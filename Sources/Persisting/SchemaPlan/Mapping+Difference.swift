/// What a class can't do without.
extension Mapping {
    /// The error for an existing table that differs from the class in what the class relies on: values would be lost,
    /// changed or rejected. Nil for one that agrees.
    ///
    /// A plan has a step for each of these differences, and for others that do no harm. Rows aren't looked at. A view
    /// or a virtual table, which has no types and indexes of its own, need only have the columns.
    ///
    /// - Parameter noted: Columns that have exchanged their names.
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    func difference(
        from table: DatabaseSchema.Table, noted: Set<Renames.Exchange> = [], _ db: any EngineConnection
    ) throws -> PersistenceError? {
        // Of a table whose text can't be read, which a plan rejects, no more than the columns is known.
        guard table.kind == .table, var draft = try? TableDraft(table, in: planDatabase, among: []) else {
            let missing = tableColumns.filter { table.column($0.name) == nil }
            return error(missing.map { .init(text: "it has no column \($0.name)", key: $0.key) }, of: table)
        }
        draft.rename(for: tableColumns, noted: noted) { _ in false }
        try draft.fit(self, formerTables: [:], formerColumns: [:], keys: [:])
        for column in draft.found.columns where column.isNeeded && !draft.known.contains(asciiLowercased(column.name)) {
            guard !draft.found.primaryKey.contains(where: { isSameName($0, column.name) }) else { continue }
            draft.differ(
                "\(column.name) is NOT NULL without a default, and no property stores it, so no row could be inserted",
                isRelied: true)
        }
        let relied = draft.formers + draft.differences.filter(\.isRelied)
        if let error = error(relied, of: table) { return error }
        // They are those of the table as it is.
        let companions = try [self].companions(of: draft.found)
        guard !companions.isEmpty else { return nil }
        let texts = try schemaTexts(db)
        let missing = companions.filter { !$0.isIn(texts) }
        return error(
            missing.map { .init(text: "\($0.name) is missing, or of other columns or indexes", key: nil) }, of: table)
    }

    /// The texts of all that the class's database has.
    func schemaTexts(_ db: any EngineConnection) throws -> SchemaTexts {
        let sql: SQL = "SELECT type || ' ' || lower(name), sql FROM \(identifier: database).sqlite_schema"
        return Dictionary(
            try db.rows(sql, cached: false).map { row in
                (try row.value(at: 0, as: String.self), try row.value(at: 1, as: String?.self) ?? "")
            }
        ) { first, _ in first }
    }

    private func error(_ differences: [TableDraft.Difference], of table: DatabaseSchema.Table) -> PersistenceError? {
        guard let first = differences.first else { return nil }
        let texts = differences.map { difference in
            difference.text
                + (difference.addition.map { " (ALTER TABLE \(sql.table) ADD COLUMN \($0.sql))" } ?? "")
        }
        return PersistenceError(
            .schemaMismatch,
            "the existing table \(table.name) differs from the class: \(texts.joined(separator: "; ")). "
                + SchemaRemedy.table(self), model: modelName, key: first.key)
    }
}
