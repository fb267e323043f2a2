import Foundation
import Persisting
import Testing

private final class OrderItem: PersistingModel {
    var orderID: Int64?
    var select: String?
    var size = 0.0
    var quoted = ""
    var dotted: Int?

    override class var tableName: String { "Order items; -- \"x\"" }
    override class var primaryKey: PrimaryKey { .fromSchema }
    override class var columns: Columns {
        [
            "Order ID": .int.property("orderID"), "select": .string, "Größe": .double.property("size"),
            "a\"b": .string.property("quoted"), "x.y": .int.property("dotted"),
        ]
    }
}

private final class Accented: PersistingModel {
    var id: Int64?
    var été: Int?
    override class var naming: Naming { .identity }
    override class var tableName: String { "Été" }
}

private final class LineItem: PersistingModel {
    var id: Int64?
    var unitPrice = 0.0
    var imageURL: String?
    override class var naming: Naming { .pluralSnakeCase }
}

/// Of a table that is also elsewhere.
private final class Lodger: PersistingModel {
    var id: Int64?
    var name = ""
    override class var naming: Naming { .identity }
    override class var tableName: String { "lodger" }
}

private final class Resident: PersistingModel {
    var id: Int64?
    var name = ""
    override class var naming: Naming { .identity }
    override class var tableName: String { "person" }
    override class var primaryKey: PrimaryKey { .fromSchema }
}

private final class Qualified: PersistingModel {
    var id: Int64?
    override class var tableName: String { "other.person" }
}

@Suite("Tables that others made") struct ExistingTableTests {
    private let person = "(id INTEGER PRIMARY KEY, name TEXT)"

    @Test("have any names, in any verb") func names() throws {
        // F20, F22
        let manager = try memoryManager(
            script: """
                CREATE TABLE "Order items; -- ""x""\" ("Order ID" INTEGER PRIMARY KEY, "select" TEXT, "Größe" REAL,
                    "a""b" TEXT, [x.y] INT)
                """)
        let item = OrderItem()
        item.select = "a"
        item.size = 1.5
        try manager.save(item)
        item.quoted = "q"
        item.dotted = 7
        try manager.save(item)
        #expect(item.orderID == 1)
        let found = try #require(
            try manager.fetchOne(OrderItem.self, where: \.size > 1 && \.select == "a", sortedBy: "dotted desc"))
        #expect(found.quoted == "q")
        #expect(try manager.update(OrderItem.where(["quoted": "q"]), set: ["dotted": 8]) == 1)
        try manager.refresh(found)
        #expect(found.dotted == 8)
        #expect(try manager.sum(Query(OrderItem.self), \.dotted) == 8)
        #expect(try manager.fetchPage(Query(OrderItem.self), limit: 1).count == 1)
        #expect(try manager.delete(found))
        #expect(try manager.dropTable(for: OrderItem.self))
    }

    @Test("have letters of which only ASCII's change case") func letters() throws {
        // F44
        let manager = try memoryManager(script: "CREATE TABLE \"ÉTÉ\" (ID INTEGER PRIMARY KEY, \"ÉTÉ\" INT)")
        #expect(failure { try manager.fetchAll(Accented.self) }?.code == .noTable)
        try manager.run("CREATE TABLE \"Été\" (ID INTEGER PRIMARY KEY, \"ÉTÉ\" INT)")
        let error = failure { try manager.fetchAll(Accented.self) }
        #expect(error?.code == .missingColumn)
        #expect(error?.key == "été")
        #expect(error?.message.contains("it has: ID, ÉTÉ") == true)
        try manager.run("DROP TABLE \"Été\"")
        try manager.execute("CREATE TABLE \"Été\" (ID INTEGER PRIMARY KEY, \"éTé\" INT)")
        try manager.insert(Accented.self, values: ["été": 3])
        #expect(try manager.find(Accented.self, 1)?.été == 3)
    }

    @Test("follow another naming") func snakeCase() throws {
        // F21
        let manager = try memoryManager(
            script: "CREATE TABLE line_items (id INTEGER PRIMARY KEY AUTOINCREMENT, unit_price REAL, image_url TEXT)")
        let line = try manager.insert(LineItem.self, values: ["unitPrice": 2.5, "imageURL": "u"])
        #expect(line.id == 1)
        #expect(try manager.stored("SELECT image_url FROM line_items") == "u")
    }

    @Test("may have more columns, which are left as they are") func extraColumns() throws {
        // F41, F59
        let manager = try memoryManager(
            script: "CREATE TABLE person (born INT DEFAULT 1970, id INTEGER PRIMARY KEY, note TEXT, name TEXT)")
        let ada = try manager.insert(Resident.self, values: ["name": "Ada"])
        try manager.execute("UPDATE person SET note = 'x'")
        ada.name = "Ada L."
        try manager.save(ada)
        #expect(try manager.stored("SELECT born || note || name FROM person") == "1970xAda L.")
    }

    @Test("may ask for a value that the class has not, and then SQLite names the column") func neededColumn() throws {
        // F41, F17
        let manager = try memoryManager(
            script: "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, code TEXT NOT NULL)")
        let ada = Resident()
        let error = failure { try manager.save(ada) }
        #expect(error?.code == .constraint)
        #expect(error?.sqliteError?.columns == ["code"])
        #expect(!ada.isPersisted)
        #expect(ada.id == nil)
    }

    @Test("that lack a column are rejected by the first verb, whichever it is") func missingColumn() throws {
        // F41, F17
        let verbs: [(PersistenceManager) throws -> Void] = [
            { _ = try $0.fetchAll(Resident.self) }, { _ = try $0.find(Resident.self, 1) }, { try $0.save(Resident()) },
            { _ = try $0.insert(Resident.self, values: ["name": "a"]) }, { _ = try $0.count(Resident.self) },
            { _ = try $0.delete(Resident.where(\.id == 1)) }, { _ = try $0.deleteAll(Resident.self) },
            { _ = try $0.updateAll(Resident.self, set: ["name": "b"]) },
        ]
        for verb in verbs {
            let manager = try memoryManager(script: "CREATE TABLE person (id INTEGER PRIMARY KEY, nom TEXT)")
            let error = failure { try verb(manager) }
            #expect(error?.code == .missingColumn)
            #expect(error?.key == "name")
            #expect(
                error?.message
                    == "the table person has no column name; it has: id, nom. Change the class, or the table: "
                    + "updateSchema(for: [Resident.self]) makes it match, with all classes of the program in the list, "
                    + "and schemaPlan(for:) shows the steps first")
        }
    }

    @Test("aren't hidden by a temporary table of their name", .local(.temporaryTables)) func temporary() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE lodger \(person); CREATE TEMP TABLE lodger (id TEXT PRIMARY KEY, name TEXT)")
        try manager.save(Lodger())
        #expect(try manager.stored("SELECT count(*) FROM temp.lodger") == 0)
        #expect(try manager.stored("SELECT count(*) FROM main.lodger") == 1)
    }

    @Test("aren't those of an attached database", .local(.attachedDatabases)) func attached() throws {
        let manager = try memoryManager(script: "ATTACH ':memory:' AS other; CREATE TABLE other.lodger \(person)")
        #expect(failure { try manager.insert(Lodger.self, values: ["name": "Ada"]) }?.code == .noTable)
        #expect(try manager.stored("SELECT count(*) FROM other.lodger") == 0)
        // A table's name is one name, and not two with a dot between.
        #expect(failure { try manager.fetchAll(Qualified.self) }?.code == .noTable)
    }
}
