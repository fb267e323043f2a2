/// Changes to a table, to be made together; see `PersistenceManager.alterTable(_:_:)`.
public struct TableAlteration {
    enum Change {
        case add(String, ColumnDeclaration)
        case change(String, ColumnDeclaration)
        case rename(String, String)
        case drop(String)
        case renameTable(String)
        case makeStrict
        case addCheck(SQL)
        case addIndex([String], isUnique: Bool)
        case dropIndex(String)
    }

    private(set) var changes: [Change] = []

    /// Adds a column at the end.
    ///
    /// A column that is ``ColumnDeclaration/notNull`` needs a default when the table has rows.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - declaration: The column's declaration.
    public mutating func add(_ column: String, _ declaration: ColumnDeclaration) {
        changes.append(.add(column, declaration))
    }

    /// Declares a column again. Its values are converted when its type changes; rows whose values can't be are an
    /// error.
    ///
    /// A CHECK, UNIQUE, NOT NULL, default, collation or foreign key that the declaration doesn't have is gone
    /// afterwards. The primary key stays.
    ///
    /// Dates are converted from the form that the table says they have to the new one, and UUIDs from text to bytes or
    /// back. Where a column has numbers and the table doesn't say of which form, they are taken for dates in the new
    /// one if its type stays.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - declaration: The new declaration.
    public mutating func change(_ column: String, to declaration: ColumnDeclaration) {
        changes.append(.change(column, declaration))
    }

    /// Gives a column another name, wherever it is used: in indexes, triggers and views as well.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - name: The new name.
    public mutating func rename(_ column: String, to name: String) { changes.append(.rename(column, name)) }

    /// Drops a column with its values, and the indexes and constraints of the table that it is in.
    ///
    /// - Parameter column: The column's name.
    public mutating func drop(_ column: String) { changes.append(.drop(column)) }

    /// Gives the table another name, wherever it is used.
    ///
    /// - Parameter name: The new name.
    public mutating func rename(to name: String) { changes.append(.renameTable(name)) }

    /// Makes the table STRICT. Types that such a table doesn't take become those of their affinity.
    public mutating func makeStrict() { changes.append(.makeStrict) }

    /// Adds a CHECK of the table.
    ///
    /// - Parameter expression: The SQL expression.
    public mutating func addCheck(_ expression: SQL) { changes.append(.addCheck(expression)) }

    /// Adds an index on columns, in this order.
    ///
    /// - Parameters:
    ///   - column: The first column.
    ///   - more: More columns.
    ///   - isUnique: Whether the values must differ.
    public mutating func addIndex(on column: String, _ more: String..., isUnique: Bool = false) {
        changes.append(.addIndex([column] + more, isUnique: isUnique))
    }

    /// Drops an index by its name.
    ///
    /// - Parameter name: The index's name.
    public mutating func dropIndex(_ name: String) { changes.append(.dropIndex(name)) }
}

extension TableDraft {
    /// Makes changes by hand, one after the other. Each knows the names that those before it have given.
    mutating func make(_ changes: [TableAlteration.Change], dates: DateStorage) throws {
        var indexes: [(columns: [String], isUnique: Bool)] = []
        var unique: [String] = []
        for change in changes {
            switch change {
            case .add(let name, let declaration):
                let column = try newColumn(name, declaration, dates)
                if column.has(.unique) { unique.append(column.name) }
            case .change(let name, let declaration): try redeclare(try place(of: name), declaration, dates)
            case .rename(let name, let new): try rename(name, to: new)
            case .drop(let name):
                let old = target.columns[try place(of: name)].name
                dropColumn(old)
                renames.removeAll { isSameName($0.old, old) }
            case .renameTable(let name): newName = haveSameBytes(name, found.name) ? nil : name
            case .makeStrict: if !target.isStrict { makeStrict() }
            case .addCheck(let expression): try addCheck(try expression.declared("CHECK", model: found.name))
            case .addIndex(let columns, let isUnique):
                indexes.append((try columns.map { target.columns[try place(of: $0)].name }, isUnique))
            case .dropIndex(let name):
                guard found.indexes.contains(where: { isSameName($0.name, name) }) else {
                    throw mistake("there is no index \(name)", name)
                }
                droppedIndexes.append(name)
            }
        }
        guard !target.columns.isEmpty else {
            throw mistake("all columns are dropped, and a table needs one: drop the table instead", nil)
        }
        // Now it is known what the columns are called in the end.
        for column in unique where target.column(column) != nil { addUniqueIndex(column) }
        for (columns, isUnique) in indexes where columns.allSatisfy({ target.column($0) != nil }) {
            let table = newName ?? found.name
            newIndexes.append(IndexDefinition(nil, on: table, columns.map(finalName), isUnique: isUnique))
            if isUnique { checkUnique(columns, nil) }
        }
    }

    /// - Returns: The column as it is declared, under the name that it has until the renames.
    private mutating func newColumn(
        _ name: String, _ declaration: ColumnDeclaration, _ dates: DateStorage
    ) throws -> ColumnDefinition {
        // It throws for a name that is free.
        guard (try? place(of: name)) == nil else { throw mistake("there is a column \(name) already", name) }
        guard !declaration.isAutoincrement else {
            throw mistake("the column \(name) is declared .autoincrement, and only a table's primary key can be", name)
        }
        let column = try definition(
            declaration, target.column(name) == nil ? name : newcomer(name), dates)
        var added = column
        added.remove(.unique)
        add(added, key: nil)
        return column
    }

    /// A column as it is declared, by the names that the others have until the renames.
    private func definition(
        _ declaration: ColumnDeclaration, _ name: String, _ dates: DateStorage
    ) throws -> ColumnDefinition {
        var column = try declaration.definition(name, found.name, dates, isStrict: target.isStrict)
        column.clauses = column.clauses.map {
            [.check, .generated].contains($0.kind) ? $0.renaming(oldNames) : $0
        }
        return column
    }

    /// The names that columns have until the renames, by those that they have then in lower case.
    private var oldNames: [String: String] { Dictionary(renames.map { (asciiLowercased($0.new), $0.old) }) { $1 } }

    private mutating func rename(_ name: String, to new: String) throws {
        let place = try place(of: name)
        if let other = try? self.place(of: new), other != place {
            throw mistake("there is a column \(new) already", new)
        }
        let old = target.columns[place].name
        renames.removeAll { isSameName($0.old, old) }
        renames.append((old, new))
    }

    private mutating func addCheck(_ text: String) throws {
        let clause = Clause(.check, "CHECK (\(text))").renaming(oldNames)
        target.constraints.append(clause)
        differ("it has no \(clause.sql)")
        check("fail \(clause.sql): change them first", where: "NOT (\(clause.inside ?? text))")
    }

    private mutating func redeclare(_ place: Int, _ declaration: ColumnDeclaration, _ dates: DateStorage) throws {
        let current = target.columns[place]
        var column = try definition(declaration, current.name, dates)
        differ("\(current.name) is to be \(column.definition)")
        if let key = current.clause(.primaryKey) { column.clauses.insert(key, at: 0) }
        target.constraints.removeAll {
            $0.kind == .foreignKey && ForeignKeyDefinition($0, of: nil).columns == [asciiLowercased(current.name)]
        }
        let hadType = Affinity(declaredType: current.type, isStrict: target.isStrict)
        let isGenerated = column.has(.generated)
        loses = loses || isGenerated && !current.has(.generated)
        target.columns[place] = column
        guard !isGenerated, !current.has(.generated) else { return }
        // A column without a type takes every value as it is.
        if declaration.kind == .date, let source = try dateSource(of: current, for: declaration.dateStorage ?? dates) {
            convertDates(current.name, from: source, to: declaration.dateStorage ?? dates, column)
        } else if declaration.kind == .uuid {
            try convertUUIDs(current, column, declaration.uuidStorage)
        } else if declaration.kind != .any, Affinity(declaredType: column.type, isStrict: target.isStrict) != hadType {
            convert(current.name, to: column.type, default: column.clause(.defaultValue))
        }
        let name = SQLText.identifier(current.name)
        if column.has(.notNull), !current.has(.notNull) {
            if let value = column.clause(.defaultValue)?.defaultSQL {
                values[asciiLowercased(current.name)] =
                    "coalesce(\(values[asciiLowercased(current.name)] ?? name), \(value))"
            } else {
                check(
                    "have NULL in \(current.name), which is to be NOT NULL: give it a default", where: "\(name) IS NULL"
                )
            }
        }
        if let text = column.clause(.check)?.inside {
            check("fail CHECK (\(text)): change them first", where: "NOT (\(text))")
        }
        if column.has(.unique) { checkUnique([current.name], nil) }
    }

    /// The place of a column, by the name that it has by now.
    private func place(of name: String) throws -> Int {
        let old = renames.first { isSameName($0.new, name) }?.old ?? name
        guard let place = target.index(of: old), !renames.contains(where: { isSameName($0.old, name) }) || old != name
        else {
            let known = target.columns.map(\.name).joined(separator: ", ")
            throw mistake("there is no column \(name); there is: \(known)", name)
        }
        return place
    }

    private func mistake(_ message: String, _ key: String?) -> PersistenceError {
        PersistenceError(.unknownKey, "in the table \(found.name), \(message)", key: key)
    }
}

extension ColumnDeclaration {
    /// A column of a table that no class is asked about.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` for a declaration by key path, which says no type.
    fileprivate func definition(
        _ name: String, _ table: String, _ dates: DateStorage, isStrict: Bool
    ) throws -> ColumnDefinition {
        let type: String? =
            switch kind {
            case .int, .bool: "INTEGER"
            case .double: "REAL"
            case .string, .url, .decimal, .json: "TEXT"
            case .data: "BLOB"
            case .uuid: uuidStorage == .blob ? "BLOB" : "TEXT"
            case .date: (dateStorage ?? dates).columnType.rawValue
            case .any: isStrict ? "ANY" : ""
            case .path: nil
            }
        guard let type else {
            throw PersistenceError(
                .invalidModel, "a column by key path has no type of its own: declare \(name) by another kind", key: name
            )
        }
        return ColumnDefinition(
            name: name, type: type,
            clauses: [kind == .date ? (dateStorage ?? dates).mark : nil].compactMap { $0 }
                + (isNotNull ? [Clause(.notNull, "NOT NULL")] : [])
                + (try clauses(model: table, key: name)))
    }
}
