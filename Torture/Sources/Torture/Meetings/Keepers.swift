import Foundation
import Persisting

/// One who has objects or a list on an actor of its own.
protocol Keeper: Sendable {
    /// What it has now, in words.
    func state() throws -> [String: String]
}

/// A controller that belongs to an actor.
actor MeetingList: Keeper {
    private var words: (() -> String)?

    /// The objects of a class.
    static func make(_ kind: Kind, _ manager: PersistenceManager, _ interval: Duration?) throws -> MeetingList {
        let keeper = MeetingList()
        let reply = Reply<Void>()
        Task.detached {
            await keeper.begin(kind.type, manager, interval)
            reply.put(.success(()))
        }
        try reply.take()
        return keeper
    }

    /// Folders, with the number of their notes loaded.
    static func folders(_ manager: PersistenceManager, _ interval: Duration?) throws -> MeetingList {
        let keeper = MeetingList()
        let reply = Reply<Void>()
        Task.detached {
            await keeper.beginWithFolders(manager, interval)
            reply.put(.success(()))
        }
        try reply.take()
        return keeper
    }

    private func begin<Model: PersistingModel>(
        _ type: Model.Type, _ manager: PersistenceManager, _ interval: Duration?
    ) {
        let controller = FetchedResultsController(Query(type), in: manager, otherProcessesEvery: interval)
        words = {
            if let error = controller.error { return "throws \(error)" }
            return controller.objects.map { Objects.words($0) }.sorted().joined(separator: "; ")
        }
    }

    private func beginWithFolders(_ manager: PersistenceManager, _ interval: Duration?) {
        let query = Query(Folder.self).with(Folder.notes.count)
        let controller = FetchedResultsController(query, in: manager, otherProcessesEvery: interval)
        words = {
            if let error = controller.error { return "throws \(error)" }
            do {
                return try controller.objects.map { folder in
                    "\(folder.id ?? 0): \(try folder.related(Folder.notes.count))"
                }.sorted().joined(separator: "; ")
            } catch { return "throws \(error)" }
        }
    }

    private func current() -> [String: String] { ["objects": words?() ?? ""] }

    nonisolated func state() throws -> [String: String] {
        let reply = Reply<[String: String]>()
        Task.detached { reply.put(.success(await self.current())) }
        return try reply.take()
    }
}

/// Live objects that belong to an actor.
actor MeetingObjects: Keeper {
    private var live: LiveObjects?
    private var objects: [PersistingModel] = []

    /// The objects of a class, as they are now.
    static func make(_ kind: Kind, _ manager: PersistenceManager, _ interval: Duration?) throws -> MeetingObjects {
        let keeper = MeetingObjects()
        let reply = Reply<Void>()
        Task.detached {
            do {
                try await keeper.begin(kind.type, manager, interval)
                reply.put(.success(()))
            } catch { reply.put(.failure(error)) }
        }
        try reply.take()
        return keeper
    }

    private func begin<Model: PersistingModel>(
        _ type: Model.Type, _ manager: PersistenceManager, _ interval: Duration?
    ) async throws {
        let live = LiveObjects(in: manager, otherProcessesEvery: interval)
        self.live = live
        objects = try await live.fetchAll(Query(type))
    }

    private func current() -> [String: String] {
        if let error = live?.error { return ["error": "\(error)"] }
        var words: [String: String] = [:]
        for object in objects {
            guard let kind = Kind.of(object) else { continue }
            words[Objects.name(object, kind)] = object.isDeleted ? "deleted" : Objects.words(object)
        }
        return words
    }

    nonisolated func state() throws -> [String: String] {
        let reply = Reply<[String: String]>()
        Task.detached { reply.put(.success(await self.current())) }
        return try reply.take()
    }
}
