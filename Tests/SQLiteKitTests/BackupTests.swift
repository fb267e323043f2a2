import Dispatch
import Foundation
import SQLiteKit
import Testing

/// A table of `count` rows of about 1 kB, 4 to a page.
private func filled(_ db: Database, _ count: Int = 400) throws {
    try db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
    try db.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO t SELECT i, zeroblob(1000) FROM n
        """)
}

private func count(_ db: Database) throws -> Int? { try db.scalar("SELECT count(*) FROM t", as: Int.self) }

@Suite("Backups")
struct BackupTests {
    private let directory: TemporaryDirectory
    private let db: Database
    private let copy: Database

    init() throws {
        directory = try TemporaryDirectory()
        db = try Database(.memory)
        try filled(db)
        copy = try memory("CREATE TABLE old (a)")
    }

    // K22
    @Test("a database in memory goes to a file and back")
    func memoryToFile() throws {
        do { try db.backup(to: Database(directory.file())) }
        try Database(directory.file()).backup(to: copy)
        #expect(try count(copy) == 400)
        #expect(try copy.column("PRAGMA integrity_check", as: String.self) == ["ok"])
        #expect(failure { try copy.execute("SELECT * FROM old") }?.message.contains("no such table") == true)
    }

    // K22
    @Test("progress is reported after each step, and ends at nothing remaining")
    func progress() throws {
        var steps: [Backup.Progress] = []
        try db.backup(to: copy, pagesPerStep: 30) { steps.append($0) }
        let pages = try #require(try db.scalar("PRAGMA page_count", as: Int.self))
        #expect(steps.map(\.remaining) == Array(stride(from: pages - 30, to: 0, by: -30)) + [0])
        #expect(steps.allSatisfy { $0.pageCount == pages })
        #expect(steps.last?.fractionCompleted == 1)
    }

    // K22
    @Test("one step copies all unless a number of pages is given")
    func oneStep() throws {
        var steps = 0
        try db.backup(to: copy) { _ in steps += 1 }
        #expect(steps == 1)
    }

    // K22
    @Test("what progress throws stops the backup, and the destination is as it was")
    func stopped() throws {
        #expect(throws: TestError.self) { try db.backup(to: copy, pagesPerStep: 30) { _ in throw TestError() } }
        #expect(try copy.scalar("SELECT count(*) FROM old", as: Int.self) == 0)
        #expect(failure { try db.close() } == nil)
    }

    // K22
    @Test("a backup to a file that is stopped leaves no new file, and a file in its mode", arguments: [0, 30])
    func stoppedFile(_ pages: Int) throws {
        let queue = try DatabaseQueue(directory.file("source.sqlite"))
        try queue.write { try filled($0) }
        let (new, old) = (directory.file("new.sqlite"), directory.file("old.sqlite"))
        try Database(old).execute("CREATE TABLE old (a)")
        for location in [new, old] {
            #expect(throws: (any Error).self) {
                try queue.backup(to: location, pagesPerStep: pages) { _ in throw TestError() }
            }
        }
        #expect(try !FileManager.default.fileExists(atPath: #require(new.path)))
        let left = try Database(old)
        #expect(try left.journalMode == .wal)
        #expect(try left.scalar("SELECT count(*) FROM old", as: Int.self) == 0)
        // The last step has made the copy, whatever is thrown then.
        #expect(throws: TestError.self) {
            try queue.backup(to: new) { if $0.remaining == 0 { throw TestError() } }
        }
        #expect(try count(Database(new)) == 400)
    }

    // K22
    @Test("step by step; what is left to do is reported")
    func steps() throws {
        let backup = try Backup(from: db, to: copy)
        #expect(backup.progress.remaining == 0)
        #expect(backup.progress.pageCount == 0)
        #expect(backup.progress.fractionCompleted == 0)
        #expect(try backup.step(10))
        #expect(backup.progress.pageCount - backup.progress.remaining == 10)
        #expect(!backup.isComplete)
        #expect(try !backup.step())
        #expect(backup.isComplete)
        #expect(try !backup.step(10))
        try backup.finish()
        #expect(try count(copy) == 400)
    }

    // K22
    @Test("a step has at least one page", arguments: [0, -1, Int.min])
    func stepSize(_ pages: Int) throws {
        let backup = try Backup(from: db, to: copy)
        #expect(failure { try backup.step(pages) }?.code == .range)
        #expect(try !backup.step(Int.max))
    }

    // K22
    @Test("a backup that is ended early leaves the destination as it was, and cannot go on")
    func ended() throws {
        let backup = try Backup(from: db, to: copy)
        _ = try backup.step(10)
        try backup.finish()
        try backup.finish()
        #expect(failure { try backup.step() }?.extendedCode == .closed)
        #expect(try copy.scalar("SELECT count(*) FROM old", as: Int.self) == 0)
    }

    // K22
    @Test("a backup lets go of both connections", arguments: [true, false])
    func letGo(_ isComplete: Bool) throws {
        do {
            let (source, destination) = (try Database(directory.file("a")), try Database(directory.file("b")))
            try filled(source)
            try destination.execute("CREATE TABLE old (a)")
            let backup = try Backup(from: source, to: destination)
            _ = try backup.step(isComplete ? nil : 10)
        }
        // The log of a database goes with its last connection.
        #expect(!FileManager.default.fileExists(atPath: directory.path("a-wal")))
        #expect(!FileManager.default.fileExists(atPath: directory.path("b-wal")))
    }

    // K22
    @Test("a statement of the destination that was prepared before knows the new tables")
    func statements() throws {
        let statement = try copy.prepare("SELECT a FROM old")
        try db.backup(to: copy)
        #expect(failure { try statement.query().next() }?.message.contains("no such table") == true)
    }

    // K22
    @Test("what the source's connection writes meanwhile is in the copy")
    func sourceWrites() throws {
        let backup = try Backup(from: db, to: copy)
        _ = try backup.step(50)
        try db.execute("DELETE FROM t WHERE a <= 100")
        _ = try backup.step()
        #expect(try count(copy) == 300)
        #expect(try copy.column("PRAGMA integrity_check", as: String.self) == ["ok"])
    }

    // K22
    @Test("when another connection writes meanwhile, the backup begins again")
    func otherWrites() throws {
        do { try db.backup(to: Database(directory.file())) }
        let (source, other) = (try Database(directory.file()), try Database(directory.file()))
        let backup = try Backup(from: source, to: copy)
        _ = try backup.step(50)
        let before = backup.progress
        try other.execute("UPDATE t SET b = zeroblob(999)")
        _ = try backup.step(10)
        #expect(backup.progress.remaining > before.remaining)
        _ = try backup.step()
        #expect(try copy.scalar("SELECT max(length(b)) FROM t", as: Int.self) == 999)
    }

    // K22
    @Test("the destination cannot be used until the backup has finished")
    func destinationIsBlocked() throws {
        let statement = try copy.prepare("SELECT ?")
        let backup = try Backup(from: db, to: copy)
        _ = try backup.step(10)
        #expect(failure { try copy.execute("SELECT 1") }?.extendedCode == .notAllowedHere)
        #expect(failure { try statement.bind(int64: 1, at: 1) }?.extendedCode == .notAllowedHere)
        #expect(failure { try statement.step() }?.extendedCode == .notAllowedHere)
        #expect(failure { try copy.transaction {} }?.extendedCode == .notAllowedHere)
        #expect(failure { try copy.close() }?.message.contains("backup") == true)
        #expect(failure { try Backup(from: db, to: copy) }?.extendedCode == .notAllowedHere)
        #expect(failure { try Backup(from: copy, to: db) }?.extendedCode == .notAllowedHere)
        try backup.finish()
        #expect(try statement.query([1]).next() != nil)
    }

    // K22
    @Test("a destination in a transaction is rejected")
    func destinationInTransaction() throws {
        let error = try copy.transaction {
            try copy.execute("INSERT INTO old VALUES (1)")
            return failure { try Backup(from: db, to: copy) }
        }
        #expect(error?.message.contains("in use") == true)
        #expect(try copy.scalar("SELECT count(*) FROM old", as: Int.self) == 1)
        try db.backup(to: copy)
    }

    // K22
    @Test("a database isn't a copy of itself")
    func same() throws {
        #expect(failure { try Backup(from: db, to: db) }?.message.contains("distinct") == true)
        #expect(try count(db) == 400)
        let (file, other) = (try Database(directory.file()), try Database(directory.file()))
        try filled(file)
        let error = failure { try file.backup(to: other) }
        #expect(error?.code == .misuse && error?.message.contains("is the database itself") == true)
        #expect(try count(file) == 400)
    }

    // K22
    @Test("a source in a write transaction is said so, and the step can be tried again")
    func sourceInTransaction() throws {
        let backup = try Backup(from: db, to: copy)
        let error = try db.transaction { failure { try backup.step() } }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("write transaction") == true)
        #expect(try !backup.step())
    }

    // K22
    @Test("a source is copied inside a read transaction")
    func sourceReads() throws {
        try db.transaction(.deferred) {
            _ = try count(db)
            try db.backup(to: copy)
        }
        #expect(try count(copy) == 400)
    }

    // K22
    @Test("a source that another connection locks throws when the busy timeout is over")
    func locked() throws {
        do {
            let file = try Database(directory.file())
            try filled(file, 4)
            _ = try file.scalar("PRAGMA journal_mode = delete", as: String.self)
        }
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let source = try Database(directory.file(), configuration: configuration)
        let other = try Database(directory.file())
        let backup = try Backup(from: source, to: copy)
        try other.transaction(.exclusive) {
            #expect(failure { try backup.step() }?.code == .busy)
        }
        #expect(try !backup.step())
    }

    // K22
    @Test("a read-only destination is not written")
    func readOnly() throws {
        try Database(directory.file()).execute("CREATE TABLE x (a)")
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let destination = try Database(directory.file(), configuration: configuration)
        #expect(failure { try db.backup(to: destination) }?.code == .readOnly)
        #expect(try destination.scalar("SELECT count(*) FROM x", as: Int.self) == 0)
    }

    // K22
    @Test("another page size goes to a database that is new, and into WAL mode it is rejected")
    func pageSize() throws {
        let large = try memory("PRAGMA page_size = 8192; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let new = try Database(.memory)
        try large.backup(to: new)
        #expect(try new.scalar("PRAGMA page_size", as: Int.self) == 8192)
        let wal = try Database(directory.file())
        try wal.execute("CREATE TABLE x (a)")
        #expect(failure { try large.backup(to: wal) }?.message.contains("page size") == true)
    }

    // K22
    @Test("attached databases are copied by their names")
    func attached() throws {
        try db.executeScript("ATTACH ':memory:' AS \"ä b\"; CREATE TABLE \"ä b\".x (a); INSERT INTO x VALUES (5)")
        let backup = try Backup(from: db, sourceName: "ä b", to: copy)
        _ = try backup.step()
        #expect(try copy.scalar("SELECT a FROM x", as: Int.self) == 5)
        #expect(failure { try Backup(from: db, sourceName: "nowhere", to: copy) }?.message.contains("nowhere") == true)
        #expect(failure { try Backup(from: db, sourceName: "main\0x", to: copy) }?.message.contains("NUL") == true)
        #expect(
            failure { try Backup(from: db, to: copy, destinationName: "nowhere") }?.message.contains("nowhere") == true)
    }

    // K22
    @Test("an empty database is copied")
    func empty() throws {
        try Database(.memory).backup(to: copy)
        #expect(try copy.scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
    }

    // K40
    @Test("neither database can be closed before the backup has finished, and it is named")
    func closing() throws {
        let backup = try Backup(from: db, to: copy)
        _ = try backup.step(10)
        let error = failure { try db.close() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("a backup") == true)
        #expect(failure { try copy.close() }?.message.contains("backup") == true)
        try backup.finish()
        try db.close()
        try copy.close()
    }

    // K22
    @Test("closed databases are rejected")
    func closed() throws {
        try copy.close()
        #expect(failure { try Backup(from: db, to: copy) }?.extendedCode == .closed)
        #expect(failure { try Backup(from: copy, to: db) }?.extendedCode == .closed)
    }

    // K22
    @Test("a step that failed and was caught does not make its access fail")
    func caughtStep() throws {
        let queue = try DatabaseQueue(.memory)
        var kept: Backup?
        let error = try queue.withoutTransaction { destination in
            kept = try Backup(from: db, to: destination)
            return try db.transaction { failure { try kept?.step() } }
        }
        #expect(error?.code == .busy)
        #expect(kept?.isComplete == false)
    }

    // K22
    @Test("a backup ends with the access of its source or of its destination")
    func access() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in try filled(db) }
        var kept: Backup?
        try queue.withoutTransaction { source in
            kept = try Backup(from: source, to: copy)
            #expect(try kept?.step(10) == true)
        }
        #expect(failure { try kept?.step() }?.extendedCode == .expired)
        #expect(try copy.scalar("SELECT count(*) FROM old", as: Int.self) == 0)
        try queue.withoutTransaction { destination in
            kept = try Backup(from: copy, to: destination)
            #expect(failure { try destination.execute("SELECT 1") }?.extendedCode == .notAllowedHere)
        }
        #expect(failure { try kept?.step() }?.extendedCode == .expired)
        #expect(try queue.read { db in try count(db) } == 400)
        try queue.close()
        try copy.close()
    }
}

@Suite("Backups of a queue", .timeLimit(.minutes(20)))
struct QueueBackupTests {
    private let directory: TemporaryDirectory
    private let queue: DatabaseQueue

    init() throws {
        directory = try TemporaryDirectory()
        queue = try DatabaseQueue(directory.file())
        try queue.write { db in try filled(db) }
    }

    private func copied() throws -> Int? { try count(Database(directory.file("sub/copy.sqlite"))) }

    // K22
    @Test("a queue is copied to a file, whose directory is created")
    func copy() throws {
        try queue.backup(to: directory.file("sub/copy.sqlite"))
        #expect(try copied() == 400)
    }

    // K22
    @Test("the path of the database itself is an error, also through a link", arguments: [false, true])
    func ownPath(_ isLink: Bool) async throws {
        let path = try #require(directory.file().path)
        var destination = path
        if isLink {
            destination += " link"
            try FileManager.default.createSymbolicLink(atPath: destination, withDestinationPath: path)
        }
        let error = failure { try queue.backup(to: .file(destination)) }
        #expect(error?.code == .misuse && error?.path == destination)
        #expect(error?.message == "the destination of the backup is the database itself: give another path")
        await #expect(throws: SQLiteError.self) { try await queue.backup(to: .file(destination)) }
        #expect(try await queue.read { db in try count(db) } == 400)
    }

    // K22
    @Test("a destination that would be deleted when the backup ends is an error", arguments: ["", ":memory:"])
    func noFile(_ path: String) throws {
        let error = failure { try queue.backup(to: .file(path)) }
        #expect(error?.code == .misuse && error?.message.hasSuffix("give the path of a file") == true)
    }

    // K22
    @Test("a file that is there is overwritten")
    func overwritten() throws {
        try FileManager.default.createDirectory(atPath: directory.path("sub"), withIntermediateDirectories: true)
        try Database(directory.file("sub/copy.sqlite")).execute("CREATE TABLE other (a)")
        try queue.backup(to: directory.file("sub/copy.sqlite"))
        #expect(try copied() == 400)
        let copy = try Database(directory.file("sub/copy.sqlite"))
        #expect(try copy.scalar("SELECT count(*) FROM sqlite_schema WHERE name = 'other'", as: Int.self) == 0)
    }

    // K22
    @Test("others use the queue between the steps, and what they write is in the copy")
    func others() throws {
        var steps = 0
        try queue.backup(to: directory.file("sub/copy.sqlite"), pagesPerStep: 10) { _ in
            steps += 1
            if steps < 5 { try queue.write { db in try db.execute("DELETE FROM t WHERE a = ?", [steps]) } }
        }
        #expect(steps >= 5)
        #expect(try copied() == 396)
    }

    // K22
    @Test("inside a write it is rejected, inside a read it works")
    func inside() throws {
        let error = try queue.write { _ in failure { try queue.backup(to: directory.file("sub/copy.sqlite")) } }
        #expect(error?.code == .busy)
        try queue.read { _ in try queue.backup(to: directory.file("sub/copy.sqlite")) }
        #expect(try copied() == 400)
    }

    // K22
    @Test("a task is suspended while it copies")
    func async() async throws {
        let told = Shared(0)
        try await queue.backup(to: directory.file("sub/copy.sqlite"), pagesPerStep: 20) { _ in told.update { $0 += 1 } }
        #expect(told.value > 1)
        #expect(try copied() == 400)
    }

    private enum Trail {
        @TaskLocal static var name = "none"
    }

    // K22, K11
    @Test("the closure for its progress has the task's local values")
    func taskLocal() async throws {
        let names = Shared<Set<String>>([])
        try await Trail.$name.withValue("request 7") {
            try await queue.backup(to: directory.file("sub/copy.sqlite"), pagesPerStep: 20) { _ in
                names.update { _ = $0.insert(Trail.name) }
            }
        }
        #expect(names.value == ["request 7"])
    }

    // K22, K16
    @Test("a task that is cancelled stops, and what was there before stays")
    func cancelled() async throws {
        try Database(directory.file("sub/copy.sqlite")).executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let (queue, directory) = (queue, directory)
        let task = Task {
            try await queue.backup(to: directory.file("sub/copy.sqlite"), pagesPerStep: 1) { progress in
                if progress.pageCount - progress.remaining == 5 { throw CancellationError() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await queue.backup(to: directory.file("sub/copy.sqlite"))
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try copied() == 1)
        try await queue.close()
    }

    // K22, K16
    @Test("a task that is cancelled between two steps stops at the next")
    func cancelledBetweenSteps() async throws {
        let (queue, directory) = (queue, directory)
        let (stepped, gate) = (Signal(), DispatchSemaphore(value: 0))
        let task = Task {
            try await queue.backup(to: directory.file("sub/copy.sqlite"), pagesPerStep: 1) { progress in
                guard progress.pageCount - progress.remaining == 5 else { return }
                stepped.send()
                gate.wait()
            }
        }
        await stepped.wait()
        task.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(failure { try copied() }?.message.contains("no such table") == true)
        try await queue.close()
    }

    // K22
    @Test("many tasks write while a backup goes on, and the copy is sound")
    func concurrent() async throws {
        let (queue, directory) = (queue, directory)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await queue.backup(to: directory.file("sub/copy.sqlite"), pagesPerStep: 5) }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        try await queue.write { db in try db.execute("INSERT INTO t (b) VALUES (zeroblob(1000))") }
                    }
                }
            }
            try await group.waitForAll()
        }
        let copy = try Database(directory.file("sub/copy.sqlite"))
        #expect(try copy.integrityCheck() == [])
        #expect(try (400...600).contains(count(copy) ?? 0))
        #expect(try await queue.read { db in try count(db) } == 600)
    }

    // K22
    @Test("a copy is loaded into a queue that is in use")
    func restore() throws {
        try queue.backup(to: directory.file("sub/copy.sqlite"))
        try queue.write { db in try db.execute("DROP TABLE t") }
        try queue.withoutTransaction { db in try Database(directory.file("sub/copy.sqlite")).backup(to: db) }
        #expect(try queue.read { db in try count(db) } == 400)
        let journalMode = try queue.withoutTransaction { db in try db.journalMode }
        #expect(journalMode == .wal)
    }

    // K40
    @Test("closing the queue in between names the backup")
    func close() throws {
        var error: SQLiteError?
        try queue.backup(to: directory.file("sub/copy.sqlite"), pagesPerStep: 10) { _ in
            error = error ?? failure { try queue.close() }
        }
        #expect(error?.message.contains("a backup") == true)
        #expect(try copied() == 400)
        try queue.close()
    }

    // K22
    @Test("access that isn't granted in time ends the backup, and the queue can be used and closed")
    func timeout() throws {
        var configuration = DatabaseConfiguration()
        configuration.accessTimeout = .milliseconds(20)
        let queue = try DatabaseQueue(directory.file(), configuration: configuration)
        let (held, gate, released) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let error = failure {
            try queue.backup(to: directory.file("sub/copy.sqlite"), pagesPerStep: 10) { _ in
                Thread.detachNewThread {
                    #expect(throws: Never.self) {
                        try queue.withoutTransaction { _ in
                            held.signal()
                            gate.wait()
                        }
                    }
                    released.signal()
                }
                held.wait()
            }
        }
        gate.signal()
        released.wait()
        #expect(error?.extendedCode == .accessTimeout)
        #expect(try queue.read { db in try count(db) } == 400)
        try queue.close()
    }
}
