extension PersistenceError {
    /// An error of SQLite about a model's table. Its key is the property of the first column that SQLite names.
    init(_ error: SQLiteError, _ mapping: Mapping) {
        let code: Code =
            if error.code == .constraint {
                .constraint
            } else if error.code == .busy {
                .busy
            } else if error.extendedCode == .closed {
                .closed
            } else if error.extendedCode == .unsupported {
                .unsupported
            } else if error.code == .error, error.message.hasPrefix("no such table") {
                .noTable
            } else if error.code == .error,
                error.message.hasPrefix("no such column") || error.message.contains("has no column named")
            {
                .missingColumn
            } else {
                .database
            }
        // A foreign key, or a trigger, may be another table's.
        let isOwn = error.table.map(asciiLowercased) == asciiLowercased(mapping.tableName)
        let column = isOwn ? error.columns.first.map(asciiLowercased) : nil
        let property = mapping.columns.first { asciiLowercased($0.name) == column }
        let relation =
            isOwn && error.extendedCode == .constraintForeignKey ? mapping.relationName(byColumns: error.columns) : nil
        // SQLite knows the column's name alone.
        let other = property.flatMap { asciiLowercased($0.name) == asciiLowercased($0.key) ? nil : $0.key }
        let place = relation.map { "by the relation \($0)" } ?? other.map { "the property \($0)" }
        let message = error.message + (place.map { " - \($0)" } ?? "")
        self.init(code, message, model: mapping.modelName, key: property?.key, underlying: error)
    }

    /// The same error with the row that it is about.
    func adding(rowKey: [(column: Column, value: SQLiteValue)]) -> PersistenceError {
        guard !rowKey.isEmpty, self.rowKey == nil else { return self }
        let place = rowKey.map { "\($0.name) = \($1)" }.joined(separator: " AND ")
        let values = Dictionary(rowKey.map { ($0.key, $1) }) { first, _ in first }
        return PersistenceError(copying: self, "\(message), in the row with \(place)", rowKey: values, sql: sql)
    }

    /// Runs `body`, and names an object's row in an error of its class.
    static func naming<T>(rowOf object: PersistingModel?, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PersistenceError {
            throw object.map { error.adding(rowOf: $0) } ?? error
        }
    }

    /// The same error with the row of the object that it is about, where it is one of the object's class.
    func adding(rowOf object: PersistingModel) -> PersistenceError {
        guard rowKey == nil, let mapping = object.knownMapping, mapping.modelName == model else { return self }
        return adding(rowKey: mapping.namedKey(mapping.rowKey(of: object)))
    }
}

extension PersistingModel {
    /// The mapping that the object was read or written with; of a new object, that of its class.
    var knownMapping: Mapping? { record.trackedRows?.mapping ?? (try? Mapping.of(self)) }
}

extension Mapping {
    /// The key of an object's row as it is stored, or else the one that the object has; empty without one.
    func rowKey(of object: PersistingModel) -> [SQLiteValue] {
        let known = object.record.trackedRows?.mapping === self ? object.record.trackedKey : nil
        let values = key.compactMap { index in
            try? known.map { try stored(index, in: $0) } ?? stored(index, of: object)
        }
        return values.count == key.count && !values.contains(where: \.isNull) ? values : []
    }

    /// A key in words for a person.
    func condition(of key: [SQLiteValue]) -> String {
        zip(self.key, key).map { "\(columns[$0].name) = \($1)" }.joined(separator: " AND ")
    }

    /// The values of a key with their columns.
    func namedKey(_ values: [SQLiteValue]) -> [(column: Column, value: SQLiteValue)] {
        zip(key, values).map { (columns[$0], $1) }
    }

    /// The values of a key by the properties' names.
    func keyValues(_ values: [SQLiteValue]) -> [String: SQLiteValue]? {
        guard !values.isEmpty else { return nil }
        return Dictionary(namedKey(values).map { ($0.column.key, $0.value) }) { first, _ in first }
    }

    /// Runs `body`, and names the model in an error of SQLite.
    func naming<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw PersistenceError(error, self)
        }
    }

    /// The error of an upsert by columns that no constraint is on.
    func noUniqueConstraint(_ reason: String, underlying: (any Error)? = nil) -> PersistenceError {
        PersistenceError(
            .noUniqueConstraint, "\(reason), so there is nothing to find an existing row by", model: modelName,
            underlying: underlying)
    }
}
