import Persisting
import Testing

private final class Record: PersistingModel {
    var id: Int64?
    var title = ""
}

private final class Tune: PersistingModel {
    var id: Int64?
    var recordID: Int64?

    convenience init(of recordID: Int64) {
        self.init()
        self.recordID = recordID
    }
}

/// What the verbs say of BEGIN and COMMIT, which no statement of theirs is.
@Suite("A transaction that cannot begin or commit")
struct RejectedCommitTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(
            script: """
                CREATE TABLE RECORD (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL);
                CREATE TABLE TUNE (ID INTEGER PRIMARY KEY,
                    RECORD_ID INTEGER REFERENCES RECORD DEFERRABLE INITIALLY DEFERRED);
                INSERT INTO RECORD VALUES (1, 'a'); INSERT INTO TUNE VALUES (1, 1);
                """)
    }

    private func check(_ error: PersistenceError?, _ sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(error?.code == .constraint, sourceLocation: sourceLocation)
        #expect(error?.model == "Tune", sourceLocation: sourceLocation)
        #expect(error?.key == "recordID", sourceLocation: sourceLocation)
        #expect(error?.sqliteError?.isConstraint(.foreignKey) == true, sourceLocation: sourceLocation)
    }

    // F14
    @Test("names the model and the key of a batch's deferred foreign key", .local(.keyOfForeignKey))
    func batch() throws {
        let tunes = [Tune(of: 8), Tune(of: 9)]
        check(failure { try manager.insert(tunes) })
        check(failure { try manager.save(tunes) })
        check(failure { try manager.upsert(tunes) })
        #expect(tunes.allSatisfy { !$0.isPersisted && $0.id == nil })
    }

    // F14, F15
    @Test("names them of an asynchronous batch", .local(.keyOfForeignKey))
    func asynchronousBatch() async throws {
        let tunes = [Tune(of: 8), Tune(of: 9)]
        check(await asyncFailure { try await manager.insert(tunes) })
        check(await asyncFailure { try await manager.save(tunes) })
        check(await asyncFailure { try await manager.upsert(tunes) })
        #expect(tunes.allSatisfy { !$0.isPersisted && $0.id == nil })
    }

    // F14
    @Test("of several classes names the one whose table has the foreign key", .local(.keyOfForeignKey))
    func severalClasses() async throws {
        let objects: [PersistingModel] = [Record(), Tune(of: 9)]
        check(failure { try manager.insert(objects) })
        check(await asyncFailure { try await manager.insert(objects) })
    }

    // F55, F56, F60
    @Test("names them of single verbs", .local(.keyOfForeignKey))
    func single() throws {
        let tune = try #require(try manager.find(Tune.self, 1))
        check(failure { try manager.insert(Tune(of: 9)) })
        check(failure { try manager.upsert(Tune(of: 9)) })
        check(failure { try manager.insert(Tune(of: 9), onConflict: .ignore) })
        check(failure { try manager.insert(Tune.self, values: ["recordID": 9]) })
        check(failure { try tune.update(\.recordID, to: 9) })
        check(failure { try manager.updateAll(Tune.self, set: ["recordID": 9]) })
        tune.recordID = 9
        check(failure { try manager.save(tune) })
    }

    // F15, F55, F56
    @Test("names them of single asynchronous verbs", .local(.keyOfForeignKey))
    func asynchronousSingle() async throws {
        let tune = try #require(try await manager.find(Tune.self, 1))
        check(await asyncFailure { try await manager.insert(Tune(of: 9)) })
        check(await asyncFailure { try await manager.upsert(Tune(of: 9)) })
        check(await asyncFailure { try await manager.insert(Tune(of: 9), onConflict: .ignore) })
        check(await asyncFailure { try await manager.insert(Tune.self, values: ["recordID": 9]) })
        check(await asyncFailure { try await tune.update(\.recordID, to: 9) })
        tune.recordID = 9
        check(await asyncFailure { try await manager.save(tune) })
    }

    // F69
    @Test("names them of findOrCreate", .local(.keyOfForeignKey))
    func findOrCreate() async throws {
        check(failure { try manager.findOrCreate(Tune.self, where: ["recordID": 9]) })
        check(await asyncFailure { try await manager.findOrCreate(Tune.self, where: ["recordID": 9]) })
    }

    // F14
    @Test("names the model of a batch that waits for a lock in vain")
    func busy() async throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try await manager.createTableIfNecessary(for: Record.self)
        let other = try Database(.file(directory.path()))
        try other.execute("BEGIN IMMEDIATE")
        let records = [Record(), Record()]
        for error in [
            failure { try manager.insert(records) }, await asyncFailure { try await manager.insert(records) },
            failure { try manager.findOrCreate(Record.self, where: ["title": "b"]) },
        ] {
            #expect(error?.code == .busy)
            #expect(error?.model == "Record")
        }
    }

    // F14
    @Test("passes what a hook throws as it is")
    func hook() throws {
        #expect(throws: SQLiteError.self) { try manager.insert([Picky(), Picky()]) }
    }
}

private final class Picky: PersistingModel {
    var id: Int64?
    var title = ""

    override class var tableName: String { "RECORD" }

    override func willInsert() throws { try PersistenceManager(.memory).execute("nonsense") }
}
