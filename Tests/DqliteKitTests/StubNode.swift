import DqliteKit
import Foundation
import SQLiteKit

/// What listens as a node does, and answers as a test says: what real nodes can't be made to send.
final class StubNode: Sendable {
    /// A request that has come.
    struct Request: Sendable {
        let type: UInt8
        /// The SQL text, also of a statement that was prepared before; the name of the database for an open.
        let text: String
    }

    /// What is done in answer.
    enum Reply: Sendable {
        /// Sends bytes.
        case bytes([UInt8])
        /// Sends nothing, and waits for the next request.
        case silence
        /// Closes the connection.
        case hangUp
        /// What a node would do.
        case usual
    }

    let address: String
    private let listener: Int32
    private let answer: @Sendable (Request) -> Reply
    private let log = Log()

    private final class Log: Sendable {
        let lock = NSLock()
        nonisolated(unsafe) var requests: [Request] = []
        nonisolated(unsafe) var connections: [Int32] = []
        nonisolated(unsafe) var isClosed = false
    }

    /// - Parameter answer: Called with each request.
    init(_ answer: @escaping @Sendable (Request) -> Reply = { _ in .usual }) throws {
        self.answer = answer
        listener = socket(AF_INET, Self.stream, 0)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout.size(ofValue: target))
        let listener = listener
        let code = withUnsafeMutablePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                guard bind(listener, target, size) == 0, listen(listener, 64) == 0 else { return Int32(-1) }
                return getsockname(listener, target, &size)
            }
        }
        guard code == 0 else { throw SQLiteError(.cannotOpen, String(cString: strerror(errno))) }
        address = "127.0.0.1:\(UInt16(bigEndian: target.sin_port))"
        Thread.detachNewThread { [weak self] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                guard let node = self, node.add(connection) else {
                    close(connection)
                    continue
                }
                Thread.detachNewThread { [weak node] in node?.serve(connection) }
            }
            close(listener)
        }
    }

    deinit { stop() }

    /// Ends all connections, and accepts no more.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        log.lock.withLock { log.isClosed = true }
        hangUp()
    }

    /// Ends all connections.
    func hangUp() {
        log.lock.withLock { for connection in log.connections { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    private static var stream: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    /// The requests that have come.
    var requests: [Request] { log.lock.withLock { log.requests } }

    /// The SQL texts that were to be run, in order, without those that a connection, a write or a manager's first
    /// transaction begins with.
    var statements: [String] {
        requests.filter { (5...6).contains($0.type) || (8...9).contains($0.type) }.map(\.text).filter {
            !$0.hasPrefix("PRAGMA foreign_keys") && $0 != "PRAGMA schema_version" && !$0.hasPrefix(Self.historyQuestion)
        }
    }

    /// What asks whether the database has histories, which it hasn't.
    private static let historyQuestion = "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = "

    private func add(_ connection: Int32) -> Bool {
        log.lock.withLock {
            log.connections.append(connection)
            return !log.isClosed
        }
    }

    private func serve(_ connection: Int32) {
        defer {
            log.lock.withLock { log.connections.removeAll { $0 == connection } }
            close(connection)
        }
        guard receive(connection, 8) == [1, 0, 0, 0, 0, 0, 0, 0] else { return }
        var prepared: [String] = []
        while let header = receive(connection, 8) {
            let words = (0..<4).reduce(0) { $0 | Int(header[$1]) << (8 * $1) }
            guard let body = receive(connection, words * 8) else { return }
            var request = Request(type: header[4], text: "")
            func text(_ place: Int) -> String { String(decoding: body[place...].prefix { $0 != 0 }, as: UTF8.self) }
            switch request.type {
            case 3: request = Request(type: 3, text: text(0))
            case 4, 8, 9: request = Request(type: request.type, text: text(8))
            case 5, 6, 7: request = Request(type: request.type, text: prepared[Int(body[4]) | Int(body[5]) << 8])
            default: break
            }
            if request.type == 4 { prepared.append(request.text) }
            log.lock.withLock { log.requests.append(request) }
            var reply = answer(request)
            if case .usual = reply { reply = usual(request, prepared.count - 1) }
            switch reply {
            case .bytes(let bytes): send(connection, bytes)
            case .silence, .usual: break
            case .hangUp: return
            }
        }
    }

    private func usual(_ request: Request, _ statement: Int) -> Reply {
        switch request.type {
        case 0: .bytes(Message.leader(address))
        case 1: .bytes(Message(2).number(0).bytes)
        case 3: .bytes(Message(4).number(0).bytes)
        case 4:
            .bytes(Message(5).number(UInt64(statement) << 32).number(UInt64(request.text.count { $0 == "?" })).bytes)
        case 5, 8: .bytes(Message.result(rowID: 1, changes: 1))
        case 6, 9: .bytes(Message.rows(["n"], request.text.hasPrefix(Self.historyQuestion) ? [] : [[.integer(1)]]))
        case 16: .bytes(Message(3).number(1).number(1).text(address).number(0).bytes)
        default: .bytes(Message(8).number(0).bytes)
        }
    }

    private func receive(_ connection: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var place = 0
        while place < count {
            let got = bytes.withUnsafeMutableBytes { recv(connection, $0.baseAddress! + place, count - place, 0) }
            guard got > 0 else { return nil }
            place += got
        }
        return bytes
    }

    private func send(_ connection: Int32, _ bytes: [UInt8]) {
        #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        var place = 0
        while place < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(connection, $0.baseAddress! + place, bytes.count - place, flags)
            }
            // Who has what he wanted may hang up.
            guard count > 0 else { return }
            place += count
        }
    }
}

/// A message of a node, word by word.
struct Message {
    let type: UInt8
    var body: [UInt8] = []

    init(_ type: UInt8) {
        self.type = type
    }

    func number(_ value: UInt64) -> Message { adding(withUnsafeBytes(of: value.littleEndian) { Array($0) }) }

    func text(_ text: String) -> Message { adding(Array(text.utf8) + [0]) }

    /// Adds bytes, and fills their last word.
    func adding(_ bytes: [UInt8]) -> Message {
        var message = self
        message.body += bytes
        while message.body.count % 8 != 0 { message.body.append(0) }
        return message
    }

    var bytes: [UInt8] { Self.header(type, words: UInt32(body.count / 8)) + body }

    static func header(_ type: UInt8, words: UInt32) -> [UInt8] {
        withUnsafeBytes(of: words.littleEndian) { Array($0) } + [type, 0, 0, 0]
    }

    static func leader(_ address: String) -> [UInt8] { Message(1).number(address.isEmpty ? 0 : 1).text(address).bytes }

    static func failure(_ code: UInt64, _ text: String = "the stub rejects") -> [UInt8] {
        Message(0).number(code).text(text).bytes
    }

    static func result(rowID: UInt64, changes: UInt64) -> [UInt8] { Message(6).number(rowID).number(changes).bytes }

    /// A message of rows.
    ///
    /// - Parameter isLast: Whether no other follows.
    static func rows(_ names: [String], _ rows: [[SQLiteValue]], isLast: Bool = true) -> [UInt8] {
        page(names, rows).adding([UInt8](repeating: isLast ? 0xFF : 0xEE, count: 8)).bytes
    }

    /// The same without its end.
    static func page(_ names: [String], _ rows: [[SQLiteValue]]) -> Message {
        var message = Message(7).number(UInt64(names.count))
        for name in names { message = message.text(name) }
        for row in rows {
            let types = row.map { UInt8($0.storageClass.rawValue) }
            message = message.row(types, row)
        }
        return message
    }

    /// A row whose values are said to be of some classes.
    func row(_ types: [UInt8], _ values: [SQLiteValue]) -> Message {
        let pairs = stride(from: 0, to: types.count, by: 2).map { index in
            types[index] | (index + 1 < types.count ? types[index + 1] << 4 : 0)
        }
        var message = adding(pairs)
        for value in values {
            switch value {
            case .null: message = message.number(0)
            case .integer(let value): message = message.number(UInt64(bitPattern: value))
            case .real(let value): message = message.number(value.bitPattern)
            case .text(let text): message = message.text(text)
            case .blob(let data): message = message.number(UInt64(data.count)).adding(Array(data))
            }
        }
        return message
    }
}

extension StubNode {
    /// A manager whose cluster is this node.
    func manager(_ change: (inout ClusterConfiguration) -> Void = { _ in }) throws -> PersistenceManager {
        var configuration = ClusterConfiguration()
        // On a busy machine the node's thread may wait for seconds.
        configuration.connectTimeout = .seconds(10)
        configuration.requestTimeout = .seconds(120)
        change(&configuration)
        return try PersistenceManager(Cluster([address], database: "test", configuration: configuration))
    }

    /// A node that answers a query with some bytes, and all else as a node does.
    static func answering(_ sql: String, _ bytes: [UInt8]) throws -> StubNode {
        try StubNode { $0.text == sql && $0.type != 4 ? .bytes(bytes) : .usual }
    }
}

/// The error that `body` throws; nil when it throws none, or another.
func clusterFailure<T>(_ body: () throws -> T) -> SQLiteError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? SQLiteError ?? (error as? PersistenceError)?.sqliteError
    }
}
