import Foundation
import Persisting
import Testing

/// The forms in which an object is written: each has to do the same.
private enum Form: CaseIterable {
    case one, array, oneSuspended, arraySuspended

    func write(_ verb: Verb, _ object: PersistingModel, _ manager: PersistenceManager) async throws {
        switch self {
        case .one: try Self.one(verb, object, manager)
        case .array: try Self.array(verb, object, manager)
        case .oneSuspended:
            switch verb {
            case .insert: try await manager.insert(object)
            case .save: try await manager.save(object)
            case .upsert: try await manager.upsert(object)
            case .replace: try await manager.insert(object, onConflict: .replace)
            case .delete: try await manager.delete(object)
            }
        case .arraySuspended:
            switch verb {
            case .insert: try await manager.insert([object])
            case .save: try await manager.save([object])
            case .upsert: try await manager.upsert([object])
            case .replace: try await manager.insert([object], onConflict: .replace)
            case .delete: try await manager.delete([object])
            }
        }
    }

    private static func one(_ verb: Verb, _ object: PersistingModel, _ manager: PersistenceManager) throws {
        switch verb {
        case .insert: try manager.insert(object)
        case .save: try manager.save(object)
        case .upsert: try manager.upsert(object)
        case .replace: try manager.insert(object, onConflict: .replace)
        case .delete: try manager.delete(object)
        }
    }

    private static func array(_ verb: Verb, _ object: PersistingModel, _ manager: PersistenceManager) throws {
        switch verb {
        case .insert: try manager.insert([object])
        case .save: try manager.save([object])
        case .upsert: try manager.upsert([object])
        case .replace: try manager.insert([object], onConflict: .replace)
        case .delete: try manager.delete([object])
        }
    }
}

private enum Verb: CaseIterable {
    case insert, save, upsert, replace, delete
}

private final class Leaf: PersistingModel {
    var id: Int64?
    var title = ""
    var slug: String?
    var gone = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.unique
        return columns
    }

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }
}

private final class Mark: PersistingModel {
    var id: Int64?
    var what = ""
}

/// A model whose hooks write rows of their own.
private final class Traced: PersistingModel {
    var id: Int64?
    var title = ""
    var _writesAfter = false

    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.unique
        return columns
    }

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }

    private func trace(_ what: String) throws { try Mark.create(["what": what]) }
    override func willInsert() throws { try trace("willInsert \(title)") }
    override func willUpdate() throws { try trace("willUpdate \(title)") }
    override func willDelete() throws { try trace("willDelete \(title)") }
    override func didInsert() {
        do { try trace("didInsert \(title)") } catch { Issue.record(error) }
    }
}

// F14, F55
@Suite("A write") struct WholeWriteTests {
    private func leaves(_ trigger: String) throws -> PersistenceManager {
        let manager = try memoryManager(Leaf.self)
        try manager.run(trigger)
        return manager
    }

    @Test("takes what its hooks wrote with it when it fails", arguments: Form.allCases)
    private func hooks(form: Form) async throws {
        let manager = try memoryManager(Traced.self, Mark.self)
        try await manager.asCurrent {
            try await manager.insert([Traced("A"), Traced("B")])
            let known = ["willInsert A", "didInsert A", "willInsert B", "didInsert B"]
            #expect(try await manager.fetchAll(Mark.self, sortedBy: "id").map(\.what) == known)
            let second = try #require(try await manager.fetchOne(Traced.self, where: \.title == "B"))
            second.title = "A"
            let insert = await asyncFailure { try await form.write(.insert, Traced("A"), manager) }
            let update = await asyncFailure { try await form.write(.save, second, manager) }
            #expect([insert?.code, update?.code] == [.constraint, .constraint])
            #expect(try await manager.fetchAll(Mark.self, sortedBy: "id").map(\.what) == known)
        }
    }

    @Test("keeps what its hooks wrote when it succeeds", arguments: Form.allCases)
    private func hooksThatStay(form: Form) async throws {
        let manager = try memoryManager(Traced.self, Mark.self)
        try await manager.asCurrent {
            let object = Traced("A")
            try await form.write(.insert, object, manager)
            object.title = "B"
            try await form.write(.save, object, manager)
            try await form.write(.delete, object, manager)
            let traces = try await manager.fetchAll(Mark.self, sortedBy: "id").map(\.what)
            #expect(traces == ["willInsert A", "didInsert A", "willUpdate B", "willDelete B"])
            #expect(object.isDeleted)
        }
    }

    @Test("that a trigger fails with RAISE(FAIL) leaves nothing", arguments: Form.allCases)
    private func raiseFail(form: Form) async throws {
        let manager = try leaves(
            """
            CREATE TRIGGER I AFTER INSERT ON LEAF WHEN NEW.TITLE = '' BEGIN SELECT RAISE(FAIL, 'empty'); END;
            CREATE TRIGGER U AFTER UPDATE ON LEAF WHEN NEW.TITLE = '' BEGIN SELECT RAISE(FAIL, 'empty'); END;
            CREATE TRIGGER D AFTER DELETE ON LEAF BEGIN SELECT RAISE(FAIL, 'kept'); END
            """)
        let leaf = Leaf("")
        for verb in [Verb.insert, .save, .upsert, .replace] {
            #expect(await asyncFailure { try await form.write(verb, leaf, manager) }?.code == .constraint)
            #expect(!leaf.isPersisted)
        }
        #expect(try manager.rowCount("LEAF") == 0)
        leaf.title = "A"
        try await form.write(.save, leaf, manager)
        leaf.title = ""
        #expect(await asyncFailure { try await form.write(.save, leaf, manager) }?.code == .constraint)
        #expect(await asyncFailure { try await form.write(.delete, leaf, manager) }?.code == .constraint)
        #expect(try manager.storedColumn("SELECT TITLE FROM LEAF") == ["A"])
        #expect(leaf.isPersisted && leaf.changedKeys == ["title"])
    }

    @Test(
        "that a temporary trigger fails, made after the first write, leaves nothing", .local(.temporaryTables),
        arguments: Form.allCases)
    private func temporaryRaiseFail(form: Form) async throws {
        let manager = try leaves("")
        try await manager.insert(Leaf("A"))
        try manager.run(
            "CREATE TEMPORARY TRIGGER I AFTER INSERT ON LEAF BEGIN SELECT RAISE(FAIL, 'no more'); END")
        let leaf = Leaf("B")
        #expect(await asyncFailure { try await form.write(.insert, leaf, manager) }?.code == .constraint)
        #expect(try manager.storedColumn("SELECT TITLE FROM LEAF") == ["A"])
        try manager.run("DROP TRIGGER I")
        try await form.write(.insert, leaf, manager)
        #expect(try manager.rowCount("LEAF") == 2)
    }

    @Test("of many rows leaves none of them after RAISE(FAIL)") func manyRows() throws {
        let manager = try leaves(
            "CREATE TRIGGER U AFTER UPDATE ON LEAF WHEN NEW.ID = 2 BEGIN SELECT RAISE(FAIL, 'second'); END")
        try manager.insert([Leaf("A"), Leaf("B"), Leaf("C")])
        #expect(failure { try manager.updateAll(Leaf.self, set: ["gone": 1]) }?.code == .constraint)
        #expect(try manager.stored("SELECT sum(GONE) FROM LEAF") == 0)
    }

    @Test("of a parent leaves nothing when a row that it deletes by a foreign key fails", arguments: [1, 2])
    func cascade(parts: Int) throws {
        let manager = try leaves(
            """
            CREATE TABLE PART (LEAF_ID INTEGER REFERENCES LEAF (ID) ON DELETE CASCADE);
            CREATE TRIGGER D AFTER DELETE ON PART BEGIN SELECT RAISE(FAIL, 'kept'); END
            """)
        let leaf = Leaf("A")
        try manager.insert(leaf)
        // Where one is left, the foreign key undoes the statement.
        for _ in 0..<parts { try manager.run("INSERT INTO PART VALUES (1)") }
        #expect(failure { try manager.delete(leaf) }?.code == .constraint)
        #expect(try manager.rowCount("LEAF") == 1)
        #expect(try manager.rowCount("PART") == parts)
    }

    @Test("gives the object what a trigger makes of its row", arguments: Form.allCases)
    private func rewritten(form: Form) async throws {
        let manager = try leaves(
            """
            CREATE TRIGGER I AFTER INSERT ON LEAF BEGIN UPDATE LEAF SET SLUG = lower(NEW.TITLE) WHERE ID = NEW.ID; END;
            CREATE TRIGGER U AFTER UPDATE OF TITLE ON LEAF WHEN NEW.TITLE <> OLD.TITLE
            BEGIN UPDATE LEAF SET SLUG = lower(NEW.TITLE) WHERE ID = NEW.ID; END
            """)
        for verb in [Verb.insert, .save, .upsert, .replace] {
            let leaf = Leaf("ONE")
            try await form.write(verb, leaf, manager)
            #expect(leaf.slug == "one" && !leaf.hasChanges)
            leaf.title = "TWO"
            try await form.write(verb == .upsert ? .upsert : .save, leaf, manager)
            #expect(leaf.slug == "two" && !leaf.hasChanges)
            leaf.gone = 1
            try await form.write(.upsert, leaf, manager)
            #expect(try manager.stored("SELECT SLUG FROM LEAF") == "two")
            try await form.write(.delete, leaf, manager)
        }
    }

    @Test("that is rolled back takes back what a trigger made of the object's row") func rewrittenAndRolledBack() throws
    {
        let manager = try leaves(
            "CREATE TRIGGER I AFTER INSERT ON LEAF BEGIN UPDATE LEAF SET SLUG = 'made' WHERE ID = NEW.ID; END")
        let leaf = Leaf("A")
        try catchingTestError {
            try manager.transaction {
                try manager.insert(leaf)
                #expect(leaf.slug == "made")
                throw TestError()
            }
        }
        #expect(leaf.slug == nil && leaf.id == nil && !leaf.isPersisted)
    }

    @Test("that a trigger turns into a soft deletion leaves the object as its row is", arguments: Form.allCases)
    private func softDeletion(form: Form) async throws {
        let manager = try leaves(
            """
            CREATE TRIGGER D BEFORE DELETE ON LEAF
            BEGIN UPDATE LEAF SET GONE = 1 WHERE ID = OLD.ID; SELECT RAISE(IGNORE); END
            """)
        let leaf = Leaf("A")
        try await manager.insert(leaf)
        try await form.write(.delete, leaf, manager)
        #expect(leaf.isPersisted && !leaf.isDeleted && leaf.gone == 1 && !leaf.hasChanges)
        leaf.gone = 0
        try await form.write(.save, leaf, manager)
        #expect(try manager.storedColumn("SELECT GONE FROM LEAF") == [0])
        #expect(try await manager.delete([leaf]) == 0)
    }

    @Test(
        "that a trigger ignores is an error that says so, and takes the trigger's own writes with it",
        arguments: Form.allCases)
    private func ignored(form: Form) async throws {
        let manager = try leaves(
            """
            CREATE TABLE LOG (WHAT TEXT);
            CREATE TRIGGER U BEFORE UPDATE ON LEAF BEGIN INSERT INTO LOG VALUES ('u'); SELECT RAISE(IGNORE); END;
            CREATE TRIGGER I BEFORE INSERT ON LEAF WHEN NEW.TITLE = ''
            BEGIN INSERT INTO LOG VALUES ('i'); SELECT RAISE(IGNORE); END
            """)
        let leaf = Leaf("A")
        try await form.write(.insert, leaf, manager)
        leaf.title = "B"
        let update = await asyncFailure { try await form.write(.save, leaf, manager) }
        #expect(update?.code == .database && update?.message.contains("trigger") == true)
        #expect(await asyncFailure { try await form.write(.insert, Leaf(""), manager) }?.code == .notInserted)
        #expect(try manager.rowCount("LOG") == 0)
    }

    @Test("that replaces rows fires the triggers of those that it deletes", arguments: Form.allCases)
    private func replaced(form: Form) async throws {
        let manager = try leaves(
            """
            CREATE TABLE LOG (WHAT TEXT);
            CREATE TRIGGER D AFTER DELETE ON LEAF BEGIN INSERT INTO LOG VALUES (OLD.TITLE || OLD.ID); END;
            CREATE TRIGGER U AFTER UPDATE ON LEAF BEGIN UPDATE LEAF SET SLUG = 'touched' WHERE ID = NEW.ID; END
            """)
        try await manager.insert(Leaf("A"))
        try await form.write(.replace, Leaf("A"), manager)
        #expect(try manager.storedColumn("SELECT WHAT FROM LOG") == ["A1"])
        // A trigger that updates its own row isn't called for that.
        let leaf = try #require(try await manager.fetchOne(Leaf.self))
        leaf.gone = 1
        try await form.write(.save, leaf, manager)
        #expect(leaf.slug == "touched")
    }

    @Test("of an import that replaces rows fires their triggers, and a row that fails leaves nothing")
    func imported() throws {
        let manager = try leaves(
            """
            CREATE TABLE LOG (WHAT TEXT);
            CREATE TRIGGER D AFTER DELETE ON LEAF BEGIN INSERT INTO LOG VALUES (OLD.TITLE || OLD.ID); END;
            CREATE TRIGGER I AFTER INSERT ON LEAF WHEN NEW.TITLE = 'bad' BEGIN SELECT RAISE(FAIL, 'bad'); END
            """)
        try manager.insert([Leaf("A"), Leaf("B")])
        let csv = Data("title\nA\nbad\nB\n".utf8)
        let report = try manager.importCSV(Leaf.self, contentsOf: csv, onConflict: .replace, errors: .collect(max: 5))
        #expect(report.updated == 2 && report.failures.count == 1)
        #expect(try manager.storedColumn("SELECT WHAT FROM LOG") == ["A1", "B2"])
        #expect(try manager.storedColumn("SELECT TITLE FROM LEAF ORDER BY TITLE") == ["A", "B"])
    }

    @Test("has no temporary database made") func temporaryDatabase() throws {
        let manager = try memoryManager(Leaf.self)
        let leaf = Leaf("A")
        try manager.insert(leaf)
        leaf.title = "B"
        try manager.save(leaf)
        #expect(try manager.storedColumn("SELECT name FROM pragma_database_list") == ["main"])
    }

    @Test("that a temporary trigger fails with RAISE(FAIL) leaves nothing", .local(.temporaryTables))
    func temporaryTrigger() throws {
        let manager = try leaves(
            "CREATE TEMP TRIGGER I AFTER INSERT ON LEAF WHEN NEW.TITLE = '' BEGIN SELECT RAISE(FAIL, 'empty'); END")
        #expect(failure { try manager.insert(Leaf("")) }?.code == .constraint)
        #expect(try manager.rowCount("LEAF") == 0)
    }
}
