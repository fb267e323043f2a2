internal import Dispatch
internal import Foundation

/// Threads for closures that may block: as many as are needed at a time, each kept for a while for the next closure.
///
/// Neither Swift's threads nor Dispatch's serve: there is a limit to both, and a closure that blocks one of them may
/// wait for another that needs one to go on. Here a closure begins when its connection is its own, so that there are
/// never more threads than connections in use.
package final class WorkerThreads: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`. The one that worked last is the last.
    nonisolated(unsafe) private var idle: [Worker] = []
    private static let secondsKept = 10

    private final class Worker: Sendable {
        // Written by who takes the worker out of `idle`, and read by the worker when it has been signalled.
        nonisolated(unsafe) var job: (@Sendable () -> Void)?
        let signal = DispatchSemaphore(value: 0)
        private let threads: WorkerThreads

        init(_ threads: WorkerThreads, _ job: @escaping @Sendable () -> Void) {
            self.threads = threads
            self.job = job
        }

        func work() {
            repeat { runJob() } while threads.hasNext(self)
        }

        private func runJob() {
            #if canImport(ObjectiveC)
                autoreleasepool { takeJob()?() }
            #else
                takeJob()?()
            #endif
        }

        /// The closure, which nothing holds from then on.
        private func takeJob() -> (@Sendable () -> Void)? {
            defer { job = nil }
            return job
        }
    }

    /// Runs a closure on a thread that has nothing else to do. Returns immediately.
    package func run(_ job: @escaping @Sendable () -> Void) {
        guard let worker = lock.withLock({ idle.popLast() }) else {
            start(Worker(self, job))
            return
        }
        worker.job = job
        worker.signal.signal()
    }

    /// Runs a closure that may block, while the task is suspended. It is the task that runs it, with its task-local
    /// values.
    package func perform<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
        try Task.checkCancellation()
        return try await Performer(self).perform(body)
    }

    /// The executor of one closure.
    private actor Performer: SerialExecutor {
        private let threads: WorkerThreads

        init(_ threads: WorkerThreads) {
            self.threads = threads
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

        nonisolated func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            threads.run { job.runSynchronously(on: self.unownedExecutor) }
        }

        func perform<T: Sendable>(_ body: @Sendable () throws -> T) throws -> T { try body() }
    }

    /// Waits for the next closure.
    ///
    /// - Returns: False when there has been none for so long that the thread ends.
    private func hasNext(_ worker: Worker) -> Bool {
        lock.withLock { idle.append(worker) }
        if worker.signal.wait(timeout: .now() + .seconds(Self.secondsKept)) == .success { return true }
        let isWanted = lock.withLock {
            guard let index = idle.firstIndex(where: { $0 === worker }) else { return true }
            idle.remove(at: index)
            return false
        }
        if isWanted { worker.signal.wait() }
        return isWanted
    }

    private func start(_ worker: Worker) {
        #if canImport(Glibc)
            var thread: pthread_t = 0
        #else
            var thread: pthread_t?
        #endif
        let context = Unmanaged.passRetained(worker)
        let code = pthread_create(&thread, nil, { enterWorker($0) }, context.toOpaque())
        guard code != 0 else { return }
        // The system gives no more threads; Dispatch waits until it does.
        context.release()
        DispatchQueue.global().async { worker.work() }
    }
}

/// The first function of a thread.
///
/// - Parameter context: A worker, which the thread holds. The systems' declarations differ in whether it may be nil.
private func enterWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    pthread_detach(pthread_self())
    #if canImport(Darwin)
        pthread_set_qos_class_self_np(QOS_CLASS_USER_INITIATED, 0)
    #endif
    WorkerThreads.enter(context)
    return nil
}

extension WorkerThreads {
    fileprivate static func enter(_ context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().work()
    }
}

/// Of all connections of the process.
package let workerThreads = WorkerThreads()
