import Persisting
import SQLiteKit
import Testing

@Suite("A transaction that a value ends while it is stored")
struct EndedTransactionTests {
    private let manager: PersistenceManager
    private let ender = Ender()

    init() throws {
        manager = try memoryManager(Ender.self)
        ender.text = "before"
        try manager.insert(ender)
    }

    @Test("isn't written in", arguments: ["ROLLBACK", "COMMIT"], ["update", "insert", "delete and insert"])
    func ended(sql: String, verb: String) throws {
        let end = Ending { [manager] in try manager.execute(SQL(sql)) }
        let object = verb == "update" ? ender : Ender()
        #expect(throws: (any Error).self) {
            try manager.transaction {
                if verb == "delete and insert" { try manager.delete(ender) }
                object.text = "after"
                object.end = end
                try manager.save(object)
            }
        }
        #expect(try manager.storedColumn("SELECT TEXT FROM ENDER") == [.text("before")])
        #expect(ender.isPersisted)
        object.end = Ending()
        try manager.save(object)
        #expect(try manager.storedColumn("SELECT TEXT FROM ENDER").last == .text("after"))
    }
}

/// A value that runs something when it is stored.
private struct Ending: SQLiteValueConvertible {
    var body: (@Sendable () throws -> Void)?

    init(_ body: (@Sendable () throws -> Void)? = nil) {
        self.body = body
    }

    init(sqliteValue: SQLiteValue) {}

    func sqliteValue() throws -> SQLiteValue {
        try body?()
        return .integer(1)
    }
}

private final class Ender: PersistingModel {
    var id: Int64?
    var text = ""
    var end = Ending()
}
