import DqliteKit
import Foundation
import NodeProcesses
import SQLiteKit
import Testing

/// What strangers send to the port of a node: libdqlite's own assertions end the program for some of it.
@Suite("Strangers at a node's port", .realNodes)
struct NodeStrangerTests {
    private static let version: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    private static let legacy: [UInt8] = [0xe5, 0x3f, 0x43, 0x60, 0xd7, 0x4d, 0x10, 0x86]

    /// A message with a header that says how long it is.
    private static func message(_ type: UInt8, _ body: [UInt8], words: UInt32? = nil, schema: UInt8 = 0) -> [UInt8] {
        let whole = body + Array(repeating: 0, count: (8 - body.count % 8) % 8)
        let count = words ?? UInt32(whole.count / 8)
        return withUnsafeBytes(of: count.littleEndian) { Array($0) } + [type, schema, 0, 0] + whole
    }

    /// Sends bytes, and waits until the node has read them: it answers, closes the connection or is silent.
    private func send(_ bytes: [UInt8], to address: String, milliseconds: Int32) throws {
        let descriptor = try connectedSocket(to: address)
        defer { close(descriptor) }
        #if os(Linux)
            let flags = CInt(MSG_NOSIGNAL)
        #else
            let flags: CInt = 0
        #endif
        _ = Foundation.send(descriptor, bytes, bytes.count, flags)
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&state, 1, milliseconds)
    }

    @Test("A message that isn't right ends no node", arguments: [version, legacy])
    func wrong(_ version: [UInt8]) throws {
        let store = try NoteStore(1)
        let node = store.nodes.nodes[0]
        let ones = [UInt8](repeating: 0xff, count: 64)
        for type in UInt8(0)...40 {
            for body in [[], [UInt8](repeating: 0, count: 8), ones, Array("a".utf8), Array(repeating: 1, count: 16)] {
                try send(version + Self.message(type, body), to: node.address, milliseconds: 1)
            }
            for words in [0, 1 << 29, 1 << 20, UInt32.max] as [UInt32] {
                try send(version + Self.message(type, [], words: words), to: node.address, milliseconds: 1)
            }
        }
        #expect(node.isRunning)
        try store.insert(1)
        #expect(try store.numbers() == [1])
    }

    @Test("Random changes of right messages end no node") func random() throws {
        let store = try NoteStore(1)
        let node = store.nodes.nodes[0]
        var generator = Random(state: 7)
        let database = Array("stranger\0\0\0\0\0\0\0\0".utf8) + [UInt8](repeating: 0, count: 16)
        let sql = Array("SELECT ?, ?\0\0\0\0\0".utf8)
        let parameters: [UInt8] = [2, 1, 3, 0, 0, 0, 0, 0] + Array(repeating: 9, count: 8) + Array("text\0\0\0\0".utf8)
        let zero = [UInt8](repeating: 0, count: 8)
        let right: [[UInt8]] = [
            Self.message(0, zero), Self.message(3, database), Self.message(4, zero + sql),
            Self.message(5, zero + parameters), Self.message(6, zero + parameters), Self.message(7, zero),
            Self.message(9, zero + sql + parameters), Self.message(10, zero), Self.message(16, zero),
            Self.message(18, zero), Self.message(15, database),
        ]
        for _ in 0..<1_500 {
            var bytes = Self.version
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                var message = right.randomElement(using: &generator) ?? []
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    let place = Int.random(in: 0..<message.count, using: &generator)
                    message[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
                }
                if Bool.random(using: &generator) { message.removeLast(8) }
                bytes += message
            }
            try send(bytes, to: node.address, milliseconds: 1)
        }
        #expect(node.isRunning)
        try store.insert(1)
        #expect(try store.numbers() == [1])
    }

    @Test("A wrong message of Raft ends no node") func raft() throws {
        let store = try NoteStore(1)
        let node = store.nodes.nodes[0]
        let hello = Self.message(11, [9, 0, 0, 0, 0, 0, 0, 0] + Array("127.0.0.1:1\0".utf8))
        for type in UInt64(0)...7 {
            for length in [0, 7, 8, 24, 1 << 20, 1 << 40, UInt64.max] {
                let preamble = [type, length].flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
                for body in [[], [UInt8](repeating: 0xff, count: 64)] {
                    try send(Self.version + hello + preamble + body, to: node.address, milliseconds: 1)
                }
            }
        }
        #expect(node.isRunning)
        try store.insert(1)
    }

    @Test("Connections that send nothing keep nobody out") func silent() throws {
        let store = try NoteStore(1)
        let node = store.nodes.nodes[0]
        let silent = try (0..<200).map { _ in try connectedSocket(to: node.address) }
        defer { for descriptor in silent { close(descriptor) } }
        try store.insert(1)
        #expect(try store.numbers() == [1])
    }

    @Test("A request that comes byte by byte is answered") func slow() throws {
        let store = try NoteStore(1)
        let descriptor = try connectedSocket(to: store.nodes.nodes[0].address)
        defer { close(descriptor) }
        for byte in Self.version + Self.message(0, [UInt8](repeating: 0, count: 8)) {
            #expect(Foundation.send(descriptor, [byte], 1, 0) == 1)
        }
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&state, 1, 5_000) == 1)
        var answer = [UInt8](repeating: 0, count: 64)
        #expect(recv(descriptor, &answer, answer.count, 0) > 8)
        #expect(answer[4] == 1)
    }
}

/// Numbers that are the same in each run.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33 ^ state << 31
    }
}
