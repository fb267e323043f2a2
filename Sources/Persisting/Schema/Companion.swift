/// Tables and triggers that belong to another table and stay in step with its rows, such as a full-text index.
///
/// A companion is created with its table, planned with it, kept through rebuilds and renames, and dropped with it. All
/// of it is plain SQL, so it stays in step when other programs write, too.
package struct Companion: Sendable {
    /// A table, an index or a trigger.
    package struct Item: Sendable {
        package enum Kind: String, Sendable {
            case table, index, trigger
        }

        let kind: Kind
        let name: String
        /// The text that creates it.
        let sql: String

        package init(_ kind: Kind, _ name: String, _ sql: String) {
            (self.kind, self.name, self.sql) = (kind, name, sql)
        }
    }

    /// What the names of all its items begin with.
    let name: String
    /// What it needs and other companions need as well: it is created where it is missing, gets the columns that it
    /// lacks, and stays when this one goes.
    let shared: [Item]
    /// The tables that hold something, and their indexes.
    let stores: [Item]
    /// What keeps them in step, and holds nothing when no statement runs.
    let triggers: RowTriggers
    /// The statements that fill the empty stores from the table's rows, by what gives a table's name its database's.
    let filling: @Sendable ((String) -> String) -> [String]
    /// The statements after which the stores, which have followed a change of the table, agree with its rows again; nil
    /// for a companion that is filled again.
    let following: (@Sendable ((String) -> String) -> [String])?

    package init(
        name: String, shared: [Item] = [], stores: [Item], triggers: RowTriggers,
        filling: @escaping @Sendable ((String) -> String) -> [String],
        following: (@Sendable ((String) -> String) -> [String])? = nil
    ) {
        (self.name, self.shared, self.stores, self.triggers) = (name, shared, stores, triggers)
        (self.filling, self.following) = (filling, following)
    }

    /// What is its own.
    var items: [Item] { stores + triggers.items }

}

/// What makes a companion for a table.
package protocol CompanionDeclaration: Sendable {
    /// - Parameter table: The table as it is to be, with all its unique indexes.
    /// - Throws: ``PersistenceError/Code/invalidModel`` for a table that can't have it.
    func companion(of table: TableDefinition) throws -> Companion
}

/// The things of a database's schema, by their kinds and names in lower case, with the texts that created them.
typealias SchemaTexts = [String: String]

extension Companion.Item {
    var key: String { "\(kind) \(asciiLowercased(name))" }

    /// Whether the schema has it, in the same words.
    func isIn(_ texts: SchemaTexts) -> Bool {
        texts[key].map { SQLTokens($0).meaning == SQLTokens(sql).meaning } == true
    }
}

extension Companion {
    /// Whether the schema has all of it.
    func isIn(_ texts: SchemaTexts) -> Bool { (shared + items).allSatisfy { $0.isIn(texts) } }

    /// The statements that drop those of its triggers that there are, so that a change of the table runs none.
    func droppingTriggers(_ texts: SchemaTexts, in database: PlanDatabase) -> [String] {
        triggers.items.filter { $0.kind == .trigger && texts[$0.key] != nil }.map {
            "DROP TRIGGER \(database.table($0.name))"
        }
    }

    /// The statements that drop those of its tables that there are, with their indexes.
    func droppingTables(_ texts: SchemaTexts, in database: PlanDatabase) -> [String] {
        Self.dropping(items, texts, in: database)
    }

    private static func dropping(_ items: [Item], _ texts: SchemaTexts, in database: PlanDatabase) -> [String] {
        items.filter { $0.kind == .table && texts[$0.key] != nil }.map { "DROP TABLE \(database.table($0.name))" }
    }

    /// The statements that create it beside its table, once its triggers are dropped. What is left of one whose table
    /// is gone is dropped.
    ///
    /// - Parameter fills: Whether what it holds is made again, too.
    /// - Throws: ``PersistenceError/Code/schemaMismatch`` when a table of another kind has the name of one of its own.
    func creating(_ texts: SchemaTexts, fills: Bool, in database: PlanDatabase) throws -> [String] {
        let isOwn = triggers.items.contains { $0.kind == .trigger && texts[$0.key] != nil }
        if !isOwn, let other = items.first(where: { $0.kind == .table && texts[$0.key] != nil && !$0.isIn(texts) }) {
            throw PersistenceError(
                .schemaMismatch,
                "there is another table \(database.title(other.name)), which \(name) needs the name of: rename or drop it"
            )
        }
        let made = (fills ? stores : []) + triggers.items
        return Self.dropping(made, texts, in: database) + (creatingShared(texts, in: database))
            + made.map { database.creating($0.sql) } + (fills ? filling(database.table) : [])
    }

    /// The statements that keep what it holds, and make the rest of it again.
    ///
    /// - Parameter former: The companion of the table as it was.
    /// - Returns: Nil for one that is filled again, when there is nothing to keep, and when it knows rows by another key.
    func following(
        _ former: Companion, _ texts: SchemaTexts, in database: PlanDatabase,
        _ change: (TableDefinition) -> StoreChange
    ) -> (sql: [String], loses: Bool)? {
        guard let following, former.stores.first.map({ texts[$0.key] != nil }) == true else { return nil }
        var sql = Self.dropping(former.triggers.items, texts, in: database) + creatingShared(texts, in: database)
        var loses = false
        let tables = stores.indices.filter { stores[$0].kind == .table }
        for (place, old) in zip(tables, former.stores.filter { $0.kind == .table }) {
            let indexes = stores[(place + 1)...].prefix { $0.kind == .index }
            guard let found = texts[old.key].flatMap({ TableDefinition(sql: $0) }),
                let new = TableDefinition(sql: stores[place].sql)
            else {
                sql += stores[place...(place + indexes.count)].map { database.creating($0.sql) }
                continue
            }
            let change = change(found)
            guard change.hasKey(of: new) else { return nil }
            sql += change.copying(to: new, indexes: Array(indexes))
            loses = loses || change.loses(new)
        }
        return (sql + following(database.table) + triggers.items.map { database.creating($0.sql) }, loses)
    }

    /// The statements that make what is shared, or complete it.
    func creatingShared(_ texts: SchemaTexts, in database: PlanDatabase) -> [String] {
        shared.flatMap { item in
            if let text = texts[item.key] {
                let (found, wanted) = (TableDefinition(sql: text), TableDefinition(sql: item.sql))
                return (wanted?.columns ?? []).filter { found?.column($0.name) == nil }.map {
                    "ALTER TABLE \(database.table(item.name)) ADD COLUMN \($0.sql)"
                }
            }
            let create = "CREATE \(item.kind.rawValue.uppercased())"
            return [database.creating(create + " IF NOT EXISTS" + item.sql.dropFirst(create.count))]
        }
    }
}
