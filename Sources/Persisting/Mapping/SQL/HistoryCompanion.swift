/// A history as what belongs to its table.
///
/// What begins and ends in one transaction leaves no entry, so that a transaction has one change of a row at most.
struct HistoryCompanion: CompanionDeclaration {
    let mapping: Mapping
    let history: History

    func companion(of table: TableDefinition) throws -> Companion {
        let name = HistoryTable.name(of: table.name)
        let key = try table.companionKey(name)
        let log = try definition(of: table, name, key)
        let columns = log.columns.dropFirst(HistoryTable.ownColumns.count).map(\.name)
        let triggers = try RowTriggers(
            on: table, named: name, columns: columns, opening: Self.numbering, first: Self.counting,
            added: {
                "INSERT INTO \(quoted(name)) (_began, \(list(key))) "
                    + "SELECT \(HistoryTable.last), * FROM (\(keys(key, $0)));"
            },
            removed: removing(name, key, columns),
            holds: { "EXISTS (SELECT 1 FROM \(quoted(name)) AS _entry WHERE \(isOpen(key, $0)))" })
        return Companion(
            name: name,
            shared: [
                .init(.table, HistoryTable.transactions, HistoryTable.transactionsSQL),
                .init(.index, HistoryTable.dateIndex, HistoryTable.dateIndexSQL),
            ],
            stores: [.init(.table, name, log.sql)] + indexes(of: table, name, key, columns),
            triggers: triggers,
            filling: { qualified in
                [
                    "INSERT INTO \(qualified(name)) (_began, \(list(key))) "
                        + "SELECT 0, \(list(key)) FROM \(qualified(table.name))"
                ]
            },
            following: { change in follow(change, log, table, key) })
    }

    /// The log's table.
    private func definition(of table: TableDefinition, _ name: String, _ key: [String]) throws -> TableDefinition {
        func invalid(_ message: String, key: String? = nil) -> PersistenceError {
            PersistenceError(
                .invalidModel, "the history of \(table.name) \(message)", model: mapping.modelName, key: key)
        }
        guard mapping.schemaName == nil else {
            throw invalid(
                "can't be kept in the database \(mapping.database): only classes of the manager's own file have one")
        }
        if let column = table.columns.first(where: { column in
            HistoryTable.ownColumns.contains { isSameName($0, column.name) }
        }) {
            throw invalid("has a column \(column.name) of its own: give the class's another name")
        }
        var excluded: Set<String> = []
        for property in history.excluded {
            let column = mapping.columns[try mapping.index(ofKey: property)]
            guard !key.contains(where: { isSameName($0, column.name) }) else {
                throw invalid("can't leave out a property of the primary key", key: property)
            }
            let found = table.column(column.name)
            guard found?.has(.notNull) != true || found?.has(.defaultValue) == true else {
                throw invalid(
                    "leaves out a property that can't be nil and has no default: make it Optional", key: property)
            }
            excluded.insert(asciiLowercased(column.name))
        }
        let recorded = table.columns.filter { !excluded.contains(asciiLowercased($0.name)) }.map { column in
            ColumnDefinition(
                name: column.name, type: table.isStrict && asciiLowercased(column.type) == "any" ? "" : column.type,
                clauses: [column.clause(.collation)].compactMap(\.self))
        }
        return TableDefinition(
            name: name,
            columns: [
                ColumnDefinition(name: "_id", type: "INTEGER", clauses: [Clause(.primaryKey, "PRIMARY KEY")]),
                ColumnDefinition(name: "_began", type: "INTEGER", clauses: [Clause(.notNull, "NOT NULL")]),
                ColumnDefinition(name: "_ended", type: "INTEGER"),
            ] + recorded)
    }

    /// By key, for open entries; by transaction; and by what the table itself is indexed by, for queries of the past.
    private func indexes(
        of table: TableDefinition, _ name: String, _ key: [String], _ columns: [String]
    ) -> [Companion.Item] {
        let isEnded = " WHERE _ended IS NOT NULL"
        let unique = table.columns.filter { $0.has(.unique) }.map { [$0.name] }
        let indexed =
            unique
            + table.indexes.map { index in
                Array(
                    index.columns.prefix { column in columns.contains { isSameName($0, column.name ?? "") } }
                        .compactMap(\.name))
            }
        var lists: [(terms: String, condition: String)] = [
            ("\(list(key)), _ended, _began", ""), ("_began", ""), ("_ended", isEnded),
        ]
        for names in indexed where !names.isEmpty {
            let terms = "\(list(names)), _ended"
            if !lists.contains(where: { $0.terms == terms }) { lists.append((terms, isEnded)) }
        }
        return lists.enumerated().map { number, index in
            let title = "\(name)_\(number + 1)"
            return Companion.Item(
                .index, title, "CREATE INDEX \(quoted(title)) ON \(quoted(name)) (\(index.terms))\(index.condition)")
        }
    }

    /// Makes sure that there is a transaction to write in. Statements that run outside of the library's have one each;
    /// their rows know each other by the time, which stands still while a statement runs.
    private static let numbering = (
        condition: "(SELECT open FROM history_transactions ORDER BY number DESC LIMIT 1) IS NULL",
        statement: "INSERT INTO history_transactions (date, writes) SELECT \(HistoryTable.now), 0 WHERE NOT EXISTS "
            + "(SELECT 1 FROM history_transactions WHERE number = \(HistoryTable.last) AND writes IS NOT NULL "
            + "AND date = \(HistoryTable.now));"
    )

    private static let counting = """
        UPDATE history_transactions SET open = iif(open IS NULL, NULL, 2), writes = writes + 1
            WHERE number = \(HistoryTable.last) AND open IS NOT 2;
        """

    private func removing(_ name: String, _ key: [String], _ columns: [String]) -> String {
        let log = quoted(name)
        let isOpen = key.map { "\(quoted($0)) = old.\(quoted($0))" }.list(" AND ") + " AND _ended IS NULL"
        let old = columns.map { "\(quoted($0)) = old.\(quoted($0))" }.list(", ")
        // The unary plus keeps SQLite from looking through all that the transaction has begun.
        return """
            DELETE FROM \(log) WHERE \(isOpen) AND +_began = \(HistoryTable.last);
              UPDATE \(log) SET _ended = \(HistoryTable.last), \(old) WHERE \(isOpen);
            """
    }

    /// The statements after which the log is one of the table as it is now. Whatever the table was changed by wasn't an
    /// edit, and rows that came or went while there were no triggers are told apart by their keys alone.
    private func follow(
        _ change: Companion.StoreChange, _ log: TableDefinition, _ table: TableDefinition, _ key: [String]
    ) -> [String] {
        let (own, rows) = (change.database.table(log.name), change.database.table(table.name))
        let isRow = key.map { "_entry.\(quoted($0)) = _row.\(quoted($0))" }.list(" AND ")
        let isKnown = "SELECT 1 FROM \(own) AS _entry WHERE \(isRow) AND _entry._ended IS NULL"
        return change.copying(to: log, indexes: indexes(of: table, log.name, key, log.columns.map(\.name))) + [
            "DELETE FROM \(own) AS _entry WHERE _ended IS NULL "
                + "AND NOT EXISTS (SELECT 1 FROM \(rows) AS _row WHERE \(isRow))",
            "INSERT INTO \(own) (_began, \(list(key))) "
                + "SELECT ifnull(\(HistoryTable.last), 0), \(list(key)) FROM \(rows) AS _row "
                + "WHERE NOT EXISTS (\(isKnown))",
        ]
    }

    private func keys(_ key: [String], _ rows: String) -> String { "SELECT \(list(key)) FROM (\(rows))" }

    private func isOpen(_ key: [String], _ values: [String]) -> String {
        (zip(key, values).map { "_entry.\(quoted($0)) = \($1)" } + ["_entry._ended IS NULL"]).list(" AND ")
    }
}

private func quoted(_ name: String) -> String { SQLText.identifier(name) }

private func list(_ names: [String]) -> String { names.map(SQLText.identifier).list(", ") }
