internal import Foundation

/// What a batch tells a Progress: about a hundred times, so that it costs the batch nothing.
struct BatchProgress: Sendable {
    private let progress: Progress?
    private let count: Int
    private let step: Int
    private var next = 0

    init(_ progress: Progress?, count: Int) {
        self.progress = progress
        self.count = count
        step = max(1, count / 100)
        // Foundation traps on a total of 0.
        if count > 0 { progress?.totalUnitCount = Int64(count) }
    }

    /// Says how many objects are done.
    ///
    /// - Throws: `CancellationError` when the progress has been cancelled.
    @inline(__always)
    mutating func advance(to done: Int) throws {
        guard done >= next else { return }
        next = done + step
        try report(done)
    }

    @inline(never)
    private func report(_ done: Int) throws {
        guard let progress else { return }
        if progress.isCancelled { throw CancellationError() }
        progress.completedUnitCount = count > 0 ? Int64(done) : progress.totalUnitCount
    }

    /// Says that all objects are done.
    func finish() throws {
        try report(count)
    }
}
