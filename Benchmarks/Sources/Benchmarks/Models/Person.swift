import Foundation
import Persisting

/// Five columns, of each type that a CSV file and the sqlite3 shell write alike.
final class Person: PersistingModel {
    var id: Int64?
    var name = ""
    var score = 0.0
    var created: Double?
    var count = 0

    static let create = """
        CREATE TABLE PERSON (
            ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL, SCORE REAL NOT NULL, CREATED REAL, COUNT INTEGER NOT NULL
        )
        """
    static let insert = "INSERT INTO PERSON (ID, NAME, SCORE, CREATED, COUNT) VALUES (?, ?, ?, ?, ?)"

    /// What is in the table, in a row.
    static let summary = """
        SELECT count(*), sum(ID), sum(length(NAME)), total(SCORE), total(CREATED), sum(COUNT), \
        count(DISTINCT typeof(SCORE) || typeof(CREATED) || typeof(COUNT)) FROM PERSON
        """
}

/// The same for `JSONDecoder`.
struct PersonValues: Decodable {
    var id: Int64
    var name: String
    var score: Double
    var created: Double
    var count: Int
}

/// Files of people, written some at a time, so that they take no memory.
struct PersonFile {
    let file: TemporaryFile
    let count: Int

    var url: URL { URL(filePath: file.path) }

    /// - Parameters:
    ///   - header: The first lines.
    ///   - line: The line of a person, by the number and the values.
    private init(
        _ count: Int, seed: UInt64, header: String,
        _ line: (_ id: Int, _ score: Double, _ created: Double, _ count: Int) -> String
    ) throws {
        file = try TemporaryFile()
        self.count = count
        var random = SplitMix64(seed: seed)
        try Data(header.utf8).write(to: URL(filePath: file.path))
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        try handle.seekToEnd()
        var part = ""
        for id in 1...max(1, count) {
            // With no more digits than the shell writes.
            let score = Double(Int.random(in: 0..<1_000_000, using: &random)) / 1000
            let created = Double(1_600_000_000_000 + id * 1000 + Int.random(in: 0..<1000, using: &random)) / 1000
            part += line(id, score, created, .random(in: -1_000_000...1_000_000, using: &random))
            if id % 1000 == 0 || id == count {
                try handle.write(contentsOf: Data(part.utf8))
                part = ""
            }
        }
        try handle.close()
    }

    static func csv(_ count: Int, seed: UInt64) throws -> PersonFile {
        try PersonFile(count, seed: seed, header: "ID,NAME,SCORE,CREATED,COUNT\n") { id, score, created, count in
            "\(id),Person number \(id),\(score),\(created),\(count)\n"
        }
    }

    static func lines(_ count: Int, seed: UInt64) throws -> PersonFile {
        try PersonFile(count, seed: seed, header: "") { id, score, created, count in
            "{\"id\":\(id),\"name\":\"Person number \(id)\",\"score\":\(score),\"created\":\(created),"
                + "\"count\":\(count)}\n"
        }
    }
}
