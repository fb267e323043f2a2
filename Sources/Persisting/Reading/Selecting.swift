/// Reading some properties of a query's rows, without objects.
///
/// Deferred properties can be read so, and bit fields. Values are as an object of the class would have them.
extension PersistenceManager {
    /// The values of an expression in a query's rows, in order.
    ///
    /// ```swift
    /// let line = OrderLine.row
    /// let totals = try manager.values(
    ///     OrderLine.where(line.quantity > 1), line.price * line.quantity,
    ///     as: Double.self)
    /// ```
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - expression: What is calculated.
    ///   - type: The values' type.
    ///   - distinct: Whether to leave out a value that there was before.
    /// - Returns: A value for each row, nil where it is NULL.
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for a value that isn't of the type; what a condition with the
    ///   expression throws.
    public func values<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ expression: ModelExpression<Model>, as type: Value.Type, distinct: Bool = false
    ) throws -> [Value?] {
        let table = try table(of: query.modelType)
        let calculated = try CalculatedValue<Model, Value>(expression, table.mapping)
        return try rows(table, query.node, asOf: query.past) { try calculated.sql(query.ofNow, distinct, $0) }.map {
            try calculated.read($0[0])
        }
    }

    /// The same, while the task is suspended.
    public func values<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ expression: ModelExpression<Model>, as type: Value.Type, distinct: Bool = false
    ) async throws -> [Value?] {
        try await discoverKey(of: query.modelType)
        let table = try table(of: query.modelType)
        let calculated = try CalculatedValue<Model, Value>(expression, table.mapping)
        let rows = try await rows(table, query.node, asOf: query.past) { try calculated.sql(query.ofNow, distinct, $0) }
        return try rows.map { try calculated.read($0[0]) }
    }

    /// The values of a property in a query's rows, in order.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - keyPath: The property.
    ///   - distinct: Whether to leave out a value that there was before; what is the same is up to the column's
    ///     collation.
    /// - Throws: ``PersistenceError``.
    public func values<Model: PersistingModel, Value>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, distinct: Bool = false
    ) throws -> [Value] {
        try select(query, distinct: distinct, keyPath)
    }

    /// The same, while the task is suspended.
    public func values<Model: PersistingModel, Value>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, distinct: Bool = false
    ) async throws -> [Value] {
        try await select(query, distinct: distinct, keyPath)
    }

    /// The values of some properties in a query's rows, in order.
    ///
    /// ```swift
    /// let adults = User.where(\.age > 17)
    /// for (name, age) in try manager.select(adults, \.name, \.age) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - distinct: Whether to leave out a row that is the same as one before.
    ///   - keyPaths: The properties.
    /// - Returns: A tuple for each row.
    /// - Throws: ``PersistenceError``.
    public func select<Model: PersistingModel, each Value>(
        _ query: Query<Model>, distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>
    ) throws -> [(repeat each Value)] {
        let table = try table(of: query.modelType)
        let columns = (repeat try table.mapping.selected(each keyPaths))
        let list = table.mapping.columnList(repeat each columns)
        let rows = try rows(table, query.node, asOf: query.past) {
            try query.ofNow.sql(selecting: list, distinct, table.mapping, $0)
        }
        return try rows.map { row in try table.mapping.naming(row, list) { try tuple(row, repeat each columns) } }
    }

    /// The same, while the task is suspended.
    public func select<Model: PersistingModel, each Value>(
        _ query: Query<Model>, distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>
    ) async throws -> [(repeat each Value)] {
        try await discoverKey(of: query.modelType)
        let table = try table(of: query.modelType)
        let columns = (repeat try table.mapping.selected(each keyPaths))
        let list = table.mapping.columnList(repeat each columns)
        let rows = try await rows(table, query.node, asOf: query.past) {
            try query.ofNow.sql(selecting: list, distinct, table.mapping, $0)
        }
        return try rows.map { row in try table.mapping.naming(row, list) { try tuple(row, repeat each columns) } }
    }

    /// Some properties of a query's rows as dictionaries, in order. Those that are NULL are left out.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - keys: The properties' names, bit fields and aliases among them; nil is all properties with a column, except
    ///     for deferred ones. Of a class hierarchy the names can be those of subclasses and of the kind, and nil is all
    ///     that the row's class has, with its kind.
    ///   - distinct: Whether to leave out a row that is the same as one before.
    /// - Throws: ``PersistenceError``.
    public func dictionaries<Model: PersistingModel>(
        _ query: Query<Model>, keys: [String]? = nil, distinct: Bool = false
    ) throws -> [[String: Any]] {
        let table = try table(of: query.modelType)
        let columns = try table.mapping.selected(keys: keys)
        let list = columns.map(\.column.operand)
        let rows = try rows(table, query.node, asOf: query.past) {
            try query.ofNow.sql(selecting: list, distinct, table.mapping, $0)
        }
        return try rows.map { row in
            try table.mapping.naming(row, list) { try table.mapping.dictionary(row, columns, keys) }
        }
    }

    /// The same, while the task is suspended.
    public func dictionaries<Model: PersistingModel>(
        _ query: Query<Model>, keys: [String]? = nil, distinct: Bool = false
    ) async throws -> [[String: Any]] {
        try await discoverKey(of: query.modelType)
        let table = try table(of: query.modelType)
        let columns = try table.mapping.selected(keys: keys)
        let list = columns.map(\.column.operand)
        let rows = try await rows(table, query.node, asOf: query.past) {
            try query.ofNow.sql(selecting: list, distinct, table.mapping, $0)
        }
        return try rows.map { row in
            try table.mapping.naming(row, list) { try table.mapping.dictionary(row, columns, keys) }
        }
    }
}

/// The same methods of a query. They use the manager that ``ActiveRecord`` describes.
extension Query {
    /// The values of a property in the query's rows, in order. See `PersistenceManager.values(_:_:distinct:)`; to
    /// compare with them in a condition, use ``values(_:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - distinct: Whether to leave out a value that there was before; what is the same is up to the column's
    ///     collation.
    /// - Throws: What the manager's method throws.
    public func fetchValues<Value>(_ keyPath: KeyPath<Model, Value>, distinct: Bool = false) throws -> [Value] {
        try PersistenceManager.current(for: modelType).values(self, keyPath, distinct: distinct)
    }

    /// The same, while the task is suspended.
    public func fetchValues<Value>(_ keyPath: KeyPath<Model, Value>, distinct: Bool = false) async throws -> [Value] {
        try await PersistenceManager.current(for: modelType).values(self, keyPath, distinct: distinct)
    }

    /// The values of some properties in the query's rows, in order. See `PersistenceManager.select(_:distinct:_:)`.
    ///
    /// - Parameters:
    ///   - distinct: Whether to leave out a row that is the same as one before.
    ///   - keyPaths: The properties.
    /// - Throws: What the manager's method throws.
    public func select<each Value>(
        distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>
    ) throws -> [(repeat each Value)] {
        try PersistenceManager.current(for: modelType).select(self, distinct: distinct, repeat each keyPaths)
    }

    /// The same, while the task is suspended.
    public func select<each Value>(
        distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>
    ) async throws -> [(repeat each Value)] {
        try await PersistenceManager.current(for: modelType).select(self, distinct: distinct, repeat each keyPaths)
    }
}

extension PersistenceManager {
    /// The rows of a SELECT as they are stored.
    ///
    /// - Parameters:
    ///   - node: The condition of the rows.
    ///   - moment: Of when the rows are; nil is now.
    ///   - sql: Writes the SELECT.
    func rows(
        _ table: ModelTable, _ node: CriteriaNode? = nil, asOf moment: HistoryMoment? = nil,
        _ sql: @Sendable (StoredForms) throws -> CriteriaSQL
    ) throws -> [[SQLiteValue]] {
        try reading(table, asOf: moment) { db in
            try table.withForms(db, node, write: sql) { sql in
                switch try db.statement(CachedSQL(sql.text)) {
                case .local(let statement): try values(statement, sql)
                case .other(let statement): try values(statement, sql)
                }
            }
        }
    }

    private func values(_ statement: some EngineStatement, _ sql: CriteriaSQL) throws -> [[SQLiteValue]] {
        try sql.bind(to: statement)
        defer { statement.clear() }
        var rows: [[SQLiteValue]] = []
        while try statement.step() { rows.append(try statement.values()) }
        return rows
    }

    /// The rows of a SELECT as they are stored.
    func rows(
        _ table: ModelTable, _ node: CriteriaNode? = nil, asOf moment: HistoryMoment? = nil,
        _ sql: @escaping @Sendable (StoredForms) throws -> CriteriaSQL
    ) async throws -> [[SQLiteValue]] {
        try await onReadingSide(of: table.mapping.modelType) { manager in
            try manager.rows(table, node, asOf: moment, sql)
        }
    }

    private func tuple<each Value>(
        _ row: [SQLiteValue], _ columns: repeat SelectedColumn<each Value>
    ) throws -> (repeat each Value) {
        var values = row.makeIterator()
        return (repeat try (each columns).read(values.next() ?? .null))
    }
}

extension Query {
    fileprivate func sql(
        selecting columns: [ColumnOperand], _ distinct: Bool, _ mapping: Mapping, _ forms: StoredForms
    ) throws -> CriteriaSQL {
        try sql(distinct, mapping, forms) { sql in
            sql.append(try columns.map { distinct ? try forms.comparable($0) : $0.sql }.joined(separator: ", "))
        }
    }

    /// A SELECT of what a function writes. Of a part of the rows, those that are distinct are looked for within it.
    fileprivate func sql(
        _ distinct: Bool, _ mapping: Mapping, _ forms: StoredForms, _ list: (inout CriteriaSQL) throws -> Void
    ) throws -> CriteriaSQL {
        var sql = CriteriaSQL(mapping, forms)
        sql.append(distinct ? "SELECT DISTINCT " : "SELECT ")
        try list(&sql)
        if distinct, isPartial {
            try appendPart(to: &sql)
        } else {
            sql.append(" FROM \(mapping.sql.table)")
            try append(to: &sql)
        }
        return sql
    }
}

/// An expression, and how its values are read.
private struct CalculatedValue<Model: PersistingModel, Value: SQLiteValueConvertible>: Sendable {
    let mapping: Mapping
    let operand: Operand

    init(_ expression: ModelExpression<Model>, _ mapping: Mapping) throws {
        self.mapping = mapping
        operand = try CriteriaResolver(mapping: mapping).operand(expression.content.get(), .none)
    }

    func sql(_ query: Query<Model>, _ distinct: Bool, _ forms: StoredForms) throws -> CriteriaSQL {
        try query.sql(distinct, mapping, forms) { sql in
            try distinct ? sql.append(compared: operand) : sql.append(operand)
        }
    }

    func read(_ stored: SQLiteValue) throws -> Value? {
        if stored.isNull { return nil }
        do {
            if let column = operand.column?.column {
                // Another term's integer may be beyond the column's type.
                let isOther = operand.isChoice && FieldKind(column.type).integers != nil
                let decoded: Any? = isOther ? try? column.codec.decode(stored) : try column.codec.decode(stored)
                if let value = flattened(decoded) as? Value { return value }
            }
            return try Value(sqliteValue: stored)
        } catch let error as OtherForm {
            guard let column = operand.column else { throw error }
            throw column.column.failure(error, operand.owner ?? mapping)
        } catch let error as SQLiteError {
            throw PersistenceError(
                .typeMismatch, "a calculated value isn't a valid \(source: Value.self): \(error.message)",
                model: mapping.modelName, expected: Value.self, stored: stored.storageClass, underlying: error)
        }
    }
}

extension Mapping {
    /// Runs `body`, and names the row in what it throws, as far as the key is among what was selected.
    fileprivate func naming<T>(_ row: [SQLiteValue], _ list: [ColumnOperand], _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PersistenceError {
            let key = key.compactMap { index in
                list.firstIndex { $0.sql == sql.columns[index] }.map { (columns[index], row[$0]) }
            }
            throw error.adding(rowKey: key)
        }
    }

    fileprivate func columnList<each Value>(_ columns: repeat SelectedColumn<each Value>) -> [ColumnOperand] {
        var list: [ColumnOperand] = []
        for column in repeat each columns { list.append(column.operand) }
        return list
    }

    /// - Parameter keys: Nil is for all that the row's class has.
    fileprivate func dictionary(
        _ row: [SQLiteValue], _ columns: [(key: String, column: SelectedColumn<Any>)], _ keys: [String]?
    ) throws -> [String: Any] {
        var member = self
        if keys == nil, let place {
            let stored = columns.firstIndex { $0.key == place.table.kindKey }.map { row[$0] } ?? .null
            guard case .text(let kind) = stored else { throw unknownKind(stored, place) }
            member = try self.member(ofKind: kind)
        }
        return try zip(row, columns).reduce(into: [:]) { result, cell in
            let (stored, (key, column)) = cell
            if keys == nil, !member.has(column.operand, for: key) { return }
            if let value = flattened(try column.read(stored)) { result[key] = value }
        }
    }

    /// Whether a column that was selected is the class's own for a key. The kind's is any class's.
    private func has(_ operand: ColumnOperand, for key: String) -> Bool {
        guard operand.home != nil else { return isFileKey(key) }
        guard let index = try? index(ofKey: key) else { return false }
        return isSameName(columns[index].name, operand.column.name)
    }

    fileprivate func selected(keys: [String]?) throws -> [(key: String, column: SelectedColumn<Any>)] {
        let added: [String] =
            place.map { place in
                let others = place.addedColumns.filter { $0 !== place.table.kindColumn && !$0.declaration.isDeferred }
                return [place.table.kindKey] + Set(others.map(\.key)).sorted()
            } ?? []
        let names: [String] = keys ?? columns.filter { !$0.declaration.isDeferred }.map(\.key) + added
        guard !names.isEmpty else {
            throw PersistenceError(.unknownKey, "keys is empty: name at least one", model: modelName)
        }
        return try names.flatMap { key in
            let columns = columnsOfSubclasses(key).filter { keys != nil || !$0.column.declaration.isDeferred }
            return try columns.isEmpty
                ? [(key, selected(key: key))] : columns.map { (key, selected(ofSubclass: $0)) }
        }
    }
}
