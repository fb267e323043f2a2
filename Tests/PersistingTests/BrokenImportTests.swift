import Foundation
import Persisting
import Testing

private final class BrokenReading: PersistingModel {
    var id: Int64?
    var name = ""
    var value: Double?
    var day: Date?
}

/// A file that has one byte, as often as it is asked for.
private struct OneByte: ImportSource {
    let byte: UInt8
    let count: Int
    var start = Data()

    func reader(from offset: Int64) -> ImportReader {
        var given = 0
        return ImportReader(byteCount: nil) { room in
            if given < start.count {
                start.copyBytes(to: room, from: 0..<min(start.count, room.count))
                given += min(start.count, room.count)
                return given
            }
            let size = min(room.count, count - given)
            room.prefix(size).initializeMemory(as: UInt8.self, repeating: byte)
            given += size
            return size
        }
    }
}

/// Data that comes some bytes at a time.
private struct InParts: ImportSource {
    let data: Data
    let size: Int

    func reader(from offset: Int64) -> ImportReader {
        var rest = data.dropFirst(Int(offset))
        return ImportReader(byteCount: nil) { room in
            let part = rest.prefix(min(size, room.count))
            part.copyBytes(to: room)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }
}

private struct Mixer: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}

@Suite("Importing broken files")
struct BrokenImportTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(BrokenReading.self)
    }

    @Test("A gigabyte on one line is rejected", arguments: ["name\n", "name\n\""]) func endlessField(_ start: String) {
        // F118
        let source = OneByte(byte: UInt8(ascii: "x"), count: 1 << 30, start: Data(start.utf8))
        let error = #expect(throws: PersistenceError.self) {
            try manager.importCSV(BrokenReading.self, contentsOf: source)
        }
        #expect(error?.message.contains("16777216 bytes") == true)
    }

    @Test(
        "An endless value of JSON is rejected", arguments: ["[{\"name\":\"", "[{\"value\":1", "[[", "[{\"name\":[\""])
    func endlessValue(_ start: String) {
        // F118
        let source = OneByte(byte: UInt8(ascii: "1"), count: 1 << 30, start: Data(start.utf8))
        let error = #expect(throws: PersistenceError.self) {
            try manager.importJSON(BrokenReading.self, contentsOf: source)
        }
        #expect(error?.code == .importFailed)
    }

    @Test("Numbers of a million digits are errors of their field") func hugeNumbers() throws {
        // F118
        let digits = String(repeating: "9", count: 1_000_000)
        let json = Data("{\"value\":\(digits)}\n{\"id\":\(digits)}\n{\"value\":0.\(digits)}\n".utf8)
        let report = try manager.importJSON(BrokenReading.self, contentsOf: json, .lines, errors: .collect(max: 3))
        #expect(report.failures.map(\.column) == ["value", "id"] && report.inserted == 1)
        #expect(report.failures.allSatisfy { ($0.value?.utf8.count ?? 0) <= 200 })
    }

    @Test("The lines of errors are the same, however few bytes come at a time", arguments: [1, 3, 7])
    func lines(_ size: Int) throws {
        // F118
        let text = Data("1\n{\n\n{\"name\":\"\"} {}\n{\"value\":\n{\"value\":\"x\"}\n{\"name\":\"a\"}\n[] 2\n".utf8)
        func failures(_ source: some ImportSource) throws -> [ImportFailure] {
            try manager.importJSON(
                BrokenReading.self, contentsOf: source, .lines, errors: .collect(max: 9), dryRun: true
            )
            .failures
        }
        let whole = try failures(text)
        #expect(whole.map(\.line) == [1, 2, 4, 5, 6, 8, 8])
        #expect(try failures(InParts(data: text, size: size)) == whole)
    }

    // A row that were looked at again with each part would take minutes.
    @Test("A long row is read however few bytes come at a time", .timeLimit(.minutes(20)), arguments: [true, false])
    func longRowInParts(_ isCSV: Bool) throws {
        // F118
        let name = String(repeating: "x", count: 4 << 20)
        let text = isCSV ? "name\n\(name)\n" : "{\"name\":\"\(name)\"}\n"
        let source = InParts(data: Data(text.utf8), size: 256)
        let report =
            try isCSV
            ? manager.importCSV(BrokenReading.self, contentsOf: source)
            : manager.importJSON(BrokenReading.self, contentsOf: source, .lines)
        #expect(report.inserted == 1)
        #expect(try manager.fetchOne(BrokenReading.self)?.name.utf8.count == 4 << 20)
    }

    @Test("A row of more fields than any table has columns is an error of the row") func manyFields() throws {
        // F106 F118
        let text = Data(
            ("name\n" + String(repeating: ",", count: 100_000) + "\n" + String(repeating: "x,", count: 70_000)
                + "\na\n").utf8)
        let report = try manager.importCSV(BrokenReading.self, contentsOf: text, errors: .collect(max: 2))
        #expect(report.inserted == 1 && report.failures.map(\.line) == [2, 3])
        #expect(report.failures.last?.reason == "the row has 70001 fields, and the header 1")
    }

    @Test("Files changed anywhere give rows and errors, and never a trap", .local(.textsWithNUL), arguments: 0..<4)
    func changed(_ seed: Int) {
        // F118
        let csv = Array("name,value,day\n\"a,\"\"b\"\"\r\nc\",1.5,2024-02-29\r\né,-1e3,\n,,\"\"\n".utf8)
        let json = Array(#"[{"name":"a\u00e9","value":1.5e3,"day":"2024-02-29"},{"x":[{}],"value":null}]"#.utf8)
        let signs = Array("\",\n\r{}[]:\\u0eE+-. ".utf8) + [0, 0xFF, 0xC3]
        var random = Mixer(state: UInt64(seed))
        for _ in 0..<500 {
            for (text, isCSV) in [(csv, true), (json, false)] {
                var bytes = text
                for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes.remove(at: place)
                    case 1: bytes[place] = signs.randomElement(using: &random) ?? 0
                    case 2: bytes.insert(signs.randomElement(using: &random) ?? 0, at: place)
                    default: bytes.removeSubrange(place...)
                    }
                }
                do {
                    let data = Data(bytes)
                    if isCSV {
                        try manager.importCSV(
                            BrokenReading.self, contentsOf: data, errors: .collect(max: 2), dryRun: true)
                    } else {
                        let format: JSONFormat = Bool.random(using: &random) ? .array : .lines
                        try manager.importJSON(
                            BrokenReading.self, contentsOf: data, format, errors: .collect(max: 2), dryRun: true)
                    }
                } catch {
                    #expect(
                        (error as? PersistenceError)?.code == .importFailed || isOfFormat(error), "\(bytes) \(error)")
                }
            }
        }
        #expect((try? manager.count(BrokenReading.self)) == 0)
    }

    private func isOfFormat(_ error: any Error) -> Bool { (error as? PersistenceError)?.code == .invalidFormat }
}
