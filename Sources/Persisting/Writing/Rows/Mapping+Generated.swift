/// Columns whose values the table makes.
extension Mapping {
    /// Puts what a statement returns into tracked values.
    ///
    /// - Parameter columns: The columns that it returns, in order.
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for a value that the property can't hold.
    func take(_ columns: ColumnSet, from statement: some EngineStatement, into trackedValues: Memory) throws {
        for (position, index) in columns.enumerated() {
            do {
                try assign(stored: taken(statement.value(at: position), index), to: index, in: trackedValues)
            } catch let error as PersistenceError {
                throw error.adding(sql: statement.sql)
            }
        }
    }
}
