internal import Foundation

/// How an existing table differs from a class.
extension Mapping {
    /// The error for a table that differs from the class in what the class relies on; nil for one that agrees.
    ///
    /// A view or a virtual table, which has no types and indexes of its own, need only have the columns.
    ///
    /// - Parameter noted: Columns that have exchanged their names.
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    func difference(
        from table: DatabaseSchema.Table, noted: Set<Renames.Exchange> = []
    ) throws -> PersistenceError? {
        var differences: [(text: String, key: String?)] = []
        for (column, definition) in zip(tableColumns, sql.definition.columns) {
            guard let found = table.column(column.name) else {
                let addition = addition(of: column, definition).map { " (\($0))" } ?? ""
                differences.append(("it has no column \(column.name)\(addition)", column.key))
                continue
            }
            guard table.kind == .table, found.kind == .ordinary, column.declaration.generation == nil else { continue }
            if let difference = difference(column, from: found, isStrict: table.isStrict) {
                differences.append((difference, column.key))
            }
        }
        if table.kind == .table {
            differences += renameDifferences(from: table, noted)
            let own = Set(tableColumns.map { asciiLowercased($0.name) })
            for column in table.columns where !own.contains(asciiLowercased(column.name)) && column.isNeeded {
                differences.append(
                    (
                        "\(column.name) is NOT NULL without a default, and no property stores it, so no row could be inserted",
                        nil
                    ))
            }
            for column in tableColumns where column.declaration.isUnique && !table.isUnique([column.name]) {
                differences.append(("\(column.name) is not UNIQUE", column.key))
            }
            for index in try definition.indexes where !table.has(index) {
                differences.append(("it has no index as by \(index.sql)", nil))
            }
        }
        guard let first = differences.first else { return nil }
        let texts = differences.map(\.text).joined(separator: "; ")
        return PersistenceError(
            .schemaMismatch,
            "the existing table \(table.name) differs from the class: \(texts). \(SchemaRemedy.table(self))",
            model: modelName, key: first.key)
    }

    /// What goes by other names than the class has.
    private func renameDifferences(
        from table: DatabaseSchema.Table, _ noted: Set<Renames.Exchange>
    ) -> [(text: String, key: String?)] {
        let (wanted, found) = (tableColumns.wanted, Set(table.columns.map { asciiLowercased($0.name) }))
        let renames = Renames(wanted, among: found, noted: noted)
        let pairs =
            renames.sources.map { Renames.Exchange(name: $0.key, former: $0.value) }
            + renames.contested(wanted, among: found)
        return pairs.sorted { $0.name < $1.name }.map { pair in
            let column = tableColumns.first { asciiLowercased($0.name) == pair.name }
            let former = table.columns.first { asciiLowercased($0.name) == pair.former }?.name ?? pair.former
            return ("\(column?.name ?? pair.name) was called \(former) before, which is there", column?.key)
        }
    }

    private func difference(
        _ column: Column, from found: DatabaseSchema.Column, isStrict: Bool
    ) -> String? {
        let fit = ColumnFit(column, declaredType: found.declaredType, isStrict: isStrict)
        if let fit, fit.isMisfit { return fit.reason(column) }
        // An SQLiteValue may be NULL, and need not.
        let mayBeNull = isOptional(column.type) && !column.declaration.isNotNull && !isKey(column)
        if found.isNotNull, found.defaultSQL == nil, mayBeNull {
            return
                "\(column.name) is NOT NULL, and \(column.key) may be nil: make it not Optional, or declare the column "
                + ".notNull"
        }
        return nil
    }

    /// The statement that adds a column; nil where ALTER TABLE cannot. See [ALTER TABLE ADD
    /// COLUMN](https://www.sqlite.org/lang_altertable.html#altertabaddcol).
    private func addition(of column: Column, _ definition: ColumnDefinition) -> String? {
        let needsDefault = definition.has(.notNull) && !definition.has(.defaultValue)
        guard !isKey(column), !column.declaration.isUnique, !needsDefault else { return nil }
        return "ALTER TABLE \(sql.table) ADD COLUMN \(definition.sql)"
    }
}

extension DatabaseSchema.Table {
    /// Whether no two rows have the same values in some columns.
    fileprivate func isUnique(_ names: [String]) -> Bool {
        let names = Set(names.map(asciiLowercased))
        if Set(primaryKey.map(asciiLowercased)) == names { return true }
        return indexes.contains { index in
            index.isUnique && !index.isPartial && Set(index.columns.map { $0.name.map(asciiLowercased) ?? "" }) == names
        }
    }

    /// Whether there is an index that does what another is declared to do, under any name.
    fileprivate func has(_ wanted: IndexDefinition) -> Bool {
        if wanted.isUnique, wanted.condition == nil { return isUnique(wanted.columns.compactMap(\.name)) }
        let names = wanted.columns.map { asciiLowercased($0.name ?? "") }
        if wanted.condition == nil, primaryKey.map(asciiLowercased) == names { return true }
        return indexes.contains { wanted.isMet(by: IndexDefinition($0, name)) }
    }
}

extension DatabaseSchema.Column {
    /// Whether a row without a value of the column can't be inserted.
    fileprivate var isNeeded: Bool { isNotNull && defaultSQL == nil && kind == .ordinary && primaryKeyPosition == nil }
}
