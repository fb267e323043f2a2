import Foundation
import Persisting

/// Row 21: rows by a value inside of a column of JSON, which an index has.
enum QueryingJSON {
    static func few(_ options: Options) throws -> Workload { try byIndex(options, rows: 20) }

    static func many(_ options: Options) throws -> Workload { try byIndex(options, rows: 1_000) }

    /// - Parameter rows: How many rows have the value.
    private static func byIndex(_ options: Options, rows: Int) throws -> Workload {
        let count = options.size(1_000_000)
        let (themes, lookups) = (max(1, count / rows), 50)
        let fill = Document.fill(count, themes)
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Document.self)
        try manager.write { db in try db.executeScript(SQL(fill)) }
        let floor = try FloorConnection()
        try floor.execute("CREATE TABLE DOCUMENT (ID INTEGER PRIMARY KEY, SETTINGS TEXT NOT NULL)")
        try floor.execute("CREATE INDEX DOCUMENT_THEME ON DOCUMENT (json_extract(SETTINGS, '$.theme'))")
        try floor.execute(fill)
        return Workload(
            row: "21", name: "\(rows) of \(count.grouped) rows by a value inside of JSON", operations: lookups,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        let statement = try floor.prepare(
                            "SELECT ID, SETTINGS FROM DOCUMENT WHERE json_extract(SETTINGS, '$.theme') = ?")
                        defer { statement.finalize() }
                        let decoder = JSONDecoder()
                        for number in 0..<lookups {
                            try statement.bind("theme \(number % themes)", 1)
                            var documents: [Document] = []
                            while try statement.step() {
                                let document = Document()
                                document.id = statement.int64(0)
                                document.settings = try decoder.decode(
                                    Settings.self, from: Data(try statement.text(1)?.utf8 ?? "".utf8))
                                documents.append(document)
                            }
                            try statement.reset()
                            sum.add(documents)
                        }
                        return sum
                    }
                },
                Contender(name: "key path") { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        for number in 0..<lookups {
                            let theme = "theme \(number % themes)"
                            sum.add(try manager.fetchAll(Document.where(\.settings.theme == theme)))
                        }
                        return sum
                    }
                },
            ],
            comparisons: [Comparison(name: "", subject: "key path", limit: .ratio(1.15))])
    }
}

extension Checksum {
    fileprivate mutating func add(_ documents: [Document]) {
        for document in documents {
            add(document.id)
            add(document.settings.tags.count)
        }
    }
}

private struct Settings: Codable, Sendable {
    var theme = ""
    var size = 12.5
    var tags: [String] = []
}

private final class Document: PersistingModel {
    var id: Int64?
    var settings = Settings()

    override class var columns: Columns { ["ID": .int, "SETTINGS": .json] }
    override class var indexes: [Index] { [Index(\Document.settings.theme)] }

    static func fill(_ count: Int, _ themes: Int) -> String {
        """
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO DOCUMENT
        SELECT i, '{"size":12.5,"tags":["a","b"],"theme":"theme ' || (i * 7919 % \(themes)) || '"}' FROM n
        """
    }
}
