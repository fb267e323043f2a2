import Foundation
import Persisting
import PersistingDiagnostics
import Testing

// F43, Settled 17
@Suite("The source of a class for a table with dates")
struct ModelSourceDateTests {
    @Test(
        "declares the form that the column holds", .local(.declaredDates),
        arguments: [
            ("'2024-02-29 12:00:00'", ".date.stored(as: .dateTime)"), ("'2024-02-29'", ".date.stored(as: .date)"),
            ("'2024-02-29 12:00:00.250000'", ".date.stored(as: .fractionalDateTime)"),
            ("'2024-02-29T12:00:00.250000Z'", ".date.stored(as: .iso8601)"),
            ("'2024-02-29T12:00:00.250Z'", ".date.stored(as: .iso8601Milliseconds)"),
            ("1700000000000", ".date.stored(as: .unixMilliseconds)"), ("1700000000", nil), ("NULL", nil),
            ("1700000000000000", ".date.stored(as: .unixMicroseconds)"),
            ("13344473600000000", ".date.stored(as: .microsecondsSince1601)"),
            ("2460431.5", ".date.stored(as: .julianDay)"),
            // No class writes these: they are kept as they are found.
            ("'2024-02-29 12:00:00.25'", nil), ("'2024-02-29T12:00:00Z'", nil), ("'2024-02-29 12:00:00+00:00'", nil),
            ("'29.2.2024'", nil),
        ])
    func form(_ sql: String, _ declaration: String?) throws {
        let manager = try memoryManager(
            script:
                "CREATE TABLE visit (id INTEGER PRIMARY KEY, made DATETIME); INSERT INTO visit (made) VALUES (\(sql))")
        let source = try manager.modelSource(table: "visit")
        let line = source.split(separator: "\n").first { $0.contains(#"columns["made"]"#) }
        #expect(line?.split(separator: "= ").last.map(String.init) == declaration)
    }

    @Test("keeps a CHECK that ends in a comment")
    func comment() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE visit (id INTEGER PRIMARY KEY, length INTEGER CHECK (length > 0 -- no visit is shorter
                ), price REAL CHECK (price > 0 /* of course */));
                """)
        let source = try manager.modelSource(table: "visit")
        #expect(source.contains(#"check("length > 0")"#))
        #expect(source.contains(#"check("price > 0")"#))
    }
}
