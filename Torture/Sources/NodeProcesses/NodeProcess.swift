import Foundation

/// A node of a cluster as a process of its own, so that it can be killed and frozen.
///
/// The process ends with its input, and so with this one.
package final class NodeProcess: Sendable {
    package let id: Int
    package let address: String
    package let directory: String
    private let command: [String]

    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var child: Child?

    private struct Child {
        let process: ChildProcess
        let output: LineReader
    }

    /// - Parameter command: A program and its first arguments. The number, the address, the directory and the addresses
    ///   to join follow. It prints `ready` when the node runs, answers each line with a line, and ends with its input.
    package init(_ command: [String], id: Int, address: String, directory: String) {
        self.command = command
        self.id = id
        self.address = address
        self.directory = directory
    }

    deinit { kill() }

    /// Starts it, or starts it again after it was killed, and waits until it is ready.
    ///
    /// - Parameter others: The addresses of the cluster to join; none for the first node, or one that has joined.
    package func start(joining others: [String] = []) throws {
        kill()
        let process = try ChildProcess(command + ["\(id)", address, directory] + others)
        let child = Child(process: process, output: LineReader(process.output))
        lock.withLock { self.child = child }
        let line = try child.output.line(before: .now + .seconds(30))
        guard line == "ready" else {
            kill()
            throw NodeProcessFailure("node \(id) did not start: \(line ?? "it ended, or said nothing for 30 s")")
        }
    }

    package var isRunning: Bool { lock.withLock { child?.process.isRunning ?? false } }

    /// Sends a line.
    ///
    /// - Returns: The line that it answers.
    package func ask(_ line: String, within time: Duration = .seconds(30)) throws -> String {
        guard let child = lock.withLock({ child }) else { throw NodeProcessFailure("node \(id) doesn't run") }
        try child.process.input.write(contentsOf: Data("\(line)\n".utf8))
        guard let answer = try child.output.line(before: .now + time) else {
            throw NodeProcessFailure("node \(id) did not answer '\(line)'")
        }
        return answer
    }

    /// Kills it as nothing can prevent, and waits for its end.
    package func kill() { end { $0.signal(SIGKILL) } }

    /// Ends its input, so that it stops its node by itself. Kills it when it takes longer.
    ///
    /// - Returns: Whether it ended by itself, without an error.
    @discardableResult
    package func stop(within time: Duration = .seconds(20)) -> Bool {
        guard let child = lock.withLock({ child }) else { return true }
        try? child.process.input.close()
        let deadline = ContinuousClock.now + time
        while child.process.isRunning, .now < deadline { usleep(5_000) }
        let isOver = !child.process.isRunning
        end { if !isOver { $0.signal(SIGKILL) } }
        return isOver && child.process.wait() == 0
    }

    /// Stops it between two instructions. Its sockets stay open.
    package func freeze() { signal(SIGSTOP) }
    /// Lets it go on.
    package func thaw() { signal(SIGCONT) }

    private func signal(_ signal: CInt) {
        lock.withLock({ child })?.process.signal(signal)
    }

    private func end(_ signal: (ChildProcess) -> Void) {
        let ended = lock.withLock { () -> Child? in
            defer { child = nil }
            return child
        }
        guard let ended else { return }
        signal(ended.process)
        ended.process.wait()
        try? ended.process.input.close()
    }
}

/// Why a process of a node isn't as expected.
package struct NodeProcessFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The lines that another process writes.
final class LineReader {
    private let file: FileHandle
    private var rest: [UInt8] = []

    init(_ file: FileHandle) { self.file = file }

    /// The next line; nil at the end of the output, or at the deadline.
    func line(before deadline: ContinuousClock.Instant) throws -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var poll = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { return nil }
            guard Foundation.poll(&poll, 1, CInt(left.rounded(.up))) > 0 else { continue }
            let bytes = file.availableData
            if bytes.isEmpty { return nil }
            rest += bytes
        }
    }
}
