internal import Synchronization

/// Rollbacks, which undo what was read as well as what was written.
extension PersistenceManager {
    /// How many rollbacks there have been.
    var rollbacksNow: Int { rollbacks.load(ordering: .acquiring) }

    /// How many rollbacks there have been, where one would undo what is read now; nil elsewhere.
    func rollbacksSoFar(_ db: any EngineConnection) -> Int? {
        guard db.isInTransaction, !db.isReader else { return nil }
        let number = db.transactionNumber
        if notedTransaction != number {
            notedTransaction = number
            db.afterRollback {
                self.notedTransaction = 0
                self.rollbacks.wrappingAdd(1, ordering: .releasing)
            }
            db.afterCommit { self.notedTransaction = 0 }
        }
        return rollbacks.load(ordering: .acquiring)
    }
}
