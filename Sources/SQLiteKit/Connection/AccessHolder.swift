internal import Foundation
internal import Synchronization

/// Which thread has access to a connection: at most one at a time.
package final class AccessHolder: Sendable {
    /// The thread that has access, 0 for none. A thread finds its own number here if and only if it has access.
    private let number = Atomic<UInt>(0)

    /// Whether the calling thread has access.
    package var isMine: Bool { number.load(ordering: .relaxed) == currentThread() }

    /// The number of the thread that has access, 0 for none.
    var thread: UInt { number.load(ordering: .relaxed) }

    /// Gives access to the calling thread.
    package func adopt() {
        number.store(currentThread(), ordering: .relaxed)
    }

    /// Ends the access.
    func leave() {
        number.store(0, ordering: .relaxed)
    }

    /// Nobody ever: what a connection has while it is a backup's destination.
    static let nobody = AccessHolder()
}

/// A number for the calling thread, different from that of every other thread that runs.
func currentThread() -> UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}
