import Foundation
import SQLiteKit
import Testing

@Suite("Closing a database")
struct ClosingTests {
    // K40
    @Test("every use of a closed database throws")
    func closed() throws {
        let db = try memory("CREATE TABLE t (a)")
        try db.execute("SELECT 1")
        try db.close()
        #expect(!db.isOpen)
        #expect(failure { try db.execute("SELECT 1") }?.extendedCode == .closed)
        #expect(failure { try db.prepare("SELECT 1") }?.extendedCode == .closed)
        #expect(failure { try db.query("SELECT 1") }?.extendedCode == .closed)
        #expect(failure { try db.executeScript("SELECT 1") }?.extendedCode == .closed)
        #expect(failure { try db.scalar("SELECT 1", as: Int.self) }?.extendedCode == .closed)
        #expect(failure { try db.transaction {} }?.extendedCode == .closed)
        #expect(failure { try db.savepoint {} }?.extendedCode == .closed)
    }

    // K40
    @Test("the counters of a closed database are 0")
    func counters() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try db.close()
        #expect(db.changes == 0)
        #expect(db.totalChanges == 0)
        #expect(db.lastInsertRowID == 0)
        #expect(!db.isInTransaction)
    }

    // K40, Settled 9: no trap on data
    @Test("a closed database can be asked whether it is read-only")
    func isReadOnly() async {
        await #expect(processExitsWith: .success) {
            let db = try Database(.memory)
            try db.close()
            _ = db.isReadOnly
        }
    }

    // K40
    @Test("closing twice does nothing")
    func twice() throws {
        let db = try memory()
        try db.close()
        #expect(failure { try db.close() } == nil)
    }

    // K40
    @Test("closing with an open statement throws and names its SQL; the database stays open")
    func openStatement() throws {
        let db = try memory()
        let statement = try db.prepare("SELECT 'held'")
        let error = failure { try db.close() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("SELECT 'held'") == true)
        #expect(db.isOpen)
        #expect(try statement.step())
        #expect(try db.scalar("SELECT 1", as: Int.self) == 1)
    }

    // K40
    @Test("closing with an open result set throws and names its SQL")
    func openResultSet() throws {
        let db = try memory()
        let rows = try db.query("SELECT 'rows'")
        #expect(failure { try db.close() }?.message.contains("SELECT 'rows'") == true)
        #expect(try rows.next() != nil)
    }

    // K40
    @Test("a database can be closed once its statements are let go")
    func letGo() throws {
        let db = try memory()
        do {
            let statement = try db.prepare("SELECT 1")
            _ = try statement.step()
            #expect(failure { try db.close() }?.code == .busy)
        }
        #expect(failure { try db.close() } == nil)
    }

    // K40
    @Test("statements that only the cache keeps do not stand in the way")
    func cached() throws {
        let db = try memory()
        for number in 0..<10 { try db.execute("SELECT \(sql: SQL(String(number)))") }
        #expect(failure { try db.close() } == nil)
    }

    // K40
    @Test("a statement outlives the variable of its database")
    func statementKeepsConnection() throws {
        let statement = try Database(.memory).prepare("SELECT 5")
        #expect(try statement.step())
        #expect(statement.int64(at: 0) == 5)
    }

    // K40
    @Test("closing ends the files of the write-ahead log")
    func files() throws {
        let directory = try TemporaryDirectory()
        let db = try Database(directory.file())
        try db.execute("CREATE TABLE t (a)")
        #expect(FileManager.default.fileExists(atPath: directory.path("test.sqlite-wal")))
        try db.close()
        #expect(!FileManager.default.fileExists(atPath: directory.path("test.sqlite-wal")))
    }
}
