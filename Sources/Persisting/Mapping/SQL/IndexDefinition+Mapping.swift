extension IndexDefinition {
    /// An index that a class declares.
    init(_ index: Index, _ table: String, _ search: KeyPathSearch, _ modelName: String) throws {
        let condition = try index.condition?.declared("an index", model: modelName)
        let parts = try index.parts.map { part in
            switch part {
            case .key(let key): (title: try search.column(key, modelName).name, expression: String?.none)
            case .keyPath(let keyPath): try search.indexed(keyPath, modelName)
            }
        }
        self.init(index.name, on: table, parts: parts, isUnique: index.isUnique, where: condition)
    }
}

extension KeyPathSearch {
    /// The column of a key that an index names.
    fileprivate func column(_ key: String, _ modelName: String) throws -> Column {
        try columns[columns.index(ofKey: key, "an index names", modelName)]
    }

    /// The column that a key path leads to, or the expression for a value inside of one of JSON.
    fileprivate func indexed(
        _ keyPath: AnyKeyPath, _ modelName: String
    ) throws -> (title: String, expression: String?) {
        try checkComponents(of: keyPath)
        do {
            return (columns[try column(keyPath, sample: nil)].name, nil)
        } catch {
            guard let term = term(keyPath, sample: nil), let key = term.column else { throw error }
            guard term.path.isPlain else {
                throw PersistenceError(
                    .unsupported, "SQLite has no path for the key \(term.path.name), so that no index has it",
                    model: modelName, key: term.name)
            }
            let column = try column(key, modelName).name
            let title = ([column] + term.path.keys).joined(separator: "_")
            return (title, term.sql(in: SQLText.identifier(column)))
        }
    }
}
