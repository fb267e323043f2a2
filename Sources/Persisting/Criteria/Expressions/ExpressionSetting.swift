internal import Foundation

/// An expression of any class, among the values that an update sets.
protocol SettableExpression {
    var content: Result<CriteriaTerm, PersistenceError> { get }
    var modelType: PersistingModel.Type { get }
}

extension ModelExpression: SettableExpression {
    var modelType: PersistingModel.Type { Model.self }
}

extension Column {
    fileprivate var integers: ClosedRange<Int64>? { FieldKind(type).integers }

    /// Whether every value of the column's kind is one of the property's.
    fileprivate var takesAll: Bool {
        let type = unwrapped(type)
        return type == Double.self || type == Float.self || type == String.self
    }
}

extension CriteriaSQL {
    /// Adds an expression that a column is set to, so that its value is one of the property's.
    ///
    /// - Throws: ``PersistenceError/Code/typeMismatch``, and what a condition with the expression does.
    mutating func append(_ expression: some SettableExpression, settingColumn index: Int) throws {
        let (column, target) = (mapping.columns[index], mapping.operands[index])
        let classes = lineage(of: mapping.modelType, below: PersistingModel.self)
        guard classes.contains(where: { $0 == expression.modelType }) else {
            throw PersistenceError(
                .invalidCriteria,
                "\(column.key) is set to an expression of \(ModelDescription.name(of: expression.modelType)), "
                    + "another class",
                model: mapping.modelName, key: column.key)
        }
        let operand = try CriteriaResolver(mapping: mapping).operand(
            expression.content.get(), .column(target, mapping))
        let source = operand.isTaken(by: column) {
            unwrapped($0.column.type) == unwrapped(column.type) && $0.mask == nil
                && $0.column.difference(from: column) == nil && $0.column.codec.dateForm == column.codec.dateForm
                && $0.column.codec.keepsSums == column.codec.keepsSums
        }
        let isOfKind = operand.kind == nil || operand.kind == target.kind
        guard isOfKind, column.codec.keepsSums || source, operand.isSafe,
            source || column.takesAll || column.integers != nil
        else {
            throw PersistenceError(
                .typeMismatch,
                "\(column.key) is a \(source: column.type), and the expression is of kind "
                    + "\(operand.kind?.rawValue ?? "any"), "
                    + "whose values it may not have: set it to a value", model: mapping.modelName, key: column.key,
                expected: column.type)
        }
        let isFloat = unwrapped(column.type) == Float.self && forms.canCall
        guard !source, isFloat || column.integers != nil else { return try append(operand) }
        // What SQLite calculates may have a fraction, or be beyond the property's type.
        append(isFloat ? "sqlitekit_float(" : "sqlitekit_integer(")
        try append(operand)
        if let integers = column.integers { append(", \(integers.lowerBound), \(integers.upperBound)") }
        append(", \(SQLText.literal(column.key)))")
    }
}

extension Operand {
    /// Whether a property can have each value of the operand: those of a source, and in a branch constants that the
    /// property can have. What is calculated may be any number.
    fileprivate func isTaken(by column: Column, _ isSource: (ColumnOperand) -> Bool) -> Bool {
        func isBranch(_ operand: Operand) -> Bool {
            guard case .value(let value) = operand else { return operand.isTaken(by: column, isSource) }
            return (try? column.codec.decode(value)) != nil
        }
        switch self {
        case .conditional(_, let then, let other): return isBranch(then) && isBranch(other)
        case .function(.coalesced, let operands): return operands.allSatisfy(isBranch)
        default: return self.column.map(isSource) ?? false
        }
    }

    /// Whether what is calculated is as exact as the property: of Decimals it isn't.
    fileprivate var isSafe: Bool {
        switch self {
        case .number: false
        case .arithmetic(let lhs, _, let rhs): lhs.isSafe && rhs.isSafe
        case .function(_, let operands): operands.allSatisfy(\.isSafe)
        case .conditional(_, let then, let other): then.isSafe && other.isSafe
        default: true
        }
    }
}
