import Foundation
import Persisting
import Testing

private final class Switched: PersistingModel {
    var id: Int64?
    var isOn = false
    var maybe: Bool?
    var data: Data?
    var bytes: [UInt8]?
    var site: URL?
    var token: UUID?
}

private final class LowerUser: PersistingModel {
    var id = UUID()
    var name = ""
    var friend: UUID?
    static let posts = ToMany(inverse: LowerPost.author)
    override class var relations: Relations { ["posts": posts] }
    override class var columns: Columns {
        [
            "ID": .uuid.stored(as: .lowercaseText), "NAME": .string,
            "FRIEND": .uuid.stored(as: .lowercaseText),
        ]
    }
}

private final class LowerPost: PersistingModel {
    var id: Int64?
    var user: UUID?
    static let author = ToOne(\LowerPost.user, LowerUser.self)
    override class var relations: Relations { ["author": author] }
    override class var columns: Columns { ["ID": .int, "USER": .uuid.stored(as: .lowercaseText)] }
}

private final class UpperPost: PersistingModel {
    var id: Int64?
    var user: UUID?
    static let author = ToOne(\UpperPost.user, LowerUser.self)
    override class var relations: Relations { ["author": author] }
    override class var tableName: String { "LOWER_POST" }
}

private struct Seat: RawRepresentable, Hashable, SQLiteValueConvertible {
    var rawValue: UUID
}

private final class Seated: PersistingModel {
    var id: Int64?
    var seat = Seat(rawValue: UUID())
    var other: Seat?
    override class var columns: Columns {
        ["ID": .int, "SEAT": .uuid.stored(as: .lowercaseText), "OTHER": .uuid.stored(as: .blob)]
    }
}

private struct Settings: Codable, Hashable, Sendable {
    var theme = "light"
    var size = 12
}

private final class Reader: PersistingModel {
    var id: Int64?
    var settings = Settings()
    var maybe: Settings?
    var tags: [String] = []
    var numbers: [Double?] = []
    var wrapped = JSON(Settings())
    override class var columns: Columns {
        ["ID": .int, "SETTINGS": .json, "MAYBE": .json, "TAGS": .json, "NUMBERS": .json, "WRAPPED": .string]
    }
    override class var indexes: [Index] { [Index("settings")] }
}

private final class JSONKeyed: PersistingModel {
    var id = Settings()
    var note = ""
    override class var columns: Columns { ["ID": .json, "NOTE": .string] }
    override class var primaryKey: PrimaryKey { .assigned("id") }
}

private final class Measured: PersistingModel {
    var id: Int64?
    var ratio: Float = 0
    var maybe: Float?
    override class var indexes: [Index] { [Index("ratio")] }
}

private final class Priced: PersistingModel {
    var id: Int64?
    var kind = ""
    var price = Decimal()
    var seen = Date(timeIntervalSince1970: 0)
}

private struct KindAverage: Decodable, Equatable {
    var kind: String
    var average: Double?
    var sum: Decimal
}

// F28, F29, F71
@Suite("A stored value has one meaning, in SQL and in memory") struct ValueFormTests {
    // MARK: - Bool, bytes, URL

    @Test(
        "in another form than the class writes it isn't read",
        arguments: [
            ("IS_ON", "2", "isOn", "0 or 1"), ("IS_ON", "-1", "isOn", "0 or 1"), ("IS_ON", "0.5", "isOn", "0 or 1"),
            ("MAYBE", "2", "maybe", "SET MAYBE = MAYBE <> 0"),
            ("DATA", "'text'", "data", "SET DATA = CAST(DATA AS BLOB)"), ("BYTES", "'text'", "bytes", "a BLOB"),
            ("TOKEN", "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'", "token", ".uuid.stored(as: .lowercaseText)"),
            ("TOKEN", "x'e621e1f8c36c495a93fc0c247a3e6e5f'", "token", ".uuid.stored(as: .blob)"),
        ])
    func otherForms(column: String, value: String, key: String, advice: String) throws {
        let manager = try memoryManager(Switched.self)
        try manager.run(
            "INSERT INTO SWITCHED (\(column == "IS_ON" ? "" : "IS_ON, ")\(column)) VALUES (\(column == "IS_ON" ? "" : "0, ")\(value))"
        )
        for error in [
            failure { try manager.fetchAll(Switched.self) },
            failure { try manager.fetchAll(Switched.self, tracked: false) },
            failure { try manager.find(Switched.self, 1) },
        ] {
            #expect(error?.code == .typeMismatch)
            #expect(error?.key == key)
            #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")")
            #expect(error?.rowKey == ["id": 1])
        }
    }

    @Test("and what an error advises makes it readable")
    func advice() throws {
        let manager = try memoryManager(Switched.self)
        let id = UUID()
        let bytes = id.uuidString.filter { $0 != "-" }
        try manager.run(
            """
            INSERT INTO SWITCHED (IS_ON, MAYBE, DATA, TOKEN) VALUES (-1, 2, 'text', x'\(bytes)');
            INSERT INTO SWITCHED (IS_ON, MAYBE, DATA, TOKEN) VALUES (0, NULL, x'00', '\(id.uuidString.lowercased())')
            """)
        for _ in 0..<5 {
            guard let error = failure({ try manager.fetchAll(Switched.self) }) else { break }
            let update = try #require(error.message.firstMatch(of: /run (UPDATE .+?)(, or|, in the row|$)/)?.1)
            try manager.run(String(update))
        }
        let all = try manager.fetchAll(Switched.self, sortedBy: "id")
        #expect(all.map(\.isOn) == [true, false])
        #expect(all.map(\.maybe) == [true, nil])
        #expect(all.map(\.data) == [Data("text".utf8), Data([0])])
        #expect(all.map(\.token) == [id, id])
        #expect(try manager.count(Switched.self, where: \.token == id && \.isOn == true) == 1)
    }

    @Test("numbers 1.0 and 0.0 are a Bool, and match") func realBool() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE SWITCHED (ID INTEGER PRIMARY KEY, IS_ON, MAYBE, DATA, BYTES, SITE, TOKEN)")
        try manager.run("INSERT INTO SWITCHED (IS_ON, MAYBE) VALUES (1.0, 0.0)")
        #expect(try manager.fetchOne(Switched.self, where: \.isOn == true && \.maybe == false)?.isOn == true)
    }

    // MARK: - UUIDs

    @Test("UUIDs in lower case are written, read, found and related as declared") func lowercase() throws {
        let manager = try memoryManager(LowerUser.self, LowerPost.self)
        let user = LowerUser()
        user.name = "ä"
        user.friend = user.id
        try manager.save(user)
        let (id, text) = (user.id, user.id.uuidString.lowercased())
        #expect(try manager.stored("SELECT ID FROM LOWER_USER") == .text(text))
        try manager.run("INSERT INTO LOWER_POST (USER) VALUES ('\(text)'), (NULL)")
        #expect(try manager.find(LowerUser.self, user.id)?.name == "ä")
        #expect(try manager.find(LowerUser.self, text.uppercased())?.name == "ä")
        for criteria: Criteria<LowerUser> in [
            \.friend == user.id, ["friend": user.id], .in(\.id, [user.id, UUID()]), .format("friend == %@", user.id),
            .predicate(#Predicate { $0.friend == id }), ["id": text.uppercased()], .format("id == friend"),
        ] {
            #expect(try manager.count(LowerUser.self, where: criteria) == 1)
            #expect(try criteria.matches(user))
        }
        #expect(try user.related(LowerUser.posts).map(\.id) == [1])
        #expect(try manager.fetchAll(LowerUser.with(LowerUser.posts)).first?.related(LowerUser.posts).count == 1)
        let same = LowerUser()
        same.id = user.id
        same.name = "b"
        try manager.upsert(same)
        #expect(try manager.count(LowerUser.self) == 1)
        #expect(try manager.delete(LowerUser.self, where: \.id != user.id) == 0)
    }

    @Test("UUIDs of two forms aren't compared") func uuidsOfTwoForms() throws {
        let manager = try memoryManager(LowerUser.self, LowerPost.self)
        let error = failure { try manager.fetchAll(UpperPost.with(UpperPost.author)) }
        #expect(error?.code == .invalidRelation)
        #expect(error?.message.contains("lower case") == true, "\(error?.message ?? "")")
        let query = failure {
            try manager.count(LowerUser.self, where: .in(\.friend, Query(UpperPost.self).values(\.user)))
        }
        #expect(query?.code == .invalidCriteria)
    }

    @Test("a type whose raw value is a UUID is declared like one") func rawUUID() throws {
        let manager = try memoryManager(Seated.self)
        let object = Seated()
        object.other = object.seat
        try manager.save(object)
        let id = object.seat.rawValue.uuidString
        #expect(try manager.stored("SELECT SEAT FROM SEATED") == .text(id.lowercased()))
        #expect(try manager.stored("SELECT hex(OTHER) FROM SEATED") == .text(id.filter { $0 != "-" }))
        #expect(try manager.count(Seated.self, where: \.seat == object.seat && \.other == object.seat) == 1)
    }

    // MARK: - JSON

    @Test("JSON matches by its value, whatever the order of its keys and its blanks", .local(.valueForms)) func json()
        throws
    {
        let manager = try memoryManager(Reader.self)
        try manager.run(
            """
            INSERT INTO READER (SETTINGS, MAYBE, TAGS, NUMBERS, WRAPPED) VALUES
                ('{"theme": "dark", "size": 9}', '{"theme":"dark","size":9}', '[ "a" ]', '[1.0]', '{"theme":"x","size":1}'),
                ('{"size":9,"theme":"dark"}', NULL, '["a"]', '[1]', '{"size":1,"theme":"x"}'),
                ('{"size":8,"theme":"dark"}', NULL, '[]', '[]', '{"size":2,"theme":"x"}')
            """)
        let dark = Settings(theme: "dark", size: 9)
        let all = try manager.fetchAll(Reader.self, sortedBy: "id")
        let other = JSON(Settings(theme: "x", size: 1))
        let criteria: [Criteria<Reader>] = [
            \.settings == dark, \.settings != dark, !(\.settings == dark), .in(\.settings, [dark]), \.maybe == dark,
            \.maybe != dark, \.tags == ["a"], ["tags": ["a"]], ["tags": [String]()], \.numbers == [1],
            \.wrapped == other,
            .format("settings == maybe"),
        ]
        for (criteria, count) in zip(criteria, [2, 1, 1, 2, 1, 2, 2, 2, 1, 2, 2, 1]) {
            #expect(try manager.count(Reader.self, where: criteria) == count, "\(criteria)")
            #expect(try criteria.filter(all).count == count, "\(criteria)")
        }
        let groups = try manager.groups(Reader.rows, by: .key(\.settings), computing: .count)
        #expect(groups.map { _, count in count }.sorted() == [1, 2])
        #expect(try manager.values(Query(Reader.self), \.settings, distinct: true).count == 2)
    }

    @Test("a JSON key in another form isn't read, as it wouldn't be found") func jsonKey() throws {
        let manager = try memoryManager(JSONKeyed.self)
        try manager.run("INSERT INTO JSON_KEYED VALUES ('{\"size\":9,\"theme\":\"dark\"}', 'own')")
        let object = try #require(try manager.fetchOne(JSONKeyed.self, where: \.id == Settings(theme: "dark", size: 9)))
        object.note = "b"
        try manager.save(object)
        try manager.run("UPDATE JSON_KEYED SET ID = '{\"theme\":\"dark\",\"size\":9}'")
        let error = failure { try manager.fetchAll(JSONKeyed.self) }
        #expect(error?.key == "id")
        #expect(error?.message.contains("sorted keys") == true)
    }

    @Test("JSON in another form isn't changed, and a save writes it only with another value") func jsonForm() throws {
        let manager = try memoryManager(Reader.self)
        let reader = Reader()
        try manager.insert(reader)
        let text = "{ \"theme\": \"dark\",  \"size\": 9 }"
        try manager.run("UPDATE READER SET SETTINGS = '\(text)'")
        let object = try #require(try manager.fetchAll(Reader.rows).first)
        #expect(try object.changedKeys == [])
        try manager.save(object)
        #expect(try manager.stored("SELECT SETTINGS FROM READER") == .text(text))
        object.settings.size = 10
        #expect(try object.changedKeys == ["settings"])
        try manager.save(object)
        #expect(try manager.stored("SELECT SETTINGS FROM READER") == .text("{\"size\":10,\"theme\":\"dark\"}"))
    }

    @Test("a list that is stored as JSON contains its elements, not their letters", .local(.textComparisons))
    func membership() throws {
        let manager = try memoryManager(Reader.self)
        for (tags, numbers): ([String], [Double?]) in [
            (["odd", "é"], [1, nil]), (["oddity"], [10, 0.5]), ([], []), (["true", "1"], [nil, nil]), (["ODD"], [-1]),
        ] {
            let reader = Reader()
            (reader.tags, reader.numbers) = (tags, numbers)
            try manager.save(reader)
        }
        let all = try manager.fetchAll(Reader.self, sortedBy: "id")
        for (criteria, ids): (Criteria<Reader>, [Int64]) in [
            (.format("tags CONTAINS 'odd'"), [1]), (.format("'odd' IN tags"), [1]),
            (.format("tags CONTAINS[c] 'odd'"), [1, 5]),
            (.format("NOT tags CONTAINS 'odd'"), [2, 3, 4, 5]), (.contains("tags", "odd"), [1]),
            (.format("tags CONTAINS 'E'"), []),
            (.format("tags CONTAINS[cd] 'E'"), [1]), (.format("numbers CONTAINS 1"), [1]),
            (.format("numbers CONTAINS %@", 0.5), [2]),
            (.format("tags CONTAINS '1'"), [4]), (.format("tags CONTAINS 1"), []),
            (.predicate(#Predicate { $0.tags.contains("odd") }), [1]),
            (.predicate(#Predicate { $0.numbers.contains(10) }), [2]),
        ] {
            #expect(try manager.fetchAll(Reader.self, where: criteria, sortedBy: "id").map(\.id) == ids, "\(criteria)")
            #expect(try criteria.filter(all).map(\.id) == ids, "\(criteria)")
        }
        for criteria: Criteria<Reader> in [
            .format("settings CONTAINS 'dark'"), .format("tags BEGINSWITH 'odd'"), .format("tags LIKE 'odd*'"),
            .format("'dark' IN settings"), .format("1 IN id"),
        ] {
            #expect(
                failure { try manager.count(Reader.self, where: criteria) }?.code == .invalidCriteria, "\(criteria)")
        }
    }

    // MARK: - Float

    @Test("a Float matches every number that is read as it, in SQL and in memory", .local(.valueForms)) func floats()
        throws
    {
        var generator = SeededGenerator()
        let manager = try memoryManager(Measured.self)
        let few: [Float] = [
            0, 0.1, 0.3, -0.1, 1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 16_777_216, Float(0.1).nextUp,
        ]
        for _ in 0..<300 {
            let value = few.randomElement(using: &generator)!
            // As it is, as someone else's Double, and between two.
            let stored = [
                Double(value), Double("\(value)")!, Double(value).nextUp, Double(value).nextDown,
                Double(value) + Double(value.ulp) / 2, Double(value) - Double(value.ulp) / 2,
            ].randomElement(using: &generator)!
            guard Float(stored).isFinite else { continue }
            try manager.execute(
                "INSERT INTO MEASURED (RATIO, MAYBE) VALUES (\(stored), \(generator.chance(3) ? nil : stored))")
        }
        let all = try manager.fetchAll(Measured.self, sortedBy: "id")
        for value in few {
            let conditions: [(Criteria<Measured>, (Float) -> Bool)] = [
                (\.ratio == value, { $0 == value }), (\.ratio != value, { $0 != value }),
                (\.ratio < value, { $0 < value }),
                (\.ratio <= value, { $0 <= value }), (\.ratio > value, { $0 > value }),
                (\.ratio >= value, { $0 >= value }),
                (.in(\.ratio, [value, 7]), { $0 == value }), (!(\.ratio == value), { $0 != value }),
                (["ratio": [value, Float(0.1)]], { $0 == value || $0 == 0.1 }),
                (.format("ratio == %@", value), { $0 == value }),
            ]
            for (criteria, holds) in conditions {
                let wanted = all.filter { holds($0.ratio) }.map(\.id)
                let comment = Comment(rawValue: "\(value) \(criteria) seed \(generator.seed)")
                #expect(
                    try manager.fetchAll(Measured.self, where: criteria, sortedBy: "id").map(\.id) == wanted, comment)
                #expect(try criteria.filter(all).map(\.id) == wanted, comment)
            }
            let maybe: Criteria<Measured> = \.maybe != value
            #expect(try manager.count(Measured.self, where: maybe) == all.filter { $0.maybe != value }.count)
        }
        #expect(
            try manager.count(Measured.self, where: \.ratio == \.maybe) == all.filter { $0.ratio == $0.maybe }.count)
        let groups = try manager.groups(Measured.rows, by: .key(\.ratio), computing: .count)
        #expect(Set(groups.map { key, _ in key }) == Set(all.map(\.ratio)))
        #expect(groups.count == Set(all.map(\.ratio)).count)
    }

    @Test("a comparison of a Float is found by an index") func floatIndex() throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Measured.self)
        for criteria: Criteria<Measured> in [\.ratio == 0.1, .in(\.ratio, [0.1, 7]), \.ratio > 1, ["ratio": Float(2)]] {
            _ = try manager.fetchAll(Measured.self, where: criteria)
            let sql = try #require(log.texts.last)
            let plan = try manager.database.read { db in "\(try db.queryPlan(of: SQL(sql)))" }
            #expect(plan.contains("USING INDEX"), "\(sql): \(plan)")
        }
    }

    // MARK: - Sums, dates, texts

    @Test("averages of Decimals are exact to the last rounding, in every verb", .local(.decimals)) func averages()
        throws
    {
        let manager = try memoryManager(Priced.self)
        for price in ["0.1", "0.2", "0.3"] {
            try manager.insert(Priced.self, values: ["kind": "a", "price": Decimal(string: price)])
        }
        try manager.insert(Priced.self, values: ["kind": "b", "price": Decimal(string: "12345678901234567890.25")])
        #expect(try manager.average(Priced.where(\.kind == "a"), \.price) == 0.2)
        #expect(try manager.average(Priced.where(\.kind == "c"), \.price) == nil)
        let groups = try manager.groups(Priced.rows, by: .key(\.kind), computing: .average(\.price))
        #expect(groups.map { _, average in average } == [0.2, 12345678901234567890.25])
        let decoded = try manager.groups(
            decoding: KindAverage.self, Query(Priced.self), by: .key(\.kind), computing: .average(\.price),
            .sum(\.price))
        #expect(decoded.first == KindAverage(kind: "a", average: 0.2, sum: Decimal(string: "0.6")!))
        let average: Aggregate<Priced, Double?> = .average(\.price)
        let above = try manager.groups(Priced.rows, by: .key(\.kind), computing: average, having: average == 0.2)
        #expect(above.map { kind, _ in kind } == ["a"])
    }

    @Test("an equal Date isn't a change") func equalDate() throws {
        let manager = try memoryManager(Priced.self)
        let object = Priced()
        // Seconds since 1970 have fewer digits than a Date.
        object.seen = Date(timeIntervalSinceReferenceDate: 763_234_567.123_456_78)
        try manager.save(object)
        let read = try #require(try manager.find(Priced.self, 1))
        read.seen = object.seen
        #expect(!read.hasChanges)
        #expect(object.changedKeys.isEmpty)
    }

    @Test("the end of a text is compared to its last byte", arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func suffix(_ encoding: String) throws {
        let manager = try PersistenceManager(.memory)
        try manager.run("PRAGMA encoding = '\(encoding)'")
        try manager.createTableIfNecessary(for: User.self)
        let names = ["a\0b", "b", "a\0", "ab", "é𝄞", "𝄞", ""]
        for name in names { try manager.insert(User.self, values: ["name": name]) }
        let all = try manager.fetchAll(User.self, sortedBy: "id")
        for suffix in ["b", "\0b", "\0", "𝄞", "é𝄞", "", "xxxxxxxxxxxx"] {
            let wanted = names.filter { Array($0.utf8).reversed().starts(with: suffix.utf8.reversed()) }
            let criteria: Criteria<User> = .hasSuffix(\.name, suffix)
            #expect(try manager.fetchAll(User.self, where: criteria, sortedBy: "id").map(\.name) == wanted)
            #expect(try criteria.filter(all).map(\.name) == wanted)
        }
    }
}

// F78
@Suite("A phrase that a request may send") struct OrderingPhraseTests {
    private func error(_ phrase: String) -> PersistenceError? { failure { try Ordering<User>(phrase) } }

    @Test("has no calculations") func calculations() throws {
        let error = error("replace(name, 'a', 'aaaaaaaaaa')")
        #expect(error?.code == .invalidOrdering)
        #expect(error?.message.contains("calculation") == true)
        #expect(try memoryManager(User.self).fetchAll(User.sorted(by: "length(name) desc")).isEmpty)
    }

    @Test("has at most 16 terms and 1,000 bytes") func bounds() throws {
        #expect(throws: Never.self) {
            try Ordering<User>([String](repeating: "name", count: 16).joined(separator: ","))
        }
        #expect(error([String](repeating: "name", count: 17).joined(separator: ","))?.code == .invalidOrdering)
        let long = error(String(repeating: "n", count: 100_000))
        #expect(long?.code == .invalidOrdering)
        #expect((long?.message.utf8.count ?? 0) < 500)
    }

    @Test("and a literal's replacements don't multiply a text without end") func growth() throws {
        let phrase = (0..<12).reduce("name") { phrase, _ in
            "replace(\(phrase), 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')"
        }
        let manager = try memoryManager(User.self)
        let error = failure { try manager.fetchAll(User.sorted(by: .init(stringLiteral: phrase))) }
        #expect(error?.message.contains("times as long") == true)
        #expect(failure { try manager.count(User.self, where: .format("\(phrase) == 'a'")) }?.code == .invalidCriteria)
    }
}
