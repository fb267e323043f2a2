internal import Foundation
internal import SQLiteKit

/// Connects a node to the others, as its configuration says.
///
/// libdqlite's own function leaves Nagle's algorithm on, so every third commit waits 40 ms for a delayed acknowledgment
/// of TCP. It also has no deadline.
final class NodeDialer: Sendable {
    private let configuration: ClusterNodeConfiguration

    init(_ configuration: ClusterNodeConfiguration) { self.configuration = configuration }

    /// The function that libdqlite calls with a dialer.
    static let connect: NodeLibrary.Connect = { context, address, socket in
        guard let context, let address, let socket else { return failed }
        let dialer = Unmanaged<NodeDialer>.fromOpaque(context).takeUnretainedValue()
        do {
            socket.pointee = try dialer.connect(to: String(cString: address))
            return 0
        } catch {
            // The node writes no log. It tries again, and its leader knows that it hasn't answered.
            return failed
        }
    }

    /// `RAFT_NOCONNECTION` of `raft.h`.
    private static let failed: CInt = 16

    private func connect(to address: String) throws -> CInt {
        if let connect = configuration.connect { return try connect(address, configuration.connectTimeout) }
        return try Socket.connected(to: address, by: .after(configuration.connectTimeout)).blockingDescriptor()
    }
}

extension Socket {
    /// The connection's descriptor, which blocks and belongs to the caller. Don't use the socket afterwards.
    fileprivate func blockingDescriptor() throws(SQLiteError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SQLiteError(.connectionLost, String(cString: strerror(errno))) }
        _ = fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) & ~O_NONBLOCK)
        return copy
    }
}
