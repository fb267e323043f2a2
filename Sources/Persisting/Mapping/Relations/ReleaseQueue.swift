internal import Foundation

/// Releases what objects have loaded of their relations one after the other, whatever goes with it.
///
/// The last reference to an object may hold what the object has loaded, and so on, as far as the data goes. Released
/// one inside the other, a chain of some thousand rows would overflow a small stack.
final class ReleaseQueue {
    /// What a group holds of objects.
    struct Held {
        var loads: [LoadKey: LoadedRelation] = [:]
        /// The related objects that wait to be saved with objects of the group, by those.
        var pending: [ObjectIdentifier: [PendingLink]] = [:]

        var isEmpty: Bool { loads.isEmpty && pending.isEmpty }
    }

    private var waiting: [Held] = []

    private init() {}

    /// The queue that the thread goes through now. Nil if the system has no key left: then nothing waits.
    private static let current: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Releases what a group holds: now or, if the thread is releasing something, after that.
    static func release(_ held: inout Held) {
        guard let current else { return }
        if let running = pthread_getspecific(current) {
            Unmanaged<ReleaseQueue>.fromOpaque(running).takeUnretainedValue().take(&held)
            return
        }
        let queue = ReleaseQueue()
        guard pthread_setspecific(current, Unmanaged.passUnretained(queue).toOpaque()) == 0 else { return }
        queue.take(&held)
        // An object's deinit may add to the queue: no access to it spans the release.
        while let next = queue.waiting.popLast() { withExtendedLifetime(next) {} }
        pthread_setspecific(current, nil)
    }

    private func take(_ held: inout Held) {
        waiting.append(held)
        held = Held()
    }
}
