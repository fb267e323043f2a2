internal import CFaults

/// An allocator of SQLite's memory that fails when it is told to.
public enum FaultyMemory {
    /// Puts it before SQLite's own. It must come before the first use of SQLite.
    ///
    /// - Returns: Whether that was so.
    public static func install() -> Bool { fault_memory_install() == 0 }

    /// Fails the nth allocation from now, counted from 1, and those after it if `isPersistent`.
    public static func fail(at nth: Int, isPersistent: Bool = false) { fault_memory_arm(nth, isPersistent ? 1 : 0) }

    /// Fails no more allocations.
    ///
    /// - Returns: How many have failed.
    @discardableResult
    public static func failNone() -> Int { fault_memory_disarm() }

    /// The bytes that SQLite has allocated and not freed.
    public static var used: Int { Int(fault_memory_used()) }

    /// The bytes that the whole process has allocated and not freed.
    public static var usedInAll: Int { Int(fault_heap_used()) }
}
