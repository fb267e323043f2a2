import DqliteKit
import Foundation
import Testing

private final class Record: PersistingModel {
    var id: Int64?
    var title = ""
}

/// What becomes of objects when a write fails.
@Suite struct ClusterObjectTests {
    /// A node with the table of the class, which hangs up instead of answering a statement.
    private func node(hangingUpOn text: String) throws -> StubNode {
        try StubNode { request in
            guard request.type != 4 else { return .usual }
            if request.text.hasPrefix("PRAGMA main.table_xinfo") {
                return .bytes(
                    Message.rows(
                        ["cid", "name", "type", "notnull", "dflt_value", "pk", "hidden"],
                        [
                            [0, "ID", "INTEGER", 0, .null, 1, 0],
                            [1, "TITLE", "TEXT", 1, .null, 0, 0],
                        ]))
            }
            if request.text.hasPrefix("PRAGMA table_list") {
                return .bytes(
                    Message.rows(
                        ["schema", "name", "type", "ncol", "wr", "strict"], [["main", "RECORD", "table", 2, 0, 0]]))
            }
            if request.text.hasPrefix("SELECT type, tbl_name, sql, name FROM") {
                return .bytes(Message.rows(["type", "tbl_name", "sql", "name"], []))
            }
            if request.text == "PRAGMA database_list" {
                return .bytes(Message.rows(["seq", "name", "file"], [[0, "main", ""]]))
            }
            if request.text == "PRAGMA encoding" { return .bytes(Message.rows(["encoding"], [["UTF-8"]])) }
            if request.text.hasPrefix("PRAGMA main.index") { return .bytes(Message.rows(["seq"], [])) }
            return request.text.hasPrefix(text) ? .hangUp : .usual
        }
    }

    @Test(arguments: ["INSERT", "COMMIT"])
    func anInsertOfUnknownOutcomeLeavesTheObjectAsItWas(_ last: String) throws {
        let node = try node(hangingUpOn: last)
        let manager = try node.manager()
        let record = Record()
        record.title = "a"
        let error = clusterFailure {
            if last == "INSERT" {
                try manager.save(record)
            } else {
                try manager.transaction { try manager.save(record) }
            }
        }
        #expect(error?.outcome == .unknown)
        #expect(record.id == nil && !record.isPersisted)
        #expect(node.statements.count { $0.hasPrefix("INSERT") } == 1)
    }

    @Test func anInsertThatFailsBeforeTheCommitIsNotApplied() throws {
        let node = try node(hangingUpOn: "INSERT")
        let manager = try node.manager()
        let record = Record()
        let error = #expect(throws: PersistenceError.self) { try manager.transaction { try manager.save(record) } }
        #expect(error?.outcome == .notApplied)
        #expect(record.id == nil && !record.isPersisted)
    }
}
