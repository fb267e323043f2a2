/// What the library's own names begin with. No column's name does, not even one that the class leaves out.
private let prefix = "sqlitekit_"

/// Writes the queries that load a relation.
///
/// Keys, and tables on the way, are subselects whose columns have names of their own, so that conditions and orders
/// stand unqualified, as in any other query:
///
/// ```sql
/// SELECT ID, TITLE, sqlitekit_place
///   FROM (SELECT key AS sqlitekit_place, value AS sqlitekit_key
///     FROM json_each(?))
///   CROSS JOIN EPISODE ON EPISODE.SHOW_ID = sqlitekit_key
///   WHERE SECONDS > ? ORDER BY TITLE
/// ```
struct RelationSQL {
    let relation: ResolvedRelation
    /// A name of the row identifiers of the related objects' table; nil for a table without them.
    let rowID: String?
    /// Whether SQL may call the library's functions.
    let canCall: Bool

    init(_ relation: ResolvedRelation, rowID: String? = nil, canCall: Bool = true) {
        self.relation = relation
        self.rowID = rowID
        self.canCall = canCall
    }

    private var target: Mapping { relation.target }

    /// The related rows of some keys, and after their columns the place of the key among them.
    func load(_ keys: ArraySlice<RelationKey>, _ forms: StoredForms) throws -> CriteriaSQL {
        let refinement = relation.refinement
        var sql = CriteriaSQL(target, forms)
        let isLimited = refinement.limit != nil || refinement.offset ?? 0 != 0
        guard isLimited else {
            sql.append("SELECT \(target.sql.fetchedColumns), \(prefix)place")
            appendSources(keys, to: &sql)
            try sql.appendWhere(refinement.tree?.node)
            try sql.appendOrder(refinement.terms, of: refinement.tree?.node)
            return sql
        }
        try target.checkLimit(refinement.limit, offset: refinement.offset)
        if let rowID, relation.hops.count == 1 {
            try appendLimited(keys, by: rowID, to: &sql)
        } else {
            try appendRanked(keys, to: &sql)
        }
        return sql
    }

    /// The rows of the whole related table, where the rows of every key are asked for.
    func loadAll(_ forms: StoredForms) throws -> CriteriaSQL {
        var sql = CriteriaSQL(target, forms)
        sql.append(target.sql.select)
        try sql.appendWhere(relation.refinement.tree?.node)
        try sql.appendOrder(relation.refinement.terms, of: relation.refinement.tree?.node)
        return sql
    }

    /// The values that the first hop begins with in some rows of the source, each once; in all rows without keys.
    ///
    /// - Parameter keys: The rows' primary keys.
    static func starts(
        of relation: ResolvedRelation, _ keys: ArraySlice<RelationKey>?, canCall: Bool
    ) -> CriteriaSQL {
        let source = relation.source
        let columns = relation.hops[0].fromColumns.map { source.sql.columns[$0] }
        var sql = CriteriaSQL(source)
        sql.append("SELECT DISTINCT \(columns.list(", ")) FROM ")
        if let keys {
            sql.append(keys, width: source.key.count, canCall: canCall)
            sql.append(" CROSS JOIN \(source.sql.table) ON ")
            sql.append(equal: source.key.map { source.sql.columns[$0] }, prefix.names("key", source.key.count))
            sql.append(" WHERE ")
        } else {
            sql.append("\(source.sql.table) WHERE ")
        }
        sql.append(columns.map { "\($0) IS NOT NULL" }.list(" AND "))
        return sql
    }

    /// What is computed of the related rows, for each of some keys.
    func values(
        _ operand: RelatedOperand, _ keys: ArraySlice<RelationKey>, _ forms: StoredForms
    ) throws -> CriteriaSQL {
        var sql = CriteriaSQL(relation.source, forms)
        sql.append("SELECT \(prefix)place, ")
        try sql.append(relation, operand, from: prefix.names("key", relation.hops[0].toColumns.count))
        _ = appendKeys(keys, to: &sql)
        return sql
    }

    /// Adds ` FROM keys`.
    ///
    /// - Returns: The names of the keys' values.
    private func appendKeys(_ keys: ArraySlice<RelationKey>, to sql: inout CriteriaSQL) -> [String] {
        let width = relation.hops[0].toColumns.count
        sql.append(" FROM ")
        sql.append(keys, width: width, canCall: canCall)
        return prefix.names("key", width)
    }

    /// Adds ` FROM keys CROSS JOIN …`, up to the related table with what joins it.
    private func appendSources(_ keys: ArraySlice<RelationKey>, to sql: inout CriteriaSQL) {
        var known = appendKeys(keys, to: &sql)
        for (index, hop) in relation.hops.enumerated() {
            sql.append(" CROSS JOIN ")
            guard index + 1 < relation.hops.count else {
                sql.append("\(hop.to.sql.table) ON \(hop.joining(hop.to.sql.name, known))")
                return
            }
            let columns = hop.toColumns.map { hop.to.sql.columns[$0] }
            let number = index == 0 ? "" : "\(index + 1)"
            let next = relation.hops[index + 1].fromColumns.map { hop.to.sql.columns[$0] }
            let (from, to) = (prefix.names("from\(number)", columns.count), prefix.names("to\(number)", next.count))
            let list = zip(columns + next, from + to).map { "\($0) AS \($1)" }
            let kinds = hop.to.place?.condition.map { " WHERE \($0)" } ?? ""
            sql.append("(SELECT \(list.list(", ")) FROM \(hop.to.sql.table)\(kinds)) ON ")
            sql.append(equal: from, hop.collated(known))
            known = to
        }
    }

    /// The first rows of each key, which a correlated LIMIT finds several times faster than a window function does.
    private func appendLimited(
        _ keys: ArraySlice<RelationKey>, by rowID: String, to sql: inout CriteriaSQL
    ) throws {
        let (refinement, table, name) = (relation.refinement, target.sql.table, target.sql.name)
        sql.append("SELECT \(target.sql.fetchedColumns), \(prefix)place")
        let known = appendKeys(keys, to: &sql)
        sql.append(" CROSS JOIN \(table) ON \(name).\(rowID) IN (SELECT \(rowID) FROM \(table) WHERE ")
        sql.append(relation.hops[0].joining(name, known))
        if let kinds = target.place?.condition { sql.append(" AND \(kinds)") }
        if let node = refinement.tree?.node {
            // A mistake is thrown wherever it stands.
            sql.append(" AND ")
            try sql.append(node)
        }
        try sql.appendOrder(refinement.terms, of: refinement.tree?.node)
        try sql.appendLimit(refinement.limit, offset: refinement.offset)
        sql.append(")")
        try sql.appendOrder(refinement.terms, of: refinement.tree?.node)
    }

    /// The same for tables without row identifiers, and through other tables: by the rank of a row among those of its
    /// key. A row that is there several times, since several links lead to it, has one rank.
    private func appendRanked(_ keys: ArraySlice<RelationKey>, to sql: inout CriteriaSQL) throws {
        let refinement = relation.refinement
        let tie = target.key.map { target.sql.columns[$0] }.list(", ")
        sql.append("SELECT \(target.sql.fetchedColumns), \(prefix)place FROM (SELECT \(target.sql.fetchedColumns), ")
        sql.append("\(prefix)place, \(tie.isEmpty ? "row_number" : "dense_rank")() OVER (PARTITION BY \(prefix)place")
        try sql.appendOrder(refinement.terms, of: refinement.tree?.node)
        if !tie.isEmpty { sql.append((refinement.terms.isEmpty ? " ORDER BY " : ", ") + tie) }
        sql.append(") AS \(prefix)rank")
        appendSources(keys, to: &sql)
        try sql.appendWhere(refinement.tree?.node)
        let first = Int64(refinement.offset ?? 0)
        sql.append(") WHERE \(prefix)rank > ?")
        sql.bind(.integer(first))
        if let limit = refinement.limit {
            let (last, overflow) = first.addingReportingOverflow(Int64(limit))
            sql.append(" AND \(prefix)rank <= ?")
            sql.bind(.integer(overflow ? .max : last))
        }
        sql.append(" ORDER BY \(prefix)place, \(prefix)rank")
    }
}

extension String {
    /// Names that begin with this: one, or several with numbers.
    fileprivate func names(_ name: String, _ count: Int) -> [String] {
        count == 1 ? [self + name] : (1...max(count, 1)).map { "\(self)\(name)_\($0)" }
    }
}

/// Lists of keys.
extension CriteriaSQL {
    /// Adds a subselect of keys: `_place`, counted from 0, and `_key`.
    ///
    /// - Parameters:
    ///   - width: How many values a key has.
    ///   - canCall: Whether the library's functions can be called.
    fileprivate mutating func append(
        _ keys: ArraySlice<RelationKey>, width: Int, canCall: Bool
    ) {
        let names = prefix.names("key", width)
        if let (list, isListed) = Self.json(keys, width: width), !isListed || canCall {
            let columns = names.indices.map { index in
                let value = width == 1 ? "value" : "json_extract(value, '$[\(index)]')"
                return (isListed ? "sqlitekit_value(\(value))" : value) + " AS \(names[index])"
            }
            append("(SELECT key AS \(prefix)place, \(columns.list(", ")) FROM json_each(?))")
            bind(.text(list))
            return
        }
        let columns = names.indices.map { "column\($0 + 2) AS \(names[$0])" }
        let parameters = names.map { _ in ", ?" }.joined()
        let rows = keys.indices.map { "(\($0 - keys.startIndex)\(parameters))" }
        append("(SELECT column1 AS \(prefix)place, \(columns.list(", ")) FROM (VALUES \(rows.list(", "))))")
        for key in keys { for value in key.values { bind(value) } }
    }

    /// Adds `a = b AND …`.
    fileprivate mutating func append(equal columns: [String], _ names: [String]) {
        append(zip(columns, names).map { "\($0) = \($1)" }.list(" AND "))
    }

    /// Keys as JSON.
    ///
    /// - Returns: Nil where a value has no form in it. `isListed` says that `sqlitekit_value` reads the values.
    private static func json(_ keys: ArraySlice<RelationKey>, width: Int) -> (list: String, isListed: Bool)? {
        var list = "["
        func close(_ isListed: Bool) -> (list: String, isListed: Bool) {
            list += "]"
            return (list, isListed)
        }
        var isPlain = true
        for key in keys {
            if list.utf8.count > 1 { list += "," }
            guard case .integer(let integer) = key else {
                isPlain = false
                break
            }
            list += "\(integer)"
        }
        if isPlain { return close(false) }
        let rows = keys.map(\.values)
        let isListed = rows.contains { $0.contains { plainJSON($0) == nil } }
        list = "["
        for row in rows {
            if list.utf8.count > 1 { list += "," }
            let values = row.map { value in isListed ? value.listed.map { "\"\($0)\"" } : plainJSON(value) }
            let elements = values.compactMap { $0 }
            guard elements.count == values.count else { return nil }
            list += width == 1 ? elements[0] : "[\(elements.list(","))]"
        }
        return close(isListed)
    }
}
