import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private final class OrderLine: PersistingModel {
    var id: Int64?
    var price = 0
    var quantity = 1
    var total: Int?
    var label = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["TOTAL"] = .int.generated(as: "PRICE * QUANTITY")
        columns["LABEL"] = .string.generated(as: "'#' || PRICE", .stored)
        return columns
    }

    convenience init(_ price: Int, _ quantity: Int) {
        self.init()
        self.price = price
        self.quantity = quantity
    }
}

/// A class that says nothing of what its table computes.
private final class Box: PersistingModel {
    var id: Int64?
    var width = 1
    var area = 0
    var note: String?
    override class var tableName: String { "box" }
    override class var naming: Naming { .identity }
}

extension PersistenceManager {
    /// A box of a row of SQL, with changes.
    fileprivate func fetchOfSQL(tracked: Bool) throws -> Box? {
        let box = try fetchAll(Box.self, sql: "SELECT * FROM box", tracked: tracked).first
        box?.width = 5
        box?.area = 7
        return box
    }
}

private let boxes = """
    CREATE TABLE box (
        id INTEGER PRIMARY KEY, width INT NOT NULL CHECK (width < 100), area INT AS (width * width), note TEXT)
    """

private final class GeneratedKey: PersistingModel {
    var id: String?
    var name = ""
    override class var columns: Columns { ["ID": .string.generated(as: "NAME"), "NAME": .string] }
}

private final class GeneratedDefault: PersistingModel {
    var id: Int64?
    var name = ""
    override class var columns: Columns { ["ID": .int, "NAME": .string.generated(as: "ID").default("x")] }
}

// F45
@Suite("Generated columns that a class declares") struct DeclaredGeneratedColumnTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(OrderLine.self)
    }

    @Test("stand in CREATE TABLE, without a default") func createTable() throws {
        #expect(
            try manager.columnSQL("TOTAL", in: "ORDER_LINE")
                == "TOTAL INTEGER GENERATED ALWAYS AS (PRICE * QUANTITY) VIRTUAL")
        #expect(
            try manager.columnSQL("LABEL", in: "ORDER_LINE")
                == "LABEL TEXT NOT NULL GENERATED ALWAYS AS ('#' || PRICE) STORED")
        #expect(try OrderLine.schema().columns.filter(\.isGenerated).map(\.name) == ["TOTAL", "LABEL"])
    }

    @Test("stand in the template of a class") func template() throws {
        let template = try OrderLine.columnTemplate()
        #expect(template.contains("\"TOTAL\": .int.generated(as: \"PRICE * QUANTITY\"),"))
        #expect(template.contains("\"LABEL\": .string.generated(as: \"'#' || PRICE\", .stored),"))
    }

    @Test("have their value after an insert and an update") func values() throws {
        // F52
        let line = OrderLine(3, 4)
        try manager.save(line)
        #expect(line.total == 12)
        #expect(line.label == "#3")
        #expect(!line.hasChanges)
        line.price = 5
        try manager.save(line)
        #expect(line.total == 20)
        #expect(line.label == "#5")
        try line.update(\.quantity, to: 2)
        #expect(line.total == 10)
        let found = try #require(try manager.fetchOne(OrderLine.self, where: \.total == 10))
        #expect(found.label == "#5")
    }

    @Test("skip what an object was given, in an insert and in a save") func given() throws {
        let line = OrderLine(3, 4)
        line.total = 99
        line.label = "mine"
        try manager.save(line)
        #expect(line.total == 12)
        #expect(line.label == "#3")
        line.total = 98
        #expect(!line.hasChanges)
        #expect(line.changedKeys == [])
        try manager.save(line)
        #expect(line.total == 98)
        line.quantity = 5
        #expect(line.changedKeys == ["quantity"])
        try manager.save(line)
        #expect(line.total == 15)
        #expect(OrderLine().changedKeys == ["id", "price", "quantity"])
    }

    @Test("skip what a dictionary says") func dictionary() throws {
        let line = try manager.insert(OrderLine.self, values: ["price": 2, "total": 77])
        #expect(line.total == 2)
    }

    @Test("cannot be set by an update, which names the column") func updates() throws {
        let line = OrderLine(3, 4)
        try manager.save(line)
        for error in [
            failure { try line.update(\.total, to: 1) },
            failure { try line.update(key: "label", to: "x") },
            failure { try manager.update(OrderLine.where(\.id == 1), set: ["total": 1]) },
            failure { try manager.updateAll(OrderLine.self, set: ["label": "x"]) },
        ] {
            #expect(error?.code == .notWritable)
            #expect(error?.model == "OrderLine")
            #expect(["total", "label"].contains(error?.key))
        }
        #expect(line.total == 12)
        #expect(line.label == "#3")
    }

    @Test("are what they were after a rollback") func rollback() throws {
        // F14
        let (new, old) = (OrderLine(1, 1), OrderLine(2, 2))
        new.total = 50
        new.label = "mine"
        try manager.save(old)
        try catchingTestError {
            try manager.transaction {
                try manager.save(new)
                old.price = 10
                try manager.save(old)
                try old.update(\.quantity, to: 9)
                #expect(new.total == 1)
                #expect(old.total == 90)
                throw TestError()
            }
        }
        #expect(new.total == 50)
        #expect(new.label == "mine")
        #expect(new.id == nil)
        #expect(old.total == 4)
        #expect(old.label == "#2")
        #expect(old.changedKeys == ["price"])
        try manager.save(old)
        #expect(old.total == 20)
    }

    @Test("are what they were after several objects of which one failed") func failedBatch() throws {
        let lines = [OrderLine(1, 1), OrderLine(2, 2)]
        lines[1].id = 5
        try manager.save(lines[0].copy())
        try manager.execute("UPDATE ORDER_LINE SET ID = 5")
        lines[0].label = "mine"
        #expect(failure { try manager.insert(lines) }?.code == .constraint)
        #expect(lines[0].label == "mine")
        #expect(lines[0].total == nil)
        #expect(!lines[0].isPersisted)
    }

    @Test("have their value while tasks are suspended") func suspended() async throws {
        let line = OrderLine(3, 4)
        line.total = 99
        try await manager.save(line)
        #expect(line.total == 12)
        line.price = 5
        try await manager.save(line)
        #expect(line.total == 20)
        try await line.update(\.quantity, to: 1)
        #expect(line.total == 5)
        let error = await asyncFailure { try await line.update(\.total, to: 1) }
        #expect(error?.code == .notWritable)
        #expect(line.total == 5)
        let query = await asyncFailure { try await manager.updateAll(OrderLine.self, set: ["total": 1]) }
        #expect(query?.code == .notWritable)
    }

    @Test("of an object that is not tracked have their value as well") func untracked() throws {
        try manager.save(OrderLine(3, 4))
        let line = try #require(try manager.fetchAll(OrderLine.self, tracked: false).first)
        #expect(line.changedKeys == ["id", "price", "quantity"])
        try line.update(\.quantity, to: 5)
        #expect(line.total == 15)
        line.price = 4
        try manager.save(line)
        #expect(line.total == 20)
    }

    @Test("have their value after an upsert, of a new row and of one that is there") func upsert() throws {
        // F56
        let line = OrderLine(3, 4)
        line.total = 99
        try manager.upsert(line)
        #expect(line.total == 12)
        let other = OrderLine(5, 2)
        other.id = line.id
        try manager.upsert(other, updating: ["price"])
        #expect(other.total == 20)
        try manager.upsert(other, updating: [])
        #expect(other.label == "#5")
        #expect(failure { try manager.upsert(other, updating: ["total"]) }?.code == .notWritable)
        #expect(try manager.rowCount("ORDER_LINE") == 1)
    }

    @Test("have their value after a batch") func batch() throws {
        let lines = (1...3).map { OrderLine($0, 2) }
        try manager.save(lines)
        #expect(lines.map(\.total) == [2, 4, 6])
        for line in lines { line.quantity = 3 }
        lines[0].label = "mine"
        try manager.save(lines)
        #expect(lines.map(\.total) == [3, 6, 9])
        #expect(lines[0].label == "#1")
    }

    @Test("cannot be a key, and have no default") func rejected() throws {
        for error in [
            failure { try manager.createTableIfNecessary(for: GeneratedKey.self) },
            failure { try manager.createTableIfNecessary(for: GeneratedDefault.self) },
        ] {
            #expect(error?.code == .invalidModel)
        }
    }
}

// F41
@Suite("Generated columns that are found in the table") struct FoundGeneratedColumnTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(script: boxes)
    }

    @Test("are read, and never written") func values() throws {
        let box = Box()
        box.width = 3
        box.area = 55
        try manager.save(box)
        #expect(box.area == 9)
        box.width = 4
        try manager.save(box)
        #expect(box.area == 16)
        box.area = 1
        #expect(!box.hasChanges)
        #expect(failure { try box.update(\.area, to: 3) }?.code == .notWritable)
    }

    @Test("are not written either by an object of a row of SQL", arguments: [true, false])
    func rowOfSQL(tracked: Bool) throws {
        // F85, the manager has not looked at the table
        let manager = try memoryManager(script: boxes + "; INSERT INTO box (id, width) VALUES (1, 2)")
        let box = try #require(try manager.fetchOfSQL(tracked: tracked))
        try manager.save(box)
        #expect(box.area == 25 && !box.hasChanges)
    }

    @Test("are not written either while a task is suspended", arguments: [true, false])
    func rowOfSQLSuspended(tracked: Bool) async throws {
        // F85
        let manager = try memoryManager(script: boxes + "; INSERT INTO box (id, width) VALUES (1, 2)")
        let box = try #require(try manager.fetchOfSQL(tracked: tracked))
        try await manager.save(box)
        #expect(box.area == 25 && !box.hasChanges)
    }

    @Test("are found in a table that is recreated with them") func recreatedTable() throws {
        // F48
        let manager = try memoryManager(script: "CREATE TABLE box (id INTEGER PRIMARY KEY, width INT, area INT, note)")
        let box = Box()
        try manager.insert(box)
        try manager.execute("DROP TABLE box")
        try manager.execute(SQL(boxes))
        try manager.execute("INSERT INTO box (id, width) VALUES (1, 2)")
        box.width = 6
        box.area = 1
        try manager.save(box)
        #expect(box.area == 36)
    }

    @Test("leave an object as it was when a write fails") func failed() throws {
        let box = Box()
        box.width = 1000
        box.area = 55
        #expect(failure { try manager.save(box) }?.code == .constraint)
        #expect(box.area == 55)
        box.width = 2
        try manager.save(box)
        box.width = 1000
        #expect(failure { try manager.save(box) }?.code == .constraint)
        #expect(box.area == 4)
        #expect(box.changedKeys == ["width"])
    }

    @Test("whose value the property cannot hold take the write with them") func unfit() throws {
        try manager.execute("DROP TABLE box")
        try manager.execute(
            "CREATE TABLE box (id INTEGER PRIMARY KEY, width INT, area AS (iif(width > 5, 'big', width)), note)")
        let box = Box()
        box.width = 6
        #expect(failure { try manager.save(box) }?.key == "area")
        #expect(try manager.rowCount("box") == 0)
        #expect(!box.isPersisted)
        box.width = 2
        try manager.save(box)
        box.width = 7
        let error = failure { try manager.save(box) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.sql?.hasPrefix("UPDATE box SET width = ?") == true)
        #expect(try manager.stored("SELECT width FROM box") == 2)
        #expect(box.area == 2)
    }

    @Test("cost an update of other tables nothing") func noReturning() throws {
        let log = StatementLog()
        let manager = try PersistenceManager(.memory, configuration: log.configuration)
        try manager.createTableIfNecessary(for: User.self)
        try manager.execute(SQL(boxes))
        let (user, box) = (User(name: "a"), Box())
        try manager.save(user)
        try manager.save(box)
        user.age = 1
        box.width = 2
        log.clear()
        try manager.save(user)
        try manager.save(box)
        #expect(
            log.statements.filter { $0.hasPrefix("UPDATE") } == [
                "UPDATE USER SET AGE = ? WHERE ID = ?", "UPDATE box SET width = ? WHERE id = ? RETURNING area",
            ])
    }

    @Test("are ordinary ones once the table has been recreated") func recreated() throws {
        try manager.save(Box())
        try manager.execute("DROP TABLE box")
        try manager.execute("CREATE TABLE box (id INTEGER PRIMARY KEY, width INT, area INT, note TEXT)")
        let box = Box()
        box.area = 7
        try manager.save(box)
        #expect(try manager.stored("SELECT area FROM box") == 7)
    }
}

/// The statements that a manager runs.
private final class StatementLog: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var sql: [String] = []

    var configuration: DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { [self] event in lock.withLock { sql.append(event.sql) } }
        return configuration
    }

    var statements: [String] { lock.withLock { sql } }

    func clear() { lock.withLock { sql = [] } }
}
