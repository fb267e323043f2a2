import Foundation
import Persisting

/// R18: files that are broken on purpose, most of a gigabyte. Each must be an error that says the line, and take little
/// memory, which a process of its own for each tells.
enum BrokenFiles {
    /// The most bytes that a process may take, and all it consists of.
    private static let limit = 64 << 20

    static func run(_ options: Options) throws -> [Figures] {
        var figures = Figures("R18 broken files")
        var largest = 0
        let size = options.isQuick ? 1 << 26 : 1 << 30
        // In short, each fourth of them: other ones by another seed.
        for (place, file) in files.enumerated() where !options.isQuick || place % 4 == Int(options.seed % 4) {
            let lines = try Child(["importBroken", file.name, "\(size)"]).end()
            var faults: [Fault] = []
            if let peak = lines.first.flatMap({ Int($0) }) {
                largest = max(largest, peak)
                if peak > limit { faults.append(Fault(.unusable, "it took \(peak >> 20) MB")) }
            } else {
                faults.append(Fault(.error, lines.first ?? "the process crashed"))
            }
            figures.add(faults, file.name)
        }
        figures.count("MB at the most", largest >> 20)
        return [figures]
    }

    /// What a child does: it prints how many bytes it has taken, or what it should not have done.
    static func importBroken(_ name: String, _ size: String) throws {
        guard let file = files.first(where: { $0.name == name }), let size = Int(size) else {
            throw Complaint("there is no broken file \(name)")
        }
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Reading.self)
        let failures: [ImportFailure]
        do {
            let source = Repeated(file, size: size)
            if file.isCSV {
                failures = try manager.importCSV(Reading.self, contentsOf: source, errors: .collect(max: 100)).failures
            } else {
                let format: JSONFormat = file.isLines ? .lines : .array
                failures =
                    try manager.importJSON(Reading.self, contentsOf: source, format, errors: .collect(max: 100))
                    .failures
            }
        } catch let error as PersistenceError where error.code == .importFailed {
            failures = error.importReport?.failures ?? []
        } catch let error as PersistenceError where error.code == .invalidFormat {
            // The header is the first line.
            return Child.Work.say(try ProcessMemory.peak())
        }
        let isPlaced = failures.last.map { $0.line > 0 && !$0.reason.isEmpty } ?? false
        Child.Work.say(isPlaced ? "\(try ProcessMemory.peak())" : "there is no error that says the line")
    }

    private static let files: [BrokenFile] = [
        .csv("one field", "name\n", "x"), .csv("one field in quotes", "name\n\"", "x"),
        .csv("one line of fields", "name\n", "x,"), .csv("one line of empty fields", "name\n", ","),
        .csv("quotation marks", "name\n\"", "\""), .csv("lines in quotes", "name\n\"", "x\n"),
        .csv("a header", "", "name,"), .csv("digits", "value\n", "9"), .csv("bytes of no text", "name\n", "\u{0}"),
        .csv("texts for numbers", "value\n", "x\n"), .csv("rows too long", "name\n", "x,y\n"),
        .csv("values that aren't Base64", "data\n", "?"),
        .json("one string", "[{\"name\":\"", "x"), .json("one string of escapes", "[{\"name\":\"", "\\u0041"),
        .json("digits", "[{\"value\":1", "0"), .json("digits of a fraction", "[{\"value\":0.", "3"),
        .json("arrays inside each other", "[", "["), .json("objects inside each other", "[", "{\"a\":"),
        .json("an array in a property", "[{\"name\":[1", ",1"),
        .json("an array of what is unknown", "[{\"x\":[1", ",1"),
        .json("one object of keys", "[{\"a\":1", ",\"a\":1"),
        .json("one object of known keys", "[{\"a\":1", ",\"name\":1"),
        .json("elements that are no objects", "[1", ",1"), .json("blanks in a value", "[{", " "),
        .json("commas", "[", ","), .json("no JSON", "", "x"),
        .lines("one string", "{\"name\":\"", "x"), .lines("lines that are no objects", "1\n", "1\n"),
        .lines("lines that are no JSON", "{\n", "{\n"), .lines("arrays inside each other", "", "["),
        .lines("more on the line", "{}", " {}"), .lines("texts for numbers", "", "{\"value\":\"x\"}\n"),
    ]
}

/// A file, made of a beginning, and of something that is repeated.
private struct BrokenFile {
    let name: String
    let isCSV: Bool
    let isLines: Bool
    let start: String
    let repeated: String

    static func csv(_ name: String, _ start: String, _ repeated: String) -> BrokenFile {
        BrokenFile(name: "CSV, \(name)", isCSV: true, isLines: false, start: start, repeated: repeated)
    }

    static func json(_ name: String, _ start: String, _ repeated: String) -> BrokenFile {
        BrokenFile(name: "JSON, \(name)", isCSV: false, isLines: false, start: start, repeated: repeated)
    }

    static func lines(_ name: String, _ start: String, _ repeated: String) -> BrokenFile {
        BrokenFile(name: "JSON Lines, \(name)", isCSV: false, isLines: true, start: start, repeated: repeated)
    }
}

/// The bytes of a broken file, which are nowhere as a whole.
private struct Repeated: ImportSource {
    let file: BrokenFile
    let size: Int

    init(_ file: BrokenFile, size: Int) {
        self.file = file
        self.size = size
    }

    func reader(from offset: Int64) -> ImportReader {
        let start = Array(file.start.utf8)
        let once = Array(file.repeated.utf8)
        let many = Array(repeatElement(once, count: (1 << 16) / once.count).joined())
        var position = 0
        return ImportReader(byteCount: nil) { room in
            let count: Int
            if position < start.count {
                count = min(room.count, start.count - position)
                room.copyBytes(from: start[position..<(position + count)])
            } else {
                let offset = (position - start.count) % once.count
                count = min(room.count, size - position, many.count - offset)
                room.copyBytes(from: many[offset..<(offset + count)])
            }
            position += count
            return count
        }
    }
}

private final class Reading: PersistingModel {
    var id: Int64?
    var name = ""
    var value: Double?
    var data: Data?
}
