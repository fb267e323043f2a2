import Foundation

/// A task that goes through values, and says when each of them came.
final class Arrivals: Sendable {
    private let lock = NSLock()
    private let hasCome = DispatchSemaphore(value: 0)
    // Both guarded by `lock`.
    nonisolated(unsafe) private var arrived: [Result<(value: Int, time: ContinuousClock.Instant), any Error>] = []
    nonisolated(unsafe) private var task: Task<Void, Never>?

    init(_ values: some AsyncSequence<Int, any Error> & Sendable) {
        let task = Task.detached { [weak self] in
            do {
                for try await value in values {
                    let time = ContinuousClock.now
                    self?.put(.success((value, time)))
                }
            } catch {
                self?.put(.failure(error))
            }
        }
        lock.withLock { self.task = task }
    }

    deinit {
        task?.cancel()
    }

    private func put(_ result: Result<(value: Int, time: ContinuousClock.Instant), any Error>) {
        lock.withLock { arrived.append(result) }
        hasCome.signal()
    }

    /// Waits for the next value.
    func wait() throws -> (value: Int, time: ContinuousClock.Instant) {
        hasCome.wait()
        return try lock.withLock { arrived.removeFirst() }.get()
    }

    func end() { lock.withLock { task }?.cancel() }
}

/// Runs `body` in a task, and waits for it.
func awaiting<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    let done = DispatchSemaphore(value: 0)
    let result = Outcome<T>()
    Task.detached {
        do {
            result.set(.success(try await body()))
        } catch {
            result.set(.failure(error))
        }
        done.signal()
    }
    done.wait()
    return try result.get()
}

private final class Outcome<T: Sendable>: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var result: Result<T, any Error>?

    func set(_ new: Result<T, any Error>) { lock.withLock { result = new } }

    func get() throws -> T {
        guard let result = lock.withLock({ result }) else { throw BenchmarkFailure("a task has not ended") }
        return try result.get()
    }
}
