internal import Foundation
internal import SQLiteKit

/// An IPv4 address at which a node can listen.
struct ListeningAddress {
    /// The address with numbers instead of names.
    let text: String
    private let address: SocketAddress
    /// Whether the address is on this machine or in a private network, so that nobody outside can connect.
    ///
    /// See [RFC 6890](https://www.rfc-editor.org/rfc/rfc6890).
    let isPrivate: Bool

    /// Resolves an address.
    ///
    /// - Parameter text: A host and a port.
    /// - Throws: `.invalidAddress`; `.cannotOpen` if the host has no IPv4 address; and what ``listen()`` throws.
    init(_ text: String) throws(SQLiteError) {
        guard case .internet(_, let port) = try NodeAddress(text) else {
            throw SQLiteError(.invalidAddress, "a node can't listen at '\(text)': write a host and a port, or @name")
        }
        let addresses: [SocketAddress]
        do {
            addresses = try NodeAddress(text).resolved().filter { $0.family == AF_INET }
        } catch {
            throw SQLiteError(.cannotOpen, "a node can't listen at '\(text)': \(error.message)")
        }
        guard let address = addresses.first else {
            throw SQLiteError(.cannotOpen, "a node can't listen at '\(text)': nodes listen on IPv4 only")
        }
        let number = address.bytes.withUnsafeBytes {
            UInt32(bigEndian: $0.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr)
        }
        let bytes = stride(from: 24, through: 0, by: -8).map { String(number >> UInt32($0) & 0xff) }
        self.address = address
        self.text = bytes.joined(separator: ".") + ":" + port
        isPrivate = Self.isPrivate(number)
        // An error that the address is another machine's or in use is more helpful than one that it is public.
        close(try listen())
    }

    /// Returns a socket that listens at the address.
    ///
    /// - Throws: `.cannotOpen` if the port is in use, or the address is another machine's.
    func listen() throws(SQLiteError) -> Int32 {
        let descriptor = openStreamSocket(address.family)
        guard descriptor >= 0 else { throw failure() }
        var on: Int32 = 1
        // Allows a port that was in use a moment ago.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout.size(ofValue: on)))
        // Accepted sockets inherit this option.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout.size(ofValue: on)))
        let code = address.bytes.withUnsafeBytes { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            // getaddrinfo returned these bytes, and every kind of address begins like a sockaddr.
            return bind(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard code == 0, Foundation.listen(descriptor, 128) == 0 else {
            let failure = failure()
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    private func failure() -> SQLiteError {
        SQLiteError(.cannotOpen, "a node can't listen at '\(text)': \(String(cString: strerror(errno)))")
    }

    private static func isPrivate(_ address: UInt32) -> Bool {
        let networks: [(network: UInt32, bits: UInt32)] = [
            (0x7f00_0000, 8), (0x0a00_0000, 8), (0xac10_0000, 12), (0xc0a8_0000, 16), (0xa9fe_0000, 16),
            // Shared address space, which isn't routed outside a provider.
            (0x6440_0000, 10),
        ]
        return networks.contains { network, bits in address >> (32 - bits) == network >> (32 - bits) }
    }
}
