internal import Foundation

/// Turns a condition's tree into a ``Condition`` for a class.
struct CriteriaResolver {
    let mapping: Mapping
    /// The class that the condition is of, where it is asked of an object of one below it: a property of another class
    /// below it is nil there.
    var asked: PersistingModel.Type?
    /// The calculations whose expressions are being resolved, the innermost last; those of other classes, too.
    var calculating: [CalculationName] = []
    var subject = Subject.rows
    /// How many lists the condition's element is nested in.
    var listDepth = 0

    func condition(_ node: CriteriaNode) throws -> Condition {
        switch node {
        case .and(let nodes): .and(try nodes.map(condition))
        case .or(let nodes): .or(try nodes.map(condition))
        case .not(let node): .not(try condition(node))
        case .compares(let lhs, let comparison, let rhs, let options):
            try comparing(lhs, comparison, rhs, options)
        case .matches(let lhs, let match, let rhs, let options): try matching(lhs, match, rhs, options)
        case .anyElement(let list, let node): try anyElement(list, node)
        case .isIn(let term, let terms, let options): try isIn(term, terms, options)
        case .related(let reference, let node): try exists(relation(reference), node)
        case .isRelated(let relation, let key): try isRelated(relation, from: key)
        case .isInQuery(let term, let query): try isIn(term, query)
        case .queryHasRow(let query, let pairs): try hasRow(query, pairs)
        case .isRow(let query): .isRow(try ofKeyedRow(subquery(query)))
        case .fullText(let match): .fullText(try ofKeyedRow(resolved(match)))
        case .sql(let text, let arguments): node.isEveryRow ? .and([]) : .sql(text, arguments)
        case .invalid(let error): throw error
        }
    }

    func criteriaError(_ message: String, key: String? = nil, found: Any? = nil) -> PersistenceError {
        PersistenceError(
            .invalidCriteria, message, model: mapping.modelName, key: key, found: found.map { Swift.type(of: $0) })
    }
}

/// Comparisons.
extension CriteriaResolver {
    private func comparing(
        _ lhs: CriteriaTerm, _ comparison: CriteriaNode.Comparison, _ rhs: CriteriaTerm, _ options: TextOptions
    ) throws -> Condition {
        if let asked = try asked(lhs, alongside: [rhs], { .compares($0, comparison, rhs, options) }) { return asked }
        if let asked = try asked(rhs, alongside: [lhs], { .compares(lhs, comparison, $0, options) }) { return asked }
        let (left, right) = try options.isEmpty ? pair(lhs, rhs) : texts(lhs, rhs, options)
        if comparison != .equal {
            for operand in [left.column, right.column].compactMap({ $0 }) { try mapping.checkOrder(operand.column) }
        }
        let collation =
            left.column?.collation ?? right.column?.collation
            ?? (left.kind == .decimal ? .decimal : .binary)
        return comparison == .equal ? .isEqual(left, right, collation) : .compares(left, comparison, right, collation)
    }

    private func isIn(_ term: CriteriaTerm, _ terms: [CriteriaTerm], _ options: TextOptions) throws -> Condition {
        if let asked = try asked(term, alongside: terms, { .isIn($0, terms, options) }) { return asked }
        var values: [CriteriaValue] = []
        values.reserveCapacity(terms.count)
        for case .value(let value) in terms { values.append(value) }
        guard values.count == terms.count else {
            return .or(try terms.map { try comparing(term, .equal, $0, options) })
        }
        let operand = try options.isEmpty ? operand(term, .none) : text(term, options)
        let context = Context(operand, mapping)
        let stored = try values.map {
            try options.isEmpty ? self.stored($0, context) : folded(text($0, alongside: term), options)
        }
        let collation = operand.column?.collation ?? .binary
        return .isIn(operand, distinct(stored, collation), collation)
    }

    /// The values of a list, without texts that a collation treats as equal to another. SQLite 3.40 reports a malformed
    /// database for such texts of different lengths: `CODE IN (' ', '', ' ')` with RTRIM.
    private func distinct(_ values: [SQLiteValue], _ collation: Collation) -> [SQLiteValue] {
        // The library can't compare texts with a collation that only the database has.
        guard collation != .binary, collation != .nocase, let order = TextOrder(collation) else {
            return values
        }
        return values.sorted { $0.compared(with: $1, order) < 0 }.reduce(into: []) { distinct, value in
            if distinct.last.map({ $0.compared(with: value, order) != 0 }) ?? true { distinct.append(value) }
        }
    }

    /// Two terms that are compared, each in the form that the other requires.
    private func pair(_ lhs: CriteriaTerm, _ rhs: CriteriaTerm) throws -> (Operand, Operand) {
        let operands = try alike([lhs, rhs], .none)
        let (left, right) = (operands[0], operands[1])
        switch (left.kind, right.kind) {
        case (.decimal?, .number?): return (.number(left), right)
        case (.number?, .decimal?): return (left, .number(right))
        case (let one?, let other?) where one != other && one != .any && other != .any:
            let names = [left, right].map { $0.column?.column.key ?? "the calculation" }
            throw criteriaError(
                "\(names[0]) (\(one)) and \(names[1]) (\(other)) can't be compared",
                key: left.column?.column.key ?? right.column?.column.key)
        default:
            try checkForms(left, right)
            return (left, right)
        }
    }

    /// Checks that dates and UUIDs are compared in one form, and bits with bits.
    func checkForms(_ left: Operand, _ right: Operand) throws {
        func isBits(_ operand: Operand) -> Bool { operand.column.map { !$0.column.codec.keepsOrder } ?? false }
        if left.kind != nil, right.kind != nil, isBits(left) != isBits(right) {
            let bits = isBits(left) ? left : right
            throw criteriaError(
                "the bit field \(bits.column?.column.key ?? "") can't be compared with a number",
                key: bits.column?.column.key)
        }
        guard right.column != nil, let left = left.column?.column, let right = right.column?.column else { return }
        if let difference = left.difference(from: right) { throw criteriaError(difference, key: left.key) }
        guard unwrapped(left.type) == Date.self, unwrapped(right.type) == Date.self else { return }
        let date = Date(timeIntervalSince1970: 86400)
        guard try left.codec.stored(date) != right.codec.stored(date) else { return }
        throw criteriaError("the dates \(left.key) and \(right.key) are stored in different forms", key: left.key)
    }
}

/// Terms.
extension CriteriaResolver {
    /// What a value is compared with or used in a calculation with.
    enum Context {
        case none, number
        /// A column of a class: the resolver's own, or a related one.
        case column(ColumnOperand, Mapping)

        init(_ operand: Operand, _ mapping: Mapping) {
            self =
                if let column = operand.column {
                    .column(column, operand.owner ?? mapping)
                } else if operand.kind == .number { .number } else { .none }
        }

        func orElse(_ other: () throws -> Context) rethrows -> Context {
            if case .none = self { try other() } else { self }
        }
    }

    func operand(_ term: CriteriaTerm, _ context: Context) throws -> Operand {
        if case .groups(let keys) = subject, let key = keys.calculated(term, self) { return key }
        switch term {
        case .key(let key) where listDepth > 0: return try operand(.json(valueOfElement(key)), context)
        case .key(let key):
            if let (reference, leaf) = try relatedValue(key) { return try operand(relation(reference), leaf) }
            if let calculated = try calculated(key, context) { return calculated }
            return .column(try subject.checked(column(key), mapping))
        case .json(let term): return .column(try subject.checked(mapping.columnOperand(term, of: element), mapping))
        case .related(let reference, let leaf): return try operand(relation(reference), leaf)
        case .aggregate(let aggregate): return .aggregate(try operand(aggregate))
        case .value(let value): return .value(try stored(value, context))
        case .function(let function, let terms): return try self.function(function, terms, context)
        case .date(let function, let term): return try date(function, term)
        case .subquery(let query): return .subquery(try subquery(query))
        case .arithmetic(let lhs, .add, let rhs) where try isText(lhs) || isText(rhs):
            return try self.function(.concatenated, [lhs, rhs], context)
        case .arithmetic(let lhs, let sign, let rhs):
            let (left, right) = (try number(lhs), try number(rhs))
            guard sign == .divide else { return .arithmetic(left, sign, right) }
            return .arithmetic(typed(left), sign, typed(right))
        case .conditional(let node, let then, let other):
            let values = try substitutes([then, other], context)
            return .conditional(try condition(node), values[0], values[1])
        }
    }

    /// An operand of a division, with each column cast to its property's type. SQLite divides integers as integers, and
    /// a column may contain an integer for a `Double`, or a REAL for an `Int`.
    private func typed(_ operand: Operand) -> Operand {
        switch operand {
        case .function(.coalesced, let operands): .function(.coalesced, operands.map(typed))
        case .function(.absolute, let operands): .function(.absolute, operands.map(typed))
        case .column(let column) where column.mask == nil: typed(operand, column.affinity)
        case .related(_, let related): typed(operand, related.affinity)
        case .subquery(let query): .subquery(query.with(query.value.map(typed)))
        case .aggregate(let aggregate): typed(operand, aggregate.affinity)
        case .number(let decimal): .real(decimal)
        case .arithmetic(let lhs, let sign, let rhs): .arithmetic(typed(lhs), sign, typed(rhs))
        case .conditional(let condition, let then, let other): .conditional(condition, typed(then), typed(other))
        default: operand
        }
    }

    private func typed(_ operand: Operand, _ affinity: Affinity?) -> Operand {
        switch affinity {
        case .real?: .real(operand)
        case .integer?: .integer(operand)
        default: operand
        }
    }

    func number(_ term: CriteriaTerm) throws -> Operand { try number(operand(term, .number)) }

    func number(_ operand: Operand) throws -> Operand {
        if let column = operand.column?.column, !column.codec.keepsSums {
            throw criteriaError(
                "arithmetic needs numbers as they are, but \(column.key) has a transform", key: column.key)
        }
        switch operand.kind {
        case nil, .number?: return operand
        case .decimal?: return .number(operand)
        case .text?, .blob?, .any?:
            let column = operand.column?.column
            throw criteriaError(
                "arithmetic needs numbers, and \(column?.key ?? "a term") isn't a number", key: column?.key)
        }
    }

    /// The stored form of a value.
    private func stored(_ value: CriteriaValue, _ context: Context) throws -> SQLiteValue {
        if case .column(let operand, let owner) = context, let given = value.value,
            let stored = owner.stored(given, as: operand)
        {
            return operand.affinity.applied(to: stored)
        }
        let given = flattened(value.value)
        if case .column(let operand, let owner) = context, given != nil || operand.column.codec.asksForNil {
            do {
                return operand.affinity.applied(to: try operand.column.codec.stored(given))
            } catch {
                if let given, let number = try number(given, alongside: operand, owner) { return number }
                throw operand.column.error(for: given, .invalidCriteria, error, owner)
            }
        }
        guard let given else { return .null }
        let plain = Affinity.blob.applied(to: try plain(given))
        guard case .number = context else { return plain }
        switch plain {
        case .null, .integer, .real: return plain
        // A Decimal that is a whole number stays an integer, also in a division.
        case .text(let text) where given is Decimal:
            let number = decimalNumber(text)
            if case .integer(let integer) = number, integer.magnitude <= 1 << 53 { return .real(Double(integer)) }
            return number
        case .text, .blob: throw criteriaError("a value of type \(typeOf: given) isn't a number", found: given)
        }
    }

    /// A number that an integer property can't have, with a fraction or too large, in the form in which it is compared
    /// with the column; nil if it isn't a number, or the column isn't of integers.
    private func number(_ given: Any, alongside operand: ColumnOperand, _ owner: Mapping) throws -> SQLiteValue? {
        let (owner, index) = operand.home ?? (owner, operand.index)
        guard operand.mask == nil, index < owner.fields.count, owner.fields[index].kind != .custom,
            unwrapped(operand.column.type) is any BinaryInteger.Type
        else { return nil }
        func whole(_ integer: Int64?, isNegative: Bool) -> SQLiteValue {
            integer.map { .integer($0) } ?? .real(isNegative ? -.infinity : .infinity)
        }
        if let integer = given as? any BinaryInteger {
            return whole(Int64(exactly: integer), isNegative: Double(integer) < 0)
        }
        switch try plain(given) {
        case .real(let real) where given is any BinaryFloatingPoint && !real.isNaN:
            return Affinity.integer.applied(to: .real(real))
        case .text(let text) where given is Decimal:
            let (isWhole, isNegative) = (!text.contains("."), text.hasPrefix("-"))
            let integer = Int64(text.prefix { $0 != "." })
            guard !isWhole, let integer else { return whole(integer, isNegative: isNegative) }
            // Between two integers, any fraction compares like one half, as far as floating point has fractions.
            guard integer.magnitude < 1 << 52 else { return nil }
            return .real(Double(integer) + (isNegative ? -0.5 : 0.5))
        default: return nil
        }
    }

    private func plain(_ given: Any) throws -> SQLiteValue {
        guard let given = given as? any SQLiteValueConvertible else {
            throw criteriaError("a value of type \(typeOf: given) cannot be stored in a column", found: given)
        }
        do {
            return try given.sqliteValue()
        } catch {
            let reason = StoredJSON.reason(of: error)
            throw criteriaError("a value of type \(typeOf: given) cannot be stored: \(reason)", found: given)
        }
    }
}

/// Texts.
extension CriteriaResolver {
    private func matching(
        _ lhs: CriteriaTerm, _ match: CriteriaNode.TextMatch, _ rhs: CriteriaTerm, _ options: TextOptions
    ) throws -> Condition {
        if let asked = try asked(lhs, alongside: [rhs], { .matches($0, match, rhs, options) }) { return asked }
        if let condition = try listContains(lhs, match, rhs, options) { return condition }
        switch match {
        case .hasElement:
            throw criteriaError(
                "IN expected a list, and \(lhs.key ?? "a calculation") isn't one: of a text ask CONTAINS", key: lhs.key)
        case .contains, .hasPrefix, .hasSuffix:
            let (text, part) = try texts(lhs, rhs, options)
            if match == .contains { return .contains(text, part) }
            return match == .hasPrefix ? .hasPrefix(text, part) : .hasSuffix(text, part)
        case .like:
            let (text, pattern) = try texts(lhs, rhs, options)
            guard case .value(let pattern) = pattern else {
                throw criteriaError("the pattern of LIKE is a value, not another column", key: lhs.key)
            }
            guard case .text(let pattern) = pattern else { return .or([]) }
            return try like(text, Wildcards(pattern), key: lhs.key)
        case .regularExpression:
            // Folding the case of a pattern would turn \S into \s. The regular expression has a flag for it.
            let folding = options.subtracting(.caseInsensitive)
            let (text, pattern) = try texts(lhs, rhs, folding)
            if case .value(.text(let pattern)) = pattern { try checkExpression(pattern, key: lhs.key) }
            return .matches(text, pattern: pattern, options)
        }
    }

    /// Most patterns are a plain text with a `*` before or after it, for which there are faster operators.
    private func like(_ operand: Operand, _ pattern: Wildcards, key: String?) throws -> Condition {
        let parts = pattern.parts
        let (leads, trails) = (parts.first == .any, parts.last == .any)
        guard let plain = Wildcards.text(parts.dropFirst(leads ? 1 : 0).dropLast(trails && parts.count > 1 ? 1 : 0))
        else {
            guard !parts.contains(.scalar("\0")) else {
                throw criteriaError("a LIKE pattern with `?` or an inner `*` can't contain NUL", key: key)
            }
            return .like(operand, pattern)
        }
        let text = Operand.value(.text(plain))
        switch (leads, trails) {
        case (false, false):
            // A column of numbers compares a text as a number, to which 12.0 is 12.
            let isOtherText =
                operand.kind == .decimal && (try? Decimal(sqliteValue: .text(plain)).sqliteValue()) != .text(plain)
            return isOtherText ? .like(operand, pattern) : .isEqual(operand, text, .binary)
        case (false, true): return .hasPrefix(operand, text)
        case (true, false): return .hasSuffix(operand, text)
        case (true, true): return plain.isEmpty ? .isText(operand) : .contains(operand, text)
        }
    }

    private func checkExpression(_ pattern: String, key: String?) throws {
        do {
            // Foundation rejects the empty pattern, which only an empty text matches.
            if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern) }
        } catch {
            throw criteriaError("\(pattern.debugDescription) isn't a valid regular expression", key: key)
        }
    }

    /// Two terms as texts.
    private func texts(
        _ lhs: CriteriaTerm, _ rhs: CriteriaTerm, _ options: TextOptions
    ) throws -> (Operand, Operand) {
        (try text(lhs, options, alongside: rhs), try text(rhs, options, alongside: lhs))
    }

    /// A term as a text, folded according to the options.
    func text(
        _ term: CriteriaTerm, _ options: TextOptions, alongside other: CriteriaTerm? = nil
    ) throws -> Operand {
        if case .value(let value) = term { return .value(folded(try text(value, alongside: other), options)) }
        var operand = try operand(term, .none)
        switch operand.kind {
        case .text?, .decimal?: break
        case nil, .any?: operand = .onlyText(operand)
        case .number?, .blob?:
            throw criteriaError(
                "\(operand.column?.column.key ?? "a term") is stored as \(operand.kind?.rawValue ?? ""), "
                    + "where a text is asked for", key: operand.column?.column.key)
        }
        return options.isEmpty ? operand : .folded(operand, options)
    }

    /// A value as a text. The text to search for isn't a value of the column's type.
    private func text(_ value: CriteriaValue, alongside other: CriteriaTerm?) throws -> SQLiteValue {
        guard let given = flattened(value.value) else { return .null }
        if let text = given as? String { return .text(text) }
        let stored = try plain(given)
        guard case .text = stored else {
            throw criteriaError("a value of type \(typeOf: given) isn't a text", key: other?.key, found: given)
        }
        return stored
    }

    private func folded(_ value: SQLiteValue, _ options: TextOptions) -> SQLiteValue {
        guard case .text(let text) = value else { return value }
        return .text(options.fold(text))
    }
}

extension TextOptions {
    /// The text without the differences that the options ignore.
    func fold(_ text: String) -> String {
        folded(
            text, caseInsensitive: contains(.caseInsensitive), diacriticInsensitive: contains(.diacriticInsensitive))
    }

    /// The second argument of SQL's `fold`.
    var letters: String {
        (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    }
}

/// The number in a Decimal's text, as SQLite uses it in arithmetic: an integer or a floating-point number.
func decimalNumber(_ text: String) -> SQLiteValue {
    if let integer = Int64(text) { return .integer(integer) }
    return .real(Double(text) ?? 0)
}
