import Foundation
import Persisting
import SQLiteKit

/// What has diverged, and the steps that were done before, as Swift.
struct Divergence {
    /// What tells it from others: of the same kind is what has the same cause, as a rule.
    let signature: String
    let words: String
    let code: [String]

    /// What a row counts it as.
    var fault: Fault {
        let kind: Fault.Kind =
            if signature.hasPrefix("observer") {
                .stale
            } else if signature.contains("throw") {
                .error
            } else {
                .lost
            }
        return Fault(kind, signature)
    }
}

/// A program that runs on a file of its own.
final class MeetingRun {
    let program: Program
    let path: String
    /// The file that each manager attaches.
    let archive: String
    let lanes: [Lane]
    /// How long an observer may take, in seconds.
    let patience: Double

    /// What is committed.
    var committed = Contents()
    /// The tables as a manager sees them in its transaction, and in each savepoint of it.
    var drafts: [Int: [Contents]] = [:]
    /// How each transaction ends.
    var endings: [Int: Reply<Void>] = [:]
    /// The manager that waits for the lock, and what it waits for.
    var waiting: (manager: Int, began: Reply<Void>, ended: Reply<Void>)?
    var cancelled: Set<Int> = []
    var observers: [Int: Observer] = [:]
    var kept: [Int: Kept] = [:]
    /// What the classes with a history had after some transactions, by their numbers.
    var past: [(number: Int64, recorded: [String])] = []
    var undo: [Undo] = []
    /// The commits that changed classes of undo histories, the last one last; and those that were taken back.
    var (edits, undone): ([Edit], [Edit]) = ([], [])
    /// What was done.
    var code: [String] = []
    var steps = 0

    init(_ program: Program, _ path: String, archive: String, patience: Double) throws {
        (self.program, self.path, self.archive, self.patience) = (program, path, archive, patience)
        var configuration = DatabaseConfiguration()
        configuration.journalMode = program.hasJournal ? .delete : .wal
        configuration.busyTimeout = .seconds(60)
        configuration.accessTimeout = .seconds(60)
        // What is lost when the power goes is for others to find out.
        configuration.synchronous = .off
        configuration.prepare = { db in try db.execute("ATTACH DATABASE \(archive) AS archive") }
        lanes = try (0..<program.managers).map { _ in
            Lane(try PersistenceManager(path: path, configuration: configuration))
        }
        undo = try lanes.map { lane in
            try lane.run { manager in Undo(try UndoHistory(of: Kind.undoable.map(\.type), in: manager)) }
        }
    }

    static func name(_ manager: Int) -> String { ["a", "b", "c", "d"][manager] }

    func say(_ line: String) { code.append(line) }

    func diverges(_ signature: String, _ words: String) -> Divergence {
        Divergence(signature: signature, words: words, code: code)
    }

    /// Runs all of it.
    ///
    /// - Returns: The first divergence.
    func run() -> Divergence? {
        var found: Divergence?
        do {
            for step in program.steps where found == nil { found = try run(step) }
            if found == nil { found = try finish() }
        } catch {
            found = diverges("throws", "\(error)")
        }
        if let divergence = closeAll(), found == nil { found = divergence }
        return found
    }

    private func finish() throws -> Divergence? {
        for manager in drafts.keys.sorted() {
            while drafts[manager] != nil { if let found = try end(manager, .rollback) { return found } }
        }
        // One that waited has begun meanwhile.
        for manager in drafts.keys { while drafts[manager] != nil { _ = try end(manager, .rollback) } }
        return try settle()
    }

    private func closeAll() -> Divergence? {
        for observer in observers.values { observer.end() }
        (kept, undo) = ([:], [])
        for (manager, lane) in lanes.enumerated() {
            for _ in drafts[manager] ?? [] { lane.end(.rollback) }
            if waiting?.manager == manager { lane.end(.rollback) }
            lane.stop()
        }
        do {
            for lane in lanes {
                let closed = Reply<Void>()
                let manager = lane.manager
                Thread { closed.put(Result { try manager.close() as Void }) }.start()
                try closed.take()
            }
            return nil
        } catch {
            return diverges("close", "closing: \(error)")
        }
    }

    /// The manager that has the lock.
    var holder: Int? { drafts.keys.first }

    /// The tables as a manager sees them.
    func contents(_ manager: Int) -> Contents { drafts[manager]?.last ?? committed }

    private func run(_ step: MeetingStep) throws -> Divergence? {
        steps += 1
        switch step {
        case .begin(let manager, let isAsync):
            guard manager < lanes.count else { return nil }
            return try begin(manager, isAsync)
        case .end(let manager, let end):
            return drafts[manager] == nil ? nil : try self.end(manager, end)
        case .cancel(let manager): return cancel(manager)
        case .write(let manager, let write, let isAsync):
            return isFree(manager) ? try perform(write, manager, isAsync) : nil
        case .atOnce(let pairs): return holder == nil ? try atOnce(pairs) : nil
        case .process(let write): return holder == nil ? try process(write) : nil
        case .compare(let manager, let kind): return try compare(manager, kind)
        case .watch(let slot, let manager, let watching): return try watch(slot, manager, watching)
        case .unwatch(let slot):
            guard let observer = observers.removeValue(forKey: slot) else { return nil }
            say("o\(slot).cancel()")
            observer.end()
            return nil
        case .change(let change, let manager): return holder == nil ? try self.change(change, manager) : nil
        case .exchange(let manager, let kind, let isCSV): return try exchange(manager, kind, isCSV)
        case .plan(let manager): return holder == nil ? try plan(manager) : nil
        case .alter(let manager, let alteration): return holder == nil ? try alter(manager, alteration) : nil
        case .migrate(let manager, let version, let fails):
            return holder == nil ? try migrate(manager, to: version, fails: fails) : nil
        case .keep(let slot, let manager, let kind, let key): return try keep(slot, manager, kind, key)
        case .use(let slot, let use, let isAsync): return try self.use(slot, use, isAsync)
        case .reverse(let manager, let redoes, let isAsync):
            return holder == nil && isFree(manager) ? try reverse(manager, redoes: redoes, isAsync) : nil
        case .settle: return try settle()
        }
    }

    /// Whether a manager can write: it has the lock, or nobody has it.
    func isFree(_ manager: Int) -> Bool {
        manager < lanes.count && (holder == nil || holder == manager) && !cancelled.contains(manager)
    }

    /// Whether a manager can read without waiting for a transaction.
    func isReadable(_ manager: Int) -> Bool {
        guard manager < lanes.count, !cancelled.contains(manager), waiting?.manager != manager else { return false }
        return !program.hasJournal || holder == nil || holder == manager
    }

    // MARK: Transactions

    private func begin(_ manager: Int, _ isAsync: Bool) throws -> Divergence? {
        if waiting?.manager == manager || cancelled.contains(manager) { return nil }
        let name = Self.name(manager)
        let lane = lanes[manager]
        let (began, ended) = (Reply<Void>(), Reply<Void>())
        if let stack = drafts[manager], let last = stack.last {
            guard stack.count < 3 else { return nil }
            say("try \(name).transaction {  // a savepoint")
            lane.begin(isAsync: false, began: began, ended: ended)
            try began.take()
            drafts[manager]?.append(last)
            endings[manager * 10 + stack.count] = ended
            return nil
        }
        if holder != nil {
            guard waiting == nil else { return nil }
            say("try \(isAsync ? "await " : "")\(name).transaction {  // in another thread: waits for the lock")
            lane.begin(isAsync: isAsync, began: began, ended: ended)
            // Long enough for it to reach the lock.
            Thread.sleep(forTimeInterval: 0.005)
            waiting = (manager, began, ended)
            return nil
        }
        say("try \(isAsync ? "await " : "")\(name).transaction {")
        lane.begin(isAsync: isAsync, began: began, ended: ended)
        try began.take()
        drafts[manager] = [committed]
        endings[manager * 10] = ended
        return nil
    }

    private func end(_ manager: Int, _ end: Lane.End) throws -> Divergence? {
        guard let stack = drafts[manager], let last = stack.last else { return nil }
        let isCommit = end == .commit
        let ended = endings.removeValue(forKey: manager * 10 + stack.count - 1)
        // What a rollback makes of objects is for R13 to find out.
        if !isCommit || cancelled.contains(manager) { kept = kept.filter { $0.value.manager != manager } }
        say(isCommit ? "}  // \(Self.name(manager)) commits" : "throw Undone() }  // \(Self.name(manager)) rolls back")
        lanes[manager].end(end)
        if stack.count > 1 {
            drafts[manager]?.removeLast()
            if isCommit { drafts[manager]?[stack.count - 2] = last }
            if !cancelled.contains(manager) { try ended?.take() }
            return nil
        }
        drafts[manager] = nil
        do {
            try ended?.take()
            if cancelled.remove(manager) != nil, isCommit {
                return diverges("cancel", "a cancelled transaction is committed")
            }
            if isCommit { commit(last, by: manager) }
        } catch let hang as Hang {
            throw hang
        } catch {
            guard cancelled.remove(manager) != nil else { return diverges("commit throws", "\(error)") }
        }
        if let (manager, began, ended) = waiting {
            waiting = nil
            try began.take()
            drafts[manager] = [committed]
            endings[manager * 10] = ended
            say("// \(Self.name(manager)) has the lock")
        }
        return nil
    }

    private func cancel(_ manager: Int) -> Divergence? {
        guard drafts[manager]?.count == 1, lanes[manager].cancel() else { return nil }
        say("\(Self.name(manager))Task.cancel()")
        cancelled.insert(manager)
        return nil
    }

    /// Makes known what is committed.
    ///
    /// - Parameters:
    ///   - manager: Whose transaction it was; nil for several at once, and for no manager's.
    ///   - between: What may have been committed before, of several writes at once.
    ///   - isHeard: Whether observers of changes hear of it.
    func commit(_ after: Contents, by manager: Int? = nil, between: [Contents] = [], isHeard: Bool = true) {
        let before = committed
        if Kind.undoable.contains(where: { before.rows(of: $0) != after.rows(of: $0) }) || !between.isEmpty {
            edits.append(Edit(manager: manager, before: before, after: after))
            undone = []
        }
        committed = after
        committed.forgetTouched()
        for observer in observers.values {
            observer.note(before, after, touched: after.touched, between: between, isHeard: isHeard)
        }
    }

    // MARK: Observers

    private func watch(_ slot: Int, _ manager: Int, _ watching: Watching) throws -> Divergence? {
        guard manager < lanes.count, !program.hasJournal || holder == nil, watching.kinds.allSatisfy(committed.has)
        else { return nil }
        observers.removeValue(forKey: slot)?.end()
        let name = Self.name(manager)
        say("let o\(slot) = \(watching.code(name, polls: program.polls))")
        do {
            observers[slot] = try Observer(watching, lanes[manager].manager, polls: program.polls, committed)
        } catch {
            return diverges("watch throws", "\(error)")
        }
        return nil
    }

    func settle() throws -> Divergence? {
        // Without a log, readers wait for the writer.
        if program.hasJournal, holder != nil { return nil }
        for (slot, observer) in observers.sorted(by: { $0.key < $1.key }) {
            guard let complaint = try observer.complaint(committed, within: patience) else { continue }
            return diverges("observer \(observer.watching.signature)", "o\(slot): \(complaint)")
        }
        guard let reader = lanes.indices.first(where: { isReadable($0) && drafts[$0] == nil }) else { return nil }
        let found = try lanes[reader].run { [tables = committed.tableNames] in try Objects.stored(tables, $0) }
        guard found == committed.stored else {
            return diverges("tables", "SQLite has \(Self.difference(found, committed.stored))")
        }
        guard holder == nil, waiting == nil else { return nil }
        do {
            let found = try lanes[reader].run { try Objects.searched($0) }
            return found == committed.searched
                ? try comparePast(reader) : diverges("search", "it finds \(Self.difference(found, committed.searched))")
        } catch let hang as Hang {
            throw hang
        } catch {
            return diverges("search throws", "\(error)")
        }
    }

    /// Compares one of the states of before with what a query of the past finds, and keeps the state as it is.
    private func comparePast(_ manager: Int) throws -> Divergence? {
        let now = try lanes[manager].run { try Objects.lastTransaction($0) }
        if let last = past.last, last.number == now, last.recorded != committed.recorded {
            return diverges("history", "nothing is recorded of \(Self.difference(committed.recorded, last.recorded))")
        }
        if past.last?.number != now { past.append((now, committed.recorded)) }
        let (number, recorded) = past[steps % past.count]
        say("try \(Self.name(manager)).fetchAll(query.asOf(\(number)))")
        let found = try lanes[manager].run { try Objects.past(number, $0) }
        return found == recorded ? nil : diverges("past", "it has had \(Self.difference(found, recorded))")
    }

    /// What two lists don't have in common.
    static func difference(_ found: [String], _ expected: [String]) -> String {
        let difference = found.difference(from: expected)
        let (more, fewer) = (difference.insertions, difference.removals)
        func words(_ changes: [CollectionDifference<String>.Change]) -> String {
            changes.map { change in
                switch change {
                case .insert(_, let element, _), .remove(_, let element, _): element
                }
            }.joined(separator: "; ")
        }
        return "[\(words(more))], and the model [\(words(fewer))]"
    }
}
