/// Conditions and values of related rows.
extension CriteriaResolver {
    /// The relation that a condition names.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey``; ``PersistenceError/Code/invalidRelation``;
    ///   ``PersistenceError/Code/invalidCriteria`` for one with a limit.
    func relation(_ reference: RelationReference) throws -> ResolvedRelation {
        let declaration =
            switch reference {
            case .declared(let declaration): declaration
            case .named(let name): try mapping.relation(named: name)
            }
        let relation = try declaration.resolved(from: mapping)
        guard declaration.refinement.limit == nil, declaration.refinement.offset == nil else {
            throw criteriaError(
                "a condition asks all related rows, and this relation takes a part of them: remove its limit and "
                    + "offset",
                key: relation.name)
        }
        return relation
    }

    /// One of a relation's rows meets a condition.
    func exists(_ relation: ResolvedRelation, _ node: CriteriaNode) throws -> Condition {
        .exists(try ofRow(relation), try resolver(of: relation.target).condition(node), node)
    }

    /// A relation leads to the row from one that has a key, which the row itself refers to, or is referred to by.
    func isRelated(_ relation: ResolvedRelation, from key: RelationKey) throws -> Condition {
        guard let hop = relation.hops.first, relation.hops.count == 1 else {
            return .isRelated(try ofRow(relation), from: key.values)
        }
        return .and(
            try zip(zip(hop.fromColumns, hop.toColumns), key.values).map { columns, value in
                let column = try mapping.columnOperand(hop.to.columns[columns.1].key)
                let parent = hop.isToOne ? column : hop.from.operands[columns.0]
                return .isEqual(.column(try subject.checked(column, mapping)), .value(value), parent.collation)
            })
    }

    /// A condition on a value of a to-one relation's row, compared with values, as one that the row meets: SQLite finds
    /// the rows from there. Nil for any other condition.
    ///
    /// What is compared with NULL is not asked of the row, since it holds where there is no row.
    func asked(
        _ term: CriteriaTerm, alongside others: [CriteriaTerm], _ node: (CriteriaTerm) -> CriteriaNode
    ) throws -> Condition? {
        // Of groups, the value may be a key.
        guard case .rows = subject, case (let reference, .term(let inner))? = try relatedValue(term),
            others.allSatisfy(\.isPresent)
        else { return nil }
        let relation = try relation(reference)
        return relation.isToOne ? try exists(relation, node(inner)) : nil
    }

    /// What a term asks of related rows; nil for one that asks nothing of them.
    private func relatedValue(_ term: CriteriaTerm) throws -> (RelationReference, RelatedLeaf)? {
        switch term {
        case .related(let reference, let leaf): (reference, leaf)
        case .key(let key): try relatedValue(key)
        default: nil
        }
    }

    /// What a key with dots asks of related rows: `show.title`, `episodes.@count`, `episodes.@sum.seconds`. Nil for a
    /// key of the class itself.
    func relatedValue(_ key: String) throws -> (RelationReference, RelatedLeaf)? {
        guard let dot = key.utf8.firstIndex(of: UInt8(ascii: ".")), (try? mapping.index(ofKey: key)) == nil,
            mapping.jsonTerm(ofKey: key) == nil, try columnElsewhere(key) == nil
        else {
            return nil
        }
        let (name, rest) = (RelationReference.named(String(key[..<dot])), key[key.index(after: dot)...])
        guard rest.hasPrefix("@") else { return (name, .term(.key(String(rest)))) }
        if rest == "@count" { return (name, .count) }
        let parts = rest.dropFirst().split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let aggregate = RelatedAggregate(rawValue: String(parts[0])) else {
            throw criteriaError(
                "\(rest) isn't computed of related rows: there are @count, and with a property after them @sum, @avg, "
                    + "@min and @max, as in episodes.@sum.seconds", key: key)
        }
        return (name, .aggregate(aggregate, .key(String(parts[1]))))
    }

    /// The column of a key that objects of other classes have: of those below this one, or below the one whose
    /// condition is asked of this one's objects.
    private func columnElsewhere(_ key: String) throws -> ColumnOperand? {
        try mapping.columnOfSubclass(key)
            ?? asked.flatMap { try? Mapping.of($0, dates: mapping.dates).columnOfSubclass(key) }
    }

    /// The column of a key of the class itself.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey``; ``PersistenceError/Code/invalidCriteria`` for a relation's name.
    func column(_ key: String) throws -> ColumnOperand {
        do {
            return try mapping.columnOperand(key)
        } catch {
            if let column = try columnElsewhere(key) { return column }
            guard let relation = try? relation(.named(key)) else { throw error }
            let value = relation.isToOne ? relation.target.columns.first.map { "row, as in \(key).\($0.key)" } : nil
            throw criteriaError(
                "\(key) is a relation: name a value of its \(value ?? "rows, as in \(key).@count")", key: key)
        }
    }

    func operand(_ relation: ResolvedRelation, _ leaf: RelatedLeaf) throws -> Operand {
        let (relation, target) = (try ofRow(relation), resolver(of: relation.target))
        switch leaf {
        case .term(let term):
            guard relation.isToOne else {
                let (name, key) = (relation.name, term.key ?? "key")
                throw criteriaError(
                    "\(name) leads to several rows: write ANY \(name).\(key) in a format, \(name).@sum.\(key), or "
                        + "contains(…) of the relation", key: "\(name).\(key)")
            }
            return .related(relation, .value(try target.operand(term, .none), term))
        case .count:
            try checkIsToMany(relation, "@count")
            return .related(relation, .count)
        case .aggregate(let aggregate, let term):
            try checkIsToMany(relation, "@\(aggregate.rawValue)")
            return .related(relation, .aggregate(aggregate, try target.aggregated(term, aggregate), term))
        case .invalid(let error): throw error
        }
    }

    private func checkIsToMany(_ relation: ResolvedRelation, _ aggregate: String) throws {
        guard relation.isToOne else { return }
        let name = relation.name
        throw criteriaError("\(name) leads to one row, of which there is no \(aggregate): write \(name).key", key: name)
    }

    /// What an aggregate is computed of.
    func aggregated(_ term: CriteriaTerm, _ aggregate: RelatedAggregate) throws -> Operand {
        let isSum = aggregate == .sum || aggregate == .average
        let operand = try operand(term, isSum ? .number : .none)
        switch aggregate {
        case .sum, .average:
            if case .column(let column) = operand, column.mask == nil, column.index != ColumnOperand.nowhere {
                try mapping.checkIsNumber(column.json == nil ? mapping.columns[column.index] : column.column)
            }
            return try number(operand)
        case .least, .greatest:
            if let column = operand.column { try mapping.checkOrder(column.column) }
            return operand
        }
    }

    /// The column, or the calculated or related value, that an ordering's term is.
    ///
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` for a comparison of texts where there are none.
    func operand(of term: OrderingTerm.Column) throws -> Operand {
        let operand = try operand(term.related ?? .key(term.key), .none)
        if let column = operand.column { try mapping.checkOrder(column.column) }
        guard term.comparison == .stored || operand.kind == .text else {
            throw PersistenceError(
                .invalidOrdering,
                "a text comparison needs a text, but the value is stored as \(operand.kind?.rawValue ?? "any")",
                model: mapping.modelName, key: term.key, found: operand.column?.column.type)
        }
        return operand
    }
}

extension CriteriaTerm {
    /// Whether it is a value other than NULL.
    fileprivate var isPresent: Bool {
        if case .value(let value) = self { flattened(value.value) != nil } else { false }
    }
}

extension ResolvedRelation {
    /// Whether the rows that a condition of the related row takes are found by one column of theirs, which has a value
    /// that the related row has.
    var isFoundByColumn: Bool { hops[0].isToOne && hops[0].fromColumns.count == 1 }
}
