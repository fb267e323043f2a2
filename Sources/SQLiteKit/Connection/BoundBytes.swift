internal import Foundation

/// Room for the bytes of a statement's bound values. SQLite refers to them there, and need not allocate a copy of each.
///
/// There is room for as many as the statement was last bound to, except for large ones.
struct BoundBytes {
    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    private var used = 0
    /// How many bytes there was no room for.
    private var lacking = 0
    private static let limit = 16_384

    /// Begins again, before all parameters are bound: what they refer to is not kept.
    mutating func removeAll() {
        if lacking > 0, capacity < Self.limit {
            deallocate()
            capacity = min(max(256, (used + lacking) * 2), Self.limit)
            start = .allocate(byteCount: capacity, alignment: 1)
        }
        used = 0
        lacking = 0
    }

    /// Keeps bytes until ``removeAll()``.
    ///
    /// - Returns: Where they are; nil when there is no room for them.
    @inline(__always)
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard bytes.count <= capacity &- used, let start, let source = bytes.baseAddress else {
            miss(bytes.count)
            return nil
        }
        let place = start + used
        memcpy(place, source, bytes.count)
        used &+= bytes.count
        return UnsafeRawPointer(place)
    }

    private mutating func miss(_ count: Int) {
        // More than this is not wanted in any case.
        lacking = min(lacking + min(count, Self.limit), Self.limit)
    }

    func deallocate() {
        start?.deallocate()
    }
}
