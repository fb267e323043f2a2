import Foundation
import Persisting
import Testing

private struct Box: Codable, Hashable, Sendable, SQLiteValueConvertible {
    var width = 0
    var label = ""
}

private final class FormOffer: PersistingModel {
    var id: Int64?
    var price: Decimal?
    var date: Date?
    var weight: Float?
    var box: Box?
    var name: String?
    override class var columns: Columns {
        var columns = super.columns
        columns["NAME"] = .string.collate(.nocase)
        return columns
    }
}

private final class FormOrder: PersistingModel {
    var id: Int64?
    var price: Decimal?
    var date: Date?
    var weight: Float?
    var box: Box?
    var name: String?
}

private final class FoundItem: PersistingModel {
    var id = 0
    var name = ""
    override class var primaryKey: PrimaryKey { .fromSchema }
}

@Suite("Values of other queries, which other programs have stored in other forms")
struct SubqueryFormTests {
    /// Two offers, and an order of both.
    private func offers() throws -> PersistenceManager {
        let manager = try PersistenceManager(.memory)
        let columns = "(ID INTEGER PRIMARY KEY, PRICE TEXT, DATE TEXT, WEIGHT REAL, BOX TEXT, NAME TEXT"
        try manager.execute(SQL("CREATE TABLE FORM_OFFER \(columns) COLLATE NOCASE)" as String))
        try manager.execute(SQL("CREATE TABLE FORM_ORDER \(columns))" as String))
        try manager.execute(
            """
            INSERT INTO FORM_OFFER VALUES
                (1, '1.0', '2024-01-01T12:00:00Z', 0.1, '{"width":1,"label":"x"}', 'abc'),
                (2, '1.00', '2024-01-01T13:00:00+01:00', 0.100000001490116, '{"label":"x", "width":1}', 'ABC'),
                (3, '2.0', '2024-01-02T12:00:00Z', 0.2, '{"width":2,"label":"x"}', 'x')
            """)
        try manager.execute(
            """
            INSERT INTO FORM_ORDER VALUES
                (1, '1.000', '2024-01-01T10:00:00-02:00', 0.1, '{"label":"x","width":1}', 'Abc')
            """)
        return manager
    }

    private func ids(_ criteria: Criteria<FormOffer>) throws -> [Int64?] {
        try offers().values(FormOffer.where(criteria).sorted(by: \.id), \.id)
    }

    @Test("are found by a list of them")
    func lists() throws {
        #expect(try ids(.in(\.price, FormOrder.rows.values(\.price))) == [1, 2])
        #expect(try ids(.in(\.date, FormOrder.rows.values(\.date))) == [1, 2])
        #expect(try ids(!.in(\.date, FormOrder.rows.values(\.date))) == [3])
        #expect(try ids(.in(\.weight, FormOrder.rows.values(\.weight))) == [1, 2])
        #expect(try ids(.in(\.box, FormOrder.rows.values(\.box))) == [1, 2])
        #expect(try ids(.in(\.name, FormOrder.rows.values(\.name))) == [1, 2])
        #expect(try ids(.in(\.date, FormOffer.where(\.id == 1).values(\.date))) == [1, 2])
    }

    @Test("are found by an equal property")
    func equalProperties() throws {
        #expect(try ids(.exists(FormOrder.rows, where: \.price, equals: \.price)) == [1, 2])
        #expect(try ids(.exists(FormOrder.rows, where: \.date, equals: \.date)) == [1, 2])
        #expect(try ids(.exists(FormOrder.rows, where: \.weight, equals: \.weight)) == [1, 2])
        #expect(try ids(.exists(FormOrder.rows, where: \.box, equals: \.box)) == [1, 2])
        #expect(try ids(.exists(FormOrder.rows, where: \.name, equals: \.name)) == [1, 2])
    }

    @Test("are compared one by one")
    func values() throws {
        #expect(try ids(FormOffer.row.date == .first(of: FormOrder.rows.values(\.date))) == [1, 2])
        #expect(try ids(FormOffer.row.date == .computed(.max(\.date), of: FormOrder.rows)) == [1, 2])
        #expect(try ids(FormOffer.row.date > .computed(.min(\.date), of: FormOrder.rows)) == [3])
    }

    @Test("are those of the database that is asked, in asynchronous code too")
    func asynchronous() async throws {
        let manager = try offers()
        let prices = FormOrder.rows.values(\.price)
        #expect(try await manager.count(FormOffer.where(.in(\.price, prices))) == 2)
        #expect(try await manager.count(FormOffer.where(.in(\.price, FormOrder.rows.values(\.price)))) == 2)
    }

    @Test("are of rows by the key that the table has, and in the order of their characters", .local(.valueForms))
    func keyOfTable() throws {
        let manager = try memoryManager(
            script: """
                PRAGMA encoding = 'UTF-16le';
                CREATE TABLE FOUND_ITEM (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL COLLATE NOCASE);
                INSERT INTO FOUND_ITEM VALUES (1, 'b'), (2, '\u{FF5E}'), (3, '\u{1F600}'), (4, 'A'), (5, 'ab')
                """)
        let ends = FoundItem.where(\.id < 3).limit(1).union(FoundItem.sorted(by: .descending(\.id)).limit(2))
        #expect(try manager.values(ends.sorted(by: \.id), \.id) == [1, 4, 5])
        let last = FoundItem.row.name == .computed(.max(\.name), of: FoundItem.rows)
        #expect(try manager.values(FoundItem.where(last), \.name) == [manager.max(FoundItem.rows, \.name)])
        #expect(try manager.values(FoundItem.where(.hasPrefix(\.name, "a")), \.id) == [5])
    }

    @Test("are set only where the property can hold them")
    func settings() throws {
        let manager = try offers()
        let row = FormOffer.row
        #expect(failure { try manager.update(FormOffer.where(\.id > 0), \.weight, to: row.id * 1e300) } != nil)
        #expect(try manager.update(FormOffer.where(\.id == 3), \.weight, to: row.id * 1.5) == 1)
        #expect(try manager.fetchAll(FormOffer.self, sortedBy: "id").last?.weight == 4.5)
    }
}
