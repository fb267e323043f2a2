import Foundation
import SQLiteKit
import Testing

@Suite("Errors")
struct ErrorTests {
    // K1
    @Test("a mistake in SQL is reported with its place")
    func offset() throws {
        let db = try memory()
        let error = failure { try db.execute("SELECT nocol") }
        #expect(error?.code == .error)
        #expect(error?.message == "no such column: nocol")
        #expect(error?.sql == "SELECT nocol")
        #expect(error?.path == nil)
        // SQLite tells the place since 3.38.
        if SQLiteLibrary.versionNumber >= 3_038_000 {
            #expect(error?.offset == 7)
            #expect(error?.line == 1)
        }
    }

    // K1
    @Test("the line of a mistake is counted from one")
    func line() throws {
        let db = try memory()
        let error = failure { try db.execute("SELECT 1,\n  2,\n  nocol") }
        if SQLiteLibrary.versionNumber >= 3_038_000 { #expect(error?.line == 3) }
    }

    // K1
    @Test("an error while running has no place from an earlier mistake")
    func noStaleOffset() throws {
        let db = try memory("CREATE TABLE t (a NOT NULL)")
        let insert = try db.prepare("INSERT INTO t VALUES (?)")
        _ = failure { try db.execute("SELECT nocol") }
        let error = failure { try insert.execute([nil]) }
        #expect(error?.isConstraint(.notNull) == true)
        #expect(error?.offset == nil)
        #expect(error?.line == nil)
    }

    // K1, FMDB: errors
    @Test("an error stays as it was when the connection has moved on")
    func value() throws {
        let db = try memory()
        let error = try #require(failure { try db.execute("SELECT nocol") })
        _ = failure { try db.execute("SELECT other") }
        try db.execute("SELECT 1")
        #expect(error.message == "no such column: nocol")
    }

    // K1
    @Test("an error does not show the values that were bound")
    func noValues() throws {
        let db = try memory("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES ('secret')")
        let error = failure { try db.execute("INSERT INTO t VALUES (?)", ["secret"]) }
        #expect(error?.description.contains("secret") == false)
    }

    // K1
    @Test("an error of a file names it")
    func path() throws {
        let directory = try TemporaryDirectory()
        let db = try Database(directory.file())
        #expect(failure { try db.execute("nonsense") }?.path == directory.path())
    }

    // K1
    @Test("the description says message, code, SQL, place and file")
    func description() {
        let error = SQLiteError(.constraintUnique, "message", sql: "SQL", offset: 2, path: "/file")
        #expect(error.description == "SQLite error 2067: message - in: SQL (at byte 2) - database: /file")
        #expect(error.localizedDescription == error.description)
    }

    // K1
    @Test("the primary code is the low byte of the extended one")
    func codes() {
        let error = SQLiteError(.constraintUnique, "")
        #expect(error.code == .constraint)
        #expect(error.extendedCode.rawValue == 2067)
        #expect(ResultCode.busySnapshot.rawValue == 517)
        #expect(ResultCode.constraintPrimaryKey.rawValue == 1555)
        #expect(ResultCode(rawValue: 99_999).primary.rawValue == 99_999 & 0xFF)
    }

    // K1
    @Test("codes of SQLiteKit have a primary code of SQLite and collide with none")
    func ownCodes() {
        let own: [ResultCode] = [
            .closed, .expired, .notAllowedHere, .emptyStatement, .severalStatements, .transactionEnded, .deadlock,
            .accessTimeout, .argumentCount, .unknownParameter, .noSuchColumn, .noSuchColumnIndex, .typeMismatch,
            .invalidText, .unsupportedVersion,
        ]
        #expect(Set(own).count == own.count)
        #expect(own.allSatisfy { $0.rawValue >> 8 >= 200 })
        #expect(ResultCode.closed.primary == .misuse)
        #expect(ResultCode.deadlock.primary == .busy)
        #expect(ResultCode.typeMismatch.primary == .mismatch)
    }

    // K1
    @Test("errors are equal when all they say is")
    func equality() {
        #expect(SQLiteError(.busy, "a") == SQLiteError(.busy, "a"))
        #expect(SQLiteError(.busy, "a") != SQLiteError(.busy, "b"))
        #expect(SQLiteError(.busy, "a") != SQLiteError(.busySnapshot, "a"))
        #expect(SQLiteError(.busy, "a") != SQLiteError(.busy, "a", outcome: .unknown))
    }

    // K1
    @Test("an error thrown through a queue is a SQLiteError that can be matched")
    func matched() throws {
        let queue = try DatabaseQueue(.memory)
        var code: ResultCode?
        do {
            try queue.write { db in try db.execute("nonsense") }
        } catch let error as SQLiteError where error.code == .error {
            code = error.extendedCode
        }
        #expect(code == .error)
    }

    // K43
    @Test("the library tells its version and its options")
    func library() {
        #expect(SQLiteLibrary.versionNumber >= 3_037_000)
        #expect(SQLiteLibrary.version.hasPrefix("3."))
        #expect(!SQLiteLibrary.isCompiled(with: "NO_SUCH_OPTION"))
    }
}
