/// Conditions and values of related rows, in memory.
extension CriteriaEvaluation {
    func exists(_ relation: ResolvedRelation, _ condition: Condition, _ node: CriteriaNode) throws -> Answer {
        throw refusal("a condition on related rows can't be evaluated in memory", key: relation.name)
    }

    func reading(_ relation: ResolvedRelation, _ operand: RelatedOperand) throws -> Reading {
        throw refusal("a value of related rows can't be evaluated in memory", key: relation.name)
    }
}
