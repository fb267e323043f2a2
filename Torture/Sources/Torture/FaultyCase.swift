import Faults
import Persisting
import SQLiteKit

/// One case: the steps with something that fails, then an audit without.
enum FaultyCase {
    /// Opens the case's file and runs the steps. Afterwards the same manager must be of use, and the file as was said.
    ///
    /// - Parameters:
    ///   - codes: The codes that an error may have; nil allows any.
    ///   - begin: Makes something fail.
    ///   - end: Makes nothing fail any more, and says how many calls have failed.
    /// - Returns: What was wrong; nil when nothing has failed.
    static func run(
        _ directory: CaseDirectory, _ mode: JournalMode, vfs: FaultyVFS, expecting codes: Set<ResultCode>? = nil,
        begin: () -> Void, end: () -> Int
    ) throws -> [Fault]? {
        try directory.reset(mode)
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        var ledger = Ledger(expecting: codes)
        begin()
        let manager = try? PersistenceManager(path: directory.path, configuration: configuration)
        if let manager { ledger.run(manager) }
        let failures = end()
        if let manager { check(manager, &ledger) }
        ledger.audit(directory.path)
        return failures == 0 ? nil : ledger.faults
    }

    /// Whether a manager can be used when nothing fails any more, and closed.
    static func check(_ manager: PersistenceManager, _ ledger: inout Ledger) {
        do {
            let item = Item(-1)
            try manager.save(item)
            guard try manager.find(Item.self, item.id) != nil else {
                return ledger.note(Fault(.lost, "the row of a later save"))
            }
            try manager.close()
        } catch {
            ledger.note(Fault(.unusable, "\(error)"))
        }
    }
}
