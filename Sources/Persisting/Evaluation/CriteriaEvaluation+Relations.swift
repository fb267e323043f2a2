/// Conditions and values of related rows, in memory. What isn't loaded is, for all objects of the same fetch.
extension CriteriaEvaluation {
    /// Whether one of an object's related objects meets a condition.
    func exists(_ relation: ResolvedRelation, _ condition: Condition, _ node: CriteriaNode) throws -> Answer {
        let type = relation.target.modelType
        let target = CriteriaEvaluation(of: type, mapping: relation.target)
        let answers = ForMapping(relation.target, try target.answer(condition)) { mapping in
            try CriteriaEvaluation(of: type, mapping: mapping).answer(node)
        }
        let declaration = relation.declaration
        return { object in try object.targets(declaration).contains { try answers.of($0)($0) } }
    }

    /// A value of an object's related objects.
    func reading(_ relation: ResolvedRelation, _ operand: RelatedOperand) throws -> Reading {
        let declaration = relation.declaration
        switch operand {
        case .value(let operand, let term):
            let readings = try readings(relation, operand) { try $0.operand(term, .none) }
            return { object in
                guard let target = try object.targets(declaration).first else { return .null }
                return try readings.of(target)(target)
            }
        case .count: return { object in .integer(Int64(try object.targets(declaration).count)) }
        case .aggregate(let aggregate, let operand, let term):
            let readings = try readings(relation, operand) { try $0.aggregated(term, aggregate) }
            let (collation, name) = (operand.column?.collation ?? .binary, relation.name)
            let order = try order(aggregate == .least || aggregate == .greatest ? collation : .binary)
            return { object in
                let values = try object.targets(declaration).map { try readings.of($0)($0) }.filter { !$0.isNull }
                switch aggregate {
                case .least: return values.min { $0.compared(with: $1, order) < 0 } ?? .null
                case .greatest: return values.max { $0.compared(with: $1, order) < 0 } ?? .null
                case .average: return values.isEmpty ? .null : .real(values.total / Double(values.count))
                case .sum:
                    guard let sum = values.sum else {
                        throw PersistenceError(
                            .overflow, "the sum of \(name) is beyond Int64, in which SQLite adds integers",
                            model: mapping.modelName, key: name)
                    }
                    return sum
                }
            }
        }
    }

    private func readings(
        _ relation: ResolvedRelation, _ operand: Operand, _ resolve: @escaping (CriteriaResolver) throws -> Operand
    ) throws -> ForMapping<Reading> {
        let type = relation.target.modelType
        let target = CriteriaEvaluation(of: type, mapping: relation.target)
        return ForMapping(relation.target, try target.reading(operand)) { mapping in
            let evaluation = CriteriaEvaluation(of: type, mapping: mapping)
            return try evaluation.reading(resolve(evaluation.resolver))
        }
    }
}

/// What is made for the objects of one mapping, and made again for those of another: of a subclass, or of another
/// manager's.
private final class ForMapping<Value> {
    private var known: (mapping: Mapping, value: Value)
    private let make: (Mapping) throws -> Value

    init(_ mapping: Mapping, _ value: Value, _ make: @escaping (Mapping) throws -> Value) {
        known = (mapping, value)
        self.make = make
    }

    func of(_ object: PersistingModel) throws -> Value {
        let mapping = try Mapping.of(object)
        if known.mapping !== mapping { known = (mapping, try make(mapping)) }
        return known.value
    }
}

extension [SQLiteValue] {
    /// The sum as SQLite has it: NULL of no values, an integer of integers alone. Nil when it is beyond one.
    fileprivate var sum: SQLiteValue? {
        guard !isEmpty else { return .null }
        var sum: Int64 = 0
        for value in self {
            guard case .integer(let integer) = value else {
                let total = total
                return total.isNaN ? .null : .real(total)
            }
            let (next, overflow) = sum.addingReportingOverflow(integer)
            if overflow { return nil }
            sum = next
        }
        return .integer(sum)
    }

    /// The sum as a floating-point number, as which SQLite adds for an average. What isn't a number is 0.
    fileprivate var total: Double {
        reduce(0) { total, value in
            switch value {
            case .integer(let integer): total + Double(integer)
            case .real(let real): total + real
            case .null, .text, .blob: total
            }
        }
    }
}
