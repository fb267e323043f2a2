import Foundation
import Persisting
import Testing

@Suite("Dates")
struct DateTests {
    private static let forms: [DateStorage] = [.unixSeconds, .unixMilliseconds, .iso8601, .julianDay, .referenceDate]
    /// 2024-02-29 23:59:59.25 UTC
    private static let moment = Date(timeIntervalSince1970: 1_709_251_199.25)

    @Test(
        "A manager's form of dates is that of its columns",
        arguments: [
            (DateStorage.unixSeconds, "DATE REAL", SQLiteValue.real(1_709_251_199.25)),
            (.unixMilliseconds, "DATE INTEGER /* unixMilliseconds */", .integer(1_709_251_199_250)),
            (.iso8601, "DATE TEXT", .text("2024-02-29T23:59:59.250000Z")),
            (.referenceDate, "DATE REAL /* referenceDate */", .real(730_943_999.25)),
        ])
    func managersForm(_ form: DateStorage, _ column: String, _ stored: SQLiteValue) throws {
        // F31
        let manager = try memoryManager(Possible.self, dates: form)
        #expect(try manager.columnSQL("DATE", in: "POSSIBLE") == column)
        let object = Possible()
        object.date = Self.moment
        try manager.save(object)
        #expect(try manager.stored("SELECT DATE FROM POSSIBLE") == stored)
    }

    @Test("A Julian day is one for SQLite's own functions")
    func julianDay() throws {
        // F31
        let manager = try memoryManager(Possible.self, dates: .julianDay)
        try manager.insert(Possible.self, values: ["date": Self.moment])
        #expect(try manager.stored("SELECT datetime(DATE) FROM POSSIBLE") == "2024-02-29 23:59:59")
    }

    @Test("A date comes back from every form, nil too", arguments: forms)
    func roundTrip(_ form: DateStorage) throws {
        // F31
        let manager = try memoryManager(Possible.self, Everything.self, dates: form)
        let object = Possible()
        object.date = Self.moment
        try manager.save(object)
        let found = try #require(try manager.find(Possible.self, 1)?.date)
        #expect(abs(found.timeIntervalSince(Self.moment)) < 0.000_05)
        try object.update(\.date, to: nil)
        #expect(try manager.find(Possible.self, 1)?.date == nil)
        let filled = Everything()
        filled.date = Self.moment
        try manager.save(filled)
        let second = try #require(try manager.find(Everything.self, 1)?.date)
        #expect(abs(second.timeIntervalSince(Self.moment)) < 0.000_05)
    }

    @Test("Saving and fetching leaves no change, in every form", arguments: forms)
    func noChange(_ form: DateStorage) throws {
        // F31, F58
        let manager = try memoryManager(Everything.self, dates: form)
        let object = Everything()
        object.date = Date(timeIntervalSince1970: 1_709_251_199.123_456_789)
        try manager.save(object)
        #expect(!object.hasChanges)
        let found = try #require(try manager.find(Everything.self, 1))
        #expect(!found.hasChanges)
        found.date += 1
        #expect(found.changedKeys == ["date"])
    }

    @Test("A date is found by conditions, ordered, and its least and greatest known, in every form", arguments: forms)
    func criteria(_ form: DateStorage) throws {
        // F31, F71, F80
        let manager = try memoryManager(Possible.self, dates: form)
        let dates = [3600.0, 0, 7200].map { Self.moment.addingTimeInterval($0) }
        for date in dates { try manager.insert(Possible.self, values: ["date": date]) }
        #expect(try manager.count(Possible.self, where: \.date == dates[0]) == 1)
        #expect(try manager.count(Possible.self, where: ["date": dates[0]]) == 1)
        #expect(try manager.count(Possible.self, where: ["date": [dates[0], dates[1]]]) == 2)
        #expect(try manager.count(Possible.self, where: \.date > dates[1]) == 2)
        #expect(try manager.fetchAll(Possible.self, sortedBy: "date").map(\.id) == [2, 1, 3])
        let least = try #require(try manager.min(Possible.rows, \.date) ?? nil)
        #expect(abs(least.timeIntervalSince(dates[1])) < 0.000_05)
        let greatest = try #require(try manager.max(Possible.rows, \.date) ?? nil)
        #expect(abs(greatest.timeIntervalSince(dates[2])) < 0.000_05)
    }

    @Test("A column's own form comes before the manager's", arguments: forms)
    func columnsForm(_ form: DateStorage) throws {
        // F31
        let manager = try memoryManager(Dated.self, dates: form)
        let dated = Dated()
        dated.text = Self.moment
        dated.milliseconds = Self.moment
        dated.reference = Self.moment
        try manager.save(dated)
        #expect(
            try manager.stored("SELECT AS_TEXT || ' ' || MILLISECONDS || ' ' || REFERENCE FROM DATED")
                == "2024-02-29T23:59:59.250000Z 1709251199250 730943999.25")
        let found = try #require(
            try manager.fetchOne(Dated.self, where: \.text == Self.moment && \.milliseconds == Self.moment))
        #expect(found.text == Self.moment)
        #expect(found.milliseconds == Self.moment)
        #expect(found.reference == Self.moment)
    }

    @Test("Reading takes numbers and texts, whatever the form", arguments: [DateStorage.unixSeconds, .iso8601])
    func bothRepresentations(_ form: DateStorage) throws {
        // F31
        let manager = try memoryManager(script: "CREATE TABLE STAMP (ID INTEGER PRIMARY KEY, DATE)")
        let other = try PersistenceManager(.memory, dates: form)
        try other.run(
            """
            CREATE TABLE STAMP (ID INTEGER PRIMARY KEY, DATE);
            INSERT INTO STAMP (DATE) VALUES (1709251199.25), (1709251199), ('2024-02-29T23:59:59.25Z'), ('2024-02-29'),
                ('2024-02-29 23:59:59'), ('2024-03-01T00:59:59+01:00')
            """)
        let seconds = try other.fetchAll(Stamp.self, sortedBy: "id").map { $0.date?.timeIntervalSince1970 }
        #expect(
            seconds == [
                1_709_251_199.25, 1_709_251_199, 1_709_251_199.25, 1_709_164_800, 1_709_251_199, 1_709_251_199,
            ])
        #expect(try manager.count(Stamp.self) == 0)
    }

    @Test("A text that isn't a date throws, with model, key and type")
    func noDate() throws {
        // F31, Settled 9
        let manager = try memoryManager(
            script: "CREATE TABLE STAMP (ID INTEGER PRIMARY KEY, DATE); INSERT INTO STAMP (DATE) VALUES ('soon')")
        let error = failure { try manager.fetchAll(Stamp.self) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "Stamp")
        #expect(error?.key == "date")
        #expect(error?.expected == "Date?")
    }

    @Test("A date that is not finite is rejected, in every form", arguments: forms)
    func notFinite(_ form: DateStorage) throws {
        // Settled 9
        let manager = try memoryManager(Possible.self, dates: form)
        for seconds in [Double.infinity, .nan] {
            let object = Possible()
            object.date = Date(timeIntervalSince1970: seconds)
            let error = failure { try manager.save(object) }
            #expect(error?.code == .typeMismatch)
            #expect(error?.model == "Possible")
            #expect(error?.key == "date")
            #expect(!object.isPersisted)
        }
        #expect(
            failure { try manager.count(Possible.self, where: ["date": Date(timeIntervalSince1970: .infinity)]) }?.key
                == "date")
    }

    @Test("One class serves managers with different forms")
    func twoManagers() throws {
        // F31
        let (seconds, texts) = (try memoryManager(Possible.self), try memoryManager(Possible.self, dates: .iso8601))
        let object = Possible()
        object.date = Self.moment
        try seconds.save(object)
        try texts.insert(Possible.self, values: ["date": object.date])
        #expect(try seconds.stored("SELECT typeof(DATE) FROM POSSIBLE") == "real")
        #expect(try texts.stored("SELECT typeof(DATE) FROM POSSIBLE") == "text")
        #expect(try texts.count(Possible.self, where: \.date == Self.moment) == 1)
    }
}

private final class Dated: PersistingModel {
    var id: Int64?
    var text: Date?
    var milliseconds = Date(timeIntervalSince1970: 0)
    var reference: Date?

    override class var columns: Columns {
        [
            "ID": .int, "AS_TEXT": .date.property("text").stored(as: .iso8601),
            "MILLISECONDS": .date.stored(as: .unixMilliseconds), "REFERENCE": .date.stored(as: .referenceDate),
        ]
    }
}

private final class Stamp: PersistingModel {
    var id: Int64?
    var date: Date?
}
