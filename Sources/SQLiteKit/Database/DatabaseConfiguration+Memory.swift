extension DatabaseConfiguration {
    /// The configuration of a database in memory that is to understand the same SQL, for the library's own use.
    package var inMemory: DatabaseConfiguration {
        var configuration = self
        configuration.trace = nil
        configuration.key = nil
        configuration.journalMode = nil
        configuration.openMode = .create
        configuration.foreignKeys = false
        return configuration
    }
}
