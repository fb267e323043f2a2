import Dispatch
import Foundation
import SQLiteKit
import Testing

/// What hooks, long timeouts and late calls must not do.
@Suite struct MisuseTests {
    // K13
    @Test(arguments: [nil, Duration.seconds(3600)])
    func nothingIsKeptOfCallThatWaitedAndHasEnded(timeout: Duration?) async throws {
        final class Witness: Sendable {}
        var configuration = DatabaseConfiguration()
        configuration.accessTimeout = timeout
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        weak var witness: Witness?
        let (isHeld, mayEnd) = (Signal(), DispatchSemaphore(value: 0))
        async let holder: Void = onThread {
            try queue.read { _ in
                isHeld.send()
                mayEnd.wait()
            }
        }
        await isHeld.wait()
        func wait() async throws {
            let object = Witness()
            witness = object
            DispatchQueue.global().async {
                while queue.waiterCount == 0 { Thread.sleep(forTimeInterval: 0.001) }
                mayEnd.signal()
            }
            try await queue.read { _ in withExtendedLifetime(object) {} }
        }
        try await wait()
        try await holder
        // The thread that ran the closure may be letting go of it still.
        for _ in 0..<1000 where witness != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(witness == nil)
    }

    // K3
    @Test func limitOfStatementIsNotTheScripts() throws {
        let db = try memory("CREATE TABLE t (a)")
        try db.setLimit(.sqlLength, to: 100)
        try db.executeScript(SQL(String(repeating: "INSERT INTO t VALUES (1);\n", count: 100)))
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 100)
    }

    @Test func scriptMayEndInComment() throws {
        try memory().executeScript("SELECT 1; -- the end")
        try memory().executeScript("SELECT 1; /* the end")
        #expect(failure { try memory().executeScript("SELECT 1;\nSELECT (") }?.line == 2)
    }

    // K17
    @Test func hookCannotCloseItsConnection() throws {
        nonisolated(unsafe) let db = try Database(.memory)
        nonisolated(unsafe) var code: ResultCode?
        try db.setAuthorizer { _ in
            code = failure { try db.close() }?.extendedCode
            return .allow
        }
        try db.execute("BEGIN")
        #expect(code == .notAllowedHere)
    }

    // K28
    @Test func searchForCollationCannotUseConnection() throws {
        let queue = try DatabaseQueue(.memory)
        nonisolated(unsafe) var code: ResultCode?
        try queue.withoutTransaction { db in
            try db.execute("CREATE TABLE t (a)")
            try db.setCollationNeeded { _ in
                code = failure { try queue.withoutTransaction { try $0.execute("DROP TABLE t") } }?.extendedCode
                return { _, _ in .orderedSame }
            }
            #expect(try db.column("SELECT a FROM t ORDER BY a COLLATE missing", as: Int.self) == [])
        }
        #expect(code == .notAllowedHere)
    }

    // K23
    @Test func blobThatItsAccessEndedIsClosedOutsideOfIt() throws {
        let queue = try DatabaseQueue(.memory)
        let blob = try queue.write { db in
            try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(10))")
            return try db.openBlob(table: "t", column: "a", rowID: 1)
        }
        try blob.close()
        #expect(failure { try blob.read() }?.extendedCode == .closed)
    }

    // K35
    @Test func integrityCheckTakesAnyLimit() throws {
        #expect(try memory().integrityCheck(limit: .max) == [])
        #expect(try memory().integrityCheck(limit: .min) == [])
    }

    // K9, of interest under the thread sanitizer
    @Test func resultSetIsUsedTooLateWhileOthersHaveTheConnection() async throws {
        let queue = try DatabaseQueue(.memory)
        async let others: Void = onThread { for _ in 0..<300 { try queue.read { _ in } } }
        let codes = try await onThread {
            try (0..<300).map { _ in
                let rows = try queue.read { db in
                    let rows = try db.query("SELECT 1 UNION SELECT 2")
                    _ = try rows.next()
                    return rows
                }
                return failure { try rows.next() }?.extendedCode
            }
        }
        try await others
        #expect(codes.allSatisfy { $0 == .expired })
    }
}
