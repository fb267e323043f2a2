import Persisting
import SQLiteKit

/// What a case was told of its steps, and what it finds in the end.
struct Ledger {
    /// What was said of a step.
    private enum Answer { case notRun, applied, notApplied, unknown }

    private var answers = [Answer](repeating: .notRun, count: Workload.steps.count)
    private let codes: Set<ResultCode>?
    /// What went wrong.
    private(set) var faults: [Fault] = []

    /// - Parameter codes: The codes that an error may have; nil allows any.
    init(expecting codes: Set<ResultCode>? = nil) { self.codes = codes }

    /// Runs the steps until `isOver`.
    mutating func run(_ manager: PersistenceManager, until isOver: () -> Bool = { false }) {
        for (tag, step) in Workload.steps.enumerated() where !isOver() {
            var watched: [Item] = []
            var before: [[String]] = []
            do {
                try step.run(manager, tag) { (watched, before) = ($0, $0.map(\.state)) }
                answers[tag] = .applied
            } catch {
                answers[tag] = answer(error, step)
                if watched.map(\.state) != before {
                    faults.append(Fault(.object, "\(step.name): \(before) became \(watched.map(\.state)) at \(error)"))
                }
            }
        }
    }

    private mutating func answer(_ error: any Error, _ step: Step) -> Answer {
        let cause = (error as? PersistenceError)?.sqliteError ?? error as? SQLiteError
        guard let cause, ![.closed, .expired].contains(cause.extendedCode) else {
            faults.append(Fault(.error, "\(step.name): \(error)"))
            return .unknown
        }
        if let codes, !codes.contains(cause.code) { faults.append(Fault(.error, "\(step.name): \(error)")) }
        return cause.outcome == .unknown ? .unknown : .notApplied
    }

    /// Compares a file with what was said.
    mutating func audit(_ path: String) {
        do {
            let db = try Database(.file(path))
            try audit(db)
            try db.close()
        } catch {
            faults.append(Fault(.corrupt, "\(error)"))
        }
    }

    /// Compares the table with what was said.
    mutating func audit(_ db: Database) throws {
        if try db.scalar("PRAGMA integrity_check", as: String.self) != "ok" { faults.append(Fault(.corrupt, "")) }
        for (tag, step) in Workload.steps.enumerated() {
            let found = try db.column("SELECT TEXT FROM ITEM WHERE TAG = \(tag) ORDER BY ID", as: String.self)
            switch (answers[tag], found) {
            case (.applied, step.after), (.notApplied, step.before), (.notRun, step.before): break
            case (.unknown, step.before), (.unknown, step.after): break
            case (_, step.before): faults.append(Fault(.lost, "\(step.name), which was acknowledged"))
            case (_, step.after): faults.append(Fault(.applied, "\(step.name), which threw"))
            default: faults.append(Fault(.half, "\(step.name): \(found)"))
            }
        }
        faults += try Item.recordingFaults(db)
    }

    mutating func note(_ fault: Fault) { faults.append(fault) }
}

/// Something that must not be.
struct Fault {
    enum Kind: String, CaseIterable {
        case lost, applied = "applied though thrown", half, corrupt, object = "objects changed", error = "wrong errors"
        case unusable, leaked
        case twice = "applied twice", stale = "stale reads"

        /// What one database can do wrong.
        static let ofADatabase: [Kind] = [.lost, .applied, .half, .corrupt, .object, .error, .unusable, .leaked]
        /// What a cluster can do wrong.
        static let ofACluster: [Kind] = [.lost, .twice, .applied, .half, .stale, .corrupt, .object, .error]
    }

    let kind: Kind
    let words: String

    init(_ kind: Kind, _ words: String) { (self.kind, self.words) = (kind, words) }
}
