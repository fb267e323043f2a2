/// What runs before the values of an object are taken, and when they have been written.
extension PersistingModel {
    /// - Throws: What ``willInsert()`` throws, and ``PersistenceError/Code/invalidObject``.
    func prepareToInsert() throws {
        try whileBeingSaved { try willInsert() }
        try checkValid()
    }

    /// - Throws: What ``willUpdate()`` throws, and ``PersistenceError/Code/invalidObject``.
    func prepareToUpdate() throws {
        try whileBeingSaved { try willUpdate() }
        try checkValid()
    }

    /// - Throws: What ``willDelete()`` throws.
    func prepareToDelete() throws {
        try whileBeingSaved { try willDelete() }
    }

    private func checkValid() throws {
        let failures = validate()
        guard failures.isEmpty else { throw PersistenceError(failures, of: self) }
    }

    /// A hook that saves its own object would be called again without end.
    @inline(__always)
    private func whileBeingSaved(_ hook: () throws -> Void) throws {
        let known = record.isBeingSaved
        record.isBeingSaved = true
        defer { record.isBeingSaved = known }
        try hook()
    }
}
