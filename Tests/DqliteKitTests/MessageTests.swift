import DqliteKit
import Foundation
import Testing

/// What a node sends, to the byte.
@Suite struct MessageTests {
    /// The values of the one row that a node answers with.
    private func row(_ message: [UInt8]) throws -> [String: SQLiteValue] {
        let node = try StubNode.answering("SELECT x", message)
        return try #require(try node.manager().dictionaries("SELECT x").first)
    }

    private func failure(_ message: [UInt8]) throws -> SQLiteError? {
        let node = try StubNode.answering("SELECT x", message)
        let manager = try node.manager()
        return clusterFailure { try manager.dictionaries("SELECT x") }
    }

    @Test func valuesOfEachClassAreRead() throws {
        let row = try row(
            Message.rows(
                ["i", "r", "t", "b", "n"],
                [[.integer(-7), .real(0.5), .text("ångström"), .blob(Data([0, 255, 1])), .null]]))
        #expect(row["i"] == .integer(-7))
        #expect(row["r"] == .real(0.5))
        #expect(row["t"] == .text("ångström"))
        #expect(row["b"] == .blob(Data([0, 255, 1])))
        #expect(row["n"] == .null)
    }

    @Test func datesAndBooleansOfOtherClientsAreWhatIsStored() throws {
        let message = Message(7).number(3).text("u").text("d").text("b")
            .row([9, 10, 11], [.integer(5), .text("2020-01-01"), .integer(1)])
            .adding([UInt8](repeating: 0xFF, count: 8))
        let row = try row(message.bytes)
        #expect(row["u"] == .integer(5))
        #expect(row["d"] == .text("2020-01-01"))
        #expect(row["b"] == .integer(1))
    }

    @Test func emptyTextsAndBlobsAreNotNull() throws {
        let row = try row(Message.rows(["t", "b"], [[.text(""), .blob(Data())]]))
        #expect(row["t"] == .text(""))
        #expect(row["b"] == .blob(Data()))
    }

    @Test func rowsOfSeveralMessagesAreOneResult() throws {
        let first = Message.rows(["n"], (0..<3).map { [.integer($0)] }, isLast: false)
        let last = Message.rows(["n"], (3..<5).map { [.integer($0)] })
        let node = try StubNode.answering("SELECT x", first + last)
        let rows = try node.manager().dictionaries("SELECT x")
        #expect(rows.map { $0["n"] } == (0..<5).map { .integer($0) })
    }

    @Test func moreColumnsThanAWordHoldsClassesOfAreRead() throws {
        let names = (0..<37).map { "c\($0)" }
        let row = try row(Message.rows(names, [(0..<37).map { .integer($0) }]))
        #expect(names.indices.allSatisfy { row["c\($0)"] == .integer(Int64($0)) })
    }

    @Test func aMessageThatIsCutAnywhereThrows() throws {
        let whole = Message.rows(["i", "t", "b"], [[.integer(1), .text("text"), .blob(Data([1, 2]))]])
        let body = whole.dropFirst(8)
        for words in 1..<(body.count / 8) {
            let cut = Message(7).adding(Array(body.prefix(words * 8))).bytes
            #expect(try failure(cut)?.extendedCode == .invalidMessage, "after \(words) words")
        }
    }

    @Test(arguments: [
        Message(7).number(.max).bytes,
        Message(7).number(1 << 62).text("a").bytes,
        Message(7).number(0).row([], []).adding([UInt8](repeating: 1, count: 8)).bytes,
        // A blob longer than the message, and one whose length overflows.
        Message(7).number(1).text("b").adding([4]).number(1 << 40).number(0).bytes,
        Message(7).number(1).text("b").adding([4]).number(.max).number(0).bytes,
        // A text without an end.
        Message(7).number(1).text("t").adding([3]).adding([UInt8](repeating: 65, count: 8)).bytes,
        // A class that there isn't.
        Message(7).number(1).text("t").adding([7]).number(0).bytes,
        // Another answer, an unknown one, and a body of no words or of too many.
        Message(6).number(0).number(0).bytes,
        Message(99).number(0).bytes,
        Message.header(7, words: 0),
        Message.header(7, words: .max),
    ]) func anAbsurdMessageThrows(_ message: [UInt8]) throws {
        #expect(try failure(message)?.extendedCode == .invalidMessage)
    }

    @Test func aCountOfNodesThatIsAbsurdThrows() throws {
        let node = try StubNode { $0.type == 16 ? .bytes(Message(3).number(1 << 60).number(1).bytes) : .usual }
        let cluster = try Cluster([node.address], database: "test")
        #expect(clusterFailure { try cluster.members() }?.extendedCode == .invalidMessage)
    }

    @Test func bytesThatWereChangedAtRandomNeverTrap() throws {
        let whole = Message.rows(
            ["i", "t", "b", "r"], (0..<4).map { [.integer($0), .text("t"), .blob(Data([1])), .real(1)] })
        let node = try StubNode { request in
            guard request.text == "SELECT x", request.type != 4 else { return .usual }
            var random = SystemRandomNumberGenerator()
            var bytes = whole
            for _ in 0..<3 {
                bytes[.random(in: 8..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            return .bytes(bytes)
        }
        for _ in 0..<100 {
            let manager = try node.manager {
                $0.requestTimeout = .milliseconds(50)
            }
            do { _ = try manager.dictionaries("SELECT x") } catch let error as SQLiteError {
                #expect([.invalidMessage, .requestTimeout, .invalidText].contains(error.extendedCode))
            }
        }
    }

    @Test func whatANodeSaysHasFailedIsSQLitesError() throws {
        let error = try failure(Message.failure(2067, "UNIQUE constraint failed: album.title"))
        #expect(error?.extendedCode == .constraintUnique)
        #expect(error?.columns == ["title"])
        #expect(error?.sql == "SELECT x")
    }

    // Measured: a query that fails at a row is answered with what had been written of the rows, and then with this.
    @Test func aFailureAfterRowsIsFound() throws {
        let message = Message.page(["sum(a)", "b"], [[.integer(7), .text("x")]]).number(2067).text("UNIQUE failed: t.b")
        let error = try failure(Message(0).adding(message.body).bytes)
        #expect(error?.extendedCode == .constraintUnique)
        #expect(error?.message == "UNIQUE failed: t.b")
    }

    @Test func aFailureWithoutACodeIsAnError() throws {
        #expect(try failure(Message.failure(0, "not an error"))?.extendedCode == .error)
    }

    @Test func textThatIsNotUTF8Throws() throws {
        let message = Message(7).number(1).text("t").adding([3]).adding([0xFF, 0xFE, 0])
            .adding([UInt8](repeating: 0xFF, count: 8))
        #expect(try failure(message.bytes)?.extendedCode == .invalidText)
    }
}
