import Foundation
import Observation
import Persisting
import Testing

@Suite("An undo history") struct UndoHistoryTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(PastFolder.self, PastNote.self, PastSeat.self)
    }

    private func undoHistory(limit: Int = 100) throws -> UndoHistory {
        try UndoHistory(of: [PastFolder.self, PastNote.self, PastSeat.self], in: manager, limit: limit)
    }

    @Test("takes back inserts, updates and deletes with cascades, and repeats them") func steps() throws {
        let undo = try undoHistory()
        #expect(!undo.canUndo && !undo.canRedo)
        #expect(try undo.undo() == false)
        var states = [try PastState(manager)]
        func step(_ name: String, _ body: () throws -> Void) throws {
            try manager.transaction(name, by: nil, body)
            states.append(try PastState(manager))
        }
        try step("Begin") {
            try manager.insert(PastFolder.self, values: ["name": "a"])
            for slug in ["x", "y"] { try manager.insert(PastNote.self, values: ["slug": slug, "folderID": 1]) }
        }
        // Two unique values change places.
        try step("Swap") {
            try manager.execute("UPDATE NOTE SET SLUG = 'z' WHERE ID = 1")
            try manager.execute("UPDATE NOTE SET SLUG = 'x' WHERE ID = 2")
            try manager.execute("UPDATE NOTE SET SLUG = 'y' WHERE ID = 1")
        }
        try step("Rename") { try manager.execute("UPDATE FOLDER SET ID = 5") }
        try step("Delete") { try manager.deleteAll(PastFolder.self) }
        #expect(undo.undoName == "Delete")
        for number in (0..<4).reversed() {
            try undo.undo()
            #expect(try PastState(manager) == states[number], "undone to \(number)")
        }
        #expect(!undo.canUndo && undo.redoName == "Begin")
        for number in 1...4 {
            try undo.redo()
            #expect(try PastState(manager) == states[number], "redone to \(number)")
        }
        #expect(!undo.canRedo && undo.undoName == "Delete")
        try undo.undo()
        try manager.transaction("New") { try manager.insert(PastFolder.self, values: ["name": "n"]) }
        #expect(!undo.canRedo && undo.undoName == "New")
    }

    @Test("exchanges unique values of each storage class in a strict table") func strict() throws {
        let manager = try memoryManager(PastPlace.self)
        let undo = try UndoHistory(of: [PastPlace.self], in: manager)
        for number in 1...2 {
            try manager.insert(
                PastPlace.self,
                values: [
                    "number": number, "weight": Double(number) + 0.5, "mark": Data([UInt8(number)]),
                    "name": "\(number)",
                ])
        }
        let select = "SELECT NUMBER || ' ' || WEIGHT || ' ' || hex(MARK) || ' ' || NAME FROM PLACE ORDER BY ID"
        try manager.transaction("Swap") {
            for (id, other) in [(1, 3), (2, 1), (1, 2)] {
                try manager.execute(
                    """
                    UPDATE PLACE SET NUMBER = \(other), WEIGHT = \(Double(other) + 0.5),
                    MARK = \(Data([UInt8(other)])), NAME = \("\(other)") WHERE ID = \(id)
                    """)
            }
        }
        try undo.undo()
        #expect(try manager.storedColumn(select) == ["1 1.5 01 1", "2 2.5 02 2"])
        try undo.redo()
        #expect(try manager.storedColumn(select) == ["2 2.5 02 2", "1 1.5 01 1"])
    }

    @Test("has no name of a savepoint that was rolled back") func nameOfSavepoint() throws {
        let undo = try undoHistory()
        try manager.transaction(nil, by: "ada") {
            try catchingTestError {
                try manager.transaction("Import", by: "bot") {
                    try manager.insert(PastFolder.self, values: ["name": "a"])
                    throw TestError()
                }
            }
            try manager.insert(PastFolder.self, values: ["name": "b"])
        }
        #expect(undo.canUndo && undo.undoName == nil)
        #expect(try manager.storedColumn("SELECT author FROM history_transactions WHERE name IS NULL") == ["ada"])
        try manager.transaction {
            try manager.transaction("Import") { try manager.insert(PastFolder.self, values: ["name": "c"]) }
        }
        #expect(undo.undoName == "Import")
    }

    @Test("sets the columns that a step has changed alone, so that no trigger of others fires")
    func triggersOfColumns() throws {
        try manager.insert(PastFolder.self, values: ["name": "a"])
        try manager.insert(PastNote.self, values: ["slug": "x", "folderID": 1])
        try manager.execute(
            """
            CREATE TRIGGER RENAMED AFTER UPDATE OF FOLDER_ID ON NOTE
            BEGIN INSERT INTO FOLDER (NAME) VALUES ('trigger'); END
            """)
        let undo = try undoHistory()
        try manager.execute("UPDATE NOTE SET SLUG = 'y'")
        let before = try PastState(manager)
        try undo.undo()
        #expect(try manager.fetchAll(PastNote.self).map(\.slug) == ["x"])
        #expect(try manager.count(PastFolder.self) == 1)
        try undo.redo()
        #expect(try PastState(manager) == before)
    }

    /// Raw SQL that isn't the manager's.
    private func others(_ sql: String) throws {
        try manager.database.write { db in _ = try db.execute(SQL(sql)) }
    }

    @Test(
        "counts single calls as steps, keeps as many as its limit, and leaves others' writes alone", .local(.connection)
    )
    func limits() throws {
        let undo = try undoHistory(limit: 2)
        for name in ["a", "b", "c"] { try manager.insert(PastFolder.self, values: ["name": name]) }
        try others("INSERT INTO FOLDER (NAME) VALUES ('raw')")
        #expect(try undo.undo() && undo.undo())
        #expect(try undo.undo() == false)
        #expect(try manager.fetchAll(PastFolder.self).map(\.name) == ["a", "raw"])
        undo.removeAll()
        #expect(!undo.canRedo)
    }

    @Test("doesn't take back what somebody has changed since, and says of which rows", .local(.connection))
    func conflicts() throws {
        let undo = try undoHistory()
        let folder = try manager.insert(PastFolder.self, values: ["name": "a"])
        try manager.transaction {
            try manager.insert(PastNote.self, values: ["title": "t", "folderID": 1])
            try manager.update(PastFolder.where(\.id == 1), set: ["name": "b"])
        }
        try others("UPDATE NOTE SET TITLE = 'other'")
        let before = try PastState(manager)
        let error = failure { try undo.undo() }
        #expect(error?.code == .conflict && error?.message.contains("NOTE ID = 1") == true)
        #expect(try PastState(manager) == before)
        #expect(undo.canUndo)
        // A note that the folder got later would go with it.
        try others("DELETE FROM NOTE")
        undo.removeAll()
        try manager.delete(folder)
        try manager.insert(PastFolder.self, values: ["id": 3, "name": "c"])
        try others("INSERT INTO NOTE (ID, FOLDER_ID) VALUES (9, 3)")
        let later = failure { try undo.undo() }
        #expect(later?.code == .conflict && later?.message.contains("NOTE ID = 9") == true)
        #expect(try manager.count(PastNote.rows) == 1)
    }

    @Test("is recorded itself, so that the past stays as it was") func recorded() throws {
        let undo = try undoHistory()
        try manager.transaction("Make", by: "ada") { try manager.insert(PastFolder.self, values: ["name": "a"]) }
        let (first, state) = (try manager.lastNumber, try PastState(manager))
        try undo.undo()
        #expect(try PastState(manager, asOf: first) == state)
        #expect(try manager.historyTransactions().map(\.name) == ["Make", "Make"])
        try manager.transaction { #expect(throws: SQLiteError.self) { try undo.redo() } }
    }

    @Test("gives objects that follow it the values of their rows") func objects() throws {
        let undo = try undoHistory()
        let folder = PastFolder()
        folder.name = "a"
        try manager.save(folder)
        undo.follow(folder)
        folder.name = "b"
        try manager.save(folder)
        try undo.undo()
        #expect(folder.name == "a")
        folder.name = "c"
        try manager.save(folder)
        #expect(try manager.fetchAll(PastFolder.self).map(\.name) == ["c"])
        try manager.delete(folder)
        try undo.undo()
        folder.name = "d"
        try manager.save(folder)
        #expect(try manager.fetchAll(PastFolder.self).map(\.name) == ["d"])
    }

    @Test("keeps an object's unsaved changes as changes of the restored row") func unsavedChanges() throws {
        let undo = try undoHistory()
        let folder = PastFolder()
        folder.name = "a"
        try manager.save(folder)
        undo.follow(folder)
        for name in ["b", "c"] {
            folder.name = "b"
            try manager.save(folder)
            folder.name = "unsaved"
            try undo.undo()
            #expect(try folder.name == "unsaved" && folder.storedValue(forKey: "name") == .text("a"))
            folder.name = name
            try manager.save(folder)
            #expect(try manager.stored("SELECT NAME FROM FOLDER") == .text(name))
            try undo.undo()
        }
    }

    @Test("undoes and redoes while a task is suspended") func suspended() async throws {
        let undo = try undoHistory()
        try await manager.insert(PastFolder.self, values: ["name": "a"])
        #expect(try await undo.undo())
        #expect(try await manager.count(PastFolder.rows) == 0)
        #expect(try await undo.redo())
        #expect(try await manager.count(PastFolder.rows) == 1)
        #expect(try await !undo.redo())
    }

    @Test("takes back a step each, whoever is writing when it is asked", arguments: 0..<5)
    @MainActor func concurrent(_ round: Int) async throws {
        let undo = try undoHistory()
        let folder = PastFolder()
        folder.name = "a"
        try await manager.save(folder)
        undo.follow(folder)
        folder.name = "b"
        let saving = Task { @MainActor in try await manager.save(folder) }
        await Task.yield()
        #expect(try await undo.undo())
        try await saving.value
        #expect(folder.name == "a" && !folder.hasChanges)
        #expect(try await manager.fetchOne(PastFolder.self)?.name == "a")
        for name in ["c", "d"] {
            folder.name = name
            try await manager.save(folder)
        }
        let undoing = (0..<2).map { _ in Task { @MainActor in try await undo.undo() } }
        for task in undoing { #expect(try await task.value) }
        #expect(folder.name == "a" && undo.canUndo && undo.redoName == nil)
        #expect(try await undo.undo())
        #expect(try await !undo.undo())
    }

    @Test("tells observers of what can be undone") func observation() throws {
        let undo = try undoHistory()
        let count = Shared(0)
        withObservationTracking {
            _ = undo.canUndo
        } onChange: {
            count.change { $0 += 1 }
        }
        try manager.insert(PastFolder.self, values: ["name": "a"])
        #expect(count.value == 1)
    }

    @Test("has no step for what changed nothing that is recorded") func stepsWithoutChanges() throws {
        let undo = try undoHistory()
        try manager.insert(PastNote.self, values: ["title": "t"])
        undo.removeAll()
        try manager.updateAll(PastNote.self, set: ["draft": "d"])
        try manager.updateAll(PastNote.self, set: ["title": "t"])
        try manager.transaction {
            try manager.insert(PastFolder.self, values: ["name": "a"])
            try manager.deleteAll(PastFolder.self)
        }
        #expect(!undo.canUndo)
        try manager.updateAll(PastNote.self, set: ["title": nil])
        #expect(undo.canUndo)
    }

    @Test("leads to every state and back, whatever is done", arguments: 0..<UInt64(Effort.times(4)))
    func random(_ seed: UInt64) throws {
        var program = PastProgram(random: SeededGenerator(seed: seed))
        let undo = try undoHistory(limit: 1000)
        var states = [try PastState(manager)]
        for number in 0..<40 {
            _ = try? manager.transaction("\(number)") {
                for _ in 0..<Int.random(in: 1...3, using: &program.random) {
                    _ = try? manager.execute(program.statement())
                }
            }
            let state = try PastState(manager)
            #expect((undo.undoName == "\(number)") == (state != states.last), "\(seed): step \(number)")
            if state != states.last { states.append(state) }
        }
        for number in (0..<states.count - 1).reversed() {
            try undo.undo()
            #expect(try PastState(manager) == states[number], "\(seed): undone to \(number)")
        }
        #expect(!undo.canUndo)
        for number in 1..<states.count {
            try undo.redo()
            #expect(try PastState(manager) == states[number], "\(seed): redone to \(number)")
        }
        #expect(!undo.canRedo)
    }
}

/// A strict table with unique columns of each storage class.
private final class PastPlace: PersistingModel {
    var id: Int64?
    var number = 0
    var weight = 0.0
    var mark = Data()
    var name = ""

    override class var tableName: String { "PLACE" }
    override class var tableOptions: TableOptions { .strict }
    override class var history: History? { .values() }
    override class var columns: Columns {
        var columns = super.columns
        columns["NUMBER"] = .int.unique
        columns["WEIGHT"] = .double.unique
        columns["MARK"] = .data.unique
        columns["NAME"] = .string.unique
        return columns
    }
}
