/// What an UPDATE of rows sets: each column with its new value, of which several bit fields are one.
struct ColumnSettings {
    private struct Setting {
        let index: Int
        /// What the column is set to, with `?` for each of `values`.
        var sql: String
        var values: [SQLiteValue]
        /// Whether it is of bit fields, and no whole value.
        var isBits = false
    }

    private let table: ModelTable
    private var settings: [Setting] = []
    private var expressions: [(index: Int, expression: any SettableExpression)] = []
    private var json: JSONSettings

    private var mapping: Mapping { table.mapping }

    /// Values by key.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/typeMismatch``,
    ///   ``PersistenceError/Code/invalidCriteria``, ``PersistenceError/Code/notWritable``.
    init(_ values: [String: (any Sendable)?], of table: ModelTable) throws {
        self.table = table
        json = JSONSettings(table.mapping)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { try add(key, value) }
        if let index = json.indices.first(where: whole.contains) { throw setTwice(index, mapping.columns[index].key) }
        let set = whole.union(ColumnSet(json.indices))
        for (index, time) in try mapping.updateTimes(besides: { set.contains($0) }) {
            settings.append(Setting(index: index, sql: "?", values: [time]))
        }
    }

    /// The columns that are set as a whole, and not inside of JSON.
    private var whole: ColumnSet { ColumnSet(settings.map(\.index) + expressions.map(\.index)) }

    private mutating func add(_ key: String, _ value: (any Sendable)?) throws {
        if let term = mapping.jsonTerm(ofKey: key) { return try table.checkWritable(json.add(term, value)) }
        // The keys that SQLite knows.
        let column = try mapping.operand(ofKey: key).column
        let index = try mapping.index(ofKey: key)
        try table.checkWritable(index)
        guard !expressions.contains(where: { $0.index == index }) else { throw setTwice(index, key) }
        let known = settings.firstIndex { $0.index == index }
        let kind = mapping.virtualKeys[key]?.kind
        if let expression = flattened(value) as? any SettableExpression {
            guard kind == nil else {
                throw PersistenceError(
                    .invalidCriteria, "a bit field or an alias can't be set to an expression",
                    model: mapping.modelName, key: key)
            }
            guard known == nil else { throw setTwice(index, key) }
            return expressions.append((index, expression))
        }
        let stored: SQLiteValue
        do {
            stored = try column.codec.stored(flattened(value))
        } catch {
            throw column.error(for: value, .typeMismatch, error, mapping)
        }
        if case .bits(let mask)? = kind {
            try set(mask, to: stored == .integer(1), in: index, key, known)
        } else {
            try table.checkFit(stored, in: index)
            guard known == nil else { throw setTwice(index, key) }
            settings.append(Setting(index: index, sql: "?", values: [stored]))
        }
    }

    /// Sets bits of a column, or clears them.
    ///
    /// - Parameter known: The setting of the column, where other bits of it are set.
    private mutating func set(_ mask: Int64, to isSet: Bool, in index: Int, _ key: String, _ known: Int?) throws {
        let position = known ?? settings.endIndex
        if known == nil {
            settings.append(Setting(index: index, sql: mapping.sql.columns[index], values: [], isBits: true))
        }
        guard settings[position].isBits else { throw setTwice(index, key) }
        let old = settings[position].sql
        // The bits of a NULL are not set; to clear them leaves it one.
        settings[position].sql = isSet ? "(ifnull(\(old), 0) | ?)" : "(\(old) & ?)"
        settings[position].values.append(.integer(isSet ? mask : ~mask))
    }

    private func setTwice(_ index: Int, _ key: String) -> PersistenceError {
        PersistenceError(
            .invalidCriteria, "two keys set the column \(mapping.columns[index].name)", model: mapping.modelName,
            key: key)
    }

    /// Adds `COLUMN = ?, …`, and counts the version.
    func append(to sql: inout CriteriaSQL, _ db: any EngineConnection) throws {
        let dates = try table.dateForms(whole, db)
        var separator = ""
        func begin(_ index: Int) {
            sql.append("\(separator)\(mapping.sql.columns[index]) = ")
            separator = ", "
        }
        for (index, expression) in expressions {
            begin(index)
            // Dates go from one form to the other as the library writes them.
            if dates[index] != nil {
                throw PersistenceError(
                    .unsupported, "the table holds dates in other forms than the class's: set the column to a value",
                    model: mapping.modelName, key: mapping.columns[index].key)
            }
            try sql.append(expression, settingColumn: index)
        }
        for setting in settings {
            begin(setting.index)
            sql.append(
                setting.isBits
                    ? setting.sql : dates.parameter(setting.index, over: mapping.sql.columns[setting.index]))
            for value in setting.values { sql.bind(value) }
        }
        for index in json.indices {
            begin(index)
            sql.append(json, column: index)
        }
        for (subclass, index, rows, time) in try mapping.updateTimesOfSubclasses() {
            let column = subclass.sql.columns[index]
            let dates = try table.manager?.table(of: subclass.modelType).dateForms(ColumnSet(index), db) ?? [:]
            let value = dates.parameter(index, over: column)
            sql.append("\(separator)\(column) = CASE WHEN \(rows) THEN \(value) ELSE \(column) END")
            sql.bind(time)
        }
        if let count = mapping.sql.countVersion { sql.append(", \(count)") }
    }
}
