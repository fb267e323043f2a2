internal import Foundation
internal import SQLiteKit

/// Where a node listens.
enum NodeAddress: Equatable {
    /// A host's name or number, and a port.
    case internet(host: String, port: String)
    /// The path of a Unix domain socket.
    case path(String)
    /// The name of a Unix domain socket without a file. Only Linux has these.
    case abstract(String)

    /// - Parameter text: `host:port`, `[IPv6 address]:port`, `/path`, or `@name`.
    /// - Throws: `.invalidAddress`.
    init(_ text: String) throws(SQLiteError) {
        if text.hasPrefix("/") {
            self = .path(text)
        } else if text.hasPrefix("@") {
            self = .abstract(String(text.dropFirst()))
        } else if let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) ?? 0 > 0 {
            var host = String(text[..<colon])
            let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]")
            if isInBrackets { host = String(host.dropFirst().dropLast()) }
            self = .internet(host: host, port: String(text[text.index(after: colon)...]))
            // The last part of an IPv6 address without brackets looks like a port.
            guard !host.isEmpty, !host.utf8.contains(0), isInBrackets || !host.contains(":") else {
                throw Self.invalid(text)
            }
            return
        } else {
            throw Self.invalid(text)
        }
        let isWhole = text.utf8.count > 1 && !text.utf8.contains(0)
        guard isWhole, text.utf8.count < Self.greatestPathLength else { throw Self.invalid(text) }
    }

    /// How many bytes fit into a Unix domain socket's address.
    private static let greatestPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private static func invalid(_ text: String) -> SQLiteError {
        SQLiteError(
            .invalidAddress,
            "\"\(text)\" isn't the address of a node: write host:port, [IPv6 address]:port, /path, or @name")
    }

    /// The addresses to connect to: several when a host's name has more than one.
    func resolved() throws(SQLiteError) -> [SocketAddress] {
        switch self {
        case .internet(let host, let port): try Self.resolve(host, port)
        case .path(let path): [SocketAddress(path: Array(path.utf8) + [0])]
        case .abstract(let name): [SocketAddress(path: [0] + Array(name.utf8))]
        }
    }

    private static func resolve(_ host: String, _ port: String) throws(SQLiteError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = streamSocket
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, port, &hints, &list)
        guard code == 0 else {
            throw SQLiteError(
                .connectionLost, "the host \(host) can't be found: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            if let address = info.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
                found.append(SocketAddress(family: info.ai_family, bytes: Array(bytes)))
            }
            next = info.ai_next
        }
        return found
    }
}

/// An address in the form that the system uses.
struct SocketAddress {
    let family: Int32
    let bytes: [UInt8]

    init(family: Int32, bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// The address of a Unix domain socket.
    init(path: [UInt8]) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        family = AF_UNIX
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        bytes = withUnsafeBytes(of: address) { Array($0.prefix(start)) } + path
    }
}

#if canImport(Darwin) || canImport(Musl)
    let streamSocket = SOCK_STREAM
#else
    let streamSocket = Int32(SOCK_STREAM.rawValue)
#endif

/// Returns a new socket that no process inherits, or -1.
///
/// Where it can be, it is made so in one call: another thread may start a process at any time, and a child that holds a
/// listening socket keeps its port in use.
func openStreamSocket(_ family: Int32) -> Int32 {
    #if canImport(Glibc)
        return socket(family, streamSocket | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
        let descriptor = socket(family, streamSocket, 0)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    #endif
}
