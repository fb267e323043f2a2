import Foundation
import SQLiteKit
import Testing

@Suite("Types in messages")
struct TypeNameTests {
    private struct Pair<First, Second> {}
    private protocol Named {}

    // The runtime leaves out `any`.
    @Test(
        "A type is written as in source",
        arguments: [
            (Int.self, "Int"), (Int?.self, "Int?"), ([Int].self, "[Int]"), ([Int?].self, "[Int?]"),
            ([[Int]]?.self, "[[Int]]?"), (Int??.self, "Int??"), ([String: Int].self, "[String: Int]"),
            ([String: [Date?]]?.self, "[String: [Date?]]?"), (Set<Data?>.self, "Set<Data?>"),
            (JSON<[String]>?.self, "JSON<[String]>?"), ((any Error)?.self, "Error?"),
            ([any Error].self, "[Error]"), ((String?, [Int]).self, "(String?, [Int])"),
            (((Int) -> [Int])?.self, "((Int) -> [Int])?"), ([String: () -> Int?].self, "[String: () -> Int?]"),
            (Pair<Int?, [String: Int]>.self, "Pair<Int?, [String: Int]>"),
            ([Pair<[Int], (any Named)?>].self, "[Pair<[Int], Named?>]"), (Any.Type?.self, "Any.Type?"),
        ] as [(Any.Type, String)])
    func sourceName(_ type: Any.Type, _ name: String) {
        #expect(SQLiteValue.integer(1).mismatch(type).message == "a stored INTEGER 1 isn't a valid \(name)")
    }

    private struct Place: Codable, Equatable {
        struct Point: Codable, Equatable { var x: Double }
        var name: String
        var points: [Point]
    }

    @Test(
        "JSON that isn't of the type says what is wrong, and where",
        arguments: [
            (#"{"name": "a", "points": [{"x": 1}, {"x": "b"}]}"#, "points[1].x: a value isn't a valid Double"),
            (#"{"name": null, "points": []}"#, "name: null isn't a valid String"),
            (#"{"name": "a", "points": [{}]}"#, "there is no points[0].x"),
            (#"{"name": "a", "points": {}}"#, "points: a value isn't a valid [Any]"),
            ("[]", "a value isn't a valid [String: Any]"),
        ])
    func json(_ text: String, _ reason: String) throws {
        let error = #expect(throws: SQLiteError.self) { try JSON<Place?>(sqliteValue: .text(text)) }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message == "the JSON isn't a valid Place?: \(reason)")
    }

    @Test("An argument that can't be stored is named with its type")
    func argument() throws {
        let db = try Database(.memory)
        let error = #expect(throws: SQLiteError.self) {
            try db.execute("SELECT :a", Arguments(any: ["a": [1] as [Int?]]))
        }
        #expect(error?.message.contains("a value of type [Int?] can't be stored") == true)
    }
}
