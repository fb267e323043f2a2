/// Classes that share a table, and where it is.
struct ClassGroup {
    /// The table's name, as the classes have it.
    let name: String
    var mappings: [Mapping]
    /// The table as it is; nil for one that is to be created.
    var table: SchemaItems.Item?
    /// The columns of all classes.
    var columns: [Column] { mappings.flatMap(\.tableColumns) }
    /// The names that columns had before, in lower case.
    var formers: Set<String> { Set(columns.flatMap { $0.declaration.formerNames.map(asciiLowercased) }) }
    /// The columns that go by each other's names.
    var circles: [[Renames.Exchange]] { formers.isEmpty ? [] : Renames.circles(columns.wanted) }

    /// The classes by their tables, in order.
    static func all(of mappings: [Mapping]) -> [ClassGroup] {
        var (groups, places) = ([ClassGroup](), [String: Int]())
        for mapping in mappings {
            let name = asciiLowercased(mapping.tableName)
            guard let place = places[name] else {
                places[name] = groups.count
                groups.append(ClassGroup(name: mapping.tableName, mappings: [mapping]))
                continue
            }
            if !groups[place].mappings.contains(where: { $0 === mapping }) {
                groups[place].mappings.append(mapping)
            }
        }
        return groups
    }

    /// Throws for classes that declare a column of their table with several types, or one that may be NULL and one that
    /// may not, since no table fits them all.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel``.
    func checkTypes() throws {
        guard mappings.count > 1 else { return }
        var known: [String: (mapping: Mapping, type: String, isNotNull: Bool)] = [:]
        for mapping in mappings {
            for (property, column) in zip(mapping.tableColumns, try mapping.definition.columns)
            where !column.type.isEmpty {
                let isNotNull = column.has(.notNull)
                let other = known[asciiLowercased(column.name)] ?? (mapping, column.type, isNotNull)
                guard isSameName(column.type, other.type) else {
                    throw PersistenceError(
                        .invalidModel,
                        "the table \(name) is that of \(other.mapping.modelName), too, whose column \(column.name) is "
                            + "\(other.type), and here it is \(column.type): declare the same type, or override tableName",
                        model: mapping.modelName, key: property.key)
                }
                guard isNotNull == other.isNotNull else {
                    throw PersistenceError(
                        .invalidModel,
                        "the table \(name) is that of \(other.mapping.modelName), too, whose column \(column.name) "
                            + (isNotNull ? "may be NULL, and here it can't" : "is NOT NULL, and here it may be NULL")
                            + ": declare both alike", model: mapping.modelName, key: property.key)
                }
                known[asciiLowercased(column.name)] = other
            }
        }
    }

    /// The table that several classes share.
    var definition: TableDefinition {
        get throws {
            var definition = try mappings[0].definition
            for mapping in mappings.dropFirst() {
                for column in try mapping.definition.columns where definition.column(column.name) == nil {
                    definition.columns.append(column)
                }
                for index in try mapping.definition.indexes
                where !definition.indexes.contains(where: { index.isMet(by: $0) }) {
                    definition.indexes.append(index)
                }
            }
            return definition
        }
    }
}

extension [ClassGroup] {
    /// Tables after those that they refer to, as far as they don't refer to each other in a circle.
    func afterParents() throws -> [ClassGroup] {
        var left = try map { (group: $0, parents: Set(try $0.definition.foreignKeys.map(\.parent))) }
        var ordered: [ClassGroup] = []
        while !left.isEmpty {
            let next = left.firstIndex { table in
                !left.contains { other in
                    !isSameName(other.group.name, table.group.name)
                        && table.parents.contains(asciiLowercased(other.group.name))
                }
            }
            ordered.append(left.remove(at: next ?? 0).group)
        }
        return ordered
    }
}
