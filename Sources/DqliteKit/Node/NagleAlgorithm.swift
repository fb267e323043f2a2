internal import Foundation
internal import SQLiteKit

/// Nagle's algorithm, by which a small packet waits until what was sent before it has been acknowledged: 40 ms and more
/// between the parts of an answer that comes in several. libdqlite leaves it on.
enum NagleAlgorithm {
    /// Turns it off for the connections that this process accepts at an address.
    ///
    /// A socket that listens passes the setting on to those it accepts. libdqlite keeps its socket to itself, so it is
    /// looked for among the open ones. Where it isn't found answers are slower, and no less right.
    static func turnOff(at address: String) {
        let addresses = (try? NodeAddress(address).resolved()) ?? []
        let wanted = addresses.filter { $0.family == AF_INET }.map { address in
            address.bytes.withUnsafeBytes { Endpoint($0.loadUnaligned(as: sockaddr_in.self)) }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        for descriptor in names.compactMap({ Int32($0) }) {
            guard let endpoint = Endpoint(descriptor), wanted.contains(endpoint) else { continue }
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// The address and the port of a socket's own end, in IPv4.
    private struct Endpoint: Equatable {
        let address: UInt32
        let port: UInt16

        init(_ name: sockaddr_in) {
            address = name.sin_addr.s_addr
            port = name.sin_port
        }

        /// Nil for a descriptor that is no socket of IPv4.
        init?(_ descriptor: Int32) {
            var name = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutableBytes(of: &name) { bytes in
                getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
            guard code == 0, Int32(name.sin_family) == AF_INET else { return nil }
            self.init(name)
        }
    }
}
