import Faults
import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// R14: migrations, and plans that are applied, while calls fail, the power is cut, and the process is killed. A file
/// has always a version and the schema and rows that belong to it, and the next run brings it up to date.
enum MigrationFaults {
    static func run(_ options: Options) throws -> [Figures] {
        try run(MigrationStates(), options) + run(PlanStates(), options)
    }

    private static func run(_ states: some SchemaStates, _ options: Options) throws -> [Figures] {
        var all: [Figures] = []
        let directory = try CaseDirectory(states.prepare)
        for mode in [JournalMode.wal, .delete] {
            var errors = Figures("R14 \(mode.rawValue), \(states.name), I/O errors")
            for isPersistent in [false, true] {
                var nth = 1
                while try fail(mode, nth, isPersistent, directory, states, &errors) { nth += options.isQuick ? 9 : 1 }
            }
            var cuts = Figures("R14 \(mode.rawValue), \(states.name), power cuts")
            for seed in options.seed..<options.seed + UInt64(options.count(long: 40, full: 8, quick: 1)) {
                var nth = 1
                while try cut(mode, nth, seed, directory, states, &cuts) { nth += options.isQuick ? 4 : 1 }
            }
            var kills = Figures("R14 \(mode.rawValue), \(states.name), kill -9")
            var random = SeededGenerator(seed: options.seed)
            for _ in 0..<options.count(long: 2_000, full: 100, quick: 5) {
                try kill(mode, after: Int.random(in: 0...12_000, using: &random), directory, states, &kills)
            }
            all += [errors, cuts, kills]
        }
        return all
    }

    private static func fail(
        _ mode: JournalMode, _ nth: Int, _ isPersistent: Bool, _ directory: CaseDirectory, _ states: some SchemaStates,
        _ figures: inout Figures
    ) throws -> Bool {
        try directory.reset(mode)
        let vfs = try FaultyVFS()
        vfs.trackDisk()
        vfs.fail(.all, at: nth, isPersistent: isPersistent, isTorn: nth.isMultiple(of: 2))
        let answer = change(directory.path, mode, vfs, states)
        guard vfs.failNone() > 0 else { return false }
        figures.add(states.audit(directory.path, answer), "call \(nth)\(isPersistent ? " and on" : "")")
        return true
    }

    private static func cut(
        _ mode: JournalMode, _ nth: Int, _ seed: UInt64, _ directory: CaseDirectory, _ states: some SchemaStates,
        _ figures: inout Figures
    ) throws -> Bool {
        try directory.reset(mode)
        let vfs = try FaultyVFS()
        vfs.trackDisk()
        vfs.cutPower(at: nth)
        let answer = change(directory.path, mode, vfs, states)
        guard vfs.isOff else { return false }
        try vfs.restorePower(seed: seed &* 1_000_003 &+ UInt64(nth))
        figures.add(states.audit(directory.path, answer), "seed \(seed), change \(nth)")
        return true
    }

    private static func kill(
        _ mode: JournalMode, after microseconds: Int, _ directory: CaseDirectory, _ states: some SchemaStates,
        _ figures: inout Figures
    ) throws {
        try directory.reset(mode)
        let child = try Child([states.work.rawValue, directory.path, mode.rawValue])
        try child.waitForBeginning()
        usleep(UInt32(microseconds))
        child.kill()
        let isDone = try !child.end().isEmpty
        figures.add(states.audit(directory.path, isDone ? .applied : .unknown), "after \(microseconds) µs")
    }

    private static func change(
        _ path: String, _ mode: JournalMode, _ vfs: FaultyVFS, _ states: some SchemaStates
    ) -> SchemaAnswer {
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        if mode != .wal { configuration.journalMode = mode }
        do {
            let manager = try states.change(path, configuration)
            // What fails from here on has no part in it.
            defer { try? manager.close() }
            return .applied
        } catch {
            // What was done before may have been committed.
            return .unknown
        }
    }

    /// The child: changes a file's schema.
    static func change(_ path: String, _ mode: String, _ states: some SchemaStates) throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = JournalMode(rawValue: mode)
        Child.Work.say("")
        _ = try states.change(path, configuration)
        Child.Work.say("done")
        while true { pause() }
    }
}

/// What the program said of a change.
enum SchemaAnswer { case applied, unknown }

/// A way to change a schema, and the states that a file may be in.
protocol SchemaStates {
    var name: String { get }
    /// What a child does.
    var work: Child.Work { get }
    /// Makes the file that every case begins with.
    func prepare(_ manager: PersistenceManager) throws
    /// Opens a file and brings its schema up to date.
    func change(_ path: String, _ configuration: DatabaseConfiguration) throws -> PersistenceManager
    /// Whether a file is in the state that its version says.
    func check(_ manager: PersistenceManager, _ answer: SchemaAnswer) throws -> [Fault]
    /// Whether a file that was brought up to date is in the last state.
    func isLast(_ manager: PersistenceManager) throws -> Bool
}

extension SchemaStates {
    /// Compares a file with what was said, and brings it up to date.
    func audit(_ path: String, _ answer: SchemaAnswer) -> [Fault] {
        var faults: [Fault] = []
        do {
            let manager = try PersistenceManager(path: path)
            if try manager.read({ try $0.scalar("PRAGMA integrity_check", as: String.self) }) != "ok" {
                faults.append(Fault(.corrupt, ""))
            }
            faults += try check(manager, answer)
            try manager.close()
            let changed = try change(path, DatabaseConfiguration())
            if try !isLast(changed) { faults.append(Fault(.unusable, "it does not come to the last version")) }
            try changed.close()
        } catch {
            faults.append(Fault(.unusable, "\(error)"))
        }
        return faults
    }
}

extension Database {
    /// The schema and the rows of some tables.
    func state(of tables: [String]) throws -> String {
        var texts: [String] = []
        for table in tables {
            texts += try column(
                "SELECT sql FROM sqlite_schema WHERE tbl_name = \(table) AND sql IS NOT NULL ORDER BY name",
                as: String.self)
            if try self.table(table) == nil { continue }
            texts += try rows("SELECT * FROM \(identifier: table) ORDER BY 1").map { "\($0)" }
        }
        return texts.joined(separator: "\n")
    }
}
