import Foundation
import Persisting
import Testing

@Suite("A history records") struct RecordingTests {
    /// All past states, by the numbers of their transactions.
    private struct Oracle {
        private(set) var states: [Int64: PastState] = [:]
        private var last: PastState?

        /// Notes the state after a write.
        ///
        /// - Parameter isWhole: Whether the write is a transaction by itself, whose number is new.
        mutating func note(_ manager: PersistenceManager, isWhole: Bool, _ comment: String) throws {
            let (number, state) = (try manager.lastNumber, try PastState(manager))
            if isWhole, state != last { #expect(states[number] == nil, "has a number of its own: \(comment)") }
            if states[number] != nil, state != last {
                #expect(
                    try manager.stored("SELECT writes > 0 FROM history_transactions ORDER BY number DESC LIMIT 1")
                        == .integer(1))
            }
            states[number] = state
            last = state
        }

        func check(_ manager: PersistenceManager, _ comment: String) throws {
            for (number, state) in states {
                #expect(try PastState(manager, asOf: number) == state, "after \(number): \(comment)")
            }
            #expect(
                try manager.stored("SELECT count(*) FROM history_transactions WHERE open IS NOT NULL") == .integer(0))
        }
    }

    @Test("every past state, whatever statements, transactions and verbs run", arguments: 0..<UInt64(Effort.times(8)))
    func random(_ seed: UInt64) throws {
        var program = PastProgram(random: SeededGenerator(seed: seed))
        let manager = try memoryManager(PastFolder.self, PastNote.self, PastSeat.self)
        try manager.run("PRAGMA recursive_triggers = \(program.chance(2))")
        var oracle = Oracle()
        try oracle.note(manager, isWhole: false, "")
        struct Undone: Error {}
        func transaction(_ depth: Int, _ log: inout [String]) throws {
            for _ in 0..<Int.random(in: 1...4, using: &program.random) {
                if depth < 2, program.chance(4) {
                    log.append("BEGIN")
                    let undoes = program.chance(3)
                    _ = try? manager.transaction {
                        try transaction(depth + 1, &log)
                        if undoes { throw Undone() }
                    }
                    log.append(undoes ? "ROLLBACK" : "COMMIT")
                } else if program.chance(4) {
                    verb(&log)
                } else {
                    let sql = program.statement()
                    log.append(sql.sql)
                    _ = try? manager.execute(sql)
                }
            }
        }
        /// What the library writes.
        func verb(_ log: inout [String]) {
            let name = "\(program.value("TITLE"))"
            log.append("verb \(name)")
            switch Int.random(in: 0..<6, using: &program.random) {
            case 0: _ = try? manager.insert(PastFolder.self, values: ["name": name])
            case 1:
                let notes = (0..<3).map { number in
                    let note = PastNote()
                    (note.title, note.part) = ("\(name) \(number)", 10 + number)
                    return note
                }
                _ = try? manager.insert(notes)
            case 2:
                guard let note = try? manager.fetchOne(PastNote.self) else { return }
                note.title = name
                _ = try? manager.save(note)
            case 3:
                guard let folder = try? manager.fetchOne(PastFolder.self) else { return }
                _ = try? manager.delete(folder)
            case 4: _ = try? manager.update(PastNote.where(\.part > 3), set: ["line": 5])
            default:
                let seat = PastSeat()
                (seat.row, seat.letter, seat.guest) = (1, "x", name)
                _ = try? manager.upsert(seat)
            }
        }
        for step in 0..<60 {
            var log: [String] = []
            switch Int.random(in: 0..<4, using: &program.random) {
            case 0:
                let sql = program.statement()
                log.append(sql.sql)
                // A constraint, as often as not.
                _ = try? manager.execute(sql)
                try oracle.note(manager, isWhole: false, "\(seed), \(step): \(log)")
            case 1:
                verb(&log)
                try oracle.note(manager, isWhole: true, "\(seed), \(step): \(log)")
            default:
                let undoes = program.chance(5)
                _ = try? manager.transaction {
                    try transaction(0, &log)
                    if undoes { throw Undone() }
                }
                try oracle.note(manager, isWhole: true, "\(seed), \(step): \(log)")
            }
        }
        try oracle.check(manager, "\(seed)")
    }
}
