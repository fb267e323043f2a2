import Foundation
import SQLiteKit
import Testing

@Suite("Databases as bytes, checkpoints, attached databases")
struct SerializationTests {
    private let directory: TemporaryDirectory
    private let db: Database

    init() throws {
        directory = try TemporaryDirectory()
        db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (7), ('ü')")
    }

    // K24
    @Test("a database goes to bytes and back, and can be written then")
    func roundTrip() throws {
        let data = try db.serialize()
        #expect(data.starts(with: "SQLite format 3\0".utf8))
        let copy = try memory("CREATE TABLE old (a)")
        try copy.deserialize(data)
        #expect(try copy.column("SELECT a FROM t", as: SQLiteValue.self) == [7, "ü"])
        try copy.execute("INSERT INTO t VALUES (zeroblob(1000000))")
        #expect(try copy.integrityCheck() == [])
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 2)
    }

    // K24
    @Test("an empty database comes back, and no bytes are one")
    func empty() throws {
        try db.deserialize(Database(.memory).serialize())
        #expect(try db.scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
        try db.deserialize(Data())
        #expect(try db.scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
        try db.execute("CREATE TABLE n (a)")
        #expect(try db.schema().tables.map(\.name) == ["n"])
    }

    // K24
    @Test("the bytes of a file in WAL mode are taken")
    func wal() throws {
        let file = try Database(directory.file())
        try file.executeScript("CREATE TABLE w (a); INSERT INTO w VALUES (5)")
        let data = try file.serialize()
        #expect(data[18] == 2)
        try db.deserialize(data)
        #expect(try db.scalar("SELECT a FROM w", as: Int.self) == 5)
        try file.checkpoint(.truncate)
        try db.deserialize(Data(contentsOf: URL(filePath: directory.path())))
        #expect(try db.scalar("SELECT a FROM w", as: Int.self) == 5)
    }

    // K24
    @Test("a slice of Data is taken without what is around it")
    func slice() throws {
        let data = try db.serialize()
        try db.deserialize((Data([1, 2, 3]) + data)[3...])
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 2)
    }

    // K24
    @Test("a database that is only for reading is not written")
    func readOnly() throws {
        let data = try db.serialize()
        try db.deserialize(data, readOnly: true)
        #expect(failure { try db.execute("INSERT INTO t VALUES (1)") }?.code == .readOnly)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 2)
    }

    // K24
    @Test(
        "bytes that aren't a database are said so, and take no one's place",
        arguments: [Data("x".utf8), Data(count: 5000), Data(String(repeating: "no database ", count: 500).utf8)])
    func garbage(_ data: Data) throws {
        #expect(failure { try db.deserialize(data) }?.code == .notADatabase)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 2)
    }

    // K24
    @Test("statements prepared before know the new tables")
    func statements() throws {
        let other = try memory("CREATE TABLE u (b); INSERT INTO u VALUES (99)")
        let statement = try db.prepare("SELECT a FROM t")
        #expect(try statement.query().next() != nil)
        try db.deserialize(other.serialize())
        #expect(failure { try statement.query().next() }?.message.contains("no such table") == true)
        #expect(failure { try db.scalar("SELECT a FROM t", as: Int.self) }?.message.contains("no such table") == true)
        #expect(try db.scalar("SELECT b FROM u", as: Int.self) == 99)
    }

    // K24
    @Test("the tables of JSON and of pragmas that were used before are used again after a replacement")
    func functionTables() throws {
        let uses = """
            SELECT group_concat(fullkey || '=' || type || '=' || coalesce(atom, '') || '=' || path, ' ')
            FROM t, json_tree(a)
            """
        try db.execute("UPDATE t SET a = '[1, {\"b\": \"c\"}]'")
        try db.execute("INSERT INTO t VALUES (NULL), ('{\"d\": 2.5}')")
        let before = try db.scalar(SQL(uses), as: String.self)
        #expect(before?.contains("$[1].b=text=c=$[1]") == true)
        let data = try db.serialize()
        for _ in 1...3 {
            // What is freed is not given to the next who asks for as much, as in a program that does other things.
            for size in stride(from: 8, to: 1024, by: 16) {
                let blocks = (1...7).map { _ in malloc(size) }
                blocks.forEach { free($0) }
            }
            try db.deserialize(data)
            #expect(try db.scalar(SQL(uses), as: String.self) == before)
            #expect(
                try db.column("SELECT value FROM json_each('{\"a\": [1, 2], \"b\": 7}', '$.a')", as: Int.self) == [
                    1, 2,
                ])
            #expect(try db.scalar("SELECT json_array(value) FROM json_each('[[1]]')", as: String.self) == "[[1]]")
            #expect(try db.scalar("SELECT count(*) FROM json_each", as: Int.self) == 0)
            #expect(try db.scalar("SELECT count(*) FROM pragma_table_info('t')", as: Int.self) == 1)
            #expect(
                failure { try db.column("SELECT value FROM json_each('[')", as: Int.self) }?.message == "malformed JSON"
            )
        }
    }

    // K24
    @Test("a database in use is not replaced")
    func busy() throws {
        let data = try db.serialize()
        let inTransaction = try db.transaction {
            try db.execute("INSERT INTO t VALUES (1)")
            return failure { try db.deserialize(data) }
        }
        #expect(inTransaction?.code == .busy)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 3)
        let rows = try db.query("SELECT a FROM t")
        _ = try rows.next()
        #expect(failure { try db.deserialize(data) }?.code == .busy)
        #expect(try rows.next() != nil)
        rows.close()
        let backup = try Backup(from: db, to: memory())
        _ = try backup.step(1)
        #expect(failure { try db.deserialize(data) }?.code == .busy)
        try backup.finish()
        try db.execute("UPDATE t SET a = zeroblob(9)")
        let blob = try db.openBlob(table: "t", column: "a", rowID: 1)
        #expect(failure { try db.deserialize(data) }?.code == .busy)
        #expect(try blob.read().count == 9)
    }

    // K24
    @Test("attached databases are meant by their names; unknown ones, and temp, are errors")
    func names() throws {
        try db.attach(.memory, as: "ä \"b")
        try db.execute("CREATE TABLE \"ä \"\"b\".x (a)")
        let data = try db.serialize("ä \"b")
        try db.deserialize(data, into: "ä \"b")
        #expect(try db.scalar("SELECT count(*) FROM x", as: Int.self) == 0)
        #expect(failure { try db.serialize("nowhere") }?.message.contains("nowhere") == true)
        #expect(failure { try db.serialize("main\0") }?.message.contains("NUL") == true)
        #expect(failure { try db.deserialize(data, into: "nowhere") }?.code == .error)
        #expect(failure { try db.deserialize(data, into: "temp") }?.code == .error)
    }

    // K24
    @Test("a closed database, and a read, are rejected")
    func rejected() throws {
        let data = try db.serialize()
        let queue = try DatabaseQueue(.memory)
        try queue.read { db in
            #expect(failure { try db.deserialize(data) }?.code == .readOnly)
            _ = try db.serialize()
        }
        try queue.withoutTransaction { db in try db.deserialize(data) }
        #expect(try queue.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == 2)
        try db.close()
        #expect(failure { try db.serialize() }?.extendedCode == .closed)
        #expect(failure { try db.deserialize(data) }?.extendedCode == .closed)
    }

    // K36
    @Test("a checkpoint tells what it has copied")
    func checkpoint() throws {
        let file = try Database(directory.file())
        try file.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(10000))")
        let passive = try #require(try file.checkpoint())
        #expect(passive.frameCount > 3)
        #expect(passive.checkpointedFrameCount == passive.frameCount)
        #expect(passive.isComplete)
        #expect(!passive.isBusy)
        let truncated = try file.checkpoint(.truncate)
        #expect(truncated == (try file.checkpoint(.truncate)))
        #expect(truncated?.frameCount == 0)
        #expect(try Data(contentsOf: URL(filePath: directory.path("test.sqlite-wal"))).isEmpty)
    }

    // K36
    @Test(
        "a reader in the way is a value, with what could be done", arguments: [CheckpointMode.passive, .full, .restart])
    func checkpointBusy(_ mode: CheckpointMode) throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let file = try Database(directory.file(), configuration: configuration)
        try file.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let rows = try Database(directory.file()).query("SELECT a FROM t")
        _ = try rows.next()
        try file.execute("INSERT INTO t VALUES (2)")
        let checkpoint = try #require(try file.checkpoint(mode))
        #expect(checkpoint.isBusy == (mode != .passive))
        #expect(!checkpoint.isComplete)
        #expect(checkpoint.checkpointedFrameCount > 0)
    }

    // K36
    @Test("a database without a write-ahead log has no checkpoint; an unknown one is an error")
    func noCheckpoint() throws {
        #expect(try db.checkpoint() == nil)
        #expect(failure { try db.checkpoint(of: "nowhere") }?.message.contains("nowhere") == true)
        #expect(failure { try db.checkpoint(of: "") }?.code == .error)
        #expect(failure { try db.checkpoint(of: "main\0") }?.code == .error)
    }

    // K36
    @Test("a checkpoint inside a transaction is rejected")
    func checkpointInTransaction() throws {
        let queue = try DatabaseQueue(directory.file())
        let inWrite = try queue.write { db in failure { try db.checkpoint() } }
        let inRead = try queue.read { db in failure { try db.checkpoint() } }
        #expect(inWrite?.code == .locked)
        #expect(inRead?.code == .locked)
        #expect(try queue.withoutTransaction { db in try db.checkpoint() } != nil)
    }

    // K36
    @Test("the files of the log can be kept")
    func keepsLog() throws {
        let file = try Database(directory.file())
        try file.execute("CREATE TABLE t (a)")
        try file.setKeepsWriteAheadLog(true)
        try file.close()
        #expect(FileManager.default.fileExists(atPath: directory.path("test.sqlite-wal")))
    }

    // K22
    @Test("VACUUM INTO writes a copy, and does not overwrite")
    func vacuumInto() throws {
        let path = directory.path("größe 'x' ?mode=memory.sqlite")
        try db.vacuum(into: .file(path))
        #expect(try Database(.file(path)).scalar("SELECT count(*) FROM t", as: Int.self) == 2)
        #expect(failure { try db.vacuum(into: .file(path)) }?.message.contains("already exists") == true)
        #expect(failure { try db.vacuum(into: .file(directory.path("a\0b"))) }?.message.contains("NUL") == true)
        #expect(failure { try db.vacuum(into: .file(directory.path("no/x"))) }?.code == .cannotOpen)
        let error = failure { try db.transaction { try db.vacuum(into: directory.file("y")) } }
        #expect(error?.message.contains("from within a transaction") == true)
    }

    // K38
    @Test("databases are attached, listed and detached, whatever their names")
    func attach() throws {
        #expect(try db.attachments.map(\.name) == ["main"])
        #expect(try db.attachments.map(\.path) == [nil])
        let name = "an \"o'ther\"; --"
        try db.attach(directory.file("a?mode=memory.sqlite"), as: name)
        try db.execute("CREATE TABLE \(identifier: name).x (a)")
        #expect(try db.attachments.map(\.name) == ["main", name])
        #expect(try db.attachments.last?.path?.hasSuffix("a?mode=memory.sqlite") == true)
        #expect(failure { try db.attach(.memory, as: name) }?.message.contains("already in use") == true)
        try db.detach(name)
        #expect(try db.attachments.map(\.name) == ["main"])
        #expect(failure { try db.detach(name) }?.message.contains("no such database") == true)
        #expect(failure { try db.detach("main") }?.message.contains("cannot detach database main") == true)
        #expect(failure { try db.attach(.memory, as: "a\0b") }?.message.contains("NUL") == true)
        #expect(failure { try db.attach(.file("a\0b"), as: "a") }?.message.contains("NUL") == true)
        #expect(failure { try db.attach(.file(directory.path("no/such")), as: "a") }?.code == .cannotOpen)
    }

    // K38
    @Test("no more databases are attached than SQLite takes")
    func tooManyAttached() throws {
        let limit = try #require(db.limit(.attachedDatabases))
        for number in 0..<limit { try db.attach(.memory, as: "d\(number)") }
        let error = failure { try db.attach(.memory, as: "one_more") }
        #expect(error?.code == .error)
        #expect(error?.message.contains("too many attached databases") == true)
        #expect(try db.attachments.count == limit + 1)
    }

    // K38
    @Test("a transaction spans attached databases; one in use is not detached")
    func attachedTransaction() throws {
        try db.attach(.memory, as: "o")
        try db.execute("CREATE TABLE o.x (a)")
        #expect(throws: TestError.self) {
            try db.transaction {
                try db.executeScript("INSERT INTO o.x VALUES (1); INSERT INTO t VALUES (1)")
                #expect(failure { try db.detach("o") }?.message.contains("database o is locked") == true)
                throw TestError()
            }
        }
        #expect(try db.scalar("SELECT (SELECT count(*) FROM o.x) + (SELECT count(*) FROM t)", as: Int.self) == 2)
    }

    // K37
    @Test("a shared database in memory is one for all connections to its name, and ends with them")
    func sharedMemory() throws {
        let name = "größe?mode=ro&x=1#\(UUID())"
        do {
            let (one, two) = (try Database(.sharedMemory(name)), try Database(.sharedMemory(name)))
            try one.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            try two.execute("INSERT INTO t VALUES (2)")
            #expect(try one.scalar("SELECT count(*) FROM t", as: Int.self) == 2)
            #expect(
                try Database(.sharedMemory(name + "x")).scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
            #expect(one.path == nil)
            try db.attach(.sharedMemory(name), as: "shared")
            #expect(try db.scalar("SELECT count(*) FROM shared.t", as: Int.self) == 2)
            try db.detach("shared")
        }
        #expect(try Database(.sharedMemory(name)).scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
        #expect(failure { try Database(.sharedMemory("a\0b")) }?.code == .cannotOpen)
    }

    // K37
    @Test(
        "a shared database in memory may have any name, none included",
        arguments: ["", "/", "/a", "//a", "a/", "ä b?&#%"])
    func sharedMemoryNames(_ name: String) throws {
        let (one, two) = (try Database(.sharedMemory(name)), try Database(.sharedMemory(name)))
        try one.execute("CREATE TABLE t (a)")
        #expect(try two.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    // K37
    @Test("shared databases in memory of different names are different ones")
    func sharedMemoryOtherNames() throws {
        let names = ["", "/", "//", "x", "/x", "x/"].map { DatabaseLocation.sharedMemory($0) }
        let databases = try names.map { try Database($0) }
        try databases[0].execute("CREATE TABLE t (a)")
        for db in databases.dropFirst() {
            #expect(try db.scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
        }
    }

    // K37, K13
    @Test("connections to a shared database in memory wait for each other's locks")
    func sharedMemoryLocks() throws {
        let location = DatabaseLocation.sharedMemory("\(UUID())")
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let (one, two) = (try Database(location), try Database(location, configuration: configuration))
        try one.execute("CREATE TABLE t (a)")
        try two.execute("DELETE FROM t")
        try one.transaction {
            try one.execute("INSERT INTO t VALUES (1)")
            #expect(failure { try two.execute("INSERT INTO t VALUES (2)") }?.code == .busy)
        }
        try two.execute("INSERT INTO t VALUES (2)")
    }

    // K37
    @Test("an immutable file is read without its log or any lock, and not written")
    func immutable() throws {
        let path = directory.path("größe %41?x#.sqlite")
        let writer = try Database(.file(path))
        try writer.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try writer.checkpoint()
        try writer.execute("INSERT INTO t VALUES (2)")
        var configuration = DatabaseConfiguration()
        configuration.openMode = .immutable
        let reader = try Database(.file(path), configuration: configuration)
        #expect(try reader.scalar("SELECT count(*) FROM t", as: Int.self) == 1)
        #expect(reader.isReadOnly)
        #expect(reader.path == path)
        #expect(failure { try reader.execute("INSERT INTO t VALUES (3)") }?.code == .readOnly)
        #expect(failure { try Database(directory.file("missing"), configuration: configuration) }?.code == .cannotOpen)
    }

    // K37
    @Test("a path that looks like a URI is a file's name, when it is relative as well")
    func noURI() throws {
        let location = DatabaseLocation.file("file:\(UUID())?mode=memory")
        defer { try? FileManager.default.removeItem(atPath: location.path ?? "") }
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readWrite
        #expect(failure { try Database(location, configuration: configuration) }?.code == .cannotOpen)
        configuration.openMode = .immutable
        #expect(failure { try Database(location, configuration: configuration) }?.code == .cannotOpen)
    }
}
