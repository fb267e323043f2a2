internal import Foundation

/// What a class wants of its table.
extension TableDraft {
    /// Changes the table that is to be so that a class fits.
    ///
    /// - Parameters:
    ///   - formerTables: The names that tables have before they are renamed, by those that they have then. All in lower
    ///     case.
    ///   - formerColumns: The names that their columns have before, by the tables' names from before.
    ///   - keys: The primary keys of tables, in lower case.
    mutating func fit(
        _ mapping: Mapping, formerTables: [String: String], formerColumns: [String: [String: String]],
        keys: [String: [String]]
    ) throws {
        let wanted = try mapping.definition
        let names = names
        for (property, column) in zip(mapping.tableColumns, wanted.columns) {
            var column = column
            column.name = names[asciiLowercased(column.name)] ?? column.name
            known.insert(asciiLowercased(column.name))
            let renames = names
            column.clauses = column.clauses.map {
                switch $0.kind {
                case .check, .generated: $0.renaming(renames)
                case .foreignKey: $0.referring(to: formerTables, columns: formerColumns)
                default: $0
                }
            }
            if let place = target.index(of: column.name) {
                try fit(column, property, isKey: isKey(property, column, mapping), mapping, at: place)
                if let clause = column.clause(.foreignKey) {
                    fitReference(clause, of: column.name, property.key, keys)
                }
            } else {
                add(column, key: property.key, advice: Self.defaultToDeclare(property, mapping))
                if let check = column.clause(.check)?.inside { checkExpression(check) }
                if let clause = column.clause(.foreignKey) {
                    checkParents(ForeignKeyDefinition(clause, of: column.name), keys)
                }
            }
        }
        for clause in wanted.constraints where clause.kind == .foreignKey {
            let clause = clause.referring(to: formerTables, columns: formerColumns)
            fitReference(clause.renamingReferrers(names), of: nil, nil, keys)
        }
        fitKey(mapping, wanted, names)
        fitOptions(mapping, wanted)
        for index in wanted.indexes { fit(index) }
    }

    private mutating func fitOptions(_ mapping: Mapping, _ wanted: TableDefinition) {
        if wanted.isStrict, !target.isStrict { makeStrict() }
        if mapping.isKeyGenerated, mapping.rowID == nil, target.isWithoutRowID {
            target.isWithoutRowID = false
            differ("it is WITHOUT ROWID, so SQLite generates no key for it")
        }
        if wanted.isWithoutRowID, !target.isWithoutRowID {
            target.isWithoutRowID = true
            differ("it isn't WITHOUT ROWID")
        }
    }

    mutating func checkExpression(_ expression: String) {
        check("fail CHECK (\(expression)): change them first", where: "NOT (\(expression))")
    }

    /// - Parameter column: The column in whose definition the foreign key stands; nil for one of the table.
    private mutating func fitReference(
        _ clause: Clause, of column: String?, _ key: String?, _ keys: [String: [String]]
    ) {
        func plain(_ reference: ForeignKeyDefinition) -> [String] {
            let columns = reference.parentColumns.isEmpty ? keys[reference.parent] ?? [] : reference.parentColumns
            return [reference.parent] + columns + [reference.onDelete, reference.onUpdate, "\(reference.isDeferred)"]
        }
        let wanted = ForeignKeyDefinition(clause, of: column)
        let current = target.foreignKeys.filter { $0.columns == wanted.columns }
        guard !current.contains(where: { plain($0) == plain(wanted) }) else { return }
        differ(column.map { "\($0) isn't declared \(clause.sql)" } ?? "it has no \(clause.sql)", key)
        target.constraints.removeAll {
            $0.kind == .foreignKey && ForeignKeyDefinition($0, of: nil).columns == wanted.columns
        }
        if let column {
            change(column) { $0.set(clause) }
        } else {
            target.constraints.append(clause)
        }
        checkParents(wanted, keys)
    }

    /// Asks for rows without a parent.
    private mutating func checkParents(_ reference: ForeignKeyDefinition, _ keys: [String: [String]]) {
        let parent = reference.parent
        let shown = reference.columns.map { target.column($0)?.name ?? $0 }
        // The parent may have columns of the same names.
        let names = reference.columns.map { "_rows.\(SQLText.identifier($0))" }
        let columns = reference.parentColumns.isEmpty ? keys[parent] ?? [] : reference.parentColumns
        let pairs = zip(columns, names).map { "_parent.\(SQLText.identifier($0)) = \($1)" }
        // Of a table that is yet to be created, a value of a new column has no parent either.
        let exists =
            !tables.contains(parent) || columns.count != names.count
            ? "0" : "EXISTS (SELECT 1 FROM \(database.table(parent)) AS _parent WHERE \(pairs.list(" AND ")))"
        check(
            "refer by \(shown.joined(separator: ", ")) to no row of \(parent): correct them first",
            where: names.map { "\($0) IS NOT NULL AND " }.joined() + "NOT \(exists)")
    }

    private func isKey(_ property: Column, _ column: ColumnDefinition, _ mapping: Mapping) -> Bool {
        mapping.takesKeyFromSchema
            ? target.primaryKey.contains { isSameName($0, column.name) } : mapping.isKey(property)
    }

    private mutating func fitKey(_ mapping: Mapping, _ wanted: TableDefinition, _ names: [String: String]) {
        guard !mapping.key.isEmpty, mapping.rowID == nil, !mapping.takesKeyFromSchema else { return }
        let key = wanted.primaryKey.map { names[asciiLowercased($0)] ?? $0 }
        let isSame = Set(target.primaryKey.map(asciiLowercased)) == Set(key.map(asciiLowercased))
        let generates = !mapping.isKeyGenerated || target.hasRowIDKey
        let counts = !wanted.isAutoincrement || target.isAutoincrement
        guard !isSame || !generates || !counts else { return }
        differ(
            !isSame
                ? "its primary key isn't \(key.joined(separator: ", "))"
                : !generates ? "\(key[0]) isn't an INTEGER PRIMARY KEY" : "\(key[0]) isn't AUTOINCREMENT",
            mapping.columns[mapping.key[0]].key)
        for index in target.columns.indices { target.columns[index].remove(.primaryKey) }
        target.constraints.removeAll { $0.kind == .primaryKey }
        for (name, column) in zip(wanted.columns.map(\.name), wanted.columns) {
            let old = names[asciiLowercased(name)] ?? name
            if let clause = column.clause(.primaryKey) {
                if wanted.hasRowIDKey { change(old) { $0.type = "INTEGER" } }
                change(old) { $0.clauses.insert(clause, at: 0) }
            }
            if key.contains(where: { isSameName($0, old) }), let clause = column.clause(.notNull) {
                change(old) { $0.set(clause) }
            }
        }
        if key.count > 1 {
            target.constraints.append(Clause(.primaryKey, "PRIMARY KEY (\(key.map(SQLText.identifier).list(", ")))"))
        }
        guard key.allSatisfy({ found.column($0) != nil }), !isSame else { return }
        let isNull = key.map { "\(SQLText.identifier($0)) IS NULL" }.list(" OR ")
        check(
            "have NULL in \(key.joined(separator: ", ")), which is to be the primary key: give them one first",
            where: isNull)
        checkUnique(key, nil)
    }

    /// Makes the table STRICT, with the types that such a table may have.
    mutating func makeStrict() {
        differ("it isn't STRICT")
        target.isStrict = true
        for column in target.columns {
            let affinity = Affinity(declaredType: column.type, isStrict: false)
            let isPlain = ["int", "integer", "real", "text", "blob", "any"].contains(asciiLowercased(column.type))
            if !isPlain {
                let isAny = column.type.isEmpty || affinity == .numeric
                change(column.name) { $0.type = isAny ? "ANY" : affinity.rawValue }
            }
            let name = SQLText.identifier(column.name)
            guard !column.has(.generated), let type = target.column(column.name)?.type, asciiLowercased(type) != "any"
            else { continue }
            let isUnfit =
                affinity == .blob
                ? "typeof(\(name)) NOT IN ('blob', 'null')" : RowCheck.conversion(name, to: affinity).condition
            check(
                "have a value in \(column.name) that isn't \(type), in a table that is to be STRICT: change them first",
                where: isUnfit)
        }
    }

    /// Finds the indexes that make way for others of their names. One that does what a class declares keeps its name,
    /// unless the class asks for it.
    mutating func replaceIndexes(for mappings: [Mapping]) throws {
        let wanted = try mappings.flatMap { try $0.definition.indexes }.map { (new: $0, old: withOldNames($0)) }
        for (new, old) in wanted {
            guard let index = found.indexes.first(where: { isSameName($0.name, new.name) }), !old.isMet(by: index)
            else { continue }
            if new.isNamed || !wanted.contains(where: { $0.old.isMet(by: index) }) {
                replacedIndexes.insert(asciiLowercased(index.name))
            }
        }
    }

    /// An index that a class declares, by the names that columns have now.
    private func withOldNames(_ wanted: IndexDefinition) -> IndexDefinition {
        guard wanted.columns.allSatisfy({ $0.name != nil }) else { return wanted.renaming(names) }
        return IndexDefinition(
            wanted.name, on: found.name, wanted.columns.compactMap(\.name).map { names[asciiLowercased($0)] ?? $0 },
            isUnique: wanted.isUnique, where: wanted.condition.map { SQLTokens.renaming(names, in: $0) })
    }

    private mutating func fit(_ wanted: IndexDefinition) {
        let old = withOldNames(wanted)
        let (columns, condition) = (old.columns.compactMap(\.name), old.condition)
        let met = target.indexes.filter { old.isMet(by: $0) && !replacedIndexes.contains(asciiLowercased($0.name)) }
        for index in met { knownIndexes.insert(asciiLowercased(index.name)) }
        let isOfColumns = columns.count == old.columns.count
        guard met.isEmpty, !(condition == nil && isOfColumns && isMetByConstraint(columns, isUnique: wanted.isUnique)),
            !newIndexes.contains(where: { wanted.isMet(by: $0) })
        else { return }
        differences.append(Difference(text: "it has no index as by \(wanted.sql)", key: nil, isRelied: true))
        if replacedIndexes.contains(asciiLowercased(wanted.name)) { droppedIndexes.append(wanted.name) }
        newIndexes.append(wanted)
        guard wanted.isUnique else { return }
        checkUnique(
            old.columns.map { $0.name == nil ? "(\($0.text))" : $0.text },
            called: old.columns.map { $0.name ?? $0.text }.joined(separator: ", "), condition)
    }

    /// Whether a constraint's own index does.
    private func isMetByConstraint(_ columns: [String], isUnique: Bool) -> Bool {
        if isUnique { return target.isUnique(columns) }
        return target.primaryKey.map(asciiLowercased) == columns.map(asciiLowercased)
            || columns.count == 1 && target.column(columns[0])?.has(.unique) == true
    }
}
