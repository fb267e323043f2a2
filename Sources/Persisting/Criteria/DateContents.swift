/// What date columns contain when a statement is prepared.
///
/// Other programs may have stored texts since the table was last examined. So each statement that names such a column
/// examines it again, at the ends of an index. The result is valid only within the same transaction; outside a
/// transaction, nothing is examined.
final class DateContents {
    private let columns: [DateColumn]
    private let mapping: Mapping
    private let node: CriteriaNode?
    private let db: any EngineConnection
    private var known: [Int: StoredForms.Dates?] = [:]
    /// Whether a column would have been examined if there were a transaction.
    private(set) var wantsTransaction = false

    /// - Parameter node: The condition of the rows that the statement is for.
    init(_ columns: [DateColumn], _ mapping: Mapping, _ node: CriteriaNode?, _ db: any EngineConnection) {
        self.columns = columns
        self.mapping = mapping
        self.node = node
        self.db = db
    }

    /// What a column contains, as far as conditions and orderings need it; nil if it compares in the class's form, or
    /// isn't a date column.
    func contents(_ index: Int) throws -> StoredForms.Dates? {
        guard let column = columns.first(where: { $0.index == index }) else { return nil }
        // Only the library's function can convert each row. Without it, the examined rows stand for all.
        if column.isOwn, !column.isConverted, !db.capabilities.contains(.functions) { return nil }
        if let known = known[index] { return known }
        let contents = try look(at: column)
        known[index] = .some(contents)
        return contents
    }

    private func look(at column: DateColumn) throws -> StoredForms.Dates? {
        func found(_ contents: StoredForms.Dates.Contents) -> StoredForms.Dates {
            StoredForms.Dates(form: column.form, contents: contents, isSorted: column.isSorted)
        }
        let equalities = equalities
        guard let prefix = column.prefixes.first(where: { $0.allSatisfy { equalities[$0] != nil } }) else {
            return found(.any)
        }
        guard db.isInTransaction else {
            wantsTransaction = true
            return found(.any)
        }
        let rows = CriteriaNode.and(prefix.compactMap { equalities[$0] })
        let name = mapping.sql.columns[column.index]
        // SQLite sorts NULL before numbers, numbers before texts, and texts before blobs.
        let greatest = try value("max(\(name))", rows)
        switch greatest.storageClass {
        case .null where column.form.columnType != .text: return nil
        case .integer where column.form.columnType != .text, .real where column.form.columnType != .text: return nil
        case .blob: return found(.any)
        default: break
        }
        guard try textsBeginWithYears(column, name, rows) else { return found(.any) }
        let least = try value("min(\(name))", rows).storageClass
        return found(least == .text || least == .null ? .texts : .numbersAndTexts)
    }

    private func value(_ expression: String, _ rows: CriteriaNode) throws -> SQLiteValue {
        var sql = CriteriaSQL(mapping)
        sql.append("SELECT \(expression) FROM \(mapping.sql.table)")
        try sql.appendWhere(rows)
        return try first(of: sql)
    }

    private func first(of sql: CriteriaSQL) throws -> SQLiteValue {
        let statement = try db.statement(CachedSQL(sql.text)).any
        defer { statement.clear() }
        try sql.bind(to: statement)
        return try statement.step() ? statement.value(at: 0) : .null
    }

    /// Whether each text of a column begins with a year: `YYYY-…`. A number in a text would be sorted among the dates,
    /// in the wrong place.
    ///
    /// It goes from each year to the next with the index, in as many steps as there are years.
    private func textsBeginWithYears(_ column: DateColumn, _ name: String, _ rows: CriteriaNode) throws -> Bool {
        // The first text after those of a year. In a numeric column, a text with a point would be converted to a
        // number.
        let end = column.affinity == .text || column.affinity == .blob ? "." : "/"
        var sql = CriteriaSQL(mapping)
        func appendNext(_ bound: String) throws {
            sql.append("SELECT min(\(name)) FROM \(mapping.sql.table) WHERE \(name) >= \(bound) AND ")
            try sql.append(rows)
        }
        sql.append("WITH RECURSIVE sqlitekit_year (least) AS (")
        try appendNext("''")
        sql.append(" UNION ALL SELECT (")
        try appendNext("substr(sqlitekit_year.least, 1, 4) || '\(end)'")
        sql.append(") FROM sqlitekit_year WHERE least GLOB '\(Self.year)')")
        sql.append(" SELECT count(*) FROM sqlitekit_year WHERE least NOT GLOB '\(Self.year)'")
        return try first(of: sql) == .integer(0)
    }

    private static let year = "[0-9][0-9][0-9][0-9]-*"

    /// The conditions that make all rows equal in a column of an index.
    private lazy var equalities: [Int: CriteriaNode] = {
        var found: [Int: CriteriaNode] = [:]
        for node in node?.conjuncts ?? [] {
            guard case .compares(.key(let key), .equal, .value, []) = node,
                let operand = try? mapping.columnOperand(key), operand.mask == nil, operand.ownCollation == .binary,
                operand.column.codec.dateForm == nil
            else { continue }
            found[operand.index] = node
        }
        return found
    }()
}
