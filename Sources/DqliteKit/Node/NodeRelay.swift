internal import Foundation
internal import SQLiteKit

/// Listens in libdqlite's place, and passes on to it what a ``RequestGuard`` lets through.
///
/// libdqlite listens at an abstract Unix socket, to which only this process can connect. One thread carries the bytes
/// of all connections.
final class NodeRelay: Sendable {
    /// Where the relay listens.
    let address: String
    private let listener: Int32
    /// A pipe into which a byte is written to stop the thread.
    private let stopping: (read: Int32, write: Int32)
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var thread: pthread_t?

    /// Begins to listen. Connections wait until the relay is started.
    ///
    /// - Throws: `.cannotOpen`.
    init(_ listening: ListeningAddress) throws(SQLiteError) {
        address = listening.text
        listener = try listening.listen()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            let reason = String(cString: strerror(errno))
            close(listener)
            throw SQLiteError(.cannotOpen, "a node can't listen at '\(listening.text)': \(reason)")
        }
        stopping = (ends[0], ends[1])
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        stop()
        close(listener)
        close(stopping.read)
        close(stopping.write)
    }

    /// Starts to pass connections on.
    ///
    /// - Parameter name: The Unix socket at which libdqlite listens.
    /// - Throws: `.cannotOpen`.
    func start(to name: String) throws(SQLiteError) {
        guard case .abstract = try NodeAddress(name), let node = try NodeAddress(name).resolved().first else {
            throw SQLiteError(.cannotOpen, "the node doesn't listen at a Unix socket, but at '\(name)'")
        }
        let loop = RelayLoop(listener: listener, stopping: stopping.read, node: node)
        var thread = pthread_t(bitPattern: 0)
        let context = Unmanaged.passRetained(loop)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<RelayLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw SQLiteError(.cannotOpen, "the node can't start a thread: \(String(cString: strerror(code)))")
        }
        lock.withLock { self.thread = thread }
    }

    /// Closes all connections, and waits until that is done. New ones are refused once the relay is released.
    func stop() {
        let thread = lock.withLock {
            defer { self.thread = nil }
            return self.thread
        }
        guard let thread else { return }
        var byte: UInt8 = 0
        // An empty pipe has room for it.
        _ = write(stopping.write, &byte, 1)
        pthread_join(thread, nil)
    }
}
