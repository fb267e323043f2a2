/// What a test of a class needs: the statements of the methods, without the hooks, which are the user's.
extension PersistenceManager {
    package func insertWithoutHooks(_ object: PersistingModel) throws {
        let table = try table(of: type(of: object))
        let target = InsertionTarget(table, TrackedRows(self, table.mapping, capacity: 1))
        try write(.insertion(Insertion.taking(object, target)), of: object)
    }

    /// - Parameter column: The place of the one column that is written.
    package func updateWithoutHooks(_ object: PersistingModel, column: Int) throws {
        let row = try knownRow(of: object, to: "update")
        try write(.update(Update.taking(object, row.table.updateTarget(ColumnSet(column)), row)), of: object)
    }

    package func deleteWithoutHooks(_ object: PersistingModel) throws {
        try write(.deletion(Deletion(row: knownRow(of: object, to: "delete"))), of: object)
    }

    private func write(_ write: consuming ObjectWrite, of object: PersistingModel) throws {
        let sent = SentWrite(write)
        try database.withoutTransaction { db in
            guard let outcome = try sent.write.executeOnDatabaseSide(self, WriteRunner(), db) else { return }
            try sent.write.finish(object, outcome)
        }
    }
}
