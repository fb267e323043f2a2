import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// How much memory the process has.
enum Memory {
    /// Bytes that are resident now.
    static func resident() throws -> Int {
        #if os(Linux)
            try statusOfProcess("VmRSS:")
        #else
            var info = mach_task_basic_info()
            var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
            let code = withUnsafeMutablePointer(to: &info) { info in
                info.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
                }
            }
            guard code == KERN_SUCCESS else { throw BenchmarkFailure("the memory in use is not known: \(code)") }
            return Int(info.resident_size)
        #endif
    }

    /// The most bytes that have been resident since the process began.
    static func peak() throws -> Int {
        #if os(Linux)
            try statusOfProcess("VmHWM:")
        #else
            var usage = rusage()
            guard getrusage(RUSAGE_SELF, &usage) == 0 else { throw BenchmarkFailure("the peak memory is not known") }
            return usage.ru_maxrss
        #endif
    }

    #if os(Linux)
        private static func statusOfProcess(_ name: String) throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            guard let words = line?.split(whereSeparator: \.isWhitespace), words.count > 1,
                let kilobytes = Int(words[1])
            else { throw BenchmarkFailure("/proc/self/status does not tell \(name)") }
            return kilobytes * 1024
        }
    #endif
}
