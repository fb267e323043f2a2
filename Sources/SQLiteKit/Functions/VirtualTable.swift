internal import CSystemSQLite

/// A table or a cursor that a virtual table's module makes. It begins with SQLite's own structure, so that a pointer to
/// this is also one to the whole.
protocol VirtualTablePart {
    /// SQLite's structure, such as `sqlite3_vtab`.
    associatedtype Base
    var base: Base { get }
}

extension VirtualTablePart {
    /// Hands the value to SQLite, in memory that ``free(_:)`` frees.
    func allocate(at result: UnsafeMutablePointer<UnsafeMutablePointer<Base>?>?) {
        let new = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        new.initialize(to: self)
        result?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: Base.self)
    }

    /// The value that begins with SQLite's structure.
    static func whole(_ pointer: UnsafeMutablePointer<Base>?) -> UnsafeMutablePointer<Self>? {
        UnsafeMutableRawPointer(pointer)?.assumingMemoryBound(to: Self.self)
    }

    static func free(_ pointer: UnsafeMutablePointer<Self>) -> Int32 {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
        return SQLITE_OK
    }
}
