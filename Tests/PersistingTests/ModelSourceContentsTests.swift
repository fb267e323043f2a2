import Foundation
import Persisting
import PersistingDiagnostics
import SQLiteKit
import Testing

/// The declared type of a column, a value as SQL, the property that it gives, and what a comment says.
private let cases: [(type: String, value: String, property: String, note: String?)] = [
    ("STRING", "'abc'", "String?", nil), ("VARBINARY(32)", "x'01'", "Data?", nil), ("BYTEA", "x'01'", "Data?", nil),
    ("POINT", "x'01'", "Data?", "holds BLOB"), ("ENUM", "'a'", "String?", nil),
    ("INTERVAL", "'3 days'", "SQLiteValue = .null", "holds TEXT"), ("INET", "'::1'", "String?", nil),
    ("UUID", "'6B29FC40-CA47-1067-B31D-00DD010662DA'", "UUID?", nil),
    ("UUID", "'6dc11c0817cf491890e678e692b7543d'", "String?", "holds TEXT"), ("JSON", "'{}'", "String?", nil),
    ("JSONB", "x'00'", "Data?", "holds BLOB"), ("YEAR", "2024", "Int64?", nil),
    ("DATE", "20240501", "Int64?", "holds INTEGER"), ("DATE", "'01.05.2024'", "String?", "holds TEXT"),
    ("DATE", "'0000-00-00'", "String?", "holds TEXT"), ("DATETIME", "''", "String?", "holds TEXT"),
    ("TIME", "'10:00'", "String?", nil), ("TIMESTAMP", "1714521600", "Date?", nil),
    ("BOOLEAN", "'true'", "String?", "holds TEXT"), ("BOOLEAN", "2", "Int64?", "holds INTEGER"),
    ("BOOLEAN", "1", "Bool?", nil), ("DECIMAL(10,2)", "'1,50'", "String?", "holds TEXT"),
    ("DECIMAL(10,2)", "1.5", "Decimal?", nil), ("INT", "1.5", "Double?", "holds REAL"),
    ("INTEGER", "''", "SQLiteValue = .null", "holds TEXT"), ("REAL", "'n/a'", "SQLiteValue = .null", "holds TEXT"),
    ("TEXT", "5", "String?", nil), ("VARCHAR(10)", "x'41'", "Data?", "holds BLOB"), ("INTEGER", "NULL", "Int64?", nil),
    ("BLOB", "'text'", "SQLiteValue = .null", "holds TEXT"), ("NUMBER(10)", "12", "Int64?", nil),
    ("NUMBER(10)", "NULL", "Double?", nil), ("DOUBLE", "9007199254740993", "Double?", nil),
    ("NUMERIC", "9007199254740993", "Int64?", "holds INTEGER"), ("", "NULL", "SQLiteValue = .null", nil),
]

// F43, Settled 28
@Suite("The source of a class for a table with values of any type")
struct ModelSourceContentsTests {
    private func line(_ manager: PersistenceManager, _ start: String = "var c:") throws -> String? {
        try manager.modelSource(table: "t").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .first { $0.hasPrefix(start) }
    }

    @Test("follows what is stored", .local(.declaredDates), arguments: cases.indices)
    func stored(_ index: Int) throws {
        let (type, value, property, note) = cases[index]
        let manager = try memoryManager(script: "CREATE TABLE t (id INTEGER PRIMARY KEY, c \(type))")
        try manager.run("INSERT INTO t VALUES (1, \(value))")
        #expect(try line(manager) == "var c: \(property)" + (note.map { "  // \($0)" } ?? ""), "\(type) \(value)")
    }

    @Test("looks at every row", .local(.declaredDates))
    func everyRow() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, c INTEGER, at DATETIME);
                WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO t SELECT i, i, '2024-05-01 13:45:00' FROM n;
                """)
        #expect(try line(manager) == "var c: Int64?")
        #expect(try line(manager, #"columns["at"]"#)?.hasSuffix(".stored(as: .dateTime)") == true)
        try manager.run("UPDATE t SET c = 'x', at = '2024-05-01 13:45:00.250000' WHERE id = 150")
        #expect(try line(manager) == "var c: SQLiteValue = .null  // holds INTEGER and TEXT")
        #expect(try line(manager, #"columns["at"]"#)?.hasSuffix(".stored(as: .pythonDateTime)") == true)
        try manager.run("UPDATE t SET at = '2024-05-01T13:45:00Z' WHERE id = 151")
        #expect(try line(manager, #"columns["at"]"#) == nil)
        #expect(try line(manager, "var at:") == "var at: Date?")
    }

    /// Whether a property of a type reads a value.
    private func reads(_ type: String, _ value: SQLiteValue) -> Bool {
        func reads<Value: SQLiteValueConvertible>(_ type: Value.Type) -> Bool {
            (try? Value(sqliteValue: value)) != nil
        }
        return switch type {
        case "Int64?": reads(Int64?.self)
        case "Double?": reads(Double?.self)
        case "String?": reads(String?.self)
        case "Data?": reads(Data?.self)
        case "Bool?": reads(Bool?.self)
        case "Date?": reads(Date?.self)
        case "Decimal?": reads(Decimal?.self)
        case "UUID?": reads(UUID?.self)
        default: type.hasPrefix("SQLiteValue")
        }
    }

    @Test("reads every value of random tables", .local(.declaredDates))
    func random() throws {
        var generator = SeededGenerator()
        let values = [
            "NULL", "0", "1", "-3", "1.5", "'a'", "''", "x'01'", "9007199254740993", "'2024-05-01'", "1714521600",
            "2460431.5", "'6B29FC40-CA47-1067-B31D-00DD010662DA'", "'2024-05-01T13:45:00.250Z'", "'1.50'", "'1e3'",
        ]
        for _ in 0..<300 {
            let type = cases.randomElement(using: &generator)?.type ?? ""
            let some = (0..<2).compactMap { _ in values.randomElement(using: &generator) }
            let manager = try memoryManager(script: "CREATE TABLE t (id INTEGER PRIMARY KEY, c \(type))")
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                try manager.run("INSERT INTO t (c) VALUES (\(some.randomElement(using: &generator) ?? "NULL"))")
            }
            let property = try #require(try line(manager)).dropFirst("var c: ".count).prefix { $0 != " " }
            for value in try manager.storedColumn("SELECT c FROM t") {
                #expect(reads(String(property), value), "\(type) \(value) \(property), seed \(generator.seed)")
            }
        }
    }

    @Test("names a function of another program that a view needs")
    func view() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
                CREATE VIEW t AS SELECT id, title_sort(title) AS sort FROM book
                """)
        #expect(try manager.modelSource(table: "t").contains("no such function: title_sort"))
    }

    @Test("names a function of another program that a generated column needs", .local(.connection))
    func generatedColumn() throws {
        let directory = try TemporaryDirectory()
        let db = try Database(.file(directory.path("other.sqlite")))
        try db.addFunction("title_sort", argumentCount: 1, .deterministic) { _ in 1 }
        try db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b AS (title_sort(a)))")
        try db.close()
        let manager = try PersistenceManager(path: directory.path("other.sqlite"))
        #expect(try manager.modelSource(table: "t").contains("function: title_sort"))
    }

    @Test("gives a table no key whose column hides the rows' identifier")
    func hiddenIdentifier() throws {
        let manager = try memoryManager(script: "CREATE TABLE t (a TEXT, _rowid_ TEXT)")
        #expect(!(try manager.modelSource(table: "t").contains(".rowID")))
    }

    @Test("keeps the names of Swift beside one column that is written as in Swift")
    func naming() throws {
        func source(_ columns: String) throws -> String {
            try memoryManager(script: "CREATE TABLE t (\(columns))").modelSource(table: "t")
        }
        let snake = try source("id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, birthDate TEXT")
        #expect(snake.contains("var firstName: String?"))
        #expect(snake.contains(#"columns["birthDate"] = .any.property("birthDate")"#))
        let camel = try source("id INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, birth_date TEXT")
        #expect(camel.contains("naming: Naming { .identity }"))
        #expect(camel.contains("var firstName: String?"))
    }

    @Test("declares defaults that are literals, in double quotes too")
    func defaults() throws {
        let manager = try memoryManager(
            script: #"CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT NOT NULL DEFAULT "a""b")"#)
        #expect(try line(manager) == #"var c: String = "a\"b""#)
    }

    @Test("declares one CHECK to a column, and names those that are left")
    func checks() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE t (c INTEGER CHECK (c > 0) CHECK (c < 9) CHECK (c <> 5), d INTEGER, CHECK (c < d))")
        let source = try manager.modelSource(table: "t")
        #expect(source.contains(#"columns["c"] = .any.check("c > 0")"#))
        #expect(source.contains(#"columns["d"] = .any.check("#))
        #expect(source.split(separator: "\n").filter { $0.contains("Left out: CHECK") }.count == 2)
    }
}

// Settled 22
@Suite("Blobs in columns of any declared type")
struct BlobAffinityTests {
    private final class Airport: PersistingModel {
        var id: Int64?
        var geom: Data?
        var name: String?

        override class var naming: Naming { .snakeCase }
    }

    private final class AnyValue: PersistingModel {
        var id: Int64?
        var v: SQLiteValue = .null

        override class var naming: Naming { .snakeCase }
        override class var tableName: String { "airport" }
    }

    @Test(
        "are written, found and planned for as they are",
        arguments: ["POINT", "VARBINARY(16)", "BINARY(16)", "REAL", "TEXT", "VARCHAR(9)", "NUMERIC", "BLOB", ""])
    func written(_ type: String) throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE airport (id INTEGER PRIMARY KEY, geom \(type), name TEXT);
                INSERT INTO airport VALUES (1, x'4750', 'BER')
                """)
        #expect(try manager.createTableIfNecessary(for: Airport.self) == false)
        #expect(try manager.schemaPlan(for: [Airport.self]).isEmpty)
        let airport = try #require(try manager.find(Airport.self, 1))
        #expect(airport.geom == Data([0x47, 0x50]))
        airport.geom = Data([1, 2])
        try manager.save(airport)
        try manager.insert(Airport.self, values: ["geom": Data([3])])
        try manager.update(Airport.where(\.id == 2), set: ["geom": Data([4])])
        #expect(try manager.storedColumn("SELECT geom FROM airport") == [.blob(Data([1, 2])), .blob(Data([4]))])
        #expect(try manager.count(Airport.self, where: \.geom == Data([4])) == 1)
    }

    @Test("are rejected by a STRICT table's number")
    func strict() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE airport (id INTEGER PRIMARY KEY, geom INTEGER, name TEXT) STRICT")
        #expect(failure { try manager.insert(Airport.self, values: ["geom": Data([3])]) }?.code == .schemaMismatch)
    }

    @Test("A property that holds any value may be NULL")
    func anyValue() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE airport (id INTEGER PRIMARY KEY, v); INSERT INTO airport VALUES (1, NULL)")
        #expect(try manager.schemaPlan(for: [AnyValue.self]).isEmpty)
        #expect(try manager.find(AnyValue.self, 1)?.v == .null)
        let made = try memoryManager(AnyValue.self)
        try made.insert(AnyValue())
        #expect(try made.count(AnyValue.self, where: \.v == .null) == 1)
        // A table that an earlier version made says NOT NULL.
        let earlier = try memoryManager(script: "CREATE TABLE airport (id INTEGER PRIMARY KEY, v NOT NULL)")
        #expect(try earlier.createTableIfNecessary(for: AnyValue.self) == false)
        #expect(try earlier.schemaPlan(for: [AnyValue.self]).isEmpty)
    }
}
