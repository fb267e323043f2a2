import Faults
import SQLiteKit
import Testing

/// Settled 23: what was acknowledged is kept.
@Suite("What a power cut leaves")
struct SynchronousTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func synchronous(_ name: String, _ db: Database) throws -> Int? {
        try db.pragma("synchronous", of: name, as: Int.self)
    }

    // K36, Settled 23
    @Test("an attached database waits for the disk as the main one does")
    func attached() throws {
        let db = try Database(directory.file())
        try db.attach(directory.file("other.sqlite"), as: "other one")
        #expect(try synchronous("other one", db) == 3)
    }

    // K36, Settled 23
    @Test("so does one that SQL text attaches, in `prepare` as well")
    func attachedBySQL() throws {
        let path = directory.path("other.sqlite")
        var configuration = DatabaseConfiguration()
        configuration.synchronous = .normal
        configuration.prepare = { db in try db.execute("/* first */ ATTACH \(path) AS first") }
        let db = try Database(directory.file(), configuration: configuration)
        try db.execute("attach database \(directory.path("third.sqlite")) AS second")
        #expect(try synchronous("first", db) == 1)
        #expect(try synchronous("second", db) == 1)
    }

    // K36, Settled 23
    @Test("one that is attached inside a transaction does so from the next one")
    func attachedInTransaction() throws {
        let db = try Database(directory.file())
        try db.transaction { try db.attach(directory.file("other.sqlite"), as: "other") }
        try db.transaction { try db.execute("CREATE TABLE other.t (a)") }
        #expect(try synchronous("other", db) == 3)
    }

    // K36, Settled 23
    @Test(
        "no row of an existing file is lost that was acknowledged", .oneAtATime,
        arguments: [JournalMode.delete, .truncate, .persist, .wal])
    func powerCuts(_ mode: JournalMode) throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = mode
        for (cut, seed) in (1...24).flatMap({ cut in (1...2).map { (cut, UInt64($0)) } }) {
            let file = directory.file("\(cut)-\(seed).sqlite")
            try Database(file, configuration: configuration).execute("CREATE TABLE t (a)")
            let vfs = try FaultyVFS()
            vfs.trackDisk()
            vfs.cutPower(at: cut)
            var acknowledged = 0
            do {
                var configuration = configuration
                configuration.vfs = vfs.name
                let db = try Database(file, configuration: configuration)
                for number in 1...3 {
                    try db.execute("INSERT INTO t VALUES (\(number))")
                    acknowledged = number
                }
            } catch let error as SQLiteError where vfs.isOff {
                #expect(error.code == .ioError || error.code == .cannotOpen)
            }
            try vfs.restorePower(seed: seed)
            let found = try Database(file).column("SELECT a FROM t ORDER BY a", as: Int.self)
            #expect(found.starts(with: 1..<(acknowledged + 1)), "cut \(cut), seed \(seed): \(found)")
        }
    }
}
