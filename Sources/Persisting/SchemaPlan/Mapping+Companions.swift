/// The companions of the classes' tables.
extension Mapping {
    func companions() throws -> [any CompanionDeclaration] {
        try fullTextTables().map { FullTextCompanion(index: $0) }
            + (modelType.history.map { [HistoryCompanion(mapping: self, history: $0)] } ?? [])
            + ((modelType as? any HasCompanions.Type)?.companions ?? [])
    }

    var hasCompanions: Bool {
        !modelType.fullTextIndexes.elements.isEmpty || modelType.history != nil || modelType is any HasCompanions.Type
    }
}

extension [Mapping] {
    /// The companions of the table that classes share, each once.
    func companions(of table: TableDefinition) throws -> [Companion] {
        var all: [Companion] = []
        for mapping in self {
            for declaration in try mapping.companions() {
                let companion = try declaration.companion(of: table)
                if !all.contains(where: { isSameName($0.name, companion.name) }) { all.append(companion) }
            }
        }
        return all
    }
}
