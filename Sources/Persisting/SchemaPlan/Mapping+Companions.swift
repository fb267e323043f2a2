/// The companions of the classes' tables.
extension Mapping {
    var companions: [any CompanionDeclaration] { (modelType as? any HasCompanions.Type)?.companions ?? [] }
}

extension [Mapping] {
    /// The companions of the table that classes share, each once.
    func companions(of table: TableDefinition) throws -> [Companion] {
        var all: [Companion] = []
        for mapping in self {
            for declaration in mapping.companions {
                let companion = try declaration.companion(of: table)
                if !all.contains(where: { isSameName($0.name, companion.name) }) { all.append(companion) }
            }
        }
        return all
    }
}
