import Foundation
import SQLiteKit
import Testing

/// Whether the SQLite that the tests are linked with encrypts files. `Scripts/newer-sqlite` runs them on two that do.
private let hasCipher = (try? Database(.memory).cipher) != nil
private let isSQLCipher = (try? Database(.memory).cipher)?.hasPrefix("SQLCipher") == true

private let raw = (0..<32).map { UInt8($0 * 7 + 1) }
private let key = DatabaseKey.passphrase("blue valentines")

private func configuration(_ key: DatabaseKey?) -> DatabaseConfiguration {
    var configuration = DatabaseConfiguration()
    configuration.key = key
    return configuration
}

private func isPlain(_ path: String) throws -> Bool {
    try Data(contentsOf: URL(filePath: path)).starts(with: Data("SQLite format 3".utf8))
}

private let badKeys: [DatabaseKey] = [.passphrase(""), .passphrase("a\0b"), .raw([]), .raw(raw + [1])]

@Suite("A key without a cipher", .enabled(if: !hasCipher)) struct KeyWithoutCipherTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("never makes a plain file", arguments: [key, .raw(raw)])
    func missing(_ key: DatabaseKey) throws {
        let path = directory.path("secret.sqlite")
        let error = #expect(throws: SQLiteError.self) {
            _ = try DatabasePool(.file(path), configuration: configuration(key))
        }
        #expect(error?.extendedCode == .missingFeature && error?.path == path)
        let data = try? Data(contentsOf: URL(filePath: path))
        #expect(data?.isEmpty != false)
    }

    @Test("is refused by attached files, copies and rekey") func others() throws {
        let db = try Database(directory.file("plain.sqlite"))
        try db.execute("CREATE TABLE t (a)")
        let (queue, copy) = (try DatabaseQueue(directory.file("queue.sqlite")), directory.file("copy.sqlite"))
        #expect(failure { try db.attach(copy, as: "copy", key: key) }?.extendedCode == .missingFeature)
        #expect(failure { try db.vacuum(into: copy, key: key) }?.extendedCode == .missingFeature)
        #expect(failure { try db.rekey(key) }?.extendedCode == .missingFeature)
        #expect(failure { try queue.rekey(key) }?.extendedCode == .missingFeature)
        #expect(failure { try queue.backup(to: copy, key: key) }?.code == .misuse)
        #expect(!FileManager.default.fileExists(atPath: copy.description))
        // Without one, all is plain anyway.
        try db.attach(copy, as: "copy", key: .plain)
        try db.execute("CREATE TABLE copy.t (a)")
        try db.vacuum(into: directory.file("other.sqlite"), key: .plain)
        try queue.backup(to: directory.file("third.sqlite"), key: .plain)
        #expect(try queue.read { try $0.scalar("SELECT 1", as: Int.self) } == 1)
    }

    @Test("is ignored in memory, where there is no file") func memory() throws {
        for location in [DatabaseLocation.memory, .sharedMemory("keys")] {
            try Database(location, configuration: configuration(key)).execute("CREATE TABLE t (a)")
        }
        #expect(failure { _ = try Database(.temporary, configuration: configuration(key)) }?.code == .misuse)
    }
}

// K49
@Suite("A key with a cipher", .enabled(if: hasCipher)) struct KeyTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("secret.sqlite")
    }

    private func open(_ key: DatabaseKey?, _ name: String = "secret.sqlite") throws -> Database {
        try Database(directory.file(name), configuration: configuration(key))
    }

    private func fill(_ db: Database) throws {
        try db.execute("CREATE TABLE t (a)")
        try db.execute("INSERT INTO t VALUES ('cleartext'), ('two'), ('three')")
    }

    private func count(_ key: DatabaseKey?, _ name: String = "secret.sqlite") throws -> Int? {
        try open(key, name).scalar("SELECT count(*) FROM t", as: Int.self)
    }

    @Test("keeps what is written from who has another, or none", arguments: [key, .raw(raw), .raw(raw + raw[0..<16])])
    func keys(_ key: DatabaseKey) throws {
        do { try fill(open(key)) }
        #expect(try !isPlain(path))
        #expect(try !Data(contentsOf: URL(filePath: path)).contains(Data("cleartext".utf8)))
        #expect(try count(key) == 3)
        for other in [DatabaseKey.passphrase("other"), .raw(raw.reversed())] {
            let error = failure { _ = try count(other) }
            #expect(error?.extendedCode == .wrongKey && error?.code == .notADatabase && error?.path == path)
        }
        #expect(failure { _ = try count(nil) }?.code == .notADatabase)
        #expect(try count(key) == 3)
    }

    @Test("isn't one for a plain file") func plain() throws {
        do { try fill(open(nil)) }
        #expect(failure { _ = try count(key) }?.extendedCode == .wrongKey)
        #expect(try count(.plain) == 3)
    }

    @Test("that can be none is refused before a file is there", arguments: badKeys)
    func refused(_ key: DatabaseKey) throws {
        #expect(failure { _ = try open(key) }?.code == .misuse)
        do { try fill(open(nil, "plain.sqlite")) }
        let db = try open(nil, "plain.sqlite")
        #expect(failure { try db.attach(directory.file("a.sqlite"), as: "a", key: key) }?.code == .misuse)
        #expect(failure { try db.vacuum(into: directory.file("a.sqlite"), key: key) }?.code == .misuse)
        #expect(failure { try db.rekey(key) }?.code == .misuse)
    }

    @Test("is ignored in memory") func memory() throws {
        for location in [DatabaseLocation.memory, .sharedMemory("keys")] {
            try fill(Database(location, configuration: configuration(key)))
        }
        #expect(failure { _ = try Database(.temporary, configuration: configuration(key)) }?.code == .misuse)
    }

    @Test("serves all connections of a pool, with a write-ahead log") func pool() async throws {
        let pool = try DatabasePool(.file(path), configuration: configuration(key))
        try await pool.write { try self.fill($0) }
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 {
                group.addTask { try await pool.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } }
            }
            for try await count in group { #expect(count == 3) }
        }
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        #expect(!log.isEmpty && !log.contains(Data("cleartext".utf8)))
    }

    @Test("is that of attached files too, unless another is named") func attached() throws {
        do {
            let db = try open(key)
            try db.attach(directory.file("same.sqlite"), as: "same")
            try db.attach(directory.file("other.sqlite"), as: "other", key: .raw(raw))
            try db.attach(directory.file("plain.sqlite"), as: "plain", key: .plain)
            try db.attach(.memory, as: "memory")
            for name in ["same", "other", "plain", "memory"] {
                try db.execute("CREATE TABLE \(identifier: name).t (a)")
                try db.execute("INSERT INTO \(identifier: name).t VALUES (1)")
            }
        }
        #expect(try count(key, "same.sqlite") == 1)
        #expect(try count(.raw(raw), "other.sqlite") == 1)
        #expect(try isPlain(directory.path("plain.sqlite")))
        let db = try open(nil, "plain.sqlite")
        let error = failure { try db.attach(directory.file("same.sqlite"), as: "same", key: .passphrase("wrong")) }
        #expect(error?.extendedCode == .wrongKey && error?.description.contains("wrong\"") == false)
        try db.attach(directory.file("same.sqlite"), as: "same", key: key)
        #expect(try db.scalar("SELECT count(*) FROM same.t", as: Int.self) == 1)
    }

    @Test("is that of copies, unless another is named") func copies() async throws {
        let pool = try DatabasePool(.file(path), configuration: configuration(key))
        try await pool.write { try self.fill($0) }
        try await pool.backup(to: directory.file("backup.sqlite"))
        try await pool.backup(to: directory.file("other.sqlite"), key: .raw(raw))
        let error = await #expect(throws: SQLiteError.self) {
            try await pool.backup(to: directory.file("plain.sqlite"), key: .plain)
        }
        #expect(error?.code == .misuse)
        try await pool.withoutTransaction { [directory] db in
            try db.vacuum(into: directory.file("v.sqlite"))
            try db.vacuum(into: directory.file("v raw?.sqlite"), key: .raw(raw))
            try db.vacuum(into: directory.file("v plain.sqlite"), key: .plain)
            try db.backup(to: Database(directory.file("by hand.sqlite"), configuration: configuration(key)))
        }
        #expect(try count(key, "backup.sqlite") == 3)
        #expect(try count(.raw(raw), "other.sqlite") == 3)
        #expect(try count(key, "v.sqlite") == 3)
        #expect(try count(.raw(raw), "v raw?.sqlite") == 3)
        #expect(try count(nil, "v plain.sqlite") == 3)
        #expect(try count(key, "by hand.sqlite") == 3)
        // And back.
        try open(nil, "v plain.sqlite").vacuum(into: directory.file("again.sqlite"), key: key)
        #expect(try count(key, "again.sqlite") == 3)
        #expect(try !isPlain(directory.path("again.sqlite")))
    }

    @Test("changes for all connections of a pool") func rekey() async throws {
        let pool = try DatabasePool(.file(path), configuration: configuration(key))
        try await pool.write { try self.fill($0) }
        #expect(try await pool.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 3)
        try await pool.rekey(.raw(raw))
        #expect(try await pool.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 3)
        try await pool.write { try $0.execute("INSERT INTO t VALUES (4)") }
        #expect(try await pool.read { try $0.journalMode } == .wal)
        #expect(pool.configuration.key == .raw(raw))
        try await pool.backup(to: directory.file("backup.sqlite"))
        #expect(try count(.raw(raw), "backup.sqlite") == 4)
        try await pool.close()
        try await pool.reopen()
        #expect(try await pool.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 4)
        #expect(failure { _ = try count(key) }?.extendedCode == .wrongKey)
        #expect(try count(.raw(raw)) == 4)
    }

    @Test("doesn't change while others have the file, nor inside a closure") func busy() throws {
        let queue = try DatabaseQueue(.file(path), configuration: configuration(key))
        try queue.write { try fill($0) }
        var impatient = configuration(key)
        impatient.busyTimeout = .zero
        do {
            let other = try Database(.file(path), configuration: impatient)
            #expect(try other.scalar("SELECT count(*) FROM t", as: Int.self) == 3)
            let pool = try DatabasePool(.file(path), configuration: impatient)
            #expect(failure { try pool.rekey(.raw(raw)) }?.code == .busy)
            #expect(try pool.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 3)
        }
        let inside = try queue.write { db in
            [failure { try db.rekey(.raw(raw)) }?.extendedCode, failure { try queue.rekey(.raw(raw)) }?.extendedCode]
        }
        #expect(inside == [.notAllowedHere, .notAllowedHere])
        // What changes nothing leaves the connection with its temporary tables.
        try queue.withoutTransaction { db in try db.execute("CREATE TEMP TABLE kept (a)") }
        #expect(failure { try queue.rekey(.raw([1])) }?.code == .misuse)
        #expect(try queue.read { try $0.scalar("SELECT count(*) FROM kept", as: Int.self) } == 0)
        #expect(try queue.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 3)
    }

    @Test("is taken away and given, where the cipher can") func plainAndBack() throws {
        let queue = try DatabaseQueue(.file(path), configuration: configuration(key))
        try queue.write { try fill($0) }
        if isSQLCipher {
            #expect(failure { try queue.rekey(.plain) }?.extendedCode == .missingFeature)
        } else {
            try queue.rekey(.plain)
            #expect(try count(nil) == 3)
            try queue.rekey(key)
        }
        #expect(try queue.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 3)
        try queue.close()
        #expect(try !isPlain(path))
        #expect(try count(key) == 3)
    }

    @Test("comes with settings of the cipher") func settings() throws {
        let strange = DatabaseKey.passphrase(
            "é", settings: isSQLCipher ? ["kdf_iter": "1000"] : ["cipher": "sqlcipher", "legacy": "4"])
        do { try fill(open(strange)) }
        #expect(try count(strange) == 3)
        #expect(failure { _ = try count(.passphrase("é")) }?.extendedCode == .wrongKey)
    }

    @Test("stands in no trace, error or description") func secret() throws {
        let texts = Texts()
        var configuration = configuration(key)
        configuration.trace = Trace(values: .shown) { texts.add($0.sql + ($0.expandedSQL ?? "")) }
        let db = try Database(.file(path), configuration: configuration)
        try fill(db)
        try db.attach(directory.file("other.sqlite"), as: "other", key: .passphrase("blue moon"))
        try db.vacuum(into: directory.file("v.sqlite"))
        texts.add("\(failure { try db.vacuum(into: directory.file("v.sqlite")) } as Any)")
        var dumped = ""
        dump(configuration, to: &dumped)
        texts.add(dumped + "\(configuration)" + "\(key)" + String(reflecting: key))
        #expect(!texts.all.isEmpty && !texts.all.contains { $0.contains("blue") })
    }
}

private final class Texts: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String] = []

    var all: [String] { lock.withLock { texts } }
    func add(_ text: String) { lock.withLock { texts.append(text) } }
}
