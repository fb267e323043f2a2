import Dispatch
import Foundation

/// Row 11: a file that one writes and two read, each a batch of rows at a time, for five seconds in all rounds
/// together.
///
/// The figure is the time for a batch: the seconds, divided by the geometric mean of the batches written and read, so
/// that neither side can be bought with the other.
enum Sharing {
    private static let rows = 10_000

    static func byThreads(_ options: Options) throws -> Workload {
        let samples = Album.samples(rows, seed: options.seed)
        let floor = try FloorPool(samples)
        let pool = try SharedPeer(samples)
        let ours = try SharedSubject(samples)
        return try workload("one writer, two readers", options, samples) { seconds in
            [
                ("floor", { try onThreads(seconds, floor.write, floor.read) }, floor.settle),
                ("pool", { try onThreads(seconds, ours.write, ours.read) }, ours.settle),
                ("GRDB pool", { try onThreads(seconds, pool.write, pool.read) }, pool.settle),
            ]
        }
    }

    static func byTasks(_ options: Options) throws -> Workload {
        let samples = Album.samples(rows, seed: options.seed)
        let floor = try FloorPool(samples)
        let pool = try SharedPeer(samples)
        let ours = try SharedSubject(samples)
        return try workload("the same with async", options, samples) { seconds in
            [
                ("floor", { try inTasks(seconds, floor.write, floor.read) }, floor.settle),
                ("pool", { try inTasks(seconds, ours.write, ours.read) }, ours.settle),
                ("GRDB pool", { try inTasks(seconds, pool.write, pool.read) }, pool.settle),
            ]
        }
    }

    private static func workload(
        _ name: String, _ options: Options, _ samples: [Album],
        _ contenders: (Double) -> [(name: String, run: () throws -> Batches, settle: (Int) throws -> Void)]
    ) throws -> Workload {
        let seconds = (options.isQuick ? 0.5 : 5) / Double(options.countedRounds)
        return Workload(
            row: "11", name: name, operations: 1,
            contenders: contenders(seconds).map { name, run, settle in
                Contender(name: name) { stopwatch in
                    let batches = try run()
                    // Each batch was looked at when it was read; that all was written is looked at here.
                    try settle(batches.written * SharedTable.batch)
                    stopwatch.add(
                        seconds: seconds / (Double(batches.written) * Double(batches.read)).squareRoot())
                    return Checksum()
                }
            },
            comparisons: [
                Comparison(
                    name: "", subject: "pool", limit: .ratio(1 / 0.75),
                    peers: [.init(contender: "GRDB pool", atLeast: 1)]
                )
            ])
    }

    /// How many batches were written and read.
    private struct Batches {
        let written: Int
        let read: Int
    }

    private static func onThreads(
        _ seconds: Double, _ write: @escaping @Sendable () throws -> Void,
        _ read: @escaping @Sendable (_ reader: Int) throws -> Void
    ) throws -> Batches {
        let end = ContinuousClock.now + .seconds(seconds)
        let works: [@Sendable () throws -> Void] = [write, { try read(0) }, { try read(1) }]
        let counts = Gathered<Int>(count: works.count)
        let group = DispatchGroup()
        for (index, work) in works.enumerated() {
            group.enter()
            let thread = Thread {
                counts.set(
                    index,
                    Result {
                        var count = 0
                        while ContinuousClock.now < end {
                            try work()
                            count += 1
                        }
                        return count
                    })
                group.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        group.wait()
        let done = try counts.values()
        return Batches(written: done[0], read: done[1] + done[2])
    }

    private static func inTasks(
        _ seconds: Double, _ write: @escaping @Sendable () async throws -> Void,
        _ read: @escaping @Sendable (_ reader: Int) async throws -> Void
    ) throws -> Batches {
        let end = ContinuousClock.now + .seconds(seconds)
        let works: [@Sendable () async throws -> Void] = [write, { try await read(0) }, { try await read(1) }]
        let counts = Gathered<Int>(count: works.count)
        let group = DispatchGroup()
        for (index, work) in works.enumerated() {
            group.enter()
            Task.detached {
                do {
                    var count = 0
                    while ContinuousClock.now < end {
                        try await work()
                        count += 1
                    }
                    counts.set(index, .success(count))
                } catch {
                    counts.set(index, .failure(error))
                }
                group.leave()
            }
        }
        group.wait()
        let done = try counts.values()
        return Batches(written: done[0], read: done[1] + done[2])
    }
}

/// What several threads have come to.
private final class Gathered<Value: Sendable>: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var results: [Result<Value, any Error>?]

    init(count: Int) {
        results = Array(repeating: nil, count: count)
    }

    func set(_ index: Int, _ result: Result<Value, any Error>) {
        lock.withLock { results[index] = result }
    }

    func values() throws -> [Value] {
        try lock.withLock {
            try results.map { result in
                guard let result else { throw BenchmarkFailure("a thread has not ended") }
                return try result.get()
            }
        }
    }
}
