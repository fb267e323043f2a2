import Foundation
import Persisting
import Testing

private class Sheet: PersistingModel {
    var id: Int64?
    override class var tableName: String { "SHEET" }
}

private final class Plain: Sheet {
    var a = ""
    var b = ""
    var c = ""
    override class var indexes: [Index] { [Index("a"), .unique("b", "c")] }
}

private final class Swapped: Sheet {
    var a = ""
    var b = ""
    var c = ""
    override class var columns: Columns {
        var columns = super.columns
        columns["A"] = .string.formerly("B")
        columns["B"] = .string.formerly("A")
        return columns
    }
}

private final class Turned: Sheet {
    var a = ""
    var b = ""
    var c = ""
    override class var columns: Columns {
        var columns = super.columns
        columns["A"] = .string.formerly("B")
        columns["B"] = .string.formerly("C")
        columns["C"] = .string.formerly("A").check("C <> 'x'")
        return columns
    }
    override class var indexes: [Index] { [Index("a"), Index("b", "c")] }
}

private final class Moved: Sheet {
    var head = ""
    var a = ""
    var b = "new"
    var c = ""
    override class var columns: Columns {
        var columns = super.columns
        columns["HEAD"] = .string.formerly("A")
        columns["A"] = .string.formerly("B")
        return columns
    }
}

private final class Replaced: Sheet {
    var b = ""
    override class var columns: Columns {
        var columns = super.columns
        columns["B"] = .string.formerly("A")
        return columns
    }
}

private final class Dated: Sheet {
    var a = ""
    var day = Date(timeIntervalSince1970: 0)
}

private final class Undated: Sheet { var a = "" }

private final class Cat: PersistingModel {
    var id: Int64?
    var name = ""
    override class var tableName: String { "PET_A" }
}

private final class Dog: PersistingModel {
    var id: Int64?
    var name = ""
    override class var tableName: String { "PET_B" }
}

private final class Collar: PersistingModel {
    var id: Int64?
    var catID: Int64?
    static let cat = ToOne(\Collar.catID, Cat.self)
    override class var relations: Relations { ["cat": cat] }
}

private final class NewCat: PersistingModel {
    var id: Int64?
    var name = ""
    override class var tableName: String { "PET_B" }
    override class var formerTableNames: [String] { ["PET_A"] }
}

private final class NewDog: PersistingModel {
    var id: Int64?
    var name = ""
    var weight: Int?
    override class var tableName: String { "PET_A" }
    override class var formerTableNames: [String] { ["PET_B"] }
}

private final class NewCollar: PersistingModel {
    var id: Int64?
    var catID: Int64?
    static let cat = ToOne(\NewCollar.catID, NewCat.self)
    override class var tableName: String { "COLLAR" }
    override class var relations: Relations { ["cat": cat] }
}

/// Takes the name that the class of cats gives up.
private final class Bird: PersistingModel {
    var id: Int64?
    var wings = 2
    override class var tableName: String { "PET_A" }
}

private final class Keyed: PersistingModel {
    var id: Int64?
    var name = ""
}

// F49, F116
@Suite("Renames") struct RenameTests {
    private func manager() throws -> PersistenceManager {
        let manager = try memoryManager(Plain.self)
        try manager.insert(Plain.self, values: ["a": "1", "b": "2", "c": "3"])
        return manager
    }

    private func row(_ manager: PersistenceManager, _ columns: String) throws -> [SQLiteValue] {
        try manager.storedColumn(
            columns.split(separator: ",").map { "SELECT \($0) FROM SHEET" }.joined(separator: " UNION ALL "))
    }

    @Test("exchange two columns, once") func swap() throws {
        let manager = try manager()
        #expect(failure { try manager.createTableIfNecessary(for: Swapped.self) }?.code == .schemaMismatch)
        let plan = try manager.updateSchema(for: [Swapped.self])
        #expect(plan.risk == .adds)
        #expect(try row(manager, "A,B,C") == ["2", "1", "3"])
        #expect(try manager.schemaPlan(for: [Swapped.self]).isEmpty)
        #expect(try !manager.createTableIfNecessary(for: Swapped.self))
        try manager.updateSchema(for: [Swapped.self], keepsFingerprint: false)
        try manager.alterTable("SHEET") { $0.rename(to: "PAGE") }
        try manager.alterTable("PAGE") { $0.rename(to: "SHEET") }
        try manager.updateSchema(for: [Swapped.self], keepsFingerprint: false)
        #expect(try row(manager, "A,B,C") == ["2", "1", "3"])
    }

    @Test("of a new table are done from the start", arguments: [true, false]) func fresh(byPlan: Bool) throws {
        let manager = try newManager()
        if byPlan {
            try manager.updateSchema(for: [Swapped.self])
        } else {
            try manager.createTableIfNecessary(for: Swapped.self)
        }
        #expect(try manager.schemaPlan(for: [Swapped.self]).isEmpty)
        #expect(try !manager.createTableIfNecessary(for: Swapped.self))
    }

    @Test(
        "of columns of which a table has a part are done with the first plan",
        arguments: [[], ["A"], ["B"], ["C"], ["A", "B"], ["B", "C"], ["A", "C"]], [true, false])
    func part(_ columns: [String], isCircleOfThree: Bool) throws {
        let list = columns.map { ", \($0) TEXT NOT NULL DEFAULT ''" }.joined()
        let manager = try memoryManager(script: "CREATE TABLE SHEET (ID INTEGER PRIMARY KEY\(list))")
        let values = columns.map { "'\($0)'" }.joined(separator: ", ")
        let insert = columns.isEmpty ? "DEFAULT VALUES" : "(\(columns.joined(separator: ", "))) VALUES (\(values))"
        try manager.run("INSERT INTO SHEET \(insert)")
        let type: PersistingModel.Type = isCircleOfThree ? Turned.self : Swapped.self
        try manager.updateSchema(for: [type], allowing: .rewrites)
        let row = try row(manager, "A,B,C")
        #expect(row.filter { $0 != "" }.count == columns.count)
        #expect(try manager.schemaPlan(for: [type]).isEmpty)
        try manager.updateSchema(for: [type], allowing: .rewrites, keepsFingerprint: false)
        #expect(try self.row(manager, "A,B,C") == row)
        #expect(try !manager.createTableIfNecessary(for: type))
    }

    @Test("go round three columns, with their indexes, also of a table that is recreated") func circle() throws {
        let manager = try manager()
        try manager.execute("CREATE VIEW SHEETS AS SELECT A AS FIRST, C AS THIRD FROM SHEET")
        try manager.updateSchema(for: [Turned.self], allowing: .rewrites)
        #expect(try row(manager, "A,B,C") == ["2", "3", "1"])
        #expect(try manager.storedColumn("SELECT FIRST FROM SHEETS") == ["1"])
        #expect(try manager.schemaPlan(for: [Turned.self]).isEmpty)
        #expect(throws: SQLiteError.self) { try manager.execute("INSERT INTO SHEET (C) VALUES ('x')") }
    }

    @Test("make way for each other, and for a new column") func chain() throws {
        let manager = try manager()
        #expect(failure { try manager.createTableIfNecessary(for: Moved.self) }?.code == .schemaMismatch)
        try manager.updateSchema(for: [Moved.self])
        #expect(try row(manager, "HEAD,A,B,C") == ["1", "2", "new", "3"])
        #expect(try manager.schemaPlan(for: [Moved.self]).isEmpty)
        #expect(try !manager.createTableIfNecessary(for: Moved.self))
        #expect(try manager.fetchOne(Moved.self)?.head == "1")
    }

    @Test("to a name that a dropped property had ask which column is meant") func contested() throws {
        let manager = try manager()
        let plan = try manager.schemaPlan(for: [Replaced.self])
        #expect(plan.obstacles.count == 1)
        #expect(plan.obstacles.first?.message.contains("dropping: [\"SHEET.B\"] or [\"SHEET.A\"]") == true)
        #expect(failure { try manager.updateSchema(for: [Replaced.self]) }?.code == .unfitRows)
        #expect(failure { try manager.createTableIfNecessary(for: Replaced.self) }?.code == .schemaMismatch)
        try manager.updateSchema(for: [Replaced.self], dropping: ["SHEET.B"], allowing: .loses)
        #expect(try row(manager, "B") == ["1"])
        #expect(try manager.schemaPlan(for: [Replaced.self], dropping: ["SHEET.B"]).isEmpty)
    }

    private func pets() throws -> PersistenceManager {
        let manager = try memoryManager(Cat.self, Dog.self, Collar.self)
        try manager.insert(Cat.self, values: ["id": 1, "name": "cat"])
        try manager.insert(Dog.self, values: ["id": 2, "name": "dog"])
        try manager.insert(Collar.self, values: ["catID": 1])
        return manager
    }

    @Test("exchange two tables, once, with what refers to them") func tables() throws {
        let manager = try pets()
        let types: [PersistingModel.Type] = [NewCat.self, NewDog.self, NewCollar.self]
        try manager.updateSchema(for: types)
        #expect(try manager.fetchAll(NewCat.self).map(\.name) == ["cat"])
        #expect(try manager.fetchAll(NewDog.self).map(\.name) == ["dog"])
        #expect(try manager.fetchOne(NewCollar.self)?.related(NewCollar.cat)?.name == "cat")
        #expect(try manager.tableSQL("COLLAR")?.contains("PET_B") == true)
        #expect(try manager.schemaPlan(for: types).isEmpty)
        for type in types { #expect(try !manager.createTableIfNecessary(for: type)) }
    }

    @Test("of tables that are new are done from the start", arguments: [[0, 1], [1, 0]]) func freshTables(order: [Int])
        throws
    {
        let types: [PersistingModel.Type] = [NewCat.self, NewDog.self]
        let manager = try newManager()
        for place in order { try manager.createTableIfNecessary(for: types[place]) }
        try manager.insert(NewCat.self, values: ["name": "cat"])
        #expect(try manager.schemaPlan(for: types).isEmpty)
        let other = try newManager()
        try other.updateSchema(for: types)
        try other.insert(NewCat.self, values: ["name": "cat"])
        #expect(try other.schemaPlan(for: types).isEmpty)
    }

    @Test("give a table's name to a new class") func vacated() throws {
        let manager = try memoryManager(Cat.self)
        try manager.insert(Cat.self, values: ["name": "cat"])
        #expect(failure { try manager.createTableIfNecessary(for: NewCat.self) }?.code == .schemaMismatch)
        try manager.updateSchema(for: [Bird.self, NewCat.self])
        #expect(try manager.fetchAll(NewCat.self).map(\.name) == ["cat"])
        #expect(try manager.count(Bird.self) == 0)
        #expect(try manager.schemaPlan(for: [Bird.self, NewCat.self]).isEmpty)
    }

    @Test("leave no column behind into which nobody can insert") func needed() throws {
        let manager = try memoryManager(Dated.self)
        try manager.insert(Dated.self, values: ["a": "1"])
        #expect(failure { try manager.createTableIfNecessary(for: Undated.self) }?.code == .schemaMismatch)
        #expect(failure { try manager.updateSchema(for: [Undated.self]) }?.code == .unsafePlan)
        try manager.updateSchema(for: [Undated.self], allowing: .rewrites)
        try manager.insert(Undated.self, values: ["a": "2"])
        #expect(try manager.storedColumn("SELECT DAY FROM SHEET") == [0.0, .null])
        #expect(try manager.schemaPlan(for: [Undated.self]).isEmpty)
        #expect(try !manager.createTableIfNecessary(for: Undated.self))
    }

    @Test("of prototypes drop such a column", arguments: [0, 1]) func erased(rows: Int) throws {
        let manager = try memoryManager(Dated.self)
        for _ in 0..<rows { try manager.insert(Dated.self, values: [:]) }
        try manager.updateSchema(for: [Undated.self], allowing: .erases)
        #expect(try !manager.columnExists("DAY", in: "SHEET"))
        try manager.insert(Undated.self, values: ["a": "2"])
    }

    @Test("aside, a table WITHOUT ROWID gets a key that SQLite generates, once") func withoutRowID() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE KEYED (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '') WITHOUT ROWID; "
                + "INSERT INTO KEYED VALUES (5, 'a')")
        try manager.updateSchema(for: [Keyed.self], allowing: .rewrites)
        #expect(try manager.insert(Keyed.self, values: [:]).id == 6)
        #expect(try manager.schemaPlan(for: [Keyed.self]).isEmpty)
    }
}
