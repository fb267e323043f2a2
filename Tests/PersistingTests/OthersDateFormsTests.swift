import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private final class Visit: PersistingModel {
    var id: Int64?
    var made: Date?

    override class var naming: Naming { .snakeCase }
}

private final class StrictVisit: PersistingModel {
    var id: Int64?
    var made: Date?

    override class var tableOptions: TableOptions { .strict }
}

private class CoreVisit: PersistingModel {
    var id: Int64?
    var made: Date?

    override class var tableName: String { "ZVISIT" }
    override class var primaryKey: PrimaryKey { .generated("id") }
    override class var columns: Columns {
        var columns = super.columns
        columns["Z_PK"] = .any.property("id")
        columns["ZMADE"] = .any.property("made")
        return columns
    }
}

private final class DeclaredCoreVisit: CoreVisit {
    override class var columns: Columns {
        var columns = super.columns
        columns["ZMADE"] = .date.property("made").stored(as: .referenceDate)
        return columns
    }
}

/// What a program writes for dates: texts, and the new date that some of them are.
struct DateProgram: CustomTestStringConvertible, Sendable {
    let name: String
    let type: String
    let texts: [String]
    /// What it writes for 2024-05-01 13:45:00 and for the time a quarter of a second later.
    let new: [String]

    var testDescription: String { name }

    static let all = [
        DateProgram(
            name: "Django, peewee, Python's str", type: "datetime",
            texts: ["2024-02-29 12:00:00", "2024-02-29 12:00:00.000123", "1969-12-31 23:59:59.500000"],
            new: ["2024-05-01 13:45:00", "2024-05-01 13:45:00.250000"]),
        DateProgram(
            name: "SQLAlchemy, Rails", type: "DATETIME",
            texts: ["2024-02-29 12:00:00.000000", "2024-02-29 12:00:00.000123"],
            new: ["2024-05-01 13:45:00.000000", "2024-05-01 13:45:00.250000"]),
        DateProgram(
            name: "JavaScript", type: "TEXT", texts: ["2024-02-29T12:00:00.000Z", "2024-02-29T12:00:00.125Z"],
            new: ["2024-05-01T13:45:00.000Z", "2024-05-01T13:45:00.250Z"]),
        DateProgram(
            name: "Python's isoformat", type: "TIMESTAMP",
            texts: ["2024-02-29T12:00:00", "2024-02-29T12:00:00.000123"],
            new: ["2024-05-01T13:45:00", "2024-05-01T13:45:00.250000"]),
        DateProgram(
            name: "Python's isoformat in UTC", type: "VARCHAR(40)",
            texts: ["2024-02-29T12:00:00+00:00", "2024-02-29T12:00:00.000123+00:00"],
            new: ["2024-05-01T13:45:00+00:00", "2024-05-01T13:45:00.250000+00:00"]),
        DateProgram(
            name: "Sequelize", type: "DATETIME", texts: ["2024-02-29 12:00:00.000 +00:00"],
            new: ["2024-05-01 13:45:00.000 +00:00", "2024-05-01 13:45:00.250 +00:00"]),
        DateProgram(
            name: "Entity Framework", type: "TEXT",
            texts: ["2024-02-29 12:00:00", "2024-02-29 12:00:00.1234567", "2024-02-29 12:00:00.5"],
            new: ["2024-05-01 13:45:00", "2024-05-01 13:45:00.25"]),
        DateProgram(
            name: "ISO8601DateFormatter", type: "", texts: ["2024-02-29T12:00:00Z"],
            new: ["2024-05-01T13:45:00Z", "2024-05-01T13:45:00.250000Z"]),
        DateProgram(
            name: "minutes in local time", type: "TEXT", texts: ["2024-02-29T12:00+05:30", "2024-02-29T12:00+05:30"],
            new: ["2024-05-01T19:15+05:30", "2024-05-01T19:15:00.250000+05:30"]),
        DateProgram(
            name: "CURRENT_TIMESTAMP", type: "DATETIME", texts: ["2024-02-29 12:00:00"],
            new: ["2024-05-01 13:45:00", "2024-05-01 13:45:00.250000"]),
    ]

    fileprivate func manager() throws -> PersistenceManager {
        let manager = try memoryManager(script: "CREATE TABLE visit (id INTEGER PRIMARY KEY, made \(type))")
        for text in texts { try manager.run("INSERT INTO visit (made) VALUES ('\(text)')") }
        return manager
    }

    fileprivate static let dates = [1_714_571_100, 1_714_571_100.25].map { Date(timeIntervalSince1970: $0) }
}

// F31, Settled 17, Settled 28
@Suite("Dates are written as the program writes them whose table it is")
struct OthersDateFormsTests {
    private func texts(_ manager: PersistenceManager) throws -> [SQLiteValue] {
        try manager.storedColumn("SELECT made FROM visit ORDER BY id")
    }

    @Test(
        "An object that was not changed is written as it was found", .local(.textAndDateFunctions),
        arguments: DateProgram.all)
    func unchanged(_ program: DateProgram) throws {
        let manager = try program.manager()
        let visits = try manager.fetchAll(Visit.self, sortedBy: "id")
        try manager.upsert(visits)
        for visit in visits { try visit.update(\.made, to: visit.made) }
        for visit in visits {
            let made = try #require(visit.made)
            try manager.update(Visit.where(\.id == visit.id), set: ["made": made])
        }
        #expect(try texts(manager) == program.texts.map { .text($0) })
        for visit in visits { #expect(try manager.count(Visit.self, where: \.made == visit.made) >= 1) }
    }

    @Test("A new row has the program's form", .local(.textAndDateFunctions), arguments: DateProgram.all)
    func new(_ program: DateProgram) throws {
        let manager = try program.manager()
        for date in DateProgram.dates {
            let visit = Visit()
            visit.made = date
            try manager.insert(visit)
        }
        #expect(try texts(manager).dropFirst(program.texts.count) == program.new.map { .text($0) }[...])
    }

    @Test(
        "A row keeps its zone and its digits when its date changes", .local(.textAndDateFunctions),
        arguments: DateProgram.all)
    func changed(_ program: DateProgram) throws {
        let manager = try program.manager()
        for visit in try manager.fetchAll(Visit.self) {
            visit.made = DateProgram.dates[0]
            try manager.save(visit)
            #expect(try manager.find(Visit.self, visit.id)?.made == visit.made)
            #expect(try manager.count(Visit.self, where: \.id == visit.id && \.made == visit.made) == 1)
        }
        let plain = Set(try texts(manager))
        #expect(plain.count == 1 || program.name.hasPrefix("Entity"))
        #expect(plain.contains(.text(program.new[0])))
    }

    @Test(
        "A row keeps its own form among others, and after another program has changed it", .local(.textAndDateFunctions)
    )
    func mixed() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE visit (id INTEGER PRIMARY KEY, made DATETIME);
                INSERT INTO visit (made) VALUES ('2024-05-01 10:00:00'), ('2024-05-01T10:00:00Z'), ('2024-05-01')
                """)
        func addMinute() throws {
            for visit in try manager.fetchAll(Visit.self) {
                visit.made = visit.made?.addingTimeInterval(60)
                try manager.save(visit)
            }
        }
        try addMinute()
        #expect(try texts(manager).prefix(2) == ["2024-05-01 10:01:00", "2024-05-01T10:01:00Z"])
        #expect(try manager.find(Visit.self, 3)?.made == Date(timeIntervalSince1970: 1_714_521_660))
        try manager.run("UPDATE visit SET made = '2024-05-01T12:00:00.000+02:00' WHERE id = 1")
        try manager.run("UPDATE visit SET made = 1714557600 WHERE id = 2")
        try addMinute()
        #expect(try texts(manager).prefix(2) == ["2024-05-01T12:01:00.000+02:00", 1_714_557_660])
        let error = failure { try manager.insert(Visit.self, values: ["made": Date()]) }
        #expect(error?.code == .invalidModel)
        // Of a row without a text nobody knows the form.
        try manager.run("UPDATE visit SET made = NULL WHERE id = 3")
        #expect(throws: PersistenceError.self) { try manager.update(Visit.where(\.id == 3), set: ["made": Date()]) }
    }

    @Test(
        "A fraction is kept though the manager saw none, when another program has stored one since",
        .local(.textAndDateFunctions))
    func later() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE visit (id INTEGER PRIMARY KEY, made DATETIME);
                INSERT INTO visit (made) VALUES ('2024-05-01 10:00:00')
                """)
        _ = try manager.fetchAll(Visit.self)
        try manager.run("INSERT INTO visit (made) VALUES ('2024-05-01 10:00:00.250000')")
        let visit = try #require(try manager.find(Visit.self, 2))
        try manager.upsert(visit)
        #expect(try texts(manager)[1] == "2024-05-01 10:00:00.250000")
        visit.made = visit.made?.addingTimeInterval(0.5)
        try manager.save(visit)
        #expect(try texts(manager)[1] == "2024-05-01 10:00:00.750000")
    }

    @Test("A date that the row's text has no year for is an error, and the row stays", .local(.textAndDateFunctions))
    func farDate() throws {
        let manager = try DateProgram.all[0].manager()
        let visit = try #require(try manager.find(Visit.self, 1))
        let date = Date(timeIntervalSince1970: 300_000_000_000)
        visit.made = date
        #expect(throws: PersistenceError.self) { try manager.save(visit) }
        #expect(throws: PersistenceError.self) { try manager.insert(Visit.self, values: ["made": date]) }
        #expect(try texts(manager) == DateProgram.all[0].texts.map { .text($0) })
    }
}

// F31, Settled 28
@Suite("Numbers that are dates of an unknown unit")
struct DateUnitTests {
    @Test(
        "are an error that says what to declare", .local(.declaredDates),
        arguments: [
            ("DATETIME", "julianday('2024-05-01')", "julianDay"), ("REAL", "2460431.5", "julianDay"),
            ("TIMESTAMP", "1714571100000", "unixMilliseconds"), ("", "1714571100000000", "unixMicroseconds"),
            ("DATETIME", "13359044700000000", "microsecondsSince1601"), ("DATE", "20240501", "unixSeconds"),
            ("DATE", "19844", "unixSeconds"), ("REAL", "1714571100000.0", "unixMilliseconds"),
        ])
    func uncertain(_ type: String, _ value: String, _ form: String) throws {
        let manager = try memoryManager(
            script: "CREATE TABLE visit (id INTEGER PRIMARY KEY, made \(type)); INSERT INTO visit VALUES (1, \(value))")
        for error in [
            failure { try manager.fetchAll(Visit.self) }, failure { try manager.insert(Visit()) },
        ] {
            #expect(error?.code == .schemaMismatch)
            #expect(error?.key == "made")
            #expect(error.map { "\($0)".contains(".date.stored(as: .\(form))") } == true)
        }
    }

    @Test(
        "are seconds since 1970 where their size tells it", .local(.declaredDates),
        arguments: [
            ("DATETIME", "1714571100"), ("DATETIME", "1714571100.25"), ("DATE", "0"), ("", "-1e9"), ("REAL", "12.5"),
            ("REAL", "-3"), ("NUMERIC", "NULL"),
        ])
    func certain(_ type: String, _ value: String) throws {
        let manager = try memoryManager(
            script: "CREATE TABLE visit (id INTEGER PRIMARY KEY, made \(type)); INSERT INTO visit VALUES (1, \(value))")
        let made = try manager.find(Visit.self, 1)?.made?.timeIntervalSince1970
        #expect(made == Double(value))
    }

    @Test("are an error in a STRICT table, too")
    func strict() throws {
        for (type, value) in [("REAL", "2460431.5"), ("INTEGER", "1714571100000")] {
            let manager = try memoryManager(
                script: "CREATE TABLE visit (id INTEGER PRIMARY KEY, made \(type)) STRICT; "
                    + "INSERT INTO visit VALUES (1, \(value))")
            #expect(failure { try manager.fetchAll(Visit.self) }?.code == .schemaMismatch, "\(type)")
        }
        let manager = try memoryManager(
            script: "CREATE TABLE visit (id INTEGER PRIMARY KEY, made REAL) STRICT; INSERT INTO visit VALUES (1, 12.5)")
        #expect(try manager.find(Visit.self, 1)?.made == Date(timeIntervalSince1970: 12.5))
        let own = try memoryManager(StrictVisit.self)
        let date = Date(timeIntervalSince1970: 2_460_431.5)
        try own.insert(StrictVisit.self, values: ["made": date])
        try own.run("ALTER TABLE STRICT_VISIT ADD COLUMN MORE TEXT")
        #expect(try own.fetchAll(StrictVisit.self).map(\.made) == [date])
    }

    @Test("are an error in a table of Core Data, whose seconds since 2001 are of the same size", .local(.declaredDates))
    func coreData() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE ZVISIT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZMADE TIMESTAMP);
                INSERT INTO ZVISIT VALUES (1, 1, 1, 736250400.123456)
                """)
        let error = failure { try manager.fetchAll(CoreVisit.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error.map { "\($0)".contains(".date.stored(as: .referenceDate)") } == true)
        let date = Date(timeIntervalSinceReferenceDate: 736_250_400.123456)
        #expect(try manager.fetchAll(DeclaredCoreVisit.self).map(\.made) == [date])
        for _ in 0..<2 {
            let source = try manager.modelSource(table: "ZVISIT")
            #expect(source.contains(#"columns["ZMADE"] = .date.stored(as: .referenceDate)"#))
            // An empty table is one of Core Data as well.
            try manager.run("DELETE FROM ZVISIT")
        }
    }

    @Test(
        "are whatever the class has written in its own table", arguments: [2_460_431.5, 1_714_571_100_000, 20_240_501])
    func own(_ seconds: Double) throws {
        let manager = try memoryManager(Visit.self)
        try manager.insert(Visit.self, values: ["made": Date(timeIntervalSince1970: seconds)])
        try manager.run("ALTER TABLE visit ADD COLUMN more TEXT")
        #expect(try manager.fetchAll(Visit.self).map(\.made) == [Date(timeIntervalSince1970: seconds)])
    }
}
