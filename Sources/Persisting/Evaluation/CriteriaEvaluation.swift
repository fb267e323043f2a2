internal import Foundation

/// Conditions asked of objects, with the answer that SQLite would give of their rows.
extension Criteria where Model: PersistingModel {
    /// Whether the condition matches an object as it is now, saved or not.
    ///
    /// The answer is that of SQL about a row with the object's values, without asking the database: values are compared
    /// in their stored form and by the column's collation. A condition on related rows is asked of the related objects,
    /// which are loaded if they aren't, for all objects of the same fetch.
    ///
    /// - Parameter object: The object.
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` for a condition in SQL, for a column with a custom
    ///   collation, and for a deferred property that is not loaded; ``PersistenceError/Code/relationNotLoaded`` where
    ///   related objects can't be loaded; or the mistake in the condition.
    public func matches(_ object: Model) throws -> Bool {
        try CriteriaEvaluation(of: Model.self, mapping: .of(object)).answer(node)(object)
    }

    /// The objects that the condition matches, in their order: as ``matches(_:)`` for each, but faster.
    ///
    /// - Parameter objects: The objects.
    /// - Throws: What ``matches(_:)`` throws.
    public func filter(_ objects: some Sequence<Model>) throws -> [Model] {
        var current: (mapping: Mapping, answer: CriteriaEvaluation.Answer)?
        return try objects.filter { object in
            // Objects of one class from one manager have one mapping.
            let mapping = try Mapping.of(object)
            if let current, current.mapping === mapping { return try current.answer(object) }
            let answer = try CriteriaEvaluation(of: Model.self, mapping: mapping).answer(node)
            current = (mapping, answer)
            return try answer(object)
        }
    }
}

/// Makes conditions into functions of an object, so that all but the comparing is done once.
struct CriteriaEvaluation {
    typealias Answer = (PersistingModel) throws -> Bool
    typealias Reading = (PersistingModel) throws -> SQLiteValue

    let mapping: Mapping
    /// The class that the condition is of, where the objects are of one below it.
    private let asked: PersistingModel.Type?
    /// The element of a list that is asked.
    var element: JSONElementInTurn?

    /// - Parameters:
    ///   - type: The class that the condition is of.
    ///   - mapping: That of the objects.
    init(of type: PersistingModel.Type, mapping: Mapping) {
        self.mapping = mapping
        asked = mapping.modelType == type ? nil : type
    }

    var resolver: CriteriaResolver { CriteriaResolver(mapping: mapping, asked: asked) }

    func answer(_ node: CriteriaNode) throws -> Answer { try answer(resolver.condition(node)) }

    func answer(_ condition: Condition) throws -> Answer {
        switch condition {
        case .and(let conditions):
            let answers = try conditions.map(answer)
            return { object in try answers.allSatisfy { try $0(object) } }
        case .or(let conditions):
            let answers = try conditions.map(answer)
            return { object in try answers.contains { try $0(object) } }
        case .not(let condition):
            let answer = try answer(condition)
            return { try !answer($0) }
        case .isEqual(let lhs, let rhs, let collation):
            let (left, right, order) = (try reading(lhs), try reading(rhs), try order(collation))
            return { try left($0).compared(with: right($0), order) == 0 }
        case .compares(let lhs, let comparison, let rhs, let collation):
            return try compares(lhs, comparison, rhs, collation)
        case .isIn(let operand, let values, let collation): return try isIn(operand, values, collation)
        case .contains(let operand, let part): return try texts(operand, part) { $0.contains($1) }
        case .hasPrefix(let operand, let prefix): return try texts(operand, prefix) { $0.starts(with: $1) }
        case .hasSuffix(let operand, let suffix):
            return try texts(operand, suffix) { $0.reversed().starts(with: $1.reversed()) }
        case .listContains(let column, let element, let options): return listContains(column, element, options)
        case .anyElement(let list, _, let condition): return try anyElement(list, condition)
        case .like(let operand, let pattern):
            let reading = try reading(operand)
            return { object in if case .text(let text) = try reading(object) { pattern.matches(text) } else { false } }
        case .matches(let operand, let pattern, let options): return try matches(operand, pattern, options)
        case .exists(let relation, let condition, let node): return try exists(relation, condition, node)
        case .isRelated, .isInQuery, .queryHasRow, .isRow:
            throw criteriaError("a condition that asks another query can't be evaluated in memory")
        case .fullText(let match):
            throw criteriaError(
                "a search by the full-text index \(match.table.name) can't be evaluated in memory: ask the database")
        case .sql(let text, _):
            throw criteriaError("the SQL condition \(text.debugDescription) can't be evaluated in memory")
        }
    }

    private func compares(
        _ lhs: Operand, _ comparison: CriteriaNode.Comparison, _ rhs: Operand, _ collation: Collation
    ) throws -> Answer {
        let (left, right, order) = (try reading(lhs), try reading(rhs), try order(collation))
        return { object in
            let (left, right) = (try left(object), try right(object))
            guard !left.isNull, !right.isNull else { return false }
            return comparison.holds(left.compared(with: right, order))
        }
    }

    private func listContains(_ column: ColumnOperand, _ element: JSONElement, _ options: TextOptions) -> Answer {
        let reading = reading(column)
        return { object in
            let elements = JSONElement.elements(of: try reading(object))
            return elements.contains { $0.isSame(as: element, options) }
        }
    }

    private func anyElement(_ list: ColumnOperand, _ condition: Condition) throws -> Answer {
        let (reading, element) = (reading(list), JSONElementInTurn())
        var elements = self
        elements.element = element
        let answer = try elements.answer(condition)
        return { object in
            guard case .array(let list)? = JSONContent(try reading(object)) else { return false }
            return try list.contains { content in
                element.content = content
                return try answer(object)
            }
        }
    }

    private func isIn(_ operand: Operand, _ values: [SQLiteValue], _ collation: Collation) throws -> Answer {
        let (reading, order) = (try reading(operand), try order(collation))
        guard collation == .binary else {
            return { object in
                let value = try reading(object)
                return values.contains { value.compared(with: $0, order) == 0 }
            }
        }
        let candidates = Set(values.map(\.comparable))
        return { try candidates.contains(reading($0).comparable) }
    }

    private func texts(
        _ lhs: Operand, _ rhs: Operand, _ holds: @escaping ([UInt8], [UInt8]) -> Bool
    ) throws -> Answer {
        let (left, right) = (try reading(lhs), try reading(rhs))
        return { object in
            guard case .text(let left) = try left(object), case .text(let right) = try right(object) else {
                return false
            }
            return holds(Array(left.utf8), Array(right.utf8))
        }
    }

    private func matches(_ operand: Operand, _ pattern: Operand, _ options: TextOptions) throws -> Answer {
        let reading = try reading(operand)
        func expression(_ pattern: String) throws -> NSRegularExpression {
            do {
                return try NSRegularExpression(pattern: options.wholeText(pattern))
            } catch {
                throw criteriaError("\(pattern.debugDescription) isn't a valid regular expression")
            }
        }
        func finds(_ expression: NSRegularExpression, _ text: String) -> Bool {
            expression.firstMatch(in: text, range: NSRange(0..<text.utf16.count)) != nil
        }
        guard case .value(let value) = pattern else {
            let patterns = try self.reading(pattern)
            return { object in
                guard case .text(let text) = try reading(object), case .text(let pattern) = try patterns(object) else {
                    return false
                }
                return finds(try expression(pattern), text)
            }
        }
        guard case .text(let text) = value else { return { _ in false } }
        let fixed = try expression(text)
        return { object in if case .text(let text) = try reading(object) { finds(fixed, text) } else { false } }
    }

    func criteriaError(_ message: String, key: String? = nil) -> PersistenceError {
        PersistenceError(.invalidCriteria, message, model: mapping.modelName, key: key)
    }
}

/// Operands.
extension CriteriaEvaluation {
    func reading(_ operand: Operand) throws -> Reading {
        switch operand {
        case .column(let column): return reading(column)
        case .value(let value): return { _ in value }
        case .arithmetic(let lhs, let sign, let rhs):
            let (left, right) = (try reading(lhs), try reading(rhs))
            return { try sign.result(left($0), right($0)) }
        case .conditional(let condition, let then, let other):
            let (answer, then, other) = (try answer(condition), try reading(then), try reading(other))
            return { try answer($0) ? then($0) : other($0) }
        case .number(let operand):
            return try reading(operand) { if case .text(let text) = $0 { decimalNumber(text) } else { $0 } }
        case .real(let operand):
            return try reading(operand) { value in
                switch value {
                case .integer(let integer): .real(Double(integer))
                case .text(let text): .real(Double(text) ?? 0)
                default: value
                }
            }
        // An object has no other values of an integer property.
        case .integer(let operand): return try reading(operand)
        case .onlyText(let operand): return try reading(operand) { $0.storageClass == .text ? $0 : .null }
        case .folded(let operand, let options):
            return try reading(operand) { if case .text(let text) = $0 { .text(options.fold(text)) } else { $0 } }
        case .related(let relation, let operand): return try reading(relation, operand)
        case .function(let function, let operands): return try reading(function, operands)
        case .date(let function, let operand, let form): return try reading(function, operand, form)
        case .subquery: throw criteriaError("a value of another query can't be evaluated in memory")
        case .aggregate: throw criteriaError(AggregateTerm.isOfGroups)
        }
    }

    /// An operand's value, converted.
    private func reading(_ operand: Operand, _ convert: @escaping (SQLiteValue) -> SQLiteValue) throws -> Reading {
        let reading = try reading(operand)
        return { convert(try reading($0)) }
    }

    /// A column's value in an object, as the row would hold it.
    func reading(_ operand: ColumnOperand) -> Reading {
        if operand.isOfElement, let json = operand.json {
            let element = element
            return { _ in json.value(in: element?.content) }
        }
        // Objects of the class have no such property, as their rows have no value.
        if operand.index == ColumnOperand.nowhere {
            let value = operand.json?.value(in: nil) ?? (operand.mask == nil ? .null : .integer(0))
            return { _ in value }
        }
        let (mapping, index, mask, json) = (mapping, operand.index, operand.mask, operand.json)
        let affinity = mapping.operands[index].affinity
        let isDeferred = mapping.fields[index].isDeferred
        return { object in
            let stored = try mapping.stored(index, of: object)
            if isDeferred, stored.isNull, object.record.state == .persisted {
                throw criteriaError(
                    "the property is deferred and nil: it may not be loaded", key: mapping.columns[index].key)
            }
            if let json { return json.value(in: JSONContent(stored)) }
            let value = affinity.applied(to: stored)
            guard let mask else { return value }
            return if case .integer(let bits) = value { .integer(bits & mask == mask ? 1 : 0) } else { .integer(0) }
        }
    }

    /// The order of texts in a collation.
    func order(_ collation: Collation) throws -> TextOrder {
        guard let order = TextOrder(collation) else {
            throw criteriaError(
                "the collation \(collation.rawValue) can't be evaluated in memory")
        }
        return order
    }
}

/// The element of a list that a condition is asked of.
final class JSONElementInTurn {
    var content = JSONContent.null
}

extension Collection<UInt8> {
    fileprivate func contains(_ part: some Collection<UInt8>) -> Bool {
        var rest = self[...]
        while rest.count >= part.count {
            if rest.starts(with: part) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

extension CriteriaNode.Comparison {
    fileprivate func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

extension CriteriaTerm.Arithmetic {
    /// SQLite's arithmetic: on integers while both are and the result fits, otherwise on floating-point numbers. What
    /// is divided by 0 is NULL, and so is what isn't a number.
    fileprivate func result(_ lhs: SQLiteValue, _ rhs: SQLiteValue) -> SQLiteValue {
        guard let left = lhs.double, let right = rhs.double else { return .null }
        if self == .remainder { return remainder(lhs, rhs) }
        if self == .divide, right == 0 { return .null }
        if case .integer(let left) = lhs, case .integer(let right) = rhs, let result = exact(left, right) {
            return .integer(result)
        }
        let result =
            switch self {
            case .add: left + right
            case .subtract: left - right
            case .multiply: left * right
            case .divide, .remainder: left / right
            }
        return result.isNaN ? .null : .real(result)
    }

    private func exact(_ left: Int64, _ right: Int64) -> Int64? {
        let (result, overflow) =
            switch self {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide, .remainder: left.dividedReportingOverflow(by: right)
            }
        return overflow ? nil : result
    }

    /// Of the whole parts; floating point if one is.
    private func remainder(_ lhs: SQLiteValue, _ rhs: SQLiteValue) -> SQLiteValue {
        guard let left = lhs.whole, let right = rhs.whole, right != 0 else { return .null }
        let result = right == -1 ? 0 : left % right
        if case .integer = lhs, case .integer = rhs { return .integer(result) }
        return .real(Double(result))
    }
}

extension SQLiteValue {
    fileprivate var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        case .null, .text, .blob: nil
        }
    }

    fileprivate var whole: Int64? {
        switch self {
        case .integer(let integer): integer
        case .real(let real): real >= 0x1p63 ? .max : real < -0x1p63 ? .min : Int64(real)
        case .null, .text, .blob: nil
        }
    }
}
