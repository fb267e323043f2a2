/// What runs before the values of an object are taken, and when they have been written. Nothing does for a class
/// without hooks.
extension PersistingModel {
    /// - Throws: What ``willInsert()`` throws, and ``PersistenceError/Code/invalidObject``.
    @inline(__always)
    func prepareToInsert(_ mapping: Mapping) throws {
        if mapping.hasHooks { try callWillInsert() }
    }

    /// - Throws: What ``willUpdate()`` throws, and ``PersistenceError/Code/invalidObject``.
    @inline(__always)
    func prepareToUpdate(_ mapping: Mapping) throws {
        if mapping.hasHooks { try callWillUpdate() }
    }

    /// - Throws: What ``willDelete()`` throws.
    @inline(__always)
    func prepareToDelete(_ mapping: Mapping) throws {
        if mapping.hasHooks { try whileBeingSaved { try willDelete() } }
    }

    private func callWillInsert() throws {
        try whileBeingSaved { try willInsert() }
        try checkValid()
    }

    private func callWillUpdate() throws {
        try whileBeingSaved { try willUpdate() }
        try checkValid()
    }

    private func checkValid() throws {
        let failures = validate()
        guard failures.isEmpty else { throw PersistenceError(failures, of: self) }
    }

    /// A hook that saves its own object would be called again without end.
    private func whileBeingSaved(_ hook: () throws -> Void) throws {
        let known = record.isBeingSaved
        record.isBeingSaved = true
        defer { record.isBeingSaved = known }
        try hook()
    }
}
