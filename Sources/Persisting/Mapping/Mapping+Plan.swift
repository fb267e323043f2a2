extension Mapping {
    /// The class's database, for statements that create its table.
    var planDatabase: PlanDatabase { PlanDatabase(database, isNamed: sql.table != sql.name) }
}

extension [Column] {
    /// The columns' names with those that they had before, all in lower case.
    var wanted: [Renames.Wanted] {
        var wanted: [Renames.Wanted] = []
        var places: [String: Int] = [:]
        for column in self {
            let name = asciiLowercased(column.name)
            let formers = column.declaration.formerNames.map(asciiLowercased)
            if let place = places[name] {
                wanted[place].formers += formers
            } else {
                places[name] = wanted.count
                wanted.append(Renames.Wanted(name: name, formers: formers))
            }
        }
        return wanted
    }
}
