/// A property whose values are read by themselves, without an object.
struct SelectedColumn<Value> {
    /// The column, or the bits of one, as conditions have it.
    let operand: ColumnOperand
    /// Reads a stored value as the property has it.
    let read: (SQLiteValue) throws -> Value
}

extension Mapping {
    /// The column of a key path, which may lead to a bit field.
    func selected<Model: PersistingModel, Value>(
        _ keyPath: KeyPath<Model, Value>
    ) throws -> SelectedColumn<Value> {
        try selected(term(of: keyPath))
    }

    private func selected<Value>(_ term: CriteriaTerm) throws -> SelectedColumn<Value> {
        if case .json(let value) = term { return try selected(columnOperand(value)) }
        return try selected(columnOperand(term.key ?? ""))
    }

    /// A column whose property has a type.
    func selected<Value>(_ operand: ColumnOperand) throws -> SelectedColumn<Value> {
        let column = operand.column
        guard let codec = column.codec as? any FieldCodec<Value> else {
            throw PersistenceError(
                .typeMismatch, "\(column.key): the key path has another type than its column", model: modelName,
                key: column.key, expected: column.type, found: Value.self)
        }
        return try selected(operand) { try codec.decode($0) }
    }

    /// The column of a key, which may be a bit field or an alias, or the kind.
    func selected(key: String) throws -> SelectedColumn<Any> {
        if let place, key == place.table.kindKey {
            let column = place.table.kindColumn
            let operand = ColumnOperand(
                SQLText.identifier(column.name), column, index: ColumnOperand.nowhere)
            return SelectedColumn(operand: operand) { try String(sqliteValue: $0) }
        }
        let operand = try columnOperand(key)
        return try selected(operand) { try operand.column.codec.decode($0) }
    }

    /// The column of a property of a subclass, which is NULL in the rows of other classes.
    func selected(ofSubclass operand: ColumnOperand) -> SelectedColumn<Any> {
        SelectedColumn(operand: operand) { [self] stored in
            do {
                return stored.isNull ? Any?.none as Any : try operand.column.codec.decode(stored)
            } catch {
                throw operand.column.failure(error, self, stored: stored.storageClass)
            }
        }
    }

    private func selected<Value>(
        _ operand: ColumnOperand, _ decode: @escaping (SQLiteValue) throws -> Value
    ) throws -> SelectedColumn<Value> {
        let (column, index) = (operand.column, operand.index)
        let replacesNull =
            operand.json == nil && fields[index].keepsDefaultOnNull && column.name == columns[index].name
        let valueForNull = replacesNull ? try stored(index, of: modelType.init()) : .null
        return SelectedColumn(operand: operand) { stored in
            do {
                return try decode(stored.isNull ? valueForNull : stored)
            } catch {
                throw column.failure(error, self, stored: stored.storageClass)
            }
        }
    }
}
