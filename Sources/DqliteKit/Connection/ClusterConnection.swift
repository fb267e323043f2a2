internal import SQLiteKit

/// One of a cluster's connections: lent to one closure after the other, and connected to the leader when it is needed.
final class ClusterConnection: EngineConnection {
    let database: String
    let configuration: ClusterConfiguration
    let directory: ClusterDirectory
    /// Whether it is one of those that only read.
    let isReader: Bool

    /// Of the access that is under way.
    var cancellation = Cancellation()
    /// The connection to the leader, and a number that no other had.
    private var link: NodeLink?
    private(set) var linkNumber = 0
    /// Rows that are still to come over it.
    private var active: RowStream?
    private var kept: [CachedSQL: KeptStatement] = [:]
    private var useCount = 0

    /// The transaction and the savepoints in it that are open.
    var frames: [ClusterFrame] = []
    /// Why the transaction that is open can't go on; nil while it can.
    var lostTransaction: SQLiteError?
    var transactionNumber = 0
    var transactionCount = 0
    /// Whether writes are rejected: in a read, whatever the connection.
    var isReading = false

    /// Whether foreign keys are enforced, on this connection to the leader and the next.
    private var enforcesForeignKeys: Bool

    private(set) var lastInsertRowID: Int64 = 0
    /// How many rows the last statement has changed that returned rows.
    private(set) var returnedChanges = 0
    /// Whether the schema may have been changed through this connection.
    var mayHaveNewSchema = false {
        didSet { if mayHaveNewSchema { knownSchema = nil } }
    }
    /// The number of the schema, and when it was read.
    private var knownSchema: (version: Int64, time: ContinuousClock.Instant)?

    init(
        _ database: String, _ configuration: ClusterConfiguration, _ directory: ClusterDirectory, isReader: Bool
    ) {
        self.database = database
        self.configuration = configuration
        self.directory = directory
        self.isReader = isReader
        enforcesForeignKeys = configuration.foreignKeys
    }

    static let engineName = "the cluster"
    var engineName: String { Self.engineName }
    var capabilities: EngineCapabilities { .returning }
    var greatestParameterCount: Int { 255 }

    // The check of what the engine has is a part of what is kept.
    func statement(_ sql: CachedSQL, cached: Bool) throws(SQLiteError) -> PreparedStatement {
        guard cached else { return prepared(try KeptStatement(sql, capabilities, engineName), sql, cached) }
        let statement = try keep(sql)
        do throws(SQLiteError) {
            if statement.remote?.link != linkNumber || link == nil {
                try receiveActive()
                _ = try asking { link throws(SQLiteError) in try self.prepared(statement, link) }
            }
        } catch {
            throw error.adding(sql: sql.text)
        }
        return prepared(statement, sql, cached)
    }

    private func prepared(_ statement: KeptStatement, _ sql: CachedSQL, _ isCached: Bool) -> PreparedStatement {
        .other(RemoteStatement(sql.text, ClusterExecution(statement, isCached: isCached, self)))
    }
}

/// The schema.
extension ClusterConnection {
    /// The number of the schema, which is a second old at most: to ask for it before each write would double what a
    /// write takes.
    var schemaVersion: Int64? {
        let now = ContinuousClock.now
        if let knownSchema, now - knownSchema.time < .seconds(1) { return knownSchema.version }
        guard let version = try? scalar("PRAGMA schema_version", as: Int64.self) else { return nil }
        knownSchema = (version, now)
        return version
    }

    /// Has the number asked for again, after a rollback.
    func forgetSchemaVersion() { knownSchema = nil }
}

/// What a statement has done.
enum ClusterAnswer {
    case rows(RowStream)
    case changes(Int)
}

/// Statements.
extension ClusterConnection {
    /// Runs a statement: the first rows have come when it returns.
    func run(_ statement: KeptStatement, _ values: [SQLiteValue], isCached: Bool) throws(SQLiteError) -> ClusterAnswer {
        let text = statement.text
        if text.kind != .query, isReading || isReader { throw SQLiteError(.readOnly, "a read cannot write") }
        try receiveActive()
        if text.kind == .returning { return .rows(try runReturning(statement, values, isCached)) }
        let commits = frames.isEmpty && text.kind != .query
        let answer = try asking(commits: commits) { link throws(SQLiteError) in
            try self.answer(statement, values, isCached, link)
        }
        if text.kind == .schema { mayHaveNewSchema = true }
        return answer
    }

    /// Runs a write that returns rows. Outside of a transaction a node answers it before it is on the others, and it
    /// may be lost; so it has a transaction of its own.
    private func runReturning(
        _ statement: KeptStatement, _ values: [SQLiteValue], _ isCached: Bool
    ) throws(SQLiteError) -> RowStream {
        guard !frames.isEmpty else {
            do {
                return try transaction(nil) { try runReturning(statement, values, isCached) }
            } catch let error as SQLiteError {
                throw error
            } catch {
                throw SQLiteError(.internal, "\(error)")
            }
        }
        let answer = try asking { link throws(SQLiteError) in try self.answer(statement, values, isCached, link) }
        guard case .rows(let rows) = answer else { throw SQLiteError(.internal, "no rows were returned") }
        try receiveActive()
        // The answer with rows doesn't say this.
        let effects = try asking { link throws(SQLiteError) in
            try self.ask(link, .querySQL(database: 0, "SELECT last_insert_rowid(), changes()", []))
        }
        guard case .rows(let page) = effects else { throw effects.unexpected }
        guard try page.next() == .row else { throw .invalidMessage("it has no row of what was returned") }
        lastInsertRowID = page.row[0].int64 ?? 0
        returnedChanges = Int(clamping: page.row[1].int64 ?? 0)
        return rows
    }

    private func answer(
        _ statement: KeptStatement, _ values: [SQLiteValue], _ isCached: Bool, _ link: NodeLink
    ) throws(SQLiteError) -> ClusterAnswer {
        let text = statement.text
        let request: Request
        if isCached {
            let id = try prepared(statement, link)
            request =
                text.returnsRows
                ? .query(database: 0, statement: id, values) : .execute(database: 0, statement: id, values)
        } else {
            request =
                text.returnsRows ? .querySQL(database: 0, text.sql, values) : .executeSQL(database: 0, text.sql, values)
        }
        let commits = frames.isEmpty && text.kind != .query
        switch try ask(link, request, commits: commits) {
        case .rows(let page) where text.returnsRows:
            let rows = RowStream(page, link, configuration.requestTimeout)
            if !rows.isComplete { active = rows }
            return .rows(rows)
        case .result(let rowID, let changes) where !text.returnsRows:
            lastInsertRowID = rowID
            // Of any other statement it is the number of an earlier one.
            return .changes(text.kind == .write ? changes : 0)
        case let other: throw other.unexpected.with(outcome: commits ? .unknown : .notApplied).adding(sql: text.sql)
        }
    }

    /// The number of a statement at the node, which prepares it if it hasn't.
    private func prepared(_ statement: KeptStatement, _ link: NodeLink) throws(SQLiteError) -> UInt32 {
        if let remote = statement.remote, remote.link == linkNumber { return remote.id }
        let answer = try ask(link, .prepare(database: 0, sql: statement.text.sql))
        guard case .statement(let id, let count) = answer else { throw answer.unexpected }
        guard count == statement.text.parameterNames.count else {
            throw SQLiteError(
                .unsupported,
                "the node finds \(count) parameters, and the library \(statement.text.parameterNames.count): write "
                    + "them as ? or :name")
        }
        statement.remote = (id, linkNumber)
        return id
    }

    /// The kept statement of a text.
    private func keep(_ sql: CachedSQL) throws(SQLiteError) -> KeptStatement {
        useCount += 1
        if let known = kept[sql] {
            known.lastUse = useCount
            return known
        }
        let new = try KeptStatement(sql, capabilities, engineName)
        new.lastUse = useCount
        if kept.count >= max(1, configuration.statementCacheCapacity),
            let oldest = kept.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            kept[oldest.key] = nil
            finalize(oldest.value)
        }
        kept[sql] = new
        return new
    }

    private func finalize(_ statement: KeptStatement) {
        guard let link, let remote = statement.remote, remote.link == linkNumber else { return }
        statement.remote = nil
        do throws(SQLiteError) {
            try receiveActive()
            _ = try ask(link, .finalize(database: 0, statement: remote.id))
        } catch {
            // The node forgets its statements with the connection.
            lose(link, error)
        }
    }
}

/// Rows that come in several messages.
extension ClusterConnection {
    /// Receives the rest of the rows that are on their way, since something else is to be asked.
    func receiveActive() throws(SQLiteError) {
        guard let rows = active else { return }
        active = nil
        do throws(SQLiteError) {
            try waking { () throws(SQLiteError) in try rows.receiveAll() }
        } catch {
            throw noted(error.with(outcome: .notApplied))
        }
    }

    /// Runs `body`, which a cancellation ends by hanging up.
    private func waking<T>(_ body: () throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        guard let link else { return try body() }
        return try cancellation.waking(link.hangingUp, body)
    }

    /// Has no more rows sent, since nobody reads them.
    func leave(_ rows: RowStream) {
        guard active === rows, let link else { return }
        active = nil
        do throws(SQLiteError) { try rows.stop() } catch { lose(link, error) }
    }

    /// Goes to the next row, for which another message may have to come.
    ///
    /// - Returns: Whether there is one.
    func next(_ rows: RowStream) throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            while true {
                switch try rows.next() {
                case .row: return true
                case .end:
                    if active === rows { active = nil }
                    return false
                case .part: try waking { () throws(SQLiteError) in try rows.receive() }
                }
            }
        } catch {
            active = nil
            throw noted(error.with(outcome: .notApplied))
        }
    }
}

/// The way to the leader.
extension ClusterConnection {
    /// Makes sure, before an access, that the connection which is kept is still one.
    func beginAccess(_ cancellation: Cancellation) {
        self.cancellation = cancellation
        guard let link else { return }
        if !link.isUsable || directory.isOld && !learnNodes(link) { drop() }
    }

    func endAccess() {
        if let active { leave(active) }
        if enforcesForeignKeys != configuration.foreignKeys {
            enforcesForeignKeys = configuration.foreignKeys
            drop()
        }
        cancellation = Cancellation()
    }

    func close() {
        drop()
        kept = [:]
    }

    func drop() {
        knownSchema = nil
        link = nil
        active = nil
    }

    /// Asks the leader. Outside of a transaction what has not been applied is asked again: after a pause while another
    /// client writes, and of the new leader when there is one.
    ///
    /// - Parameter commits: Whether what is asked commits by itself: once it has begun, it isn't called off.
    func asking<T>(
        commits: Bool = false, _ body: (NodeLink) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        let start = ContinuousClock.now
        var pause = Pause(upTo: .milliseconds(50))
        while true {
            do throws(SQLiteError) {
                let link = try openLink()
                try cancellation.check()
                if commits { return try body(link) }
                return try cancellation.waking(link.hangingUp) { () throws(SQLiteError) in try body(link) }
            } catch {
                let error = noted(error)
                guard frames.isEmpty, error.outcome == .notApplied, let patience = patience(error),
                    ContinuousClock.now - start < patience
                else { throw error }
            }
            try cancellation.sleep(pause.next())
        }
    }

    /// Asks the leader once, and never calls it off: the end of a transaction.
    func askingOnce(_ sql: String, commits: Bool = false) throws(SQLiteError) {
        guard let link, !link.isBroken else { throw SQLiteError(.connectionLost, "the connection has been lost") }
        do throws(SQLiteError) {
            try receiveActive()
            _ = try ask(link, .executeSQL(database: 0, sql, []), commits: commits)
        } catch {
            throw noted(error)
        }
    }

    /// Sends a request to a node.
    ///
    /// - Parameter commits: Whether what fails may have been applied.
    func ask(_ link: NodeLink, _ request: Request, commits: Bool = false) throws(SQLiteError) -> Response {
        do throws(SQLiteError) {
            return try link.call(request, by: .after(configuration.requestTimeout))
        } catch {
            throw commits ? error.ofCommit : error.with(outcome: .notApplied)
        }
    }

    /// How long to ask again after an error; nil when it stays what it is.
    private func patience(_ error: SQLiteError) -> Duration? {
        switch error.extendedCode {
        // The search for a leader has taken its time, and who sends nonsense will send it again.
        case .noLeader, .invalidMessage: nil
        case .busy, .busyRecovery: configuration.busyTimeout
        default: error.isOfLink ? configuration.leaderTimeout : nil
        }
    }

    /// Draws the conclusions from an error: whether the connection and the transaction go on.
    ///
    /// - Returns: The error.
    private func noted(_ error: SQLiteError) -> SQLiteError {
        guard let link else { return error }
        if error.isOfLink || link.isBroken {
            lose(link, error)
        } else if error.endsTransaction || error.code == .constraint && !isStillOpen(link) {
            loseTransaction(error)
        }
        return error
    }

    /// Whether a transaction is open after a constraint has failed: `ON CONFLICT ROLLBACK` and `RAISE(ROLLBACK)` end
    /// it.
    private func isStillOpen(_ link: NodeLink) -> Bool {
        if frames.isEmpty || lostTransaction != nil { return true }
        do throws(SQLiteError) {
            _ = try ask(link, .executeSQL(database: 0, "BEGIN", []))
            return false
        } catch {
            // A transaction can't begin within another.
            return error.extendedCode == .error
        }
    }

    private func lose(_ link: NodeLink, _ error: SQLiteError) {
        drop()
        directory.leader = nil
        loseTransaction(error)
    }

    func loseTransaction(_ error: SQLiteError) {
        guard !frames.isEmpty, lostTransaction == nil else { return }
        lostTransaction = SQLiteError(
            .transactionEnded, "the transaction has been undone, since a statement in it failed: \(error.message)")
    }

    private func openLink() throws(SQLiteError) -> NodeLink {
        if let lostTransaction { throw lostTransaction }
        if let link, !link.isBroken { return link }
        let search = LeaderSearch(directory: directory, configuration: configuration, cancellation: cancellation)
        let new = try search.link()
        do throws(SQLiteError) {
            try cancellation.waking(new.hangingUp) { () throws(SQLiteError) in try open(new) }
        } catch {
            directory.leader = nil
            throw error.with(outcome: .notApplied)
        }
        linkNumber += 1
        link = new
        return new
    }

    private var foreignKeysPragma: String { "PRAGMA foreign_keys = \(enforcesForeignKeys ? 1 : 0)" }

    func setForeignKeys(_ isOn: Bool) throws(SQLiteError) {
        enforcesForeignKeys = isOn
        _ = try asking { link throws(SQLiteError) in
            try self.ask(link, .executeSQL(database: 0, self.foreignKeysPragma, []))
        }
    }

    private func open(_ new: NodeLink) throws(SQLiteError) {
        let deadline = Deadline.after(configuration.connectTimeout)
        _ = try new.call(.client(UInt64.random(in: 1 ... .max)), by: deadline)
        guard case .database = try new.call(.open(name: database), by: deadline) else {
            throw .invalidMessage("it doesn't say that the database is open")
        }
        // The nodes' own default is that of their SQLite.
        _ = try new.call(.executeSQL(database: 0, foreignKeysPragma, []), by: deadline)
        if directory.isOld { _ = learnNodes(new) }
    }

    /// Asks for the nodes of the cluster.
    ///
    /// - Returns: Whether the node has answered.
    private func learnNodes(_ link: NodeLink) -> Bool {
        guard case .nodes(let nodes)? = try? link.call(.cluster, by: .after(configuration.connectTimeout)) else {
            return false
        }
        directory.learn(nodes.map(\.address))
        return true
    }
}

extension SQLiteError {
    /// Whether it says that a connection, or the node at its other end, is of no more use.
    fileprivate var isOfLink: Bool {
        switch extendedCode {
        // A node that has dropped a connection doesn't find its statements and its database.
        case .connectionLost, .requestTimeout, .noLeader, .notLeader, .leadershipLost, .invalidMessage, .notFound: true
        default: false
        }
    }

    /// What it is when a commit has failed with it.
    fileprivate var ofCommit: SQLiteError {
        // What the library found itself says by its outcome whether the request had been sent.
        let isFromNode = extendedCode.rawValue >> 8 < 200
        // The node had given the commit to the others, or may have, unless it never led.
        return isFromNode && code == .ioError && extendedCode != .notLeader ? with(outcome: .unknown) : self
    }

    /// Whether SQLite may have rolled the transaction back by itself. See
    /// [Response To Errors Within A Transaction](https://www.sqlite.org/lang_transaction.html).
    fileprivate var endsTransaction: Bool {
        isOfLink || [.ioError, .full, .outOfMemory, .interrupt, .abort].contains(code)
    }
}
