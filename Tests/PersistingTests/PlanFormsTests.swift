import Foundation
import Persisting
import Testing

/// A form by a type, so that there is a class for each.
protocol StoredAs: SendableMetatype {
    static var dates: DateStorage { get }
}

private enum UnixSeconds: StoredAs { static let dates = DateStorage.unixSeconds }
private enum UnixMilliseconds: StoredAs { static let dates = DateStorage.unixMilliseconds }
private enum UnixMicroseconds: StoredAs { static let dates = DateStorage.unixMicroseconds }
private enum Since1601: StoredAs { static let dates = DateStorage.microsecondsSince1601 }
private enum ISO8601: StoredAs { static let dates = DateStorage.iso8601 }
private enum ISO8601Milliseconds: StoredAs { static let dates = DateStorage.iso8601Milliseconds }
private enum JulianDay: StoredAs { static let dates = DateStorage.julianDay }
private enum ReferenceDate: StoredAs { static let dates = DateStorage.referenceDate }
private enum DateTime: StoredAs { static let dates = DateStorage.dateTime }
private enum FractionalDateTime: StoredAs { static let dates = DateStorage.fractionalDateTime }
private enum PythonDateTime: StoredAs { static let dates = DateStorage.pythonDateTime }
private enum Day: StoredAs { static let dates = DateStorage.date }

private let forms: [any StoredAs.Type] = [
    UnixSeconds.self, UnixMilliseconds.self, UnixMicroseconds.self, Since1601.self, ISO8601.self,
    ISO8601Milliseconds.self, JulianDay.self, ReferenceDate.self, DateTime.self, FractionalDateTime.self,
    PythonDateTime.self, Day.self,
]

/// An event whose time is stored in a form.
private final class Event<Form: StoredAs>: PersistingModel {
    var id: Int64?
    var made: Date?

    override class var tableName: String { "EVENT" }
    override class var columns: Columns {
        var columns = super.columns
        columns["MADE"] = .date.stored(as: Form.dates)
        return columns
    }
}

private final class PlainEvent: PersistingModel {
    var id: Int64?
    var made: Date?

    override class var tableName: String { "EVENT" }
}

private final class ArchivedEvent: PersistingModel {
    var id: Int64?
    var made: Date?

    override class var schemaName: String? { "archive" }
    override class var tableName: String { "EVENT" }
}

private final class Scan: PersistingModel {
    var id: Int64?
    var image: Data?
}

private final class TextOwner: PersistingModel {
    var id = UUID()
    var friend: UUID?

    override class var tableName: String { "OWNER" }
}

private final class BytesOwner: PersistingModel {
    var id = UUID()
    var friend: UUID?

    override class var tableName: String { "OWNER" }
    override class var columns: Columns {
        ["ID": .uuid.stored(as: .blob), "FRIEND": .uuid.stored(as: .blob)]
    }
}

/// Times to store.
private let times: [[Double]] = [
    [1_577_934_245], [0], [-31_536_000, 1e9], [1_577_934_245.25, 5], [1_577_934_245.123456],
    [200_000_000_000, -60_000_000_000], [1_728_000_000, 259_200_000],
]

// F64, Settled 31
@Suite("Plans for values in other stored forms")
struct PlanFormsTests {
    /// Whether a plan from one form to the other keeps each value; an obstacle keeps the table.
    private func check<Old: StoredAs, New: StoredAs>(
        _ old: Old.Type, _ new: New.Type, _ seconds: [Double]
    ) throws {
        let comment = Comment(rawValue: "\(Old.dates) to \(New.dates): \(seconds)")
        let manager = try memoryManager()
        try manager.updateSchema(for: [Event<Old>.self])
        for time in seconds {
            let event = Event<Old>()
            event.made = Date(timeIntervalSince1970: time)
            try manager.insert(event)
        }
        try manager.insert(Event<Old>())
        let dates = try manager.fetchAll(Event<Old>.self, sortedBy: "id").map(\.made)
        let rows = try manager.dictionaries("SELECT * FROM EVENT")
        let plan = try manager.schemaPlan(for: [Event<New>.self])
        guard plan.obstacles.isEmpty else {
            #expect(throws: PersistenceError.self, comment) {
                try manager.updateSchema(for: [Event<New>.self], allowing: .rewrites)
            }
            #expect(try manager.dictionaries("SELECT * FROM EVENT") == rows, comment)
            return
        }
        try manager.updateSchema(for: [Event<New>.self], allowing: .rewrites)
        let events = try manager.fetchAll(Event<New>.self, sortedBy: "id")
        for (date, event) in zip(dates, events) {
            guard let date else {
                #expect(event.made == nil, comment)
                continue
            }
            let made = try #require(event.made, comment)
            // A Julian day is precise to some 40 microseconds, in the year 8000 to less.
            #expect(abs(made.timeIntervalSince(date)) < 0.000_2, comment)
            #expect(try manager.count(Event<New>.self, where: \.made == made && \.id == event.id) == 1, comment)
        }
        #expect(try manager.schemaPlan(for: [Event<New>.self]).isEmpty, comment)
        #expect(try manager.createTableIfNecessary(for: Event<New>.self) == false)
    }

    @Test("keep every date, or name an obstacle and change nothing", .local(.textAndDateFunctions), arguments: times)
    func dates(_ seconds: [Double]) throws {
        for (old, new) in Effort.some(of: forms.flatMap { old in forms.map { (old, $0) } }) {
            func open<Old: StoredAs>(_ old: Old.Type) throws {
                func open<New: StoredAs>(_ new: New.Type) throws { try check(old, new, seconds) }
                try open(new)
            }
            try open(old)
        }
    }

    @Test("convert whole seconds to every form that has them, and back", .local(.textAndDateFunctions))
    func wholeSeconds() throws {
        let manager = try memoryManager()
        try manager.updateSchema(for: [Event<UnixSeconds>.self])
        let date = Date(timeIntervalSince1970: 1_577_934_245)
        try manager.insert(Event<UnixSeconds>.self, values: ["made": date])
        for form in forms where ![.date, .referenceDate].contains(form.dates) {
            func move<Form: StoredAs>(_ form: Form.Type) throws {
                try manager.updateSchema(for: [Event<Form>.self], allowing: .rewrites)
                let made = try #require(try manager.fetchAll(Event<Form>.self).first?.made)
                #expect(abs(made.timeIntervalSince(date)) < 0.000_1, "\(Form.dates)")
            }
            try move(form)
        }
    }

    @Test("say which rows would lose a part of a second", .local(.textAndDateFunctions))
    func fraction() throws {
        let manager = try memoryManager()
        try manager.updateSchema(for: [Event<UnixSeconds>.self])
        for time in [1_577_934_245, 1_577_934_245.123456] {
            try manager.insert(Event<UnixSeconds>.self, values: ["made": Date(timeIntervalSince1970: time)])
        }
        let obstacle = try manager.schemaPlan(for: [Event<UnixMilliseconds>.self]).obstacles.first
        #expect(obstacle?.rows == 1)
        #expect(obstacle?.message.contains("(2)") == true)
        #expect(obstacle?.message.contains("unixMilliseconds") == true)
    }

    @Test("don't guess what numbers are that may be of two forms", .local(.textAndDateFunctions))
    func unknown() throws {
        let manager = try memoryManager(PlainEvent.self)
        let date = Date(timeIntervalSince1970: 1_577_934_245)
        try manager.insert(PlainEvent.self, values: ["made": date])
        #expect(try manager.schemaPlan(for: [Event<ReferenceDate>.self]).obstacles.count == 1)
        // It is said by hand.
        try manager.run("UPDATE EVENT SET MADE = MADE - 978307200")
        try manager.alterTable("EVENT") { $0.change("MADE", to: .date.stored(as: .referenceDate)) }
        #expect(try manager.schemaPlan(for: [Event<ReferenceDate>.self]).isEmpty)
        #expect(try manager.fetchAll(Event<ReferenceDate>.self).map(\.made) == [date])
        // From now on the table says it.
        #expect(failure { try manager.fetchAll(PlainEvent.self) }?.code == .schemaMismatch)
        try manager.updateSchema(for: [PlainEvent.self], allowing: .rewrites)
        #expect(try manager.fetchAll(PlainEvent.self).map(\.made) == [date])
    }

    @Test(
        "keep what the table says of its numbers when it is rebuilt for another reason", .local(.textAndDateFunctions))
    func rebuilt() throws {
        let manager = try memoryManager()
        try manager.updateSchema(for: [Event<JulianDay>.self])
        try manager.insert(Event<JulianDay>.self, values: ["made": Date(timeIntervalSince1970: 86_400)])
        try manager.alterTable("EVENT") { table in
            table.add("MORE", .string)
            table.addCheck("ID > 0")
            table.rename("MADE", to: "AT")
        }
        try manager.alterTable("EVENT") { $0.rename("AT", to: "MADE") }
        try manager.updateSchema(for: [Event<ReferenceDate>.self], allowing: .rewrites)
        #expect(
            try manager.fetchAll(Event<ReferenceDate>.self).map(\.made) == [Date(timeIntervalSince1970: 86_400)])
    }

    @Test("convert UUIDs between text and bytes, with the rows that refer to them", .local(.textAndDateFunctions))
    func uuids() throws {
        let manager = try memoryManager(TextOwner.self)
        let owner = TextOwner()
        owner.friend = owner.id
        try manager.insert(owner)
        let other = UUID()
        // Other programs write lower case, and bytes among texts.
        try manager.run("INSERT INTO OWNER VALUES ('\(other.uuidString.lowercased())', NULL)")
        try manager.updateSchema(for: [BytesOwner.self], allowing: .rewrites)
        #expect(try manager.storedColumn("SELECT DISTINCT typeof(ID) FROM OWNER") == ["blob"])
        #expect(try manager.find(BytesOwner.self, owner.id)?.friend == owner.id)
        #expect(try manager.find(BytesOwner.self, other) != nil)
        #expect(try manager.count(BytesOwner.self, where: \.friend == owner.id) == 1)
        #expect(try manager.schemaPlan(for: [BytesOwner.self]).isEmpty)
        try manager.updateSchema(for: [TextOwner.self], allowing: .rewrites)
        #expect(
            try manager.storedColumn("SELECT ID FROM OWNER WHERE FRIEND IS NOT NULL") == [.text(owner.id.uuidString)])
        #expect(try manager.count(TextOwner.self, where: \.friend == owner.id) == 1)
        #expect(try manager.schemaPlan(for: [TextOwner.self]).isEmpty)
    }

    @Test("convert a column of texts to bytes, and leave one that holds bytes alone")
    func bytes() throws {
        for type in ["TEXT", "VARCHAR(20)", "POINT"] {
            let manager = try memoryManager(
                script: "CREATE TABLE SCAN (ID INTEGER PRIMARY KEY, IMAGE \(type)); INSERT INTO SCAN VALUES (1, x'41')")
            #expect(try manager.schemaPlan(for: [Scan.self]).isEmpty, "\(type)")
            #expect(try manager.createTableIfNecessary(for: Scan.self) == false)
            try manager.run("INSERT INTO SCAN VALUES (2, 'B')")
            let plan = try manager.schemaPlan(for: [Scan.self])
            #expect(plan.steps.count == 1, "\(type)")
            try manager.updateSchema(for: [Scan.self], allowing: .rewrites)
            #expect(
                try manager.storedColumn("SELECT IMAGE FROM SCAN ORDER BY ID")
                    == [.blob(Data("A".utf8)), .blob(Data("B".utf8))])
            #expect(try manager.schemaPlan(for: [Scan.self]).isEmpty, "\(type)")
        }
        let manager = try memoryManager(
            script: "CREATE TABLE SCAN (ID INTEGER PRIMARY KEY, IMAGE POINT); INSERT INTO SCAN VALUES (1, 5)")
        #expect(try manager.schemaPlan(for: [Scan.self]).obstacles.map(\.rows) == [1])
    }

    @Test("ask the class's own database what its numbers are", .local(.attachedDatabases))
    func attached() throws {
        let manager = try memoryManager(script: "ATTACH ':memory:' AS archive")
        try manager.run(
            "CREATE TABLE archive.EVENT (ID INTEGER PRIMARY KEY, MADE REAL /* julianDay */)")
        try manager.run("CREATE TABLE EVENT (ID INTEGER PRIMARY KEY, MADE REAL)")
        try manager.run("INSERT INTO archive.EVENT VALUES (1, 2440588.5)")
        let date = Date(timeIntervalSince1970: 86_400)
        #expect(failure { try manager.fetchAll(ArchivedEvent.self) }?.code == .schemaMismatch)
        try manager.updateSchema(for: [ArchivedEvent.self], allowing: .rewrites)
        #expect(try manager.fetchAll(ArchivedEvent.self).map(\.made) == [date])
        #expect(try manager.storedColumn("SELECT MADE FROM archive.EVENT") == [86_400.0])
        try manager.insert(PlainEvent.self, values: ["made": date])
        #expect(try manager.fetchAll(PlainEvent.self).map(\.made) == [date])
    }

    @Test("name texts that aren't UUIDs", .local(.textAndDateFunctions))
    func noUUID() throws {
        let manager = try memoryManager(TextOwner.self)
        try manager.run("INSERT INTO OWNER VALUES ('soon', NULL)")
        let plan = try manager.schemaPlan(for: [BytesOwner.self])
        #expect(plan.obstacles.map(\.rows) == [1])
        #expect(throws: PersistenceError.self) {
            try manager.updateSchema(for: [BytesOwner.self], allowing: .rewrites)
        }
        #expect(try manager.storedColumn("SELECT ID FROM OWNER") == ["soon"])
    }
}
