import Foundation

/// A few messages of the protocol by their bytes, so that the tests of a node need no client.
final class RawConnection {
    private let descriptor: Int32

    struct Failure: Error {}

    init(_ address: String) throws {
        descriptor = try connectedSocket(to: address)
        var time = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout.size(ofValue: time)))
        // The version.
        try send([1, 0, 0, 0, 0, 0, 0, 0])
    }

    deinit { close(descriptor) }

    /// The address of the leader, as the node says; empty when it knows none.
    func leader() throws -> String {
        try send(Self.leaderRequest)
        let header = try receive(8)
        let words = Int(header[0]) | Int(header[1]) << 8
        let body = try receive(words * 8)
        // A number, and a text.
        guard header[4] == 1, body.count >= 8 else { throw Failure() }
        return String(decoding: body[8...].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Asks many times, and closes the connection without a look at the answers.
    func askAndGo(_ count: Int) throws {
        try send(Array(repeatElement(Self.leaderRequest, count: count).joined()))
    }

    private static let leaderRequest: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)

    private func send(_ bytes: [UInt8]) throws {
        #if os(Linux)
            let flags = CInt(MSG_NOSIGNAL)
        #else
            let flags: CInt = 0
        #endif
        guard Foundation.send(descriptor, bytes, bytes.count, flags) == bytes.count else { throw Failure() }
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var place = 0
        while place < count {
            let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + place, count - place, 0) }
            guard got > 0 else { throw Failure() }
            place += got
        }
        return bytes
    }
}
