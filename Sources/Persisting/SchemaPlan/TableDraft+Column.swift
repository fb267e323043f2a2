internal import Foundation

/// What a property wants of a column that is there.
extension TableDraft {
    mutating func fit(
        _ column: ColumnDefinition, _ property: Column, isKey: Bool, _ mapping: Mapping, at place: Int
    ) throws {
        let (current, key) = (target.columns[place], property.key)
        if let generation = column.clause(.generated) {
            return fitGeneration(generation, column, current, key, at: place)
        }
        guard !current.has(.generated) else { return }
        try fitType(column, property, current, mapping)
        fitNull(column, property, current, isKey: isKey, mapping, at: place)
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
            checkUniques(of: current.name)
        }
        if column.has(.unique) { fitUnique(current.name, key) }
        if let check = column.clause(.check) { fitCheck(check, current.name, key) }
    }

    /// Asks for rows that are the same by another collation of a column, or by its new values.
    mutating func checkUniques(of column: String) {
        var kept = target
        // An index that says its own collation stays as it is.
        kept.indexes.removeAll { index in
            replacedIndexes.contains(asciiLowercased(index.name))
                || SQLTokens(index.sql).tokens.contains { $0.isWord("COLLATE") }
        }
        var asked: Set<[String]> = []
        for unique in kept.uniques where unique.columns.contains(where: { isSameName($0, column) }) {
            // An expression has no name by which to ask.
            guard !unique.columns.contains(""), asked.insert(unique.columns + [unique.condition ?? ""]).inserted else {
                continue
            }
            checkUnique(unique.columns, unique.condition)
        }
    }

    private mutating func fitUnique(_ column: String, _ key: String) {
        // One that was added later, in place of a constraint, is the class's.
        for index in target.indexes where index.isUnique && index.condition == nil && index.columns.count == 1 {
            if let name = index.columns[0].name, isSameName(name, column) {
                knownIndexes.insert(asciiLowercased(index.name))
            }
        }
        guard !isUnique(column) else { return }
        differences.append(Difference(text: "\(column) is not UNIQUE", key: key, isRelied: true))
        addUniqueIndex(column)
    }

    private mutating func fitGeneration(
        _ generation: Clause, _ column: ColumnDefinition, _ current: ColumnDefinition, _ key: String, at place: Int
    ) {
        let found = current.clause(.generated)
        let isSame =
            found.map { SQLTokens($0.inside ?? "").meaning } == SQLTokens(generation.inside ?? "").meaning
            && found.map(isStored) == isStored(generation)
        if isSame { return }
        target.columns[place] = column
        target.columns[place].name = current.name
        loses = loses || found == nil
        differ("\(current.name) isn't \(generation.sql)", key)
    }

    /// Gives the column another type, where it changes values of the property's, or holds them in another form.
    private mutating func fitType(
        _ column: ColumnDefinition, _ property: Column, _ current: ColumnDefinition, _ mapping: Mapping
    ) throws {
        let key = property.key
        let fit = ColumnFit(property, declaredType: current.type, isStrict: target.isStrict)
        let isMisfit = fit?.isMisfit == true
        if try fitDates(column, property, current, isMisfit: isMisfit) { return }
        if unwrapped(property.type) == UUID.self, property.codec.keepsOrder {
            guard try convertUUIDs(current, column, property.declaration.uuidStorage) else { return }
            let difference =
                isSameName(current.type, column.type)
                ? "holds UUIDs in letters of the other case" : "is declared \(current.type)"
            let form = property.declaration.uuidStorage.map { "\($0)" } ?? column.type
            return differ("\(current.name) \(difference), and \(key) is stored as \(form)", key, isRelied: isMisfit)
        }
        if let fit, isMisfit {
            if fit.isUnreadable { throw fit.error(property, mapping) }
            differ(fit.reason(property), key, isRelied: true)
        } else if let stored = try otherStorage(column, property, current, mapping) {
            differ(
                "\(current.name) is declared \(current.type), and \(source: property.type) is stored as \(stored)", key)
        } else {
            return
        }
        convert(current.name, to: column.type, default: column.clause(.defaultValue))
    }

    /// What values of the property are stored as, where the column's type says something else though it takes them.
    private func otherStorage(
        _ column: ColumnDefinition, _ property: Column, _ current: ColumnDefinition, _ mapping: Mapping
    ) throws -> String? {
        if property.codec.columnType == .blob,
            Affinity(declaredType: current.type, isStrict: target.isStrict) != .blob
        {
            // A column that isn't STRICT stores bytes as they are, so only other values need another type.
            let isOther =
                try target.isStrict || mapping.modelType.tableOptions.contains(.strict)
                || holdsOtherThanBytes(current.name)
            return isOther ? "BLOB" : nil
        }
        // Such a column takes any value, but what it has are bytes.
        guard isOfBytes(current.type), !isOfBytes(column.type),
            Affinity(declaredType: column.type, isStrict: target.isStrict) != .blob
        else { return nil }
        return column.type
    }

    private mutating func fitNull(
        _ column: ColumnDefinition, _ property: Column, _ current: ColumnDefinition, isKey: Bool, _ mapping: Mapping,
        at place: Int
    ) {
        let (key, name) = (property.key, asciiLowercased(current.name))
        // An SQLiteValue may be NULL, and need not.
        let isNullable = isOptional(property.type) && !property.declaration.isNotNull
        // A row of another class of the table has no value of it.
        let isOfSubclass = mapping.place != nil && !column.has(.notNull) && !current.has(.defaultValue)
        let mayBeNull = (isNullable || isOfSubclass) && !isKey
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
                values[name] = "coalesce(\(values[name] ?? SQLText.identifier(current.name)), \(sql))"
            } else {
                check(
                    "have NULL in \(current.name), which is to be NOT NULL: declare it "
                        + Self.defaultToDeclare(property, mapping),
                    where: "\(SQLText.identifier(current.name)) IS NULL")
            }
        }
    }

    private mutating func fitCheck(_ check: Clause, _ name: String, _ key: String) {
        let meaning = SQLTokens(check.inside ?? "").meaning
        guard !target.checks.contains(where: { SQLTokens($0.expression).meaning == meaning }) else { return }
        differ("\(name) has no \(check.sql)", key)
        change(name) { $0.set(check) }
        checkExpression(check.inside ?? "")
    }

    /// The declaration of a default: of a property that is stored as JSON, with the value that a fresh object has.
    static func defaultToDeclare(_ property: Column, _ mapping: Mapping) -> String {
        guard case .normalized = property.codec.comparedForm, property.codec.columnType == .text,
            let index = mapping.columns.firstIndex(where: { $0.key == property.key }),
            case .text(let json)? = try? mapping.stored(index, of: mapping.modelType.init()),
            json.utf8.count <= 200, !json.contains("\"#"), !json.contains("\\")
        else { return ".default(…)" }
        return json.contains("\"") ? ".json.default(#\"\(json)\"#)" : ".json.default(\"\(json)\")"
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
}
