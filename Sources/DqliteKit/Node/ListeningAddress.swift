internal import SQLiteKit

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A host and a port, such as `10.0.0.1:9001`, `db1.internal:9001` or `[::1]:9001`.
struct ListeningAddress {
    let host: String
    let port: UInt16

    /// - Throws: ``ResultCode/misuse``.
    init(_ text: String) throws(SQLiteError) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            throw Self.invalid(text)
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw Self.invalid(text)
        }
        guard !host.isEmpty, !host.utf8.contains(0) else { throw Self.invalid(text) }
        self.host = String(host)
        self.port = port
    }

    private static func invalid(_ text: String) -> SQLiteError {
        SQLiteError(.misuse, "'\(text)' isn't the address of a node: write a host and a port, such as 10.0.0.1:9001")
    }

    /// Calls `body` with each address of the host, until it returns a value.
    ///
    /// - Parameter family: `AF_INET` or `AF_UNSPEC`.
    /// - Throws: ``ResultCode/cannotOpen`` when the host is unknown.
    func first<T>(_ family: CInt, _ body: (UnsafePointer<addrinfo>) -> T?) throws(SQLiteError) -> T? {
        var hints = addrinfo()
        hints.ai_family = family
        #if canImport(Glibc)
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0 else {
            let family = family == AF_INET ? "IPv4 " : ""
            throw SQLiteError(
                .cannotOpen, "there is no \(family)address for '\(host)': \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(found) }
        var next = found
        while let info = next {
            if let result = body(info) { return result }
            next = info.pointee.ai_next
        }
        return nil
    }
}

extension ListeningAddress {
    /// An IPv4 address at which a node can listen.
    struct Listening {
        /// As libdqlite takes it.
        let text: String
        /// Whether it is of this machine or of a private network, so that nobody outside can connect.
        ///
        /// See [RFC 6890](https://www.rfc-editor.org/rfc/rfc6890).
        let isPrivate: Bool
    }

    /// The address at which a node can listen, and tries it: libdqlite says no more than that it failed.
    ///
    /// - Throws: ``ResultCode/cannotOpen`` when the port is in use, or the address is another machine's.
    func listening() throws(SQLiteError) -> Listening {
        var failure: CInt = 0
        let found = try first(AF_INET) { info -> Listening? in
            let descriptor = socket(info.pointee.ai_family, info.pointee.ai_socktype, 0)
            guard descriptor >= 0 else {
                failure = errno
                return nil
            }
            defer { _ = close(descriptor) }
            var on: CInt = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout.size(ofValue: on)))
            guard let address = info.pointee.ai_addr,
                bind(descriptor, address, info.pointee.ai_addrlen) == 0, listen(descriptor, 1) == 0
            else {
                failure = errno
                return nil
            }
            let number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
            }
            let bytes = stride(from: 24, through: 0, by: -8).map { String(number >> UInt32($0) & 0xff) }
            return Listening(text: bytes.joined(separator: ".") + ":\(port)", isPrivate: Self.isPrivate(number))
        }
        guard let found else {
            throw SQLiteError(
                .cannotOpen, "a node can't listen at \(host):\(port): \(String(cString: strerror(failure)))")
        }
        return found
    }

    private static func isPrivate(_ address: UInt32) -> Bool {
        let networks: [(UInt32, UInt32)] = [
            (0x7f00_0000, 8), (0x0a00_0000, 8), (0xac10_0000, 12), (0xc0a8_0000, 16), (0xa9fe_0000, 16),
            // Shared address space, which isn't routed outside a provider.
            (0x6440_0000, 10),
        ]
        return networks.contains { network, bits in address >> (32 - bits) == network >> (32 - bits) }
    }
}
