import Foundation

/// A process of this program for one task: what has been done before in this one has no part in its memory, and finds
/// nothing made ready.
enum Child {
    /// Runs a task, and gives the numbers that it prints, by name.
    static func run(_ task: String, _ contender: String, _ options: Options) throws -> [String: Double] {
        guard let executable = Bundle.main.executableURL else { throw BenchmarkFailure("there is no executable") }
        return numbers(in: try output(of: executable, ["--child", task, contender] + options.forChildren))
    }

    /// The numbers that a task has printed, by name.
    static func numbers(in text: String) -> [String: Double] {
        var numbers: [String: Double] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, let number = Double(words[1]) { numbers[String(words[0])] = number }
        }
        return numbers
    }

    /// What a program prints.
    ///
    /// - Throws: ``BenchmarkFailure`` when it fails.
    @discardableResult
    static func output(of executable: URL, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure("\(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return text
    }

    /// Prints numbers for ``run(_:_:_:)``.
    static func report(_ numbers: KeyValuePairs<String, Double>) {
        for (name, number) in numbers { show("\(name) \(number)") }
    }
}
