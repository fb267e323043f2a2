/// The companions of the classes' tables.
extension Mapping {
    /// The classes of the table, each of which describes the whole of it.
    private var family: [PersistingModel.Type] { place?.table.hierarchy.members ?? [modelType] }

    func companions() throws -> [any CompanionDeclaration] {
        try family.flatMap { type in
            let mapping = type == modelType ? self : try Mapping.of(type, dates: dates, schemaKey: schemaKey)
            return try mapping.fullTextTables().map(FullTextCompanion.init)
                + (try type.history.map { [try HistoryCompanion(mapping, $0)] } ?? [])
                + type.companions
        }
    }

    var hasCompanions: Bool {
        family.contains { !$0.fullTextIndexes.elements.isEmpty || $0.history != nil || !$0.companions.isEmpty }
    }
}

extension [Mapping] {
    /// The companions of the table that classes share, each once.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` for two of one name.
    func companions(of table: TableDefinition) throws -> [Companion] {
        var all: [Companion] = []
        for mapping in self where mapping.hasCompanions {
            for declaration in try mapping.companions() {
                let companion = try declaration.companion(of: table)
                guard let known = all.first(where: { isSameName($0.name, companion.name) }) else {
                    all.append(companion)
                    continue
                }
                guard known.items.map(\.sql) == companion.items.map(\.sql) else {
                    throw PersistenceError(
                        .invalidModel,
                        "two classes of the table \(table.name) declare \(companion.name), each in its own way: give one "
                            + "another name", model: mapping.modelName)
                }
            }
        }
        return all
    }
}
