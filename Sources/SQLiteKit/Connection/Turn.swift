internal import Foundation
internal import Synchronization

/// The right to use one connection: at most one thread's at a time.
package final class Turn: Sendable {
    /// The thread whose turn it is, 0 for none. A thread finds its own number here if and only if the turn is its own.
    private let holder = Atomic<UInt>(0)

    /// Whether the turn is the calling thread's.
    package var isMine: Bool { holder.load(ordering: .relaxed) == currentThread() }

    /// The number of the thread that has it, 0 for none.
    var thread: UInt { holder.load(ordering: .relaxed) }

    /// Makes the turn the calling thread's.
    package func adopt() {
        holder.store(currentThread(), ordering: .relaxed)
    }

    /// Makes it nobody's.
    func leave() {
        holder.store(0, ordering: .relaxed)
    }

    /// The turn that nobody is given: that of a connection which is a backup's destination.
    static let noOnes = Turn()
}

/// A number for the calling thread, different from that of every other thread that runs.
func currentThread() -> UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}
