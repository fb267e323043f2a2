/// Conditions and values of related rows, as subqueries.
///
/// Each has one table: a column without a table's name is the innermost table's, so conditions and values are written
/// as they are anywhere, and the comparison that joins two tables alone names both. A table whose name is in scope has
/// another: `EXISTS (SELECT 1 FROM EMPLOYEE AS r1 WHERE r1.MANAGER_ID = EMPLOYEE.ID AND SALARY > ?)`.
extension CriteriaSQL {
    typealias Writing = (inout CriteriaSQL) throws -> Void

    /// Adds the condition that a row of a relation meets another.
    mutating func append(exists relation: ResolvedRelation, _ condition: Condition) throws {
        let conditions = try [filter(of: relation), condition].compactMap { $0 }.filter { !$0.isTrue }
        try append(relation.hops[...], conditions)
    }

    /// By one column of a to-one relation it is `SHOW_ID IN (SELECT ID FROM SHOW WHERE TITLE = ?)`, for which SQLite
    /// begins with the shows. Of an EXISTS it always begins outside.
    private mutating func append(_ hops: ArraySlice<ResolvedRelation.Hop>, _ conditions: [Condition]) throws {
        guard let hop = hops.first else { return try append(.and(conditions)) }
        let rest = hops.dropFirst()
        let further: [Writing] =
            rest.isEmpty
            ? conditions.map { condition in { try $0.append(condition) } } : [{ try $0.append(rest, conditions) }]
        if hop.isToOne, hop.fromColumns.count == 1 {
            let (column, parent) = (hop.from.operands[hop.fromColumns[0]], hop.to.operands[hop.toColumns[0]])
            append(column.sql + column.collating(as: parent) + " IN ")
            try append(subqueryOf: hop.to, isCorrelated: false, { $0.append(parent.sql) }, where: further)
        } else {
            let keys = hop.keys(in: scope)
            append("EXISTS ")
            try append(
                subqueryOf: hop.to, { $0.append("1") }, where: [{ $0.append(hop.joining($0.scope, keys)) }] + further)
        }
    }

    /// Adds a value of a relation's rows: `(SELECT count(*) FROM EPISODE WHERE EPISODE.SHOW_ID = SHOW.ID)`.
    ///
    /// - Parameter keys: What stands for the columns that the relation starts from; nil is those of the row in scope.
    mutating func append(_ relation: ResolvedRelation, _ operand: RelatedOperand, from keys: [String]? = nil) throws {
        let keys = keys ?? relation.hops[0].keys(in: scope)
        let filter = try filter(of: relation)
        let value: Writing
        switch operand {
        case .value(let operand, _): return try append(operand, at: relation.hops[...], from: keys)
        case .count: value = { $0.append("count(*)") }
        case .aggregate(let aggregate, let operand, _):
            value = { sql in
                sql.append(aggregate.rawValue + "(")
                // The first and the last are those of the order in which the values are compared.
                let isOrdered = aggregate == .least || aggregate == .greatest
                try isOrdered ? sql.append(compared: operand) : sql.append(aggregated: operand)
                sql.append(")")
            }
        }
        // A row that several links lead to is one.
        let conditions: [Writing] =
            [{ try $0.append(reachedBy: relation.hops[...], from: keys) }]
            + [filter].compactMap { $0 }.filter { !$0.isTrue }.map { filter in { try $0.append(filter) } }
        try append(subqueryOf: relation.target, value, where: conditions)
    }

    /// Adds a value of the one row that hops lead to.
    private mutating func append(
        _ operand: Operand, at hops: ArraySlice<ResolvedRelation.Hop>, from keys: [String]
    ) throws {
        guard let hop = hops.first else { return try append(operand) }
        try append(
            subqueryOf: hop.to,
            { sql in
                let rest = hops.dropFirst()
                let keys = rest.first?.keys(in: sql.scope) ?? []
                try sql.append(operand, at: rest, from: keys)
            }, where: [{ $0.append(hop.joining($0.scope, keys)) }])
    }

    /// Adds the condition that a relation leads to the row in scope from one with a key:
    /// `ID IN (SELECT TAG_ID FROM TAGGING WHERE TAGGING.EPISODE_ID = ?)`.
    mutating func append(reachedBy relation: ResolvedRelation, from key: [SQLiteValue]) throws {
        try append(reachedBy: relation.hops[...], from: key.map { _ in "?" })
        for value in key { bind(value) }
    }

    /// Adds the condition that hops lead to the row in scope.
    private mutating func append(reachedBy hops: ArraySlice<ResolvedRelation.Hop>, from keys: [String]) throws {
        guard let hop = hops.last else { return }
        let before = hops.dropLast()
        if before.isEmpty { return append(hop.joining(scope, keys)) }
        guard hop.toColumns.count > 1 else {
            let (column, link) = (hop.to.operands[hop.toColumns[0]], hop.from.operands[hop.fromColumns[0]])
            append(column.sql + column.collating(as: hop.isToOne ? column : link) + " IN ")
            return try append(
                subqueryOf: hop.from, { $0.append(link.sql) }, where: [{ try $0.append(reachedBy: before, from: keys) }]
            )
        }
        let name = scope
        append("EXISTS ")
        try append(
            subqueryOf: hop.from, { $0.append("1") },
            where: [
                { $0.append(hop.joining(name, hop.keys(in: $0.scope))) },
                { try $0.append(reachedBy: before, from: keys) },
            ])
    }

    /// Adds a value that an aggregate is computed of.
    mutating func append(aggregated operand: Operand) throws {
        guard case .column(let column) = operand else { return try append(operand) }
        append(try forms.comparable(column))
    }

    /// Adds `(SELECT … FROM TABLE WHERE …)`, written with the table's rows in scope.
    ///
    /// - Parameters:
    ///   - isCorrelated: Whether the conditions may name tables outside.
    ///   - conditions: What the rows meet, all of it.
    ///   - end: What comes after the conditions, such as an order.
    mutating func append(
        subqueryOf table: Mapping, isCorrelated: Bool = true, _ value: Writing, where conditions: [Writing],
        end: Writing? = nil
    ) throws {
        let outside = (mapping, forms, scopes, jsonColumns, subject)
        // Its rows aren't those of groups that it stands in.
        subject = .rows
        let names = isCorrelated ? (scopes.isEmpty ? [mapping.sql.name] : scopes) : []
        let name = Self.name(for: table.sql.name, avoiding: names)
        (mapping, forms) = try forms.related(table)
        scopes = names + [name]
        try nested(Self.placesOfSubquery) { sql in
            sql.append("(SELECT ")
            try value(&sql)
            sql.append(" FROM \(table.sql.table)" + (name == table.sql.name ? "" : " AS \(name)"))
            let kinds = table.place?.condition.map { condition -> Writing in { $0.append(condition) } }
            for (position, condition) in ([kinds].compactMap { $0 } + conditions).enumerated() {
                sql.append(position == 0 ? " WHERE " : " AND ")
                try condition(&sql)
            }
            try end?(&sql)
            sql.append(")")
        }
        (mapping, forms, scopes, jsonColumns, subject) = outside
    }

    /// The name of the innermost table.
    var scope: String { scopes.last ?? mapping.sql.name }

    private static func name(for table: String, avoiding names: [String]) -> String {
        func isTaken(_ name: String) -> Bool { names.contains { asciiLowercased($0) == asciiLowercased(name) } }
        guard isTaken(table) else { return table }
        var number = names.count
        while isTaken("r\(number)") { number += 1 }
        return "r\(number)"
    }

    /// Which of its rows a relation takes; nil for all.
    private func filter(of relation: ResolvedRelation) throws -> Condition? {
        try relation.refinement.tree.map { try CriteriaResolver(mapping: relation.target).condition($0.node) }
    }

    /// Adds what an ordering compares of a related value, which has no collation of its own.
    mutating func append(_ operand: Operand, comparedBy term: OrderingTerm.Column) throws {
        switch term.comparison.kind {
        case .stored:
            try append(operand)
            guard operand.kind == .text || operand.kind == .decimal || operand.kind == .any else { return }
            let collation = operand.column?.collation ?? (operand.kind == .decimal ? .decimal : .binary)
            if collation != .binary {
                append(" COLLATE \(SQLText.identifier(collation.rawValue))")
            } else if forms.isUTF16 {
                append(" COLLATE UTF8")
            }
        case .folded(let options):
            try write("fold(\(operand), '\(options.letters)')\(forms.isUTF16 ? " COLLATE UTF8" : "")")
        case .localized: try write("\(operand) COLLATE LOCALIZED")
        }
    }
}

extension ResolvedRelation.Hop {
    /// The columns that it starts from, of the table that has a name.
    func keys(in table: String) -> [String] { fromColumns.map { "\(table).\(from.sql.columns[$0])" } }

    /// Keys as the columns of its end are compared with them: by the collation of the parent's columns, as foreign keys
    /// do.
    func collated(_ keys: [String]) -> [String] {
        zip(zip(toColumns, fromColumns), keys).map { columns, key in
            let (column, other) = (to.operands[columns.0], from.operands[columns.1])
            return key + column.collating(as: isToOne ? column : other)
        }
    }

    /// The condition that joins the rows of its end, in a table that has a name, to keys.
    func joining(_ table: String, _ keys: [String]) -> String {
        zip(toColumns, collated(keys)).map { "\(table).\(to.sql.columns[$0]) = \($1)" }.joined(separator: " AND ")
    }
}

extension ColumnOperand {
    /// ` COLLATE …`, where the column on the left of a comparison doesn't have the parent's collation.
    fileprivate func collating(as parent: ColumnOperand) -> String {
        ownCollation == parent.collation ? "" : " COLLATE \(SQLText.identifier(parent.collation.rawValue))"
    }
}

extension Condition {
    /// Whether it takes every row by its form.
    fileprivate var isTrue: Bool { if case .and(let conditions) = self { conditions.isEmpty } else { false } }
}
