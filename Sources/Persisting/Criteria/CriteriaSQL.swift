internal import Foundation

/// Writes conditions and orderings as SQL, with their values bound.
struct CriteriaSQL {
    /// The class whose columns are written: inside of a subquery, a related one.
    var mapping: Mapping
    var forms: StoredForms
    /// The names of the tables whose rows are in scope, the innermost last; none for the class's own table alone.
    var scopes: [String] = []
    /// What conditions and orderings are of.
    var subject = CriteriaResolver.Subject.rows
    /// The full-text index with whose rank rows are selected.
    var ranked: FullTextDeclaration?
    var text = ""
    private(set) var values: [SQLiteValue] = []
    /// Arguments of SQL text, which may have names; they come after all values.
    private(set) var named = Arguments([:] as [String: (any SQLiteValueConvertible)?])

    /// The columns of JSON in which values were asked for, while a condition is written that is true of NULL.
    var jsonColumns: [String] = []

    /// How many places of SQLite's parser are taken where the text ends.
    private var depth = 0
    /// Whether values stand in a SELECT. Those that do not, SQLite compares with each other when it compiles a
    /// statement.
    private var hidesValues = false

    /// - Parameter forms: What is known of the table's values.
    init(_ mapping: Mapping, _ forms: StoredForms = .declared) {
        self.mapping = mapping
        self.forms = forms
    }

    var arguments: Arguments { Arguments(values) + named }

    /// Binds the values to a statement of the text.
    func bind(to statement: some EngineStatement) throws {
        guard named.isEmpty, values.count == statement.parameterCount else { return try statement.bind(arguments) }
        try statement.bindAll {
            for (index, value) in values.enumerated() { try statement.bind(value: value, at: index + 1) }
        }
    }

    /// Adds ` WHERE …`, or nothing for a condition that matches every row of the table.
    ///
    /// - Returns: Whether there is a condition.
    @discardableResult
    mutating func appendWhere(_ node: CriteriaNode?) throws -> Bool {
        // A mistake is thrown wherever it stands.
        let condition = try node.map { try CriteriaResolver(mapping: mapping).condition($0) }
        let kinds = mapping.place?.condition
        if let kinds { text += " WHERE \(kinds)" }
        guard let node, let condition, !node.isEveryRow else { return kinds != nil }
        text += kinds == nil ? " WHERE " : " AND "
        try append(condition)
        guard values.count <= forms.greatestParameterCount else {
            throw PersistenceError(
                .invalidCriteria,
                "the condition has \(values.count) values, and SQLite takes \(forms.greatestParameterCount) in one "
                    + "statement: ask for a list of values by .in, or for parts of the condition one after the other",
                model: mapping.modelName)
        }
        return true
    }

    mutating func append(_ sql: String) {
        text += sql
    }

    /// Adds a value for a `?` that has been written.
    mutating func bind(_ value: SQLiteValue) {
        values.append(value)
    }

    /// Adds a condition.
    mutating func append(_ node: CriteriaNode) throws {
        try append(CriteriaResolver(mapping: mapping, subject: subject).condition(node))
    }

    /// Positional values must stand where their `?` does; named ones may come last.
    mutating func append(_ arguments: Arguments) throws {
        try arguments.checkOrder()
        for value in arguments.positional { values.append(try value?.sqliteValue() ?? .null) }
        for (name, value) in arguments.named {
            guard let known = named.named.first(where: { $0.name == name }) else {
                named = named + Arguments([name: value])
                continue
            }
            // What is written twice, such as an order inside and outside of a subquery, names one value.
            guard try known.value?.sqliteValue() ?? .null == value?.sqliteValue() ?? .null else {
                throw PersistenceError(
                    .invalidCriteria, "two SQL conditions use the parameter \(name) for different values: rename one",
                    model: mapping.modelName)
            }
        }
    }
}

/// Conditions.
extension CriteriaSQL {
    /// How many places of SQLite's parser, which has 100, conditions inside each other may take: what stands innermost
    /// takes up to 30 more.
    private static let deepest = 60
    /// What a subquery takes, up to its condition.
    static let placesOfSubquery = 9
    /// How many terms stand next to each other in an AND or OR, whose tree SQLite makes as deep as it has terms, and of
    /// which a deep one is rejected. More are grouped.
    static let widest = 32
    /// How many terms have values that SQLite may compare with each other, which takes the square of their number.
    private static let most = 1_000

    /// Adds a condition. One that is true of NULL doesn't take a text that isn't JSON for nil.
    mutating func append(_ condition: Condition) throws {
        guard condition.takesNULL else { return try append(asItIs: condition) }
        let (outside, start) = (jsonColumns, text.endIndex)
        jsonColumns = []
        try append(asItIs: condition)
        if !jsonColumns.isEmpty {
            text.insert("(", at: start)
            text += jsonColumns.map { " AND (\($0) IS NULL OR json_valid(\($0)))" }.joined() + ")"
        }
        jsonColumns = outside
    }

    private mutating func append(asItIs condition: Condition) throws {
        switch condition {
        case .and(let conditions): try append(all: conditions)
        case .or(let conditions):
            let terms = conditions.count > Self.widest ? conditions.withLookupsAsLists : conditions
            try append(terms[...], " OR ", ifNone: "FALSE")
        case .not(let condition): try append(not: condition)
        case .isEqual(let lhs, let rhs, let collation): try append(lhs, equals: rhs, collation)
        case .compares(let lhs, let comparison, let rhs, let collation): try append(lhs, comparison, rhs, collation)
        case .isIn(let operand, let values, let collation): try append(operand, in: values, collation)
        case .contains(let operand, let part): try write("instr(\(operand), \(part)) > 0")
        case .hasPrefix(let operand, let prefix): try append(operand, hasPrefix: prefix)
        case .hasSuffix(let operand, let suffix): try append(operand, hasSuffix: suffix)
        case .listContains(let column, let element, let options): append(column, contains: element, options)
        case .anyElement(let list, let name, let condition): try append(list, any: name, meets: condition)
        case .like(let operand, let pattern): try write("\(operand) GLOB \(bound: .text(pattern.glob))")
        case .matches(let operand, let pattern, let options): try append(operand, matches: pattern, options)
        case .exists(let relation, let condition, _): try append(exists: relation, condition)
        case .isRelated(let relation, let key): try append(reachedBy: relation, from: key)
        case .isInQuery(let operand, let query, let collation): try append(operand, inQuery: query, collation)
        case .queryHasRow(let query, let pairs): try append(rowOf: query, pairs)
        case .isRow(let query): try append(isRowOf: query)
        case .fullText(let match): append(match)
        case .sql(let condition, let arguments):
            // On a line of its own, the bracket is in no comment.
            text += "(\(condition)\n)"
            try append(arguments)
        }
    }

    private mutating func append(all conditions: [Condition]) throws {
        // Of many, those that an index serves best come first.
        let isLong = conditions.count > Self.widest
        let sorted = isLong ? conditions.filter(\.isLookup) + conditions.filter { !$0.isLookup } : conditions
        try append(sorted[...], " AND ", ifNone: "TRUE")
    }

    private mutating func append(not condition: Condition) throws {
        switch condition {
        case .isEqual(let lhs, let rhs, let collation) where RoundedRange(lhs, .equal, rhs) == nil:
            try append(lhs, " IS NOT ", rhs, collation)
        case .exists(let relation, let condition, _) where !relation.isFoundByColumn:
            text += "NOT "
            try append(exists: relation, condition)
        default:
            // Of what is not true, a part may be unknown: that is not true either.
            try write("(\(condition, 1)) IS NOT TRUE")
        }
    }

    private mutating func append(_ conditions: ArraySlice<Condition>, _ separator: String, ifNone: String) throws {
        guard let first = conditions.first else {
            text += ifNone
            return
        }
        guard conditions.count > 1 else { return try append(first) }
        var size = 1
        while conditions.count > size * Self.widest { size *= Self.widest }
        let (isOr, hidValues) = (separator == " OR ", hidesValues)
        text += "("
        for start in stride(from: conditions.startIndex, to: conditions.endIndex, by: size) {
            let isFirst = start == conditions.startIndex
            if !isFirst { text += separator }
            let group = conditions[start..<Swift.min(start + size, conditions.endIndex)]
            // What SQLite's planner has to look at takes the square of its terms' number. Of an AND, the first terms
            // are enough to find rows by.
            let isHidden = size > Self.widest && group.count > 1 && (isOr || !isFirst)
            hidesValues = hidesValues || isHidden && conditions.count > Self.most
            // In the parser, what precedes a bracket waits for it.
            try nested(isFirst ? 1 : 3) { sql in
                try sql.append(group, separator, ifNone: ifNone)
                if isHidden { sql.text += " IS TRUE" }
            }
            hidesValues = hidValues
        }
        text += ")"
    }

    /// Writes what takes so many more places of the parser.
    mutating func nested(_ places: Int, _ write: (inout CriteriaSQL) throws -> Void) throws {
        depth += places
        guard depth <= Self.deepest else {
            throw PersistenceError(
                .invalidCriteria,
                "the condition is nested deeper than SQLite's parser goes: no more than "
                    + "\(Self.deepest / Self.placesOfSubquery) relations, \(Self.deepest / 5) choices, "
                    + "\(Self.deepest / 3) ANDs and ORs, or \(Self.deepest) NOTs, can be nested",
                model: mapping.modelName)
        }
        try write(&self)
        depth -= places
    }
}

/// Operands.
extension CriteriaSQL {
    mutating func append(_ operand: Operand) throws {
        switch operand {
        case .column(let column):
            noteJSON(column)
            text += try forms.value(column)
        case .value(let value):
            text += hidesValues ? "(SELECT ?)" : "?"
            bind(value)
        case .arithmetic(let lhs, let sign, let rhs): try write("(\(lhs, 1) \(sign.rawValue) \(rhs, 3))")
        case .conditional(let condition, let then, let other):
            try write("CASE WHEN \(condition, 5) THEN \(then, 5) ELSE \(other, 5) END")
        case .number(let operand): try write("(\(operand, 1) + 0)")
        case .real(let operand): try write("CAST(\(operand, 1) AS REAL)")
        case .integer(let operand): try write("CAST(\(operand, 1) AS INTEGER)")
        case .onlyText(let operand): try write("CASE typeof(\(operand, 5)) WHEN 'text' THEN \(operand, 5) END")
        case .folded(let operand, let options): try write("fold(\(operand, 3), '\(options.letters)')")
        case .related(let relation, let operand): try append(relation, operand)
        case .function(let function, let operands): try append(function, operands)
        case .date(let function, let operand, let form): try append(function, operand, form)
        case .subquery(let query): try append(valueOf: query)
        case .aggregate(let aggregate): try append(aggregate)
        }
    }
}

extension Condition {
    /// Whether it may be true where one of its operands is NULL.
    fileprivate var takesNULL: Bool {
        switch self {
        case .not, .isEqual(_, .value(.null), _), .isEqual(.value(.null), _, _): true
        case .isEqual(_, .value, _), .isEqual(.value, _, _): false
        case .isEqual: true
        default: false
        }
    }

    /// Whether it asks for a value of a column.
    fileprivate var isLookup: Bool { if case .isEqual(.column, .value, _) = self { true } else { false } }
}

/// A column and how its values are compared.
private struct CollatedColumn: Hashable {
    let column: ObjectIdentifier
    let collation: Collation
}

extension [Condition] {
    /// The terms of an OR with one list for all the values that a column is compared with by a collation, which is one
    /// parameter and serves an index.
    fileprivate var withLookupsAsLists: [Condition] {
        var lists: [CollatedColumn: (column: ColumnOperand, collation: Collation, values: [SQLiteValue])] = [:]
        let others = filter { condition in
            // A list by another collation must not have values that this calls equal.
            guard case .isEqual(.column(let column), .value(let value), let collation) = condition,
                collation == .binary || collation == .nocase
            else { return true }
            let name = CollatedColumn(column: ObjectIdentifier(column), collation: collation)
            lists[name, default: (column, collation, [])].values.append(value)
            return false
        }
        let ordered = lists.values.sorted {
            ($0.column.index, $0.column.sql, $0.collation.rawValue)
                < ($1.column.index, $1.column.sql, $1.collation.rawValue)
        }
        return ordered.map { .isIn(.column($0.column), $0.values, $0.collation) } + others
    }
}
