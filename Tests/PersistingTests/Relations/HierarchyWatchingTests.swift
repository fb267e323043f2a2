import Foundation
import Persisting
import SQLiteKit
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

    // MARK: Handlers

    /// What a handler of a class is called for.
    private func calls<Model: PersistingModel>(
        _ type: Model.Type, _ changes: [ChangeFilter<Model>] = [.insert, .update, .delete]
    ) -> (token: ChangeToken, calls: AsyncStream<String>) {
        let (said, words) = AsyncStream.makeStream(of: String.self)
        let token = manager.onChange(of: type, changes) { change in
            let kind = change.kind.map { "\($0)" } ?? "any"
            let keys = change.kind == .update ? change.changedKeys.sorted().map { " " + $0 } : []
            let row = change.key.map { "\($0)" }.joined()
            words.yield("\(kind) \(row)" + keys.joined())
        }
        return (token, said)
    }

    private func first(_ count: Int, _ calls: AsyncStream<String>) async -> [String] {
        var heard: [String] = []
        for await call in calls {
            heard.append(call)
            if heard.count == count { break }
        }
        return heard
    }

    @Test("A handler hears of its class's rows alone, with the columns of subclasses", .timeLimit(.minutes(20)))
    func handlers() async throws {
        let (base, baseCalls) = calls(Attachment.self)
        let (photos, photoCalls) = calls(Photo.self)
        let (clips, clipCalls) = calls(Clip.self)
        let statements: [SQL] = [
            "UPDATE ATTACHMENT SET SECONDS = 7 WHERE ID = 4", "UPDATE ATTACHMENT SET WIDTH = 31 WHERE ID = 2",
            "UPDATE ATTACHMENT SET ANGLE = 90 WHERE ID = 3", "INSERT INTO ATTACHMENT (ID, KIND) VALUES (5, 'Clip')",
            "INSERT INTO ATTACHMENT (ID, KIND) VALUES (6, 'Panorama')", "UPDATE ATTACHMENT SET TITLE = 'new'",
            "DELETE FROM ATTACHMENT WHERE ID IN (4, 3)",
        ]
        for statement in statements { try await run(statement) }
        #expect(
            await first(12, baseCalls) == [
                "update 4 seconds", "update 2 width", "update 3 angle", "insert 5", "insert 6", "update 1 title",
                "update 2 title", "update 3 title", "update 4 title", "update 5 title", "update 6 title", "delete 3",
            ])
        #expect(
            await first(7, photoCalls) == [
                "update 2 width", "update 3 angle", "insert 6", "update 2 title", "update 3 title", "update 6 title",
                "delete 3",
            ])
        #expect(
            await first(5, clipCalls) == [
                "update 4 seconds", "insert 5", "update 4 title", "update 5 title", "delete 4",
            ])
        for token in [base, photos, clips] { token.cancel() }
    }

    @Test("A handler that is added during a transaction isn't told of another class's rows", .timeLimit(.minutes(20)))
    func handlersDuringTransaction() async throws {
        // Listens to the transaction from its beginning.
        var commits = manager.changes().makeAsyncIterator()
        func photosDuringTransaction() throws -> (token: ChangeToken, calls: AsyncStream<String>) {
            try manager.transaction {
                try manager.execute("UPDATE ATTACHMENT SET SECONDS = 7, TITLE = 'new' WHERE ID = 4")
                return calls(Photo.self)
            }
        }
        let (photos, photoCalls) = try photosDuringTransaction()
        try await run("UPDATE ATTACHMENT SET WIDTH = 31 WHERE ID = 2")
        #expect(await first(2, photoCalls) == ["any ", "update 2 width"])
        #expect(await commits.next()?.tables?["attachment"]?.rows?.map(\.key) == [[.integer(4)]])
        photos.cancel()
    }

    @Test("A row of another kind is deleted for one class and inserted for the other", .timeLimit(.minutes(20)))
    func handlersOfKinds() async throws {
        let (base, baseCalls) = calls(Attachment.self)
        let (photos, photoCalls) = calls(Photo.self)
        let (clips, clipCalls) = calls(Clip.self)
        try await run("UPDATE ATTACHMENT SET KIND = 'Clip', SECONDS = 1 WHERE ID = 2")
        try await run("UPDATE ATTACHMENT SET KIND = 'Panorama', WIDTH = 1, ANGLE = 1 WHERE ID = 2")
        try await run("UPDATE ATTACHMENT SET KIND = 'Photo' WHERE ID = 2")
        #expect(await first(3, photoCalls) == ["delete 2", "insert 2", "update 2"])
        #expect(await first(2, clipCalls) == ["insert 2", "delete 2"])
        #expect(await first(3, baseCalls) == ["update 2 seconds", "update 2 angle width", "update 2"])
        for token in [base, photos, clips] { token.cancel() }
    }

    @Test("A handler of one property isn't called for another class's rows", .timeLimit(.minutes(20)))
    func handlersOfProperties() async throws {
        let (cameras, cameraCalls) = calls(Photo.self, [.update(\.camera)])
        let (angles, angleCalls) = calls(Attachment.self, [.update("angle")])
        // Both classes have the column.
        try await run("UPDATE ATTACHMENT SET CAMERA = 'x' WHERE ID = 4")
        try await run("UPDATE ATTACHMENT SET CAMERA = 'y', ANGLE = 5 WHERE ID = 3")
        #expect(await first(1, cameraCalls) == ["update 3 angle camera"])
        #expect(await first(1, angleCalls) == ["update 3 angle camera"])
        for token in [cameras, angles] { token.cancel() }
        #expect(calls(Clip.self, [.update("width")]).token.error?.code == .unknownKey)
    }

    @Test("A handler's object is of the row's class", .timeLimit(.minutes(20)))
    func handlersObjects() async throws {
        let (said, words) = AsyncStream.makeStream(of: String.self)
        let token = manager.onChange(of: Attachment.self) { change in
            words.yield((try? change.object()).flatMap(\.self).map { "\(Swift.type(of: $0))" } ?? "nil")
        }
        var heard = said.makeAsyncIterator()
        try await run("UPDATE ATTACHMENT SET ANGLE = 90 WHERE ID = 3")
        #expect(await heard.next() == "Panorama")
        token.cancel()
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
