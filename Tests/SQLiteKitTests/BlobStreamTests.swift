import Foundation
import SQLiteKit
import Testing

@Suite("Reading and writing blobs in place")
struct BlobStreamTests {
    private let db: Database
    private let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init() throws {
        db = try memory("CREATE TABLE \"größe 1\" (\"ein \"\"Bild\" BLOB, n)")
        try db.execute(
            "INSERT INTO \"größe 1\" VALUES (?, 1), (zeroblob(10), 2), ('äb', 3), (NULL, 4), (5, 5)", [bytes])
    }

    private func blob(_ row: Int64 = 1, _ access: Blob.Access = .readOnly) throws -> Blob {
        try db.openBlob(table: "größe 1", column: "ein \"Bild", rowID: row, access: access)
    }

    private func stored(_ row: Int = 2) throws -> Data? {
        try db.scalar("SELECT \"ein \"\"Bild\" FROM \"größe 1\" WHERE n = ?", [row], as: Data.self)
    }

    // K23
    @Test("a part is read, and the whole")
    func read() throws {
        let blob = try blob()
        #expect(blob.count == bytes.count)
        #expect(try blob.read(offset: 1000, count: 5) == bytes[1000..<1005])
        #expect(try blob.read(offset: 199_990) == bytes.suffix(10))
        #expect(try blob.read() == bytes)
        #expect(try blob.read(offset: 200_000) == Data())
        #expect(try blob.read(offset: 3, count: 0) == Data())
    }

    // K23
    @Test("the pieces make the whole, whatever their size", arguments: [1000, 65_536, 199_999, 200_000, Int.max])
    func chunks(_ size: Int) throws {
        var read = Data()
        try blob().forEachChunk(of: size) { read += $0 }
        #expect(read == bytes)
    }

    // K23
    @Test("a piece has at least one byte", arguments: [0, -1, Int.min])
    func chunkSize(_ size: Int) throws {
        let blob = try blob()
        #expect(failure { try blob.forEachChunk(of: size) { _ in } }?.code == .range)
    }

    // K23
    @Test("what the caller throws ends the reading of pieces")
    func chunkThrows() throws {
        let blob = try blob()
        #expect(throws: TestError.self) { try blob.forEachChunk { _ in throw TestError() } }
        #expect(try blob.read(count: 1) == bytes.prefix(1))
    }

    // K23
    @Test("a zero-filled blob is written piece by piece")
    func write() throws {
        let blob = try blob(2, .readWrite)
        try blob.write(Data([1, 2, 3]), at: 2)
        try blob.write([9] as [UInt8], at: 9)
        try blob.write(Data(), at: 10)
        try blob.close()
        #expect(try stored() == Data([0, 0, 1, 2, 3, 0, 0, 0, 0, 9]))
    }

    // K23
    @Test(
        "bytes that are not there are rejected, whatever the numbers",
        arguments: [(-1, 1), (0, 11), (10, 1), (11, 0), (0, -1), (Int.max, 1), (1, Int.max), (Int.min, Int.min)])
    func range(_ offset: Int, _ count: Int) throws {
        let blob = try blob(2, .readWrite)
        #expect(failure { try blob.read(offset: offset, count: count) }?.code == .range)
        #expect(try blob.read() == Data(count: 10))
    }

    // K23
    @Test("writing beyond the end, or before the beginning, writes nothing", arguments: [8, 11, -1, Int.max, Int.min])
    func writeRange(_ offset: Int) throws {
        let blob = try blob(2, .readWrite)
        #expect(failure { try blob.write(Data([1, 2, 3]), at: offset) }?.code == .range)
        try blob.close()
        #expect(try stored() == Data(count: 10))
    }

    // K23
    @Test(
        "reading from an offset beyond the end is rejected, also without a count",
        arguments: [11, -1, Int.max, Int.min])
    func offsetAlone(_ offset: Int) throws {
        let blob = try blob(2)
        #expect(failure { try blob.read(offset: offset) }?.code == .range)
    }

    // K23
    @Test("a blob opened for reading is not written")
    func readOnly() throws {
        let blob = try blob(2)
        #expect(failure { try blob.write(Data([1])) }?.code == .readOnly)
        #expect(try stored() == Data(count: 10))
    }

    // K23
    @Test("a text is its UTF-8 bytes")
    func text() throws {
        #expect(try blob(3).read() == Data("äb".utf8))
    }

    // K23
    @Test("another row is gone to, with its own length")
    func reopen() throws {
        let blob = try blob(2, .readWrite)
        try blob.reopen(rowID: 1)
        #expect(blob.count == bytes.count)
        #expect(try blob.read(count: 3) == bytes.prefix(3))
    }

    // K23
    @Test(
        "going to a row that is not there, or holds no bytes, throws, and then the blob is of no use",
        arguments: [4, 5, 99])
    func reopenMissing(_ row: Int64) throws {
        let blob = try blob(2)
        #expect(failure { try blob.reopen(rowID: row) }?.code == .error)
        #expect(blob.count == 0)
        #expect(failure { try blob.read() }?.code == .abort)
        #expect(failure { try blob.reopen(rowID: 2) }?.code == .abort)
        #expect(failure { try blob.close() } == nil)
    }

    // K23
    @Test(
        "what cannot be opened is named",
        arguments: [
            ("größe 1", "ein \"Bild", 4, "main", "null"), ("größe 1", "ein \"Bild", 5, "main", "integer"),
            ("größe 1", "ein \"Bild", 99, "main", "99"), ("größe 1", "x", 1, "main", "x"),
            ("nope", "x", 1, "main", "nope"),
            ("größe 1", "ein \"Bild", 1, "nowhere", "nowhere"), ("v", "n", 1, "main", "view"),
            ("w", "b", 1, "main", "without rowid"), ("größe 1\0x", "ein \"Bild", 1, "main", "NUL"), ("", "", 0, "", ""),
        ])
    func cannotOpen(_ table: String, _ column: String, _ row: Int, _ database: String, _ word: String) throws {
        try db.executeScript(
            "CREATE VIEW v AS SELECT n FROM \"größe 1\"; CREATE TABLE w (a PRIMARY KEY, b) WITHOUT ROWID")
        let error = failure { try db.openBlob(table: table, column: column, rowID: Int64(row), database: database) }
        #expect(error?.code == .error)
        #expect(word.isEmpty || error?.message.contains(word) == true, "\(error?.message ?? "")")
    }

    // K23
    @Test("an indexed column is not opened for writing")
    func indexed() throws {
        try db.execute("CREATE INDEX i ON \"größe 1\" (\"ein \"\"Bild\")")
        #expect(failure { try blob(2, .readWrite) }?.message.contains("index") == true)
        #expect(try blob(2).read() == Data(count: 10))
    }

    @Test("a virtual generated column is not opened, nor a column of which others are computed for writing")
    func computed() throws {
        try db.executeScript(
            """
            CREATE TABLE shifted (a BLOB, g AS (a || 'x') VIRTUAL, b BLOB);
            INSERT INTO shifted (a, b) VALUES (x'0102', x'AABB');
            CREATE TABLE stored (a BLOB, g AS (hex(a)) STORED);
            INSERT INTO stored (a) VALUES (x'0102');
            CREATE TABLE part (a BLOB, b BLOB, c);
            CREATE INDEX part_index ON part (c) WHERE a = x'0102';
            INSERT INTO part VALUES (x'0102', x'03', 1);
            """)
        func error(_ table: String, _ column: String, _ access: Blob.Access) -> SQLiteError? {
            failure { _ = try db.openBlob(table: table, column: column, rowID: 1, access: access) }
        }
        #expect(error("shifted", "G", .readOnly)?.message.contains("virtual generated column") == true)
        // Newer releases of SQLite, such as 3.53, open no blob of a table that has generated columns, and say so.
        for table in ["shifted", "stored"] {
            do {
                #expect(try db.openBlob(table: table, column: "a", rowID: 1).read() == Data([1, 2]))
            } catch {
                #expect(error.message == "cannot open table with generated columns: \(table)")
            }
        }
        #expect(error("stored", "a", .readWrite)?.message.contains("may depend on it") == true)
        #expect(error("part", "A", .readWrite)?.message.contains("may depend on it") == true)
        #expect(error("part", "b", .readWrite) == nil)
    }

    // K23
    @Test("a blob of an attached and of a temporary table is opened")
    func databases() throws {
        try db.executeScript(
            """
            ATTACH ':memory:' AS "an ""other"; CREATE TABLE "an ""other".t (b); CREATE TEMP TABLE t (b);
            INSERT INTO "an ""other".t VALUES (x'01'); INSERT INTO temp.t VALUES (x'02')
            """)
        #expect(try db.openBlob(table: "t", column: "b", rowID: 1, database: "an \"other").read() == Data([1]))
        #expect(try db.openBlob(table: "t", column: "b", rowID: 1, database: "temp").read() == Data([2]))
    }

    // K23
    @Test("a row changed beneath the blob is said so, and stays said", arguments: ["UPDATE", "DELETE"])
    func changed(_ verb: String) throws {
        let blob = try blob(2)
        try db.execute(verb == "UPDATE" ? "UPDATE \"größe 1\" SET n = 2" : "DELETE FROM \"größe 1\"")
        let error = failure { try blob.read() }
        #expect(error?.code == .abort)
        #expect(error?.message.contains("changed or deleted") == true)
        #expect(failure { try blob.read() }?.code == .abort)
    }

    // K23
    @Test("a write to a row that was changed beneath the blob throws")
    func writtenAfterChange() throws {
        let blob = try blob(2, .readWrite)
        try db.execute("UPDATE \"größe 1\" SET n = 2")
        #expect(failure { try blob.write(Data([1])) }?.code == .abort)
    }

    // K23
    @Test("a closed blob says so, and is closed again without harm")
    func closed() throws {
        let blob = try blob(2, .readWrite)
        try blob.close()
        try blob.close()
        #expect(failure { try blob.read() }?.extendedCode == .closed)
        #expect(failure { try blob.write(Data([1])) }?.extendedCode == .closed)
        #expect(failure { try blob.reopen(rowID: 1) }?.extendedCode == .closed)
    }

    // K40
    @Test("closing the database names the blob that is open, and the database stays open")
    func closeDatabase() throws {
        let blob = try blob(2)
        let error = failure { try db.close() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("the blob main.größe 1.ein \"Bild") == true)
        #expect(try blob.read() == Data(count: 10))
        try blob.close()
        #expect(failure { try db.close() } == nil)
        #expect(failure { try self.blob() }?.extendedCode == .closed)
    }

    // K23
    @Test("a blob that is let go is closed")
    func letGo() throws {
        do { _ = try blob(2, .readWrite) }
        #expect(failure { try db.close() } == nil)
    }

    // K23
    @Test("a blob keeps its connection")
    func keepsConnection() throws {
        let blob = try { () throws -> Blob in
            let db = try memory("CREATE TABLE t (b); INSERT INTO t VALUES (x'05')")
            return try db.openBlob(table: "t", column: "b", rowID: 1)
        }()
        #expect(try blob.read() == Data([5]))
    }
}

@Suite("Blobs and transactions")
struct BlobTransactionTests {
    private let directory: TemporaryDirectory
    private let queue: DatabaseQueue

    init() throws {
        directory = try TemporaryDirectory()
        queue = try DatabaseQueue(directory.file())
        try queue.write { db in try db.executeScript("CREATE TABLE t (b); INSERT INTO t VALUES (zeroblob(4))") }
    }

    private func open(_ db: Database, _ access: Blob.Access = .readWrite) throws -> Blob {
        try db.openBlob(table: "t", column: "b", rowID: 1, access: access)
    }

    private func stored() throws -> Data? { try queue.read { db in try db.scalar("SELECT b FROM t", as: Data.self) } }

    // K23
    @Test("a transaction commits with a blob left open, which has ended then")
    func commit() throws {
        let (before, after) = try queue.withoutTransaction { db in
            let blob = try db.transaction {
                let blob = try open(db)
                try blob.write(Data([7]))
                return blob
            }
            return (db.isInTransaction, failure { try blob.read() })
        }
        #expect(!before)
        #expect(after?.extendedCode == .expired)
        #expect(after?.message.contains("main.t.b") == true)
        #expect(try stored() == Data([7, 0, 0, 0]))
    }

    // K23
    @Test("a blob that was written is undone with its transaction")
    func rollback() throws {
        #expect(throws: TestError.self) {
            try queue.write { db in
                try open(db).write(Data([7]))
                throw TestError()
            }
        }
        #expect(try stored() == Data(count: 4))
    }

    // K23
    @Test("a savepoint is undone alone, and its transaction goes on")
    func savepoint() throws {
        try queue.write { db in
            try open(db).write(Data([1]))
            var kept: Blob?
            #expect(throws: TestError.self) {
                try db.savepoint {
                    kept = try open(db)
                    try kept?.write(Data([2]))
                    throw TestError()
                }
            }
            #expect(failure { try kept?.write(Data([3])) }?.extendedCode == .expired)
            try db.savepoint { try open(db).write(Data([4]), at: 1) }
        }
        #expect(try stored() == Data([1, 4, 0, 0]))
    }

    // K10
    @Test("a savepoint undone while a write still returns rows is gone")
    func savepointWithPendingWrite() throws {
        try queue.write { db in
            var rows: ResultSet?
            #expect(throws: TestError.self) {
                try db.savepoint {
                    rows = try db.query("INSERT INTO t VALUES (1), (2) RETURNING b")
                    _ = try rows?.next()
                    throw TestError()
                }
            }
            #expect(failure { try rows?.next() }?.code == .misuse)
            #expect(failure { try db.execute("RELEASE sqlitekit_1") }?.message.contains("no such savepoint") == true)
        }
    }

    // K23
    @Test("a blob for reading outlives a commit; a rollback ends it")
    func readerAcrossCommit() throws {
        try queue.withoutTransaction { db in
            let blob = try open(db, .readOnly)
            try db.transaction { try db.execute("INSERT INTO t VALUES (1)") }
            #expect(try blob.read() == Data(count: 4))
            #expect(throws: TestError.self) {
                try db.transaction {
                    try db.execute("UPDATE t SET b = x'09' WHERE rowid = 2")
                    throw TestError()
                }
            }
            _ = failure { try blob.read() }
            #expect(try db.scalar("SELECT b FROM t", as: Data.self) == Data(count: 4))
        }
    }

    // K23
    @Test("outside a transaction, the bytes are committed when the blob is closed")
    func autocommit() throws {
        try queue.withoutTransaction { db in
            let blob = try open(db)
            try blob.write(Data([5]))
            let other = try Database(directory.file())
            #expect(try other.scalar("SELECT b FROM t", as: Data.self) == Data(count: 4))
            try blob.close()
            #expect(try other.scalar("SELECT b FROM t", as: Data.self) == Data([5, 0, 0, 0]))
        }
    }

    // K23
    @Test("a commit that fails when the access ends the blob is thrown by the access")
    func commitFails() throws {
        let queue = try DatabaseQueue(
            directory.file("other.sqlite"),
            configuration: { () in
                var configuration = DatabaseConfiguration()
                configuration.journalMode = .delete
                configuration.busyTimeout = .zero
                return configuration
            }())
        try queue.write { db in try db.executeScript("CREATE TABLE t (b); INSERT INTO t VALUES (zeroblob(4))") }
        let reader = try Database(directory.file("other.sqlite"))
        let rows = try reader.query("SELECT b FROM t")
        var kept: Blob?
        let error = failure {
            try queue.withoutTransaction { db in
                kept = try open(db)
                try kept?.write(Data([5]))
                _ = try rows.next()
            }
        }
        #expect(failure { try kept?.read() }?.extendedCode == .expired)
        #expect(error?.code == .busy)
        rows.close()
        #expect(try reader.scalar("SELECT b FROM t", as: Data.self) == Data(count: 4))
    }

    // K23
    @Test("a blob used after its access has expired, in a later access as well")
    func afterAccess() throws {
        let kept = Kept<Blob>()
        try queue.read { db in kept.value = try open(db, .readOnly) }
        #expect(failure { try kept.value?.read() }?.extendedCode == .expired)
        #expect(failure { try kept.value?.close() } == nil)
        try queue.read { db in kept.value = try open(db, .readOnly) }
        try queue.read { _ in
            #expect(failure { try kept.value?.read() }?.extendedCode == .expired)
        }
        kept.value = nil
        #expect(try stored() == Data(count: 4))
        try queue.close()
    }

    // K23
    @Test("a blob used by a thread without access throws; let go there, it ends with its access")
    func otherThread() async throws {
        let kept = Kept<Blob>()
        let (queue, opened, tried) = (queue, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let thread: SQLiteError? = onThread {
            opened.wait()
            defer { tried.signal() }
            let error = failure { try kept.value?.read() }
            kept.value = nil
            return error
        }
        try await queue.write { db in
            kept.value = try db.openBlob(table: "t", column: "b", rowID: 1, access: .readWrite)
            try kept.value?.write(Data([8]))
            opened.signal()
            tried.wait()
        }
        #expect(try await thread?.extendedCode == .expired)
        #expect(try stored() == Data([8, 0, 0, 0]))
        try await queue.close()
    }

    // K23
    @Test("a blob that is let go, or left open in a transaction, lets go of the connection", arguments: [true, false])
    func letGo(_ isLeftOpen: Bool) throws {
        do {
            let db = try Database(directory.file("other.sqlite"))
            try db.executeScript("CREATE TABLE t (b); INSERT INTO t VALUES (zeroblob(4))")
            var kept: [Blob] = []
            try db.transaction { kept = isLeftOpen ? [try open(db)] : [] }
            withExtendedLifetime(kept) {}
            _ = try open(db, .readOnly)
        }
        // The log of a database goes with its last connection.
        #expect(!FileManager.default.fileExists(atPath: directory.path("other.sqlite-wal")))
    }

    // K23
    @Test("a read opens no blob for writing, and writes none")
    func inRead() throws {
        try queue.read { db in
            #expect(failure { try open(db) }?.code == .readOnly)
            let count = try open(db, .readOnly).count
            #expect(count == 4)
        }
        try queue.write { db in
            let blob = try open(db)
            try queue.read { _ in
                #expect(failure { try blob.write(Data([1])) }?.code == .readOnly)
                let bytes = try blob.read()
                #expect(bytes == Data(count: 4))
            }
        }
    }

    // K23
    @Test("a cancelled task stops reading pieces, and the connection goes on")
    func cancelled() async throws {
        let (queue, hasBegun) = (queue, Signal())
        try await queue.write { db in try db.execute("UPDATE t SET b = zeroblob(100000)") }
        let task = Task {
            try await queue.read { db in
                let blob = try db.openBlob(table: "t", column: "b", rowID: 1)
                hasBegun.send()
                while true { try blob.forEachChunk(of: 100) { _ in } }
            }
        }
        await hasBegun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try stored()?.count == 100_000)
    }
}

/// Something that is kept beyond where it may be used, on whatever thread.
private final class Kept<Value>: @unchecked Sendable {
    // A test lets one thread after the other use it.
    var value: Value?
}
