import Foundation
import Observation
import Persisting
import Testing

/// Deferred columns that a class inherits.
private class Media: PersistingModel {
    var id: Int64?
    var title = ""
    var cover: Data?

    override class var columns: Columns {
        var columns = super.columns
        columns["COVER"] = .data.deferred
        return columns
    }
}

private final class Movie: Media {
    var subtitles: String?
    var seconds = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["SUBTITLES"] = .string.deferred
        return columns
    }
}

/// A subclass that fetches what its superclass defers.
private final class Thumbnail: Media {
    override class var columns: Columns {
        var columns = super.columns
        columns["COVER"] = .data
        return columns
    }
}

private final class Parcel<Content: SQLiteValueConvertible & Equatable>: PersistingModel {
    var id: Int64?
    var content: Content?
    var weight = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["CONTENT"] = .any.deferred
        return columns
    }
}

@Observable private final class Photo: PersistingModel {
    var id: Int64?
    var name = ""
    var pixels: Data?
    var shade: Swatch? = Swatch()

    override class var columns: Columns {
        var columns = super.columns
        columns["PIXELS"] = .data.deferred
        columns["SHADE"] = .path(\Photo.shade, transform: .swatch)
        return columns
    }
}

/// A deferred column by key path, which stands for the stored property beneath.
private final class Sketch: PersistingModel {
    var id: Int64?
    var _lines: [String]?
    var lines: [String]? {
        get { _lines }
        set { _lines = newValue }
    }

    override class var columns: Columns {
        ["ID": .int, "LINES": .path(\Sketch.lines, transform: .json).property("lines").deferred]
    }
}

private final class Ledger: PersistingModel {
    var account = ""
    var year = 0
    var scan: Data?
    var note: String?

    override class var tableOptions: TableOptions { [.withoutRowID] }
    override class var primaryKey: PrimaryKey { .composite("account", "year") }
    override class var columns: Columns {
        var columns = super.columns
        columns["SCAN"] = .data.deferred.default(.blob(Data([7])))
        return columns
    }
}

/// Rows of a view.
private final class Listed: PersistingModel {
    var id: Int64?
    var title = ""
    var cover: Data?

    override class var columns: Columns { ["ID": .int, "TITLE": .string, "COVER": .data.deferred] }
}

// F26
@Suite("Deferred columns of all kinds of classes") struct DeferredModelsTests {
    let manager: PersistenceManager
    let cover = Data([1, 2, 3])

    init() throws {
        manager = try memoryManager(Media.self, Movie.self, Thumbnail.self, Photo.self, Sketch.self, Ledger.self)
    }

    private func movie() throws -> Movie {
        let saved = try manager.insert(
            Movie.self, values: ["title": "M", "cover": cover, "subtitles": "é", "seconds": 90])
        return try #require(try manager.find(Movie.self, saved.id))
    }

    private func fetched(tracked: Bool) throws -> Movie {
        try #require(try manager.fetchAll(Movie.self, tracked: tracked).first)
    }

    private func stored(_ column: String, _ table: String = "MOVIE") throws -> SQLiteValue? {
        try manager.stored("SELECT \(column) FROM \(table)")
    }

    @Test("inherited and own ones are left out, loaded and kept") func inherited() throws {
        let movie = try movie()
        #expect(movie.cover == nil && movie.subtitles == nil && movie.seconds == 90)
        movie.seconds = 91
        try manager.save(movie)
        #expect(try stored("COVER") == .blob(cover))
        #expect(try stored("SUBTITLES") == .text("é"))
        try manager.load([movie], \Media.cover)
        try movie.load(\.subtitles)
        #expect(movie.cover == cover && movie.subtitles == "é")
        #expect(!movie.hasChanges)
    }

    @Test("of objects of several classes are loaded with one call") func severalClasses() throws {
        let media = try manager.insert(Media.self, values: ["cover": Data([9])])
        let fetched = try #require(try manager.find(Media.self, media.id))
        let movie = try movie()
        let thumbnail = try manager.insert(Thumbnail.self, values: ["cover": Data([8])])
        thumbnail.cover = nil
        try manager.load([fetched, movie, thumbnail, movie] as [Media], \.cover)
        #expect(fetched.cover == Data([9]))
        #expect(movie.cover == cover)
        #expect(thumbnail.cover == Data([8]))
        #expect(!movie.hasChanges && !thumbnail.hasChanges)
    }

    @Test("a subclass may fetch what its superclass defers") func undeferred() throws {
        try manager.insert(Thumbnail.self, values: ["cover": cover])
        #expect(try manager.fetchAll(Thumbnail.self).map(\.cover) == [cover])
    }

    @Test("of a generic class are those of each type") func generic() throws {
        try manager.createTableIfNecessary(for: Parcel<UUID>.self)
        let id = UUID()
        let parcel = try manager.insert(Parcel<UUID>.self, values: ["content": id])
        let found = try #require(try manager.find(Parcel<UUID>.self, parcel.id))
        #expect(found.content == nil)
        found.weight = 5
        try manager.save(found)
        try found.load(\.content)
        #expect(found.content == id)
    }

    @Test("of an Observable class are left out, loaded and kept, along with a column by key path") func observable()
        throws
    {
        let photo = try manager.insert(Photo.self, values: ["name": "a", "pixels": cover])
        #expect(photo.pixels == cover)
        let found = try #require(try manager.find(Photo.self, photo.id))
        #expect(found.pixels == nil)
        #expect(found.shade == Swatch())
        found.shade = nil
        #expect(found.changedKeys == ["shade"])
        try manager.save(found)
        #expect(try stored("SHADE", "PHOTO") == .null)
        #expect(try stored("PIXELS", "PHOTO") == .blob(cover))
        try found.load(\.pixels)
        #expect(found.pixels == cover)
    }

    @Test("by key path are left out, loaded and kept") func keyPath() throws {
        let sketch = try manager.insert(Sketch.self, values: ["lines": ["a", "b"]])
        let found = try #require(try manager.find(Sketch.self, sketch.id))
        #expect(found.lines == nil)
        #expect(!found.hasChanges)
        try found.load(\.lines)
        #expect(found.lines == ["a", "b"])
        #expect(!found.hasChanges)
        found.lines = nil
        try manager.save(found)
        #expect(try stored("LINES", "SKETCH") == .null)
    }

    @Test("of a table without row identifiers and with a composite key are loaded, not streamed", .local(.blobsInPlace))
    func rowless() throws {
        // F38
        let ledger = try manager.insert(Ledger.self, values: ["account": "a", "year": 2024])
        #expect(ledger.scan == Data([7]))
        let found = try #require(try manager.fetchOne(Ledger.self, where: \.year == 2024))
        #expect(found.scan == nil)
        try found.load(\.scan)
        #expect(found.scan == Data([7]))
        #expect(failure { try manager.withBlob(of: found, \.scan) { _ in } }?.code == .invalidModel)
    }

    @Test("of an object whose key was set again are those of its row") func changedKey() throws {
        try manager.insert(Ledger.self, values: ["account": "b", "year": 1, "scan": Data([5])])
        let ledger = try manager.insert(Ledger.self, values: ["account": "a", "year": 1, "scan": Data([4])])
        ledger.account = "b"
        try ledger.load(\.scan)
        #expect(ledger.scan == Data([4]))
        #expect(ledger.changedKeys == ["account"])
        #expect(failure { try manager.save(ledger) }?.code == .constraint)
    }

    @Test("of a view's objects are loaded, not streamed", .local(.blobsInPlace)) func view() throws {
        _ = try movie()
        try manager.run("CREATE VIEW LISTED AS SELECT ID, TITLE, COVER FROM MOVIE")
        let listed = try #require(try manager.fetchAll(Listed.self).first)
        #expect(listed.cover == nil)
        try listed.load(\.cover)
        #expect(listed.cover == cover)
        #expect(failure { try manager.withBlob(of: listed, \.cover) { _ in } }?.code == .invalidModel)
    }

    @Test("that the table declares NOT NULL are kept by a save, and reject an update to nil", arguments: [true, false])
    func notNull(tracked: Bool) throws {
        try manager.run("CREATE TABLE LISTED (id INTEGER PRIMARY KEY, title TEXT, cover BLOB NOT NULL)")
        try manager.insert(Listed.self, values: ["title": "a", "cover": cover])
        let listed = try #require(try manager.fetchAll(Listed.self, tracked: tracked).first)
        listed.title = "b"
        try manager.save(listed)
        #expect(failure { try listed.update(\.cover, to: nil) }?.code == .constraint)
        listed.title = "c"
        try manager.save(listed)
        #expect(try manager.stored("SELECT cover FROM listed WHERE title = 'c'") == .blob(cover))
    }

    @Test("loaded inside a savepoint that is rolled back are as they were before it", arguments: [true, false])
    func savepoint(tracked: Bool) throws {
        _ = try movie()
        let movie = try fetched(tracked: tracked)
        try manager.transaction {
            try movie.load(\.cover)
            try catchingTestError {
                try manager.transaction {
                    try manager.execute("UPDATE MOVIE SET COVER = x'09', SUBTITLES = 'other'")
                    try movie.load(\.cover)
                    try movie.load(\.subtitles)
                    throw TestError()
                }
            }
            #expect(movie.cover == cover)
            #expect(movie.subtitles == nil)
        }
        #expect(movie.cover == cover)
        try manager.save(movie)
        #expect(try stored("COVER") == .blob(cover))
        #expect(try stored("SUBTITLES") == .text("é"))
    }

    @Test("loaded, changed and saved in a transaction that is rolled back keep what was set") func rollback() throws {
        let movie = try movie()
        try catchingTestError {
            try manager.transaction {
                try movie.load(\.cover)
                movie.cover = Data([9])
                try manager.save(movie)
                throw TestError()
            }
        }
        #expect(movie.cover == Data([9]))
        #expect(movie.changedKeys == ["cover"])
        #expect(try stored("COVER") == .blob(cover))
    }

    @Test("set to nil by an update that is rolled back are not loaded again") func updateRolledBack() throws {
        let movie = try movie()
        try catchingTestError {
            try manager.transaction {
                try movie.update(\.cover, to: nil)
                throw TestError()
            }
        }
        #expect(!movie.hasChanges)
        try manager.save(movie)
        #expect(try stored("COVER") == .blob(cover))
    }

    @Test("written as a blob in a savepoint that is rolled back are as they were", .local(.blobsInPlace))
    func blobRolledBack() throws {
        let movie = try movie()
        try manager.transaction {
            try catchingTestError {
                try manager.transaction {
                    try manager.withBlob(of: movie, \.cover, access: .readWrite) { try $0.write(Data([9])) }
                    throw TestError()
                }
            }
            try movie.load(\.cover)
        }
        #expect(movie.cover == cover)
    }

    @Test("cross in a snapshot as they are: loaded, set, or neither", arguments: [true, false])
    func snapshot(tracked: Bool) async throws {
        _ = try movie()
        let movie = try fetched(tracked: tracked)
        try await movie.load(\.cover)
        movie.seconds = 5
        let snapshot = movie.snapshot()
        let sent = try await Task.detached {
            let copy = try Movie(snapshot)
            try await copy.save()
            return copy.snapshot()
        }.value
        #expect(try Movie(sent).cover == cover)
        #expect(try Movie(sent).subtitles == nil)
        #expect(try stored("COVER") == .blob(cover))
        #expect(try stored("SUBTITLES") == .text("é"))
        #expect(try stored("SECONDS") == .integer(5))
    }

    @Test("of an untracked object are kept by saves after they were loaded") func untracked() throws {
        _ = try movie()
        let movie = try #require(try manager.fetchAll(Movie.self, tracked: false).first)
        try movie.load(\.cover)
        movie.title = "N"
        try manager.save(movie)
        try manager.save(movie)
        #expect(try stored("COVER") == .blob(cover))
        #expect(try stored("SUBTITLES") == .text("é"))
        #expect(try stored("TITLE") == .text("N"))
    }

    @Test("loaded by another manager throw, and are read by that of the row") func otherManager() throws {
        let movie = try movie()
        let other = try memoryManager(Movie.self)
        #expect(failure { try other.load([movie], \.cover) }?.code == .notPersisted)
        #expect(failure { try other.withBlob(of: movie, \.cover) { _ in } }?.code == .notPersisted)
        try movie.load(\.cover)
        #expect(movie.cover == cover)
    }

    @Test("of one file are read by a second manager as the first has stored them") func twoManagers() throws {
        let directory = try TemporaryDirectory()
        let first = try PersistenceManager(path: directory.path())
        let second = try PersistenceManager(path: directory.path())
        try first.createTableIfNecessary(for: Movie.self)
        let movie = try first.insert(Movie.self, values: ["title": "a", "cover": cover])
        let found = try #require(try second.find(Movie.self, movie.id))
        try movie.update(\.cover, to: Data([9]))
        try second.load([found], \.cover)
        #expect(found.cover == Data([9]))
        #expect(!movie.isSameRow(as: found))
        try first.delete(movie)
        #expect(failure { try found.load(\.cover) }?.code == .notFound)
    }

    @Test("of deleted objects throw") func deleted() throws {
        let movie = try movie()
        try manager.delete(movie)
        #expect(failure { try movie.load(\.cover) }?.code == .notPersisted)
    }

    @MainActor
    @Test("of an object that is being saved are not loaded meanwhile, and wait asynchronously", .local(.heldConnection))
    func beingSaved()
        async throws
    {
        let movie = try movie()
        movie.title = "N"
        let held = Gate()
        let busy = await hold(manager, until: held)
        let save = Task { @MainActor in try await manager.save(movie) }
        var thrown: PersistenceError?
        let attempt = Task { @MainActor in
            thrown = failure { try movie.load(\.cover) }
            held.open()
        }
        await attempt.value
        try await busy.value
        try await movie.load(\.cover)
        try await save.value
        #expect(thrown?.code == .beingSaved)
        #expect(movie.cover == cover)
        #expect(!movie.hasChanges)
    }

    @Test("of many objects are loaded while the task is suspended, of one twice in the list") func asyncMany()
        async throws
    {
        for number in 0..<130 {
            try await manager.insert(Media.self, values: ["cover": Data([UInt8(number)])])
        }
        let all = try await manager.fetchAll(Media.self, sortedBy: "id")
        try await manager.load(all + all.prefix(1), \.cover)
        #expect(all.map(\.cover) == (0..<130).map { Data([UInt8($0)]) })
        #expect(all.allSatisfy { !$0.hasChanges })
    }

    @Test("without a key to find the row by throw") func noKey() throws {
        final class Note: PersistingModel {
            var text = ""
            var image: Data?
            override class var columns: Columns { ["TEXT": .string, "IMAGE": .data.deferred] }
        }
        try manager.createTableIfNecessary(for: Note.self)
        let note = try manager.insert(Note.self, values: ["text": "a", "image": cover])
        #expect(failure { try note.load(\.image) }?.code == .noPrimaryKey)
        #expect(failure { try manager.withBlob(of: note, \.image) { _ in } }?.code == .noPrimaryKey)
        #expect(try manager.fetchAll(Note.self).map(\.image) == [nil])
    }

    @Test("a copy of an object has those that were loaded") func copy() throws {
        // F111
        let movie = try movie()
        try movie.load(\.cover)
        let copy = movie.copy()
        #expect(copy.cover == cover)
        #expect(copy.id == nil && !copy.isPersisted)
        try manager.save(copy)
        #expect(try manager.rowCount("MOVIE") == 2)
    }
}

// F26, F34
@Suite("Bits in deferred columns") struct DeferredBitsTests {
    @Test("are rejected, since setting one would drop the others that are not loaded") func rejected() throws {
        final class Flagged: PersistingModel {
            var id: Int64?
            var flags: Int?
            override class var columns: Columns { ["ID": .int, "FLAGS": .int.deferred] }
            override class var bitFields: [BitField] { [BitField("isNew", in: "flags", mask: 1)] }
        }
        let error = failure { try Flagged.schema() }
        #expect(error?.code == .invalidModel)
        #expect(error?.key == "flags")
    }
}
