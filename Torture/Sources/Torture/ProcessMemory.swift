import Foundation

/// What of the process is in memory, in bytes.
enum ProcessMemory {
    /// Now.
    static func current() throws -> Int {
        #if os(Linux)
            return try status("VmRSS:")
        #else
            var info = mach_task_basic_info()
            var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
            let code = withUnsafeMutablePointer(to: &info) { info in
                info.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
                }
            }
            guard code == KERN_SUCCESS else { throw Complaint("the memory is unknown") }
            return Int(info.resident_size)
        #endif
    }

    /// The most there has been.
    static func peak() throws -> Int {
        #if os(Linux)
            return try status("VmHWM:")
        #else
            var usage = rusage()
            guard getrusage(RUSAGE_SELF, &usage) == 0 else { throw Complaint("the memory is unknown") }
            return usage.ru_maxrss
        #endif
    }

    #if os(Linux)
        private static func status(_ name: String) throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            guard let words = line?.split(whereSeparator: \.isWhitespace).dropFirst(), let first = words.first,
                let size = Int(first)
            else { throw Complaint("the memory is unknown") }
            return size * 1024
        }
    #endif
}
