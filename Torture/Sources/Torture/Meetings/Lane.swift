import Foundation
import Persisting

/// A manager with a thread of its own, which does what it is given, in order. While a transaction is open, that is done
/// in its closure: so a program can say what happens in which order, and when it is run again, the same happens.
final class Lane: Sendable {
    /// How a transaction or savepoint ends.
    enum End: Sendable { case commit, rollback }

    private enum Job: Sendable {
        case work(@Sendable () -> Void)
        case begin(isAsync: Bool, began: Reply<Void>, ended: Reply<Void>)
        case end(End)
        case stop
    }

    private struct Undone: Error {}

    let manager: PersistenceManager
    private let condition = NSCondition()
    // Guarded by `condition`.
    nonisolated(unsafe) private var jobs: [Job] = []
    /// The task of an asynchronous transaction.
    private let task = Shared<Task<Void, Never>?>(nil)

    init(_ manager: PersistenceManager) {
        self.manager = manager
        let thread = Thread { [self] in
            while serve() != nil {}
        }
        thread.stackSize = 2 << 20
        thread.start()
    }

    private func put(_ job: Job) {
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func next() -> Job {
        condition.withLock {
            while jobs.isEmpty { condition.wait() }
            return jobs.removeFirst()
        }
    }

    /// Does what comes, until a transaction ends.
    ///
    /// - Returns: How it ends; nil when there is no more to do.
    private func serve() -> End? {
        while true {
            switch next() {
            case .work(let body): body()
            case .begin(let isAsync, let began, let ended): transact(isAsync, began, ended)
            case .end(let end): return end
            case .stop: return nil
            }
        }
    }

    private func transact(_ isAsync: Bool, _ began: Reply<Void>, _ ended: Reply<Void>) {
        let body: @Sendable () throws -> Void = { [self] in
            began.put(.success(()))
            if serve() != .commit { throw Undone() }
        }
        if isAsync {
            let done = DispatchSemaphore(value: 0)
            task.value = Task.detached { [manager] in
                await Self.answering(began, ended) { try await manager.transaction(body) }
                done.signal()
            }
            done.wait()
            task.value = nil
        } else {
            do {
                try manager.transaction(body)
                ended.put(.success(()))
            } catch is Undone {
                ended.put(.success(()))
            } catch {
                began.put(.failure(error))
                ended.put(.failure(error))
            }
        }
    }

    private static func answering(
        _ began: Reply<Void>, _ ended: Reply<Void>, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            ended.put(.success(()))
        } catch is Undone {
            ended.put(.success(()))
        } catch {
            began.put(.failure(error))
            ended.put(.failure(error))
        }
    }

    // MARK: For the program

    /// Begins a transaction, or a savepoint in one, without waiting for it.
    func begin(isAsync: Bool, began: Reply<Void>, ended: Reply<Void>) {
        put(.begin(isAsync: isAsync, began: began, ended: ended))
    }

    func end(_ end: End) { put(.end(end)) }

    /// Cancels the task of an asynchronous transaction.
    ///
    /// - Returns: Whether there is one.
    func cancel() -> Bool {
        task.value?.cancel()
        return task.value != nil
    }

    func stop() { put(.stop) }

    /// Does something on the lane's thread.
    func run<T: Sendable>(_ body: @escaping @Sendable (PersistenceManager) throws -> T) throws -> T {
        let reply = Reply<T>()
        put(.work { [manager] in reply.put(Result { try body(manager) }) })
        return try reply.take()
    }

    /// Does something in a task of its own.
    func runAsynchronously<T: Sendable>(
        _ body: @escaping @Sendable (PersistenceManager) async throws -> T
    ) -> Reply<T> {
        let reply = Reply<T>()
        Task.detached { [manager] in
            do { reply.put(.success(try await body(manager))) } catch { reply.put(.failure(error)) }
        }
        return reply
    }
}

/// What somebody else will say, once.
final class Reply<Value: Sendable>: Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    nonisolated(unsafe) private var result: Result<Value, any Error>?

    /// Later answers don't count.
    func put(_ new: Result<Value, any Error>) {
        condition.withLock {
            if result == nil { result = new }
            condition.broadcast()
        }
    }

    /// Whether there is an answer within a time.
    func comes(within seconds: Double) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        return condition.withLock {
            while result == nil, condition.wait(until: end) {}
            return result != nil
        }
    }

    /// Waits for the answer.
    ///
    /// - Throws: ``Hang`` when it doesn't come.
    func take() throws -> Value {
        guard comes(within: Hang.limit) else { throw Hang() }
        return try condition.withLock {
            guard let result else { throw Hang() }
            return try result.get()
        }
    }
}

/// A call that doesn't return.
struct Hang: Error, CustomStringConvertible {
    /// In seconds.
    static let limit = 30.0

    var description: String { "a call has not returned within \(Int(Self.limit)) seconds" }
}
