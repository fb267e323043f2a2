internal import Foundation

/// What has been reported and not been taken yet, for one task.
///
/// However slow the task is, no more than a bound is kept: then what is there becomes one report that anything may have
/// changed.
package final class ChangeMailbox: Sendable {
    private let lock = NSLock()
    // All guarded by `lock`.
    nonisolated(unsafe) private var commits: [CommittedChanges] = []
    nonisolated(unsafe) private var continuation: CheckedContinuation<Bool, Never>?
    nonisolated(unsafe) private var isCancelled = false
    private let bound: Int

    package init(bound: Int) {
        self.bound = bound
    }

    package func put(_ commit: CommittedChanges) {
        let waiting = lock.withLock {
            if commits.count >= bound {
                commits = [CommittedChanges(tables: nil)]
            } else {
                commits.append(commit)
            }
            return takeContinuation()
        }
        waiting?.resume(returning: true)
    }

    /// Waits until there is something.
    ///
    /// - Throws: `CancellationError`.
    package func wait() async throws {
        let isThere = await withTaskCancellationHandler {
            await withCheckedContinuation { (new: CheckedContinuation<Bool, Never>) in
                let answer: Bool? = lock.withLock {
                    if isCancelled { return false }
                    if !commits.isEmpty { return true }
                    continuation = new
                    return nil
                }
                if let answer { new.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = lock.withLock {
                isCancelled = true
                return takeContinuation()
            }
            waiting?.resume(returning: false)
        }
        if !isThere { throw CancellationError() }
    }

    package var isEmpty: Bool { lock.withLock { commits.isEmpty } }

    /// The oldest report, if there is one.
    package func takeFirst() -> CommittedChanges? { lock.withLock { commits.isEmpty ? nil : commits.removeFirst() } }

    /// Takes all reports: what is read from now on has seen what they say.
    package func takeAll() { lock.withLock { commits = [] } }

    private func takeContinuation() -> CheckedContinuation<Bool, Never>? {
        defer { continuation = nil }
        return continuation
    }
}
