extension RelatedLeaf {
    /// What is asked of a key path's property. Its key is looked up here, since a key path does not cross to another
    /// task.
    init<Model: PersistingModel>(_ keyPath: PartialKeyPath<Model>, _ leaf: (CriteriaTerm) -> RelatedLeaf) {
        switch ModelExpression(keyPath).content {
        case .success(let term): self = leaf(term)
        case .failure(let error): self = .invalid(error)
        }
    }
}

/// What a ``Condition`` compares of a relation's rows. What it is computed of goes with the term that it was made of,
/// since an object of a subclass has other columns.
indirect enum RelatedOperand: Sendable {
    case value(Operand, CriteriaTerm)
    case count
    case aggregate(RelatedAggregate, Operand, CriteriaTerm)

    var kind: ColumnOperand.Kind? {
        switch self {
        case .count, .aggregate(.sum, _, _), .aggregate(.average, _, _): .number
        case .value(let operand, _), .aggregate(_, let operand, _): operand.kind
        }
    }

    /// The related class's column whose values it has.
    var column: ColumnOperand? {
        switch self {
        case .count, .aggregate(.sum, _, _), .aggregate(.average, _, _): nil
        case .value(let operand, _), .aggregate(_, let operand, _): operand.column
        }
    }

    /// The affinity of the column that it is computed of; nil where there is none.
    var affinity: Affinity? {
        switch self {
        case .count: nil
        case .aggregate(.average, _, _): nil
        case .value(let operand, _), .aggregate(_, let operand, _):
            operand.column.flatMap { $0.mask == nil ? $0.affinity : nil }
        }
    }
}

extension Operand {
    /// The mapping of the column that the operand has values of, where that is a related class's; nil for the class
    /// that is asked.
    var owner: Mapping? {
        switch self {
        case .related(let relation, .value(let operand, _)), .related(let relation, .aggregate(_, let operand, _)):
            operand.owner ?? relation.target
        case .conditional(_, let then, let other): then.column == nil ? other.owner : then.owner
        case .function(.coalesced, let operands): operands.first { $0.column != nil }?.owner
        case .date(.start, let operand, _): operand.owner
        case .subquery(let query): query.value?.column == nil ? nil : query.mapping
        case .aggregate(let aggregate): aggregate.operand?.owner
        default: nil
        }
    }
}
