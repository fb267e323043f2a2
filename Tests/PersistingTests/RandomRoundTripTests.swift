import Foundation
import Persisting
import Testing

@Suite("Random values through a table and back")
struct RandomRoundTripTests {
    private var generator = SeededGenerator()

    @Test("Objects of random values come back as they were, by every way of writing them", .local(.textsWithNUL))
    mutating func everything() throws {
        // F28, F29
        let manager = try memoryManager(Everything.self)
        let objects = (0..<100).map { _ in random() }
        try manager.insert(objects)
        // Half of them by an update.
        for object in objects.prefix(50) {
            for (key, value) in values() { try object.setValue(value, forKey: key) }
            try manager.save(object)
        }
        for object in objects {
            let found = try #require(try manager.find(Everything.self, object.primaryKeyValue))
            for key in object.dictionary().keys {
                #expect(
                    try storedForm(found, key) == storedForm(object, key), "\(key), seed \(generator.seed)")
            }
            #expect(!found.hasChanges, "seed \(generator.seed)")
        }
    }

    @Test("Optionals of random values, or nil, come back as they were", .local(.textsWithNUL))
    mutating func possible() throws {
        // F28, F29
        let manager = try memoryManager(Possible.self)
        for _ in 0..<100 {
            var given = values()
            for key in given.keys.sorted() where Bool.random(using: &generator) { given[key] = .some(nil) }
            let inserted = try manager.insert(Possible.self, values: given)
            let found = try #require(try manager.find(Possible.self, inserted.primaryKeyValue))
            for (key, value) in given {
                let expected = try (value as? any SQLiteValueConvertible)?.sqliteValue() ?? .null
                #expect(try storedForm(found, key) == expected, "\(key), seed \(generator.seed)")
                #expect(try storedForm(inserted, key) == expected, "\(key), seed \(generator.seed)")
            }
        }
    }

    @Test("A random value is found by a condition with it", .local(.decimals))
    mutating func criteria() throws {
        // F71
        let manager = try memoryManager(Possible.self)
        for _ in 0..<50 {
            let given = values()
            let inserted = try manager.insert(Possible.self, values: given)
            for (key, value) in given {
                let found = try manager.fetchAll(Possible.self, where: Criteria(["id": inserted.id, key: value]))
                #expect(found.count == 1, "\(key), seed \(generator.seed)")
            }
            try manager.deleteAll(Possible.self)
        }
    }

    @Test("Changed keys are those that were given other values", .local(.textsWithNUL))
    mutating func changes() throws {
        // F58
        let manager = try memoryManager(Everything.self)
        for _ in 0..<50 {
            let object = random()
            try manager.save(object)
            let fetched = try #require(try manager.find(Everything.self, object.primaryKeyValue))
            var expected: Set<String> = []
            for (key, value) in values() where Bool.random(using: &generator) {
                let before = try storedForm(fetched, key)
                try fetched.setValue(value, forKey: key)
                if try storedForm(fetched, key) != before { expected.insert(key) }
            }
            #expect(Set(fetched.changedKeys) == expected, "seed \(generator.seed)")
        }
    }

    private mutating func random() -> Everything {
        let object = Everything()
        for (key, value) in values() {
            #expect(throws: Never.self, "\(key)") { try object.setValue(value, forKey: key) }
        }
        return object
    }

    /// A value for each property but the key.
    private mutating func values() -> [String: (any Sendable)?] {
        [
            "int": integer(Int.self), "int8": integer(Int8.self), "int16": integer(Int16.self),
            "int32": integer(Int32.self), "int64": integer(Int64.self),
            "uint": integer(UInt.self) & UInt(Int64.max), "uint8": integer(UInt8.self),
            "uint16": integer(UInt16.self), "uint32": integer(UInt32.self),
            "uint64": integer(UInt64.self) & UInt64(Int64.max), "bool": Bool.random(using: &generator),
            "double": real(), "float": Float(real()), "string": text(), "data": Data(bytes()), "bytes": bytes(),
            // A fraction that both of Date's reference points can express.
            "date": Date(
                timeIntervalSince1970: Double(Int.random(in: -1_000_000...4_000_000_000, using: &generator)) / 1024),
            "uuid": UUID(uuidString: uuid()),
            "url": URL(string: "https://example.com/\(Int.random(in: 0...999, using: &generator))"),
            "decimal": Decimal(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1000,
            "kind": Kind.allCases.randomElement(using: &generator),
            "level": Level.allCases.randomElement(using: &generator),
            "tags": Tags(names: [text()], weight: Bool.random(using: &generator) ? 1.5 : nil),
            "pair": Pair(integer(UInt8.self), integer(Int64.self)),
        ]
    }

    private mutating func integer<T: FixedWidthInteger>(_ type: T.Type) -> T {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .min
        case 1: .max
        case 2: 0
        default: .random(in: .min ... .max, using: &generator)
        }
    }

    private mutating func real() -> Double {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: 0
        case 1: .infinity
        case 2: .random(in: -1...1, using: &generator)
        default: .random(in: -1e30...1e30, using: &generator)
        }
    }

    private mutating func text() -> String {
        let alphabet: [Unicode.Scalar] = ["a", "B", "\0", "'", "\"", "é", "\u{301}", "ß", "😀", " ", "\n", "%"]
        var text = ""
        for _ in 0..<Int.random(in: 0..<40, using: &generator) {
            if let scalar = alphabet.randomElement(using: &generator) { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    private mutating func bytes() -> [UInt8] {
        (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    private mutating func uuid() -> String {
        let digits = Array("0123456789ABCDEF")
        return String(
            (0..<36).map { position in
                [8, 13, 18, 23].contains(position) ? "-" : digits.randomElement(using: &generator) ?? "0"
            })
    }
}
