import Faults
import SQLiteKit
import Testing

/// `DatabaseConfiguration.vfs`.
@Suite("The VFS that opens the files")
struct VFSTests {
    private let directory: TemporaryDirectory
    private let vfs: FaultyVFS
    private let configuration: DatabaseConfiguration

    init() throws {
        directory = try TemporaryDirectory()
        vfs = try FaultyVFS()
        vfs.fail(.opens, at: 0)
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        self.configuration = configuration
    }

    // K37
    @Test("a database is opened by the VFS that is named")
    func database() throws {
        let db = try Database(directory.file(), configuration: configuration)
        try db.execute("CREATE TABLE t (a)")
        #expect(vfs.callCount > 0)
    }

    // K37
    @Test("so is a queue's, and so are all of a pool's connections")
    func queueAndPool() throws {
        let queue = try DatabaseQueue(directory.file(), configuration: configuration)
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
        let afterQueue = vfs.callCount
        #expect(afterQueue > 0)
        let pool = try DatabasePool(directory.file(), configuration: configuration)
        let afterWriter = vfs.callCount
        _ = try pool.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) }
        #expect(vfs.callCount > afterWriter && afterWriter > afterQueue)
    }

    // K37
    @Test("a name that no VFS has is rejected with those that there are")
    func unknown() throws {
        var configuration = DatabaseConfiguration()
        configuration.vfs = "nonesuch"
        let error = failure { try Database(directory.file(), configuration: configuration) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("\"nonesuch\"") == true)
        #expect(error?.message.contains(vfs.name) == true)
    }

    // K37
    @Test("a name is not cut at a NUL")
    func nul() throws {
        var configuration = configuration
        configuration.vfs = vfs.name + "\0x"
        #expect(failure { try Database(directory.file(), configuration: configuration) }?.code == .cannotOpen)
    }

    // K37
    @Test("a shared database in memory has a VFS of its own")
    func sharedMemory() throws {
        let first = try Database(.sharedMemory(vfs.name), configuration: configuration)
        try first.execute("CREATE TABLE t (a)")
        let second = try Database(.sharedMemory(vfs.name), configuration: configuration)
        #expect(try second.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    // K37
    @Test("an immutable file is read by the VFS that is named")
    func immutable() throws {
        try Database(directory.file()).execute("CREATE TABLE t (a)")
        var configuration = configuration
        configuration.openMode = .immutable
        let db = try Database(directory.file(), configuration: configuration)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
        #expect(vfs.callCount > 0)
    }
}
