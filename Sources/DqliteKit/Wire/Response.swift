internal import Foundation
internal import SQLiteKit

/// The eight bytes before a body.
struct MessageHeader {
    /// The length of the body in bytes.
    let length: Int
    let type: UInt8

    static let size = 8
    /// The longest body that is read: more than SQLite's greatest value, which a row of one value fits in.
    static let greatestLength = 1 << 31

    /// - Throws: `.invalidMessage` for a body that is empty or too long.
    init(_ bytes: [UInt8]) throws(SQLiteError) {
        var reader = MessageReader(bytes)
        let words = try reader.uint32()
        type = try reader.byte()
        length = Int(words) * 8
        guard length > 0, length <= Self.greatestLength else {
            throw .invalidMessage("its header says that \(length) bytes follow")
        }
    }
}

/// What a node answers.
enum Response {
    case node(id: UInt64, address: String)
    case welcome
    case nodes([(id: UInt64, address: String, role: UInt64)])
    case database(UInt32)
    case statement(id: UInt32, parameterCount: Int)
    case result(lastInsertRowID: Int64, changes: Int)
    case rows(RowPage)
    case empty
    case files([(name: String, contents: Data)])

    /// - Throws: What the node says has failed; `.invalidMessage`.
    init(_ type: UInt8, _ body: [UInt8]) throws(SQLiteError) {
        guard let type = ResponseType(rawValue: type) else { throw .invalidMessage("its type is \(type)") }
        var reader = MessageReader(body)
        switch type {
        case .failure: throw try SQLiteError(failure: body)
        case .node: self = .node(id: try reader.uint64(), address: try reader.text())
        case .welcome: self = .welcome
        case .nodes: self = .nodes(try reader.nodes())
        case .database: self = .database(try reader.uint32())
        case .statement:
            _ = try reader.uint32()
            let id = try reader.uint32()
            // A number too large is more than any statement has.
            self = .statement(id: id, parameterCount: Int(clamping: try reader.uint64()))
        case .result:
            let rowID = Int64(bitPattern: try reader.uint64())
            self = .result(lastInsertRowID: rowID, changes: Int(clamping: try reader.uint64()))
        case .rows: self = .rows(try RowPage(reader))
        case .empty: self = .empty
        case .files: self = .files(try reader.files())
        }
    }

    /// The error for an answer to another question.
    var unexpected: SQLiteError {
        let kind = String(describing: self).prefix { $0 != "(" }
        return .invalidMessage("it answers another question, with \(kind)")
    }
}

extension SQLiteError {
    /// What a node says has failed: a code, and a text.
    ///
    /// A node that had begun to write rows leaves them before these. So they are found from the end: no byte of the
    /// text is 0, and a code has some that are.
    init(failure body: [UInt8]) throws(SQLiteError) {
        func isText(_ start: Int) -> Bool { !body[start..<start + 8].contains(0) }
        var start = body.count - 8
        while start >= 8, isText(start - 8) { start -= 8 }
        guard start >= 8 else { throw .invalidMessage("it says a failure without a code") }
        var reader = MessageReader(Array(body[(start - 8)...]))
        let number = try reader.uint64()
        let text = try reader.text()
        // Of some failures the node doesn't say the code.
        let code = number == 0 ? .error : ResultCode(rawValue: Int32(truncatingIfNeeded: number))
        self.init(code, text.isEmpty ? "the node says no more" : text)
    }
}

extension MessageReader {
    fileprivate mutating func nodes() throws(SQLiteError) -> [(id: UInt64, address: String, role: UInt64)] {
        var nodes: [(id: UInt64, address: String, role: UInt64)] = []
        for _ in 0..<(try count(of: "nodes", each: 24)) {
            nodes.append((try uint64(), try text(), try uint64()))
        }
        return nodes
    }

    fileprivate mutating func files() throws(SQLiteError) -> [(name: String, contents: Data)] {
        var files: [(name: String, contents: Data)] = []
        for _ in 0..<(try count(of: "files", each: 16)) {
            let name = try text()
            files.append((name, Data(bytes[try blobRange()])))
        }
        return files
    }
}
