/// A query whose groups are asked for, and how their rows are read.
struct GroupedRows<Model: PersistingModel> {
    let table: ModelTable
    let query: Query<Model>
    let selection: GroupSelection

    init(
        _ table: ModelTable, _ query: Query<Model>, keys: [CriteriaTerm], aggregates: [CriteriaTerm],
        _ condition: Criteria<Model>? = nil, _ ordering: Ordering<Model>? = nil, _ limit: Int? = nil,
        _ offset: Int? = nil
    ) throws {
        self.table = table
        self.query = query
        selection = try GroupSelection(
            table.mapping, keys: keys, aggregates: aggregates, having: condition?.node,
            sortedBy: ordering?.terms ?? [], limit: limit, offset: offset)
    }

    /// A tuple for each group.
    func read<each Key, each Value>(
        _ rows: [[SQLiteValue]], keys: repeat GroupKey<Model, each Key>,
        aggregates: repeat Aggregate<Model, each Value>
    ) throws -> [(repeat each Key, repeat each Value)] {
        var (keyOperands, operands) = (selection.keys.makeIterator(), selection.aggregates.makeIterator())
        let keyReaders = (repeat try reader(each keys, keyOperands.next()))
        let readers = (repeat reader(each aggregates, operands.next()))
        return try rows.map { row in
            var values = row.makeIterator()
            return try table.mapping.naming {
                (
                    repeat try (each keyReaders)(values.next() ?? .null),
                    repeat try (each readers)(values.next() ?? .null)
                )
            }
        }
    }

    /// The values of the one group that all rows are.
    func read<each Value>(
        _ row: [SQLiteValue]?, aggregates: repeat Aggregate<Model, each Value>
    ) throws -> (repeat each Value) {
        var operands = selection.aggregates.makeIterator()
        let readers = (repeat reader(each aggregates, operands.next()))
        var values = (row ?? []).makeIterator()
        return try table.mapping.naming { (repeat try (each readers)(values.next() ?? .null)) }
    }

    private func reader<Key>(
        _ key: GroupKey<Model, Key>, _ operand: Operand?
    ) throws -> (SQLiteValue) throws -> Key {
        try key.reader(operand ?? .value(.null), table.mapping)
    }

    private func reader<Value>(
        _ aggregate: Aggregate<Model, Value>, _ operand: AggregateOperand?
    ) -> (SQLiteValue) throws -> Value {
        guard let operand else { return table.mapping.reader(of: .value(.null), as: Value.self) }
        return table.mapping.reader(operand, of: aggregate)
    }
}

extension PersistenceManager {
    /// The groups as they are selected.
    func rows<Model: PersistingModel>(_ groups: GroupedRows<Model>) throws -> [[SQLiteValue]] {
        let (query, selection, mapping) = (groups.query, groups.selection, groups.table.mapping)
        do {
            return try rows(groups.table, query.node, asOf: query.past) {
                try selection.sql(query.ofNow, mapping, $0)
            }
        } catch {
            throw selection.overflow(error, mapping)
        }
    }

    /// The groups as they are selected.
    func rows<Model: PersistingModel>(_ groups: GroupedRows<Model>) async throws -> [[SQLiteValue]] {
        let (query, selection, mapping) = (groups.query, groups.selection, groups.table.mapping)
        do {
            return try await rows(groups.table, query.node, asOf: query.past) {
                try selection.sql(query.ofNow, mapping, $0)
            }
        } catch {
            throw selection.overflow(error, mapping)
        }
    }

    /// What aggregates are, in their order.
    func terms<Model: PersistingModel, each Value>(
        _ aggregates: repeat Aggregate<Model, each Value>
    ) throws -> [CriteriaTerm] {
        var terms: [CriteriaTerm] = []
        for aggregate in repeat each aggregates { terms.append(try aggregate.expression.content.get()) }
        return terms
    }

    /// What keys are, in their order.
    func terms<Model: PersistingModel, each Key>(
        _ keys: repeat GroupKey<Model, each Key>
    ) throws -> [CriteriaTerm] {
        var terms: [CriteriaTerm] = []
        for key in repeat each keys { terms.append(try key.expression.content.get()) }
        return terms
    }
}
