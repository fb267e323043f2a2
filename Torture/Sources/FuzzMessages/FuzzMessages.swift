import DqliteKit
import Foundation
import Fuzzing

/// Reads what libFuzzer makes up as the answers of a cluster's node.
///
/// A node that leads accepts the connection, opens the database and begins a transaction; what it sends then is made
/// up. The first byte says what is asked. It is an answer, or an error of the library's.
@main struct FuzzMessages {
    static func main() throws {
        Fuzzing.run { data in
            guard let choice = data.first else { return }
            let node = try Node(answers: Array(data.dropFirst()))
            defer { node.hangUp() }
            var configuration = ClusterConfiguration()
            configuration.connect = { _, _ in node.client }
            let manager = try PersistenceManager(Cluster([Node.address], database: "app", configuration: configuration))
            do {
                try manager.transaction { try ask(choice, manager) }
            } catch is SQLiteError {} catch is PersistenceError {}
        }
    }

    private static func ask(_ choice: UInt8, _ manager: PersistenceManager) throws {
        switch choice % 4 {
        case 0: for row in try manager.dictionaries("SELECT x") { _ = "\(row)" }
        case 1: try manager.execute("UPDATE t SET x = ?", [1])
        case 2: _ = try manager.dictionaries("INSERT INTO t VALUES (1) RETURNING x")
        default:
            for person in try manager.fetchAll(Person.self) {
                person.name += "!"
                try manager.save(person)
            }
        }
    }
}

private final class Person: PersistingModel {
    var id: Int64?
    var name = ""
    var height: Double?
    var photo: Data?
}

/// One end of a connection, over which everything has been sent before it is asked for.
private final class Node: Sendable {
    static let address = "node"
    let client: Int32
    private let own: Int32

    init(answers: [UInt8]) throws {
        var ends: [Int32] = [0, 0]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Fuzzing.Found("there is no socket") }
        (client, own) = (ends[0], ends[1])
        let bytes = Self.beginning + answers
        // More than the buffer holds is not sent, as if the node had ended.
        _ = send(own, bytes, bytes.count, Int32(MSG_DONTWAIT))
        shutdown(own, Int32(SHUT_WR))
    }

    func hangUp() { close(own) }

    /// The answers to who leads, to the client's number, to the opening of the database, to the pragma of foreign keys,
    /// to the question for the nodes, and to BEGIN.
    private static let beginning: [UInt8] =
        message(1, word(1) + text(address)) + message(2, word(15_000)) + message(4, word(0))
        + message(6, word(0) + word(0)) + message(3, word(1) + word(1) + text(address) + word(0))
        + message(6, word(0) + word(0))

    private static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [UInt8(body.count / 8), 0, 0, 0, type, 0, 0, 0] + body
    }

    private static func word(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8) + [0]
        return bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
    }
}
