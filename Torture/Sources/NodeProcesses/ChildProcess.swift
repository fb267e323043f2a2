package import Foundation

/// Another program, run beside this one.
///
/// Foundation's `Process` is not used: Swift 6.3's reads past an entry of `/proc/self/fd` when many files are open, and
/// crashes now and then ([pull request 5472](https://github.com/swiftlang/swift-corelibs-foundation/pull/5472)).
package final class ChildProcess: Sendable {
    /// What it reads. Closing it is the end of its input.
    package let input: FileHandle
    /// What it writes, to its standard output.
    package let output: FileHandle
    private let id: pid_t
    private let lock = NSLock()
    // Guarded by `lock`. nil while it runs.
    nonisolated(unsafe) private var status: CInt?

    /// Starts it.
    ///
    /// - Parameters:
    ///   - command: A program and its arguments. A name without a path is looked for where the environment says.
    ///   - environment: Its environment; nil for this one's.
    ///   - errors: Where its standard error goes.
    package init(_ command: [String], environment: [String: String]? = nil, errors: Errors = .shown) throws {
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
        // Two at a time, one of which starts before the other's pipes are private, would keep each other's input open.
        (id, input, output) = try Self.starting.withLock {
            let (input, output) = (Pipe(), Pipe())
            for file in [input, output].flatMap({ [$0.fileHandleForReading, $0.fileHandleForWriting] }) {
                _ = fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
            var actions = Self.noActions
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, input.fileHandleForReading.fileDescriptor, 0)
            posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, 1)
            switch errors {
            case .shown: break
            case .amongOutput: posix_spawn_file_actions_adddup2(&actions, 1, 2)
            case .hidden: posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            }
            var id: pid_t = 0
            let code = Self.withStrings(command) { arguments in
                Self.withStrings(variables) { posix_spawnp(&id, command[0], &actions, nil, arguments, $0) }
            }
            guard code == 0 else { throw NodeProcessFailure("\(command[0]): \(String(cString: strerror(code)))") }
            try input.fileHandleForReading.close()
            // The end of the output is that of the child.
            try output.fileHandleForWriting.close()
            return (id, input.fileHandleForWriting, output.fileHandleForReading)
        }
    }

    /// Where a program's standard error goes.
    package enum Errors {
        /// To that of this program.
        case shown
        /// Among its output.
        case amongOutput
        /// Nowhere.
        case hidden
    }

    /// Runs a program to its end.
    ///
    /// - Returns: Its status, and what it has written.
    package static func run(
        _ command: [String], environment: [String: String]? = nil, errors: Errors = .amongOutput
    ) throws -> (status: CInt, output: String) {
        let child = try ChildProcess(command, environment: environment, errors: errors)
        try child.input.close()
        let output = try child.output.readToEnd() ?? Data()
        return (child.wait(), String(decoding: output, as: UTF8.self))
    }

    package var isRunning: Bool { lock.withLock { poll() == nil } }

    /// Waits for its end.
    ///
    /// - Returns: Its exit status; the number of the signal that ended it, plus 128.
    @discardableResult
    package func wait() -> CInt {
        while true {
            if let status = lock.withLock({ poll() }) { return status }
            usleep(1_000)
        }
    }

    /// Sends a signal; nothing once it has ended.
    package func signal(_ signal: CInt) {
        lock.withLock { if poll() == nil { _ = kill(id, signal) } }
    }

    private func poll() -> CInt? {
        if let status { return status }
        var word: CInt = 0
        switch waitpid(id, &word, WNOHANG) {
        case 0: return nil
        case id: status = word & 0x7f == 0 ? (word >> 8) & 0xff : 128 + (word & 0x7f)
        default: status = -1
        }
        return status
    }

    // MARK: The call

    private static let starting = NSLock()

    #if canImport(Darwin)
        private static var noActions: posix_spawn_file_actions_t? { nil }
    #else
        private static var noActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
    #endif

    private static func withStrings<T>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> T
    ) -> T {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
