import Foundation
import Persisting
import Testing

/// Tables as other programs make them: Northwind's orders, whose dates are texts, and Chinook's invoices and employees.
private let script = """
    CREATE TABLE "Orders" ("OrderID" INTEGER PRIMARY KEY, "CustomerID" TEXT, "OrderDate" DATETIME,
        "ShippedDate" DATETIME, "Freight" NUMERIC DEFAULT 0);
    CREATE INDEX orders_by_date ON Orders (OrderDate);
    INSERT INTO Orders (CustomerID, OrderDate, ShippedDate, Freight) VALUES
        ('VINET', '2016-07-04', '2016-07-16', 32.38), ('TOMSP', '2016-07-05', '2016-07-10', 11.61),
        ('HANAR', '2023-10-01 00:00:00', NULL, 65.83), ('VICTE', '2023-10-02 12:05:52', '2023-10-11 00:48:35', 41),
        ('SUPRD', '2023-10-28 00:09:45', '2023-11-09 08:21:43', 51);
    CREATE TABLE Invoice (InvoiceId INTEGER NOT NULL PRIMARY KEY, InvoiceDate DATETIME NOT NULL, Total NUMERIC(10,2) NOT NULL);
    CREATE INDEX IFK_InvoiceDate ON Invoice (InvoiceDate);
    INSERT INTO Invoice (InvoiceDate, Total) VALUES ('2009-01-01 00:00:00', 1.98), ('2009-01-02 00:00:00', 3.96),
        ('2013-12-22 00:00:00', 1.99);
    CREATE TABLE note (id INTEGER PRIMARY KEY, made VARCHAR(40), seen TEXT);
    """

private func day(_ text: String) throws -> Date { try DateStorage.unixSeconds.date(from: .text(text)) }

private final class Order: PersistingModel {
    var orderID: Int64?
    var customerID: String?
    var orderDate: Date?
    var shippedDate: Date?
    var freight = 0.0

    override class var naming: Naming { .init(table: { _ in "Orders" }, column: Northwind.column) }
    override class var primaryKey: PrimaryKey { .generated("orderID") }
}

/// The same with the form that its columns hold.
private final class DeclaredOrder: PersistingModel {
    var orderID: Int64?
    var orderDate: Date?

    override class var naming: Naming { .init(table: { _ in "Orders" }, column: Northwind.column) }
    override class var primaryKey: PrimaryKey { .generated("orderID") }
    override class var columns: Columns {
        var columns = super.columns
        columns["OrderDate"] = .date.stored(as: .dateTime)
        return columns
    }
}

private enum Northwind {
    static let column: @Sendable (String) -> String = { $0.prefix(1).uppercased() + $0.dropFirst() }
}

private final class Invoice: PersistingModel {
    var invoiceId: Int64?
    var invoiceDate = Date(timeIntervalSince1970: 0)
    var total: Double = 0

    override class var naming: Naming { .init(table: { $0 }, column: Northwind.column) }
    override class var primaryKey: PrimaryKey { .generated("invoiceId") }
}

private final class Note: PersistingModel {
    var id: Int64?
    var made: Date?
    var seen: Date?

    override class var naming: Naming { .snakeCase }
}

@Suite("Dates that other programs store as text")
struct OthersDatesTests {
    private let log = SQLLog()
    private let manager: PersistenceManager

    init() throws {
        manager = try log.manager()
        try manager.run(script)
    }

    /// The plan of the last SELECT of a table's rows.
    private func plan() throws -> String {
        let sql = try #require(
            log.texts.last { $0.hasPrefix("SELECT Order") })
        return try manager.database.read { db in try db.queryPlan(of: SQL(sql)).description }
    }

    @Test("A delete takes the rows that are later, and no other", arguments: [true, false])
    func delete(_ isDeclared: Bool) throws {
        // F31, Settled 17
        let date = try day("2023-10-01")
        let deleted =
            isDeclared
            ? try manager.delete(DeclaredOrder.self, where: \.orderDate > date)
            : try manager.delete(Order.self, where: \.orderDate > date)
        #expect(deleted == 2)
        #expect(try manager.storedColumn("SELECT OrderID FROM Orders") == [1, 2, 3])
    }

    /// A manager of numbers in an index, while another connection stores a text when the column is looked at.
    private func raced(_ directory: borrowing TemporaryDirectory) throws -> PersistenceManager {
        let path = directory.path()
        let other = try Database(.file(path))
        try other.executeScript(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, made DATETIME, seen DATETIME);
            CREATE INDEX note_by_time ON note (made);
            INSERT INTO note (made) VALUES (1500000000), (1700000000);
            """)
        try other.execute("PRAGMA busy_timeout = 0")
        // Used by one thread at a time, inside the statements of the manager.
        nonisolated(unsafe) let database = other
        let hasStored = Shared(false)
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            guard event.sql.hasPrefix("SELECT max(made)"), !hasStored.value else { return }
            hasStored.change { $0 = true }
            // A write keeps it out.
            _ = try? database.execute("INSERT INTO note (made) VALUES ('2001-01-01 00:00:00')")
        }
        return try PersistenceManager(path: path, configuration: configuration)
    }

    @Test("A text stored by another program while a delete or an update is prepared is compared as a date")
    func racedWrite() throws {
        // F31, Settled 17
        let directory = try TemporaryDirectory()
        #expect(try raced(directory).delete(Note.self, where: \.made > day("2020-01-01")) == 1)
        let second = try TemporaryDirectory()
        #expect(
            try raced(second).update(Note.where(\.made > day("2020-01-01")), set: ["seen": day("2024-01-01")]) == 1)
    }

    @Test("A text stored by another program while a query is prepared is none of its rows")
    func racedRead() throws {
        // F36, Settled 17
        func manager() throws -> (PersistenceManager, TemporaryDirectory) {
            let directory = try TemporaryDirectory()
            return (try raced(directory), directory)
        }
        let query = try Note.where(\.made > day("2020-01-01"))
        let (fetching, first) = try manager()
        #expect(try fetching.fetchAll(query).map(\.id) == [2])
        let (counting, second) = try manager()
        #expect(try counting.count(query) == 1)
        let (streaming, third) = try manager()
        let ids = Shared<[Int64?]>([])
        try streaming.forEach(query) { note in ids.change { $0.append(note.id) } }
        #expect(ids.value == [2])
        let (selecting, fourth) = try manager()
        #expect(try selecting.values(query, \.id) == [2])
        withExtendedLifetime((first, second, third, fourth)) {}
    }

    @Test("A date is found whichever text spells it")
    func equal() throws {
        // Settled 17
        #expect(try manager.fetchAll(Order.self, where: \.orderDate == day("2023-10-01")).map(\.orderID) == [3])
        #expect(try manager.fetchAll(DeclaredOrder.self, where: \.orderDate == day("2016-07-04")).map(\.orderID) == [1])
        #expect(try manager.count(Order.self, where: ["orderDate": [try day("2016-07-05"), nil]]) == 1)
        #expect(try manager.count(Order.self, where: ["shippedDate": nil]) == 1)
        #expect(
            try manager.count(
                Order.self, where: .format("orderDate BETWEEN {%@, %@}", day("2016-07-05"), day("2023-10-01"))) == 2)
    }

    @Test("Rows, least and greatest dates and groups are in the order of time, numbers among the texts too")
    func mixed() throws {
        // Settled 17
        try manager.run("INSERT INTO Orders (OrderID, OrderDate) VALUES (9, 1500000000), (10, 1696118400)")
        for ids in [
            try manager.fetchAll(Order.self, sortedBy: "orderDate, orderID").map(\.orderID),
            try manager.fetchAll(DeclaredOrder.self, sortedBy: "orderDate, orderID").map(\.orderID),
        ] {
            #expect(ids == [1, 2, 9, 3, 10, 4, 5])
        }
        #expect(try manager.min(Order.rows, \.orderDate) == day("2016-07-04"))
        #expect(try manager.max(DeclaredOrder.rows, \.orderDate) == day("2023-10-28 00:09:45"))
        #expect(try manager.compute(Query(Order.self), .count(distinct: \.orderDate)) == 6)
        #expect(
            groupValues(try manager.groups(Query(Order.self), by: .key(\.orderDate), computing: .count)) == [
                1, 1, 1, 2, 1, 1,
            ])
        #expect(try manager.count(Order.self, where: \.orderDate < day("2023-10-01")) == 3)
        #expect(try manager.count(DeclaredOrder.self, where: \.orderDate >= day("2023-10-01")) == 4)
    }

    @Test("A condition on a column of one text form, or of numbers and texts, uses the column's index")
    func index() throws {
        // Settled 17
        try manager.run("UPDATE Orders SET OrderDate = datetime(OrderDate)")
        for condition in [\.orderDate > Date(), \.orderDate < Date(), \.orderDate == Date()]
            as [Criteria<DeclaredOrder>]
        {
            _ = try manager.fetchAll(DeclaredOrder.self, where: condition)
            #expect(try plan().contains("SEARCH Orders USING COVERING INDEX orders_by_date"))
        }
        _ = try manager.fetchAll(DeclaredOrder.self, sortedBy: "orderDate")
        #expect(try plan() == "SCAN Orders USING COVERING INDEX orders_by_date")
        try manager.run("INSERT INTO Orders (OrderDate) VALUES (1500000000)")
        _ = try manager.fetchAll(DeclaredOrder.self, where: \.orderDate > Date())
        #expect(try plan().components(separatedBy: "INDEX orders_by_date").count == 3)
        try manager.run("UPDATE Orders SET OrderDate = 1500000000 + OrderID")
        _ = try manager.fetchAll(Order.self, where: \.orderDate > Date())
        #expect(try plan() == "SEARCH Orders USING INDEX orders_by_date (OrderDate>?)")
    }

    @Test("A save, an insert, an update of a query and an upsert write the text that the column holds")
    func write() throws {
        // Settled 17
        let order = try #require(try manager.find(Order.self, 4))
        order.orderDate = try day("2024-02-29 12:00:00")
        try manager.save(order)
        let new = Order()
        new.orderDate = try day("2024-02-29 12:00:00")
        new.shippedDate = try day("2024-03-01")
        try manager.insert(new)
        let copy = Order()
        copy.orderID = 1
        copy.orderDate = try day("2016-07-04")
        try manager.upsert(copy)
        try manager.update(Order.where(\.orderID == 2), set: ["orderDate": try day("2024-01-01")])
        #expect(
            try manager.storedColumn("SELECT OrderDate FROM Orders ORDER BY OrderID")
                == [
                    "2016-07-04", "2024-01-01", "2023-10-01 00:00:00", "2024-02-29 12:00:00",
                    "2023-10-28 00:09:45", "2024-02-29 12:00:00",
                ])
        let declared = try #require(try manager.find(DeclaredOrder.self, 5))
        declared.orderDate = try day("2024-05-06 07:08:09.5")
        try manager.save(declared)
        #expect(try manager.stored("SELECT OrderDate FROM Orders WHERE OrderID = 5") == "2024-05-06 07:08:09")
    }

    @Test("An object whose date is not changed keeps its text")
    func unchanged() throws {
        // Settled 17
        let order = try #require(try manager.find(Order.self, 1))
        #expect(!order.hasChanges)
        order.customerID = "ALFKI"
        try manager.save(order)
        #expect(try manager.stored("SELECT OrderDate FROM Orders WHERE OrderID = 1") == "2016-07-04")
    }

    @Test(
        "A date in a column of texts comes back, and is found by conditions",
        arguments: ["", "1700000000.0", "2023-01-01T00:00:00Z", "2023-01-01 00:00", "2023-01-01T00:00:00.000Z"])
    func textColumn(_ other: String) throws {
        // Settled 17
        try manager.run("INSERT INTO note (made) SELECT '\(other)' WHERE '\(other)' <> ''")
        let note = Note()
        note.made = Date(timeIntervalSince1970: 1_700_000_100.25)
        try manager.insert(note)
        let id = note.id
        let found = try #require(try manager.find(Note.self, id))
        #expect(found.made == note.made)
        #expect(try manager.fetchAll(Note.self, where: \.made == note.made).map(\.id) == [id])
        #expect(
            try manager.count(Note.self, where: \.made > Date(timeIntervalSince1970: 999_999_999)) == id.map { Int($0) }
        )
        #expect(try manager.max(Note.rows, \.made) == note.made)
        #expect(try manager.stored("SELECT typeof(made) FROM note WHERE id = \(id ?? 0)") == "text")
    }

    @Test("Where texts of several forms are in a column, a write asks for the form")
    func unknownForm() throws {
        // Settled 17
        try manager.run("INSERT INTO note (made) VALUES ('2023-01-01T00:00:00Z'), ('2023-01-01 00:00:00')")
        let note = Note()
        note.made = Date()
        let error = failure { try manager.insert(note) }
        #expect(error?.code == .invalidModel)
        #expect(error?.key == "made")
        #expect(error.map { "\($0)".contains(".date.stored(as: .fractionalDateTime)") } == true)
        #expect(try manager.count(Note.self, where: \.made == day("2023-01-01")) == 2)
    }

    @Test("Pages by key go on through dates in several forms")
    func pages() throws {
        // F82, Settled 17
        try manager.run("INSERT INTO Orders (OrderID, OrderDate) VALUES (9, 1500000000), (10, 1696118400)")
        for order in ["orderDate", "orderDate desc"] as [Ordering<Order>] {
            let query = Query(Order.self).sorted(by: order)
            var ids: [Int64?] = []
            var last: Order?
            while case let page = try manager.fetchPage(query, after: last, limit: 2), !page.isEmpty {
                ids += page.map(\.orderID)
                last = page.last
            }
            let wanted = try manager.fetchAll(query.sorted(by: [order, "orderID"])).map(\.orderID)
            #expect(ids == wanted)
        }
    }

    @Test("Chinook's invoices are found by their dates")
    func chinook() throws {
        // Settled 17
        #expect(try manager.count(Invoice.self, where: \.invoiceDate >= day("2009-01-02")) == 2)
        #expect(try manager.fetchAll(Invoice.self, sortedBy: "invoiceDate desc").map(\.invoiceId) == [3, 2, 1])
        let invoice = Invoice()
        invoice.invoiceDate = try day("2014-01-01")
        try manager.save(invoice)
        #expect(try manager.stored("SELECT max(InvoiceDate) FROM Invoice") == "2014-01-01 00:00:00")
    }

    @Test("A text that isn't a date is neither before nor after one")
    func noDate() throws {
        // Settled 17
        try manager.run("INSERT INTO Orders (OrderID, OrderDate) VALUES (20, ''), (21, 'soon')")
        #expect(try manager.count(Order.self, where: \.orderDate > day("1900-01-01")) == 5)
        #expect(try manager.count(Order.self, where: \.orderDate < day("2900-01-01")) == 5)
        #expect(try manager.count(Order.self, where: \.orderDate == nil) == 0)
    }
}

/// A row by its date.
private final class DayRow: PersistingModel {
    var day = Date(timeIntervalSince1970: 0)
    var text: String?

    override class var naming: Naming { .snakeCase }
    override class var primaryKey: PrimaryKey { .assigned("day") }
    override class var columns: Columns {
        var columns = super.columns
        columns["day"] = .date.stored(as: .date)
        return columns
    }
}

/// A date with a name of its own.
private struct Moment: RawRepresentable, SQLiteValueConvertible, Sendable, Equatable {
    var rawValue: Date
}

private final class Visit: PersistingModel {
    var id: Int64?
    var made: Moment?

    override class var naming: Naming { .snakeCase }
}

private final class TextVisit: PersistingModel {
    var id: Int64?
    var made: Date?

    override class var naming: Naming { .init(table: { _ in "visit" }, column: Naming.snakeCase.column) }
    override class var columns: Columns {
        var columns = super.columns
        columns["made"] = .date.stored(as: .dateTime)
        return columns
    }
}

@Suite("Dates of types of their own, and in columns of numbers")
struct OtherDateTypesTests {
    @Test("A type whose raw value is a date is compared and written as the column holds dates", .local(.declaredDates))
    func rawRepresentable() throws {
        // Settled 17
        let manager = try memoryManager(
            script: """
                CREATE TABLE visit (id INTEGER PRIMARY KEY, made DATETIME);
                INSERT INTO visit (made) VALUES ('2024-02-28 12:00:00'), ('2024-03-01 12:00:00')
                """)
        let limit = Moment(rawValue: try day("2024-02-29"))
        #expect(try manager.fetchAll(Visit.self, where: \.made > limit).map(\.id) == [2])
        #expect(try manager.fetchAll(Visit.self, where: \.made < limit).map(\.id) == [1])
        let visit = try manager.insert(Visit.self, values: ["made": limit])
        #expect(try manager.stored("SELECT made FROM visit WHERE id = 3") == "2024-02-29 00:00:00")
        #expect(try manager.find(Visit.self, visit.id)?.made == limit)
    }

    @Test("A column of numbers that holds texts alone takes the texts of a class that declares them")
    func textsInNumbers() throws {
        // Settled 17, Settled 22
        let manager = try memoryManager(
            script: """
                CREATE TABLE visit (id INTEGER PRIMARY KEY, made REAL);
                INSERT INTO visit (made) VALUES ('2024-02-28 12:00:00')
                """)
        let visit = try manager.insert(TextVisit.self, values: ["made": day("2024-02-29")])
        #expect(try manager.stored("SELECT made FROM visit WHERE id = \(visit.id ?? 0)") == "2024-02-29 00:00:00")
    }

    @Test("A column of numbers that holds numbers takes no texts")
    func numbersInNumbers() throws {
        // Settled 22
        let manager = try memoryManager(
            script: "CREATE TABLE visit (id INTEGER PRIMARY KEY, made REAL); INSERT INTO visit (made) VALUES (0.0)")
        let error = failure { try manager.insert(TextVisit.self, values: ["made": try day("2024-02-29")]) }
        #expect(error?.code == .schemaMismatch)
    }
}

@Suite("Dates that are keys, unique or kept by the library, as text")
struct TextDateKeyTests {
    @Test("A row is found, written and deleted by a date that is its key", .local(.declaredDates))
    func key() throws {
        // F28, Settled 17
        let manager = try memoryManager(script: "CREATE TABLE day_row (day DATE PRIMARY KEY, text TEXT UNIQUE)")
        try manager.run("INSERT INTO day_row VALUES ('2024-02-29', 'a'), ('2024-03-01 00:00:00', 'b')")
        let found = try #require(try manager.find(DayRow.self, day("2024-03-01")))
        #expect(found.text == "b")
        found.text = "c"
        try manager.save(found)
        let other = DayRow()
        other.day = try day("2024-02-29")
        other.text = "d"
        try manager.upsert(other)
        #expect(
            try manager.storedColumn("SELECT day || text FROM day_row ORDER BY 1")
                == ["2024-02-29d", "2024-03-01 00:00:00c"])
        try manager.delete(found)
        #expect(try manager.rowCount("day_row") == 1)
    }

    @Test("Rows are found by several dates that are their keys, in whatever form", .local(.declaredDates))
    func keys() throws {
        // F28, F68
        let manager = try memoryManager(script: "CREATE TABLE day_row (day DATE PRIMARY KEY, text TEXT UNIQUE)")
        try manager.run("INSERT INTO day_row VALUES ('2024-02-29', 'a'), ('2024-03-01 00:00:00', 'b')")
        let (first, second, none) = (try day("2024-02-29"), try day("2024-03-01"), try day("2024-03-02"))
        let found = try manager.find(DayRow.self, keys: [second, none, first, second])
        #expect(found.map(\.text) == ["b", "a", "b"] && found[0] === found[2])
        #expect(try manager.find(DayRow.self, ["day": second])?.text == "b")
        #expect(try manager.find(DayRow.self, keys: [["day": second], ["day": nil]]).map(\.text) == ["b"])
    }

    @Test("Times of creation and update are written in the form of the column")
    func timestamps() throws {
        // F60, Settled 17
        let manager = try memoryManager(Stamped.self)
        let stamped = try manager.insert(Stamped.self, values: ["title": "a"])
        #expect(try manager.stored("SELECT MADE_AT GLOB '????-??-?? ??:??:??' FROM STAMPED") == 1)
        #expect(try manager.stored("SELECT CHANGED_AT GLOB '????-??-?? ??:??:??.??????' FROM STAMPED") == 1)
        try stamped.update(\.title, to: "b")
        #expect(try manager.count(Stamped.self, where: \.changedAt == stamped.changedAt) == 1)
        #expect(try !#require(try manager.find(Stamped.self, 1)).hasChanges)
    }
}

private final class Stamped: PersistingModel {
    var id: Int64?
    var title = ""
    var madeAt: Date?
    var changedAt: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["MADE_AT"] = .date.created.stored(as: .dateTime)
        columns["CHANGED_AT"] = .date.updated.stored(as: .fractionalDateTime)
        return columns
    }
}
