import Persisting

/// Row 23: classes with a history.
enum KeepingHistory {
    private enum Kind: String {
        case insert, update, delete
    }

    static func inserting(_ options: Options) throws -> Workload { try writing(.insert, options) }
    static func updating(_ options: Options) throws -> Workload { try writing(.update, options) }
    static func deleting(_ options: Options) throws -> Workload { try writing(.delete, options) }

    /// Objects one after the other, in one transaction.
    private static func writing(_ kind: Kind, _ options: Options) throws -> Workload {
        let count = options.size(20_000)
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: KeptNote.self)
        let floor = try FloorConnection()
        for sql in try manager.keptSchema() { try floor.execute(sql) }
        let (plain, plainFloor) = (try PersistenceManager(.memory), try FloorConnection())
        for sql in [KeptNote.create, KeptNote.index] {
            try plain.execute(SQL(sql))
            try plainFloor.execute(sql)
        }
        let state = "SELECT * FROM KEPT_NOTE ORDER BY ID"
        // A new row, or one that is gone, has an entry; a changed one has two.
        let log = "SELECT (SELECT count(*) FROM KEPT_NOTE_history) + (SELECT count(*) FROM KEPT_NOTE_history_current)"
        let entries = kind == .update ? 2 * count : count

        func clear(_ execute: (String) throws -> Void, hasHistory: Bool) throws {
            try execute("DELETE FROM KEPT_NOTE")
            if kind != .insert { try execute(KeptNote.fill(count)) }
            guard hasHistory else { return }
            // The rows have been there before the log began.
            for table in ["KEPT_NOTE_history", "KEPT_NOTE_history_current", "history_transactions"] {
                try execute("DELETE FROM \(table)")
            }
            try execute("INSERT INTO KEPT_NOTE_history_current (_began, ID) SELECT 0, ID FROM KEPT_NOTE")
        }
        func byHand(_ db: FloorConnection, hasHistory: Bool, _ stopwatch: inout Stopwatch) throws -> Checksum {
            try clear({ try db.execute($0) }, hasHistory: hasHistory)
            let notes = (1...count).map(KeptNote.sample)
            try stopwatch.measure {
                try db.transaction {
                    if hasHistory { try db.execute("INSERT INTO history_transactions (date, open) VALUES (1, 1)") }
                    let sql =
                        switch kind {
                        case .insert: "INSERT INTO KEPT_NOTE (TITLE, BODY, NUMBER) VALUES (?, ?, ?)"
                        case .update: "UPDATE KEPT_NOTE SET NUMBER = ?2 WHERE ID = ?1"
                        case .delete: "DELETE FROM KEPT_NOTE WHERE ID = ?"
                        }
                    let statement = try db.prepare(sql)
                    defer { statement.finalize() }
                    for (place, note) in notes.enumerated() {
                        switch kind {
                        case .insert:
                            try statement.bind(note.title, 1)
                            try statement.bind(note.body, 2)
                            try statement.bind(Int64(note.number), 3)
                        case .update:
                            try statement.bind(Int64(place + 1), 1)
                            try statement.bind(Int64(-place), 2)
                        case .delete: try statement.bind(Int64(place + 1), 1)
                        }
                        try statement.run()
                        if kind == .insert { note.id = db.lastInsertRowID }
                    }
                    if hasHistory { try db.execute("UPDATE history_transactions SET open = NULL") }
                }
            }
            if hasHistory, try db.checksum(log) != Self.sum(entries) { throw BenchmarkFailure("the log is another") }
            return try db.checksum(state)
        }
        func ours(_ manager: PersistenceManager, hasHistory: Bool, _ stopwatch: inout Stopwatch) throws -> Checksum {
            try clear({ sql in try manager.write { db in try db.executeScript(SQL(sql)) } }, hasHistory: hasHistory)
            func run<Note: AnyKeptNote>(_ type: Note.Type) throws {
                let notes = try kind == .insert ? (1...count).map(Note.sample) : manager.fetchAll(Note.rows)
                try stopwatch.measure {
                    try manager.transaction {
                        for (place, note) in notes.enumerated() {
                            switch kind {
                            case .insert: try manager.insert(note)
                            case .update:
                                note.number = -place
                                try manager.save(note)
                            case .delete: try manager.delete(note)
                            }
                        }
                    }
                }
            }
            if hasHistory { try run(KeptNote.self) } else { try run(PlainNote.self) }
            if hasHistory, try manager.database.checksum(log) != Self.sum(entries) {
                throw BenchmarkFailure("the log is another")
            }
            return try manager.database.checksum(state)
        }
        let ratio = Comparison(
            name: "with a history", subject: "with a history", limit: .ratio(1.1),
            peers: [.init(contender: "without, by hand"), .init(contender: "without")])
        return Workload(
            row: "23", name: "\(kind.rawValue) \(count.grouped) objects", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in try byHand(floor, hasHistory: true, &stopwatch) },
                Contender(name: "with a history") { stopwatch in try ours(manager, hasHistory: true, &stopwatch) },
                Contender(name: "without, by hand") { stopwatch in
                    try byHand(plainFloor, hasHistory: false, &stopwatch)
                },
                Contender(name: "without") { stopwatch in try ours(plain, hasHistory: false, &stopwatch) },
            ],
            comparisons: [ratio])
    }

    private static func sum(_ count: Int) -> Checksum {
        var sum = Checksum()
        sum.add(count)
        return sum
    }

    /// The rows of a value after a transaction, of which each row has changed twice since, beside those of now.
    static func pastByIndex(_ options: Options) throws -> Workload {
        try reading(options, name: "by an index", limit: 2) { KeptNote.where(\.title == "title \($0)") }
    }

    static func pastByScan(_ options: Options) throws -> Workload {
        try reading(options, name: "by a scan", limit: 3) { KeptNote.where(.contains(\.body, "body \($0) ")) }
    }

    private static func reading(
        _ options: Options, name: String, limit: Double, _ query: (Int) -> Query<KeptNote>
    ) throws -> Workload {
        let count = options.size(100_000)
        let manager = try PersistenceManager(.memory)
        try manager.execute(SQL(KeptNote.create))
        try manager.execute(SQL(KeptNote.index))
        try manager.execute(SQL(KeptNote.fill(count)))
        try manager.updateSchema(for: [KeptNote.self])
        // A third of the rows is in the log alone, another in both.
        try manager.transaction { try manager.execute("UPDATE KEPT_NOTE SET NUMBER = NUMBER + 1 WHERE ID % 3 = 0") }
        let number = try manager.historyTransactions().last?.number ?? 0
        try manager.transaction { try manager.execute("UPDATE KEPT_NOTE SET NUMBER = NUMBER + 1 WHERE ID % 3 <> 2") }
        let queries = [3, 50, 77, 99].map(query)
        func sum(_ notes: [KeptNote]) -> Checksum {
            var sum = Checksum()
            for note in notes.sorted(by: { ($0.id ?? 0) < ($1.id ?? 0) }) { sum.add(Int(note.id ?? 0)) }
            return sum
        }
        return Workload(
            row: "23", name: "rows of a past \(name), \(count.grouped)", operations: queries.count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    sum(try stopwatch.measure { try queries.flatMap { try manager.fetchAll($0) } })
                },
                Contender(name: "as of") { stopwatch in
                    sum(try stopwatch.measure { try queries.flatMap { try manager.fetchAll($0.asOf(number)) } })
                },
            ],
            comparisons: [Comparison(name: "", subject: "as of", limit: .ratio(limit))])
    }
}

class AnyKeptNote: PersistingModel {
    var id: Int64?
    var title = ""
    var body = ""
    var number = 0

    override class var tableName: String { "KEPT_NOTE" }
    override class var indexes: [Index] { [Index("title", name: "KEPT_TITLE")] }

    static func sample(_ number: Int) -> Self {
        let note = self.init()
        (note.title, note.body, note.number) = ("title \(number % 100)", "body \(number % 100) of a note", number)
        return note
    }
}

final class PlainNote: AnyKeptNote {}

final class KeptNote: AnyKeptNote {
    override class var history: History? { .values() }

    static let create = """
        CREATE TABLE KEPT_NOTE (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL DEFAULT '', BODY TEXT NOT NULL DEFAULT '', \
        NUMBER INTEGER NOT NULL DEFAULT 0)
        """
    static let index = "CREATE INDEX KEPT_TITLE ON KEPT_NOTE (TITLE)"

    static func fill(_ count: Int) -> String {
        """
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO KEPT_NOTE SELECT i, 'title ' || (i % 100), 'body ' || (i % 100) || ' of a note', i FROM n
        """
    }
}

extension PersistenceManager {
    /// The statements that make the class's table and its history, with the triggers, as the library has made them.
    fileprivate func keptSchema() throws -> [String] {
        try database.read { db in
            try db.column(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_' ORDER BY rowid",
                as: String.self)
        }
    }
}
