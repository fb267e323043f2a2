internal import Foundation

extension PersistenceManager {
    /// Writes objects: those with hooks by the synchronous form, in the caller's isolation, and others while the task
    /// is suspended.
    ///
    /// Hooks belong to the caller's isolation, and what they write to the transaction of their object. Nobody could
    /// keep the transaction open meanwhile: the caller's actor may be running something that waits for the database.
    ///
    /// - Parameter needsObjects: Whether the write needs the objects between its statements, even without hooks of
    ///   theirs.
    @discardableResult
    func saving<T>(
        _ objects: [PersistingModel], needsObjects: Bool = false, _ write: () throws -> T,
        suspended body: () async throws -> T
    ) async throws -> T {
        try await prepareToSave(objects)
        guard try needsObjects || haveHooks(objects) else { return try await marking(objects, body) }
        repeat {
            await endOfSaves(of: objects)
            // Whatever has the database, another process too, is waited for here.
            try await accessing(objects.first.map { type(of: $0) }) { try await engine.write { _ in } }
        } while objects.contains(where: \.record.isBeingSaved)
        return try write()
    }

    /// Runs `body` while the objects are marked as being saved, after those saves of them that are under way.
    @discardableResult
    func saving<T>(_ objects: [PersistingModel], _ body: () async throws -> T) async throws -> T {
        try await prepareToSave(objects)
        return try await marking(objects, body)
    }

    private func prepareToSave(_ objects: [PersistingModel]) async throws {
        for object in objects where type(of: object).primaryKey.kind == .fromSchema {
            try await discoverKey(of: type(of: object))
        }
        for object in objects where object.isPersisted {
            guard let table = knownTable(of: type(of: object)), !table.isInspected else { continue }
            // Here, where the task can wait.
            try await accessing(type(of: object)) {
                guard !table.mapping.isTemporary else {
                    return try await engine.withoutTransaction { db in try table.mapping.naming { try table.check(db) }
                    }
                }
                try await engine.query { db in try table.mapping.naming { try table.check(db) } }
            }
        }
    }

    /// Suspends the task until none of the objects is being saved.
    func endOfSaves(of objects: [PersistingModel]) async {
        while let busy = objects.first(where: \.record.isBeingSaved) { await savesUnderWay.end(of: busy) }
    }

    private func haveHooks(_ objects: [PersistingModel]) throws -> Bool {
        var last: PersistingModel.Type?
        for object in objects {
            let type = type(of: object)
            if type == last { continue }
            if try table(of: type).mapping.hasHooks { return true }
            last = type
        }
        return false
    }

    private func marking<T>(_ objects: [PersistingModel], _ body: () async throws -> T) async throws -> T {
        await endOfSaves(of: objects)
        for object in objects { object.record.isBeingSaved = true }
        defer {
            for object in objects {
                object.record.isBeingSaved = false
                savesUnderWay.ended(of: object)
            }
        }
        return try await body()
    }
}

/// Those who wait for the end of a save of an object.
let savesUnderWay = SavesUnderWay()

final class SavesUnderWay: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var waiters: [ObjectIdentifier: [@Sendable () -> Void]] = [:]

    /// Calls a closure at the end of the save of an object that is being saved, once.
    func atEnd(of object: PersistingModel, _ body: @escaping @Sendable () -> Void) {
        let identity = ObjectIdentifier(object)
        lock.withLock { waiters[identity, default: []].append(body) }
    }

    fileprivate func end(of object: PersistingModel) async {
        await withCheckedContinuation { continuation in atEnd(of: object) { continuation.resume() } }
    }

    fileprivate func ended(of object: PersistingModel) {
        let woken = lock.withLock { waiters.removeValue(forKey: ObjectIdentifier(object)) }
        woken?.forEach { $0() }
    }
}
