import Foundation
import Persisting
import Testing

private final class Token: PersistingModel {
    var id = UUID()
    var note: String?
    override class var naming: Naming { .identity }
    override class var tableName: String { "token" }
    override class var columns: Columns { ["id": .uuid, "note": .string.deferred, "count": .int] }
    var count = 0
}

private final class Moment: PersistingModel {
    var at = Date(timeIntervalSince1970: 0)
    var note = 0
    override class var primaryKey: PrimaryKey { .assigned("at") }
}

/// A key of any type, in a table whose key has none.
private class Keyed<Key: SQLiteValueConvertible & Sendable>: PersistingModel {
    var id: Key?
    var note = 0
    override class var naming: Naming { .identity }
    override class var tableName: String { "keyed" }
    override class var primaryKey: PrimaryKey { .assigned("id") }
}

private final class DefaultedKey: PersistingModel {
    var id = ""
    var note = 0
    override class var naming: Naming { .identity }
    override class var tableName: String { "keyed" }
    override class var columns: Columns { ["id": .string.onNull(.default), "note": .int] }
}

private enum Size: Int, SQLiteValueConvertible { case small = 1, large }

// F37, F40
@Suite("Keys as others have stored them") struct StoredKeyTests {
    private let text = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"

    /// Fetches the only object, and refreshes, saves and deletes it; fails where the row is not found.
    private func exercise<Key: SQLiteValueConvertible & Sendable>(_ key: Key.Type, storedAs sql: String) throws {
        let manager = try memoryManager(
            script: "CREATE TABLE keyed (id PRIMARY KEY, note INT); INSERT INTO keyed VALUES (\(sql), 1)")
        for tracked in [true, false] {
            let object = try #require(try manager.fetchAll(Keyed<Key>.self, tracked: tracked).first)
            try manager.refresh(object)
            if tracked { #expect(!object.hasChanges) }
            try object.update(\.note, to: 2)
            try object.load(\.note)
            #expect(object.note == 2)
            object.note = 3
            try manager.upsert(object)
            #expect(try manager.rowCount("keyed") == 1)
        }
        // The key stays as it is stored, unless it is changed.
        #expect(try manager.stored("SELECT id = \(sql) FROM keyed") == 1)
        let object = try #require(try manager.fetchOne(Keyed<Key>.self))
        #expect(try manager.delete(object))
        #expect(try manager.rowCount("keyed") == 0)
    }

    @Test("find their rows again: dates as text, as numbers that no Date tells exactly, and as integers")
    func dates() throws {
        try exercise(Date.self, storedAs: "'2026-01-02T03:04:05Z'")
        try exercise(Date.self, storedAs: "'2026-01-02 03:04:05'")
        try exercise(Date.self, storedAs: "1700000000.1")
        try exercise(Date.self, storedAs: "-62135596800.3")
        try exercise(Date.self, storedAs: "1700000000")
    }

    // A key that would be written in another form than its column holds throws.
    @Test("dates as text, in a form that the class doesn't declare, are read and never written as numbers")
    func undeclaredTextDates() throws {
        let manager = try memoryManager(
            script:
                "CREATE TABLE keyed (id PRIMARY KEY, note INT); INSERT INTO keyed VALUES ('2026-01-02T03:04:05Z', 1)")
        let object = try #require(try manager.fetchAll(Keyed<Date>.self).first)
        object.id = Date(timeIntervalSince1970: 0)
        #expect(failure { try manager.save(object) }?.code == .invalidModel)
        #expect(try manager.stored("SELECT id = '2026-01-02T03:04:05Z' FROM keyed") == 1)
    }

    @Test("find their rows again: what several stored forms give", .local(.cutTexts)) func others() throws {
        try exercise(UUID.self, storedAs: "'\(text)'")
        try exercise(Bool.self, storedAs: "1.0")
        try exercise(Data.self, storedAs: "x''")
        try exercise([UInt8].self, storedAs: "x'6279'")
        try exercise(Decimal.self, storedAs: "'1.50'")
        try exercise(Decimal.self, storedAs: "7")
        try exercise(Double.self, storedAs: "3")
        try exercise(Float.self, storedAs: "0.5")
        try exercise(Int.self, storedAs: "5.0")
        try exercise(Size.self, storedAs: "2.0")
        try exercise(URL.self, storedAs: "'https://example.org/%C3%A4'")
        try exercise(String.self, storedAs: "'a' || char(0) || 'b'")
        try exercise(String.self, storedAs: "''")
        try exercise(UInt64.self, storedAs: "9223372036854775807")
    }

    @Test("that are NULL are read, and not written") func null() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE keyed (id TEXT PRIMARY KEY, note INT);
                INSERT INTO keyed VALUES (NULL, 1), (NULL, 2), ('', 3)
                """)
        let object = try #require(try manager.fetchOne(Keyed<String>.self, where: \.note == 2))
        #expect(object.id == nil)
        object.note = 7
        for error in [
            failure { try manager.save(object) }, failure { try manager.delete(object) },
            failure { try manager.refresh(object) },
        ] {
            #expect(error?.code == .missingPrimaryKeyValue)
        }
        #expect(try manager.find(Keyed<String>.self, nil as String?) == nil)
        // Nor is another row taken for it, where the property has a default.
        let defaulted = try #require(try manager.fetchOne(DefaultedKey.self, where: \.note == 1))
        defaulted.note = 8
        #expect(failure { try manager.save(defaulted) }?.code == .missingPrimaryKeyValue)
        #expect(try manager.storedColumn("SELECT note FROM keyed ORDER BY note") == [1, 2, 3])
    }

    @Test("of another manager's objects are taken as this one stores them", arguments: [true, false])
    func otherManager(tracked: Bool) throws {
        let (one, two) = (try memoryManager(Moment.self), try memoryManager(Moment.self, dates: .iso8601))
        for manager in [one, two] {
            for second in 1...3 {
                try manager.insert(
                    Moment.self, values: ["at": Date(timeIntervalSince1970: Double(second)), "note": second])
            }
        }
        let moment = try #require(try one.fetchAll(Moment.self, sortedBy: "at", tracked: tracked).dropFirst().first)
        #expect(try two.fetchPage(Query(Moment.self), after: moment, limit: 9).map(\.note) == [3])
        #expect(try one.fetchPage(Query(Moment.self), after: moment, limit: 9).map(\.note) == [3])
    }

    @Test("of a wrong type are an error that names the column") func wrongType() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE token (id PRIMARY KEY, note, count); INSERT INTO token VALUES ('no UUID', '', 0)")
        #expect(failure { try manager.fetchAll(Token.self) }?.key == "id")
        #expect(failure { try manager.find(Token.self, "no UUID") }?.code == .typeMismatch)
        #expect(failure { try manager.find(Token.self, keys: [1]) }?.code == .typeMismatch)
    }
}
