extension IndexDefinition {
    /// An index that a class declares.
    init(_ index: Index, _ table: String, _ columns: [Persisting.Column], _ modelName: String) throws {
        let names = try index.keys.map { key in
            guard let column = columns.first(where: { $0.key == key }) else {
                let known = columns.map(\.key).joined(separator: ", ")
                throw PersistenceError(
                    .unknownKey, "an index names \"\(key)\", which has no column; there is: \(known)", model: modelName,
                    key: key)
            }
            return column.name
        }
        let condition = try index.condition?.declared("an index", model: modelName)
        self.init(index.name, on: table, names, isUnique: index.isUnique, where: condition)
    }
}
