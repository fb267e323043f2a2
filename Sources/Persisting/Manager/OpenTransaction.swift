/// What a manager keeps of the transaction that objects are written in. Those who write them have the only subclass.
class OpenTransaction {
    /// Forgets what was found of tables, whose schemas change.
    func forgetStatements() {}
}
