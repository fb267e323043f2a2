package import Foundation

/// Runs what is fuzzed by [libFuzzer](https://llvm.org/docs/LibFuzzer.html), whose options are those of the command line.
///
/// ```
/// FUZZ=1 swift build -c release --package-path Torture --product FuzzImports -Xswiftc -sanitize=fuzzer,address
/// SWIFT_BACKTRACE=enable=no Torture/.build/release/FuzzImports -max_total_time=600 -max_len=512
/// ```
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
        var count = CommandLine.argc
        // They last as long as the program.
        var words = CommandLine.arguments.map { strdup($0) } + [nil]
        let code = words.withUnsafeMutableBufferPointer { words in
            var start = words.baseAddress
            return runFuzzer(&count, &start, takeInput)
        }
        exit(code)
    }
}

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
