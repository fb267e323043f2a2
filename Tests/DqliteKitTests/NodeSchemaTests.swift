import DqliteKit
import Foundation
import NodeProcesses
import Testing

private final class Song: PersistingModel {
    var id: Int64?
    var title = ""
    var seconds: Int?
    var album: String?

    override class var tableName: String { "SONG" }
    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.formerly("NAME")
        return columns
    }
    override class var indexes: [Index] { [Index("album")] }
}

/// Plans and exports of a cluster.
@Suite(.realNodes) struct NodeSchemaTests {
    private let nodes: NodeProcesses
    private let manager: PersistenceManager

    init() throws {
        nodes = try RealNodes.start(1)
        manager = try PersistenceManager(Cluster(nodes.addresses, database: "app"))
        try manager.execute("CREATE TABLE song (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '', seconds TEXT)")
        try manager.execute("CREATE TABLE play (song_id INTEGER NOT NULL REFERENCES song (id) ON DELETE CASCADE)")
        try manager.execute(
            "INSERT INTO song (id, name, seconds) VALUES (1, 'Blue Train', '643'), (2, 'Lazy Bird', NULL)")
        try manager.execute("INSERT INTO play VALUES (1), (2)")
    }

    @Test func aPlanRebuildsARenamedTableAndKeepsItsChildren() throws {
        let plan = try manager.updateSchema(for: [Song.self], allowing: .rewrites)
        #expect(plan.steps.map(\.risk) == [.rewrites, .adds, .adds])
        #expect(try manager.fetchAll(Query(Song.self).sorted(by: \.id)).map(\.seconds) == [643, nil])
        #expect(try manager.dictionaries("SELECT count(*) AS n FROM play") == [["n": 2]])
        #expect(try manager.dictionaries("PRAGMA foreign_keys") == [["foreign_keys": 1]])
        #expect(try manager.schemaPlan(for: [Song.self]).isEmpty)
    }

    @Test func theNextStartFindsTheNumberOfTheSchema() throws {
        try manager.updateSchema(for: [Song.self], allowing: .rewrites)
        #expect(try manager.dictionaries("PRAGMA user_version").first?["user_version"] != 0)
        let other = try PersistenceManager(Cluster(nodes.addresses, database: "app"))
        #expect(try other.updateSchema(for: [Song.self]).isEmpty)
    }

    @Test func rowsInTheWayChangeNothing() throws {
        try manager.execute("UPDATE song SET seconds = 'long' WHERE id = 2")
        let error = #expect(throws: PersistenceError.self) {
            try manager.updateSchema(for: [Song.self], allowing: .rewrites)
        }
        #expect(error?.code == .unfitRows)
        #expect(try manager.dictionaries("SELECT name FROM song WHERE id = 2") == [["name": "Lazy Bird"]])
    }

    @Test func aViewThatWouldBreakUndoesThePlan() throws {
        try manager.execute("CREATE VIEW names AS SELECT name FROM song")
        let plan = try manager.alterTable("song") { $0.rename("NAME", to: "TITLE") }
        #expect(!plan.isEmpty)
        #expect(throws: SQLiteError.self) { try manager.alterTable("song") { $0.drop("TITLE") } }
        #expect(try manager.dictionaries("SELECT count(title) AS n FROM song") == [["n": 2]])
    }

    @Test func aBackupIsRejectedBeforeAnythingRuns() throws {
        let error = #expect(throws: SQLiteError.self) {
            try manager.updateSchema(for: [Song.self], allowing: .rewrites, backup: "copy.sqlite")
        }
        #expect(error?.extendedCode == .unsupported)
        #expect(try manager.dictionaries("SELECT count(name) AS n FROM song") == [["n": 2]])
    }

    @Test func theBytesOfAnExportAreThoseOfAFile() async throws {
        try await manager.updateSchema(for: [Song.self], allowing: .rewrites)
        let query = Query(Song.self).sorted(by: \.id)
        var bytes: [UInt8] = []
        for try await part in manager.csv(query) { bytes += part }
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("id,title,seconds,album"))
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try await manager.exportCSV(query, to: file)
        #expect(try Data(contentsOf: file) == Data(bytes))
    }

    // The manager asks for the schema's number once in a second.
    @Test func aColumnThatAnotherClientAddsIsWrittenASecondLater() async throws {
        try await manager.updateSchema(for: [Song.self], allowing: .rewrites)
        try await manager.insert(Song())
        let other = try PersistenceManager(Cluster(nodes.addresses, database: "app"))
        try await other.execute("ALTER TABLE song ADD COLUMN year INTEGER GENERATED ALWAYS AS (1957)")
        try await Task.sleep(for: .seconds(1.1))
        let song = Song()
        try await manager.insert(song)
        #expect(try await manager.find(Song.self, song.id)?.id == song.id)
    }
}
