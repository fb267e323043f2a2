import Dispatch
import Foundation
import SQLiteKit
import Testing

@Suite("A pool under load", .timeLimit(.minutes(20)))
struct PoolStressTests {
    // K9, K11
    @Test("200,000 operations, or 5 s of them, by threads and tasks see whole transactions alone")
    func wholeTransactions() async throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.synchronous = .off
        configuration.maximumReaders = 3
        let pool = try DatabasePool(directory.file(), configuration: configuration)
        try await pool.write { db in
            try db.executeScript(
                """
                CREATE TABLE a (n INTEGER); CREATE TABLE b (n INTEGER);
                INSERT INTO a VALUES (0), (0), (0); INSERT INTO b VALUES (0), (0), (0)
                """)
        }
        let operations = Shared(0)
        let writes = Shared(0)
        let broken = Shared(0)
        let end = ContinuousClock.now + .seconds(5)

        let write: @Sendable (Database) throws -> Void = { db in
            let row = Int.random(in: 1...3)
            try db.execute("UPDATE a SET n = n + 1 WHERE rowid = ?", [row])
            try db.execute("UPDATE b SET n = n + 1 WHERE rowid = ?", [4 - row])
        }
        let read: @Sendable (Database) throws -> Void = { db in
            let a = try db.scalar("SELECT sum(n) FROM a", as: Int.self)
            if try db.scalar("SELECT sum(n) FROM b", as: Int.self) != a { broken.update { $0 += 1 } }
        }
        let goesOn: @Sendable (Int) -> Bool = { count in
            operations.update { $0 += count }
            return operations.value < 200_000 && ContinuousClock.now < end
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    repeat {
                        try await pool.write { db in try write(db) }
                        for _ in 0..<9 { try await pool.read { db in try read(db) } }
                        writes.update { $0 += 1 }
                    } while goesOn(10)
                }
                group.addTask {
                    try await onThread {
                        repeat {
                            try pool.write(write)
                            for _ in 0..<9 { try pool.read(read) }
                            writes.update { $0 += 1 }
                        } while goesOn(10)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(broken.value == 0)
        #expect(try await pool.read { db in try db.scalar("SELECT sum(n) FROM a", as: Int.self) } == writes.value)
    }
}

#if os(macOS) || os(Linux)
    @Suite("Two processes", .timeLimit(.minutes(20)))
    struct ProcessTests {
        private static let transactions = 300

        /// A file that a process and its children find without being told.
        private static func file(of process: Int32) -> URL {
            FileManager.default.temporaryDirectory.appending(path: "sqlitekit-processes-\(process).sqlite")
        }

        /// Reads, modifies and writes one number, together with another process.
        private static func hammer(_ database: any DatabaseAccess) throws {
            try database.write { db in _ = try db.execute("UPDATE counter SET ready = ready + 1") }
            while try database.read({ try $0.scalar("SELECT ready FROM counter", as: Int.self) }) ?? 0 < 2 {
                Thread.sleep(forTimeInterval: 0.001)
            }
            for _ in 0..<transactions {
                try database.write { db in
                    let number = try db.scalar("SELECT n FROM counter", as: Int.self) ?? 0
                    try db.execute("UPDATE counter SET n = ?", [number + 1])
                }
            }
        }

        // K9, K11, K13
        @Test("a queue and a pool in two processes lose no update of one file, and see no error")
        func twoProcesses() async throws {
            let path = Self.file(of: getpid())
            let remove = {
                // Nothing can be done about a file that stays.
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path.path + suffix) }
            }
            remove()
            defer { remove() }
            let database = try DatabaseQueue(.file(path))
            try await database.write { db in
                try db.executeScript("CREATE TABLE counter (n, ready); INSERT INTO counter VALUES (0, 0)")
            }
            // Each closure runs in a process of its own.
            async let queue = #expect(processExitsWith: .success) {
                try Self.hammer(DatabaseQueue(.file(Self.file(of: getppid()))))
            }
            async let pool = #expect(processExitsWith: .success) {
                try Self.hammer(DatabasePool(.file(Self.file(of: getppid()))))
            }
            _ = await (queue, pool)
            let number = try await database.read { db in try db.scalar("SELECT n FROM counter", as: Int.self) }
            #expect(number == 2 * Self.transactions)
        }
    }
#endif
