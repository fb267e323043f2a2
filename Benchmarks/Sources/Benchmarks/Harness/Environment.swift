import CBenchmarkSQLite
import Foundation

/// What the figures were measured with.
enum Environment {
    /// As Package.swift has it.
    private static let versionOfGRDB = "7.10.0"

    static func description(_ options: Options) -> String {
        """
        Machine   \(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores, \
        \(ProcessInfo.processInfo.operatingSystemVersionString)
        Swift     \(compiler), release build
        SQLite    \(String(cString: sqlite3_libversion())), \(String(cString: sqlite3_sourceid()))
                  \(compileOptions.joined(separator: " "))
        GRDB      \(versionOfGRDB)
        Method    \(options.countedRounds) interleaved rounds after one to warm up; medians; ± is the distance between \
        the quartiles of the rounds' ratios
        Seed      \(options.seed)
        """
    }

    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    private static var compileOptions: [String] {
        var options: [String] = []
        while let option = sqlite3_compileoption_get(Int32(clamping: options.count)) {
            options.append(String(cString: option))
        }
        return options
    }

    private static var processor: String {
        #if os(Linux)
            // Without it, as on some machines, the architecture says enough.
            let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
            let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
            return model.map { $0.trimmingCharacters(in: .whitespaces) } ?? architecture
        #else
            var size = 0
            guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 0 else {
                return architecture
            }
            var name = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return architecture }
            return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        #endif
    }

    private static var architecture: String {
        #if arch(arm64)
            "arm64"
        #else
            "x86_64"
        #endif
    }
}
