import Foundation
import Persisting
import Testing

private final class Visitor: PersistingModel {
    var id: Int64?
    var name = ""
    var age: Int?
    var score = 0.5
    var born: Date?
    var photo: Data?
    var isActive = false
    var email: String?

    override class var tableName: String { "VISITOR" }
    override class var columns: Columns {
        var columns = super.columns
        columns["EMAIL"] = .string.unique
        return columns
    }
}

private final class Hooked: PersistingModel {
    var id: Int64?
    var name = ""
    var shouted = ""

    override func willInsert() { shouted = name.uppercased() }
    override func validate() -> [ValidationFailure] {
        super.validate() + (name.isEmpty ? [ValidationFailure(key: "name", reason: "must not be empty")] : [])
    }
}

private final class Loose: PersistingModel {
    var id: Int64?
    var value: SQLiteValue?
}

private final class Counted: PersistingModel {
    static let count = Shared(0)
    var id: Int64?
    var name = ""

    required init() {
        Self.count.change { $0 += 1 }
    }
}

/// Cancels the import once it has read for the second time.
private struct Cancelling: ImportSource {
    let data: Data
    /// Called at each read but the first.
    let cancel: @Sendable () -> Void

    func reader(from offset: Int64) throws -> ImportReader {
        var rest = data.dropFirst(Int(offset))
        return ImportReader(byteCount: Int64(data.count)) { room in
            if rest.count < data.count { cancel() }
            let part = rest.prefix(room.count)
            part.copyBytes(to: room)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }
}

private func data(_ text: String) -> Data { Data(text.utf8) }

@Suite("Importing CSV")
struct CSVImportTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Visitor.self)
        try manager.createTableIfNecessary(for: Hooked.self)
        try manager.createTableIfNecessary(for: Loose.self)
    }

    private func rows(_ sql: SQL) throws -> [String] {
        try manager.dictionaries(sql).map { row in
            guard case .text(let text)? = row.values.first else { return "\(row)" }
            return text
        }
    }

    private func failure(_ text: String, _ format: CSVFormat = CSVFormat()) -> PersistenceError? {
        #expect(throws: PersistenceError.self) { try manager.importCSV(Visitor.self, contentsOf: data(text), format) }
    }

    @Test("Fields are found by the header, and become what the columns store") func columnTypes() throws {
        // F106 F107 F108
        let report = try manager.importCSV(
            Visitor.self,
            contentsOf: data(
                "name,AGE,score,born,photo,isActive,unknown\nAnn, 42 ,1e2,2024-02-29T12:00:00Z,AAEC,yes,x\n"))
        #expect(report.inserted == 1)
        let person = try #require(try manager.fetchAll(Visitor.self).first)
        #expect(person.name == "Ann" && person.age == 42 && person.score == 100 && person.isActive)
        #expect(person.born == Date(timeIntervalSince1970: 1_709_208_000) && person.photo == Data([0, 1, 2]))
    }

    @Test(
        "A byte order mark, any line end, blank lines, quotes with line breaks",
        arguments: ["\n", "\r\n", "\r"])
    func lineEnds(_ end: String) throws {
        // F106
        let text = ["\u{FEFF}name,email", "", "\"a \"\"b\"\",", "c\",\"\"", "d,", ""].joined(separator: end)
        try manager.importCSV(Visitor.self, contentsOf: data(text))
        #expect(try rows("SELECT NAME || '|' || ifnull(EMAIL, 'NULL') FROM VISITOR") == ["a \"b\",\(end)c|", "d|NULL"])
    }

    @Test("Any text separates fields") func separator() throws {
        // F106
        try manager.importCSV(
            Visitor.self, contentsOf: data("name::age\na:b::3\n"), CSVFormat(separator: "::"))
        #expect(try rows("SELECT NAME || AGE FROM VISITOR") == ["a:b3"])
    }

    @Test("A header is renamed, or absent") func headers() throws {
        // F106
        try manager.importCSV(
            Visitor.self, contentsOf: data("Full name;Age\nx;1\n"),
            CSVFormat(separator: ";", header: .renamed(["Full name": "name"])))
        try manager.importCSV(
            Visitor.self, contentsOf: data("y,?,2\n"), CSVFormat(header: .absent(["name", "", "age"])))
        #expect(try rows("SELECT NAME || AGE FROM VISITOR") == ["x1", "y2"])
    }

    @Test(
        "A header that can't be used is rejected",
        arguments: ["", "name,name\n", "name,NAME\n", "a,b\n", "\u{FEFF}\"name", "name,\"a\"b\n"])
    func badHeader(_ text: String) {
        // F106
        #expect(failure(text)?.code == .invalidFormat)
    }

    @Test("UTF-16 is rejected by name") func encoding() throws {
        // F106
        let text = try #require("name\nx\n".data(using: .utf16))
        let error = #expect(throws: PersistenceError.self) { try manager.importCSV(Visitor.self, contentsOf: text) }
        #expect(error?.message.contains("UTF-16") == true)
    }

    @Test(
        "A mistake says its line, its field and the reason, and nothing is imported",
        arguments: [
            ("name,age\na,1\nb,x\n", "line 3, age: the text isn't a valid Int"),
            ("name,age\na,1\n\nb,99999999999999999999\n", "line 4, age: the text isn't a valid Int"),
            ("name,age\na\n", "line 2: the row has 1 field, and the header 2"),
            ("name,age\na,1,2\n", "line 2: the row has 3 fields, and the header 2"),
            ("name,born\n\"a\nb\",2024-02-30\n", "line 2, born: the text isn't a valid Date"),
            ("name,photo\na,?\n", "line 2, photo: the text isn't valid Base64, which bytes are read as"),
            ("name\n\"a\nb\n", "line 2: a quotation mark isn't closed up to the end of the file"),
            (
                "name\n\"a\"b\n",
                "line 2: the quoted field is followed by something else than a separator or the end of the line"
            ),
        ])
    func places(_ text: String, _ message: String) throws {
        // F106 F118
        let error = failure(text)
        #expect(error?.code == .importFailed && error?.message == message)
        #expect(try manager.count(Visitor.self) == 0)
    }

    @Test("Bytes that aren't UTF-8 are an error of their field") func invalidUTF8() throws {
        // F106 F118
        let report = try manager.importCSV(
            Visitor.self, contentsOf: data("name\n") + Data([0xFF, 0x0A]) + data("ok\n"), errors: .collect(max: 1))
        #expect(report.inserted == 1 && report.failures.map(\.description) == ["line 2, name: the text isn't UTF-8"])
    }

    @Test("Short and long rows are taken where the format says so") func lengths() throws {
        // F106
        try manager.importCSV(
            Visitor.self, contentsOf: data("name,score,age\na\nb,2,3,4\nc,1,1,,\n"),
            CSVFormat(shortRows: .any, longRows: .any))
        #expect(try rows("SELECT NAME || SCORE || ifnull(AGE, '-') FROM VISITOR") == ["a0.5-", "b2.03", "c1.01"])
    }

    @Test("An empty field is NULL, or the default of a property that isn't Optional; quotes make it an empty text")
    func empty() throws {
        // F33 F107
        try manager.importCSV(Visitor.self, contentsOf: data("name,score,age,email\n\"\",,,\"\"\n"))
        let person = try #require(try manager.fetchAll(Visitor.self).first)
        #expect(person.name == "" && person.score == 0.5 && person.age == nil && person.email == "")
    }

    @Test("Errors are collected up to a maximum, with the value; other rows come in") func collects() throws {
        // F118
        let text = data("name,age,email\na,1,x\nb,?,y\nc,2,x\nd,3,z\n")
        let report = try manager.importCSV(Visitor.self, contentsOf: text, errors: .collect(max: 2))
        #expect(report.inserted == 2 && report.total == 4)
        #expect(report.failures.map(\.line) == [3, 4] && report.failures.map(\.column) == ["age", "email"])
        #expect(report.failures.map(\.value) == ["?", "x"])
        #expect(try rows("SELECT NAME FROM VISITOR ORDER BY NAME") == ["a", "d"])
    }

    @Test("One error more than the maximum ends the import, and nothing stays") func tooManyErrors() throws {
        // F118
        let error = #expect(throws: PersistenceError.self) {
            try manager.importCSV(
                Visitor.self, contentsOf: data("age\n1\nx\ny\n"), errors: .collect(max: 1))
        }
        #expect(error?.importReport?.failures.count == 2 && error?.importReport?.inserted == 0)
        #expect(try manager.count(Visitor.self) == 0)
    }

    @Test("A row in the way is an error, ignored, replaced or updated") func conflicts() throws {
        // F118
        let first = data("id,name,age,email\n1,a,5,x\n")
        let second = data("id,name\n1,b\n2,c\n")
        try manager.importCSV(Visitor.self, contentsOf: first)
        #expect(throws: PersistenceError.self) { try manager.importCSV(Visitor.self, contentsOf: second) }
        let ignored = try manager.importCSV(Visitor.self, contentsOf: second, onConflict: .ignore, dryRun: true)
        #expect(ignored.skipped == 1 && ignored.inserted == 1 && ignored.isDryRun)
        let updated = try manager.importCSV(Visitor.self, contentsOf: second, onConflict: .update(by: "id"))
        #expect(updated.updated == 1 && updated.inserted == 1)
        #expect(try rows("SELECT NAME || ifnull(AGE, '-') FROM VISITOR ORDER BY ID") == ["b5", "c-"])
        let replaced = try manager.importCSV(Visitor.self, contentsOf: data("id,name\n1,d\n"), onConflict: .replace)
        #expect(replaced.updated == 1)
        #expect(try rows("SELECT NAME || ifnull(AGE, '-') FROM VISITOR ORDER BY ID") == ["d-", "c-"])
    }

    @Test("A property that no constraint is on finds no rows") func conflictWithoutConstraint() throws {
        // F118
        let error = #expect(throws: PersistenceError.self) {
            try manager.importCSV(Visitor.self, contentsOf: data("name\na\n"), onConflict: .update(by: "name"))
        }
        #expect(error?.code == .noUniqueConstraint)
    }

    @Test("A dry run reports the same, and writes nothing") func dryRun() throws {
        // F118
        let text = data("name,age\na,1\nb,x\n")
        var report = try manager.importCSV(Visitor.self, contentsOf: text, errors: .collect(max: 9), dryRun: true)
        #expect(try manager.count(Visitor.self) == 0)
        report.self = try manager.importCSV(Visitor.self, contentsOf: text, errors: .collect(max: 9))
        #expect(report.inserted == 1 && report.failures.count == 1)
    }

    @Test("Batches that were committed stay, and the error says where to go on") func resumes() throws {
        // F118
        let text = data("name,age\na,1\nb,2\nc,3\nd,x\n")
        let error = #expect(throws: PersistenceError.self) {
            try manager.importCSV(Visitor.self, contentsOf: text, commit: .every(rows: 2))
        }
        #expect(try rows("SELECT NAME FROM VISITOR ORDER BY NAME") == ["a", "b"])
        let report = try #require(error?.importReport)
        #expect(report.inserted == 2 && report.position == ImportPosition(offset: 17, line: 4))
        let rest = try manager.importCSV(
            Visitor.self, contentsOf: text, errors: .collect(max: 1), from: report.position)
        #expect(rest.inserted == 1 && rest.failures.map(\.line) == [5])
    }

    @Test("An import goes on with a handle, wherever the one before has left it") func resumesHandle() throws {
        // F118
        let directory = try TemporaryDirectory()
        let url = URL(filePath: directory.path("people.csv"))
        try data("name,age\na,1\nb,2\nc,x\nd,4\n").write(to: url)
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        let error = #expect(throws: PersistenceError.self) {
            try manager.importCSV(Visitor.self, contentsOf: handle, commit: .every(rows: 1))
        }
        let rest = try manager.importCSV(
            Visitor.self, contentsOf: handle, errors: .collect(max: 1), from: error?.importReport?.position)
        #expect(rest.inserted == 1 && rest.failures.map(\.line) == [4])
        #expect(try rows("SELECT NAME FROM VISITOR ORDER BY NAME") == ["a", "b", "d"])
    }

    @Test("A cancelled progress ends the import, and nothing stays") func cancels() throws {
        // F118
        let progress = Progress(totalUnitCount: 1)
        progress.cancel()
        #expect(throws: CancellationError.self) {
            try manager.importCSV(Visitor.self, contentsOf: data("name\na\n"), progress: progress)
        }
        #expect(try manager.count(Visitor.self) == 0)
    }

    @Test("An import that is cancelled keeps the batches that it has committed, if it commits some") func keepsBatches()
        throws
    {
        // F118
        let text = data("name\n" + (0..<200_000).map { "name \($0)\n" }.joined())
        let progress = Progress(totalUnitCount: 1)
        let source = Cancelling(data: text) { progress.cancel() }
        let error = #expect(throws: PersistenceError.self) {
            try manager.importCSV(Visitor.self, contentsOf: source, commit: .every(rows: 100), progress: progress)
        }
        let report = try #require(error?.importReport)
        #expect(report.inserted > 0 && report.inserted % 100 == 0 && error?.underlying is CancellationError)
        #expect(try manager.count(Visitor.self) == report.inserted)
        let rest = try manager.importCSV(Visitor.self, contentsOf: text, from: report.position)
        #expect(report.inserted + rest.inserted == 200_000)
    }

    @Test("An import whose task is cancelled says where to continue, if it has committed some rows")
    func cancelledTask() async throws {
        // F118
        let text = data("name\n" + (0..<200_000).map { "name \($0)\n" }.joined())
        let running = Shared<Task<ImportReport, any Error>?>(nil)
        let source = Cancelling(data: text) { running.change { $0?.cancel() } }
        let task = Task { [manager] in
            try await manager.importCSV(Visitor.self, contentsOf: source, commit: .every(rows: 100))
        }
        running.change { $0 = task }
        let error = await #expect(throws: PersistenceError.self) { try await task.value }
        let report = try #require(error?.importReport)
        #expect(report.inserted > 0 && error?.underlying is CancellationError)
        #expect(try await manager.count(Visitor.self) == report.inserted)
        let rest = try await manager.importCSV(Visitor.self, contentsOf: text, from: report.position)
        #expect(report.inserted + rest.inserted == 200_000)
    }

    @Test("An import doesn't continue beyond the end of its source") func beyondTheEnd() throws {
        // F118
        for line in [0, -1, Int.max] {
            let position = ImportPosition(offset: 3, line: line)
            let error = #expect(throws: PersistenceError.self) {
                try manager.importCSV(Visitor.self, contentsOf: data("name\na\n"), from: position)
            }
            #expect(error?.code == .invalidRange)
        }
        let position = ImportPosition(offset: 1_000, line: 9)
        let ofCSV = #expect(throws: PersistenceError.self) {
            try manager.importCSV(Visitor.self, contentsOf: data("name\na\n"), from: position)
        }
        let ofJSON = #expect(throws: PersistenceError.self) {
            try manager.importJSON(Visitor.self, contentsOf: data("[]"), from: position)
        }
        #expect(ofCSV?.code == .invalidRange && ofJSON?.code == .invalidRange)
    }

    @Test("Progress is in bytes") func progress() throws {
        // F118
        let progress = Progress(totalUnitCount: 1)
        let text = data("name\n" + (0..<50_000).map { "name \($0)\n" }.joined())
        try manager.importCSV(Visitor.self, contentsOf: text, progress: progress)
        #expect(progress.totalUnitCount == Int64(text.count) && progress.completedUnitCount == Int64(text.count))
    }

    @Test("A row longer than the limit throws") func longRow() throws {
        // F118
        let text = data("name\n" + String(repeating: "x", count: 1 << 20) + "\n")
        let error = #expect(throws: PersistenceError.self) {
            try manager.importCSV(Visitor.self, contentsOf: text, errors: .collect(max: 9), maximumRowBytes: 1 << 18)
        }
        #expect(error?.message.contains("maximumRowBytes") == true)
    }

    @Test("A short row has no more bytes than the limit, either", arguments: ["\n", "\r\n", ""])
    func shortRow(_ end: String) throws {
        // F118
        #expect(throws: PersistenceError.self) {
            try manager.importCSV(Visitor.self, contentsOf: data("name\nabcdef" + end), maximumRowBytes: 5)
        }
        #expect(throws: PersistenceError.self) {
            try manager.importJSON(Visitor.self, contentsOf: data(#"[{"name":"a"}]"#), maximumRowBytes: 11)
        }
        try manager.importCSV(Visitor.self, contentsOf: data("name\nabcde" + end), maximumRowBytes: 5)
        try manager.importJSON(Visitor.self, contentsOf: data(#"[{"name":"a"}]"#), maximumRowBytes: 12)
        #expect(try rows("SELECT NAME FROM VISITOR") == ["abcde", "a"])
    }

    @Test("A class with hooks and validation is imported by way of objects") func hooks() throws {
        // F118
        let report = try manager.importCSV(
            Hooked.self, contentsOf: data("id,name\n1,a\n2,\"\"\n3,c\n"), errors: .collect(max: 1))
        #expect(report.inserted == 2 && report.failures.map(\.column) == ["name"])
        #expect(try rows("SELECT SHOUTED FROM HOOKED") == ["A", "C"])
        let again = try manager.importCSV(
            Hooked.self, contentsOf: data("id,name\n1,z\n"), onConflict: .update(by: "id"))
        #expect(again.updated == 1)
        #expect(try rows("SELECT NAME || SHOUTED FROM HOOKED WHERE ID = 1") == ["zA"])
    }

    @Test("A property of any value takes what a field looks like") func typing() throws {
        // F107
        let texts = ["12", "007", "-5", "1.5", "99999999999999999999", "YES", "false", "Yes", "x", ""]
        try manager.importCSV(
            Loose.self, contentsOf: data("id,value\n" + texts.enumerated().map { "\($0 + 1),\($1)\n" }.joined()))
        let values = try manager.fetchAll(Loose.self, sortedBy: "id").map(\.value)
        #expect(
            values == [
                .integer(12), .text("007"), .integer(-5), .real(1.5), .text("99999999999999999999"), .integer(1),
                .integer(0), .text("Yes"), .text("x"), nil,
            ])
    }

    @Test("A file and a handle are read") func files() throws {
        // F106
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = directory.appendingPathComponent("people.csv")
        try data("name\na\n").write(to: url)
        #expect(try manager.importCSV(Visitor.self, contentsOf: url).inserted == 1)
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        #expect(try manager.importCSV(Visitor.self, contentsOf: handle).inserted == 1)
        #expect(throws: (any Error).self) {
            try manager.importCSV(Visitor.self, contentsOf: directory.appendingPathComponent("none.csv"))
        }
    }

    @Test("Bytes that come one by one are imported") func download() async throws {
        // F96 F118
        let bytes = AsyncStream<UInt8> { stream in
            for byte in data("name\na\nb\n") { stream.yield(byte) }
            stream.finish()
        }
        let report = try await manager.importCSV(Visitor.self, contentsOf: bytes)
        #expect(report.inserted == 2)
    }

    @Test("A download that breaks off imports nothing") func brokenDownload() async throws {
        // F118
        struct Broken: Error {}
        let bytes = AsyncThrowingStream<UInt8, any Error> { stream in
            for byte in data("name\na\n") { stream.yield(byte) }
            stream.finish(throwing: Broken())
        }
        await #expect(throws: Broken.self) { try await manager.importCSV(Visitor.self, contentsOf: bytes) }
        #expect(try await manager.count(Visitor.self) == 0)
    }

    @Test("A class without hooks and validation is imported without objects") func withoutObjects() throws {
        // F118
        try manager.createTableIfNecessary(for: Counted.self)
        let text = data("name\n" + (0..<500).map { "name \($0)\n" }.joined())
        let before = Counted.count.value
        #expect(try manager.importCSV(Counted.self, contentsOf: text).inserted == 500)
        #expect(Counted.count.value - before < 100)
    }

    @Test("A migration seeds a table") func migration() throws {
        // F51
        let manager = try PersistenceManager(
            .memory,
            migrations: [
                Migration(1) { manager in
                    try manager.createTableIfNecessary(for: Visitor.self)
                    try manager.importCSV(Visitor.self, contentsOf: data("name\na\nb\n"))
                }
            ])
        #expect(try manager.count(Visitor.self) == 2)
    }
}
