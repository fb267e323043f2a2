import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// R20: random programs of all that the library does, by several managers of a file and other processes, compared with
/// a plain model of the tables and of what each observer must have seen. A program that diverges is cut down, and
/// printed as Swift.
enum Meetings {
    static func run(_ options: Options) throws -> [Figures] {
        var figures = Figures("R20 programs in which everything meets", kinds: [.lost, .stale, .error])
        let directory = try CaseDirectory(prepare)
        let archive = try CaseDirectory { try $0.createTableIfNecessary(for: Score.self) }
        let seconds = options.count(long: 3_600, full: 300, quick: 120)
        let end = ContinuousClock.now + .seconds(seconds)
        var shown: [String: Int] = [:]
        var number: UInt64 = 0
        while ContinuousClock.now < end {
            let seed = options.seed &+ number
            number += 1
            var maker = ProgramMaker(seed: seed)
            let program = maker.program()
            let run = try fresh(directory, archive, program, patience: 3)
            let divergence = run.run()
            figures.count("steps", run.steps)
            guard let divergence else {
                figures.add([], "")
                continue
            }
            // Of each kind, a few are cut down: they may have several causes.
            shown[divergence.signature, default: 0] += 1
            guard shown[divergence.signature, default: 0] <= options.count(long: 5, full: 3, quick: 1) else {
                figures.add([divergence.fault], "seed \(seed)")
                continue
            }
            let limit = options.count(long: 120, full: 60, quick: 20)
            let short = try shrunk(program, divergence, directory, archive, until: .now + .seconds(limit))
            let lines = short.code.map { "\n        \($0)" }.joined()
            print("    seed \(seed), \(short.signature): \(short.words), after:\(lines)")
            fflush(nil)
            figures.add([short.fault], "seed \(seed)")
        }
        return [figures]
    }

    private static func shrunk(
        _ program: Program, _ divergence: Divergence, _ directory: CaseDirectory, _ archive: CaseDirectory,
        until deadline: ContinuousClock.Instant
    ) throws -> Divergence {
        func again(_ program: Program) throws -> Divergence? {
            try fresh(directory, archive, program, patience: 1).run()
        }
        let isSteady = try again(program)?.signature == divergence.signature
        let shrinking = Shrinking(
            run: again, attempts: isSteady ? 1 : 5, deadline: deadline)
        return try shrinking.shrink(program, divergence).divergence
    }

    private static func fresh(
        _ directory: CaseDirectory, _ archive: CaseDirectory, _ program: Program, patience: Double
    ) throws -> MeetingRun {
        for file in [directory, archive] { try file.reset(program.hasJournal ? .delete : .wal) }
        return try MeetingRun(program, directory.path, archive: archive.path, patience: patience)
    }

    private static func prepare(_ manager: PersistenceManager) throws {
        for script in [Visit.script, Inbox.script] { try manager.write { try $0.executeScript(script) } }
        for kind in Kind.bases where ![.note, .oldScore, .visit, .inbox, .outbox].contains(kind) {
            try manager.createTableIfNecessary(for: kind.type)
        }
        // A column that the class doesn't know comes before most others.
        let create = try Note.createTableStatement().sql
        let key = "ID INTEGER PRIMARY KEY,"
        guard let range = create.range(of: key) else { throw Complaint("\(create) has no \(key)") }
        try manager.execute(SQL(create.replacingCharacters(in: range, with: key + " EXTRA TEXT,")))
        for index in try Note.createIndexStatements() { try manager.execute(index) }
        try manager.updateSchema(for: [Note.self])
    }
}
