import Foundation
import Persisting
import Testing

private final class Track: PersistingModel {
    var id: Int64?
    var title = ""
    var length: Double?
    var cover: Data?
    var tags: [String] = []
    var released: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["TAGS"] = .json
        return columns
    }
}

/// A place of its own, to which objects cannot cross.
private actor Editor {
    func retitle(_ snapshot: Snapshot<Track>, to title: String) async throws -> Snapshot<Track> {
        let track = try Track(snapshot)
        track.title = title
        try await track.save()
        return track.snapshot()
    }
}

@Suite("Snapshots") struct SnapshotTests {
    let manager: PersistenceManager

    init() throws {
        manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Track.self)
    }

    private func saved() throws -> Track {
        try manager.insert(
            Track.self,
            values: [
                "title": "So What", "length": 9.2, "cover": Data([1, 2]), "tags": ["modal"],
                "released": Date(timeIntervalSince1970: 0.25),
            ])
    }

    @Test("an object made of a snapshot has the values of the first")
    func values() throws {
        let track = try saved()
        let copy = try Track(track.snapshot())
        #expect(copy.dictionary().keys.sorted() == track.dictionary().keys.sorted())
        #expect(copy.title == "So What")
        #expect(copy.cover == Data([1, 2]))
        #expect(copy.tags == ["modal"])
        #expect(copy.released == track.released)
    }

    @Test("it is the same row, and has no changes")
    func sameRow() throws {
        let track = try saved()
        let copy = try Track(track.snapshot())
        #expect(copy !== track)
        #expect(copy.isSameRow(as: track))
        #expect(!copy.hasChanges)
    }

    @Test("changes that were not saved are changes of the copy")
    func changes() throws {
        let track = try saved()
        track.title = "Freddie Freeloader"
        let copy = try Track(track.snapshot())
        #expect(copy.changedKeys == ["title"])
    }

    @Test("a later change of the object does not reach the snapshot")
    func isValue() throws {
        let track = try saved()
        let snapshot = track.snapshot()
        track.title = "Blue in Green"
        #expect(try Track(snapshot).title == "So What")
    }

    @Test("a later save of the object leaves what the snapshot knows of the row")
    func savedLater() throws {
        let track = try saved()
        let snapshot = track.snapshot()
        track.title = "Blue in Green"
        try manager.save(track)
        #expect(try !Track(snapshot).hasChanges)
    }

    @Test("a snapshot of a new object makes a new object")
    func newObject() throws {
        let track = Track()
        track.title = "All Blues"
        let copy = try Track(track.snapshot())
        #expect(!copy.isPersisted)
        try manager.save(copy)
        #expect(try manager.count(Track.self) == 1)
        #expect(!track.isPersisted)
    }

    @Test("a snapshot crosses to an actor and back, and the row is saved there")
    func crossing() async throws {
        let track = try await manager.insert(Track.self, values: ["title": "a"])
        let back = try await Editor().retitle(track.snapshot(), to: "b")
        #expect(try Track(back).title == "b")
        #expect(try await manager.find(Track.self, track.id)?.title == "b")
    }

    @Test("a value that cannot be stored throws when an object is made of it")
    func unstorable() throws {
        let track = DatedTrack()
        track.released = Date(timeIntervalSince1970: .infinity)
        let manager = try PersistenceManager(.memory, dates: .iso8601)
        try manager.createTableIfNecessary(for: DatedTrack.self)
        try manager.save(DatedTrack())
        let found = try #require(try manager.fetchOne(DatedTrack.self))
        found.released = track.released
        let error = failure { try DatedTrack(found.snapshot()) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "released")
    }
}

private final class DatedTrack: PersistingModel {
    var id: Int64?
    var released: Date?
}

/// Snapshots of objects whose class inherits from the one that is known.
extension SnapshotTests {
    @Test func `an object of a subclass is restored as one`() throws {
        let manager = try Gallery.manager()
        for id in 1...4 {
            let attachment = try #require(try manager.find(Gallery.Attachment.self, id))
            let copy = try Gallery.Attachment(attachment.snapshot())
            #expect(type(of: copy) == type(of: attachment))
            #expect(copy.isSameRow(as: attachment) && !copy.hasChanges)
            #expect(copy.dictionary().keys == attachment.dictionary().keys)
        }
        let panorama = try #require(try manager.find(Gallery.Attachment.self, 3) as? Gallery.Photo)
        let copy = try Gallery.Photo(panorama.snapshot())
        (copy as? Gallery.Panorama)?.angle = 90
        try manager.save(copy)
        #expect(try manager.stored("SELECT ANGLE FROM ATTACHMENT WHERE ID = 3") == .real(90))
    }
}
