import Foundation

/// Python with the libraries of `Python/requirements.txt`, in a virtual environment of its own in `.build/python`.
struct PythonEnvironment {
    private static let programs = Options.package.appending(path: "Python")
    private let python: URL

    /// Creates the environment, unless it has these versions.
    init() throws {
        let folder = Options.package.appending(path: ".build/python")
        let requirements = Self.programs.appending(path: "requirements.txt")
        let installed = folder.appending(path: "installed.txt")
        python = folder.appending(path: "bin/python")
        let wanted = try Data(contentsOf: requirements)
        if (try? Data(contentsOf: installed)) == wanted { return }
        show("Installing \(requirements.path) into \(folder.path) …")
        do {
            try Child.output(of: URL(filePath: "/usr/bin/env"), ["python3", "-m", "venv", "--clear", folder.path])
        } catch {
            throw BenchmarkFailure("--python needs Python 3.10 or later with the module venv: \(error)")
        }
        do {
            try Child.output(of: python, ["-m", "pip", "install", "--quiet", "--requirement", requirements.path])
        } catch {
            throw BenchmarkFailure("--python needs the packages that \(requirements.path) lists: \(error)")
        }
        try wanted.write(to: installed)
    }

    /// Python's version, that of the SQLite it uses, and the libraries'.
    func description() throws -> String {
        let versions = try Child.output(
            of: python, ["-c", "import platform, sqlite3; print(platform.python_version(), sqlite3.sqlite_version)"])
        let words = versions.split(whereSeparator: \.isWhitespace)
        guard words.count == 2 else { throw BenchmarkFailure("Python doesn't tell its version: \(versions)") }
        let libraries = try String(contentsOf: Self.programs.appending(path: "requirements.txt"), encoding: .utf8)
        return "Python    \(words[0]), with SQLite \(words[1]): "
            + libraries.split(separator: "\n").map { $0.replacing("==", with: " ") }.joined(separator: ", ")
    }

    /// Runs a task of a program, which measures itself.
    ///
    /// - Returns: Its time, and the checksum of what it has read or written.
    func run(_ program: String, _ task: String, _ arguments: [String]) throws -> (seconds: Double, sum: Checksum) {
        let file = Self.programs.appending(path: "with_\(program.lowercased()).py")
        let output = try Child.output(of: python, ["-B", file.path, task] + arguments)
        let words = output.split(whereSeparator: \.isWhitespace)
        guard words.count == 4, words[0] == task, let time = Double(words[1]), let count = Int(words[2]),
            let total = Int(words[3])
        else { throw BenchmarkFailure("\(file.lastPathComponent) \(task) printed \(output)") }
        return (time * 1e-9, Checksum(count: count, total: total))
    }
}

extension Checksum {
    /// What the programs in Python can compute, too.
    init(count: Int, total: Int) {
        self.init()
        add(count)
        add(total)
    }
}
