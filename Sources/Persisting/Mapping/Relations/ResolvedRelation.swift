/// A relation whose columns are known: what is the same for each load and each condition.
final class ResolvedRelation: Sendable {
    /// A step from the rows of one table to those of another, whose columns have the same values.
    struct Hop: Sendable {
        let from: Mapping
        let fromColumns: [Int]
        let to: Mapping
        let toColumns: [Int]
        /// Whether there is one row at most at its end.
        let isToOne: Bool

        var reversed: Hop {
            Hop(from: to, fromColumns: toColumns, to: from, toColumns: fromColumns, isToOne: false)
        }
    }

    let declaration: RelationDeclaration
    /// The mapping of the class that the relation is resolved from.
    let source: Mapping
    /// One for a foreign key, two for links, and those of both for a relation through another.
    let hops: [Hop]
    /// Whether there is one object at most.
    let isToOne: Bool
    /// The to-one relation that leads back, of a relation that is declared as its inverse.
    let inverse: RelationDeclaration?

    var refinement: RelationDeclaration.Refinement { declaration.refinement }
    /// The mapping of the related objects' class.
    var target: Mapping { hops[hops.count - 1].to }

    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    init(_ declaration: RelationDeclaration, _ source: Mapping) throws {
        guard source.isOf(declaration.source) else {
            throw PersistenceError(
                .invalidRelation,
                "the relation to \(ModelDescription.name(of: declaration.target)) is one of "
                    + "\(ModelDescription.name(of: declaration.source)), and this is \(source.modelName)",
                model: source.modelName)
        }
        self.declaration = declaration
        self.source = source
        hops = try Self.hops(declaration, source)
        isToOne = hops.allSatisfy(\.isToOne)
        inverse = if case .toMany(let inverse) = declaration.shape { inverse.root } else { nil }
    }

    /// A relation that is refined.
    ///
    /// - Parameter root: The relation without its refinement.
    init(_ declaration: RelationDeclaration, _ root: ResolvedRelation) {
        self.declaration = declaration
        source = root.source
        hops = root.hops
        isToOne = root.isToOne
        inverse = root.inverse
    }

    /// The relation's name in its class's ``PersistingModel/relations``, for messages; the related class's where it has
    /// none.
    var name: String {
        let relations = try? source.relations
        return relations?.name(of: declaration) ?? ModelDescription.name(of: declaration.target)
    }

    private static func hops(_ declaration: RelationDeclaration, _ source: Mapping) throws -> [Hop] {
        switch declaration.shape {
        case .toOne(let key):
            return [try hop(key, declaration, from: source, to: declaration.target(dates: source.dates))]
        case .toMany(let inverse):
            let child = try declaration.target(dates: source.dates)
            try requireListed(inverse, child, by: source)
            return [try hop(inverse, from: child, to: source).reversed]
        case .link(let first, let second):
            let link = try Mapping.of(first.source, dates: source.dates)
            let target = try declaration.target(dates: source.dates)
            return [try hop(first, from: link, to: source).reversed, try hop(second, from: link, to: target)]
        case .through(let first, let second):
            for part in [first, second] where part.refinement.isSelection {
                throw PersistenceError(
                    .invalidRelation,
                    "a relation through others takes them as they are declared: refine the whole instead, by where, "
                        + "sorted or limit of it", model: source.modelName)
            }
            let start = try hops(first, source)
            return start + (try hops(second, start[start.count - 1].to))
        }
    }

    private static func hop(_ declaration: RelationDeclaration, from: Mapping, to: Mapping) throws -> Hop {
        guard case .toOne(let key) = declaration.shape else {
            throw PersistenceError(
                .invalidRelation,
                "the relation to \(to.modelName) goes through others, and has no foreign key of its own: name one that has",
                model: from.modelName)
        }
        return try hop(key, declaration, from: from, to: to)
    }

    private static func hop(
        _ key: RelationDeclaration.ForeignKey, _ declaration: RelationDeclaration, from: Mapping, to: Mapping
    ) throws -> Hop {
        let columns = try from.foreignKeyColumns(key, of: declaration)
        let parents = try to.referencedColumns(key, by: from, columns)
        return Hop(from: from, fromColumns: columns, to: to, toColumns: parents, isToOne: true)
    }

    private static func requireListed(
        _ inverse: RelationDeclaration, _ child: Mapping, by source: Mapping
    ) throws {
        guard try child.relations?.name(of: inverse) == nil else { return }
        throw PersistenceError(
            .invalidRelation,
            "its inverse isn't in \(child.modelName).relations, so that the schema has neither its foreign key nor its "
                + "index: add it there, as in override class var relations: Relations { [\"\(source.modelName.prefix(1).lowercased() + source.modelName.dropFirst())\": …] }",
            model: source.modelName)
    }
}

extension RelationDeclaration {
    func target(dates: DateStorage) throws -> Mapping { try Mapping.of(target, dates: dates) }
}

extension Mapping {
    /// Whether the mapped class is another or a subclass of it.
    func isOf(_ type: PersistingModel.Type) -> Bool {
        lineage(of: modelType, below: PersistingModel.self).contains { $0 == type }
    }

    /// The columns of a foreign key.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    func foreignKeyColumns(
        _ key: RelationDeclaration.ForeignKey, of declaration: RelationDeclaration, name: String? = nil
    ) throws -> [Int] {
        let target = ModelDescription.name(of: declaration.target)
        let indices = try key.keys.map { keyPath in
            do {
                return try index(of: keyPath)
            } catch {
                let known = columns.map(\.key).joined(separator: ", ")
                throw PersistenceError(
                    .invalidRelation,
                    "the foreign key to \(target) is \(keyPath), which isn't a property with a column; there is: \(known)",
                    model: modelName, key: name, underlying: error)
            }
        }
        if let deferred = indices.first(where: { columns[$0].declaration.isDeferred }) {
            throw PersistenceError(
                .invalidRelation,
                "\(columns[deferred].key) is declared .deferred, so that objects don't know it: a foreign key is "
                    + "read with its object", model: modelName, key: name)
        }
        return indices
    }

    /// The columns that a foreign key of another class references in this one.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a number of columns, or types, that don't fit.
    func referencedColumns(
        _ key: RelationDeclaration.ForeignKey, by child: Mapping, _ columns: [Int], name: String? = nil
    ) throws -> [Int] {
        func failure(_ message: String) -> PersistenceError {
            PersistenceError(.invalidRelation, message, model: child.modelName, key: name)
        }
        let names = columns.map { child.columns[$0].key }
        let own = names.map { "\\\(child.modelName).\($0)" }.joined(separator: ", ")
        let parents = try key.references.isEmpty ? self.key : key.references.map { try index(of: $0) }
        guard !parents.isEmpty else {
            let reason =
                takesKeyFromSchema
                ? "\(modelName) takes its key from the table: name the property"
                : "\(modelName) has no primary key: declare one, or name a unique property"
            throw failure("\(reason), ToOne(\(own), \(modelName).self, references: \\\(modelName).…)")
        }
        let parentNames = parents.map { self.columns[$0].key }
        guard parents.count == columns.count else {
            let what = key.references.isEmpty ? "the primary key of \(modelName)" : "what is referenced"
            throw failure(
                "\(what) is \(parentNames.joined(separator: ", ")), and the foreign key \(names.joined(separator: ", ")): "
                    + "name as many properties, in the same order")
        }
        for (column, parent) in zip(columns, parents) {
            let (mine, theirs) = (child.operands[column], operands[parent])
            if let difference = mine.column.difference(from: theirs.column) { throw failure(difference) }
            guard mine.kind != .any, theirs.kind != .any, mine.affinity != theirs.affinity else { continue }
            throw failure(
                "\(child.columns[column].key) is stored as \(mine.affinity.rawValue), and \(modelName)."
                    + "\(self.columns[parent].key) as \(theirs.affinity.rawValue): give both the same type")
        }
        return parents
    }
}
