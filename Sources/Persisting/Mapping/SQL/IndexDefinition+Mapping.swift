extension IndexDefinition {
    /// An index that a class declares.
    init(_ index: Index, _ table: String, _ search: KeyPathSearch, _ modelName: String) throws {
        let condition = try index.condition?.declared("an index", model: modelName)
        var names: [String] = []
        for part in index.parts {
            switch part {
            case .key(let key): names.append(try search.column(key, modelName).name)
            case .keyPath(let keyPath):
                guard let term = try search.indexed(keyPath, modelName, &names) else { continue }
                let column = try search.column(term.column, modelName).name
                let title = ([column] + term.path.keys).joined(separator: "_")
                self.init(
                    term.sql(in: SQLText.identifier(column)), titled: title, on: table, where: condition,
                    name: index.name)
                return
            }
        }
        self.init(index.name, on: table, names, isUnique: index.isUnique, where: condition)
    }
}

extension KeyPathSearch {
    /// The column of a key that an index names.
    fileprivate func column(_ key: String, _ modelName: String) throws -> Column {
        guard let column = columns.first(where: { $0.key == key }) else {
            let known = columns.map(\.key).joined(separator: ", ")
            throw PersistenceError(
                .unknownKey, "an index names \"\(key)\", which has no column; there is: \(known)", model: modelName,
                key: key)
        }
        return column
    }

    /// The value inside of a column of JSON that an index is on; nil for a column, which is added to the names.
    fileprivate func indexed(
        _ keyPath: AnyKeyPath, _ modelName: String, _ names: inout [String]
    ) throws -> JSONTerm? {
        do {
            names.append(columns[try column(keyPath, sample: nil)].name)
            return nil
        } catch {
            guard let term = term(keyPath, sample: nil) else { throw error }
            guard term.path.isPlain else {
                throw PersistenceError(
                    .unsupported, "SQLite has no path for the key \(term.path.name), so that no index has it",
                    model: modelName, key: term.name)
            }
            return term
        }
    }
}
