import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// R8: names, keys, phrases and formats made of whatever could be taken for SQL. What has a meaning has its own, and
/// the rest is an error of the library's: no other row changes, and no table.
enum HostileNames {
    private static let pieces = [
        "\"", "\"\"", "'", "`", "[", "]", ";", "--", "/*", "*/", "\u{0}", "\n", "\\", " ", ",", ".", "(", ")", "%",
        "%@",
        "?1", ":a", "$x", "@", "é", "e\u{301}", "\u{200D}", "\u{202E}", "😀", "\u{FEFF}", "text", "tag", "id", "rowid",
        "SELECT", "order", "sqlite_", "NULL", "asc", "== 1", "OR 1=1", "; DROP TABLE ITEM; --",
        "\"; DROP TABLE ITEM; --",
        "') OR 1=1 --", "\" = \"", "UNION SELECT sql FROM sqlite_schema",
    ]

    static func run(_ options: Options) throws -> [Figures] {
        var figures = Figures("R8 hostile names, keys, phrases and values")
        var random = SeededGenerator(seed: options.seed)
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Item.self)
        try manager.insert([Item(1, "one"), Item(2, "two"), Item(3, "three")])
        let before = try contents(manager)
        for number in 0..<options.count(long: 1_000_000, full: 20_000, quick: 200) {
            // Names of a megabyte take their time.
            let isLong = number % 1_000 == 99
            let length = isLong ? 100_000 : Int.random(in: 0...6, using: &random)
            let word = (0..<length).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            var faults: [Fault] = []
            var count = 0
            for use in uses {
                do {
                    if let wrong = try use.run(manager, word) { faults.append(Fault(.half, "\(use.name): \(wrong)")) }
                    count += 1
                } catch is PersistenceError {
                    continue
                } catch is SQLiteError {
                    continue
                } catch {
                    faults.append(Fault(.error, "\(use.name): \(error)"))
                }
            }
            if try contents(manager) != before { faults.append(Fault(.applied, "a row or a table is another one")) }
            figures.add(faults, "\(number): \(word.prefix(100).debugDescription)")
            figures.count("taken", count)
            figures.count("rejected", uses.count - count)
        }
        return [figures]
    }

    /// All tables with their SQL, and all rows.
    private static func contents(_ manager: PersistenceManager) throws -> [String] {
        try manager.read { db in
            try db.column(
                "SELECT sql FROM sqlite_schema UNION ALL SELECT ID || TAG || TEXT FROM ITEM", as: String?.self
            )
            .compactMap(\.self)
        }
    }

    /// What can be asked with a word of a stranger's.
    private struct Use: Sendable {
        let name: String
        /// - Returns: What was wrong, if anything was.
        let run: @Sendable (PersistenceManager, String) throws -> String?
    }

    private static let uses: [Use] = [
        Use(name: "a table and a column") { manager, word in try inNames(manager, word) },
        Use(name: "a key of a condition") { manager, word in
            _ = try manager.fetchAll(Item.self, where: [word: 1])
            return unlessKnown(word)
        },
        Use(name: "a key in a format") { manager, word in
            _ = try manager.fetchAll(Item.self, where: Criteria(format: "%K == 1", arguments: [word]))
            return unlessKnown(word)
        },
        Use(name: "a format") { manager, word in
            let criteria = try Criteria<Item>(format: word)
            let found = try manager.fetchAll(Item.self, where: criteria)
            let all = try manager.fetchAll(Item.self)
            return try criteria.filter(all).count == found.count ? nil : "SQL and memory answer differently"
        },
        Use(name: "an order") { manager, word in
            let found = try manager.fetchAll(Item.self, sortedBy: Ordering(word))
            return found.count == 3 ? nil : "\(found.count) rows"
        },
        Use(name: "a property") { _, word in
            try Item(4).setValue(1, forKey: word)
            return unlessKnown(word)
        },
        Use(name: "a key to be set") { manager, word in
            // Of no row, so that a key that there is changes none.
            _ = try manager.update(Item.where(["tag": -1]), set: [word: 1])
            return unlessKnown(word)
        },
        Use(name: "a value") { manager, word in
            let conditions: [Criteria<Item>] = [
                ["text": word], .hasPrefix("text", word), .contains("text", word), .like("text", word),
                .in(\.text, [word, word]), .format("text == %@", word),
            ]
            let all = try manager.fetchAll(Item.self)
            for condition in conditions {
                let found = try manager.fetchAll(Item.self, where: condition)
                if try condition.filter(all).count != found.count { return "SQL and memory answer differently" }
            }
            return nil
        },
        Use(name: "a value that is stored") { manager, word in
            let item = Item(5, word)
            try manager.insert(item)
            let found = try manager.fetchOne(Item.self, where: ["tag": 5, "text": word])
            try manager.delete(item)
            return found.map { Array($0.text.utf8) } == Array(word.utf8) ? nil : "it did not come back"
        },
    ]

    private static func unlessKnown(_ word: String) -> String? {
        ["id", "tag", "text", "data"].contains(word) ? nil : "an unknown key was taken"
    }

    private static func inNames(_ manager: PersistenceManager, _ word: String) throws -> String? {
        try manager.write { db in
            let (table, column) = ("t" + word, "c" + word)
            try db.execute("CREATE TABLE \(identifier: table) (a, \(identifier: column))")
            try db.execute("INSERT INTO \(identifier: table) (\(identifier: column)) VALUES (\(word))")
            let name = try db.scalar("SELECT name FROM sqlite_schema ORDER BY rowid DESC", as: String.self)
            let value = try db.scalar("SELECT \(identifier: column) FROM \(identifier: table)", as: String.self)
            try db.execute("DROP TABLE \(identifier: table)")
            // SQLite reads a name up to its first NUL, and the text of a statement, too.
            let isSame =
                name.map { Array($0.utf8) } == Array(table.utf8) && value.map { Array($0.utf8) } == Array(word.utf8)
            return isSame ? nil : "it came back as \(name ?? "none")"
        }
    }
}
