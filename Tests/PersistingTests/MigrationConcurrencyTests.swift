import Foundation
import Persisting
import Testing

private final class Lodger: PersistingModel {
    var id: Int64?
    var name = ""
}

private let migrations = (1...5).map { version in
    Migration(version, sql: "CREATE TABLE \(identifier: "T\(version)") (X)")
}

// F50
@Suite("Migrations, side by side and in tasks") struct MigrationConcurrencyTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path()
    }

    // F117
    @Test("programs that start at once migrate once")
    func atOnce() async throws {
        let runs = Shared<[Int]>([])
        let migrations = (1...5).map { version in
            Migration(version) { manager in
                try manager.execute("CREATE TABLE \(identifier: "T\(version)") (X)")
                runs.change { $0.append(version) }
            }
        }
        let path = path
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await PersistenceManager(path: path, migrations: migrations).schemaVersion }
            }
            for try await version in group { #expect(version == 5) }
        }
        #expect(runs.value == [1, 2, 3, 4, 5])
    }

    // F117
    @Test("a migration waits longer than the busy timeout for another program's migration, and skips what that ran")
    func longMigration() async throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .milliseconds(1)
        let other = try PersistenceManager(path: path, configuration: configuration)
        let manager = try PersistenceManager(path: path, configuration: configuration)
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let slow = Migration(1) { manager in
            hasBegun.yield()
            Thread.sleep(forTimeInterval: 0.1)
            try manager.execute("CREATE TABLE T1 (X)")
        }
        async let first = other.migrate([slow])
        for await _ in begun { break }
        #expect(try await manager.migrate([slow]).isEmpty)
        #expect(try await first == [1])
    }

    @Test("with a busy timeout of zero a migration doesn't wait")
    func noWaiting() throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let manager = try PersistenceManager(path: path, configuration: configuration)
        let other = try PersistenceManager(path: path)
        try other.transaction {
            try other.execute("CREATE TABLE A (X)")
            #expect(sqliteFailure { try manager.migrate(migrations) }?.code == .busy)
        }
        try manager.migrate(migrations)
    }

    @Test("the asynchronous forms migrate")
    func async() async throws {
        let manager = try await PersistenceManager(path: path, migrations: Array(migrations.prefix(2)))
        #expect(try await manager.migrate(migrations) == [3, 4, 5])
    }

    @Test("they report mistakes before the file is created")
    func asyncMistake() async throws {
        let error = await asyncFailure {
            try await PersistenceManager(path: path, migrations: [Migration(0, sql: "")]).close()
        }
        #expect(error?.code == .invalidMigrations)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("inside an asynchronous migration the task's manager is known, and the classes' methods use the migration's")
    func taskManager() async throws {
        let other = try memoryManager(Lodger.self)
        let manager = try PersistenceManager(.memory)
        _ = try await other.asCurrent {
            try await manager.migrate([
                Migration(1) { manager in
                    try manager.createTableIfNecessary(for: Lodger.self)
                    try Lodger.create(["name": "Ada"])
                }
            ])
        }
        #expect(try manager.rowCount("LODGER") == 1)
    }

    @Test("progress counts the migrations")
    func progress() async throws {
        let progress = Progress(totalUnitCount: 0)
        let counts = Shared<[Int64]>([])
        let counting = (1...3).map { version in
            Migration(version) { _ in counts.change { $0.append(progress.completedUnitCount) } }
        }
        try await PersistenceManager(.memory, migrations: counting, progress: progress).close()
        #expect(counts.value == [0, 1, 2])
        #expect(progress.totalUnitCount == 3)
        #expect(progress.isFinished)
    }

    @Test("with nothing to do progress is finished")
    func finishedProgress() throws {
        let manager = try PersistenceManager(.memory, migrations: migrations)
        let progress = Progress(totalUnitCount: 1)
        try manager.migrate(migrations, progress: progress)
        #expect(progress.fractionCompleted == 1)
    }

    @Test("what a migration reports is a part of the progress")
    func partialProgress() throws {
        let manager = try memoryManager(Lodger.self)
        let progress = Progress(totalUnitCount: 0)
        let fraction = Shared(0.0)
        try manager.migrate(
            [
                Migration(1) { _ in
                    let half = Progress(totalUnitCount: 2)
                    half.completedUnitCount = 1
                    fraction.change { $0 = progress.fractionCompleted }
                    half.completedUnitCount = 2
                },
                Migration(2) { manager in
                    try manager.insert((0..<10).map { _ in Lodger() }, progress: Progress(totalUnitCount: 1))
                },
            ], progress: progress)
        #expect(fraction.value == 0.25)
        #expect(progress.fractionCompleted == 1)
    }

    @Test("cancelling the progress stops before the next migration")
    func cancelledProgress() throws {
        let manager = try PersistenceManager(.memory)
        let progress = Progress(totalUnitCount: 0)
        #expect(throws: CancellationError.self) {
            try manager.migrate(
                [Migration(1) { _ in progress.cancel() }, Migration(2, sql: "CREATE TABLE A (X)")], progress: progress)
        }
        #expect(try manager.schemaVersion == 1)
    }

    @Test("cancelling the task interrupts the migration that runs, and rolls it back")
    func cancellation() async throws {
        let manager = try PersistenceManager(path: path)
        let begun = AsyncStream<Void>.makeStream()
        let endless = Migration(2) { manager in
            try manager.execute("CREATE TABLE A (X)")
            begun.continuation.finish()
            try manager.execute(
                "WITH N (I) AS (VALUES (1) UNION ALL SELECT I + 1 FROM N) INSERT INTO A SELECT I FROM N WHERE I < 0")
        }
        let task = Task { try await manager.migrate([migrations[0], endless]) }
        for await _ in begun.stream {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try manager.schemaVersion == 1)
        #expect(try await !manager.tableExists("A"))
        let isEnforced = try await manager.database.withoutTransaction { try $0.pragma("foreign_keys", as: Bool.self) }
        #expect(isEnforced == true)
    }

    @Test("cancelling the task ends the wait for another program")
    func cancelledWait() async throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .milliseconds(1)
        let manager = try PersistenceManager(path: path, configuration: configuration)
        let other = try PersistenceManager(path: path)
        let isDone = DispatchSemaphore(value: 0)
        let (locked, isLocked) = AsyncStream.makeStream(of: Void.self)
        let holder = Task.detached {
            try await other.transaction {
                try other.execute("CREATE TABLE A (X)")
                isLocked.yield()
                isDone.wait()
            }
        }
        for await _ in locked { break }
        let task = Task { try await manager.migrate(migrations) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        isDone.signal()
        try await holder.value
    }
}
