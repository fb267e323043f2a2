import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// R7: files of which bytes were changed, or the end cut off. Whatever is asked of them answers or throws; nothing
/// crashes, and nothing takes longer than a second.
enum Damage {
    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory(prepare)
        try directory.reset(.delete)
        let whole = try Data(contentsOf: URL(filePath: directory.path))
        var random = SeededGenerator(seed: options.seed)
        var figures = Figures("R7 damaged files of \(whole.count / 1024) KB")
        for number in 0..<options.count(long: 200_000, full: 20_000, quick: 200) {
            try directory.reset(.delete)
            try damaged(whole, &random).write(to: URL(filePath: directory.path))
            let start = ContinuousClock.now
            let (answer, faults) = use(directory.path)
            let isSlow = ContinuousClock.now - start > .seconds(1)
            figures.add(faults + (isSlow ? [Fault(.unusable, "it took longer than a second")] : []), "file \(number)")
            figures.count(answer)
        }
        return [figures]
    }

    private static func prepare(_ manager: PersistenceManager) throws {
        try manager.createTableIfNecessary(for: Item.self)
        try manager.insert((0..<300).map { Item($0, "text \($0)", data: Data(repeating: 7, count: $0)) })
        try manager.database.withoutTransaction { db in
            try db.executeScript(
                """
                CREATE VIEW OLD AS SELECT * FROM ITEM WHERE TAG < 10;
                CREATE TRIGGER TOUCHED AFTER UPDATE ON ITEM BEGIN UPDATE ITEM SET DATA = NULL WHERE ID = NEW.ID + 1; END;
                CREATE VIRTUAL TABLE NOTE USING fts5(body);
                INSERT INTO NOTE SELECT TEXT || ' of many words' FROM ITEM;
                """)
        }
    }

    private static func damaged(_ whole: Data, _ random: inout SeededGenerator) -> Data {
        var bytes = whole
        if Int.random(in: 0..<10, using: &random) == 0 {
            return bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))
        }
        for _ in 0..<Int.random(in: 1...64, using: &random) {
            // Every other byte in the heads of pages, where the most depends on it.
            let page = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
            let isHead = Bool.random(using: &random)
            let place = page + Int.random(in: 0..<(isHead ? 100 : 4096), using: &random)
            bytes[place] = .random(in: 0 ... .max, using: &random)
        }
        return bytes
    }

    /// Does with a file what a program does.
    ///
    /// - Returns: What came of it, and what must not have.
    private static func use(_ path: String) -> (answer: String, faults: [Fault]) {
        var configuration = DatabaseConfiguration()
        // Nothing that is written has to last.
        configuration.synchronous = .off
        var answers: [String] = []
        var faults: [Fault] = []
        func attempt(_ body: () throws -> Void) {
            do {
                try body()
            } catch let error as SQLiteError {
                answers.append(name(error.code))
            } catch let error as PersistenceError {
                // A schema that makes no sense has no such table, or another; a row does not fit.
                answers.append(error.sqliteError.map { name($0.code) } ?? error.code.rawValue)
            } catch {
                faults.append(Fault(.error, "\(error)"))
            }
        }
        attempt {
            let manager = try PersistenceManager(path: path, configuration: configuration)
            attempt {
                let report = try manager.read { try $0.column("PRAGMA integrity_check", as: String.self) }
                if report != ["ok"] { answers.append("found by integrity_check") }
            }
            attempt { _ = try manager.fetchAll(Item.self, sortedBy: [.ascending(\.tag)]) }
            attempt { _ = try manager.fetchAll(Item.self, where: \.text == "text 7") }
            attempt { _ = try manager.read { try $0.rows("SELECT * FROM OLD") } }
            attempt { _ = try manager.read { try $0.rows("SELECT * FROM NOTE WHERE NOTE MATCH 'words'") } }
            attempt {
                guard let item = try manager.find(Item.self, 100) else { return }
                item.text = String(repeating: "longer ", count: 100)
                try manager.save(item)
            }
            attempt { try manager.insert((0..<50).map { Item(1_000 + $0) }) }
            attempt { try manager.delete(Item.self, where: \.tag < 50) }
            attempt { try manager.close() }
        }
        return (answers.first.map { "first \($0)" } ?? "unharmed", faults)
    }

    private static func name(_ code: ResultCode) -> String {
        switch code {
        case .corrupt: "CORRUPT"
        case .notADatabase: "NOTADB"
        case .error: "ERROR"
        default: "code \(code.rawValue)"
        }
    }
}
