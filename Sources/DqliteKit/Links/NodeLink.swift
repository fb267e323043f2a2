internal import Foundation
internal import SQLiteKit

/// A connection to one node, over which one request after the other is answered.
final class NodeLink {
    let address: String
    private let socket: Socket
    /// What has been received and not been read.
    private var inbox = [UInt8](repeating: 0, count: 1 << 16)
    private var unread = 0..<0
    /// Whether requests and answers may no longer belong together, so that nothing more is asked.
    private(set) var isBroken = false

    /// Connects to a node, which may not be the leader.
    ///
    /// - Throws: `.connectionLost`, `.requestTimeout`, or what the hook throws as the former.
    init(_ address: String, _ configuration: ClusterConfiguration, by deadline: Deadline) throws(SQLiteError) {
        self.address = address
        socket = try configuration.socket(to: address, by: deadline)
        try send(Request.handshake, by: deadline)
    }

    /// Whether the node can still be asked.
    var isUsable: Bool { !isBroken && unread.isEmpty && socket.isQuiet }

    /// Sends a request, and receives its answer.
    ///
    /// - Throws: What the node says has failed. When no answer came, `.connectionLost` or
    ///   `.requestTimeout`: with the outcome `.unknown` when the request has been sent.
    func call(_ request: Request, by deadline: Deadline) throws(SQLiteError) -> Response {
        try send(request.encoded(), by: deadline)
        return try receive(by: deadline)
    }

    /// The address of the node that leads, as this node knows it; empty if it knows none.
    func leader(by deadline: Deadline) throws(SQLiteError) -> String {
        let answer = try call(.leader, by: deadline)
        guard case .node(_, let leader) = answer else { throw answer.unexpected }
        return leader
    }

    /// Receives one more answer to a request.
    func receive(by deadline: Deadline) throws(SQLiteError) -> Response {
        do throws(SQLiteError) {
            let header = try MessageHeader(try take(MessageHeader.size, by: deadline))
            let body = try take(header.length, by: deadline)
            if header.type != ResponseType.failure.rawValue { return try Response(header.type, body) }
            // The connection is as good as before.
            throw try SQLiteError(failure: body)
        } catch {
            switch error.extendedCode {
            case .connectionLost, .requestTimeout, .invalidMessage:
                isBroken = true
                throw error.with(outcome: .unknown)
            default: throw error
            }
        }
    }

    /// Ends what is being sent or received, from any thread.
    var hangingUp: @Sendable () -> Void {
        let socket = socket
        return { socket.hangUp() }
    }

    private func send(_ bytes: [UInt8], by deadline: Deadline) throws(SQLiteError) {
        do throws(SQLiteError) {
            try socket.send(bytes, by: deadline)
        } catch {
            isBroken = true
            throw error
        }
    }

    /// Receives bytes. Memory grows with what comes, whatever a header says.
    private func take(_ count: Int, by deadline: Deadline) throws(SQLiteError) -> [UInt8] {
        var taken: [UInt8] = []
        taken.reserveCapacity(min(count, inbox.count))
        while taken.count < count {
            if unread.isEmpty { try fill(by: deadline) }
            let part = unread.prefix(count - taken.count)
            taken.append(contentsOf: inbox[part])
            unread = part.endIndex..<unread.endIndex
        }
        return taken
    }

    private func fill(by deadline: Deadline) throws(SQLiteError) {
        // A closure that throws would throw any error.
        let result = inbox.withUnsafeMutableBytes { [socket] buffer in
            Result { () throws(SQLiteError) in try socket.receive(into: buffer, by: deadline) }
        }
        unread = 0..<(try result.get())
    }
}

extension ClusterConfiguration {
    fileprivate func socket(to address: String, by deadline: Deadline) throws(SQLiteError) -> Socket {
        guard let connect else { return try Socket.connected(to: address, by: deadline) }
        do {
            return Socket(try connect(address, max(.zero, deadline - .now)))
        } catch {
            throw error as? SQLiteError
                ?? SQLiteError(.connectionLost, "the node \(address) can't be connected to: \(error)")
        }
    }
}
