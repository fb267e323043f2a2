/// The database that a plan is for, and how SQL names what is in it.
struct PlanDatabase: Sendable {
    /// `main`, `temp`, or the name of an attached database.
    let name: String
    /// What SQL puts before the names of tables; empty where the names alone mean those of `main`.
    let prefix: String

    init(_ name: String, isNamed: Bool) {
        self.name = name
        prefix = isNamed || !isSameName(name, "main") ? SQLText.identifier(name) + "." : ""
    }

    /// A table as SQL finds it.
    func table(_ table: String) -> String { prefix + SQLText.identifier(table) }

    /// A table's name for people.
    func title(_ table: String) -> String { isSameName(name, "main") ? table : "\(name).\(table)" }

    /// A CREATE statement, whose name gets the database's before it.
    func creating(_ sql: String) -> String {
        guard !prefix.isEmpty else { return sql }
        let text = SQLTokens(sql)
        let kinds = ["TABLE", "INDEX", "TRIGGER", "VIEW"]
        guard let kind = text.tokens.firstIndex(where: { token in kinds.contains(where: token.isWord) }) else {
            return sql
        }
        var place = kind + 1
        if place + 2 < text.tokens.count, text.tokens[place].isWord("IF"), text.tokens[place + 1].isWord("NOT") {
            place += 3
        }
        return text.replacing { $0 == place ? prefix + text.text(place..<place + 1) : nil }
    }
}

extension EngineConnection {
    /// How many rows a table has.
    ///
    /// - Parameter table: The table as SQL finds it.
    func rowCount(_ table: String) throws -> Int {
        try rows(SQL("SELECT count(*) FROM \(table)" as String), cached: false).first?.value(at: 0, as: Int.self) ?? 0
    }
}
