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
        let message = error.message + (relation.map { " - by the relation \($0)" } ?? "")
        self.init(code, message, model: mapping.modelName, key: property?.key, underlying: error)
    }

    /// The same error with the row that could not be read.
    func adding(rowKey: [(column: Column, value: SQLiteValue)]) -> PersistenceError {
        guard !rowKey.isEmpty, self.rowKey == nil else { return self }
        let place = rowKey.map { "\($0.name) = \($1)" }.joined(separator: " AND ")
        let values = Dictionary(rowKey.map { ($0.key, $1) }) { first, _ in first }
        return PersistenceError(copying: self, "\(message), in the row with \(place)", rowKey: values, sql: sql)
    }
}

extension Mapping {
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
