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
                try fit(column, property, isKey: mapping.isKey(property), mapping, at: place)
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
        if wanted.isStrict, !target.isStrict { makeStrict() }
        if mapping.isKeyGenerated, mapping.rowID == nil, target.isWithoutRowID {
            target.isWithoutRowID = false
            differ("it is WITHOUT ROWID, so SQLite generates no key for it")
        }
        if wanted.isWithoutRowID, !target.isWithoutRowID {
            target.isWithoutRowID = true
            differ("it isn't WITHOUT ROWID")
        }
        for index in wanted.indexes { fit(index) }
    }

    /// The declaration of a default: of a property that is stored as JSON, with the value that a fresh object has.
    private static func defaultToDeclare(_ property: Column, _ mapping: Mapping) -> String {
        guard case .normalized = property.codec.comparedForm, property.codec.columnType == .text,
            let index = mapping.columns.firstIndex(where: { $0.key == property.key }),
            case .text(let json)? = try? mapping.stored(index, of: mapping.modelType.init()),
            json.utf8.count <= 200, !json.contains("\"#"), !json.contains("\\")
        else { return ".default(…)" }
        return json.contains("\"") ? ".json.default(#\"\(json)\"#)" : ".json.default(\"\(json)\")"
    }

    private mutating func fit(
        _ column: ColumnDefinition, _ property: Column, isKey: Bool, _ mapping: Mapping, at place: Int
    ) throws {
        let (current, key) = (target.columns[place], property.key)
        let name = SQLText.identifier(current.name)
        if let generation = column.clause(.generated) {
            let same =
                current.clause(.generated).map { SQLTokens($0.inside ?? "").meaning }
                == SQLTokens(generation.inside ?? "").meaning
                && current.clause(.generated).map(isStored) == isStored(generation)
            if !same {
                target.columns[place] = column
                target.columns[place].name = current.name
                loses = loses || !current.has(.generated)
                differ("\(current.name) isn't \(generation.sql)", key)
            }
            return
        }
        guard !current.has(.generated) else { return }
        let fit = ColumnFit(property, declaredType: current.type, isStrict: target.isStrict)
        let isMisfit = fit?.isMisfit == true
        if try fitDates(column, property, current, isMisfit: isMisfit) {
            // Nothing else about its type.
        } else if unwrapped(property.type) == UUID.self, property.codec.keepsOrder {
            if try convertUUIDs(current, column, property.declaration.uuidStorage) {
                let difference =
                    isSameName(current.type, column.type)
                    ? "holds UUIDs in letters of the other case" : "is declared \(current.type)"
                let form = property.declaration.uuidStorage.map { "\($0)" } ?? column.type
                differ("\(current.name) \(difference), and \(key) is stored as \(form)", key, isRelied: isMisfit)
            }
        } else if let fit, isMisfit {
            if fit.isUnreadable { throw fit.error(property, mapping) }
            differ(fit.reason(property), key, isRelied: true)
            convert(current.name, to: column.type, default: column.clause(.defaultValue))
        } else if property.codec.columnType == .blob,
            Affinity(declaredType: current.type, isStrict: target.isStrict) != .blob,
            try target.isStrict || mapping.modelType.tableOptions.contains(.strict)
                || holdsOtherThanBytes(current.name)
        {
            // A column that isn't STRICT stores bytes as they are, so only other values need another type.
            differ("\(current.name) is declared \(current.type), and \(source: property.type) is stored as BLOB", key)
            convert(current.name, to: column.type, default: column.clause(.defaultValue))
        } else if isOfBytes(current.type), !isOfBytes(column.type),
            Affinity(declaredType: column.type, isStrict: target.isStrict) != .blob
        {
            // Such a column takes any value, but what it has are bytes.
            differ(
                "\(current.name) is declared \(current.type), and \(source: property.type) is "
                    + "stored as \(column.type)", key)
            convert(current.name, to: column.type, default: column.clause(.defaultValue))
        }
        // An SQLiteValue may be NULL, and need not.
        let mayBeNull = isOptional(property.type) && !property.declaration.isNotNull && !isKey
        let hasDefault = current.has(.defaultValue)
        // An inserted nil becomes what an expression gives, such as the time. A literal is what the property had.
        if mayBeNull, current.has(.notNull), !hasDefault || current.hasLiteralDefault {
            differ(
                "\(current.name) is NOT NULL, and \(key) may be nil"
                    + (hasDefault ? "" : ": make it not Optional, or declare the column .notNull"), key,
                isRelied: !hasDefault)
            change(current.name) { changed in
                changed.remove(.notNull)
                if !column.has(.defaultValue) { changed.remove(.defaultValue) }
            }
        } else if let clause = column.clause(.notNull), !current.has(.notNull), !isKey {
            differ("\(current.name) may be NULL, and \(key) can't", key)
            let value = column.clause(.defaultValue) ?? target.columns[place].clause(.defaultValue)
            change(current.name) { changed in
                changed.set(clause)
                if let value, !changed.has(.defaultValue) { changed.set(value) }
            }
            if let sql = value?.defaultSQL {
                values[asciiLowercased(current.name)] =
                    "coalesce(\(values[asciiLowercased(current.name)] ?? name), \(sql))"
            } else {
                check(
                    "have NULL in \(current.name), which is to be NOT NULL: declare it "
                        + Self.defaultToDeclare(property, mapping),
                    where: "\(name) IS NULL")
            }
        }
        if let value = column.clause(.defaultValue), !value.isImplied,
            SQLTokens(value.sql).meaning
                != SQLTokens("DEFAULT \(current.clause(.defaultValue)?.defaultSQL ?? "")").meaning
        {
            differ("the default of \(current.name) isn't \(value.defaultSQL ?? "")", key)
            change(current.name) { $0.set(value) }
        }
        if let collation = column.clause(.collation),
            asciiLowercased(collation.collation ?? "")
                != asciiLowercased(current.clause(.collation)?.collation ?? "binary")
        {
            differ("\(current.name) isn't \(collation.sql)", key)
            change(current.name) { $0.set(collation) }
        }
        if column.has(.unique), !isUnique(current.name) {
            differences.append(Difference(text: "\(current.name) is not UNIQUE", key: key, isRelied: true))
            addUniqueIndex(current.name)
        }
        if let check = column.clause(.check) {
            let meaning = SQLTokens(check.inside ?? "").meaning
            if !target.checks.contains(where: { SQLTokens($0.expression).meaning == meaning }) {
                differ("\(current.name) has no \(check.sql)", key)
                change(current.name) { $0.set(check) }
                checkExpression(check.inside ?? "")
            }
        }
    }

    private func isOfBytes(_ type: String) -> Bool {
        !type.isEmpty && Affinity(declaredType: type, isStrict: target.isStrict) == .blob
            && asciiLowercased(type).contains("blob")
    }

    private func isStored(_ generation: Clause) -> Bool {
        SQLTokens(generation.sql).tokens.last?.isWord("STORED") == true
    }

    private func isUnique(_ column: String) -> Bool {
        if target.isUnique([column]) { return true }
        let final = finalName(of: column)
        return newIndexes.contains { index in
            index.isUnique && index.condition == nil && index.columns.count == 1
                && isSameName(index.columns[0].name ?? "", final)
        }
    }

    private mutating func checkExpression(_ expression: String) {
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
        if wanted.isUnique { checkUnique(columns, condition) }
    }

    /// Whether a constraint's own index does.
    private func isMetByConstraint(_ columns: [String], isUnique: Bool) -> Bool {
        if isUnique { return target.isUnique(columns) }
        return target.primaryKey.map(asciiLowercased) == columns.map(asciiLowercased)
            || columns.count == 1 && target.column(columns[0])?.has(.unique) == true
    }
}
