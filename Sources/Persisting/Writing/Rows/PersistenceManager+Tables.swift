/// What a transaction knows of the tables that it writes to.
extension PersistenceManager {
    /// What is known of the row of an object that is in the table.
    ///
    /// - Parameter context: That of the transaction, on its thread.
    func knownRow(
        of object: PersistingModel, to verb: String, _ context: TransactionContext? = nil
    ) throws -> KnownRow {
        try knownRow(of: object, to: verb, in: table(of: type(of: object), context))
    }

    /// What this manager knows of a class's table, which as a rule is the one that the transaction wrote last.
    func table(of type: PersistingModel.Type, _ context: TransactionContext?) throws -> ModelTable {
        if let last = context?.table(of: type), last.isInspected { return last }
        return try table(of: type)
    }
}
