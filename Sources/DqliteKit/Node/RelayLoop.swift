internal import Foundation
internal import SQLiteKit

/// Relays the bytes of connections, on a thread of its own.
final class RelayLoop {
    private let listener: Int32
    private let stopping: Int32
    private let node: SocketAddress
    private var connections: [RelayedConnection] = []
    /// The connections that haven't sent a request yet, in the order in which their time runs out.
    private var silent: [RelayedConnection] = []
    /// What is waited for: a byte to stop, new connections, and then two sides for each connection. They are kept, since
    /// of thousands of connections few have news at a time.
    private var states: [pollfd]
    /// When to accept connections again, after the process ran out of descriptors.
    private var pause: Deadline?

    /// The greatest number of connections. Others wait until one ends.
    private static let greatestCount = 1_000
    /// How long a connection may take to send its first request.
    static let patience = Duration.seconds(30)

    init(listener: Int32, stopping: Int32, node: SocketAddress) {
        self.listener = listener
        self.stopping = stopping
        self.node = node
        states = [stopping, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// Runs until a byte arrives at `stopping`.
    func run() {
        while true {
            if let pause, pause.isPast { self.pause = nil }
            let accepts = connections.count < Self.greatestCount && pause == nil
            states[1].fd = accepts ? listener : -1
            guard poll(&states, nfds_t(states.count), timeout) >= 0 || errno == EINTR else { break }
            if states[0].revents != 0 { break }
            let hasNews = states[1].revents != 0
            carry()
            if hasNews { accept() }
        }
        connections = []
        silent = []
    }

    /// Relays what has arrived, and takes out the connections that are over.
    private func carry() {
        var someAreClosed = false
        states.withUnsafeMutableBufferPointer { states in
            for position in stride(from: 2, to: states.count, by: 2)
            where states[position].revents != 0 || states[position + 1].revents != 0 {
                let connection = connections[position / 2 - 1]
                connection.carry(states[position].revents, states[position + 1].revents)
                (states[position], states[position + 1]) = connection.states
                if connection.isClosed { someAreClosed = true }
            }
        }
        while let first = silent.first, first.deadline?.isPast ?? true {
            if first.deadline != nil {
                first.close()
                someAreClosed = true
            }
            silent.removeFirst()
        }
        guard someAreClosed else { return }
        silent.removeAll { $0.isClosed }
        connections.removeAll { $0.isClosed }
        states.removeLast(states.count - 2)
        for connection in connections { append(connection.states) }
    }

    private func append(_ sides: (outside: pollfd, inside: pollfd)) {
        states.append(sides.outside)
        states.append(sides.inside)
    }

    /// The time until a silent connection is closed, or connections are accepted again.
    private var timeout: Int32 {
        let deadlines = [silent.first?.deadline, pause].compactMap { $0 }
        return deadlines.min()?.milliseconds ?? -1
    }

    private func accept() {
        // A limit, so that existing connections are served in between.
        for _ in 0..<16 where connections.count < Self.greatestCount {
            let descriptor = Foundation.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                    pause = .after(.milliseconds(100))
                }
                return
            }
            let connection = RelayedConnection(Socket(relaying: descriptor), node)
            connections.append(connection)
            silent.append(connection)
            append(connection.states)
        }
    }
}

/// A connection from outside, and one to libdqlite, which begins with the first valid request.
private final class RelayedConnection {
    private let outside: Socket
    private var inside: Socket?
    private let node: SocketAddress
    private var requests = RequestGuard()
    /// The bytes that are to be sent to either side.
    private var toInside = Outbox()
    private var toOutside = Outbox()
    /// Whether libdqlite has closed its side, so that only its last bytes remain to be sent.
    private var hasEnded = false
    private(set) var isClosed = false
    /// When the first request must have arrived; nil once it has.
    private(set) var deadline: Deadline? = .after(RelayLoop.patience)

    private static let part = 1 << 16

    init(_ outside: Socket, _ node: SocketAddress) {
        self.outside = outside
        self.node = node
    }

    /// The events to wait for at either side. A side is read only when everything that it sent before has been relayed.
    var states: (outside: pollfd, inside: pollfd) {
        // A side that has ended would always have news.
        let inside = hasEnded ? nil : inside
        func state(_ socket: Socket?, reads: Bool, writes: Bool) -> pollfd {
            let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
            return pollfd(fd: socket?.descriptor ?? -1, events: Int16(events), revents: 0)
        }
        return (
            state(outside, reads: toInside.isEmpty && !hasEnded, writes: !toOutside.isEmpty),
            state(inside, reads: toOutside.isEmpty && !hasEnded, writes: !toInside.isEmpty)
        )
    }

    /// Ends the connection, which the loop then takes out.
    func close() { isClosed = true }

    /// Relays what can be relayed without waiting.
    func carry(_ outsideEvents: Int16, _ insideEvents: Int16) {
        do throws(Ended) {
            if insideEvents != 0, let inside {
                if toOutside.isEmpty, !hasEnded { try takeAnswers(from: inside) }
                try toInside.send(to: inside)
            }
            if outsideEvents != 0 {
                try toOutside.send(to: outside)
                if toInside.isEmpty, !hasEnded { try takeRequests() }
            }
            if hasEnded, toOutside.isEmpty { throw Ended() }
        } catch {
            isClosed = true
        }
    }

    /// The connection is over.
    fileprivate struct Ended: Error {}

    private func takeRequests() throws(Ended) {
        guard let bytes = try outside.available(upTo: Self.part) else { throw Ended() }
        guard !bytes.isEmpty else { return }
        let passed: [UInt8]
        do {
            passed = try requests.take(bytes[...])
        } catch {
            throw Ended()
        }
        guard !passed.isEmpty else { return }
        deadline = nil
        if inside == nil { try connect() }
        toInside.append(passed)
        if let inside { try toInside.send(to: inside) }
    }

    private func takeAnswers(from inside: Socket) throws(Ended) {
        guard let bytes = try inside.available(upTo: Self.part) else {
            hasEnded = true
            return
        }
        toOutside.append(bytes)
        try toOutside.send(to: outside)
    }

    private func connect() throws(Ended) {
        let descriptor = openStreamSocket(node.family)
        guard descriptor >= 0 else { throw Ended() }
        let new = Socket(relaying: descriptor)
        let code = node.bytes.withUnsafeBytes { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            // The bytes are a whole address of this family, and every kind of address begins like a sockaddr.
            return Foundation.connect(
                descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        // A Unix socket is connected immediately, or its queue is full.
        guard code == 0 else { throw Ended() }
        inside = new
    }
}

/// Bytes that are to be sent.
private struct Outbox {
    private var bytes: [UInt8] = []
    private var sent = 0

    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ more: [UInt8]) { if bytes.isEmpty { bytes = more } else { bytes += more } }

    /// Sends as many bytes as the other side accepts now.
    mutating func send(to socket: Socket) throws(RelayedConnection.Ended) {
        while sent < bytes.count {
            guard let count = socket.sendAvailable(bytes[sent...]) else { throw RelayedConnection.Ended() }
            if count == 0 { return }
            sent += count
        }
        bytes = []
        sent = 0
    }
}

extension Socket {
    /// Takes over a descriptor whose calls don't block.
    fileprivate convenience init(relaying descriptor: Int32) {
        self.init(descriptor, waits: false)
    }

    /// The bytes that have arrived; empty if there are none yet, and nil at the end.
    fileprivate func available(upTo count: Int) throws(RelayedConnection.Ended) -> [UInt8]? {
        var isAtEnd = false
        var isLost = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            isAtEnd = received == 0
            isLost = received < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR
            filled = max(0, received)
        }
        if isLost { throw RelayedConnection.Ended() }
        return isAtEnd ? nil : bytes
    }

    /// The number of bytes that the other side accepted; nil if the connection is lost.
    fileprivate func sendAvailable(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Self.sendFlags) }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : nil
    }
}
