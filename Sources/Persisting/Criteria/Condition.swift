/// A criteria's tree made ready for one class: keys are columns, values have their stored forms and are folded where
/// texts are. ``CriteriaSQL`` writes it, ``CriteriaEvaluation`` answers it for an object; what NULL and text mean
/// stands here, once for both.
///
/// NULL: `isEqual` is SQL's `IS`, of which NULL is equal to NULL. All else is not true with a NULL in it, and `not` is
/// true of what is not true.
indirect enum Condition: Sendable {
    case and([Condition])
    case or([Condition])
    case not(Condition)
    case isEqual(Operand, Operand, Collation)
    /// `<`, `<=`, `>` or `>=`.
    case compares(Operand, CriteriaNode.Comparison, Operand, Collation)
    case isIn(Operand, [SQLiteValue], Collation)
    /// The bytes of the second text are within those of the first, or begin or end them, whatever the collation.
    case contains(Operand, Operand)
    case hasPrefix(Operand, Operand)
    case hasSuffix(Operand, Operand)
    /// A list that is stored as JSON has an element.
    case listContains(ColumnOperand, JSONElement, TextOptions)
    /// An element of a list that is stored as JSON, which has a name in SQL, meets a condition.
    case anyElement(ColumnOperand, named: String, Condition)
    case like(Operand, Wildcards)
    case matches(Operand, pattern: Operand, TextOptions)
    /// One of a relation's rows meets a condition of its own class, which was made of the node.
    case exists(ResolvedRelation, Condition, CriteriaNode)
    /// The hops of a relation lead to the row from one that has these values in the columns that they start from.
    case isRelated(ResolvedRelation, from: [SQLiteValue])
    case isInQuery(Operand, ResolvedQuery, Collation)
    case queryHasRow(ResolvedQuery, [(inner: ColumnOperand, outer: ColumnOperand)])
    case isRow(ResolvedQuery)
    case fullText(ResolvedFullTextMatch)
    case sql(String, Arguments)

    /// The operand is a text: what `hasPrefix` of no characters asks.
    static func isText(_ operand: Operand) -> Condition { .hasPrefix(operand, .value(.text(""))) }
}

/// What a ``Condition`` compares.
indirect enum Operand: Sendable {
    case column(ColumnOperand)
    case value(SQLiteValue)
    case arithmetic(Operand, CriteriaTerm.Arithmetic, Operand)
    case conditional(Condition, Operand, Operand)
    /// A text that spells a decimal number, as a number.
    case number(Operand)
    /// A number as one with a fraction, or as an integer: what the property's type is, whatever the column holds.
    case real(Operand)
    case integer(Operand)
    /// NULL where the value isn't text.
    case onlyText(Operand)
    case folded(Operand, TextOptions)
    case related(ResolvedRelation, RelatedOperand)
    case function(RowFunction, [Operand])
    /// What can be computed of a date, which is stored in a form.
    case date(DateFunction, Operand, DateStorage)
    case subquery(ResolvedQuery)
    case aggregate(AggregateOperand)

    /// What kind of value the operand has; nil for a value, which takes the kind of what it is compared with.
    var kind: ColumnOperand.Kind? {
        switch self {
        case .column(let column): column.kind
        case .value: nil
        case .arithmetic, .number, .real, .integer: .number
        case .conditional(_, let then, let other): then.kind ?? other.kind
        case .onlyText, .folded: .text
        case .related(_, let operand): operand.kind
        case .function(let function, let operands): function.kind ?? operands.first(of: \.kind)
        case .date(.part, _, _): .number
        case .date(.start, let operand, _): operand.kind
        case .subquery(let query): query.value?.kind
        case .aggregate(let aggregate): aggregate.kind
        }
    }

    /// Whether it has values of several terms, so that its column tells those of one alone.
    var isChoice: Bool {
        switch self {
        case .conditional, .function(.coalesced, _): true
        case .aggregate(let aggregate): aggregate.operand?.isChoice ?? false
        case .related(_, .value(let operand, _)), .related(_, .aggregate(_, let operand, _)): operand.isChoice
        default: false
        }
    }

    /// The column whose values the operand has.
    var column: ColumnOperand? {
        switch self {
        case .column(let column): column
        case .conditional(_, let then, let other): then.column ?? other.column
        case .related(_, let operand): operand.column
        case .function(.coalesced, let operands): operands.first(of: \.column)
        case .date(.start, let operand, _): operand.column
        case .subquery(let query): query.value?.column
        case .aggregate(let aggregate): aggregate.column
        case .value, .arithmetic, .number, .real, .integer, .onlyText, .folded, .function, .date: nil
        }
    }
}

extension [Operand] {
    /// The first of what the operands have, asked of each once.
    fileprivate func first<T>(of value: (Operand) -> T?) -> T? {
        for operand in self {
            if let found = value(operand) { return found }
        }
        return nil
    }
}

extension Mapping {
    /// The stored form of a value that is of a column's own type, which is the rule; nil for any other, and where that
    /// type is not built in or the value has no stored form.
    func stored(_ given: any Sendable, as operand: ColumnOperand) -> SQLiteValue? {
        guard operand.index < operands.count, operand === operands[operand.index] else { return nil }
        var visitor = StoredIfBuiltIn(given: given)
        // For what cannot be stored, the column's codec throws an error that says why.
        try? fields[operand.index].kind.visit(&visitor)
        return visitor.stored
    }
}

private struct StoredIfBuiltIn: FieldVisitor {
    let given: any Sendable
    var stored: SQLiteValue?

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) throws { stored = try (given as? T)?.sqliteValue() }
    mutating func visitCustom() {}
}

/// A pattern of NSPredicate's LIKE.
struct Wildcards {
    enum Part: Hashable {
        /// `*`
        case any
        /// `?`
        case one
        case scalar(Unicode.Scalar)
    }

    private(set) var parts: [Part] = []

    init(_ pattern: String) {
        var isPlain = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isPlain:
                // A backslash before any other character is one itself.
                if !["*", "?", "\\"].contains(scalar) { parts.append(.scalar("\\")) }
                parts.append(.scalar(scalar))
                isPlain = false
            case "\\": isPlain = true
            case "*": if parts.last != .any { parts.append(.any) }
            case "?": parts.append(.one)
            default: parts.append(.scalar(scalar))
            }
        }
        if isPlain { parts.append(.scalar("\\")) }
    }

    /// The text that the parts are, nil when there is a wildcard among them.
    static func text(_ parts: some Sequence<Part>) -> String? {
        var text = String.UnicodeScalarView()
        for part in parts {
            guard case .scalar(let scalar) = part else { return nil }
            text.append(scalar)
        }
        return String(text)
    }

    /// The same pattern in the notation of SQLite's GLOB.
    var glob: String {
        parts.map { part in
            switch part {
            case .any: "*"
            case .one: "?"
            case .scalar(let scalar): ["*", "?", "["].contains(scalar) ? "[\(scalar)]" : String(scalar)
            }
        }.joined()
    }

    /// Whether a text has the form. As for GLOB, a text ends at its first NUL.
    func matches(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars.prefix { $0.value != 0 })
        var (position, part) = (0, 0)
        // Where to go on from when what follows the last `*` does not fit: that `*` takes one character more.
        var retry: (position: Int, part: Int)?
        while position < text.count {
            if part < parts.count, parts[part] == .any {
                retry = (position, part)
                part += 1
            } else if part < parts.count, parts[part] == .one || parts[part] == .scalar(text[position]) {
                position += 1
                part += 1
            } else if let last = retry {
                retry = (last.position + 1, last.part)
                position = last.position + 1
                part = last.part + 1
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .any }
    }
}
