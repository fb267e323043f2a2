import SQLiteKit

/// What the tables hold, as far as a program can tell.
struct Contents: Sendable {
    struct Row: Hashable, Sendable {
        var kind: Kind
        /// The values that aren't NULL, by property.
        var values: [String: Int]
    }

    /// A value that was written: no observer hears of others.
    struct Touch: Hashable, Sendable {
        /// What an observer can hear of it. Of a table without a key that the model knows, the key is nil.
        struct Name: Hashable, Sendable {
            let table: TableName
            let key: [Int]?
            let property: String
        }

        let name: Name
        let kind: Kind
    }

    /// Why SQLite or the library rejects a change.
    enum Violation: Error { case constraint, anotherClass }

    /// At the beginning, what other programs have written.
    private var tables: [TableName: [[Int]: Row]] = [
        .visit: Self.rows(.visit, Visit.rows), .inbox: Self.rows(.inbox, Inbox.rows),
        .outbox: Self.rows(.outbox, Outbox.rows),
    ]
    /// What was written since the last commit.
    private(set) var touched: Set<Touch> = []
    /// Whether a trigger writes the journal.
    var hasTrigger = false
    /// Whether the table of notes has a column that no class knows.
    var hasExtra = true
    /// The tables of nobody, by their numbers.
    var others: Set<Int> = []
    /// Whether a plan has given the tables their names that an older release had exchanged.
    var isExchanged = false
    /// The last migration.
    var version = 0
    private var serial = 0

    mutating func forgetTouched() { touched = [] }
    mutating func addTouched(_ more: Set<Touch>) { touched.formUnion(more) }

    private static func rows(_ kind: Kind, _ rows: [Int: Write.Values]) -> [[Int]: Row] {
        Dictionary(uniqueKeysWithValues: rows.map { ([$0], Row(kind: kind, values: $1)) })
    }

    /// Whether there is a class's table.
    func has(_ kind: Kind) -> Bool { isExchanged || !TableName.exchanged.contains(kind.table) }

    /// The tables that there are.
    var tableNames: [TableName] { TableName.allCases.filter { isExchanged || !TableName.exchanged.contains($0) } }

    func rows(_ table: TableName) -> [[Int]: Row] { tables[table] ?? [:] }

    /// The rows that a fetch of a class finds.
    func rows(of kind: Kind) -> [[Int]: Row] {
        let rows = rows(kind.table)
        return kind == .photo || kind == .clip ? rows.filter { $0.value.kind == kind } : rows
    }

    func row(_ kind: Kind, _ key: [Int]) -> Row? {
        guard let row = tables[kind.table]?[key] else { return nil }
        return kind == .photo || kind == .clip ? (row.kind == kind ? row : nil) : row
    }

    // MARK: Changes

    private mutating func touch(_ table: TableName, _ key: [Int], _ kind: Kind, _ properties: some Sequence<String>) {
        let key = table.isKeyed ? key : nil
        for property in properties {
            touched.insert(Touch(name: .init(table: table, key: key, property: property), kind: kind))
        }
    }

    /// The values that are others than before. Of a row that has come or gone, all.
    func changes(since before: Contents) -> [Touch] {
        TableName.allCases.flatMap { table -> [Touch] in
            let (old, new) = (before.rows(table), rows(table))
            return Set(old.keys).union(new.keys).flatMap { key -> [Touch] in
                guard let row = new[key] ?? old[key], old[key] != new[key] else { return [] }
                let changed = table.properties.map(\.name).filter { name in
                    old[key]?.kind != new[key]?.kind || old[key]?.values[name] != new[key]?.values[name]
                }
                return changed.map {
                    Touch(name: .init(table: table, key: table.isKeyed ? key : nil, property: $0), kind: row.kind)
                }
            }
        }
    }

    /// Gives the classes of undo histories the rows that they had in others.
    mutating func restore(_ others: Contents) {
        for table in Kind.undoable.map(\.table) {
            let (old, new) = (rows(table), others.rows(table))
            for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
                guard let kind = (new[key] ?? old[key])?.kind else { continue }
                touch(table, key, kind, table.properties.map(\.name))
            }
            tables[table] = new
        }
    }

    private func nextNumber(_ table: TableName) -> Int { (rows(table).keys.compactMap(\.first).max() ?? 0) + 1 }

    /// The keys of the rows that the values of another conflict with.
    func conflicts(_ kind: Kind, _ values: Write.Values, besides own: [Int]? = nil) -> [[Int]] {
        var found: [[Int]] = []
        let identity = kind.table.identity.compactMap { values[$0] }
        if identity.count == kind.table.identity.count, !identity.isEmpty, rows(kind.table)[identity] != nil {
            found.append(identity)
        }
        if kind == .note, let code = values["code"] {
            found += rows(.note).filter { $0.value.values["code"] == code && !found.contains($0.key) }.map(\.key)
        }
        return found.filter { $0 != own }
    }

    /// Whether all rows are there that a row refers to.
    private func hasReferences(_ kind: Kind, _ values: Write.Values) -> Bool {
        func has(_ table: TableName, _ name: String) -> Bool {
            values[name].map { rows(table)[[$0]] != nil } ?? true
        }
        return switch kind {
        case .folder: has(.folder, "parentID")
        case .note: has(.folder, "folderID")
        case .labelling, .pin: has(.note, "noteID") && has(.label, "labelID")
        default: true
        }
    }

    mutating func insert(_ kind: Kind, _ given: Write.Values, replaces: Bool = false) throws(Violation) {
        var values = given
        let table = kind.table
        let conflicts = conflicts(kind, values)
        // SQLite makes the key before it deletes what is replaced.
        if table.isGenerated, values["id"] == nil { values["id"] = nextNumber(table) }
        if !conflicts.isEmpty {
            guard replaces else { throw .constraint }
            for key in conflicts { delete(table, key) }
        }
        if kind == .note { values["doubled"] = values["number"].map { $0 * 2 } }
        var key = table.identity.compactMap { values[$0] }
        if table.identity.isEmpty {
            serial += 1
            key = [serial]
        }
        tables[table, default: [:]][key] = Row(kind: kind, values: values)
        touch(table, key, kind, table.properties.map(\.name))
        guard hasReferences(kind, values) else { throw .constraint }
        if kind == .note, hasTrigger { try insert(.journal, values["text"].map { ["text": $0] } ?? [:]) }
    }

    mutating func update(_ table: TableName, _ key: [Int], _ changes: [String: Int?]) throws(Violation) {
        guard var row = rows(table)[key] else { return }
        var changes = changes
        if row.kind == .note, let number = changes["number"] { changes["doubled"] = .some(number.map { $0 * 2 }) }
        for (name, number) in changes { row.values[name] = number }
        if !conflicts(row.kind, row.values, besides: key).isEmpty { throw .constraint }
        guard changes.keys.allSatisfy({ !$0.hasSuffix("ID") }) || hasReferences(row.kind, row.values) else {
            throw .constraint
        }
        tables[table]?[key] = row
        touch(table, key, row.kind, changes.keys)
    }

    mutating func delete(_ table: TableName, _ key: [Int]) {
        guard let row = tables[table]?.removeValue(forKey: key) else { return }
        touch(table, key, row.kind, table.properties.map(\.name))
        guard let number = key.first else { return }
        func referring(_ other: TableName, _ name: String) -> [[Int]] {
            rows(other).filter { $0.value.values[name] == number }.map(\.key)
        }
        switch table {
        case .folder:
            for child in referring(.folder, "parentID") {
                tables[.folder]?[child]?.values["parentID"] = nil
                touch(.folder, child, .folder, ["parentID"])
            }
            for note in referring(.note, "folderID") { delete(.note, note) }
        case .note, .label:
            let name = table == .note ? "noteID" : "labelID"
            for link in referring(.labelling, name) { delete(.labelling, link) }
            for link in referring(.pin, name) { delete(.pin, link) }
        default: break
        }
    }

    // MARK: Words

    /// A row as an object has it that a fetch gives.
    func words(_ row: Row) -> String {
        "\(row.kind.rawValue) "
            + row.kind.properties.filter(\.isFetched).map { property in
                "\(property.name)=\(Property.words(row.values[property.name].map(property.value)))"
            }.joined(separator: " ")
    }

    /// What ``Objects/groupsOfNotes(_:)`` gives.
    var groupsOfNotes: [String] {
        let folders = rows(of: .folder).values
        let names = rows(of: .note).values.compactMap { note in
            folders.first { $0.values["id"] == note.values["folderID"] }?.values["name"]
        }
        let property = Kind.folder.property("name")
        return Dictionary(grouping: names) { $0 }
            .map { "\(Property.words(property?.value($0)))=\($1.count)" }.sorted()
    }

    /// What tells a row from others, as an object has it.
    static func name(_ kind: Kind, _ key: [Int]) -> String {
        zip(kind.table.identity, key).map { name, number in
            "\(name)=\(Property.words(kind.property(name)?.value(number)))"
        }.joined(separator: " ")
    }

    /// The rows of a table as SQLite has them, in the order of their words.
    func stored(_ table: TableName) -> [String] {
        rows(table).values.map { row in
            let values = table.properties.map { property in
                "\(row.values[property.name].map(property.stored) ?? .null)"
            }
            return (values + (table == .media ? ["'\(row.kind.rawValue)'"] : [])).joined(separator: "|")
        }.sorted()
    }

    /// What searches find, as ``Objects/searched(_:)`` says it.
    var searched: [String] {
        let indexed: [(TableName, String)] = [
            (.note, "text"), (.media, "title"), (.score, "game"), (.oldScore, "game"),
        ]
        let inside = (1...9).map { number in
            let notes = rows(.note).values
            let (word, theme) = (
                notes.count { $0.values["words"] == number }, notes.count { $0.values["sheet"] == number }
            )
            return "NOTE w\(number) \(word) s\(number) \(theme)"
        }
        return inside
            + indexed.flatMap { table, name in
                (1...9).map { number in
                    let count = rows(table).values.count { $0.values[name] == number }
                    return "\(table.rawValue) \(table.property(name)?.value(number) ?? "") \(count)"
                }
            }
    }

    /// The rows of the classes with a history, as ``Objects/past(_:_:)`` says them.
    var recorded: [String] { Kind.recorded.flatMap { rows(of: $0).values.map(words).sorted() } }

    /// All tables as SQLite has them.
    var stored: [String] { tableNames.flatMap { table in stored(table).map { "\(table.rawValue) \($0)" } } }
}
