internal import Foundation
internal import SQLiteKit

/// A moment by which something must have happened.
typealias Deadline = ContinuousClock.Instant

extension Deadline {
    /// A moment from now.
    static func after(_ duration: Duration) -> Deadline { now + duration }

    /// How long it is until then, in milliseconds as `poll` takes them; 0 when it is past.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = (self - .now).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        // A part of a millisecond is one, or the caller would ask again and again.
        return Int32(clamping: min(seconds, 1 << 20) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    var isPast: Bool { self <= .now }
}

/// A connected socket. Each call waits until a deadline.
///
/// One thread at a time sends and receives; any may call ``hangUp()``.
final class Socket: Sendable {
    let descriptor: Int32
    /// How long one call of `recv` waits, in milliseconds. 0 means no limit. Used by the receiving thread only.
    nonisolated(unsafe) private var patience: Int32 = 0

    /// Takes over a connected socket, and closes it in the end.
    convenience init(_ descriptor: Int32) {
        self.init(descriptor, waits: true)
    }

    /// Takes over a socket, and closes it in the end.
    ///
    /// - Parameter waits: Whether calls wait: to connect, it is `poll` that does.
    init(_ descriptor: Int32, waits: Bool) {
        self.descriptor = descriptor
        Self.prepare(descriptor)
        setWaiting(waits)
    }

    deinit {
        close(descriptor)
    }

    /// Connects to the first of the addresses of a node that answers.
    ///
    /// - Throws: `.connectionLost`, `.requestTimeout` or `.invalidAddress`.
    static func connected(to text: String, by deadline: Deadline) throws(SQLiteError) -> Socket {
        var failure = SQLiteError(.connectionLost, "the node \(text) has no address")
        let addresses = try NodeAddress(text).resolved()
        for (index, address) in addresses.enumerated() {
            // One that doesn't answer leaves time for the others.
            let share = (deadline - .now) / (addresses.count - index)
            do throws(SQLiteError) {
                return try connected(to: address, named: text, by: .after(share))
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func connected(
        to address: SocketAddress, named name: String, by deadline: Deadline
    ) throws(SQLiteError) -> Socket {
        let descriptor = openStreamSocket(address.family)
        guard descriptor >= 0 else { throw lost("the node \(name) can't be connected to") }
        // From here on the descriptor is closed in any case.
        let new = Socket(descriptor, waits: false)
        let code = address.bytes.withUnsafeBytes { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            let pointer = base.assumingMemoryBound(to: sockaddr.self)
            return connect(descriptor, pointer, socklen_t(bytes.count))
        }
        guard code == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw lost("the node \(name) can't be connected to")
        }
        if code != 0 { try new.wait(for: POLLOUT, by: deadline, "the node \(name) does not accept a connection") }
        var state: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &state, &size) == 0, state == 0 else {
            throw lost("the node \(name) can't be connected to", state == 0 ? errno : state)
        }
        new.setWaiting(true)
        return new
    }

    private static func prepare(_ descriptor: Int32) {
        // What can't be set makes a socket slower to use or to notice a loss, and no less right: errors are left out.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, size)
        #if canImport(Darwin)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
        #elseif os(Linux)
            // A connection to a machine that is cut off ends soon, so that another node is asked before the request's
            // time is over. Once the network is back, a new connection is made immediately, while TCP's next attempt
            // may be a minute away. A node that is slow to answer still acknowledges what it gets.
            var milliseconds: Int32 = 2_000
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
        #endif
    }

    /// Sends all bytes.
    ///
    /// - Throws: `.connectionLost` or `.requestTimeout`. The last byte has then not been sent.
    func send(_ bytes: [UInt8], by deadline: Deadline) throws(SQLiteError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.send(descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Self.sendFlags)
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(for: POLLOUT, by: deadline, "the node takes no more of a request")
            } else if errno != EINTR {
                throw Self.lost("the connection has been lost while a request was sent")
            }
        }
    }

    /// Sending doesn't wait, and a connection that is lost is no signal.
    static var sendFlags: Int32 {
        #if canImport(Darwin)
            Int32(MSG_DONTWAIT)
        #else
            Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        #endif
    }

    /// Receives some bytes, one at the least.
    ///
    /// - Returns: How many bytes of `buffer` have been filled.
    /// - Throws: `.connectionLost` or `.requestTimeout`.
    func receive(into buffer: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(SQLiteError) -> Int {
        while true {
            if !waitsAtMost(deadline.milliseconds) {
                try wait(for: POLLIN, by: deadline, "the node does not answer in time")
            }
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return count }
            if count == 0 { throw SQLiteError(.connectionLost, "the node has closed the connection") }
            guard errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR else {
                throw Self.lost("the connection has been lost before an answer came")
            }
            if deadline.isPast { throw SQLiteError(.requestTimeout, "the node does not answer in time") }
        }
    }

    /// Sets whether calls wait: to connect, it is `poll` that does.
    private func setWaiting(_ waits: Bool) {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, waits ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    /// Sets how long a call of `recv` waits, to a tenth: then most answers take one call of the system, and not a
    /// `poll` before it.
    ///
    /// - Returns: False where that can't be set.
    private func waitsAtMost(_ milliseconds: Int32) -> Bool {
        let wanted = max(1, milliseconds)
        if patience >= wanted - wanted / 10, patience <= wanted + wanted / 10 { return true }
        var time = timeval()
        time.tv_sec = .init(wanted / 1_000)
        time.tv_usec = .init(wanted % 1_000 * 1_000)
        let code = setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout.size(ofValue: time)))
        patience = code == 0 ? wanted : 0
        return code == 0
    }

    /// Ends what is being sent or received, from any thread.
    func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Whether nothing has come that was not asked for, such as the end.
    var isQuiet: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 0
    }

    private func wait(for event: Int32, by deadline: Deadline, _ failure: String) throws(SQLiteError) {
        var state = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let count = poll(&state, 1, deadline.milliseconds)
            if count > 0 { return }
            if count == 0, deadline.isPast { throw SQLiteError(.requestTimeout, failure) }
            if count < 0, errno != EINTR { throw Self.lost(failure) }
        }
    }

    private static func lost(_ what: String, _ number: Int32 = errno) -> SQLiteError {
        SQLiteError(.connectionLost, "\(what): \(String(cString: strerror(number)))")
    }
}
