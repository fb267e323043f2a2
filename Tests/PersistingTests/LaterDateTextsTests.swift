import Foundation
import Persisting
import Testing

private final class Event: PersistingModel {
    var id: Int64?
    var kind = 0
    var date: Date?

    override class var naming: Naming { .snakeCase }
}

/// The same with a form of text.
private final class TextEvent: PersistingModel {
    var id: Int64?
    var kind = 0
    var date: Date?

    override class var naming: Naming { .init(table: { _ in "event" }, column: Naming.snakeCase.column) }
    override class var columns: Columns {
        var columns = super.columns
        columns["date"] = .date.stored(as: .iso8601)
        return columns
    }
}

private func day(_ text: String) throws -> Date { try DateStorage.unixSeconds.date(from: .text(text)) }
private func second(_ number: Int) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + Double(number)) }

/// Where the column stands in an index.
enum DateIndex: String, CaseIterable, Sendable {
    case none, ofDate = "date", behindKind = "kind, date"

    func create(_ manager: PersistenceManager) throws {
        if self != .none { try manager.run("CREATE INDEX event_date ON event (\(rawValue))") }
    }
}

// F31, F80, Settled 17
@Suite("Dates stored as text after the table was looked at, or where nobody looked")
struct LaterDateTextsTests {
    /// What the rows are, whatever the columns hold: seconds by identifiers, ascending.
    private func check<Model: PersistingModel>(
        _ seconds: [Int], _ manager: PersistenceManager, _ kind: Criteria<Model>, _ keyPath: KeyPath<Model, Date?>,
        _ id: KeyPath<Model, Int64?>
    ) throws {
        let ids = Dictionary(grouping: seconds.indices, by: { seconds[$0] }).mapValues { $0.map { Int64($0 + 1) } }
        func rows(_ holds: (Int) -> Bool) -> [Int64] { ids.filter { holds($0.key) }.values.joined().sorted() }
        for limit in [seconds[0], seconds[seconds.count / 2], seconds[seconds.count - 1] + 1] {
            let date = second(limit)
            let cases: [(Criteria<Model>, (Int) -> Bool)] = [
                (keyPath < date, { $0 < limit }), (keyPath <= date, { $0 <= limit }), (keyPath > date, { $0 > limit }),
                (keyPath >= date, { $0 >= limit }), (keyPath == date, { $0 == limit }),
                (keyPath != date, { $0 != limit }), (!(keyPath > date), { $0 <= limit }),
                (.in(keyPath, [date, second(-5)]), { $0 == limit }),
                (.between(keyPath, second(seconds[0])...date), { $0 >= seconds[0] && $0 <= limit }),
            ]
            for (position, (condition, holds)) in cases.enumerated() {
                let found = try manager.fetchAll(Query(Model.self).where(kind && condition).sorted(by: id))
                #expect(found.map { $0[keyPath: id] } == rows(holds), "\(position), \(limit)")
            }
        }
        let query = Query(Model.self).where(kind)
        let sorted = ids.keys.sorted()
        #expect(
            try manager.fetchAll(query.sorted(by: [.ascending(keyPath), .ascending(id)])).map { $0[keyPath: id] }
                == sorted.flatMap { ids[$0] ?? [] })
        #expect(try manager.min(query, keyPath) == second(sorted[0]))
        #expect(try manager.max(query, keyPath) == second(sorted[sorted.count - 1]))
        #expect(try manager.compute(query, .count(distinct: keyPath)) == sorted.count)
        #expect(
            groupValues(try manager.groups(query, by: .key(keyPath), computing: .count))
                == sorted.map { ids[$0]?.count })
        var (paged, last) = ([Int64?](), Model?.none)
        while case let page = try manager.fetchPage(query.sorted(by: keyPath), after: last, limit: 7), !page.isEmpty {
            paged += page.map { $0[keyPath: id] }
            last = page.last
        }
        #expect(paged == sorted.flatMap { ids[$0] ?? [] })
    }

    private func fill(_ manager: PersistenceManager, _ count: Int = 20) throws {
        try manager.insert(
            (0..<count).map { number in
                let event = Event()
                event.kind = 1
                event.date = second(number)
                return event
            })
    }

    @Test(
        "are found by their time when raw SQL has stored them later", .local(.laterDates), arguments: DateIndex.allCases
    )
    func rawSQL(_ index: DateIndex) throws {
        let manager = try memoryManager(Event.self)
        try index.create(manager)
        try fill(manager)
        #expect(try manager.count(Event.self, where: \.kind == 1 && \.date < second(5)) == 5)
        try manager.run("INSERT INTO event (kind, date) VALUES (1, datetime(1700000003, 'unixepoch'))")
        try check(Array(0..<20) + [3], manager, \Event.kind == 1, \.date, \.id)
    }

    @Test("are found by their time when another connection has stored them later", arguments: DateIndex.allCases)
    func otherConnection(_ index: DateIndex) throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: Event.self)
        try index.create(manager)
        try fill(manager)
        #expect(try manager.count(Event.self, where: \.kind == 1 && \.date < second(5)) == 5)
        let other = try PersistenceManager(path: directory.path())
        try other.run("INSERT INTO event (kind, date) VALUES (1, datetime(1700000030, 'unixepoch'))")
        try check(Array(0..<20) + [30], manager, \Event.kind == 1, \.date, \.id)
    }

    @Test(
        "are found by their time where neither the first nor the last rows have them", .local(.laterDates),
        arguments: DateIndex.allCases)
    func outsideTheSample(_ index: DateIndex) throws {
        let manager = try memoryManager(Event.self)
        try index.create(manager)
        try fill(manager, 200)
        try manager.run("UPDATE event SET date = datetime(date, 'unixepoch') WHERE id = 100")
        try check(Array(0..<200), manager, \Event.kind == 1, \.date, \.id)
    }

    @Test("are deleted by their time and no other", .local(.laterDates))
    func delete() throws {
        let manager = try memoryManager(Event.self)
        try DateIndex.ofDate.create(manager)
        try fill(manager)
        #expect(try manager.delete(Event.self, where: \.date < second(0)) == 0)
        try manager.run("INSERT INTO event (kind, date) VALUES (1, datetime(1600000000, 'unixepoch'))")
        #expect(try manager.delete(Event.self, where: \.date > second(18)) == 1)
        #expect(try manager.delete(Event.self, where: \.date < second(0)) == 1)
        #expect(try manager.rowCount("event") == 19)
    }

    @Test(
        "are found where a column of texts holds numbers in the midst", .local(.connection),
        arguments: DateIndex.allCases)
    func numbersAmongTexts(_ index: DateIndex) throws {
        let manager = try memoryManager(TextEvent.self)
        try index.create(manager)
        let form = DateStorage.iso8601
        try manager.database.write { db in
            for number in 0..<200 {
                try db.execute("INSERT INTO event (kind, date) VALUES (1, \(form.value(for: second(number))))")
            }
            try db.execute("UPDATE event SET date = 1700000099.0 WHERE id = 100")
        }
        try check(Array(0..<200), manager, \TextEvent.kind == 1, \.date, \.id)
    }

    @Test(
        "are found where a column of one form of text has got another", .local(.textAndDateFunctions),
        arguments: DateIndex.allCases)
    func otherTexts(_ index: DateIndex) throws {
        let manager = try memoryManager(TextEvent.self)
        try index.create(manager)
        try manager.insert(
            (0..<20).map { number in
                let event = TextEvent()
                (event.kind, event.date) = (1, second(number))
                return event
            })
        try manager.run("INSERT INTO event (kind, date) VALUES (1, datetime(1700000003, 'unixepoch'))")
        for (condition, count) in [(\.date < second(3), 3), (\.date > second(3), 16), (\.date == second(3), 2)]
            as [(Criteria<TextEvent>, Int)]
        {
            #expect(try manager.count(TextEvent.self, where: \.kind == 1 && condition) == count)
        }
    }

    @Test("are in the order of time though none was seen at first", .local(.laterDates), arguments: DateIndex.allCases)
    func firstTexts(_ index: DateIndex) throws {
        let manager = try memoryManager(Event.self)
        try index.create(manager)
        #expect(try manager.max(Event.rows, \.date) == nil)
        try manager.run(
            "INSERT INTO event (kind, date) VALUES (1, '2024-01-01 23:00:00'), (1, '2024-01-01T01:00:00')")
        let query = Event.where(\.kind == 1)
        #expect(try manager.fetchAll(query.sorted(by: \.date)).map(\.id) == [2, 1])
        #expect(try manager.max(query, \.date) == day("2024-01-01 23:00:00"))
        #expect(try manager.min(query, \.date) == day("2024-01-01 01:00:00"))
    }

    @Test("are the form to write in where the table was empty at first", .local(.declaredDates))
    func firstForm() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE event (id INTEGER PRIMARY KEY, kind INTEGER, date DATETIME)")
        try manager.updateAll(Event.self, set: ["date": second(0)])
        try manager.run("INSERT INTO event (kind, date) VALUES (1, '2024-01-01 23:00:00')")
        try manager.insert(Event.self, values: ["date": day("2024-01-02 01:00:00")])
        #expect(try manager.stored("SELECT date FROM event WHERE id = 2") == .text("2024-01-02 01:00:00"))
    }

    @Test("cost a column of numbers alone no index", arguments: [DateIndex.ofDate, .behindKind])
    func plan(_ index: DateIndex) throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Event.self)
        try index.create(manager)
        try fill(manager)
        for condition in [\.date < second(3), \.date >= second(3), \.date == second(3)] as [Criteria<Event>] {
            let query = Query(Event.self).where(\.kind == 1 && condition).sorted(by: \.date)
            _ = try manager.fetchAll(query)
            let sql = try #require(log.texts.last { $0.hasPrefix("SELECT id") })
            let plan = try manager.database.read { db in try db.queryPlan(of: SQL(sql)).description }
            #expect(plan.contains("event_date (\(index == .ofDate ? "" : "kind=? AND ")date") && !plan.contains("TEMP"))
        }
    }

    @Test("in no column of a STRICT table, which nothing looks at")
    func strict() throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.run(
            "CREATE TABLE event (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, date REAL) STRICT; "
                + "CREATE INDEX event_date ON event (date)")
        try fill(manager)
        #expect(try manager.count(Event.self, where: \.date < second(3)) == 3)
        #expect(!log.texts.contains { $0.contains("max(date)") })
    }
}

// F31, Settled 17
@Suite("Dates stored as text among rows that nobody looked at") struct UnseenDateTextsTests {
    /// 201 rows: the one in the middle has a text, and all others numbers.
    private func manager(_ type: String, _ text: String) throws -> PersistenceManager {
        let manager = try memoryManager(
            script: """
                CREATE TABLE event (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL DEFAULT 0, date \(type));
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 201)
                INSERT INTO event (id, date) SELECT i, 1700000000.5 + i FROM n;
                """)
        try manager.execute("UPDATE event SET date = \(text) WHERE id = 101")
        return manager
    }

    private static let texts = [
        "2023-10-01 12:30:45", "2023-10-01T12:30:45.000000Z", "2023-10-01 12:30:45.250000", "2023-10-01",
    ]

    @Test(
        "stay texts of their form when the row is saved", .local(.declaredDates),
        arguments: ["DATETIME", "TIMESTAMP", ""], texts)
    func save(_ type: String, _ text: String) throws {
        let manager = try manager(type, text)
        let event = try #require(try manager.find(Event.self, 101))
        event.date = event.date?.addingTimeInterval(86400)
        try manager.save(event)
        let next = text.replacing("-01", with: "-02", maxReplacements: 1)
        #expect(try manager.stored("SELECT date FROM event WHERE id = 101") == .text(next))
    }

    @Test("stay as they are when the row is written as it was", .local(.declaredDates), arguments: texts)
    func upsert(_ text: String) throws {
        let manager = try manager("DATETIME", text)
        try manager.upsert(try #require(try manager.find(Event.self, 101)))
        #expect(try manager.stored("SELECT date FROM event WHERE id = 101") == .text(text))
    }

    @Test("stay texts when many rows are set, where numbers stay numbers", .local(.declaredDates))
    func updateAll() throws {
        let manager = try manager("DATETIME", "2023-10-01 12:30:45")
        try manager.updateAll(Event.self, set: ["date": Date(timeIntervalSince1970: 1_600_000_000)])
        #expect(try manager.stored("SELECT date FROM event WHERE id = 101") == "2020-09-13 12:26:40")
        #expect(try manager.stored("SELECT count(*) FROM event WHERE date = 1600000000") == 200)
    }

    @Test("become NULL when nil is saved, and a new row gets a number", .local(.declaredDates))
    func null() throws {
        let manager = try manager("DATETIME", "2023-10-01 12:30:45")
        let event = try #require(try manager.find(Event.self, 101))
        event.date = nil
        try manager.save(event)
        let new = Event()
        new.date = Date(timeIntervalSince1970: 1_600_000_000)
        try manager.save(new)
        #expect(try manager.stored("SELECT date FROM event WHERE id = 101") == .null)
        #expect(try manager.stored("SELECT date FROM event WHERE id = 202") == 1_600_000_000)
    }
}
