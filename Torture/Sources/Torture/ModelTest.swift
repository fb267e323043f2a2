import Faults
import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// R13: random programs of the library's verbs, compared with a plain dictionary after each call, while calls fail, the
/// power is cut and the database is opened again. A program that diverges is cut down, and printed as Swift.
enum ModelTest {
    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory { try $0.createTableIfNecessary(for: Item.self) }
        var random = SeededGenerator(seed: options.seed)
        var figures = Figures("R13 random programs against a model")
        let end = ContinuousClock.now + .seconds(options.count(long: 3_600, full: 60, quick: 5))
        while ContinuousClock.now < end {
            let calls = (0..<40).map { _ in Call(&random) }
            let fault = try diverges(calls, directory)
            figures.count("calls", calls.count)
            guard let fault else {
                figures.add([], "")
                continue
            }
            let short = try shrunk(calls, directory)
            let words = try diverges(short, directory)?.words ?? fault.words
            figures.add([Fault(fault.kind, "\(words) after:\n\(program(short))")], "seed \(options.seed)")
            break
        }
        return [figures]
    }

    /// The program without the calls that it diverges without, too.
    private static func shrunk(_ calls: [Call], _ directory: CaseDirectory) throws -> [Call] {
        var calls = calls
        var length = calls.count / 2
        while length > 0 {
            var place = 0
            while place < calls.count {
                var fewer = calls
                fewer.removeSubrange(place..<min(place + length, calls.count))
                if try diverges(fewer, directory) != nil { calls = fewer } else { place += length }
            }
            length /= 2
        }
        return calls
    }

    private static func program(_ calls: [Call]) -> String {
        calls.map { "        \($0)" }.joined(separator: "\n")
    }

    /// Runs a program on a file of its own.
    private static func diverges(_ calls: [Call], _ directory: CaseDirectory) throws -> Fault? {
        try directory.reset(.wal)
        let vfs = try FaultyVFS()
        vfs.trackDisk()
        let run = ModelRun(directory.path, vfs)
        for call in calls {
            if let fault = try run.run(call) { return fault }
        }
        return try run.finish()
    }
}

/// A call of a program. The numbers stand for rows, which may be there or not.
enum Call: CustomStringConvertible {
    case insert([Int])
    case save(Int, String)
    case update(Int, String)
    case upsert(Int, String)
    case delete(Int)
    case deleteMany(below: Int)
    case updateMany(below: Int, String)
    case transaction([Call], isUndone: Bool)
    case fail(Int)
    case cutPower(Int, seed: UInt64)
    case reopen

    init(_ random: inout SeededGenerator, depth: Int = 0) {
        let row = Int.random(in: 0..<12, using: &random)
        let text = "t\(Int.random(in: 0..<100, using: &random))"
        switch Int.random(in: 0..<(depth == 0 ? 24 : 14), using: &random) {
        case 0...2: self = .insert((0..<Int.random(in: 1...3, using: &random)).map { (row + $0) % 12 })
        case 3...5: self = .save(row, text)
        case 6, 7: self = .update(row, text)
        case 8, 9: self = .upsert(row, text)
        case 10, 11: self = .delete(row)
        case 12: self = .updateMany(below: row, text)
        case 13: self = .deleteMany(below: row / 3)
        case 14...17:
            let calls = (0..<Int.random(in: 1...4, using: &random)).map { _ in Call(&random, depth: depth + 1) }
            self = .transaction(calls, isUndone: Bool.random(using: &random))
        case 18...20: self = .fail(Int.random(in: 1...12, using: &random))
        case 21: self = .cutPower(Int.random(in: 1...12, using: &random), seed: random.next())
        default: self = .reopen
        }
    }

    /// As Swift.
    var description: String {
        switch self {
        case .insert(let rows): "try manager.insert([\(rows.map { "Item(\($0))" }.joined(separator: ", "))])"
        case .save(let row, let text): "items[\(row)]?.text = \"\(text)\"; try items[\(row)].map(manager.save)"
        case .update(let row, let text): "try items[\(row)].map { try manager.update($0, \\.text, to: \"\(text)\") }"
        case .upsert(let row, let text):
            "items[\(row)]?.text = \"\(text)\"; try items[\(row)].map { try manager.upsert($0) }"
        case .delete(let row): "try items[\(row)].map { try manager.delete($0) }"
        case .deleteMany(let row): "try manager.delete(Item.self, where: \\.tag < \(row))"
        case .updateMany(let row, let text):
            "try manager.update(Item.where(\\.tag < \(row)), set: [\"text\": \"\(text)\"])"
        case .transaction(let calls, let isUndone):
            "try manager.transaction { \(calls.map(\.description).joined(separator: "; "))"
                + (isUndone ? "; throw Undone() }" : " }")
        case .fail(let nth): "vfs.fail(.all, at: \(nth))"
        case .cutPower(let nth, let seed): "vfs.cutPower(at: \(nth))  // restored with the seed \(seed)"
        case .reopen: "try manager.close(); try manager.reopen()"
        }
    }
}

/// A program that runs: what the table must hold, and what is asked of it.
private final class ModelRun {
    private struct Undone: Error {}

    private let path: String
    private let vfs: FaultyVFS
    private var manager: PersistenceManager?
    /// The texts of the rows, by tag.
    private var model: [Int: String] = [:]
    /// What the table may hold as well, since nobody knows whether a commit was applied. A log whose sync failed may
    /// have it though it cannot be seen, until another commit takes its place: a power cut can also bring back a log
    /// that has been removed.
    private var others: [[Int: String]] = []
    private var seed: UInt64?
    /// What the table held after transactions, by their numbers.
    private var past: [Int64: [Int: String]] = [:]

    init(_ path: String, _ vfs: FaultyVFS) { (self.path, self.vfs) = (path, vfs) }

    /// - Returns: What has diverged.
    func run(_ call: Call) throws -> Fault? {
        switch call {
        case .fail(let nth): vfs.fail(.all, at: nth)
        case .cutPower(let nth, let seed):
            vfs.cutPower(at: nth)
            self.seed = seed
        case .reopen: return try reopen()
        default: return try write(call)
        }
        return nil
    }

    func finish() throws -> Fault? { try reopen() ?? comparePast() }

    /// Turns the power on where it is off, closes, and opens again, without faults.
    private func reopen() throws -> Fault? {
        vfs.failNone()
        do { try manager?.close() } catch { return Fault(.unusable, "closing: \(error)") }
        manager = nil
        // To close and to open changes files, too.
        if vfs.isOff, let seed {
            try vfs.restorePower(seed: seed)
            self.seed = nil
        }
        return try compare()
    }

    private func opened() throws -> PersistenceManager {
        if let manager { return manager }
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        let new = try PersistenceManager(path: path, configuration: configuration)
        manager = new
        return new
    }

    private func write(_ call: Call) throws -> Fault? {
        // The objects as they are in the table, made without faults.
        if vfs.isOff { return try reopen() }
        var after = model
        do {
            let manager = try opened()
            try perform(call, manager, &after)
            vfs.failNone()
            if after != model { others = [] }
            model = after
        } catch is Undone {
            vfs.failNone()
        } catch {
            let cause = (error as? PersistenceError)?.sqliteError ?? error as? SQLiteError
            guard let cause else { return Fault(.error, "\(call): \(error)") }
            if cause.outcome == .unknown {
                others.append(after)
                past = [:]
            }
            vfs.failNone()
        }
        return vfs.isOff ? try reopen() : try compare()
    }

    private func item(_ row: Int, _ manager: PersistenceManager) throws -> Item? {
        try manager.fetchOne(Item.self, where: \.tag == row)
    }

    /// Does the same to the table and to the model.
    private func perform(_ call: Call, _ manager: PersistenceManager, _ after: inout [Int: String]) throws {
        switch call {
        case .insert(let rows):
            let new = rows.filter { after[$0] == nil }
            for row in new { after[row] = "new" }
            try manager.insert(new.map { Item($0) })
        case .save(let row, let text):
            let item = try item(row, manager) ?? Item(row)
            item.text = text
            after[row] = text
            try manager.save(item)
        case .update(let row, let text):
            guard let item = try item(row, manager) else { return }
            after[row] = text
            try item.update(\.text, to: text)
        case .upsert(let row, let text):
            let item = try item(row, manager) ?? Item(row)
            item.text = text
            after[row] = text
            try manager.upsert(item)
        case .delete(let row):
            guard let item = try item(row, manager) else { return }
            after[row] = nil
            try manager.delete(item)
        case .deleteMany(let limit):
            after = after.filter { $0.key >= limit }
            try manager.delete(Item.self, where: \.tag < limit)
        case .updateMany(let limit, let text):
            for row in after.keys where row < limit { after[row] = text }
            try manager.update(Item.where(\.tag < limit), set: ["text": text])
        case .transaction(let calls, let isUndone):
            let before = after
            try manager.transaction {
                for call in calls { try perform(call, manager, &after) }
                if isUndone {
                    after = before
                    throw Undone()
                }
            }
        case .fail, .cutPower, .reopen: break
        }
    }

    private func texts(_ items: [Item]) -> [Int: String] {
        Dictionary(items.map { ($0.tag, $0.text) }) { $0 + "|" + $1 }
    }

    /// Whether the history has what the table has, and keeps the state.
    private func compareRecord() throws -> Fault? {
        let manager = try opened()
        if let number = try manager.historyTransactions().last?.number, others.isEmpty {
            if let known = past[number], known != model {
                return Fault(.lost, "nothing is recorded of \(known) becoming \(model)")
            }
            past[number] = model
        }
        return try manager.database.read { try Item.recordingFaults($0).first }
    }

    /// Compares what the table has held with what is found now.
    private func comparePast() throws -> Fault? {
        for (number, model) in past {
            let found = texts(try opened().fetchAll(Item.rows.asOf(number)))
            if found != model { return Fault(.lost, "transaction \(number) has left \(found), and the model \(model)") }
        }
        return nil
    }

    /// Compares the table with the model.
    private func compare() throws -> Fault? {
        do {
            let items = try opened().fetchAll(Item.self)
            let found = texts(items)
            if found == model { return try compareRecord() }
            if others.contains(found) {
                (model, others) = (found, [])
                return nil
            }
            let isCorrupt = try opened().read { try $0.scalar("PRAGMA integrity_check", as: String.self) } != "ok"
            return Fault(isCorrupt ? .corrupt : .lost, "the table holds \(found), and the model \(model)")
        } catch {
            return try vfs.isOff ? reopen() : Fault(.unusable, "\(error)")
        }
    }
}
