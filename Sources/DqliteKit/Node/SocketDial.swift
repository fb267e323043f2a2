internal import SQLiteKit

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Connects by TCP.
enum SocketDial {
    /// Connects without Nagle's algorithm.
    ///
    /// - Returns: A socket that blocks.
    static func connect(to address: String, timeout: Duration) throws(SQLiteError) -> CInt {
        let deadline = ContinuousClock.now + timeout
        var failure: CInt = 0
        let connected = try ListeningAddress(address).first(AF_UNSPEC) { info -> CInt? in
            let descriptor = socket(info.pointee.ai_family, info.pointee.ai_socktype, 0)
            guard descriptor >= 0 else {
                failure = errno
                return nil
            }
            failure = connect(descriptor, info, deadline)
            guard failure == 0 else {
                _ = close(descriptor)
                return nil
            }
            return descriptor
        }
        guard let connected else {
            throw SQLiteError(.cannotOpen, "can't connect to \(address): \(String(cString: strerror(failure)))")
        }
        return connected
    }

    /// - Returns: 0, or an error of the system.
    private static func connect(
        _ descriptor: CInt, _ info: UnsafePointer<addrinfo>, _ deadline: ContinuousClock.Instant
    ) -> CInt {
        let flags = fcntl(descriptor, F_GETFL)
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
            return errno
        }
        set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
        #if os(Linux)
            // What was sent into a network that lost it is given up, so that the node connects again as soon as the
            // network is back, instead of at TCP's next attempt, which may be a minute away.
            set(descriptor, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, 2_000)
        #endif
        if systemConnect(descriptor, info) != 0 {
            guard errno == EINPROGRESS else { return errno }
            var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            var ready: CInt
            repeat {
                let left = max(.zero, deadline - .now).components
                let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
                ready = systemPoll(&poll, 1, CInt(clamping: milliseconds))
            } while ready < 0 && errno == EINTR
            if ready < 0 { return errno }
            if ready == 0 { return ETIMEDOUT }
            var failure: CInt = 0
            var size = socklen_t(MemoryLayout.size(ofValue: failure))
            guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 else { return errno }
            guard failure == 0 else { return failure }
        }
        return fcntl(descriptor, F_SETFL, flags) == 0 ? 0 : errno
    }

    // What can't be set makes a link slower, and no more.
    private static func set(_ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: CInt) {
        var value = value
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout.size(ofValue: value)))
    }
}

private func systemConnect(_ descriptor: CInt, _ info: UnsafePointer<addrinfo>) -> CInt {
    connect(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen)
}

private func systemPoll(_ descriptors: UnsafeMutablePointer<pollfd>, _ count: nfds_t, _ milliseconds: CInt) -> CInt {
    poll(descriptors, count, milliseconds)
}
