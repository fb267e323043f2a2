import Foundation
import Persisting
import Testing

private class PastMessage: PersistingModel {
    var id: Int64?
    var body: String?
    override class var subclasses: [PersistingModel.Type] { [PastPicture.self] }
    override class var history: History? { .values() }
}

private final class PastPicture: PastMessage {
    var data: Data?
    override class var columns: Columns {
        var columns = super.columns
        columns["DATA"] = .data.deferred
        return columns
    }
}

@Suite("The history of a hierarchy") struct HierarchyHistoryTests {
    private let manager: PersistenceManager
    private let first: Int64

    /// A song and a film; then the song has another length, the film is gone, and there is one more song.
    init() throws {
        let manager = try memoryManager(PastMedia.self)
        let song = PastSong()
        (song.title, song.length) = ("s", 1)
        let film = PastFilm()
        film.title = "f"
        try manager.transaction("Begin") {
            try manager.insert(song)
            try manager.insert(film)
        }
        first = try manager.lastNumber
        try manager.transaction("Change") {
            song.length = 2
            try manager.save(song)
            try manager.insert(PastSong.self, values: ["title": "t"])
            try manager.delete(film)
        }
        self.manager = manager
    }

    private func titles<Model: PastMedia>(_ query: Query<Model>) throws -> [String] {
        try manager.fetchAll(query.sorted(by: \.id)).map { "\($0.title ?? "") \(type(of: $0))" }
    }

    @Test("has objects of the rows' classes in the past") func past() throws {
        #expect(try titles(PastMedia.rows.asOf(first)) == ["s PastSong", "f PastFilm"])
        #expect(try titles(PastSong.rows.asOf(first)) == ["s PastSong"])
        #expect(try titles(PastSong.rows) == ["s PastSong", "t PastSong"])
        #expect(try manager.fetchAll(PastSong.rows.asOf(first)).map(\.length) == [1])
    }

    @Test("says what happened to the class, and to one below it alone") func changes() throws {
        let all = try manager.history(of: PastMedia.self)
        #expect(all.map(\.kind) == [.insert, .insert, .update, .delete, .insert])
        #expect(all.map { $0.before.map { "\(type(of: $0))" } } == [nil, nil, "PastSong", "PastFilm", nil])
        let films = try manager.history(of: PastFilm.self)
        #expect(films.map(\.kind) == [.insert, .delete])
        let songs = try manager.history(of: PastSong.self)
        #expect(songs.map(\.kind) == [.insert, .update, .insert] && songs[1].keys == ["length"])
        #expect(songs[1].before?.length == 1 && songs[1].after?.length == 2)
    }

    @Test("has changes of deferred properties that a class below declares")
    func deferredOfSubclass() throws {
        let manager = try memoryManager(PastMessage.self)
        let picture = PastPicture()
        try manager.save(picture)
        picture.data = Data([1])
        try manager.save(picture)
        picture.data = Data([2])
        picture.body = "b"
        try manager.save(picture)
        let changes = try manager.history(of: PastMessage.self)
        #expect(changes.map(\.kind) == [.insert, .update, .update])
        #expect(changes.dropFirst().map { $0.keys.sorted() } == [["data"], ["body", "data"]])
        #expect(try manager.history(of: PastPicture.self).map(\.keys) == changes.map(\.keys))
    }

    @Test("is one with undo, whichever of the classes is named") func undo() throws {
        for type in [PastMedia.self, PastSong.self] as [PersistingModel.Type] {
            let undo = try UndoHistory(of: [type], in: manager)
            let before = try titles(PastMedia.rows)
            try manager.transaction {
                try manager.deleteAll(PastMedia.self)
                try manager.insert(PastFilm.self, values: ["title": "g"])
            }
            try undo.undo()
            #expect(try titles(PastMedia.rows) == before)
        }
    }

    @Test("reverts an object, and brings one back") func revert() throws {
        let song = try #require(try manager.fetchOne(PastSong.where(\.title == "s")))
        try manager.revert(song, to: try manager.history(of: song)[0])
        #expect(try manager.fetchOne(PastSong.where(\.title == "s"))?.length == 1)
        let gone = try #require(try manager.history(of: PastFilm.self).last)
        let film = PastFilm()
        film.id = gone.before?.id
        try manager.revert(film, to: gone)
        #expect(try titles(PastFilm.rows) == ["f PastFilm"])
    }
}

class PastMedia: PersistingModel {
    var id: Int64?
    var title: String?

    override class var subclasses: [PersistingModel.Type] { [PastSong.self, PastFilm.self] }
    override class var history: History? { .values() }
}

final class PastSong: PastMedia {
    var length: Int?
}

final class PastFilm: PastMedia {
    var director: String?
}
