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
    private(set) var text = ""
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
        guard !arguments.named.isEmpty else { return }
        let known = Set(named.named.map(\.name))
        if let twice = arguments.named.first(where: { known.contains($0.name) }) {
            throw PersistenceError(
                .invalidCriteria, "two SQL conditions use the parameter \(twice.name): rename one",
                model: mapping.modelName)
        }
        named = named + Arguments(Dictionary(arguments.named.map { ($0.name, $0.value) }) { first, _ in first })
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
    private static let widest = 32
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
        case .and(let conditions) where conditions.count > Self.widest:
            // Those that an index serves best come first.
            let sorted = conditions.filter(\.isLookup) + conditions.filter { !$0.isLookup }
            try append(sorted[...], " AND ", ifNone: "TRUE")
        case .and(let conditions): try append(conditions[...], " AND ", ifNone: "TRUE")
        case .or(let conditions):
            let terms = conditions.count > Self.widest ? conditions.withLookupsAsLists : conditions
            try append(terms[...], " OR ", ifNone: "FALSE")
        case .not(.isEqual(let lhs, let rhs, let collation)) where RoundedRange(lhs, .equal, rhs) == nil:
            try append(lhs, " IS NOT ", rhs, collation)
        case .not(.exists(let relation, let condition, _)) where !relation.isFoundByColumn:
            text += "NOT "
            try append(exists: relation, condition)
        case .not(let condition):
            text += "("
            try nested(1) { sql in try sql.append(condition) }
            // Of what is not true, a part may be unknown: that is not true either.
            text += ") IS NOT TRUE"
        case .isEqual(let lhs, .value(.null), _), .isEqual(.value(.null), let lhs, _): try append(isNull: lhs)
        case .isEqual(let lhs, let rhs, let collation):
            if let range = try range(lhs, .equal, rhs) { return append(range) }
            let isValue = if case .value = lhs { true } else if case .value = rhs { true } else { false }
            try appendRanged(lhs, .equal, rhs) { sql in
                try sql.append(lhs, isValue ? " = " : " IS ", rhs, collation)
            }
        case .compares(let lhs, let comparison, let rhs, let collation):
            if let range = try range(lhs, comparison, rhs) { return append(range) }
            try appendRanged(lhs, comparison, rhs) { sql in
                try sql.append(lhs, " \(comparison.rawValue) ", rhs, collation, isOrder: true)
            }
        case .isIn(let operand, let values, let collation):
            let isRounded = try values.contains { try range(operand, .equal, .value($0)) != nil }
            if isRounded, values.count <= Self.widest {
                return try append(.or(values.map { .isEqual(operand, .value($0), collation) }))
            }
            try append(operand, in: values, collation, isRounded: isRounded)
        case .contains(let operand, let part): try call("instr", operand, part, " > 0")
        case .hasPrefix(let operand, let prefix): try append(operand, hasPrefix: prefix)
        case .hasSuffix(let operand, let suffix): try append(operand, hasSuffix: suffix)
        case .listContains(let column, let element, let options): append(column, contains: element, options)
        case .anyElement(let list, let name, let condition): try append(list, any: name, meets: condition)
        case .like(let operand, let pattern):
            try append(operand)
            text += " GLOB ?"
            bind(.text(pattern.glob))
        case .matches(let operand, let pattern, let options):
            try append(operand)
            text += " REGEXP "
            try append(expression: pattern, options)
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

/// Comparisons.
extension CriteriaSQL {
    private mutating func append(
        _ lhs: Operand, _ sign: String, _ rhs: Operand, _ collation: Collation, isOrder: Bool = false
    ) throws {
        // Values of several classes are compared as they are stored: a column's affinity would change the other's.
        let isMixed = if let left = lhs.kind, let right = rhs.kind { left != right } else { false }
        if isMixed { text += "+" }
        try append(lhs, comparedWith: [rhs])
        text += isMixed ? sign + "+" : sign
        try nested(2) { sql in try sql.append(rhs, comparedWith: [lhs]) }
        let isText = [nil, .text, .any].contains(lhs.kind ?? rhs.kind)
        append(collation, unless: lhs.plainColumn ?? rhs.plainColumn, isOrder: isOrder && isText)
    }

    /// Adds an operand that is compared with others. A column of JSON that is compared with other texts, as of a type
    /// that is stored in its own way, has one form for each value, and an index serves.
    private mutating func append(_ operand: Operand, comparedWith others: [Operand]) throws {
        if case .value(.real(let real)) = operand, real.isFinite, others.contains(where: { $0.column?.json != nil }) {
            // SQLite reads a number of JSON less exactly than Swift does: so it reads both.
            text += "json_extract(?, '$')"
            return bind(.text("\(real)"))
        }
        guard case .column(let column) = operand else { return try append(operand) }
        let isPlain =
            column.isNormalized
            ? others.allSatisfy { if case .value(let value) = $0 { !value.mayBeJSON } else { false } }
            : forms.areNumeric(column)
        if isPlain { append(plain: column) } else { try append(operand) }
    }

    /// Adds a column as it is stored.
    private mutating func append(plain column: ColumnOperand) {
        noteJSON(column)
        text += column.sql
    }

    /// Says the collation where SQLite would take another, or another order.
    mutating func append(_ collation: Collation, unless column: ColumnOperand?, isOrder: Bool = false) {
        if forms.isUTF16, isOrder, collation == .binary {
            text += " COLLATE UTF8"
        } else if column.map({ collation != $0.ownCollation }) ?? (collation != .binary) {
            text += " COLLATE \(SQLText.identifier(collation.rawValue))"
        }
    }

    /// Adds a comparison, and before it what an index can find of it where a column holds dates in several forms.
    private mutating func appendRanged(
        _ lhs: Operand, _ comparison: CriteriaNode.Comparison, _ rhs: Operand,
        _ write: (inout CriteriaSQL) throws -> Void
    ) throws {
        let isRanged =
            switch (lhs, rhs, comparison) {
            case (.column, .value(let value), .equal): try appendRanges(of: lhs, from: value, to: value)
            case (.value(let value), .column, .equal): try appendRanges(of: rhs, from: value, to: value)
            case (.column, .value(let value), .greater), (.column, .value(let value), .greaterOrEqual):
                try appendRanges(of: lhs, from: value, to: nil)
            case (.column, .value(let value), .less), (.column, .value(let value), .lessOrEqual):
                try appendRanges(of: lhs, from: nil, to: value)
            case (.value(let value), .column, .greater), (.value(let value), .column, .greaterOrEqual):
                try appendRanges(of: rhs, from: nil, to: value)
            case (.value(let value), .column, .less), (.value(let value), .column, .lessOrEqual):
                try appendRanges(of: rhs, from: value, to: nil)
            default: false
            }
        try write(&self)
        if isRanged { text += ")" }
    }

    /// What is stored is asked, and not what the class makes of it: an index on the column serves.
    private mutating func append(isNull operand: Operand) throws {
        if case .column(let column) = operand { append(plain: column) } else { try append(operand) }
        text += " IS NULL"
    }

    /// - Parameter isRounded: Whether several numbers may be read as one of the values.
    private mutating func append(
        _ operand: Operand, in values: [SQLiteValue], _ collation: Collation, isRounded: Bool
    ) throws {
        let present = values.filter { !$0.isNull }
        // IN never finds NULL.
        let hasNull = present.count < values.count
        if hasNull { text += "(" }
        let order = present.sorted { $0.compared(with: $1, .binary) < 0 }
        let isRanged = try appendRanges(of: operand, from: order.first, to: order.last)
        if isRounded, case .column(let column) = operand, case .rounded(let rounding) = column.comparedForm {
            text += rounding.sql(column.sql)
        } else {
            try append(operand, comparedWith: present.map { .value($0) })
        }
        append(collation, unless: operand.plainColumn)
        if present.count > Self.longest {
            let (list, element) = Self.json(present)
            text += " IN (SELECT \(element) FROM json_each(?))"
            bind(.text(list))
        } else {
            text += " IN (" + Array(repeating: "?", count: present.count).joined(separator: ", ") + ")"
            self.values += present
        }
        if isRanged { text += ")" }
        guard hasNull else { return }
        text += " OR "
        try append(.isEqual(operand, .value(.null), collation))
        text += ")"
    }

    /// How many values are a parameter each, of which SQLite takes only so many. A longer list is one, as JSON.
    private static let longest = 500

    /// A list as JSON, and what its elements are read by.
    private static func json(_ values: [SQLiteValue]) -> (list: String, element: String) {
        let plain = values.compactMap(plainJSON)
        if plain.count == values.count { return ("[\(plain.joined(separator: ","))]", "value") }
        // JSON does not give these back to the bit.
        return ("[\(values.compactMap(\.listed).map { "\"\($0)\"" }.joined(separator: ","))]", "sqlitekit_value(value)")
    }

    /// A value as an element of a JSON array; nil for one that JSON doesn't give back to the bit.
    static func plainJSON(_ value: SQLiteValue) -> String? {
        switch value {
        case .integer(let integer): "\(integer)"
        case .text(let text): text.utf8.contains(0) ? nil : quotedJSON(text)
        case .real, .blob, .null: nil
        }
    }

    private static func quotedJSON(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return "\"\(text)\"" }
        let hex = Array("0123456789ABCDEF".unicodeScalars)
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted.append(contentsOf: ["\\", scalar])
            case _ where scalar.value < 0x20:
                quoted.append(contentsOf: "\\u00".unicodeScalars)
                quoted.append(contentsOf: [hex[Int(scalar.value >> 4)], hex[Int(scalar.value & 15)]])
            default: quoted.append(scalar)
            }
        }
        quoted.append("\"")
        return String(quoted)
    }
}

/// Texts.
extension CriteriaSQL {
    private mutating func append(_ operand: Operand, hasPrefix prefix: Operand) throws {
        guard case .column(let column) = operand, case .value(.text(let text)) = prefix, let end = end(ofPrefix: text)
        else {
            if case .value(.text("")) = prefix {
                try append(operand)
                self.text += " IS NOT NULL"
                return
            }
            return try call("instr", operand, prefix, " = 1")
        }
        // Between the prefix and the first text after all that begin with it: an index finds these.
        // Bytes are compared, by whatever collation the table compares the column.
        let collation = forms.haveOtherCollation(column) ? " COLLATE \(forms.isUTF16 ? "UTF8" : "BINARY")" : ""
        self.text += "("
        try append(operand, " >= ", prefix, .binary, isOrder: true)
        self.text += collation + " AND "
        try append(operand, " < ", .value(.text(end)), .binary, isOrder: true)
        self.text += collation + ")"
    }

    /// The first text after all those that begin with a prefix. UTF-8 keeps the order of the characters, so it is the
    /// prefix with its last character's successor for it. Nil when there is none.
    private func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // No character has a surrogate's number.
            var successor = last.value == 0xD7FF ? 0xE000 : last.value + 1
            // SQLite makes U+FFFD of these two in UTF-16.
            if forms.isUTF16, successor == 0xFFFE { successor = 0x10000 }
            guard let next = Unicode.Scalar(successor) else { continue }
            return String(String.UnicodeScalarView(scalars + [next]))
        }
        return nil
    }

    private mutating func append(_ operand: Operand, hasSuffix suffix: Operand) throws {
        if case .value(.text(let suffix)) = suffix {
            guard !suffix.isEmpty else { return try append(operand, hasPrefix: .value(.text(""))) }
            // As bytes, since in a text substr stops at a NUL.
            text += "substr(CAST("
            try append(operand)
            text += " AS BLOB), ?) = "
            if forms.isUTF16 {
                text += "CAST(? AS BLOB)"
                bind(.integer(Int64(-2 * suffix.utf16.count)))
                return bind(.text(suffix))
            }
            text += "?"
            bind(.integer(Int64(-suffix.utf8.count)))
            return bind(.blob(Data(suffix.utf8)))
        }
        // From position 0 a text is whole, so none that is empty is its end.
        text += "(substr(CAST("
        try append(operand)
        text += " AS BLOB), -length(CAST("
        try append(suffix)
        text += " AS BLOB))) = CAST("
        try append(suffix)
        text += " AS BLOB) OR "
        try append(operand)
        text += " IS NOT NULL AND length(CAST("
        try append(suffix)
        text += " AS BLOB)) = 0)"
    }

    private mutating func append(expression pattern: Operand, _ options: TextOptions) throws {
        if case .value(let value) = pattern {
            text += "?"
            guard case .text(let pattern) = value else { return bind(.null) }
            return bind(.text(options.wholeText(pattern)))
        }
        let (before, after) = options.wholeTextParts
        text += "('\(before)' || "
        try append(pattern)
        text += " || '\(after)')"
    }

    private mutating func call(_ function: String, _ first: Operand, _ second: Operand, _ rest: String) throws {
        text += function + "("
        try append(first)
        text += ", "
        try append(second)
        text += ")" + rest
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
        case .arithmetic(let lhs, let sign, let rhs):
            text += "("
            try nested(1) { sql in try sql.append(lhs) }
            text += " \(sign.rawValue) "
            try nested(3) { sql in try sql.append(rhs) }
            text += ")"
        case .conditional(let condition, let then, let other):
            text += "CASE WHEN "
            try nested(5) { sql in
                try sql.append(condition)
                sql.text += " THEN "
                try sql.append(then)
                sql.text += " ELSE "
                try sql.append(other)
            }
            text += " END"
        case .number(let operand):
            text += "("
            try nested(1) { sql in try sql.append(operand) }
            text += " + 0)"
        case .real(let operand): try append(operand, as: "REAL")
        case .integer(let operand): try append(operand, as: "INTEGER")
        case .onlyText(let operand):
            text += "CASE typeof("
            try nested(5) { sql in
                try sql.append(operand)
                sql.text += ") WHEN 'text' THEN "
                try sql.append(operand)
            }
            text += " END"
        case .folded(let operand, let options):
            text += "fold("
            try nested(3) { sql in try sql.append(operand) }
            text += ", '\(options.letters)')"
        case .related(let relation, let operand): try append(relation, operand)
        case .function(let function, let operands): try append(function, operands)
        case .date(let function, let operand, let form): try append(function, operand, form)
        case .subquery(let query): try append(valueOf: query)
        case .aggregate(let aggregate): try append(aggregate)
        }
    }
}

extension CriteriaSQL {
    mutating func append(_ operand: Operand, as type: String) throws {
        text += "CAST("
        try nested(1) { sql in try sql.append(operand) }
        text += " AS \(type))"
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

extension [Condition] {
    /// The terms of an OR with one list for all the values of a column, which is one parameter and serves an index.
    fileprivate var withLookupsAsLists: [Condition] {
        var lists: [ObjectIdentifier: (column: ColumnOperand, collation: Collation, values: [SQLiteValue])] = [:]
        let others = filter { condition in
            // A list by another collation must not have values that this calls equal.
            guard case .isEqual(.column(let column), .value(let value), let collation) = condition,
                collation == .binary || collation == .nocase
            else { return true }
            lists[ObjectIdentifier(column), default: (column, collation, [])].values.append(value)
            return false
        }
        let ordered = lists.values.sorted { ($0.column.index, $0.column.sql) < ($1.column.index, $1.column.sql) }
        return ordered.map { .isIn(.column($0.column), $0.values, $0.collation) } + others
    }
}

extension Operand {
    /// The column that the operand is, whose collation SQLite takes.
    var plainColumn: ColumnOperand? { if case .column(let column) = self { column } else { nil } }
}

extension TextOptions {
    /// What comes before and after a regular expression that is to match a whole text.
    var wholeTextParts: (before: String, after: String) {
        ((contains(.caseInsensitive) ? "(?i)" : "") + #"\A(?:"#, #")\z"#)
    }

    /// A regular expression that matches a whole text.
    func wholeText(_ pattern: String) -> String {
        wholeTextParts.before + pattern + wholeTextParts.after
    }
}
