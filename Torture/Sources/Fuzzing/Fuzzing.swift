package import Foundation

/// Runs what is fuzzed by [libFuzzer](https://llvm.org/docs/LibFuzzer.html), whose options are those of the command
/// line.
///
/// ```
/// FUZZ=1 swift build -c release --package-path Torture --product FuzzText -Xswiftc -sanitize=fuzzer,address
/// mkdir -p /tmp/corpus
/// SWIFT_BACKTRACE=enable=no Torture/.build/release/FuzzText -max_total_time=600 -max_len=512 /tmp/corpus \
///     Torture/Corpora/FuzzText
/// ```
///
/// libFuzzer begins with the inputs in both directories, and writes new ones to the first. `-runs=0` reads those there
/// are and ends. `Torture/Corpora/FuzzText` holds the inputs that are worth keeping: a few that reach the most code.
/// To make it again, merge the inputs of a long run into an empty directory with `-merge=1`.
///
/// Built without `FUZZ`, a fuzzer checks the inputs of the directories that it is given, which `.ci/run` does:
/// `swift run --package-path Torture FuzzText Torture/Corpora/FuzzText`.
///
/// Without the address sanitizer, inputs are read about three times as fast: `FUZZ=fuzzer` and `-sanitize=fuzzer`.
/// The sanitizer itself takes less time with
/// `ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=1:max_malloc_fill_size=0`.
package enum Fuzzing {
    // Set once, before the first input.
    nonisolated(unsafe) fileprivate static var check: (Data) throws -> Void = { _ in }

    /// Something that must not be.
    package struct Found: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    /// Runs until the time or the inputs are over.
    ///
    /// - Parameter check: Throws for an input that shows a fault, which ends the program.
    package static func run(_ check: @escaping (Data) throws -> Void) -> Never {
        self.check = check
        #if FUZZ
            var count = CommandLine.argc
            // They last as long as the program.
            var words = CommandLine.arguments.map { strdup($0) } + [nil]
            let code = words.withUnsafeMutableBufferPointer { words in
                var start = words.baseAddress
                return runFuzzer(&count, &start, takeInput)
            }
            exit(code)
        #else
            do {
                try readInputs(of: CommandLine.arguments.dropFirst())
            } catch {
                print(error)
                exit(1)
            }
            exit(0)
        #endif
    }

    /// Checks the inputs in directories, one after the other.
    private static func readInputs(of directories: some Sequence<String>) throws {
        for directory in directories {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            for name in names {
                let path = "\(directory)/\(name)"
                do { try check(Data(contentsOf: URL(filePath: path))) } catch { throw Found("\(path): \(error)") }
            }
            print("\(directory): \(names.count) inputs")
        }
    }
}

#if FUZZ
    /// libFuzzer's own entry point has this name, and wants it whether that is used or not.
    @_cdecl("LLVMFuzzerTestOneInput") func takeInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        do {
            try Fuzzing.check(Data(UnsafeBufferPointer(start: bytes, count: count)))
        } catch {
            fatalError("\(error)")
        }
        return 0
    }

    @_silgen_name("LLVMFuzzerRunDriver")
    private func runFuzzer(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt
#endif
