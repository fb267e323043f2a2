internal import Foundation

/// The addresses of a cluster's nodes: those that were passed in, and those that the cluster has reported.
final class ClusterDirectory: Sendable {
    private let given: [String]
    private let lock = NSLock()
    // All guarded by `lock`.
    nonisolated(unsafe) private var told: [String] = []
    nonisolated(unsafe) private var toldAt: ContinuousClock.Instant?
    nonisolated(unsafe) private var lastLeader: String?
    private static let age = Duration.seconds(30)

    init(_ addresses: [String]) {
        given = addresses
    }

    /// All addresses, each once.
    var addresses: [String] {
        let told = lock.withLock { self.told }
        return given + told.filter { !given.contains($0) }
    }

    /// The node that was the leader when a node was last asked.
    var leader: String? {
        get { lock.withLock { lastLeader } }
        set { lock.withLock { lastLeader = newValue } }
    }

    /// Whether to ask the cluster for its nodes: it was never asked, or so long ago that they may have changed.
    var isOld: Bool {
        lock.withLock { toldAt.map { .now - $0 > Self.age } ?? true }
    }

    func learn(_ addresses: [String]) {
        lock.withLock {
            told = addresses
            toldAt = .now
        }
    }
}
