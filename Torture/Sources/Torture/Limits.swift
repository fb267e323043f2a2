import Foundation
import Persisting
import SQLiteKit

/// R10: conditions, lists, texts and tables up to SQLite's limits and beyond them. Each has the right answer, or an
/// error of the library's; no depth takes the stack.
enum Limits {
    static func run(_ options: Options) throws -> [Figures] {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Item.self)
        try manager.insert((0..<1_000).map { Item($0) })
        return [
            wide(options, manager), nested(manager), lists(options, manager), try lengths(),
        ]
    }

    /// Comparisons side by side, which one operator joins.
    private static func wide(_ options: Options, _ manager: PersistenceManager) -> Figures {
        var figures = Figures("R10 conditions of many terms")
        var accepted = 0
        for count in [100, 1_001, 5_000, 30_000, 100_000] where !options.isQuick || count <= 5_000 {
            var any: Criteria<Item> = ["tag": 0]
            var all: Criteria<Item> = .sql("tag <> -1")
            for tag in 1..<count {
                any = any || \.tag == tag
                all = all && \.tag != -tag - 1
            }
            let answers = [
                answer(min(count, 1_000)) { try manager.count(Item.self, where: any) },
                answer(1_000) { try manager.count(Item.self, where: all) },
            ]
            for answer in answers where answer == .right { accepted = max(accepted, count) }
            // Of SQLite's own parameters there are at least as many.
            let faults = faults(answers, mustAnswer: count <= 30_000)
            figures.add(faults, "\(count) terms")
        }
        figures.count("terms at the most", accepted)
        return figures
    }

    /// Conditions inside each other, in Swift and as text.
    private static func nested(_ manager: PersistenceManager) -> Figures {
        var figures = Figures("R10 conditions inside each other")
        var accepted = 0
        for depth in [5, 10, 20, 40, 60, 100, 1_000, 100_000] {
            var nested: Criteria<Item> = ["tag": 1]
            for level in 0..<depth {
                nested = level.isMultiple(of: 2) ? nested || ["tag": -1] : nested && !["tag": -1]
            }
            var negated: Criteria<Item> = ["tag": 1]
            for _ in 0..<depth * 2 { negated = !negated }
            let opening = String(repeating: "(", count: depth)
            let closing = String(repeating: ")", count: depth)
            let negations = String(repeating: "NOT ", count: depth * 2)
            let answers = [
                answer(1) { try manager.count(Item.self, where: nested) },
                answer(1) { try nested.filter((0..<3).map { Item($0) }).count },
                answer(1) { try manager.count(Item.self, where: negated) },
                answer(1) { try manager.count(Item.self, where: Criteria(format: opening + "tag == 1" + closing)) },
                answer(1) { try manager.count(Item.self, where: Criteria(format: negations + "tag == 1")) },
            ]
            if answers[0] == .right { accepted = depth }
            figures.add(faults(answers, mustAnswer: depth <= 10), "\(depth) deep")
        }
        figures.count("levels at the most", accepted)
        return figures
    }

    /// Lists of values, and many objects at once.
    private static func lists(_ options: Options, _ manager: PersistenceManager) -> Figures {
        var figures = Figures("R10 lists and batches")
        for count in [0, 1, 500, 501, 32_767, 100_000, 1_000_000]
        where !options.isQuick || count <= 100_000 {
            let numbers = Array(0..<count)
            let texts = numbers.map { "new\\\"\($0)" } + ["new"]
            let answers = [
                answer(min(count, 1_000)) { try manager.count(Item.self, where: .in(\.tag, numbers)) },
                answer(1_000 - min(count, 1_000)) { try manager.count(Item.self, where: !.in(\.tag, numbers)) },
                answer(1_000) { try manager.count(Item.self, where: .in(\.text, texts)) },
            ]
            figures.add(faults(answers, mustAnswer: true), "\(count) values")
        }
        let count = options.isQuick ? 5_000 : 300_000
        let batch = answer(count) {
            try manager.insert((0..<count).map { Item(-$0 - 1) })
            return try manager.delete(Item.self, where: \.tag < 0)
        }
        figures.add(faults([batch], mustAnswer: true), "\(count) objects")
        return figures
    }

    /// Texts, patterns and tables that are longer than SQLite takes.
    private static func lengths() throws -> Figures {
        var figures = Figures("R10 lengths")
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Item.self)
        try manager.database.withoutTransaction { db in try db.setLimit(.length, to: 1_000_000) }
        let text = String(repeating: "x", count: 999_000)
        for (length, isTaken) in [(999_000, true), (1_000_001, false), (100_000_000, false)] {
            let item = Item(1, String(repeating: "x", count: length))
            let answers = [
                answer(1) {
                    try manager.save(item)
                    return try manager.delete(Item.self, where: \.tag == 1)
                }
            ]
            var faults = faults(answers, mustAnswer: isTaken)
            if !isTaken, answers[0] != .rejected || item.isPersisted {
                faults.append(Fault(.applied, "\(length) bytes"))
            }
            figures.add(faults, "a text of \(length) bytes")
        }
        try manager.save(Item(1, text))
        for length in [1_000, 50_000, 50_001, 999_000] {
            let pattern = String(repeating: "x", count: length) + "*"
            figures.add(
                faults(
                    [
                        answer(1) { try manager.count(Item.self, where: .like(\.text, pattern)) },
                        answer(1) { try manager.count(Item.self, where: .contains(\.text, text)) },
                    ],
                    mustAnswer: length <= 50_000), "a pattern of \(length) bytes")
        }
        for count in [2_000, 2_001, 33_000] {
            let names = (0..<count).map { "c\($0)" }.joined(separator: ", ")
            let answer = answer(0) {
                try manager.execute("CREATE TABLE \(identifier: "WIDE\(count)") (\(sql: SQL(names)))")
            }
            figures.add(faults([answer], mustAnswer: count == 2_000), "\(count) columns")
        }
        return figures
    }

    private enum Answer: Equatable { case right, rejected, wrong(String), failed(String) }

    private static func answer(_ expected: Int, _ ask: () throws -> Int) -> Answer {
        do {
            let found = try ask()
            return found == expected ? .right : .wrong("\(found) and not \(expected)")
        } catch let error as PersistenceError {
            // What SQLite's own parser says is of no use to whoever has written a condition.
            let isOwn = error.code != .database || [.tooBig, .error].contains(error.sqliteError?.code)
            return isOwn ? .rejected : .failed("\(error)")
        } catch let error as SQLiteError {
            return [.tooBig, .error].contains(error.code) ? .rejected : .failed("\(error)")
        } catch {
            return .failed("\(error)")
        }
    }

    private static func faults(_ answers: [Answer], mustAnswer: Bool) -> [Fault] {
        answers.compactMap { answer in
            switch answer {
            case .right: nil
            case .rejected: mustAnswer ? Fault(.unusable, "it was rejected") : nil
            case .wrong(let words): Fault(.half, words)
            case .failed(let words): Fault(.error, words)
            }
        }
    }
}
