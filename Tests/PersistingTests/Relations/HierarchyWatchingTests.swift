import Foundation
import Persisting
import Testing

/// What watches rows of classes that share a table.
@MainActor
@Suite struct HierarchyWatchingTests {
    // F67, F121, F122
    typealias Attachment = Gallery.Attachment
    typealias Photo = Gallery.Photo
    typealias Panorama = Gallery.Panorama
    typealias Clip = Gallery.Clip

    /// Local, since a cluster tells of no commits.
    let manager: PersistenceManager

    init() throws {
        manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Attachment.self)
        try manager.insert([Attachment("A"), Photo("P", width: 30), Panorama("Q", width: 40), Clip("C", seconds: 2.5)])
    }

    private func run(_ sql: SQL) async throws { try await manager.execute(sql) }

    private func until(_ isSo: () -> Bool) async {
        while !isSo() { await Task.yield() }
    }

    // MARK: Controllers

    @Test("A controller shows a subclass's column", .timeLimit(.minutes(20)))
    func column() async throws {
        let base = FetchedResultsController(Attachment.sorted(by: \.id), in: manager)
        let photos = FetchedResultsController(Photo.sorted(by: \.id), in: manager)
        try base.fetch()
        try photos.fetch()
        var changes = base.changes.makeAsyncIterator()
        var photoChanges = photos.changes.makeAsyncIterator()
        try await run("UPDATE ATTACHMENT SET ANGLE = 90 WHERE ID = 3")
        #expect(try await changes.next()?.updates == [.init(from: [0, 2], to: [0, 2])])
        #expect(try await photoChanges.next()?.updates == [.init(from: [0, 1], to: [0, 1])])
        #expect((base.objects[2] as? Panorama)?.angle == 90)
        #expect((photos.objects[1] as? Panorama)?.angle == 90)
    }

    @Test("A row of another kind becomes an object of the other class", .timeLimit(.minutes(20)))
    func kind() async throws {
        let base = FetchedResultsController(Attachment.sorted(by: \.id), in: manager)
        let photos = FetchedResultsController(Photo.sorted(by: \.id), in: manager)
        try base.fetch()
        try photos.fetch()
        var changes = base.changes.makeAsyncIterator()
        var photoChanges = photos.changes.makeAsyncIterator()
        try await run("UPDATE ATTACHMENT SET KIND = 'Clip', SECONDS = 1 WHERE ID = 2")
        #expect(try await changes.next()?.updates == [.init(from: [0, 1], to: [0, 1])])
        #expect(base.objects[1] is Clip)
        #expect(try await photoChanges.next()?.deletions == [[0, 0]])
        try await run("UPDATE ATTACHMENT SET KIND = 'Panorama', WIDTH = 1, ANGLE = 1 WHERE ID = 2")
        #expect(try await photoChanges.next()?.insertions == [[0, 0]])
        #expect(photos.objects.first is Panorama)
    }

    @Test(
        "A row that can't be read is the controller's error", .timeLimit(.minutes(20)),
        arguments: [
            ("UPDATE ATTACHMENT SET WIDTH = 'wide' WHERE ID = 3", PersistenceError.Code.typeMismatch),
            ("UPDATE ATTACHMENT SET KIND = 'Film' WHERE ID = 3", .unknownKind),
        ])
    func unreadable(sql: String, code: PersistenceError.Code) async throws {
        let controller = FetchedResultsController(Attachment.sorted(by: \.id), in: manager)
        try controller.fetch()
        var changes = controller.changes.makeAsyncIterator()
        try await run(SQL(sql))
        await #expect { try await changes.next() } throws: { ($0 as? PersistenceError)?.code == code }
        #expect((controller.error as? PersistenceError)?.code == code)
    }

    // MARK: Live objects

    @Test("Live objects get a subclass's column", .timeLimit(.minutes(20)))
    func live() async throws {
        let live = LiveObjects(in: manager)
        let photo = try #require(try await live.find(Attachment.self, 2) as? Photo)
        #expect(try await live.find(Photo.self, 2) === photo)
        try await run("UPDATE ATTACHMENT SET WIDTH = 31 WHERE ID = 2")
        await until { photo.width == 31 }
    }

    @Test("A live object whose row gets another kind is gone, and comes back with it", .timeLimit(.minutes(20)))
    func liveKind() async throws {
        let live = LiveObjects(in: manager)
        let base = try #require(try await live.find(Attachment.self, 1))
        let photo = try #require(try await live.find(Photo.self, 2))
        try await run("UPDATE ATTACHMENT SET KIND = 'Clip', SECONDS = 1 WHERE ID <= 2")
        await until { base.isDeleted && photo.isDeleted }
        #expect(try await live.find(Attachment.self, 1) is Clip)
        try await run("UPDATE ATTACHMENT SET KIND = 'Photo', WIDTH = 5 WHERE ID = 2")
        await until { !photo.isDeleted }
        #expect(photo.width == 5)
        #expect(live.error == nil)
    }

    @Test("A row that can't be read keeps no other object from being updated", .timeLimit(.minutes(20)))
    func liveError() async throws {
        let live = LiveObjects(in: manager)
        let photo = try #require(try await live.find(Photo.self, 2))
        let panorama = try #require(try await live.find(Photo.self, 3))
        let clip = try #require(try await live.find(Clip.self, 4))
        try await run("UPDATE ATTACHMENT SET WIDTH = 'wide' WHERE ID = 2")
        await until { live.error(of: photo) != nil }
        #expect(photo.width == 30)
        #expect((live.error as? PersistenceError)?.code == .typeMismatch)
        #expect((live.error(of: photo) as? PersistenceError)?.key == "width")
        try await run("UPDATE ATTACHMENT SET WIDTH = WIDTH || 'er', SECONDS = 7, TITLE = 'new'")
        await until { clip.seconds == 7 }
        #expect(live.error(of: panorama) != nil && live.error(of: clip) == nil)
        try await run("UPDATE ATTACHMENT SET WIDTH = 50")
        await until { photo.width == 50 && panorama.width == 50 }
        #expect(photo.title == "new")
        #expect(live.error == nil && live.error(of: photo) == nil)
    }
}
