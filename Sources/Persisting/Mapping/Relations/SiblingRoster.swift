internal import Foundation

/// The images of a fetch, as long as they live. Sendable, since the last reference to one may go on the database's
/// side.
final class SiblingRoster: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`. Not weak: a weak reference gives an image a side table, through which each object then counts
    // its reference: 17 % of a fetch.
    @exclusivity(unchecked) nonisolated(unsafe) private var images: ContiguousArray<Unmanaged<RowImages>?> = []
    // Guarded by `lock`.
    @exclusivity(unchecked) nonisolated(unsafe) private var hasLost = false

    /// Adds images, which are to be removed before they go.
    ///
    /// - Returns: Their place.
    func add(_ new: RowImages) -> Int32 {
        lock.withLock {
            images.append(.passUnretained(new))
            return Int32(images.count - 1)
        }
    }

    func remove(_ place: Int32) {
        lock.withLock {
            images[Int(place)] = nil
            hasLost = true
        }
    }

    /// Whether all images are there that were ever added.
    var isWhole: Bool { lock.withLock { !hasLost } }

    /// The mappings of the images, each once.
    var mappings: [Mapping] {
        var found: [Mapping] = []
        forEach { images in
            if !found.contains(where: { $0 === images.mapping }) { found.append(images.mapping) }
        }
        return found
    }

    /// Calls `body` with all images. Such that are about to go wait for the lock in their deinit, so their memory can
    /// be read.
    func forEach(_ body: (RowImages) throws -> Void) rethrows {
        try lock.withLock {
            for image in images { try image?._withUnsafeGuaranteedRef(body) }
        }
    }
}
