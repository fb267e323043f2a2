import Foundation
import Persisting
import Testing

/// Values at the ends of what their types hold, by the property of ``Possible`` that they are for.
private let extremes: [(key: String, values: [any SQLiteValueConvertible])] = [
    ("int", [Int.min, Int.max, 0, -1]), ("int8", [Int8.min, Int8.max]), ("int16", [Int16.min, Int16.max]),
    ("int32", [Int32.min, Int32.max]), ("int64", [Int64.min, Int64.max]), ("uint", [UInt.min, UInt(Int64.max)]),
    ("uint8", [UInt8.min, UInt8.max]), ("uint16", [UInt16.max]), ("uint32", [UInt32.max]),
    ("uint64", [UInt64(Int64.max)]), ("bool", [true, false]),
    (
        "double",
        [
            Double.infinity, -Double.infinity, Double.greatestFiniteMagnitude, -Double.greatestFiniteMagnitude,
            Double.leastNonzeroMagnitude, -Double.leastNonzeroMagnitude, Double.leastNormalMagnitude,
            Double.leastNormalMagnitude.nextDown, 9_007_199_254_740_993.0, 0.1, 1e23, Double.ulpOfOne,
            9_223_372_036_854_775_808.0, -9_223_372_036_854_775_808.0,
        ]
    ),
    (
        "float",
        [
            Float.infinity, -Float.greatestFiniteMagnitude, Float.leastNonzeroMagnitude, Float.leastNormalMagnitude,
            Float(0.1),
        ]
    ),
    (
        "string",
        [
            "", "\0", "a\0b\0", "\u{FEFF}", "\u{E9}", "e\u{301}", "\u{10FFFF}\u{FFFF}", "ﬁ\u{1100}\u{1161}각",
            String(repeating: "0\0é😀", count: 131_072), "1", "1e5", " 1", "0x1F", "NULL", "'\"`]",
        ]
    ),
    ("data", [Data(), Data([0]), Data(repeating: 255, count: 1 << 20), Data("text".utf8)]),
    ("bytes", [[UInt8](), [UInt8](0...255)]), ("uuid", [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))]),
    (
        "decimal",
        [
            Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude, Decimal.leastNonzeroMagnitude,
            -Decimal.leastNonzeroMagnitude, Decimal(), Decimal(sign: .minus, exponent: -2, significand: 150),
            Decimal(string: "99999999999999999999999999999999999999") ?? 0,
            Decimal(string: "-0.00000000000000000000000000000000000001") ?? 0,
            Decimal(string: "12345678901234567890.123456789012345678") ?? 0,
            Decimal(sign: .plus, exponent: 127, significand: 1),
            Decimal(Int64.min), Decimal(UInt64.max),
        ]
    ),
    (
        "tags",
        [
            Tags(), Tags(names: ["", "\0", "\u{2028}\"\\/"], weight: -0.5),
            Tags(names: [], weight: .leastNonzeroMagnitude),
        ]
    ),
    ("pair", [Pair(.max, .min)]), ("level", [Level.low]), ("kind", [Kind.bonus]),
]

@Suite("Values at the ends of their types") struct ExtremeValueTests {
    private final class Log: Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var sql: [String] = []  // guarded by `lock`
        func add(_ text: String) { lock.withLock { sql.append(text) } }
        func take() -> [String] {
            lock.withLock {
                defer { sql = [] }
                return sql
            }
        }
    }

    /// A manager that keeps a list of what it runs.
    private func manager() throws -> (PersistenceManager, Log) {
        let log = Log()
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { log.add($0.sql) }
        let manager = try PersistenceManager(.memory, configuration: configuration)
        try manager.createTableIfNecessary(for: Possible.self)
        return (manager, log)
    }

    @Test("come back by every way of writing and reading, and leave nothing to write", arguments: extremes.indices)
    func roundTrip(_ position: Int) throws {
        // F28, F29, F30, F58
        let (key, values) = extremes[position]
        let (manager, log) = try manager()
        for value in values {
            let stored = try value.sqliteValue()
            func check(_ object: Possible, _ way: String) throws {
                #expect(try storedForm(object, key) == stored, "\(key), \(way)")
            }
            let inserted = try manager.insert(Possible.self, values: [key: value])
            try check(inserted, "inserted")
            let id = try #require(inserted.id)
            #expect(
                try manager.stored("SELECT \(key) FROM POSSIBLE WHERE ID = \(id)") == stored, "\(key), the row")
            let found = try #require(try manager.find(Possible.self, id))
            try check(found, "found")
            try check(try #require(try manager.fetchOne(Possible.self, where: ["id": id, key: value])), "by condition")
            let untracked = try manager.fetchAll(Possible.self, where: \.id == id, tracked: false)
            try check(try #require(untracked.first), "untracked")
            let copy = try Possible(found.snapshot())
            try check(copy, "snapshot")

            _ = log.take()
            for object in [inserted, found, copy] {
                #expect(!object.hasChanges, "\(key)")
                try manager.save(object)
            }
            #expect(log.take().isEmpty, "\(key): a save of what is there already")

            // To NULL and back, by an update.
            try found.setValue(nil, forKey: key)
            try manager.save(found)
            try check(inserted, "unchanged")
            #expect(try manager.stored("SELECT \(key) FROM POSSIBLE WHERE ID = \(id)") == .null)
            try found.setValue(value, forKey: key)
            try manager.save(found)
            try check(try #require(try manager.find(Possible.self, id)), "updated")
        }
    }

    @Test("come back while the task is suspended, and leave nothing to write", arguments: extremes.indices)
    func suspended(_ position: Int) async throws {
        // F28, F29, F30, F58
        let (key, values) = extremes[position]
        let (manager, log) = try manager()
        for value in values {
            let object = Possible()
            try object.setValue(value, forKey: key)
            try await manager.save(object)
            let (id, stored) = (object.id, try value.sqliteValue())
            let found = try #require(try await manager.fetchOne(Possible.self, where: \.id == id))
            let untracked = try #require(
                try await manager.fetchAll(Possible.self, where: \.id == id, tracked: false).first)
            for found in [found, untracked] { #expect(try storedForm(found, key) == stored, "\(key)") }
            _ = log.take()
            try await manager.save(object)
            try await manager.save(found)
            #expect(log.take().isEmpty, "\(key)")
        }
    }

    @Test(
        "One beyond is rejected, and the object is as it was",
        arguments: [
            ("int8", "128"), ("int8", "-129"), ("int16", "32768"), ("int16", "-32769"), ("int32", "2147483648"),
            ("int32", "-2147483649"), ("uint8", "256"), ("uint8", "-1"), ("uint16", "65536"), ("uint32", "4294967296"),
            ("uint", "-1"), ("uint64", "-1"), ("int64", "9223372036854775808"), ("float", "1e39"),
            ("decimal", "'1234567890123456789012345678901234567891'"), ("decimal", "'NaN'"), ("decimal", "'1e200'"),
        ])
    func beyond(_ key: String, _ value: String) throws {
        // F28, Settled 9
        let manager = try memoryManager(Possible.self)
        let object = Possible()
        try manager.save(object)
        try manager.run("UPDATE POSSIBLE SET \(key) = \(value)")
        let error = failure { try manager.fetchAll(Possible.self) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == key)
        #expect(error?.rowKey == ["id": 1])
        #expect(failure { try manager.refresh(object) }?.key == key)
        #expect(!object.hasChanges)
    }

    @Test("Not a number is rejected of a Decimal, and keeps nothing else from being saved") func decimalNaN() throws {
        // F28
        let manager = try memoryManager(Possible.self)
        let object = Possible()
        object.decimal = .nan
        #expect(failure { try manager.save(object) }?.key == "decimal")
        #expect(!object.isPersisted)
        object.decimal = 1
        try manager.save(object)
    }

    @Test("A negative zero of a Decimal is zero, and one of a Double comes back as zero", .local(.decimals))
    func negativeZero() throws {
        // F28
        let manager = try memoryManager(Possible.self)
        let object = Possible()
        object.decimal = -Decimal()
        object.double = -0.0
        object.float = -0.0
        try manager.save(object)
        #expect(!object.hasChanges)
        #expect(try manager.stored("SELECT DECIMAL FROM POSSIBLE") == "0")
        #expect(try manager.fetchAll(Possible.self, where: \.double == 0 && \.decimal == 0).first?.float == 0)
    }

    @Test(
        "A text that is not UTF-8 is rejected as text", .local(.cutTexts),
        arguments: ["EDA080", "FF", "C080", "61E2", "F4908080", "610062C3"])
    func invalidText(_ hex: String) throws {
        // F28, Settled 9
        let manager = try memoryManager(Possible.self)
        try manager.run("INSERT INTO POSSIBLE (STRING) VALUES (CAST(X'\(hex)' AS TEXT))")
        for error in [
            failure { try manager.fetchAll(Possible.self) },
            failure { try manager.fetchAll(Possible.self, tracked: false) },
        ] {
            #expect(error?.code == .typeMismatch)
            #expect(error?.key == "string")
            #expect(error?.rowKey == ["id": 1])
        }
    }

    @Test("Composed and decomposed letters are different texts, and a change from one to the other is one")
    func letters() throws {
        // F28, F58
        let manager = try memoryManager(Possible.self)
        let object = Possible()
        object.string = "\u{E9}"
        try manager.save(object)
        object.string = "e\u{301}"
        #expect(object.changedKeys == ["string"])
        #expect(try manager.count(Possible.self, where: \.string == "e\u{301}") == 0)
        try manager.save(object)
        #expect(try manager.count(Possible.self, where: \.string == "e\u{301}") == 1)
    }
}

@Suite("Dates at the ends of their forms") struct ExtremeDateTests {
    private var generator = SeededGenerator()

    /// A date, and in which forms it can be stored.
    private static let dates: [(seconds: Double, isText: Bool, isMilliseconds: Bool)] = [
        (0, true, true), (-0.25, true, true), (-1, true, true), (-2_208_988_800.5, true, true),
        // The first and the last moment of a year of four digits, and one beyond each.
        (-62_167_219_200, true, true), (-62_167_219_200.001, false, true), (253_402_300_799.999, true, true),
        (253_402_300_800, false, true), (-62_135_596_801, true, true), (1e12, false, true), (-1e13, false, true),
        // Microseconds that a product with a million does not tell.
        (4_399_970_222.36293, true, true), (-4_376_077_268.174316, true, true),
        (64_092_211_200.125, true, true), (-64_114_156_800, false, true), (1e17, false, false), (-1e300, false, false),
        (.greatestFiniteMagnitude, false, false), (.infinity, false, false), (-.infinity, false, false),
    ]

    private static let forms: [DateStorage] = [.unixSeconds, .unixMilliseconds, .iso8601, .julianDay, .referenceDate]

    /// What a form keeps of a date.
    private func kept(_ date: Date, _ form: DateStorage) throws -> Date { try form.date(from: form.value(for: date)) }

    private func check(_ date: Date, _ form: DateStorage, _ manager: PersistenceManager, _ note: String) throws {
        let expected = try kept(date, form)
        let object = Possible()
        object.date = date
        try manager.save(object)
        #expect(!object.hasChanges)
        for found in [
            try manager.find(Possible.self, object.primaryKeyValue),
            try manager.fetchAll(Possible.self, where: \.id == object.id, tracked: false).first,
            try manager.fetchOne(Possible.self, where: ["id": object.id, "date": date]),
        ] {
            #expect(found?.date == expected, "\(form), \(date.timeIntervalSince1970), \(note)")
        }
        let found = try #require(try manager.find(Possible.self, object.primaryKeyValue))
        #expect(!found.hasChanges, "\(form), \(date.timeIntervalSince1970), \(note)")
        #expect(try Possible(found.snapshot()).date == expected)
    }

    @Test("come back as the form keeps them, or are rejected where it has no value for them", arguments: forms)
    func extremes(_ form: DateStorage) throws {
        // F31
        let manager = try memoryManager(Possible.self, dates: form)
        for (seconds, isText, isMilliseconds) in Self.dates {
            let date = Date(timeIntervalSince1970: seconds)
            let holds =
                switch form {
                case .iso8601: isText
                case .unixMilliseconds: isMilliseconds
                case .julianDay: seconds.magnitude < 1e308
                default: seconds.isFinite
                }
            if holds {
                try check(date, form, manager, "")
                continue
            }
            let object = Possible()
            object.date = date
            let error = failure { try manager.save(object) }
            #expect(error?.code == .typeMismatch, "\(form), \(seconds)")
            #expect(error?.key == "date", "\(form), \(seconds)")
            #expect(!object.isPersisted)
            #expect(failure { try manager.count(Possible.self, where: \.date == date) }?.key == "date", "\(form)")
        }
    }

    @Test("that are infinite are rejected in a row of another writer's, in every form", arguments: forms)
    func infinite(_ form: DateStorage) throws {
        // F31
        let manager = try memoryManager(Possible.self, dates: form)
        try manager.run("INSERT INTO POSSIBLE (DATE) VALUES (9e999)")
        for error in [
            failure { try manager.fetchAll(Possible.self) },
            failure { try manager.values(Possible.where(\.id == 1), \.date) },
        ] {
            // A column of TEXT has made a text of it.
            #expect(error?.key == "date")
            #expect(error?.found == (form == .iso8601 ? "TEXT" : "REAL"))
        }
    }

    @Test("come back with their fractions, at random", arguments: forms)
    mutating func random(_ form: DateStorage) throws {
        // F31
        let manager = try memoryManager(Possible.self, dates: form)
        for _ in 0..<100 {
            let seconds = Double.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            try check(Date(timeIntervalSince1970: seconds), form, manager, "seed \(generator.seed)")
        }
    }
}

@Suite("Random bits through a table and back") struct RandomBitsTests {
    private var generator = SeededGenerator()

    @Test("Numbers of any bits come back to the last one") mutating func numbers() throws {
        // F28
        let manager = try memoryManager(Possible.self)
        for _ in 0..<300 {
            let object = Possible()
            let bits = generator.next()
            object.int64 = Int64(bitPattern: bits)
            object.int32 = Int32(truncatingIfNeeded: bits)
            object.uint16 = UInt16(truncatingIfNeeded: bits)
            object.double = Double(bitPattern: bits)
            object.float = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            object.decimal = Decimal(
                sign: bits & 1 == 0 ? .plus : .minus, exponent: Int(bits >> 1 & 0xFF) - 127, significand: Decimal(bits))
            if object.decimal?.isNaN == true { object.decimal = 0 }
            try manager.save(object)
            let found = try #require(try manager.find(Possible.self, object.primaryKeyValue))
            #expect(found.int64 == object.int64, "seed \(generator.seed)")
            #expect(found.int32 == object.int32, "seed \(generator.seed)")
            #expect(found.uint16 == object.uint16, "seed \(generator.seed)")
            #expect(found.decimal == object.decimal, "seed \(generator.seed)")
            // NaN is NULL.
            let (double, float) = (object.double ?? 0, object.float ?? 0)
            #expect(found.double == (double.isNaN ? nil : double), "seed \(generator.seed)")
            #expect(found.float == (float.isNaN ? nil : float), "seed \(generator.seed)")
            #expect(!found.hasChanges, "seed \(generator.seed)")
        }
    }

    @Test("Texts of any scalars come back byte for byte, and are found", .local(.textsWithNUL)) mutating func texts()
        throws
    {
        // F28
        let manager = try memoryManager(Possible.self)
        for _ in 0..<200 {
            var text = ""
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let number = UInt32.random(in: 0...0x10FFFF, using: &generator)
                if let scalar = Unicode.Scalar(Bool.random(using: &generator) ? number : number % 0x300) {
                    text.unicodeScalars.append(scalar)
                }
            }
            let object = try manager.insert(Possible.self, values: ["string": text, "tags": Tags(names: [text])])
            let found = try #require(try manager.find(Possible.self, object.primaryKeyValue))
            #expect(found.string.map { Array($0.utf8) } == Array(text.utf8), "seed \(generator.seed)")
            #expect(found.tags?.names.first.map { Array($0.utf8) } == Array(text.utf8), "seed \(generator.seed)")
            #expect(
                try manager.exists(Possible.self, where: Criteria(["id": object.id, "string": text])),
                "seed \(generator.seed)")
        }
    }
}
