/// What a transaction knows of the tables that it writes to.
extension PersistenceManager {
    /// What this manager knows of a class's table, which as a rule is the one that the transaction wrote last.
    func table(of type: PersistingModel.Type, _ context: TransactionContext?) throws -> ModelTable {
        if let last = context?.table(of: type), last.isInspected { return last }
        return try table(of: type)
    }
}
