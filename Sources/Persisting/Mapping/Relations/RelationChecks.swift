/// What is wrong with relations, in words for whoever declared them.
extension Mapping {
    /// A relation by itself, without regard to the class that it leads to.
    func check(name: String, _ declaration: RelationDeclaration, _ relations: Relations) throws {
        func failure(_ message: String) -> PersistenceError {
            PersistenceError(.invalidRelation, message, model: modelName, key: name)
        }
        guard isOf(declaration.source) else {
            let owner = ModelDescription.name(of: declaration.source)
            throw failure("the relation is one of \(owner): list it in \(owner).relations")
        }
        guard !name.isEmpty, !name.contains(where: { $0 == "." || $0 == "@" || $0 == "#" || $0.isWhitespace }) else {
            throw failure(
                "\"\(name)\" can't be the name of a relation: dots, @, # and blanks mean something in conditions")
        }
        guard relations.elements.filter({ $0.name == name }).count == 1 else {
            throw failure("relations has two of this name: give one another")
        }
        if columns.contains(where: { $0.key == name }) || virtualKeys[name] != nil {
            throw failure(
                "a property has this name, and conditions couldn't tell them apart: give the relation another")
        }
    }

    /// A relation with the class that it leads to.
    func check(_ declaration: RelationDeclaration, _ name: String) throws {
        func failure(_ message: String) -> PersistenceError {
            PersistenceError(.invalidRelation, message, model: modelName, key: name)
        }
        guard case .toOne(let key) = declaration.shape else {
            do {
                _ = try declaration.resolved(from: self)
            } catch let error as PersistenceError where error.code == .invalidRelation && error.key == nil {
                throw PersistenceError(
                    .invalidRelation, error.model == modelName ? error.message : error.statement, model: modelName,
                    key: name)
            }
            return
        }
        let target = try declaration.target(dates: dates)
        let columns = try foreignKeyColumns(key, of: declaration, name: name)
        let parents = try target.referencedColumns(key, by: self, columns, name: name)
        let parentNames = parents.map { target.columns[$0].name }
        guard try target.definition.isUnique(parentNames) || parents == target.key else {
            let keys = parents.map { target.columns[$0].key }.joined(separator: ", ")
            throw failure(
                "\(target.modelName).\(keys) isn't unique, so that no one row can be found by it: declare it .unique, or an "
                    + "Index.unique")
        }
        for action in [("onDelete", key.onDelete), ("onUpdate", key.onUpdate)] where action.1 == .setNull {
            guard key.isEnforced, let column = columns.first(where: { !mayBeNull($0) }) else { continue }
            throw failure(
                "\(action.0): .setNull stores NULL, which \(self.columns[column].key) can't hold: make it Optional, or "
                    + "choose another action")
        }
    }

    private func mayBeNull(_ index: Int) -> Bool { !sql.definitions[index].has(.notNull) }
}

extension TableDefinition {
    /// Adds a foreign key.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation`` when the class's `columns` say another.
    mutating func declare(
        _ key: RelationDeclaration.ForeignKey, _ name: String, _ declaration: RelationDeclaration, _ indices: [Int],
        _ mapping: Mapping
    ) throws {
        // The parent's columns are left out where they are its primary key, so that the class need not be mapped.
        var parents: [String] = []
        if !key.references.isEmpty {
            let target = try declaration.target(dates: mapping.dates)
            parents = try key.references.map { target.columns[try target.index(of: $0)].name }
        }
        let names = indices.map { mapping.columns[$0].name }
        let reference = Reference(
            type: declaration.target, column: parents.count == 1 ? parents[0] : nil, onDelete: key.onDelete,
            onUpdate: key.onUpdate, isDeferred: key.isDeferred)
        try reference.check(from: mapping.modelType, key: name)
        guard names.count == 1, let place = index(of: names[0]) else {
            let list = names.map(SQLText.identifier).list(", ")
            constraints.append(
                Clause(.foreignKey, "FOREIGN KEY (\(list)) \(reference.sql(parents.map(SQLText.identifier)))"))
            return
        }
        let clause = Clause(.foreignKey, reference.sql)
        if let declared = columns[place].clause(.foreignKey), declared.sql != clause.sql {
            throw PersistenceError(
                .invalidRelation,
                "columns declares \(names[0]) \(declared.sql), and the relation \(clause.sql): say it in one place",
                model: mapping.modelName, key: name)
        }
        columns[place].set(clause)
    }

    /// Adds an index on columns, unless there is one that begins with them.
    mutating func declareIndex(on names: [String]) {
        func begins(_ columns: [String?]) -> Bool {
            columns.count >= names.count && zip(columns, names).allSatisfy { isSameName($0 ?? "", $1) }
        }
        let isThere =
            begins(primaryKey) || names.count == 1 && columns.contains { $0.has(.unique) && begins([$0.name]) }
            || indexes.contains { $0.condition == nil && begins($0.columns.map(\.name)) }
        let taken = Set(indexes.map { asciiLowercased($0.name) })
        if !isThere { indexes.append(IndexDefinition(nil, on: name, names).named(besides: taken)) }
    }
}
