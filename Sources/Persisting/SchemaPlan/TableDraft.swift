/// A table of a database on its way to what is wanted of it.
///
/// All names are those that the database has: what is to be renamed is renamed last, by SQLite itself, which knows all
/// places where a name stands.
struct TableDraft {
    /// Why the table has to change.
    struct Difference {
        let text: String
        let key: String?
        /// Whether the class can't do without it: values would be lost, changed or rejected.
        var isRelied = false
        /// The column to add, where that is all.
        var addition: ColumnDefinition?
    }

    let database: PlanDatabase
    /// The names of the tables that there are, in lower case.
    let tables: Set<String>
    /// The table as it is.
    let found: TableDefinition
    /// The text that created it.
    let text: String
    /// The table as it is to be.
    var target: TableDefinition
    var differences: [Difference] = []
    /// What goes by other names than the classes have, which takes a rename.
    private(set) var formers: [Difference] = []
    /// Whether ALTER TABLE doesn't do.
    var needsRebuild = false
    /// Whether values are dropped.
    var loses = false
    /// What columns are filled with, by their names in lower case, where it isn't what they had.
    var values: [String: String] = [:]
    /// The conditions of values that can't be converted, by the columns' names in lower case.
    private(set) var unfit: [String: String] = [:]
    var checks: [RowCheck] = []
    var renames: [(old: String, new: String)] = []
    /// The names that columns have now, or until the renames, by those that the classes have for them in lower case.
    private(set) var names: [String: String] = [:]
    /// The columns that are new under a name that another one has until the renames.
    private(set) var newcomers: Set<String> = []
    /// Columns that have exchanged their names, which is to be noted.
    private(set) var exchanges: [Renames.Exchange] = []
    var newName: String?
    /// The indexes to create, by the names that columns have in the end.
    var newIndexes: [IndexDefinition] = []
    /// The names of indexes to drop.
    var droppedIndexes: [String] = []
    /// The indexes whose names others are to have, in lower case.
    var replacedIndexes: Set<String> = []
    /// The names of the columns that are dropped.
    var dropped: [String] = []
    /// The triggers of the table, which are dropped with it when it is rebuilt.
    var triggers: [(name: String, sql: String)]
    /// What the numbers of a column are as dates, which only its values tell.
    private(set) var numbers: (String) throws -> DateNumbers = { _ in DateNumbers() }
    /// Whether a column has a value that is neither bytes nor NULL.
    private(set) var holdsOtherThanBytes: (String) throws -> Bool = { _ in false }
    /// Whether the first text of a column of UUIDs that has letters has those of another form.
    private(set) var holdsOtherLetters: (String, UUIDStorage) throws -> Bool = { _, _ in false }
    /// Whether SQL has the library's functions.
    private(set) var hasFunctions = true
    /// Columns that a class has, in lower case.
    var known: Set<String> = []
    /// Indexes that a class has, by their names in lower case.
    var knownIndexes: Set<String> = []

    /// A draft that looks at no row.
    ///
    /// - Parameter tables: The names of the database's tables, in lower case.
    init(_ table: DatabaseSchema.Table, in database: PlanDatabase, among tables: Set<String>) throws {
        self.database = database
        self.tables = tables
        found = try TableDefinition(table)
        text = table.sql ?? ""
        target = found
        triggers = table.triggers.map { ($0.name, $0.sql) }
    }

    init(
        _ table: DatabaseSchema.Table, in database: PlanDatabase, among tables: Set<String>, _ db: any EngineConnection
    ) throws {
        try self.init(table, in: database, among: tables)
        numbers = { column in try db.dateNumbers(column, of: database.table(table.name)) }
        holdsOtherThanBytes = { column in
            let name = SQLText.identifier(column)
            let query =
                "SELECT 1 FROM \(database.table(table.name)) WHERE typeof(\(name)) NOT IN ('blob', 'null') LIMIT 1"
            return try !db.rows(SQL(query as String), cached: false).isEmpty
        }
        holdsOtherLetters = { column, storage in
            let name = SQLText.identifier(column)
            let query =
                "SELECT \(name) GLOB '*\(storage == .text ? "[a-f]" : "[A-F]")*' FROM \(database.table(table.name)) "
                + "WHERE \(name) GLOB '*[A-Fa-f]*' LIMIT 1"
            return try db.rows(SQL(query as String), cached: false).first?.value(at: 0, as: Bool.self) ?? false
        }
        hasFunctions = db.capabilities.contains(.functions)
    }

    /// Whether there is anything to do.
    var isDone: Bool {
        !needsRebuild && differences.isEmpty && renames.isEmpty && newName == nil && newIndexes.isEmpty
            && droppedIndexes.isEmpty && checks.isEmpty
    }

    /// The table as it is in the end, with the names that it has then.
    var final: TableDefinition {
        var final = target
        final.name = newName ?? found.name
        let names = Dictionary(renames.map { (asciiLowercased($0.old), $0.new) }) { first, _ in first }
        let parents = [asciiLowercased(found.name): final.name]
        func renaming(_ clause: Clause) -> Clause {
            guard clause.kind == .foreignKey else { return clause.renaming(names) }
            return clause.referring(to: parents, columns: [asciiLowercased(final.name): names]).renamingReferrers(names)
        }
        final.columns = target.columns.map { column in
            ColumnDefinition(
                name: finalName(of: column.name), type: column.type, clauses: column.clauses.map(renaming))
        }
        final.constraints = target.constraints.map(renaming)
        let dropped = Set(droppedIndexes.map(asciiLowercased))
        final.indexes =
            found.indexes.filter { !dropped.contains(asciiLowercased($0.name)) }.map { $0.renaming(names) } + newIndexes
        return final
    }

    /// The table as SQL finds it.
    var name: String { database.table(found.name) }

    /// The name that a column has in the end.
    func finalName(of column: String) -> String { renames.first { isSameName($0.old, column) }?.new ?? column }

    /// Finds the columns that go by former names.
    ///
    /// - Parameters:
    ///   - columns: Those of the classes that share the table.
    ///   - noted: The columns that have exchanged their names before.
    ///   - isDropped: Whether a column is to be dropped.
    mutating func rename(for columns: [Column], noted: Set<Renames.Exchange>, isDropped: (String) -> Bool) {
        let wanted = columns.wanted
        let present = Dictionary(found.columns.map { (asciiLowercased($0.name), $0.name) }) { first, _ in first }
        let resolved = Renames(wanted, among: Set(present.keys), noted: noted)
        exchanges = (resolved.exchanged + resolved.completed).flatMap { $0 }
        var sources = resolved.sources
        let contested = resolved.contested(wanted, among: Set(present.keys))
        let pairs = sources.map { Renames.Exchange(name: $0.key, former: $0.value) } + contested
        for pair in pairs.sorted(by: { $0.name < $1.name }) {
            let column = columns.first { isSameName($0.name, pair.name) }
            formers.append(
                Difference(
                    text: "\(column?.name ?? pair.name) was called \(present[pair.former] ?? pair.former) before, "
                        + "which is there", key: column?.key, isRelied: true))
        }
        for pair in contested {
            guard let name = present[pair.name], let former = present[pair.former], !isDropped(former) else { continue }
            if isDropped(name) {
                dropColumn(name)
                sources[pair.name] = pair.former
            } else {
                checkIsUnused(former, before: name)
            }
        }
        for column in columns where names[asciiLowercased(column.name)] == nil {
            let name = asciiLowercased(column.name)
            if let former = sources[name].flatMap({ present[$0] }) {
                names[name] = former
                renames.append((former, column.name))
            } else if resolved.vacated.contains(name) {
                names[name] = newcomer(column.name)
            }
        }
    }

    /// Has a new column get a name that another one has until the renames.
    ///
    /// - Returns: The name that it has until then.
    mutating func newcomer(_ name: String) -> String {
        let between = freeName(name)
        newcomers.insert(asciiLowercased(between))
        renames.append((between, name))
        return between
    }

    /// Asks for values in a column by whose name another one went before, when both are there.
    private mutating func checkIsUnused(_ former: String, before name: String) {
        let title = database.title(found.name)
        check(
            "have a value in \(former), which \(name) was called before, and there is a column \(name), too: "
                + "drop one of them by dropping: [\"\(title).\(name)\"] or [\"\(title).\(former)\"]",
            where: "\(SQLText.identifier(former)) IS NOT NULL")
    }

    /// The defaults of columns, by their names in lower case.
    var defaults: [String: String] {
        let defaults = target.columns.compactMap { column in
            column.clause(.defaultValue)?.defaultSQL.map { (asciiLowercased(column.name), "(\($0))") }
        }
        return Dictionary(defaults) { first, _ in first }
    }

    /// A name like another one that no column has.
    func freeName(_ name: String) -> String {
        let taken = (found.columns + target.columns).map(\.name) + renames.flatMap { [$0.old, $0.new] }
        return Persisting.freeName(name) { new in taken.contains { isSameName($0, new) } }
    }

    /// Lets a column be NULL that no class has, so that the classes can insert rows.
    mutating func relax(_ column: ColumnDefinition) {
        differ("\(column.name) is NOT NULL without a default, and no class has it, so no row could be inserted")
        change(column.name) { $0.remove(.notNull) }
    }

    mutating func differ(_ text: String, _ key: String? = nil, isRelied: Bool = false) {
        differences.append(Difference(text: text, key: key, isRelied: isRelied))
        needsRebuild = true
    }

    /// Adds a column: by ALTER TABLE, where it can. See [ALTER TABLE ADD
    /// COLUMN](https://www.sqlite.org/lang_altertable.html#altertabaddcol).
    ///
    /// - Parameter advice: What to declare if existing rows have no value.
    mutating func add(_ column: ColumnDefinition, key: String?, advice: String = ".default(…)") {
        var column = column
        // An index does the same, and takes no new table.
        if column.has(.unique) {
            column.remove(.unique)
            addUniqueIndex(column.name)
        }
        target.columns.append(column)
        let value = column.clause(.defaultValue)?.defaultSQL
        let isConstant = value == nil || column.hasLiteralDefault
        let isNull = value == nil || asciiLowercased(value ?? "") == "null"
        let isGenerated = column.clause(.generated) != nil
        if !isGenerated { values[asciiLowercased(column.name)] = value ?? "NULL" }
        let isStored =
            column.clause(.generated).map { SQLTokens($0.sql).tokens.last?.isWord("STORED") == true } ?? false
        let canAdd =
            !column.has(.primaryKey) && !isStored && isConstant
            && (isGenerated || !column.has(.notNull) || !isNull)
        let text = "it has no column \(finalName(of: column.name))"
        differences.append(
            Difference(text: text, key: key, isRelied: true, addition: canAdd ? column : nil))
        if !canAdd { needsRebuild = true }
        if column.has(.notNull), isNull, !isGenerated, !column.has(.primaryKey) {
            check(
                "would have no value for the new column \(column.name), which is NOT NULL: declare it "
                    + "\(advice), or make it Optional", where: "\(SQLText.identifier(column.name)) IS NULL")
        }
    }

    mutating func addUniqueIndex(_ column: String) {
        let final = finalName(of: column)
        let table = newName ?? found.name
        // Another name than that of an index that isn't unique.
        let suffix = table.contains(where: \.isLowercase) ? "unique" : "UNIQUE"
        let index = IndexDefinition(
            [table, final, suffix].joined(separator: "_"), on: table, [final], isUnique: true, isNamed: false)
        newIndexes.append(index)
        knownIndexes.insert(asciiLowercased(index.name))
        checkUnique([column], nil)
    }

    /// Changes a column of the table that is to be.
    mutating func change(_ column: String, _ body: (inout ColumnDefinition) -> Void) {
        if let index = target.index(of: column) { body(&target.columns[index]) }
    }

    /// Gives a column another type, and converts its values by the rule of ``RowCheck``.
    ///
    /// - Parameter value: The default from then on: that of the old type may be no value of the new one.
    mutating func convert(_ column: String, to type: String, default value: Clause?) {
        retype(column, type, default: value)
        let name = SQLText.identifier(column)
        let affinity = Affinity(declaredType: type, isStrict: target.isStrict)
        let (expression, condition) = RowCheck.conversion(name, to: affinity)
        values[asciiLowercased(column)] = expression
        unfit[asciiLowercased(column)] = condition
        checkFound(
            "can't be converted to \(type) in \(column), where \(RowCheck.rule(affinity)): change them first",
            where: condition)
    }

    /// Gives a column another type and default. A mark of the form of dates goes.
    mutating func retype(_ column: String, _ type: String, default value: Clause?) {
        change(column) { changed in
            changed.type = type
            changed.remove(.dateForm)
            changed.remove(.defaultValue)
            if let value { changed.set(value) }
        }
    }

    /// Gives the values of a column another form, by one of the library's functions, which answers NULL for a value
    /// that has none in that form.
    mutating func convert(_ column: String, by expression: String, _ message: String) {
        values[asciiLowercased(column)] = expression
        let name = SQLText.identifier(column)
        let condition = hasFunctions ? "\(name) IS NOT NULL AND \(expression) IS NULL" : "\(name) IS NOT NULL"
        checkFound(
            hasFunctions
                ? message : "can be converted by a local connection alone, since a cluster has no function for it",
            where: condition)
    }

    /// Asks for conflicting rows, by the names and values that they have.
    mutating func checkFound(_ message: String, where condition: String) {
        checks.append(
            RowCheck(
                table: database.title(found.name),
                source:
                    "FROM (SELECT \(rowName) AS _row_name, * FROM \(self.name)) WHERE \(condition)",
                message: message))
    }

    /// Asks for conflicting rows, by the names and values that they will have.
    mutating func check(_ message: String, where condition: String) {
        checks.append(
            RowCheck(table: database.title(found.name), source: "FROM \u{1} WHERE \(condition)", message: message))
    }

    mutating func checkUnique(_ columns: [String], _ condition: String?) {
        checkUnique(columns.map(SQLText.identifier), called: columns.joined(separator: ", "), condition)
    }

    /// - Parameter names: SQL of what is to be unique.
    mutating func checkUnique(_ names: [String], called title: String, _ condition: String?) {
        let isWhole = names.map { "\($0) IS NOT NULL" } + (condition.map { ["(\($0))"] } ?? [])
        let list = names.list(", ")
        let rows = "SELECT \(list) FROM \u{1} WHERE \(isWhole.list(" AND ")) GROUP BY \(list) HAVING count(*) > 1"
        check(
            "have the same \(title), which is to be UNIQUE: change them first",
            where: "\((isWhole).list(" AND ")) AND (\(list)) IN (\(rows))")
    }

    /// What a row goes by in messages: its key.
    private var rowName: String {
        let key = found.primaryKey.map(SQLText.identifier)
        if key.isEmpty || key.count > 1, let rowID = rowID(besides: found.columns) { return rowID }
        return key.count == 1 ? key[0] : key.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
    }

    /// A name of the rows' identifiers that no column takes; nil for a table without them.
    private func rowID(besides columns: [ColumnDefinition]) -> String? {
        guard !found.isWithoutRowID else { return nil }
        return RowIDColumn.names.first { name in !columns.contains { isSameName($0.name, name) } }
    }

    /// The rows as they will be.
    private var rows: String {
        func term(_ column: ColumnDefinition, _ value: String) -> String {
            // By which they will be the same, or not.
            let collation = column.clause(.collation)?.collation.map { " COLLATE \(SQLText.identifier($0))" } ?? ""
            return "\(value)\(collation) AS \(SQLText.identifier(column.name))"
        }
        let columns = target.columns.filter { !$0.has(.generated) }.map { term($0, value(of: $0)) }
        var rows = "(SELECT \((["\(rowName) AS _row_name"] + columns).list(", ")) FROM \(name))"
        // SQLite computes the others, of which one may be of another.
        var computed = target.columns.compactMap { column in
            column.clause(.generated)?.inside.map { (column: column, text: SQLTokens($0), sql: "(\($0))") }
        }
        while !computed.isEmpty {
            let ready = computed.filter { one in !computed.contains { one.text.mentions($0.column.name) } }
            guard !ready.isEmpty else { break }
            rows = "(SELECT *, \(ready.map { term($0.column, $0.sql) }.list(", ")) FROM \(rows))"
            computed.removeAll { one in ready.contains { isSameName($0.column.name, one.column.name) } }
        }
        return rows + " AS _rows"
    }

    private func value(of column: ColumnDefinition) -> String {
        values[asciiLowercased(column.name)] ?? SQLText.identifier(column.name)
    }

    /// The questions, now that it is known what the rows will be.
    var rowChecks: [RowCheck] {
        let rows = rows
        var asking = self
        // Values that are converted may be the same then.
        for column in values.keys.sorted() where found.column(column) != nil { asking.checkUniques(of: column) }
        var asked: Set<String> = []
        return asking.checks.filter { asked.insert($0.source).inserted }.map {
            RowCheck(
                table: $0.table,
                source: $0.source.split(separator: "\u{1}", omittingEmptySubsequences: false).map { String($0) }.list(
                    rows),
                message: $0.message)
        }
    }

    /// The statements that rebuild the table; see [Making Other Kinds Of Table Schema
    /// Changes](https://www.sqlite.org/lang_altertable.html#otheralter).
    ///
    /// - Parameter taken: The names that are taken, in lower case.
    func rebuild(besides taken: Set<String>) -> [String] {
        var new = target
        new.name = found.name + "_new"
        while taken.contains(asciiLowercased(new.name)) { new.name += "_" }
        let (old, made) = (name, database.table(new.name))
        let copied = target.columns.filter { column in
            !column.has(.generated) && !isNewKey(column)
        }
        var names = copied.map { SQLText.identifier($0.name) }
        var expressions = copied.map(value)
        let keyIsCopied = target.hasRowIDKey && copied.contains { isSameName($0.name, target.primaryKey[0]) }
        if !found.hasRowIDKey, !target.isWithoutRowID, !keyIsCopied,
            let rowID = rowID(besides: found.columns + target.columns)
        {
            names.insert(rowID, at: 0)
            expressions.insert(rowID, at: 0)
        }
        var sql = [database.creating(new.sql)]
        if !names.isEmpty {
            sql.append("INSERT INTO \(made) (\(names.list(", "))) SELECT \(expressions.list(", ")) FROM \(old)")
        }
        if found.isAutoincrement, target.isAutoincrement {
            let (oldName, newName) = (SQLText.literal(found.name), SQLText.literal(new.name))
            let sequence = database.table("sqlite_sequence")
            sql.append("DELETE FROM \(sequence) WHERE name = \(newName)")
            sql.append("INSERT INTO \(sequence) SELECT \(newName), seq FROM \(sequence) WHERE name = \(oldName)")
        }
        // With a table SQLite drops what ANALYZE has found out about it.
        sql += Self.statistics(taken, from: found.name, to: new.name, database)
        sql.append("DROP TABLE \(old)")
        // Otherwise SQLite looks for the table in views, and finds it gone.
        sql.append("PRAGMA legacy_alter_table = ON")
        sql.append("ALTER TABLE \(made) RENAME TO \(SQLText.identifier(found.name))")
        sql.append("PRAGMA legacy_alter_table = OFF")
        sql += Self.statistics(taken, from: new.name, to: found.name, database)
        let dropped = Set(droppedIndexes.map(asciiLowercased))
        let indexes = found.indexes.filter { !dropped.contains(asciiLowercased($0.name)) }.map(\.sql)
        return sql + (indexes + triggers.map(\.sql)).map(database.creating)
    }

    /// The statements that give a table what ANALYZE has found out about another, where there is such a thing.
    static func statistics(
        _ taken: Set<String>, from old: String, to new: String, _ database: PlanDatabase
    ) -> [String] {
        ["sqlite_stat1", "sqlite_stat4"].filter { taken.contains($0) }.map { table in
            "UPDATE \(database.table(table)) SET tbl = \(SQLText.literal(new)) WHERE tbl = \(SQLText.literal(old))"
        }
    }

    /// Whether a column is a key that SQLite fills by itself.
    private func isNewKey(_ column: ColumnDefinition) -> Bool {
        found.column(column.name) == nil && target.hasRowIDKey && isSameName(column.name, target.primaryKey[0])
    }
}
