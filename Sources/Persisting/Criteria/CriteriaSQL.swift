/// Writes conditions and orderings as SQL, with their values bound.
struct CriteriaSQL {
    let mapping: Mapping
    private(set) var text = ""
    private(set) var values: [SQLiteValue] = []
    /// Arguments of SQL text, which may have names; they stand behind all values.
    private(set) var named = Arguments([:] as [String: (any SQLiteValueConvertible)?])

    init(_ mapping: Mapping) {
        self.mapping = mapping
    }

    var arguments: Arguments { Arguments(values) + named }

    /// Adds ` WHERE …`, or nothing for a condition that takes every row.
    ///
    /// - Returns: Whether there is a condition.
    @discardableResult
    mutating func appendWhere(_ node: CriteriaNode?) throws -> Bool {
        guard let node, !node.isEveryRow else { return false }
        text += " WHERE "
        try append(node)
        return true
    }

    mutating func append(_ sql: String) {
        text += sql
    }

    /// Adds a value for a `?` that has been written.
    mutating func bind(_ value: SQLiteValue) {
        values.append(value)
    }

    private mutating func append(_ node: CriteriaNode) throws {
        switch node {
        case .and(let nodes): try append(nodes, " AND ", ifNone: "TRUE")
        case .or(let nodes): try append(nodes, " OR ", ifNone: "FALSE")
        case .not(.compares(.key(let key), .equal, .value(let value), [])):
            // IS NOT knows no unknown.
            try append(key, " IS NOT ", value)
        case .not(let node):
            text += "("
            try append(node)
            // Of what is not true, a part may be unknown: that is not true either.
            text += ") IS NOT TRUE"
        case .compares(.key(let key), .equal, .value(let value), []):
            try append(key, flattened(value.value) == nil ? " IS " : " = ", value)
        case .compares(.key(let key), let comparison, .value(let value), []):
            try append(key, " \(comparison.rawValue) ", value)
        case .isIn(.key(let key), let terms, []):
            try append(key, in: terms.compactMap { if case .value(let value) = $0 { value } else { nil } })
        case .compares, .matches, .isIn:
            throw PersistenceError(.invalidCriteria, "this comparison is not there yet", model: mapping.modelName)
        case .sql where node.isEveryRow: text += "TRUE"
        case .sql(let condition, let arguments):
            // On a line of its own, the bracket is in no comment.
            text += "(\(condition)\n)"
            try append(arguments)
        case .invalid(let error): throw error
        }
    }

    private mutating func append(_ nodes: [CriteriaNode], _ separator: String, ifNone: String) throws {
        guard nodes.count != 1 else { return try append(nodes[0]) }
        guard !nodes.isEmpty else {
            text += ifNone
            return
        }
        text += "("
        for (position, node) in nodes.enumerated() {
            if position > 0 { text += separator }
            try append(node)
        }
        text += ")"
    }

    private mutating func append(_ key: String, _ comparison: String, _ value: CriteriaValue) throws {
        let (sql, column) = try mapping.operand(ofKey: key)
        text += sql + comparison + "?"
        values.append(try stored(value, column))
    }

    private mutating func append(_ key: String, in candidates: [CriteriaValue]) throws {
        let (sql, column) = try mapping.operand(ofKey: key)
        let stored = try candidates.map { try self.stored($0, column) }
        let present = stored.filter { !$0.isNull }
        let list = Array(repeating: "?", count: present.count).joined(separator: ", ")
        // IN never finds NULL.
        text +=
            present.count == stored.count ? "\(sql) IN (\(list))" : "(\(sql) IN (\(list)) OR \(sql) IS NULL)"
        values += present
    }

    /// The stored form of a value that is compared with a column.
    private func stored(_ value: CriteriaValue, _ column: Column) throws -> SQLiteValue {
        if flattened(value.value) == nil { return .null }
        do {
            return try column.codec.stored(value.value)
        } catch {
            throw column.refusal(of: value.value, .invalidCriteria, error, mapping)
        }
    }

    /// Positional values must stand where their `?` does; named ones may come last.
    private mutating func append(_ arguments: Arguments) throws {
        for value in arguments.positional { values.append(try value?.sqliteValue() ?? .null) }
        guard !arguments.named.isEmpty else { return }
        let known = Set(named.named.map(\.name))
        if let twice = arguments.named.first(where: { known.contains($0.name) }) {
            throw PersistenceError(
                .invalidCriteria, "two SQL conditions name the parameter \(twice.name): give one another name",
                model: mapping.modelName)
        }
        named = named + Arguments(Dictionary(arguments.named.map { ($0.name, $0.value) }) { first, _ in first })
    }
}
