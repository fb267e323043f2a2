import Foundation
import Persisting
import PersistingDiagnostics
import Testing

// What FMPersisting's README and headers show, done with this library.

private final class Artist: PersistingModel {
    var id: Int64?
    var name = ""
}

private final class Recording: PersistingModel {
    var id: Int64?
    var mediaKey: String?
    var lastPlayedDate: Date?
    var coverImageData: Data?
    var title: String?
    var artistID: Int64?
    var flags: Int?

    override class var tableName: String { "ALBUM" }

    override class var columns: Columns {
        [
            "ID": .int, "MEDIA_KEY": .string, "LAST_PLAYED_DATE": .date, "COVER_IMAGE_DATA": .data.deferred,
            "TITLE": .string, "ARTIST_ID": .int, "FLAGS": .int,
        ]
    }
}

/// A class that wraps what a program does with albums.
private struct AlbumManager {
    let manager: PersistenceManager

    init(path: String) throws {
        manager = try PersistenceManager(path: path)
        try manager.createTableIfNecessary(for: Artist.self)
        try manager.createTableIfNecessary(for: Recording.self)
    }

    func createAlbum(title: String, artist: Artist) throws -> Recording {
        try manager.insert(Recording.self, values: ["title": title, "artistID": artist.id])
    }

    func album(title: String) throws -> Recording? {
        try manager.fetchOne(Recording.self, where: ["title": title])
    }

    func allAlbums() throws -> [Recording] { try manager.fetchAll(Recording.self) }

    func albums(by artist: Artist) throws -> [Recording] {
        try manager.fetchAll(Recording.self, where: ["artistID": artist.id])
    }

    func didBeginPlaying(_ album: Recording, at date: Date) throws {
        try album.update(key: "lastPlayedDate", to: date)
    }

    func delete(_ album: Recording) throws { try manager.delete(album) }
}

// F43, F45, F52, F60, F63, F70, F77
@Suite("FMPersisting's album manager") struct FMPersistingAlbumManagerTests {
    private let directory: TemporaryDirectory
    private let albums: AlbumManager
    private let miles: Artist
    private let john: Artist

    init() throws {
        directory = try TemporaryDirectory()
        albums = try AlbumManager(path: directory.path("library/albums.sqlite"))
        miles = try albums.manager.insert(Artist.self, values: ["name": "Miles Davis"])
        john = try albums.manager.insert(Artist.self, values: ["name": "John Coltrane"])
    }

    @Test("creates an album of an artist") func create() throws {
        let album = try albums.createAlbum(title: "Kind of Blue", artist: miles)
        #expect(album.isPersisted)
        #expect(album.artistID == miles.id)
        #expect(try albums.manager.lastInserted(Recording.self)?.isSameRow(as: album) == true)
    }

    @Test("finds an album by its title, and nil for none") func byTitle() throws {
        let album = try albums.createAlbum(title: "Kind of Blue", artist: miles)
        #expect(try albums.album(title: "Kind of Blue")?.isSameRow(as: album) == true)
        #expect(try albums.album(title: "kind of blue") == nil)
    }

    @Test("finds all albums, and those of an artist") func byArtist() throws {
        _ = try albums.createAlbum(title: "Kind of Blue", artist: miles)
        _ = try albums.createAlbum(title: "Blue Train", artist: john)
        #expect(try albums.allAlbums().map(\.title) == ["Kind of Blue", "Blue Train"])
        #expect(try albums.albums(by: john).map(\.title) == ["Blue Train"])
    }

    @Test("notes when an album was played, and nothing else") func playing() throws {
        let album = try albums.createAlbum(title: "Kind of Blue", artist: miles)
        album.title = "not saved"
        try albums.didBeginPlaying(album, at: Date(timeIntervalSince1970: 1_000_000_000))
        #expect(album.lastPlayedDate == Date(timeIntervalSince1970: 1_000_000_000))
        #expect(try albums.manager.stored("SELECT LAST_PLAYED_DATE FROM ALBUM") == .real(1_000_000_000))
        #expect(try albums.manager.stored("SELECT TITLE FROM ALBUM") == .text("Kind of Blue"))
    }

    @Test("deletes an album") func delete() throws {
        let album = try albums.createAlbum(title: "Kind of Blue", artist: miles)
        try albums.delete(album)
        #expect(try albums.allAlbums() == [])
        #expect(!album.isPersisted)
    }

    @Test("an excluded column is written, not fetched, and not written back") func excluded() throws {
        // F26
        let album = try albums.createAlbum(title: "Kind of Blue", artist: miles)
        try album.update(\.coverImageData, to: Data([1, 2]))
        let found = try #require(try albums.album(title: "Kind of Blue"))
        #expect(found.coverImageData == nil)
        found.title = "K"
        try albums.manager.save(found)
        #expect(try albums.manager.stored("SELECT COVER_IMAGE_DATA FROM ALBUM") == .blob(Data([1, 2])))
    }

    @Test("a table that FMPersisting has made is read and written") func oldTable() throws {
        // F29, F31
        let manager = try memoryManager(
            script: """
                create table ALBUM (ID integer primary key , TITLE text, FLAGS integer, LAST_PLAYED_DATE numeric,
                    COVER_IMAGE_DATA blob, ARTIST_ID integer, MEDIA_KEY text);
                insert into ALBUM (ID, TITLE, LAST_PLAYED_DATE) values (NULL, 'Time Out', 1000000000.5);
                insert into ALBUM (ID, FLAGS, LAST_PLAYED_DATE, COVER_IMAGE_DATA) values (NULL, 3, 1000000000.0, x'')
                """)
        let albums = try manager.fetchAll(Recording.self, sortedBy: "id")
        #expect(albums.map(\.lastPlayedDate?.timeIntervalSince1970) == [1_000_000_000.5, 1_000_000_000])
        #expect(albums.map(\.flags) == [nil, 3])
        try manager.load(albums, \.coverImageData)
        #expect(albums.map(\.coverImageData) == [nil, Data()])
        albums[1].lastPlayedDate = nil
        try manager.save(albums[1])
        #expect(try manager.storedColumn("SELECT LAST_PLAYED_DATE FROM ALBUM") == [.real(1_000_000_000.5), .null])
        #expect(try manager.insert(Recording.self, values: ["title": "New"]).id == 3)
    }

    @Test("a class prints the template of its columns") func template() throws {
        #expect(
            try Artist.columnTemplate() == """
                override class var columns: Columns {
                    [
                        "ID": .int,
                        "NAME": .string,
                    ]
                }
                """)
    }
}

private final class Item: PersistingModel {
    var id: Int64?
    var employeeID = 0
    var color: String?
    var size: String?
}

// F71
@Suite("FMPersisting's criteria") struct FMPersistingCriteriaTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Item.self)
        for (employee, color, size) in [
            (38845, "red", "large"), (38845, "red", "small"), (1, "red", nil), (2, "blue", "small"),
        ] {
            try manager.insert(
                Item.self, values: ["employeeID": employee, "color": color, "size": size] as [String: (any Sendable)?])
        }
    }

    @Test("a key and a value") func one() throws {
        #expect(try manager.fetchAll(Item.self, where: ["employeeID": 38845]).map(\.id) == [1, 2])
    }

    @Test("a value, and another that is not so: rows without one are not so either") func not() throws {
        #expect(try manager.fetchAll(Item.self, where: ["color": "red", "<NOT>size": "large"]).map(\.id) == [2, 3])
    }

    @Test("a clause of SQL, with columns' names, and an order") func clause() throws {
        let found = try manager.fetchAll(
            Item.self, where: .sql("EMPLOYEE_ID < \(100) AND COLOR IS NOT NULL"), sortedBy: "employeeID desc")
        #expect(found.map(\.id) == [4, 3])
    }

    @Test("by the key alone") func byID() throws {
        #expect(try manager.find(Item.self, 3)?.employeeID == 1)
        #expect(try manager.find(Item.self, 99) == nil)
    }
}

private final class Podcast: PersistingModel {
    var id: Int64?
    var firstName: String?
    var deptID: Int?
    var flags = 0

    private subscript(flag mask: Int) -> Bool {
        get { flags & mask != 0 }
        set { flags = newValue ? flags | mask : flags & ~mask }
    }

    var wasDeleted: Bool {
        get { self[flag: 4] }
        set { self[flag: 4] = newValue }
    }
    var hasNewInfo: Bool {
        get { self[flag: 8] }
        set { self[flag: 8] = newValue }
    }
    var hasNoImage: Bool {
        get { self[flag: 16] }
        set { self[flag: 16] = newValue }
    }

    override class var columns: Columns {
        ["ID": .int, "GIVEN_NAME": .string.property("firstName"), "DEPT_ID": .int, "FLAGS": .int]
    }

    override class var bitFields: [BitField] {
        [
            BitField("autoDownloadEnabled", in: "flags", mask: 1 << 0),
            BitField("wifiRequired", in: "flags", mask: 1 << 1),
        ]
    }

    override class var aliases: [Alias] {
        [
            Alias("wasDeleted", \Podcast.wasDeleted, in: "flags"),
            Alias("hasNewInfo", \Podcast.hasNewInfo, in: "flags"),
            Alias("hasNoImage", \Podcast.hasNoImage, in: "flags"),
        ]
    }
}

@Suite("FMPersisting's special keys") struct FMPersistingKeyTests {
    private let manager: PersistenceManager
    private let podcast: Podcast

    init() throws {
        manager = try memoryManager(Podcast.self)
        podcast = try manager.insert(Podcast.self, values: ["flags": 64])
    }

    private var flags: SQLiteValue? { get throws { try manager.stored("SELECT FLAGS FROM PODCAST") } }

    @Test("bits of flags are read, set and stored by key") func bits() throws {
        // F34
        #expect(try podcast.value(forKey: "autoDownloadEnabled") as? Bool == false)
        try podcast.update(key: "autoDownloadEnabled", to: true)
        try podcast.update(key: "wifiRequired", to: true)
        try podcast.update(key: "autoDownloadEnabled", to: false)
        #expect(try podcast.value(forKey: "wifiRequired") as? Bool == true)
        #expect(try flags == .integer(66))
    }

    @Test("properties computed of flags store their column", arguments: ["wasDeleted", "hasNewInfo", "hasNoImage"])
    func aliases(key: String) throws {
        // F23
        try podcast.update(key: key, to: true)
        let bit: Int64 = ["wasDeleted": 4, "hasNewInfo": 8, "hasNoImage": 16][key] ?? 0
        #expect(try flags == .integer(64 | bit))
        #expect(try manager.find(Podcast.self, podcast.id)?.value(forKey: key) as? Bool == true)
    }

    @Test("a column of another name has the property that it says") func givenName() throws {
        // F22, F42
        try podcast.update(\.firstName, to: "Ada")
        #expect(try manager.stored("SELECT GIVEN_NAME FROM PODCAST") == .text("Ada"))
        #expect(try Podcast.schema().column(forKey: "firstName")?.name == "GIVEN_NAME")
        #expect(try Podcast.schema().column(named: "given_name")?.key == "firstName")
        #expect(try Podcast.schema().column(named: "DEPT_ID")?.key == "deptID")
    }

    @Test("names are converted both ways") func names() {
        // F113
        #expect(NameText.camelCase("FIRST_NAME") == "firstName")
        #expect(NameText.camelCase("DEPT_ID") == "deptID")
        #expect(NameText.upperSnakeCase("deptID") == "DEPT_ID")
    }

    @Test("the values are a dictionary, all or some") func dictionary() throws {
        // F99
        podcast.firstName = "Ada"
        #expect(Set(podcast.dictionary().keys) == ["id", "firstName", "flags"])
        let some = try podcast.dictionary(forKeys: ["firstName", "deptID", "wifiRequired"], by: .properties)
        #expect(Set(some.keys) == ["firstName", "wifiRequired"])
        #expect(JSONSerialization.isValidJSONObject(try podcast.jsonObject()))
    }

    @Test("values are copied from another object, but for the key") func copyValues() throws {
        // F100
        let other = Podcast()
        other.deptID = 7
        podcast.firstName = "Ada"
        podcast.copyValues(from: other)
        #expect(podcast.id == 1)
        #expect(podcast.deptID == 7)
        #expect(podcast.firstName == nil)
        #expect(podcast.flags == 0)
    }
}
