import Foundation
import SQLiteKit
import Testing

@Suite("Opening a database")
struct OpeningTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func configuration(_ change: (inout DatabaseConfiguration) -> Void) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        change(&configuration)
        return configuration
    }

    // K37
    @Test("a missing file is created, with its directories")
    func created() throws {
        let path = directory.path("a/b/new.sqlite")
        let db = try Database(.file(path))
        try db.execute("CREATE TABLE t (a)")
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(db.path == path)
        #expect(db.isOpen)
        #expect(!db.isReadOnly)
    }

    // K37
    @Test("a file is opened by its URL, blanks and umlauts included")
    func url() throws {
        let url = directory.url.appending(path: "größe 100%25.sqlite")
        let db = try Database(.file(url))
        try db.execute("CREATE TABLE t (a)")
        #expect(FileManager.default.fileExists(atPath: url.path(percentEncoded: false)))
    }

    // K37
    @Test("what was stored is there when the file is opened again")
    func again() throws {
        do {
            let db = try Database(directory.file())
            try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        }
        #expect(try Database(directory.file()).scalar("SELECT a FROM t", as: Int.self) == 7)
    }

    // K37
    @Test("a path that looks like a URI is a file's name")
    func noURI() throws {
        let name = "a?mode=memory#x.sqlite"
        try Database(directory.file(name)).execute("CREATE TABLE t (a)")
        #expect(FileManager.default.fileExists(atPath: directory.path(name)))
    }

    // K37
    @Test(
        "a missing file is not created where it must exist",
        arguments: [DatabaseConfiguration.OpenMode.readWrite, .readOnly])
    func missing(_ mode: DatabaseConfiguration.OpenMode) {
        let error = failure { try Database(directory.file(), configuration: configuration { $0.openMode = mode }) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.path == directory.path())
        #expect(!FileManager.default.fileExists(atPath: directory.path()))
    }

    // K37
    @Test("directories are not created where the file must exist")
    func missingDirectory() {
        let location = directory.file("sub/test.sqlite")
        #expect(
            failure { try Database(location, configuration: configuration { $0.openMode = .readWrite }) }?.code
                == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: directory.path("sub")))
    }

    // K37
    @Test("a directory isn't a database")
    func isDirectory() {
        let error = failure { try Database(.file(directory.url.path(percentEncoded: false))) }
        #expect(error?.code == .cannotOpen)
    }

    // K37
    @Test("a directory that cannot be created is reported with the path")
    func directoryInTheWay() throws {
        try Data().write(to: directory.url.appending(path: "file"))
        let error = failure { try Database(directory.file("file/test.sqlite")) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.path == directory.path("file/test.sqlite"))
    }

    // K37
    @Test(
        "a path of any form gives a database or an error", .oneAtATime,
        arguments: [
            "x", "a/", "./", "../", ".", "..", "", "/", "//", "~", "~/", "~nobody/x", "a//b", "é", "ü/é", "a/\u{301}x",
            "./x", "file:x", ":x", " ", "-", String(repeating: "a", count: 10_000),
            String(repeating: "a/", count: 5000) + "x",
        ])
    func forms(_ path: String) throws {
        let base = directory.path("") + "/"
        // Those that are relative are, below a directory of this test, without the process's own being changed.
        let current = FileManager.default.currentDirectoryPath
        for location in [DatabaseLocation.file(base + path), .file(path)]
        where location.path?.hasPrefix(current) != true {
            let error = failure { try Database(location).execute("CREATE TABLE IF NOT EXISTS t (a)") }
            #expect(error == nil || error?.code == .cannotOpen)
        }
    }

    // K37
    @Test("a relative path of one name is a file's in the current directory")
    func relative() throws {
        let name = "\(UUID()).sqlite"
        defer {
            // Nothing can be done about files that stay.
            for file in [name, name + "-wal", name + "-shm"] { try? FileManager.default.removeItem(atPath: file) }
        }
        try Database(.file(name)).execute("CREATE TABLE t (a)")
        #expect(FileManager.default.fileExists(atPath: name))
        // It stays this one whatever directory is current later.
        #expect(DatabaseLocation.file(name).path == FileManager.default.currentDirectoryPath + "/" + name)
        #expect(try DatabaseLocation.file(#require(URL(string: name))).path?.hasPrefix("/") == true)
    }

    // K37
    @Test("a path that ends with a slash is rejected, and makes no directory")
    func slash() {
        #expect(failure { try Database(directory.file("sub/dir/")) }?.code == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: directory.path("sub")))
    }

    // K37
    @Test("a relative path that ends with a slash is rejected", arguments: ["a/", "./", "../"])
    func relativeSlash(_ path: String) {
        #expect(failure { try Database(.file(path)) }?.code == .cannotOpen)
    }

    // K37
    @Test("a missing table of a file without any is said to be a new file's")
    func emptyFile() throws {
        let db = try Database(directory.file())
        #expect(failure { try db.execute("DELETE FROM t") }?.message.contains("no tables at all") == true)
        #expect(failure { try db.executeScript("DELETE FROM t") }?.message.contains("no tables at all") == true)
        #expect(failure { try db.execute("DELETE FROM temp.t") }?.message == "no such table: temp.t")
        try db.execute("CREATE TABLE other (a)")
        #expect(failure { try db.execute("DELETE FROM t") }?.message == "no such table: t")
    }

    // K37
    @Test("a path with a NUL is rejected")
    func nul() {
        #expect(failure { try Database(.file(directory.path("a\0b"))) }?.code == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: directory.path("a")))
    }

    // K37
    @Test("a file that isn't a database is rejected, with its path")
    func notADatabase() throws {
        try Data(String(repeating: "no database ", count: 1000).utf8).write(
            to: directory.url.appending(path: "test.sqlite"))
        let error = failure { try Database(directory.file()) }
        #expect(error?.code == .notADatabase)
        #expect(error?.path == directory.path())
    }

    // K37
    @Test("a file opened for reading is read and not written")
    func readOnly() throws {
        try Database(directory.file()).executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let db = try Database(directory.file(), configuration: configuration { $0.openMode = .readOnly })
        #expect(db.isReadOnly)
        #expect(try db.scalar("SELECT a FROM t", as: Int.self) == 1)
        #expect(failure { try db.execute("INSERT INTO t VALUES (2)") }?.code == .readOnly)
    }

    // K36, Settled 15
    @Test("a file opened for reading keeps its bytes, whatever journal mode is asked for")
    func readOnlyKeepsBytes() throws {
        try Database(directory.file(), configuration: configuration { $0.journalMode = .delete })
            .executeScript("CREATE TABLE t (a)")
        let url = directory.url.appending(path: "test.sqlite")
        let before = try Data(contentsOf: url)
        let db = try Database(
            directory.file(),
            configuration: configuration {
                $0.openMode = .readOnly
                $0.journalMode = .wal
            })
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
        #expect(try Data(contentsOf: url) == before)
    }

    // K37
    @Test("two databases in memory have nothing in common")
    func memory() throws {
        let db = try Database(.memory)
        try db.execute("CREATE TABLE t (a)")
        #expect(try Database(.memory).scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
        #expect(db.path == nil)
    }

    // K37
    @Test("a temporary database works and has no path")
    func temporary() throws {
        let db = try Database(.temporary)
        try db.execute("CREATE TABLE t (a)")
        #expect(try db.execute("INSERT INTO t VALUES (1)") == 1)
        #expect(db.path == nil)
    }

    // K37
    @Test("SQLite's names for memory and temporary are understood")
    func names() {
        #expect(DatabaseLocation.file(":memory:") == .memory)
        #expect(DatabaseLocation.file("") == .temporary)
        #expect(DatabaseLocation.memory.description == ":memory:")
        #expect(DatabaseLocation.file("/a b").description == "/a b")
        #expect(DatabaseLocation.file("/a").path == "/a")
    }

    // K37
    @Test("a leading tilde is the home directory")
    func tilde() {
        #expect(DatabaseLocation.file("~/x.sqlite").path == NSString("~/x.sqlite").expandingTildeInPath)
    }

    // K11
    @Test("the configuration's closure prepares the connection")
    func prepare() throws {
        let db = try Database(
            .memory, configuration: configuration { $0.prepare = { try $0.execute("CREATE TABLE t (a)") } })
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    // K11
    @Test("what the configuration's closure throws makes opening fail")
    func prepareThrows() {
        #expect(throws: TestError.self) {
            try Database(.memory, configuration: configuration { $0.prepare = { _ in throw TestError() } })
        }
        #expect(throws: TestError.self) {
            try DatabaseQueue(.memory, configuration: configuration { $0.prepare = { _ in throw TestError() } })
        }
    }

    // K11
    @Test("the configuration's closure can choose the page size of a new file")
    func pageSize() throws {
        let db = try Database(
            directory.file(),
            configuration: configuration { $0.prepare = { try $0.execute("PRAGMA page_size = 8192") } })
        try db.execute("CREATE TABLE t (a)")
        #expect(try db.scalar("PRAGMA page_size", as: Int.self) == 8192)
    }

    // K36, Settled 23
    @Test("synchronous is extra unless set")
    func synchronous() throws {
        #expect(try Database(.memory).scalar("PRAGMA synchronous", as: Int.self) == 3)
        let db = try Database(directory.file(), configuration: configuration { $0.synchronous = .normal })
        #expect(try db.scalar("PRAGMA synchronous", as: Int.self) == 1)
    }

    // F9
    @Test("a file that is excluded from backups opens anywhere, and is excluded where the system makes them")
    func excludedFromBackup() throws {
        let db = try Database(directory.file(), configuration: configuration { $0.isExcludedFromBackup = true })
        try db.execute("CREATE TABLE t (a)")
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
        #if canImport(Darwin)
            let url = URL(filePath: directory.path())
            #expect(try url.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup == true)
        #endif
    }
}
