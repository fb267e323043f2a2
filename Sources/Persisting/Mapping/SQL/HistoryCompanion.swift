/// A history as what belongs to its table.
///
/// What begins and ends in one transaction leaves no entry, so that a transaction has one change of a row at most.
struct HistoryCompanion: CompanionDeclaration {
    private let modelName: String?
    /// The database of its class's table; nil for `main`.
    private let schemaName: String?
    /// The columns that it leaves out, with the keys of their properties.
    private let excluded: [(column: String, key: String)]

    init(_ mapping: Mapping, _ history: History) throws {
        modelName = mapping.modelName
        schemaName = mapping.schemaName
        excluded = try history.excluded.map { (mapping.columns[try mapping.index(ofKey: $0)].name, $0) }
    }

    /// A history that is there.
    ///
    /// - Parameter excluded: The columns that it leaves out.
    init(leavingOut excluded: [String]) {
        (modelName, schemaName, self.excluded) = (nil, nil, excluded.map { ($0, $0) })
    }

    func companion(of table: TableDefinition) throws -> Companion {
        let name = HistoryTable.name(of: table.name)
        let key = try table.companionKey(name)
        let log = try definition(of: table, name, key)
        let current = Self.current(of: table, key)
        let columns = log.columns.dropFirst(HistoryTable.ownColumns.count).map(\.name)
        let triggers = try RowTriggers(
            on: table, named: name, columns: columns, opening: Self.numbering, first: Self.counting,
            added: {
                "INSERT INTO \(quoted(current.name)) (_began, \(list(key))) "
                    + "SELECT \(HistoryTable.last), * FROM (\(keys(key, $0)));"
            },
            removed: removing(log, current, key, columns),
            holds: { "EXISTS (SELECT 1 FROM \(quoted(current.name)) AS _entry WHERE \(isEntry(key, $0)))" })
        return Companion(
            name: name,
            shared: [
                .init(.table, HistoryTable.transactions, HistoryTable.transactionsSQL),
                .init(.index, HistoryTable.dateIndex, HistoryTable.dateIndexSQL),
            ],
            stores: [.init(.table, name, log.sql)] + indexes(of: table, name, key, columns)
                + [.init(.table, current.name, current.sql)] + indexes(current.name, [HistoryTable.began]),
            triggers: triggers,
            filling: { qualified in
                [
                    "INSERT INTO \(qualified(current.name)) (_began, \(list(key))) "
                        + "SELECT 0, \(list(key)) FROM \(qualified(table.name))"
                ]
            },
            following: { qualified in
                following(qualified(log.name), qualified(current.name), qualified(table.name), key)
            })
    }

    /// The log's table.
    private func definition(of table: TableDefinition, _ name: String, _ key: [String]) throws -> TableDefinition {
        func invalid(_ message: String, key: String? = nil) -> PersistenceError {
            PersistenceError(
                .invalidModel, "the history of \(table.name) \(message)", model: modelName, key: key)
        }
        if let schemaName {
            throw invalid(
                "can't be kept in the database \(schemaName): only classes of the manager's own file have one")
        }
        if let column = table.columns.first(where: { column in
            HistoryTable.ownColumns.contains { isSameName($0, column.name) }
        }) {
            throw invalid("has a column \(column.name) of its own: give the class's another name")
        }
        for (column, property) in excluded {
            guard !key.contains(where: { isSameName($0, column) }) else {
                throw invalid("can't leave out a property of the primary key", key: property)
            }
            // Without its class, nobody makes objects of the past.
            let found = modelName == nil ? nil : table.column(column)
            guard found?.has(.notNull) != true || found?.has(.defaultValue) == true else {
                throw invalid(
                    "leaves out a property that can't be nil and has no default: make it Optional", key: property)
            }
        }
        let excluded = Set(excluded.map { asciiLowercased($0.column) })
        let recorded = table.columns.filter { !excluded.contains(asciiLowercased($0.name)) }.map {
            table.companion(of: $0)
        }
        return TableDefinition(
            name: name,
            columns: [
                ColumnDefinition(name: "_id", type: "INTEGER", clauses: [Clause(.primaryKey, "PRIMARY KEY")]),
                ColumnDefinition(name: "_began", type: "INTEGER", clauses: [Clause(.notNull, "NOT NULL")]),
                ColumnDefinition(name: "_ended", type: "INTEGER"),
            ] + recorded)
    }

    /// The table of what there is now.
    private static func current(of table: TableDefinition, _ key: [String]) -> TableDefinition {
        let columns =
            key.compactMap(table.column).map { table.companion(of: $0) } + [
                ColumnDefinition(name: HistoryTable.began, type: "INTEGER", clauses: [Clause(.notNull, "NOT NULL")])
            ]
        return TableDefinition(
            name: HistoryTable.current(of: table.name), columns: columns,
            constraints: [Clause(.primaryKey, "PRIMARY KEY (\(list(key)))")], isWithoutRowID: !table.hasRowIDKey)
    }

    /// By key; by transaction; and by what the table itself is indexed by, for queries of the past.
    private func indexes(
        of table: TableDefinition, _ name: String, _ key: [String], _ columns: [String]
    ) -> [Companion.Item] {
        let unique = table.columns.filter { column in
            column.has(.unique) && columns.contains { isSameName($0, column.name) }
        }.map { [$0.name] }
        let indexed =
            unique
            + table.indexes.map { index in
                Array(
                    index.columns.prefix { column in columns.contains { isSameName($0, column.name ?? "") } }
                        .compactMap(\.name))
            }
        var lists = ["\(list(key)), _ended", "_began", "_ended"]
        for names in indexed where !names.isEmpty {
            let terms = "\(list(names)), _ended"
            if !lists.contains(terms) { lists.append(terms) }
        }
        return indexes(name, lists)
    }

    private func indexes(_ name: String, _ lists: [String]) -> [Companion.Item] {
        lists.enumerated().map { number, terms in
            let title = "\(name)_\(number + 1)"
            return Companion.Item(.index, title, "CREATE INDEX \(quoted(title)) ON \(quoted(name)) (\(terms))")
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

    private func removing(
        _ log: TableDefinition, _ current: TableDefinition, _ key: [String], _ columns: [String]
    ) -> String {
        let isRow = key.map { "\(quoted($0)) = old.\(quoted($0))" }.list(" AND ")
        let old = columns.map { "old.\(quoted($0))" }.list(", ")
        return """
            INSERT INTO \(quoted(log.name)) (_began, _ended, \(list(columns))) \
            SELECT _began, \(HistoryTable.last), \(old) FROM \(quoted(current.name)) \
            WHERE \(isRow) AND +_began < \(HistoryTable.last);
              DELETE FROM \(quoted(current.name)) WHERE \(isRow);
            """
    }

    /// The statements after which the history is one of the table as it is now. Whatever the table was changed by
    /// wasn't an edit, and rows that came or went while there were no triggers are told apart by their keys alone.
    ///
    /// Version 0.2.0 kept what there is now in the log, without an end.
    private func following(_ log: String, _ own: String, _ rows: String, _ key: [String]) -> [String] {
        let isRow = key.map { "_entry.\(quoted($0)) = _row.\(quoted($0))" }.list(" AND ")
        return [
            "INSERT INTO \(own) (_began, \(list(key))) SELECT max(_began), \(list(key)) FROM \(log) AS _row "
                + "WHERE _ended IS NULL AND NOT EXISTS (SELECT 1 FROM \(own) AS _entry WHERE \(isRow)) "
                + "GROUP BY \(list(key))",
            "DELETE FROM \(log) WHERE _ended IS NULL",
            "DELETE FROM \(own) AS _entry WHERE NOT EXISTS (SELECT 1 FROM \(rows) AS _row WHERE \(isRow))",
            "INSERT INTO \(own) (_began, \(list(key))) "
                + "SELECT ifnull(\(HistoryTable.last), 0), \(list(key)) FROM \(rows) AS _row "
                + "WHERE NOT EXISTS (SELECT 1 FROM \(own) AS _entry WHERE \(isRow))",
        ]
    }

    private func keys(_ key: [String], _ rows: String) -> String { "SELECT \(list(key)) FROM (\(rows))" }

    private func isEntry(_ key: [String], _ values: [String]) -> String {
        zip(key, values).map { "_entry.\(quoted($0)) = \($1)" }.list(" AND ")
    }
}

private func quoted(_ name: String) -> String { SQLText.identifier(name) }

private func list(_ names: [String]) -> String { names.map(SQLText.identifier).list(", ") }
