internal import Foundation
internal import SQLiteKit

/// An IPv4 address at which a node can listen.
struct ListeningAddress {
    /// As libdqlite takes it.
    let text: String
    /// Whether it is of this machine or of a private network, so that nobody outside can connect.
    ///
    /// See [RFC 6890](https://www.rfc-editor.org/rfc/rfc6890).
    let isPrivate: Bool

    /// Finds an address, and tries it: libdqlite says no more than that it failed.
    ///
    /// - Parameter text: A host and a port.
    /// - Throws: `.cannotOpen` when the port is in use, or the address is another machine's.
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
            throw SQLiteError(.cannotOpen, "a node can't listen at '\(text)': libdqlite listens on IPv4 only")
        }
        let failure = Self.tryListening(at: address)
        guard failure == 0 else {
            throw SQLiteError(.cannotOpen, "a node can't listen at '\(text)': \(String(cString: strerror(failure)))")
        }
        let number = address.bytes.withUnsafeBytes {
            UInt32(bigEndian: $0.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr)
        }
        let bytes = stride(from: 24, through: 0, by: -8).map { String(number >> UInt32($0) & 0xff) }
        self.text = bytes.joined(separator: ".") + ":" + port
        isPrivate = Self.isPrivate(number)
    }

    /// - Returns: 0, or an error of the system.
    private static func tryListening(at address: SocketAddress) -> Int32 {
        let descriptor = socket(address.family, streamSocket, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var on: Int32 = 1
        // As libdqlite does: a port that was used a moment ago is free.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout.size(ofValue: on)))
        let code = address.bytes.withUnsafeBytes { bytes in
            bind(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        return code == 0 && listen(descriptor, 1) == 0 ? 0 : errno
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
