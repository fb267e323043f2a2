import Foundation

/// What of the process is in memory, in bytes.
enum ProcessMemory {
    /// The most there has been.
    static func peak() throws -> Int {
        #if os(Linux)
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            guard let words = line?.split(whereSeparator: \.isWhitespace).dropFirst(), let first = words.first,
                let size = Int(first)
            else { throw Complaint("the memory is unknown") }
            return size * 1024
        #else
            var usage = rusage()
            guard getrusage(RUSAGE_SELF, &usage) == 0 else { throw Complaint("the memory is unknown") }
            return usage.ru_maxrss
        #endif
    }
}
