internal import Foundation

/// Reading the history of rows.
extension PersistenceManager {
    /// Returns the recorded changes of an object's row, oldest first.
    ///
    /// If a row gets another key, its history records a deletion with the old key and an insertion with the new one. A
    /// write that changed no recorded value is left out.
    ///
    /// - Parameter object: An object with a key. It may be deleted, or be from the past.
    /// - Throws: ``PersistenceError/Code/noHistory`` if the class has no history;
    ///   ``PersistenceError/Code/missingPrimaryKeyValue`` if the object has no key.
    public func history<Model: PersistingModel>(of object: Model) throws -> [HistoryChange<Model>] {
        let mapping = try table(of: type(of: object)).mapping
        let key = try mapping.historyKey(of: object)
        return try changes(of: Model.self, mapping, VersionFilter(mapping, key: key))
    }

    /// The same, while the task is suspended.
    public func history<Model: PersistingModel>(
        of object: Model
    ) async throws -> sending [HistoryChange<Model>] {
        let mapping = try table(of: type(of: object)).mapping
        let filter = VersionFilter(mapping, key: try mapping.historyKey(of: object))
        return try await onReadingSide(of: type(of: object)) { manager in
            try manager.changes(of: Model.self, mapping, filter)
        }
    }

    /// Returns the changes of a class's rows, in the order of their transactions.
    ///
    /// ```swift
    /// let byAda = try manager.history(of: Note.self) { $0.author == "ada" }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - isIncluded: Selects transactions; by default all.
    /// - Throws: ``PersistenceError/Code/noHistory`` if the class has no history.
    public func history<Model: PersistingModel>(
        of type: Model.Type, where isIncluded: @Sendable (HistoryTransaction) -> Bool = { _ in true }
    ) throws -> [HistoryChange<Model>] {
        try table(of: type).mapping.checkHasHistory()
        return try changes(of: type, in: historyTransactions().filter(isIncluded).map(\.number))
    }

    /// The changes of a class's rows by transactions with some numbers.
    func changes<Model: PersistingModel>(of type: Model.Type, in numbers: [Int64]) throws -> [HistoryChange<Model>] {
        let mapping = try table(of: type).mapping
        try mapping.checkHasHistory()
        return try changes(of: type, mapping, VersionFilter(transactions: numbers))
    }

    /// The same, while the task is suspended.
    public func history<Model: PersistingModel>(
        of type: Model.Type, where isIncluded: @escaping @Sendable (HistoryTransaction) -> Bool = { _ in true }
    ) async throws -> sending [HistoryChange<Model>] {
        try await onReadingSide(of: type) { manager in try manager.history(of: type, where: isIncluded) }
    }

    /// Returns the recorded transactions in order, for example for a time slider.
    ///
    /// - Parameter number: The transaction after which to begin; by default, the result begins with the first one kept.
    /// - Returns: The transactions; none if no class of the database has a history.
    /// - Throws: ``PersistenceError``.
    public func historyTransactions(after number: Int64 = 0) throws -> [HistoryTransaction] {
        try engine.query { db in
            guard try !db.columns(of: HistoryTable.transactions, in: "main").isEmpty else { return [] }
            return try db.rows(
                """
                SELECT \(sql: SQL(HistoryTransaction.columns)) FROM history_transactions
                WHERE number > \(number) ORDER BY number
                """
            ).map { try HistoryTransaction($0, at: 0) }
        }
    }

    /// The same, while the task is suspended.
    public func historyTransactions(after number: Int64 = 0) async throws -> [HistoryTransaction] {
        try await onReadingSide { manager in try manager.historyTransactions(after: number) }
    }
}

extension HistoryTransaction {
    /// The columns that are read of a transaction.
    static let columns = "number, date, name, author, reverses"

    /// Reads the columns.
    init(_ row: RowSnapshot, at column: Int) throws {
        self.init(
            number: try row.value(at: column, as: Int64.self),
            date: Date(timeIntervalSince1970: try row.value(at: column + 1, as: Double.self)),
            name: try row.value(at: column + 2, as: String?.self),
            author: try row.value(at: column + 3, as: String?.self),
            reverses: try row.value(at: column + 4, as: Int64?.self))
    }
}

/// Selects versions of rows.
private struct VersionFilter: Sendable {
    let condition: String
    let values: [SQLiteValue]
    /// The transactions whose changes to return; nil for all.
    var numbers: Set<Int64>?

    /// Selects the versions of a row.
    init(_ mapping: Mapping, key: [SQLiteValue]) {
        condition = mapping.key.map { "_entry.\(mapping.sql.columns[$0]) = ?" }.list(" AND ")
        values = key
    }

    /// Selects the versions that these transactions began or ended.
    init(transactions numbers: [Int64]) {
        let list = "(\(numbers.map(String.init).list(", ")))"
        (condition, values) = ("(_entry._began IN \(list) OR _entry._ended IN \(list))", [])
        self.numbers = Set(numbers)
    }
}

extension PersistenceManager {
    /// A row between two changes.
    private struct Version {
        let began: Int64
        let ended: Int64?
        let key: [SQLiteValue]
        /// The row after the change that began it.
        let after: PersistingModel
        /// The row before the change that ended it.
        let before: PersistingModel
        /// The names of deferred columns whose values differ from those of the version before.
        let changed: Set<String>
    }

    private func changes<Model: PersistingModel>(
        of type: Model.Type, _ mapping: Mapping, _ filter: VersionFilter
    ) throws -> [HistoryChange<Model>] {
        let table = table(mapping)
        return try reading(table) { db in
            let versions = try versions(mapping, filter, db)
            let transactions = Dictionary(
                uniqueKeysWithValues: try transactions(of: versions, db).map { ($0.number, $0) })
            let recorded = try Set(
                db.columns(of: HistoryTable.name(of: mapping.tableName), in: "main").map { asciiLowercased($0.name) })
            let horizon = try horizon(of: mapping.tableName, db)
            var changes: [(number: Int64, before: Version?, after: Version?)] = []
            func isNext(_ place: Int) -> Bool {
                guard versions.indices.contains(place), versions.indices.contains(place - 1) else { return false }
                let (one, next) = (versions[place - 1], versions[place])
                return one.key == next.key && one.ended == next.began
            }
            for (place, version) in versions.enumerated() {
                changes.append((version.began, isNext(place) ? versions[place - 1] : nil, version))
                if let ended = version.ended, !isNext(place + 1) { changes.append((ended, version, nil)) }
            }
            // Those of a transaction stay in the order of their keys.
            let sorted = changes.enumerated().sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
            return try sorted.map(\.element).compactMap { change in
                // Rows from before the history began have no transaction, and pruned changes are left out.
                guard change.number > horizon, let transaction = transactions[change.number],
                    filter.numbers?.contains(change.number) != false
                else { return nil }
                let keys = try changedKeys(change.before, change.after, recorded)
                guard !keys.isEmpty else { return nil }
                return HistoryChange(
                    transaction: transaction, before: change.before.map { downcast($0.before, to: type) },
                    after: change.after.map { downcast($0.after, to: type) }, keys: keys)
            }
        }
    }

    /// The keys of the properties that differ between two versions of a row.
    ///
    /// - Parameter recorded: The names of the recorded columns, in lower case.
    private func changedKeys(_ old: Version?, _ new: Version?, _ recorded: Set<String>) throws -> [String] {
        guard let object = new?.after ?? old?.before else { return [] }
        let mapping = try table(of: type(of: object)).mapping
        return try mapping.columns.indices.filter { index in
            let column = mapping.columns[index]
            guard recorded.contains(asciiLowercased(column.name)) else { return false }
            guard let old, let new, type(of: old.before) == type(of: new.after) else { return true }
            if column.declaration.isDeferred { return new.changed.contains(column.name) }
            return try mapping.stored(index, of: old.before) != mapping.stored(index, of: new.after)
        }.map { mapping.columns[$0].key }
    }

    /// The transaction after which a table's history is kept; 0 if nothing has been pruned.
    func horizon(of table: String, _ db: any EngineConnection) throws -> Int64 {
        try HistoryTable.horizon(of: HistoryTable.sources(of: table).log, db) ?? 0
    }

    /// The versions of rows, ordered by key, and then by age.
    private func versions(_ mapping: Mapping, _ filter: VersionFilter, _ db: any EngineConnection) throws -> [Version] {
        // Objects don't have deferred values, so SQLite compares them.
        let deferred = mapping.columnsOfRows.filter(\.declaration.isDeferred)
        let expression = try pastTables.versions(of: mapping.tableName, where: filter.condition, db)
        let statement = try db.statement(
            CachedSQL("WITH \(expression) \(mapping.selectVersions(deferred))"), cached: false
        ).any
        defer { statement.clear() }
        // Bound once for the log's rows, and once for the table's.
        try statement.bind(Arguments(filter.values + filter.values))
        var versions: [Version] = []
        while try statement.step() {
            let values = try statement.values()
            let width = values.count - 2 - mapping.key.count - deferred.count
            guard case .integer(let began) = values[width] else { continue }
            let ended: Int64? = if case .integer(let ended) = values[width + 1] { ended } else { nil }
            // What it is related to is of that time, too.
            func object(asOf number: Int64) throws -> PersistingModel {
                var rows = RowObjects.selected(
                    by: mapping, self, tracked: true, expecting: 1, fetch: FetchTraits(past: number))
                return try rows.object(from: statement)
            }
            let after = try object(asOf: began)
            versions.append(
                Version(
                    began: began, ended: ended, key: Array(values[(width + 2)...].prefix(mapping.key.count)),
                    after: after, before: try ended.map { $0 - 1 == began ? after : try object(asOf: $0 - 1) } ?? after,
                    changed: Set(
                        zip(deferred, values.suffix(deferred.count)).filter { $1 == .integer(1) }.map(\.0.name))))
        }
        return versions
    }

    private func transactions(of versions: [Version], _ db: any EngineConnection) throws -> [HistoryTransaction] {
        let numbers = Set(versions.map(\.began) + versions.compactMap(\.ended)).sorted().map(String.init).list(", ")
        return try db.rows(
            """
            SELECT \(sql: SQL(HistoryTransaction.columns)) FROM history_transactions
            WHERE number IN (\(sql: SQL(numbers)))
            """, cached: false
        ).map { try HistoryTransaction($0, at: 0) }
    }
}

extension Mapping {
    /// The SELECT of rows' versions: the columns of an object, when it began and ended, the key, and of each deferred
    /// column whether its value differs from the version before.
    fileprivate func selectVersions(_ deferred: [Column]) -> String {
        let keys = key.map { sql.columns[$0] }.list(", ")
        // A row whose kind changed has come from another class, or gone to one.
        let isOfClass = place?.condition.map { "WHERE \($0) " } ?? ""
        let isChanged = deferred.map { column in
            let name = SQLText.identifier(column.name)
            return ", lag(\(name)) OVER (PARTITION BY \(keys) ORDER BY _began) IS NOT \(name) COLLATE BINARY"
        }.list("")
        return "SELECT \(sql.fetchedColumns), _began, _ended, \(keys)\(isChanged) FROM \(sql.name) "
            + "\(isOfClass)ORDER BY \(keys), _began"
    }
}
