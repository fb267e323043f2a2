import Foundation
import Persisting

/// Row 17: a file to a table, and a table to a file, on a disk, with the same settings for all.
enum Importing {
    static func csv(_ options: Options) throws -> Workload {
        let people = try PersonFile.csv(options.size(1_000_000), seed: options.seed)
        return Workload(
            row: "17", name: "import \(people.count.grouped) × 5 from CSV", operations: people.count,
            contenders: [
                Contender(name: "shell") { stopwatch in
                    try imported(&stopwatch) { path in
                        try Shell.run(path, [".mode csv", ".import --skip 1 \"\(people.file.path)\" PERSON"])
                    }
                },
                Contender(name: "importCSV") { stopwatch in
                    try imported(&stopwatch) { path in
                        try managed(path) { try $0.importCSV(Person.self, contentsOf: people.url) }
                    }
                },
            ],
            comparisons: [Comparison(name: "", subject: "importCSV", floor: "shell", limit: .ratio(0.75))])
    }

    static func lines(_ options: Options) throws -> Workload {
        let people = try PersonFile.lines(options.size(1_000_000), seed: options.seed)
        return Workload(
            row: "17", name: "import \(people.count.grouped) × 5 from JSON Lines", operations: people.count,
            contenders: [
                Contender(name: "JSONDecoder") { stopwatch in
                    try imported(&stopwatch) { try decode(people, to: $0) }
                },
                Contender(name: "importJSON") { stopwatch in
                    try imported(&stopwatch) { path in
                        try managed(path) { try $0.importJSON(Person.self, contentsOf: people.url, .lines) }
                    }
                },
            ],
            comparisons: [Comparison(name: "", subject: "importJSON", floor: "JSONDecoder", limit: .ratio(0.3))])
    }

    static func export(_ options: Options) throws -> Workload {
        let people = try PersonFile.csv(options.size(1_000_000), seed: options.seed)
        let (database, text) = (try TemporaryFile(), try TemporaryFile())
        try create(database.path)
        try managed(database.path) { try $0.importCSV(Person.self, contentsOf: people.url) }
        /// The number of lines: the shell has more quotation marks and other line ends.
        func exported(_ stopwatch: inout Stopwatch, _ export: () throws -> Void) throws -> Checksum {
            try stopwatch.measure(export)
            let data = try Data(contentsOf: URL(filePath: text.path), options: .alwaysMapped)
            var sum = Checksum()
            sum.add(data.withUnsafeBytes { bytes in bytes.reduce(0) { $0 &+ ($1 == 0x0A ? 1 : 0) } })
            return sum
        }
        return Workload(
            row: "17", name: "export \(people.count.grouped) × 5 to CSV", operations: people.count,
            contenders: [
                Contender(name: "shell") { stopwatch in
                    try exported(&stopwatch) {
                        try Shell.run(
                            database.path,
                            [".mode csv", ".headers on", ".once \"\(text.path)\"", "SELECT * FROM PERSON"])
                    }
                },
                Contender(name: "exportCSV") { stopwatch in
                    try exported(&stopwatch) {
                        try managed(database.path) {
                            try $0.exportCSV(Query(Person.self), to: URL(filePath: text.path))
                        }
                    }
                },
            ],
            comparisons: [Comparison(name: "", subject: "exportCSV", floor: "shell", limit: .ratio(0.75))])
    }

    /// What a child measures: the memory of an import or an export, over what there was when the file had been opened.
    ///
    /// - Parameter order: What is done, and after a colon the file that it reads.
    static func measureMemory(_ order: String, _ options: Options) throws {
        let parts = order.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw BenchmarkFailure("\(order) is no order") }
        let url = URL(filePath: parts[1])
        let database = try TemporaryFile()
        // An export reads the database that it is given.
        let path = parts[0] == "exportCSV" ? url.path : database.path
        if parts[0] != "exportCSV" { try create(path) }
        try managed(path) { manager in
            _ = try manager.count(Person.self)
            let opened = try Memory.peak()
            switch parts[0] {
            case "importCSV": try manager.importCSV(Person.self, contentsOf: url)
            case "importJSON": try manager.importJSON(Person.self, contentsOf: url, .lines)
            default: try manager.exportCSV(Query(Person.self), to: URL(filePath: database.path))
            }
            Child.report(["opened": Double(opened), "peak": Double(try Memory.peak())])
        }
    }

    /// Prints the memory of each.
    ///
    /// - Returns: Whether it stays within its limit.
    static func printMemory(_ options: Options) throws -> Bool {
        let limit = 16.0 * 1024 * 1024
        let count = options.size(1_000_000)
        let csv = try PersonFile.csv(count, seed: options.seed)
        let lines = try PersonFile.lines(count, seed: options.seed)
        let database = try TemporaryFile()
        try create(database.path)
        try managed(database.path) { try $0.importCSV(Person.self, contentsOf: csv.url) }
        show("\nMemory of row 17: what \(count.grouped) rows take over what there was when the file had been opened")
        show("\n| of | over | at most | |\n| --- | ---: | ---: | --- |")
        var isWithin = true
        for (task, path) in [
            ("importCSV", csv.file.path), ("importJSON", lines.file.path), ("exportCSV", database.path),
        ] {
            let memory = try Child.run("import", "\(task):\(path)", options)
            let over = (memory["peak"] ?? .nan) - (memory["opened"] ?? .nan)
            let verdict = over <= limit ? Verdict.within : .beyond
            if verdict == .beyond { isWithin = false }
            show(
                "| \(task) | \(MemoryReport.megabytes(over)) | \(MemoryReport.megabytes(limit)) | \(verdict.rawValue) |"
            )
        }
        return isWithin
    }

    /// Makes a file with the table, as all contenders get it: with a write-ahead log.
    private static func create(_ path: String) throws {
        let db = try FloorConnection(path)
        try db.execute("PRAGMA journal_mode = WAL")
        try db.execute(Person.create)
    }

    /// Runs an import into a new file, and looks at what is there then.
    private static func imported(_ stopwatch: inout Stopwatch, _ run: (String) throws -> Void) throws -> Checksum {
        let file = try TemporaryFile()
        try create(file.path)
        try stopwatch.measure { try run(file.path) }
        return try FloorConnection(file.path).checksum(Person.summary)
    }

    /// Runs `body` with a manager that is opened and closed, as the shell opens and closes the file.
    private static func managed(_ path: String, _ body: (PersistenceManager) throws -> Void) throws {
        let manager = try PersistenceManager(path: path)
        try body(manager)
        try manager.close()
    }

    private static func decode(_ people: PersonFile, to path: String) throws {
        let db = try FloorConnection(path)
        try db.execute("PRAGMA synchronous = EXTRA")
        let statement = try db.prepare(Person.insert)
        defer { statement.finalize() }
        let decoder = JSONDecoder()
        try db.transaction {
            for line in try Data(contentsOf: people.url).split(separator: 0x0A) {
                let person = try decoder.decode(PersonValues.self, from: line)
                try statement.bind(person.id, 1)
                try statement.bind(person.name, 2)
                try statement.bind(person.score, 3)
                try statement.bind(person.created, 4)
                try statement.bind(person.count, 5)
                try statement.run()
            }
        }
    }
}

/// The program `sqlite3`.
private enum Shell {
    /// Runs commands on a file, with the settings that a manager has.
    static func run(_ path: String, _ commands: [String]) throws {
        let settings = "PRAGMA foreign_keys = 1; PRAGMA synchronous = EXTRA"
        try Child.output(of: URL(filePath: "/usr/bin/env"), ["sqlite3", "-bail", path, settings] + commands)
    }
}
