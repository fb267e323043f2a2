import Foundation
import Persisting
import Testing

private final class Singer: PersistingModel {
    var id: Int64?
    var name = ""
    var mentorID: Int64?

    convenience init(_ name: String, _ mentorID: Int64? = nil) {
        self.init()
        self.name = name
        self.mentorID = mentorID
    }
}

private final class Song: PersistingModel {
    var id: Int64?
    var name = ""
    var singerID: Int64?
    var text: String?

    override class var columns: Columns {
        var columns = super.columns
        columns["TEXT"] = .string.deferred
        return columns
    }

    convenience init(_ name: String, _ singerID: Int64?) {
        self.init()
        self.name = name
        self.singerID = singerID
    }
}

@Suite("Joined objects") struct JoinedObjectTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Singer.self, Song.self, Enrolment.self, Reading.self)
        try manager.insert([
            Singer("Ella"), Singer("Chet", 1), Song("Misty", 1), Song("Almost Blue", 2), Song("Silence", nil),
        ])
    }

    @Test("are tuples, with nil where an outer join found none") func leftJoin() throws {
        // F86
        let song = try Song.selection("a")
        let singer = try Singer.selection("b")
        let pairs: [(Song, Singer?)] = try manager.fetchAll(
            song, singer,
            sql: "SELECT \(song), \(singer) FROM SONG a LEFT JOIN SINGER b ON b.ID = a.SINGER_ID ORDER BY a.ID")
        #expect(pairs.map { $0.0.name } == ["Misty", "Almost Blue", "Silence"])
        #expect(pairs.map { $0.1?.name } == ["Ella", "Chet", nil])
    }

    @Test("are saved each to its own row") func saved() throws {
        // F86
        let song = try Song.selection("a")
        let singer = try Singer.selection("b")
        let (found, who) = try #require(
            try manager.fetchAll(
                song, singer,
                sql: "SELECT \(song), \(singer) FROM SONG a JOIN SINGER b ON b.ID = a.SINGER_ID WHERE b.NAME = ?",
                ["Chet"]
            ).first)
        found.name = "Blue"
        who?.name = "Chet B."
        try found.save()
        try who?.save()
        #expect(try manager.storedColumn("SELECT NAME FROM SONG ORDER BY ID") == ["Misty", "Blue", "Silence"])
        #expect(try manager.storedColumn("SELECT NAME FROM SINGER ORDER BY ID") == ["Ella", "Chet B."])
    }

    @Test("are of one class twice in a self-join") func selfJoin() throws {
        // F86
        let pupil = try Singer.selection("pupil")
        let mentor = try Singer.selection("mentor")
        let sql: SQL = """
            SELECT \(pupil), \(mentor) FROM SINGER pupil LEFT JOIN SINGER mentor ON mentor.ID = pupil.MENTOR_ID
            ORDER BY pupil.ID
            """
        let pairs = try manager.fetchAll(pupil, mentor, sql: sql)
        #expect(pairs.map { $0.0.name } == ["Ella", "Chet"])
        #expect(pairs.map { $0.1?.name } == [nil, "Ella"])
    }

    @Test("are of three classes, or of one") func numberOfClasses() throws {
        // F86
        let (song, singer, mentor) = (
            try Song.selection("a"), try Singer.selection("b"), try Singer.selection("c", prefix: "mentor_")
        )
        let triples = try manager.fetchAll(
            song, singer, mentor,
            sql: """
                SELECT \(song), \(singer), \(mentor) FROM SONG a LEFT JOIN SINGER b ON b.ID = a.SINGER_ID
                LEFT JOIN SINGER c ON c.ID = b.MENTOR_ID ORDER BY a.ID
                """)
        #expect(triples.map { $0.2?.name } == [nil, "Ella", nil])
        let songs: [Song] = try manager.fetchAll(song, sql: "SELECT \(song) FROM SONG a")
        #expect(songs.count == 3)
    }

    @Test("are found by their tables' names where the SQL renames nothing", .local(.tablesOfColumns)) func tableNames()
        throws
    {
        // F86
        let pairs = try manager.fetchAll(
            Song.selection(), Singer.selection(),
            sql: "SELECT * FROM SONG LEFT JOIN SINGER ON SINGER.ID = SINGER_ID ORDER BY SONG.ID")
        #expect(
            pairs.map { "\($0.0.id ?? 0) \($0.1?.id ?? 0) \($0.1?.name ?? "")" } == ["1 1 Ella", "2 2 Chet", "3 0 "])
    }

    @Test("the select list names what a fetch reads") func selectList() throws {
        // F86, F104
        #expect(
            try Song.selection("a").sql
                == #"a.ID AS "a.ID", a.NAME AS "a.NAME", a.SINGER_ID AS "a.SINGER_ID""#)
        #expect(
            try Singer.selection("order", prefix: "x_").sql.hasPrefix(#""order".ID AS x_ID, "order".NAME AS x_NAME"#))
    }

    @Test("come one at a time from a row, by hand-written names", .local(.connection)) func rows() throws {
        // F86
        let singer = try Singer.selection(prefix: "singer_")
        let sql: SQL = """
            SELECT s.*, t.id AS singer_id, t.name AS singer_name, t.mentor_id AS singer_mentor_id
            FROM song s LEFT JOIN singer t ON t.id = s.singer_id ORDER BY s.id
            """
        try manager.read { db in
            var found: [String] = []
            let rows = try db.query(sql)
            while let row = try rows.next() {
                let song = try manager.object(Song.self, from: row)
                found.append("\(song.name): \(try manager.object(singer, from: row)?.name ?? "none")")
            }
            #expect(found == ["Misty: Ella", "Almost Blue: Chet", "Silence: none"])
            let copies = try db.rows(sql).map { try manager.object(singer, from: $0)?.name }
            #expect(copies == ["Ella", "Chet", nil])
        }
    }

    @Test("of a composite key are there when a part of it is, without a key when any column is") func absent() throws {
        // F38, F86
        let enrolment = try Enrolment.selection("e")
        let row = RowSnapshot(["e.STUDENT": 7, "e.COURSE": .null, "e.GRADE": .null])
        #expect(failure { try manager.object(enrolment, from: row) }?.key == "course")
        let none = RowSnapshot(["e.STUDENT": .null, "e.COURSE": .null, "e.GRADE": 1])
        #expect(try manager.object(enrolment, from: none) == nil)
        let reading = try Reading.selection("r")
        #expect(try manager.object(reading, from: RowSnapshot(["r.SENSOR": .null, "r.VALUE": .null])) == nil)
        let part = RowSnapshot(["r.SENSOR": .null, "r.VALUE": 1])
        #expect(failure { try manager.object(reading, from: part) }?.key == "sensor")
    }

    @Test("throw for a column that the join does not name, and for a row without the first class") func mistakes()
        throws
    {
        // F86
        let (song, singer) = (try Song.selection("a"), try Singer.selection("b"))
        let missing = failure { try manager.fetchAll(song, singer, sql: "SELECT \(song) FROM SONG a") }
        #expect(
            missing?.code == .missingColumn && missing?.model == "Singer" && missing?.message.contains("b.ID") == true)
        let absent = failure {
            try manager.fetchAll(
                singer, song, sql: "SELECT \(song), \(singer) FROM SONG a LEFT JOIN SINGER b ON b.ID = a.SINGER_ID")
        }
        #expect(absent?.code == .typeMismatch && absent?.sql?.hasPrefix("SELECT a.ID") == true)
    }

    @Test("have an asynchronous form") func asynchronous() async throws {
        // F86
        let (song, singer) = (try Song.selection("a"), try Singer.selection("b"))
        let pairs = try await manager.fetchAll(
            song, singer,
            sql: "SELECT \(song), \(singer) FROM SONG a LEFT JOIN SINGER b ON b.ID = a.SINGER_ID ORDER BY a.ID")
        #expect(pairs.map { $0.1?.name } == ["Ella", "Chet", nil])
        pairs[0].0.name = "Misty!"
        #expect(pairs[0].0.hasChanges)
    }
}

@Suite("Rows as values") struct RowValueTests {
    private struct Sales: Decodable, Equatable, Sendable {
        var artistName: String
        var albums: Int
        var last: Date?
    }

    private let manager: PersistenceManager
    private let sql: SQL =
        "SELECT ARTIST_NAME, count(*) AS albums, max(SOLD_AT) AS last FROM SALE GROUP BY 1 ORDER BY 1"

    init() throws {
        manager = try PersistenceManager(.memory, dates: .iso8601)
        try manager.run(
            """
            CREATE TABLE SALE (ARTIST_NAME TEXT, SOLD_AT TEXT, PRICE REAL);
            INSERT INTO SALE VALUES ('Chet', '2001-02-03T04:05:06.500Z', 1.5), ('Chet', NULL, 2), ('Ella', NULL, NULL);
            CREATE TABLE ARTIST (ARTIST_NAME TEXT, PRICE REAL);
            INSERT INTO ARTIST VALUES ('Ella F.', 9);
            """)
    }

    @Test("are of any Decodable type, by names in snake case, dates in the manager's form") func decodable() throws {
        // F86
        let sales = try manager.fetchAll(decoding: Sales.self, keys: .snakeCase, sql: sql)
        let date = Date(timeIntervalSince1970: 981_173_106.5)
        #expect(sales == [Sales(artistName: "Chet", albums: 2, last: date), Sales(artistName: "Ella", albums: 1)])
        let one = try manager.fetchOne(decoding: Sales.self, keys: .custom(Naming.upperSnakeCase.column), sql: sql)
        #expect(one == sales.first)
    }

    @Test("are single values from the first column") func singleValues() throws {
        // F86
        #expect(try manager.fetchAll(decoding: Int.self, sql: "SELECT count(*), 7 FROM SALE") == [3])
        #expect(try manager.fetchOne(decoding: String.self, sql: "SELECT 'x' WHERE 0") == nil)
        #expect(try manager.fetchAll(decoding: Double?.self, sql: "SELECT PRICE FROM SALE") == [1.5, 2, nil])
    }

    @Test("throw for what is missing or does not fit, and name the column") func mistakes() throws {
        // F86
        let missing = sqliteFailure { try manager.fetchAll(decoding: Sales.self, sql: sql) }
        #expect(missing?.extendedCode == .noSuchColumn && missing?.message.contains("artistName") == true)
        let wrong = sqliteFailure {
            try manager.fetchAll(decoding: Sales.self, sql: "SELECT 'x' AS artistName, 'many' AS albums")
        }
        #expect(wrong?.extendedCode == .typeMismatch && wrong?.message.contains("albums") == true)
        #expect(sqliteFailure { try manager.fetchOne(decoding: Int.self, sql: "DELETE FROM SALE RETURNING 1") } != nil)
        #expect(try manager.rowCount("SALE") == 3)
    }

    @Test("are dictionaries by the names that the SQL gives") func dictionaries() throws {
        // F87
        let rows = try manager.dictionaries("SELECT ARTIST_NAME AS name1, PRICE AS price1 FROM SALE ORDER BY rowid")
        #expect(
            rows == [
                ["name1": "Chet", "price1": 1.5], ["name1": "Chet", "price1": 2.0], ["name1": "Ella", "price1": .null],
            ])
    }

    @Test("are dictionaries without NULL, if asked") func omittingNull() throws {
        // F87
        let rows = try manager.dictionaries("SELECT * FROM SALE WHERE PRICE IS \(nil as Int?)", omittingNull: true)
        #expect(rows == [["ARTIST_NAME": "Ella"]])
    }

    @Test("have the first of two columns of a name, or both by their tables") func duplicates() throws {
        // F87
        let sql: SQL = "SELECT *, 1 AS n FROM SALE JOIN ARTIST WHERE SALE.PRICE = 2"
        let rows = try manager.dictionaries(sql)
        #expect(rows == [["ARTIST_NAME": "Chet", "SOLD_AT": .null, "PRICE": 2.0, "n": 1]])
        #expect(
            try manager.dictionaries(sql, qualified: true) == [
                [
                    "SALE.ARTIST_NAME": "Chet", "SALE.SOLD_AT": .null, "SALE.PRICE": 2.0,
                    "ARTIST.ARTIST_NAME": "Ella F.",
                    "ARTIST.PRICE": 9.0, "n": 1,
                ]
            ])
    }

    @Test("bind arguments") func arguments() throws {
        // F87
        let text = "SELECT ARTIST_NAME FROM SALE WHERE PRICE > :p"
        #expect(try manager.dictionaries(SQL(text), ["p": 1.7]) == [["ARTIST_NAME": "Chet"]])
        #expect(try manager.dictionaries("SELECT 1 WHERE 0").isEmpty)
        #expect(sqliteFailure { try manager.dictionaries(SQL(text)) }?.extendedCode == .argumentCount)
        #expect(try manager.fetchAll(decoding: String.self, sql: SQL(text), ["p": 0]) == ["Chet", "Chet"])
    }

    @Test("have asynchronous forms") func asynchronous() async throws {
        // F86, F87
        #expect(try await manager.fetchAll(decoding: Sales.self, keys: .snakeCase, sql: sql).count == 2)
        #expect(try await manager.fetchOne(decoding: Int.self, sql: "SELECT ?", [7]) == 7)
        #expect(try await manager.dictionaries("SELECT 1 AS a") == [["a": 1]])
    }
}
