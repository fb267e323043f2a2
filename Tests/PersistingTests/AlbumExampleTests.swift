import Foundation
import Persisting
import Testing

/// The first example of the documentation, line by line.
@Suite("The Album example")
struct AlbumExampleTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Album.self)
    }

    @Test("The table has the declared columns, in their order, with the types of the properties")
    func table() throws {
        // F45
        #expect(
            try manager.tableSQL("ALBUM") == """
                CREATE TABLE ALBUM (
                    ID INTEGER PRIMARY KEY,
                    MEDIA_KEY TEXT,
                    LAST_PLAYED_DATE REAL,
                    COVER_IMAGE_DATA BLOB,
                    TITLE TEXT,
                    ARTIST TEXT,
                    DESCRIP TEXT,
                    PUBLISH_DATE REAL,
                    FLAGS INTEGER
                )
                """)
    }

    @Test("Creating the table answers true the first time and false the second")
    func createTwice() throws {
        // F46
        let manager = try PersistenceManager(.memory)
        #expect(try manager.createTableIfNecessary(for: Album.self))
        #expect(try !manager.createTableIfNecessary(for: Album.self))
    }

    @Test("An album inserted from values has them and a key")
    func insertValues() throws {
        // F52
        let album = try manager.insert(Album.self, values: ["title": "Kind of Blue", "artist": "Miles Davis"])
        #expect(album.id == 1)
        #expect(album.title == "Kind of Blue")
        #expect(album.artist == "Miles Davis")
        #expect(album.descrip == nil)
    }

    @Test("An album is found by its title")
    func fetchOne() throws {
        // F77
        let album = try manager.insert(Album.self, values: ["title": "Kind of Blue"])
        let found = try #require(try manager.fetchOne(Album.self, where: ["title": "Kind of Blue"]))
        #expect(found.isSameRow(as: album))
    }

    @Test("All albums are fetched")
    func fetchAll() throws {
        // F70
        try manager.insert(Album.self, values: ["title": "A"])
        try manager.insert(Album.self, values: ["title": "B"])
        #expect(try manager.fetchAll(Album.self).map(\.title) == ["A", "B"])
    }

    @Test("Without rows there are no albums")
    func fetchNone() throws {
        // F70
        #expect(try manager.fetchAll(Album.self).isEmpty)
    }

    @Test("An update by key path sets the property and stores just that column")
    func updateByKeyPath() throws {
        // F60
        let album = try manager.insert(Album.self, values: ["title": "A"])
        album.artist = "not yet"
        let played = Date(timeIntervalSince1970: 1_700_000_000)
        try album.update(\.lastPlayedDate, to: played)
        #expect(album.lastPlayedDate == played)
        #expect(try manager.stored("SELECT LAST_PLAYED_DATE FROM ALBUM") == .real(1_700_000_000))
        #expect(try manager.stored("SELECT ARTIST FROM ALBUM") == .null)
    }

    @Test("An update by property name does the same")
    func updateByName() throws {
        // F60
        let album = try manager.insert(Album.self, values: ["title": "A"])
        let played = Date(timeIntervalSince1970: 1_700_000_000)
        try album.update(key: "lastPlayedDate", to: played)
        #expect(album.lastPlayedDate == played)
        #expect(try manager.stored("SELECT LAST_PLAYED_DATE FROM ALBUM") == .real(1_700_000_000))
    }

    @Test("A deleted album is gone")
    func delete() throws {
        // F63
        let album = try manager.insert(Album.self, values: ["title": "A"])
        try manager.delete(album)
        #expect(try manager.count(Album.self) == 0)
    }

    @Test("A property that columns leaves out is not stored")
    func unlisted() throws {
        // F25
        let album = Album()
        album.mediaType = 4
        try manager.save(album)
        #expect(try manager.fetchAll(Album.self).map(\.mediaType) == [nil])
        #expect(try !manager.columnExists("MEDIA_TYPE", in: "ALBUM"))
    }

    @Test("A class without overrides maps every variable in order, with its defaults")
    func automatic() throws {
        // F24, F45, Settled 14
        let manager = try memoryManager(PodcastEpisode.self)
        #expect(
            try manager.tableSQL("PODCAST_EPISODE") == """
                CREATE TABLE PODCAST_EPISODE (
                    ID INTEGER PRIMARY KEY,
                    TITLE TEXT NOT NULL DEFAULT '',
                    FEED_URL TEXT,
                    DURATION REAL NOT NULL DEFAULT 0.0,
                    KIND TEXT NOT NULL DEFAULT 'full'
                )
                """)
    }

    @Test("An episode keeps its enum and its URL")
    func episode() throws {
        // F28
        let manager = try memoryManager(PodcastEpisode.self)
        let episode = PodcastEpisode()
        episode.kind = .trailer
        episode.feedURL = URL(string: "https://example.com/feed?q=a%20b")
        try manager.save(episode)
        let found = try #require(try manager.find(PodcastEpisode.self, 1))
        #expect(found.kind == .trailer)
        #expect(found.feedURL == URL(string: "https://example.com/feed?q=a%20b"))
    }

    @Test("A column's declaration carries property, constraints, default and collation")
    func declarations() throws {
        // F22, F45
        let manager = try memoryManager(Member.self)
        #expect(
            try manager.tableSQL("MEMBER") == """
                CREATE TABLE MEMBER (
                    ID INTEGER PRIMARY KEY,
                    GIVEN_NAME TEXT NOT NULL,
                    EMAIL TEXT UNIQUE COLLATE NOCASE,
                    RATING REAL DEFAULT 0.5 CHECK (RATING BETWEEN 0 AND 1),
                    CREATED TEXT
                )
                """)
    }
}

private final class Member: PersistingModel {
    var id: Int64?
    var firstName: String?
    var email: String?
    var rating: Double?
    var created: Date?

    override class var columns: Columns {
        [
            "ID": .int, "GIVEN_NAME": .string.property("firstName").notNull,
            "EMAIL": .string.unique.collate(.nocase),
            "RATING": .double.default(0.5).check("RATING BETWEEN 0 AND 1"), "CREATED": .date.stored(as: .iso8601),
        ]
    }
}
