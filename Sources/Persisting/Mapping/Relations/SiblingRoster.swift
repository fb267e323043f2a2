internal import Foundation

/// The tracked values of a fetch, as long as they live. Sendable, since the last reference to one may go on the
/// database's side.
final class SiblingRoster: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`. Not weak: a weak reference gives tracked values a side table, through which each object then
    // counts its reference: 17 % of a fetch.
    @exclusivity(unchecked) nonisolated(unsafe) private var members: ContiguousArray<Unmanaged<TrackedRows>?> = []
    // Guarded by `lock`.
    @exclusivity(unchecked) nonisolated(unsafe) private var hasLost = false

    /// Adds tracked values, which are to be removed before they are freed.
    ///
    /// - Returns: Their place.
    func add(_ new: TrackedRows) -> Int32 {
        lock.withLock {
            members.append(.passUnretained(new))
            return Int32(members.count - 1)
        }
    }

    func remove(_ place: Int32) {
        lock.withLock {
            members[Int(place)] = nil
            hasLost = true
        }
    }

    /// Whether everything that was ever added is still there.
    var isWhole: Bool { lock.withLock { !hasLost } }

    /// The mappings of the tracked values, each once.
    var mappings: [Mapping] {
        var found: [Mapping] = []
        forEach { trackedRows in
            if !found.contains(where: { $0 === trackedRows.mapping }) { found.append(trackedRows.mapping) }
        }
        return found
    }

    /// Calls `body` with all tracked values. Those that are about to be freed wait for the lock in their deinit, so
    /// their memory can be read.
    func forEach(_ body: (TrackedRows) throws -> Void) rethrows {
        try lock.withLock {
            for member in members { try member?._withUnsafeGuaranteedRef(body) }
        }
    }
}
