internal import SQLiteKit

/// Checks what comes from outside before libdqlite reads it, which ends the program for some messages that aren't
/// right.
///
/// It knows the requests of the protocol, each of which must be whole and as long as it says, and the messages of Raft
/// that follow a request to connect, of which it checks the lengths. What the messages ask for is up to libdqlite.
struct RequestGuard {
    private enum Stage {
        case version, requests, raft
    }

    private var stage = Stage.version
    /// What has come and isn't a whole message yet.
    private var pending: [UInt8] = []
    /// How many of these bytes are whole messages.
    private var checked = 0
    /// How many bytes of entries or of a snapshot follow the header of the last message of Raft.
    private var payload = 0
    /// Whether a whole message has come.
    private(set) var hasBegun = false

    /// A message that isn't one of the protocol.
    struct Rejection: Error {}

    /// The most bytes of a request: SQLite holds no longer value.
    private static let greatestRequest = 1 << 30
    /// How many bytes versions of libraft add to what an earlier one sent: 1 word in 0.15.
    private static let spare = 64
    private static let greatestHeaderOfRaft = 1 << 24
    private static let greatestPayloadOfRaft = 1 << 40

    /// Takes bytes as they come.
    ///
    /// - Returns: The whole messages among them and what came before, for libdqlite; nothing before the first request
    ///   is whole.
    /// - Throws: ``Rejection``.
    mutating func take(_ bytes: ArraySlice<UInt8>) throws(Rejection) -> [UInt8] {
        pending += bytes
        while let count = try nextCount(from: checked) { checked += count }
        // The version alone begins nothing.
        guard checked > 8 || hasBegun else { return [] }
        hasBegun = true
        let passed = Array(pending.prefix(checked))
        pending.removeFirst(checked)
        checked = 0
        return passed
    }

    /// How many of the bytes from a place are a whole message; nil when more must come.
    private mutating func nextCount(from place: Int) throws(Rejection) -> Int? {
        let count = pending.count - place
        switch stage {
        case .version:
            guard count >= 8 else { return nil }
            guard Array(pending[place..<place + 8]) == Request.handshake else { throw Rejection() }
            stage = .requests
            return 8
        case .requests:
            guard count >= MessageHeader.size else { return nil }
            let words = Int(number(at: place, bytes: 4))
            let length = words * 8
            guard words > 0, length <= Self.greatestRequest else { throw Rejection() }
            guard count >= MessageHeader.size + length else { return nil }
            let body = pending[place + MessageHeader.size..<place + MessageHeader.size + length]
            let type = pending[place + 4]
            do {
                try Self.check(type, schema: pending[place + 5], Array(body))
            } catch {
                throw Rejection()
            }
            if type == Self.connect { stage = .raft }
            return MessageHeader.size + length
        case .raft:
            return try nextCountOfRaft(from: place, count)
        }
    }

    private func number(at place: Int, bytes count: Int) -> UInt64 {
        pending[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Requests.
extension RequestGuard {
    /// The request by which a node becomes a peer of Raft.
    private static let connect: UInt8 = 11
    private static let describe: UInt8 = 18
    private static let weight: UInt8 = 19

    /// Throws for a body that isn't one of the type's.
    private static func check(_ type: UInt8, schema: UInt8, _ body: [UInt8]) throws(SQLiteError) {
        var reader = MessageReader(body)
        switch RequestType(rawValue: type) {
        case .leader, .client, .interrupt, .remove, .transfer: _ = try reader.uint64()
        case .cluster: guard try reader.uint64() <= 1 else { throw .invalidMessage("the format is unknown") }
        case .open:
            _ = try reader.textRange()
            _ = try reader.uint64()
            _ = try reader.textRange()
        case .prepare:
            _ = try reader.uint64()
            _ = try reader.textRange()
        case .execute, .query:
            _ = try reader.uint64()
            try reader.skipParameters(schema: schema)
        case .finalize: _ = try reader.uint64()
        case .executeSQL, .querySQL:
            _ = try reader.uint64()
            _ = try reader.textRange()
            try reader.skipParameters(schema: schema)
        case .add:
            _ = try reader.uint64()
            _ = try reader.textRange()
        case .assign:
            _ = try reader.uint64()
            if reader.remaining > 0 { _ = try reader.uint64() }
        case .dump: _ = try reader.textRange()
        case nil:
            switch type {
            case connect:
                _ = try reader.uint64()
                _ = try reader.textRange()
            case describe: guard try reader.uint64() == 0 else { throw .invalidMessage("the format is unknown") }
            case weight: _ = try reader.uint64()
            default: throw .invalidMessage("there is no request of type \(type)")
            }
        }
        guard reader.remaining == 0 else { throw .invalidMessage("\(reader.remaining) bytes follow the request") }
    }
}

extension MessageReader {
    /// Skips the values of a statement's parameters.
    fileprivate mutating func skipParameters(schema: UInt8) throws(SQLiteError) {
        // Without parameters nothing may follow.
        if remaining == 0 { return }
        let start = place
        guard schema <= 1 else { throw .invalidMessage("the schema is unknown") }
        let count = schema == 0 ? Int(try byte()) : Int(try uint32())
        guard count <= remaining else {
            throw .invalidMessage("it counts \(count) values, and \(remaining) bytes follow")
        }
        var types: [UInt8] = []
        types.reserveCapacity(count)
        for _ in 0..<count { types.append(try byte()) }
        // The types end with their last word.
        while (place - start) % 8 != 0 { _ = try byte() }
        for type in types {
            switch ValueType(rawValue: type) {
            case .integer, .real, .null, .unixTime, .boolean: _ = try uint64()
            case .text, .isoDate: _ = try textRange()
            case .blob: _ = try blobRange()
            case nil: throw .invalidMessage("there is no value of type \(type)")
            }
        }
    }
}

/// Messages of Raft, from one node to another: a type, the length of a header, the header, and for some a payload.
extension RequestGuard {
    private mutating func nextCountOfRaft(from place: Int, _ count: Int) throws(Rejection) -> Int? {
        if payload > 0 {
            guard count > 0 else { return nil }
            let part = min(count, payload)
            payload -= part
            return part
        }
        guard count >= 16 else { return nil }
        let (type, length) = (number(at: place, bytes: 8), number(at: place + 8, bytes: 8))
        let range: ClosedRange<UInt64> =
            switch type {
            case 1: 40...UInt64(Self.greatestHeaderOfRaft)  // entries
            case 2: 24...64  // their result
            case 3: 32...64  // a request for votes
            case 4: 16...64  // its result
            case 5: 48...UInt64(Self.greatestHeaderOfRaft)  // a snapshot
            case 6: 24...64  // the end of a wait
            default: throw Rejection()
            }
        guard range.contains(length), length % 8 == 0 else { throw Rejection() }
        guard count >= 16 + Int(length) else { return nil }
        let header = place + 16
        if type == 1 { payload = try lengthOfEntries(header, Int(length)) }
        if type == 5 { payload = try lengthOfSnapshot(header, Int(length)) }
        return 16 + Int(length)
    }

    /// The length of the entries that a header lists.
    private func lengthOfEntries(_ header: Int, _ length: Int) throws(Rejection) -> Int {
        let entries = number(at: header + 32, bytes: 8)
        guard entries <= UInt64(length - 40) / 16, 40 + Int(entries) * 16 + Self.spare >= length else {
            throw Rejection()
        }
        var total = 0
        for entry in 0..<Int(entries) {
            let place = header + 40 + entry * 16
            guard 1...3 ~= pending[place + 8] else { throw Rejection() }
            let size = Int(number(at: place + 12, bytes: 4))
            guard size > 0, size % 8 == 0 else { throw Rejection() }
            total += size
        }
        return total
    }

    private func lengthOfSnapshot(_ header: Int, _ length: Int) throws(Rejection) -> Int {
        let configuration = number(at: header + 32, bytes: 8)
        guard configuration > 0, configuration <= UInt64(length - 48), Int(configuration) + 48 + Self.spare >= length
        else {
            throw Rejection()
        }
        let data = number(at: header + 40 + Int(configuration), bytes: 8)
        guard data > 0, data <= UInt64(Self.greatestPayloadOfRaft) else { throw Rejection() }
        return Int(data)
    }
}
