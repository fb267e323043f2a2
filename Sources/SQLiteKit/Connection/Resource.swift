internal import CSystemSQLite

/// What a connection has open besides its statements: a blob, a backup. It ends with the access it was made in.
///
/// The connection holds it until it has ended, so that one let go by a thread with no right to end it is not lost; it
/// does not hold the connection.
final class Resource {
    /// What errors call it.
    let name: String
    /// Whether it keeps a transaction from ending.
    let isWriting: Bool
    /// Whether it goes on from one access to the next, and someone else sees to its end.
    let outlivesAccess: Bool
    private var end: (() -> Int32)?

    init(_ name: String, isWriting: Bool, outlivesAccess: Bool = false, end: @escaping () -> Int32) {
        self.name = name
        self.isWriting = isWriting
        self.outlivesAccess = outlivesAccess
        self.end = end
    }

    var isOpen: Bool { end != nil }

    /// Ends it, once.
    ///
    /// - Returns: SQLite's result code.
    @discardableResult
    func close() -> Int32 {
        guard let end else { return SQLITE_OK }
        self.end = nil
        return end()
    }
}

extension Connection {
    /// Ends a resource.
    func end(_ resource: Resource) throws(SQLiteError) {
        resources.removeAll { $0 === resource }
        try check(resource.close())
        noteSuccess()
    }

    /// Ends the resources that keep a transaction from ending, or all that end with the access.
    ///
    /// - Throws: The first error. A blob that was written outside a transaction commits when it ends.
    func endResources(onlyWriting: Bool = false) throws(SQLiteError) {
        var failed: SQLiteError?
        for resource in resources where onlyWriting ? resource.isWriting : !(resource.outlivesAccess && resource.isOpen)
        {
            do throws(SQLiteError) { try end(resource) } catch { failed = failed ?? error }
        }
        if let failed { throw failed }
    }
}
