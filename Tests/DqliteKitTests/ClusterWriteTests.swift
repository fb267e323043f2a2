import DqliteKit
import Foundation
import Testing

/// What becomes of writes, and what is sent.
// F127
@Suite struct ClusterWriteTests {
    /// A node that answers a statement with some bytes each time it is to be run.
    private func node(_ sql: String, _ reply: @escaping @Sendable (Int) -> StubNode.Reply) throws -> StubNode {
        let times = Shared(0)
        return try StubNode { request in
            guard request.text == sql, request.type != 4 else { return .usual }
            return reply(
                times.change { count in
                    count += 1
                    return count
                })
        }
    }

    private let insert = "INSERT INTO t VALUES (1)"

    @Test func aTransactionBeginsImmediateAndCommits() throws {
        let node = try StubNode()
        let manager = try node.manager()
        try manager.transaction { try manager.execute(SQL("INSERT INTO t VALUES (1)")) }
        #expect(node.statements == ["BEGIN IMMEDIATE", insert, "COMMIT"])
    }

    @Test func theLeadIsNotTransferredToNumberZero() throws {
        let node = try StubNode()
        let cluster = try Cluster([node.address], database: "test")
        #expect(clusterFailure { try cluster.transferLeadership(to: 0) }?.code == .misuse)
        #expect(node.statements.isEmpty)
    }

    @Test func aTransactionInsideAnotherIsASavepoint() throws {
        let node = try StubNode()
        let manager = try node.manager()
        try manager.transaction {
            try manager.transaction { try manager.execute("INSERT INTO t VALUES (1)") }
            try? manager.transaction { throw CancellationError() }
        }
        #expect(
            node.statements == [
                "BEGIN IMMEDIATE", "SAVEPOINT dqlitekit_1", insert, "RELEASE dqlitekit_1", "SAVEPOINT dqlitekit_1",
                "ROLLBACK TO dqlitekit_1", "RELEASE dqlitekit_1", "COMMIT",
            ])
    }

    @Test func aWriteThatIsNotAnsweredIsOfUnknownOutcomeAndNotSentAgain() throws {
        let node = try node(insert) { _ in .hangUp }
        let manager = try node.manager()
        let error = clusterFailure { try manager.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.outcome == .unknown && error?.extendedCode == .connectionLost)
        #expect(node.statements.count { $0 == insert } == 1)
    }

    @Test func aWriteThatIsNotAnsweredInTimeIsOfUnknownOutcome() throws {
        let node = try node(insert) { _ in .silence }
        let manager = try node.manager { $0.requestTimeout = .milliseconds(50) }
        let error = clusterFailure { try manager.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.outcome == .unknown && error?.extendedCode == .requestTimeout)
    }

    @Test func aCommitThatIsNotAnsweredIsOfUnknownOutcomeAndNotSentAgain() throws {
        let node = try node("COMMIT") { _ in .hangUp }
        let manager = try node.manager()
        let error = clusterFailure {
            try manager.transaction { try manager.execute("INSERT INTO t VALUES (1)") }
        }
        #expect(error?.outcome == .unknown)
        #expect(node.statements == ["BEGIN IMMEDIATE", insert, "COMMIT"])
    }

    // Measured with real nodes: the row was there afterwards in one run, and absent in another.
    @Test(arguments: ["COMMIT", "INSERT INTO t VALUES (1)"])
    func aCommitWithoutAMajorityIsOfUnknownOutcome(_ last: String) throws {
        let node = try node(last) { _ in .bytes(Message.failure(10506, "leadership lost")) }
        let manager = try node.manager()
        let error = clusterFailure {
            if last == "COMMIT" {
                try manager.transaction { try manager.execute("INSERT INTO t VALUES (1)") }
            } else {
                try manager.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.outcome == .unknown && error?.extendedCode == .leadershipLost)
        #expect(node.statements.count { $0 == last } == 1)
    }

    @Test func aWriteThatFailsBeforeTheCommitIsNotApplied() throws {
        let node = try node(insert) { _ in .hangUp }
        let manager = try node.manager()
        let error = clusterFailure {
            try manager.transaction { try manager.execute("INSERT INTO t VALUES (1)") }
        }
        #expect(error?.outcome == .notApplied)
        #expect(node.statements == ["BEGIN IMMEDIATE", insert])
    }

    @Test func aTransactionWhoseConnectionIsLostTakesNoMoreStatements() throws {
        let node = try node(insert) { _ in .hangUp }
        let manager = try node.manager()
        let error = clusterFailure {
            try manager.transaction {
                _ = clusterFailure { try manager.execute("INSERT INTO t VALUES (1)") }
                _ = clusterFailure { try manager.execute("INSERT INTO t VALUES (2)") }
            }
        }
        #expect(error?.extendedCode == .transactionEnded)
        #expect(node.statements == ["BEGIN IMMEDIATE", insert])
        try manager.execute("INSERT INTO t VALUES (2)")
    }

    @Test func aWriteThatANodeRejectsSinceItDoesNotLeadIsSentToTheLeader() throws {
        let node = try node(insert) { $0 == 1 ? .bytes(Message.failure(10250, "not leader")) : .usual }
        #expect(try node.manager().execute("INSERT INTO t VALUES (1)") == 1)
        #expect(node.statements == [insert, insert])
    }

    @Test(arguments: ["BEGIN IMMEDIATE", "INSERT INTO t VALUES (1)"])
    func aWriterWaitsForAnother(_ first: String) throws {
        let node = try node(first) { $0 < 5 ? .bytes(Message.failure(5, "database is locked")) : .usual }
        let manager = try node.manager()
        if first == insert {
            try manager.execute("INSERT INTO t VALUES (1)")
        } else {
            try manager.transaction { try manager.execute("INSERT INTO t VALUES (1)") }
        }
        #expect(node.statements.count { $0 == first } == 5)
    }

    @Test func aWriterWaitsNoLongerThanItsTimeLimit() throws {
        let node = try node(insert) { _ in .bytes(Message.failure(5, "database is locked")) }
        let manager = try node.manager { $0.busyTimeout = .milliseconds(50) }
        let error = clusterFailure { try manager.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.code == .busy && error?.outcome == .notApplied)
        #expect(node.statements.count > 1)
    }

    @Test func aReadIsRepeatedWhenItsConnectionIsLost() throws {
        let node = try node("SELECT 1") { $0 == 1 ? .hangUp : .usual }
        #expect(try node.manager().dictionaries("SELECT 1").count == 1)
    }

    @Test func aConnectionThatANodeHasClosedMeanwhileIsMadeAgain() throws {
        let node = try StubNode()
        let manager = try node.manager()
        try manager.execute("INSERT INTO t VALUES (1)")
        node.hangUp()
        #expect(try manager.execute("INSERT INTO t VALUES (1)") == 1)
    }

    @Test func returningOutsideATransactionIsInOne() throws {
        let node = try StubNode()
        let manager = try node.manager()
        try manager.execute("INSERT INTO t VALUES (1) RETURNING a")
        #expect(node.statements.first == "BEGIN IMMEDIATE" && node.statements.last == "COMMIT")
        let run = node.requests.first { $0.type != 4 && $0.text.hasSuffix("RETURNING a") }
        // As a query: run as a write, it would harm the node.
        #expect(run?.type == 6)
    }

    @Test func writesAreNeverSentAsQueries() throws {
        let node = try StubNode()
        try node.manager().execute("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a")
        #expect(node.requests.last { $0.text.hasPrefix("WITH") }?.type == 5)
    }

    @Test func aWordOfAQueryDoesNotMakeItAWrite() throws {
        let node = try StubNode()
        let sql: SQL = "WITH a (b) AS (SELECT 1), replace AS (SELECT 2) SELECT replace(b, 1, 2) FROM a"
        let manager = try node.manager()
        _ = try manager.read(.linearizable) { try manager.dictionaries(sql) }
        #expect(node.requests.contains { $0.text.hasPrefix("WITH a (b)") })
    }

    @Test func foreignKeysAreSetWithEachConnection() throws {
        let node = try StubNode()
        _ = try node.manager { $0.foreignKeys = false }.dictionaries("SELECT 1")
        #expect(node.requests.contains { $0.type == 8 && $0.text == "PRAGMA foreign_keys = 0" })
        _ = try node.manager().dictionaries("SELECT 1")
        #expect(node.requests.contains { $0.type == 8 && $0.text == "PRAGMA foreign_keys = 1" })
    }

    @Test func aStatementIsPreparedOnce() throws {
        let node = try StubNode()
        let manager = try node.manager()
        for _ in 0..<3 { try manager.execute("INSERT INTO t VALUES (1)") }
        #expect(node.requests.count { $0.type == 4 && $0.text == insert } == 1)
    }

    @Test func onlySomeStatementsAreKept() throws {
        let node = try StubNode()
        let manager = try node.manager { $0.statementCacheCapacity = 2 }
        for sql in ["DELETE FROM a", "DELETE FROM b", "DELETE FROM c"] { try manager.execute(SQL(sql)) }
        #expect(node.requests.contains { $0.type == 7 && $0.text == "DELETE FROM a" })
    }

    @Test func aLinearizableReadEndsWithAWriteThatTheNodesAgreeOn() throws {
        let node = try StubNode()
        let manager = try node.manager()
        _ = try manager.read(.linearizable) { try manager.dictionaries("SELECT 1") }
        #expect(
            node.statements == [
                "BEGIN IMMEDIATE", "SELECT 1", "UPDATE dqlitekit_fence SET number = number + 1", "COMMIT",
            ])
    }

    @Test func aLinearizableReadWhoseFenceIsNotAnsweredSaysThatItWroteNothing() throws {
        let node = try node("COMMIT") { _ in .hangUp }
        let manager = try node.manager()
        let error = clusterFailure { try manager.read(.linearizable) { try manager.dictionaries("SELECT 1") } }
        #expect(error?.outcome == .notApplied)
    }

    @Test func aReadCannotWrite() throws {
        let node = try StubNode()
        let manager = try node.manager()
        let error = clusterFailure {
            try manager.read(.linearizable) { try manager.execute("INSERT INTO t VALUES (1)") }
        }
        #expect(error?.code == .readOnly)
        #expect(!node.statements.contains(insert))
    }

    @Test func aTaskThatIsCancelledEndsItsQuery() async throws {
        // The node cancels it, since the test's own task may wait for a thread until the query's time is over.
        let isThere = DispatchSemaphore(value: 0)
        let query = Shared<Task<[[String: SQLiteValue]], any Error>?>(nil)
        let node = try node("SELECT 1") { _ in
            isThere.waitBriefly()
            query.change { $0?.cancel() }
            return .silence
        }
        let manager = try node.manager()
        let task = Task { try await manager.dictionaries("SELECT 1") }
        query.change { $0 = task }
        isThere.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aSingleWriteThatHasBegunIsNotCancelled() async throws {
        let hasCome = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let node = try node(insert) { _ in
            hasCome.signal()
            mayGoOn.waitBriefly()
            return .usual
        }
        let manager = try node.manager()
        let task = Task { try await manager.execute("INSERT INTO t VALUES (1)") }
        await Task.detached { hasCome.waitBriefly() }.value
        task.cancel()
        mayGoOn.signal()
        #expect(try await task.value == 1)
    }

    @Test func aCommitThatHasBegunIsNotCancelled() async throws {
        let hasCome = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let node = try node("COMMIT") { _ in
            hasCome.signal()
            mayGoOn.waitBriefly()
            return .usual
        }
        let manager = try node.manager()
        let task = Task { try await manager.transaction { try manager.execute("INSERT INTO t VALUES (1)") } }
        await Task.detached { hasCome.waitBriefly() }.value
        task.cancel()
        mayGoOn.signal()
        #expect(try await task.value == 1)
    }
}

extension DispatchSemaphore {
    /// Waits, and not for ever.
    func waitBriefly() { _ = wait(timeout: .now() + 60) }
}

/// What is rejected before anything is sent.
@Suite struct ClusterErrorTests {
    private func rejected(_ sql: String, _ arguments: Arguments = []) throws -> SQLiteError? {
        let node = try StubNode()
        let manager = try node.manager()
        let error = clusterFailure { try manager.execute(SQL(sql), arguments) }
        #expect(node.statements.isEmpty)
        return error
    }

    @Test(arguments: ["DATETIME", "date", "TIMESTAMP", "Boolean", "\"DATETIME\""])
    func aTypeThatEndsANodeIsRejected(_ type: String) throws {
        // A column that is called like a kind of object hides none.
        #expect(try rejected("CREATE TABLE t (view TEXT, a \(type))")?.extendedCode == .unsupported)
        #expect(try rejected("CREATE TABLE t (id INTEGER PRIMARY KEY, a \(type))")?.extendedCode == .unsupported)
        #expect(try rejected("CREATE TABLE t (a \(type) NOT NULL, b)")?.extendedCode == .unsupported)
        #expect(try rejected("ALTER TABLE t ADD COLUMN a \(type) DEFAULT 0")?.extendedCode == .unsupported)
    }

    @Test(arguments: [
        "CREATE TABLE t (date INTEGER, timestamp TEXT, CHECK (date > 0))", "CREATE TABLE t (a DATETIME2)",
        "CREATE TABLE t (a UNSIGNED DATE)", "CREATE VIEW v (date, timestamp) AS SELECT 1, 2",
        "CREATE INDEX i ON t (a, date)",
        "CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; SELECT CASE 1 END; END",
        "PRAGMA user_version = 3", "PRAGMA main.table_info(t)",
    ]) func whatHarmsNoNodeIsSent(_ sql: String) throws {
        let node = try StubNode()
        try node.manager().execute(SQL(sql))
        #expect(node.statements == [sql])
    }

    @Test(arguments: [
        "PRAGMA journal_mode = DELETE", "PRAGMA main.journal_mode", "PRAGMA wal_checkpoint",
        "PRAGMA schema_version = 1",
        "ATTACH 'a' AS b", "DETACH b", "VACUUM", "VACUUM INTO 'a'", "CREATE TEMP TABLE t (a)",
        "create temporary view v AS SELECT 1",
    ]) func whatReachesBeyondTheDatabaseIsRejected(_ sql: String) throws {
        #expect(try rejected(sql)?.extendedCode == .unsupported)
    }

    @Test(arguments: ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "/* a */ begin immediate"])
    func transactionsAsTextAreRejected(_ sql: String) throws {
        #expect(try rejected(sql)?.extendedCode == .notAllowedHere)
    }

    @Test(arguments: [
        "SELECT 1; SELECT 2", "CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END; DROP TABLE t",
    ]) func severalStatementsAreRejected(_ sql: String) throws {
        #expect(try rejected(sql)?.extendedCode == .severalStatements)
    }

    @Test(arguments: ["", " ; ", "-- nothing"]) func noStatementIsRejected(_ sql: String) throws {
        #expect(try rejected(sql)?.extendedCode == .emptyStatement)
    }

    @Test func aTextWithANULIsRejected() throws {
        #expect(try rejected("INSERT INTO t VALUES (?)", ["nul\0tail"])?.extendedCode == .unsupported)
    }

    @Test func moreThan255ValuesAreRejected() throws {
        let marks = Array(repeating: "?", count: 256).joined(separator: ", ")
        let error = try rejected("INSERT INTO t VALUES (\(marks))", Arguments(Array(repeating: 1, count: 256)))
        #expect(error?.extendedCode == .unsupported)
        #expect(error?.message.contains("255") == true)
    }

    @Test(arguments: ["SELECT a REGEXP 'b'", "SELECT fold(a)", "SELECT a COLLATE LOCALIZED"])
    func whatOnlyTheLibraryHasIsRejected(_ sql: String) throws {
        #expect(try rejected(sql)?.extendedCode == .unsupported)
    }

    @Test func aLocalConnectionIsRejected() throws {
        let manager = try StubNode().manager()
        #expect(clusterFailure { try manager.read { db in db.isInTransaction } }?.extendedCode == .unsupported)
        #expect(clusterFailure { try manager.write { db in db.isInTransaction } }?.extendedCode == .unsupported)
    }

    @Test func aClosedClusterAnswersNothing() throws {
        let node = try StubNode()
        let manager = try node.manager()
        try manager.close()
        #expect(clusterFailure { try manager.execute("DELETE FROM t") }?.extendedCode == .closed)
        try manager.reopen()
        #expect(try manager.execute("DELETE FROM t") == 1)
    }

    @Test func parametersAreBoundByNameAndNumber() throws {
        let node = try StubNode { request in
            request.type == 4 && request.text.hasPrefix("SELECT :a")
                ? .bytes(Message(5).number(0).number(4).bytes) : .usual
        }
        let sql: SQL = "SELECT :a, ?3, :a, ?, '?', \"?\" -- ?"
        _ = try node.manager().dictionaries(sql, [1, 2, 3, 4])
        #expect(clusterFailure { try node.manager().dictionaries(sql, [1, 2, 3]) }?.extendedCode == .argumentCount)
    }

    @Test func namesWithANumberSignAndThoseOfTclAreParameters() throws {
        let node = try StubNode { request in
            request.type == 4 && request.text.hasPrefix("SELECT #a")
                ? .bytes(Message(5).number(0).number(3).bytes) : .usual
        }
        let sql: SQL = "SELECT #a, $a::b(c), $a::b, #a"
        _ = try node.manager().dictionaries(sql, ["#a": 1, "$a::b(c)": 2, "$a::b": 3])
    }
}
