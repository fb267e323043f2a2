import Foundation
import NodeProcesses

/// Another process of this program, which is killed or works alongside.
struct Child {
    private let process: ChildProcess

    /// Starts it.
    ///
    /// - Parameter arguments: What it is to do, for ``Work``.
    init(_ arguments: [String]) throws {
        guard let program = Bundle.main.executableURL else { throw Complaint("the program's own file is unknown") }
        process = try ChildProcess([program.path, "--child"] + arguments)
    }

    /// Waits until it says that it is about to begin.
    func waitForBeginning() throws {
        guard try process.output.read(upToCount: 1)?.count == 1 else {
            throw Complaint("a child ended before it began")
        }
    }

    /// Kills it as nothing can prevent.
    func kill() { process.signal(SIGKILL) }

    /// Waits for its end.
    ///
    /// - Returns: The lines that it has said, after the beginning.
    func end() throws -> [String] {
        let data = try process.output.readToEnd() ?? Data()
        process.wait()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// What a child is told to do, by its first argument.
    enum Work: String {
        case write, migrate, plan, count, importBroken, node

        static func run(_ arguments: ArraySlice<String>) throws {
            guard let work = arguments.first.flatMap(Work.init), arguments.count >= 3 else {
                throw Complaint("a child needs its work, and two words for it")
            }
            let rest = Array(arguments.dropFirst())
            switch work {
            case .write: try Kills.write(rest[0], rest[1])
            case .migrate: try MigrationFaults.change(rest[0], rest[1], MigrationStates())
            case .plan: try MigrationFaults.change(rest[0], rest[1], PlanStates())
            case .count: try BusyStorm.count(rest[0], rest[1])
            case .node: try ClusterCheck.runNode(rest)
            case .importBroken: try BrokenFiles.importBroken(rest[0], rest[1])
            }
        }

        /// Says a line, at once.
        static func say(_ line: some CustomStringConvertible) {
            FileHandle.standardOutput.write(Data("\(line)\n".utf8))
        }
    }
}
