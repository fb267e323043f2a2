import Foundation
import SQLiteKit
import Testing

// K8
@Suite("Codable") struct CodableTests {
    struct User: Codable, Equatable {
        enum Role: String, Codable { case admin, guest }
        var id: Int
        var lastName: String?
        var born: Date?
        var role: Role
        var tags: [String]
        var site: URL?
        var score: Decimal
    }

    let user = User(
        id: 7, lastName: "Œuvre", born: Date(timeIntervalSince1970: -86_400.5), role: .guest, tags: ["a", "b"],
        site: URL(string: "https://example.org/a"), score: Decimal(string: "1.10") ?? 0)

    private func table() throws -> Database {
        let db = try Database(.memory)
        try db.execute("CREATE TABLE user (id INTEGER, last_name TEXT, born, role TEXT, tags TEXT, site TEXT, score)")
        return db
    }

    private func insert(_ user: User, _ db: Database, dates: DateStorage = .unixSeconds) throws {
        try db.execute(
            "INSERT INTO user VALUES (:id, :last_name, :born, :role, :tags, :site, :score)",
            try Arguments(encoding: user, keys: .snakeCase, dates: dates))
    }

    private func fetch(_ db: Database, dates: DateStorage = .unixSeconds) throws -> User? {
        try db.rows("SELECT * FROM user").first?.decode(User.self, keys: .snakeCase, dates: dates)
    }

    @Test("a value comes back as it was encoded")
    func roundTrip() throws {
        let db = try table()
        try insert(user, db)
        #expect(try fetch(db) == user)
    }

    @Test("acronyms stay whole in snake case, in rows and in arguments, and only ASCII letters change")
    func snakeCase() throws {
        // F21, Settled 1
        struct Names: Codable, Equatable {
            var userIDs: Int
            var didIDie: Int
            var imageURL: Int
            var größeÄ: Int
        }
        let names = Names(userIDs: 1, didIDie: 2, imageURL: 3, größeÄ: 4)
        let db = try Database(.memory)
        try db.execute("CREATE TABLE t (user_ids, did_i_die, image_url, größeÄ)")
        try db.execute(
            "INSERT INTO t VALUES (:user_ids, :did_i_die, :image_url, :größeÄ)",
            try Arguments(encoding: names, keys: .snakeCase))
        #expect(try db.rows("SELECT * FROM t").first?.decode(Names.self, keys: .snakeCase) == names)
    }

    @Test("nil is NULL, and NULL is nil")
    func nilIsNull() throws {
        let db = try table()
        var user = user
        user.lastName = nil
        user.born = nil
        user.site = nil
        try insert(user, db)
        #expect(try db.scalar("SELECT count(*) FROM user WHERE last_name IS NULL AND born IS NULL", as: Int.self) == 1)
        #expect(try fetch(db) == user)
    }

    @Test("dates are stored in the form asked for")
    func dates() throws {
        let db = try table()
        try insert(user, db, dates: .iso8601)
        #expect(try db.scalar("SELECT born FROM user", as: String.self) == "1969-12-30T23:59:59.500000Z")
        #expect(try fetch(db, dates: .iso8601) == user)
    }

    @Test("an array is stored as JSON")
    func json() throws {
        let db = try table()
        try insert(user, db)
        #expect(try db.scalar("SELECT json_extract(tags, '$[1]') FROM user", as: String.self) == "b")
    }

    @Test("a missing column is named")
    func missingColumn() throws {
        let db = try table()
        let row = try #require(try db.rows("SELECT 1 AS id").first)
        let error = #expect(throws: SQLiteError.self) { try row.decode(User.self) }
        #expect(error?.extendedCode == .noSuchColumn)
        #expect(error?.message.contains("role") == true)
    }

    @Test("a value of the wrong type is named")
    func wrongType() throws {
        let db = try table()
        let row = try #require(try db.rows("SELECT 'x' AS id").first)
        let error = #expect(throws: SQLiteError.self) { try row.decode(User.self) }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message.contains("column id") == true)
    }

    @Test("a single value is the first column")
    func singleValue() throws {
        let db = try Database(.memory)
        #expect(try db.rows("SELECT 5, 6").first?.decode(Int.self) == 5)
    }

    // F86
    @Test("Foundation's values by themselves are read as a property of theirs is")
    func foundationValue() throws {
        let db = try Database(.memory)
        let uuid = UUID()
        let rows = try db.rows(
            "SELECT \(1.5), \(Data([1, 2])), '1.25', 'https://a.example/b', \(withUnsafeBytes(of: uuid.uuid) { Data($0) }), NULL"
        )
        let row = try #require(rows.first)
        func value<Value: Decodable>(_ type: Value.Type, _ index: Int) throws -> Value? {
            try RowSnapshot(["value": row[index]]).decode(type)
        }
        #expect(try value(Date.self, 0) == Date(timeIntervalSince1970: 1.5))
        #expect(try value(Data.self, 1) == Data([1, 2]))
        #expect(try value(Decimal.self, 2) == Decimal(string: "1.25"))
        #expect(try value(URL.self, 3) == URL(string: "https://a.example/b"))
        #expect(try value(UUID.self, 4) == uuid)
        #expect(try value(Date?.self, 5) == .some(nil))
        #expect(failure { try value(Date.self, 5) }?.extendedCode == .typeMismatch)
    }

    // F86
    @Test("a date that the type asks for as an Optional is read in the form asked for")
    func optionalDate() throws {
        struct Event: Decodable {
            let at: Date?
            enum Key: CodingKey { case at }
            init(from decoder: any Decoder) throws {
                at = try decoder.container(keyedBy: Key.self).decode(Date?.self, forKey: .at)
            }
        }
        let row = RowSnapshot(["at": 1000])
        #expect(try row.decode(Event.self, dates: .unixMilliseconds).at == Date(timeIntervalSince1970: 1))
        #expect(try RowSnapshot(["at": .null]).decode(Event.self).at == nil)
    }

    // K8
    @Test(
        "a row that a query stands on is decoded as its copy is, or fails as that does",
        arguments: [
            "1.5", "2", "NULL", "'2024-02-29T12:00:00Z'", "'no date'", "x'0102'", "x''", "'ä'", "CAST(x'ff' AS TEXT)",
            "9e999",
        ], [DateStorage.unixSeconds, .unixMilliseconds, .iso8601])
    func liveRow(_ value: String, _ dates: DateStorage) throws {
        struct Required<Value: Decodable>: Decodable { var other: Int?, value: Value }
        struct Optional<Value: Decodable>: Decodable { var value: Value?, other: Int? }
        let db = try Database(.memory)
        func outcome<Value: Decodable>(_ row: some RowReading, _ type: Value.Type) -> String {
            do {
                return "\(try row.decode(type, dates: dates))"
            } catch let error as SQLiteError {
                return "\(error.extendedCode) \(error.message)"
            } catch {
                return "\(error)"
            }
        }
        func compare<Value: Decodable>(_ type: Value.Type) throws {
            let rows = try db.query("SELECT \(sql: SQL(value)) AS value, 3 AS other")
            guard let row = try rows.next() else {
                Issue.record("there is no row")
                return
            }
            guard let copy = try? row.snapshot() else {
                // A text that is none has no copy.
                let error = failure { try row.decode(Required<String>.self, dates: dates) }
                #expect(error?.extendedCode == .invalidText)
                return
            }
            #expect(outcome(row, Required<Value>.self) == outcome(copy, Required<Value>.self))
            #expect(outcome(row, Optional<Value>.self) == outcome(copy, Optional<Value>.self))
            #expect(outcome(row, type) == outcome(copy, type))
        }
        try compare(Date.self)
        try compare(Data.self)
        try compare(String.self)
        try compare(Int.self)
        try compare(Double.self)
        try compare(Bool.self)
        try compare(UUID.self)
        try compare([Int].self)
    }

    // K5: unknown arguments throw
    @Test("a property without a parameter throws, and so does a parameter without a property")
    func leftOver() throws {
        struct Point: Encodable { var x = 1, y = 2 }
        let db = try Database(.memory)
        let extra = #expect(throws: SQLiteError.self) { try db.execute("SELECT :x", Arguments(encoding: Point())) }
        #expect(extra?.extendedCode == .unknownParameter)
        let missing = #expect(throws: SQLiteError.self) {
            try db.execute("SELECT :x, :y, :z", Arguments(encoding: Point()))
        }
        #expect(missing?.extendedCode == .argumentCount)
    }

    @Test("a value without properties cannot be arguments", arguments: [[1, 2]])
    func noProperties(values: [Int]) {
        #expect(failure { try Arguments(encoding: values) }?.extendedCode == .typeMismatch)
        #expect(failure { try Arguments(encoding: 5) }?.extendedCode == .typeMismatch)
    }

    @Test("nil of a type that is stored as JSON is NULL, and back")
    func nilOfJSON() throws {
        struct Box<Value: Codable & Equatable>: Codable, Equatable { var value: Value }
        let db = try Database(.memory)
        let arguments = try Arguments(encoding: Box<[String]?>(value: nil))
        #expect(try db.scalar("SELECT :value IS NULL", arguments, as: Bool.self) == true)
        let row = try #require(try db.rows("SELECT NULL AS value").first)
        #expect(try row.decode(Box<[String]?>.self) == Box(value: nil))
        let full = try #require(try db.rows("SELECT '[\"a\"]' AS value").first)
        #expect(try full.decode(Box<[String]?>.self) == Box(value: ["a"]))
    }

    @Test("a dictionary has the columns by their own names")
    func dictionary() throws {
        let db = try Database(.memory)
        let row = try #require(try db.rows("SELECT 1 AS userID, 2 AS x_a").first)
        #expect(try row.decode([String: Int].self, keys: .snakeCase) == ["userID": 1, "x_a": 2])
        #expect(try row.decode([String: Int].self, keys: .custom { "x_" + $0 }) == ["userID": 1, "x_a": 2])
    }
}
