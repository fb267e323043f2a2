import Foundation
import Persisting
import Testing

/// Names of properties that are words of the format language.
final class Ticket: PersistingModel {
    var id: Int64?
    var order: Int?
    var any: Int?
    var `in`: Int?
    var between: Int?
    var ternary: Int?
    var größe: Int?
    var first: Int?
    var isDone = false
    var price: Decimal = 0
    var ratio = 0.0
    var day: Date?
    var code: UUID?
}

@Suite("Conditions by format", .onBothEngines)
struct FormatCriteriaTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try people()
    }

    private func names(_ criteria: Criteria<Person>) throws -> [String] {
        try manager.fetchAll(Person.self, where: criteria, sortedBy: "id").firstNames
    }

    private func names(_ format: String, _ arguments: (any Sendable)?...) throws -> [String] {
        try names(.format(format, arguments: arguments))
    }

    @Test("The example of the documentation", .local(.textComparisons))
    func example() throws {
        // F74
        #expect(try names(.format("lastName ==[cd] %@ AND luckyNumber == %@", "bluth", 13)) == ["Lucille"])
    }

    @Test(
        "Comparisons, in each spelling",
        arguments: [
            ("luckyNumber = 7", ["Michael"]), ("luckyNumber == 7", ["Michael"]),
            ("luckyNumber != 13", ["Michael", "Tobias", "Maeby"]),
            ("luckyNumber <> 13", ["Michael", "Tobias", "Maeby"]),
            ("luckyNumber < 7", ["Maeby"]), ("luckyNumber <= 7", ["Michael", "Maeby"]),
            ("luckyNumber =< 7", ["Michael", "Maeby"]), ("luckyNumber > 7", ["Lucille", "Buster"]),
            ("luckyNumber >= 7", ["Michael", "Lucille", "Buster"]),
            ("luckyNumber => 7", ["Michael", "Lucille", "Buster"]), ("luckyNumber=7", ["Michael"]),
            ("7 == luckyNumber", ["Michael"]), ("7 < luckyNumber", ["Lucille", "Buster"]),
            ("7 >= luckyNumber", ["Michael", "Maeby"]), ("id == luckyNumber", []),
            ("id < luckyNumber - 3", ["Michael", "Lucille", "Buster"]),
            ("luckyNumber == nil", ["Tobias"]), ("luckyNumber != NULL", ["Michael", "Lucille", "Buster", "Maeby"]),
            ("nil == luckyNumber", ["Tobias"]), ("luckyNumber > nil", []),
            ("NOT luckyNumber > nil", ["Michael", "Lucille", "Buster", "Tobias", "Maeby"]),
        ])
    func comparisons(format: String, expected: [String]) throws {
        // F74, Settled 10
        #expect(try names(format) == expected)
    }

    @Test(
        "Texts", .local(.textComparisons),
        arguments: [
            ("firstName BEGINSWITH 'M'", ["Michael", "Maeby"]), ("firstName beginswith[c] 'm'", ["Michael", "Maeby"]),
            ("firstName BEGINSWITH 'm'", []), ("firstName ENDSWITH 'e'", ["Lucille"]),
            ("firstName CONTAINS [cd] 'Ü'", ["Lucille", "Buster"]),
            ("firstName CONTAINS[d] 'ü'", ["Lucille", "Buster"]),
            ("firstName CONTAINS[dc] 'BIÁ'", ["Tobias"]), ("firstName LIKE '*b*'", ["Tobias", "Maeby"]),
            ("firstName LIKE[c] '*B*'", ["Buster", "Tobias", "Maeby"]), ("firstName LIKE 'M????'", ["Maeby"]),
            ("firstName LIKE 'M%'", []), ("firstName LIKE 'M_eby'", []),
            ("firstName MATCHES 'M[a-z]+y'", ["Maeby"]), ("firstName MATCHES 'M'", []),
            ("firstName MATCHES[c] 'm.*'", ["Michael", "Maeby"]),
            ("firstName MATCHES '\\\\w{6}'", ["Buster", "Tobias"]),
            ("lastName == 'bluth'", []), ("lastName ==[c] 'BLUTH'", ["Michael", "Lucille"]),
            ("lastName = [cd] 'blüth'", ["Michael", "Lucille"]),
            ("lastName !=[c] 'FUNKE'", ["Michael", "Lucille", "Buster"]),
            ("'Michael' CONTAINS firstName", ["Michael"]), ("lastName <[c] 'c'", ["Michael", "Lucille"]),
            ("lastName IN[c] {'BLUTH'}", ["Michael", "Lucille"]),
            ("NOT lastName CONTAINS 'u'", ["Buster"]), ("lastName NOT CONTAINS 'l'", ["Buster", "Tobias", "Maeby"]),
        ])
    func texts(format: String, expected: [String]) throws {
        // F74
        #expect(try names(format) == expected)
    }

    @Test(
        "Lists",
        arguments: [
            ("luckyNumber IN {4, 7}", ["Michael", "Maeby"]), ("luckyNumber in {4,nil}", ["Tobias", "Maeby"]),
            ("luckyNumber IN {}", []), ("NOT luckyNumber IN {4, 7}", ["Lucille", "Buster", "Tobias"]),
            ("luckyNumber NOT IN {4, 7}", ["Lucille", "Buster", "Tobias"]),
            ("luckyNumber not in {}", ["Michael", "Lucille", "Buster", "Tobias", "Maeby"]),
            ("luckyNumber BETWEEN {4, 7}", ["Michael", "Maeby"]), ("luckyNumber between {7, 4}", []),
            ("luckyNumber NOT BETWEEN {4, 7}", ["Lucille", "Buster", "Tobias"]),
            ("5 IN {id, luckyNumber + 1}", ["Maeby"]), ("4 IN {id, luckyNumber}", ["Tobias", "Maeby"]),
            ("4 BETWEEN {id, luckyNumber}", ["Michael", "Lucille", "Buster"]),
            ("lastName IN {'Bluth', \"x\"}", ["Michael", "Lucille"]),
        ])
    func lists(format: String, expected: [String]) throws {
        // F74
        #expect(try names(format) == expected)
    }

    @Test("Arrays as arguments")
    func arrays() throws {
        // F74
        #expect(try names("luckyNumber IN %@", [4, 7]) == ["Michael", "Maeby"])
        #expect(try names("luckyNumber IN %@", [4, nil] as [Int?]) == ["Tobias", "Maeby"])
        #expect(try names("luckyNumber IN %@", [Int]()) == [])
        #expect(try names("luckyNumber IN %@", Set([4, 7])) == ["Michael", "Maeby"])
        #expect(try names("lastName NOT IN %@", ["Bluth"]) == ["Buster", "Tobias", "Maeby"])
        #expect(try names("luckyNumber BETWEEN %@", [4, 7]) == ["Michael", "Maeby"])
        #expect(try names("luckyNumber IN {%@, %@}", 4, 7) == ["Michael", "Maeby"])
        #expect(try names("luckyNumber BETWEEN {%@, %d}", 4, 7) == ["Michael", "Maeby"])
    }

    @Test(
        "NOT binds tighter than AND, AND tighter than OR",
        arguments: [
            ("id == 1 OR id == 2 AND id == 3", [1]), ("(id == 1 OR id == 2) AND id == 3", []),
            ("id == 2 AND id == 3 OR id == 1", [1]), ("id == 1 || id == 2 && id == 3", [1]),
            ("NOT id == 1 AND id < 3", [2]), ("NOT (id == 1 AND id < 3)", [2, 3, 4, 5]),
            ("NOT id == 1 OR id == 1", [1, 2, 3, 4, 5]), ("! id == 1 && id < 3", [2]),
            ("!(id == 1 || id == 2)", [3, 4, 5]),
            ("NOT NOT id == 1", [1]), ("!!id == 1", [1]), ("NOT id == 1 AND NOT id == 2", [3, 4, 5]),
            ("id < 3 AND NOT id == 1", [2]), ("id == 1 or Not id < 5", [1, 5]), ("((((id)) == ((1))))", [1]),
            ("id == 1 OR (id == 2 AND (id == 3 OR id == 2))", [1, 2]),
            ("id == 1 AND id == 2 OR id == 3 AND id < 4 OR id == 5", [3, 5]),
            ("TRUEPREDICATE", [1, 2, 3, 4, 5]), ("falsepredicate", []), ("NOT TRUEPREDICATE", []),
            ("TRUEPREDICATE AND id == 1", [1]), ("FALSEPREDICATE OR id == 1", [1]),
            ("id == 1 + 2 * 2", [5]), ("id == (1 + 1) * 2", [4]), ("id == 5 - 2 - 1", [2]), ("id == 8 / 2 / 2", [2]),
            ("id %% 2 == 0", [2, 4]), ("id == 7 %% 4", [3]), ("-id < -4", [5]), ("id == - -3", [3]),
            ("id - 1 == 2", [3]), ("id-1==2", [3]), ("id + -1 == 2", [3]), ("id == 3-1", [2]),
            ("TERNARY(id > 3, 10, id) >= 3", [3, 4, 5]), ("ternary(id == 1 AND id < 9, 1, 0) == 1", [1]),
        ])
    func precedence(format: String, expected: [Int64]) throws {
        // F74
        #expect(try manager.fetchAll(Person.self, where: .format(format), sortedBy: "id").map(\.id) == expected)
    }

    @Test("Numbers, as they may be written")
    func numbers() throws {
        // F74
        let manager = try memoryManager(Ticket.self)
        for (order, ratio) in [(16, 1.5), (-3, -0.25), (1000, 2e10), (Int.min, 0), (Int.max, 0)] {
            try manager.insert(Ticket.self, values: ["order": order, "ratio": ratio])
        }
        for (format, id) in [
            ("order == 0x10", 1), ("order == 0X10", 1), ("order == 0b10000", 1), ("order == 0o20", 1),
            ("order == 16", 1),
            ("order == -3", 2), ("order == -0x3", 2), ("order == 1e3", 3), ("order == 1000.0", 3),
            ("order == -9223372036854775808", 4), ("order == 9223372036854775807", 5), ("ratio == 1.5", 1),
            ("ratio == .15e1", 1), ("ratio == 15E-1", 1), ("ratio == -0.25", 2), ("ratio == 2e+10", 3),
        ] as [(String, Int64)] {
            #expect(try manager.fetchAll(Ticket.self, where: .format(format)).map(\.id) == [id], "\(format)")
        }
    }

    @Test("Quoted texts and their escapes")
    func quotes() throws {
        // F74
        let texts = [
            "it's", "say \"x\"", "a\\b", "line\nbreak", "tab\t", "é", "e\u{301}", "😀", "%@", "%", "50%%", "", "?",
        ]
        let manager = try memoryManager(User.self)
        for text in texts { try manager.insert(User(name: text)) }
        for (literal, text) in [
            (#"'it\'s'"#, "it's"), (#""it's""#, "it's"), (#"'say "x"'"#, "say \"x\""), (#""say \"x\"""#, "say \"x\""),
            (#"'a\\b'"#, "a\\b"), (#"'line\nbreak'"#, "line\nbreak"), (#"'tab\t'"#, "tab\t"), (#"'\u00e9'"#, "é"),
            ("'é'", "é"), ("'e\u{301}'", "e\u{301}"), (#"'e\u0301'"#, "e\u{301}"), (#"'\U0001F600'"#, "😀"),
            ("'%@'", "%@"),
            ("'%'", "%"), ("'50%%'", "50%%"), ("''", ""), ("\"\"", ""), ("'?'", "?"),
        ] {
            let found = try manager.fetchAll(User.self, where: .format("name == \(literal)")).map(\.name)
            #expect(found.map { Array($0.utf8) } == [Array(text.utf8)], "\(literal)")
        }
    }

    @Test("Booleans, dates, decimals and UUIDs compare in their stored form", .local(.decimals))
    func storedForms() throws {
        // F74
        let manager = try memoryManager(Ticket.self, dates: .iso8601)
        let (day, code) = (Date(timeIntervalSince1970: 1_000_000), UUID())
        try manager.insert(Ticket.self, values: ["isDone": true, "price": Decimal(9.5), "day": day, "code": code])
        try manager.insert(Ticket.self, values: ["price": 10])
        for format in [
            "isDone == YES", "isDone == true", "isDone != NO", "NOT isDone == False", "TRUE == isDone", "price < 10",
            "price == 9.5",
        ] {
            #expect(try manager.fetchAll(Ticket.self, where: .format(format)).map(\.id) == [1], "\(format)")
        }
        #expect(try manager.count(Ticket.self, where: .format("day >= %@ AND code == %@", day, code)) == 1)
        #expect(try manager.count(Ticket.self, where: .format("day < %@", day)) == 0)
        #expect(try manager.count(Ticket.self, where: .format("%@ <= day", day)) == 1)
    }

    @Test("Keys that are words of the language, and not of ASCII")
    func keys() throws {
        // F74
        let manager = try memoryManager(Ticket.self)
        try manager.insert(
            Ticket.self,
            values: ["order": 1, "any": 2, "in": 3, "between": 4, "ternary": 5, "größe": 6, "first": 7])
        for format in [
            "order == 1", "#order == 1", "#any == 2", "`any` == 2", "#in IN {3}", "`between` BETWEEN {4, 4}",
            "ternary == 5",
            "größe == 6", "first == 7", "#in < #between",
        ] {
            #expect(try manager.count(Ticket.self, where: .format(format)) == 1, "\(format)")
        }
        #expect(try manager.count(Ticket.self, where: .format("%K == 2 AND %K IN %@", "any", "in", [3])) == 1)
        #expect(try manager.count(Ticket.self, where: .format("%K < %K", "in", "between")) == 1)
    }

    @Test("Arguments of each kind")
    func arguments() throws {
        // F74
        #expect(try names("luckyNumber == %d", 7) == ["Michael"])
        #expect(try names("luckyNumber == %i", Int8(7)) == ["Michael"])
        #expect(try names("luckyNumber == %u", UInt(7)) == ["Michael"])
        for specifier in ["%ld", "%li", "%lu", "%lld", "%lli", "%llu", "%f", "%g", "%@"] {
            #expect(try names("luckyNumber == \(specifier)", 7) == ["Michael"], "\(specifier)")
        }
        #expect(try names("luckyNumber >= %f", 7.0) == ["Michael", "Lucille", "Buster"])
        #expect(try names("luckyNumber * 1.0 > %g", Float(6.5)) == ["Michael", "Lucille", "Buster"])
        #expect(try names("lastName == %@", nil) == ["Buster"])
        let unknown: String? = nil
        #expect(try names("lastName == %@", unknown) == ["Buster"])
        #expect(try names("%@ == lastName AND %K == %@", "Bluth", "luckyNumber", 13) == ["Lucille"])
        #expect(try names("luckyNumber==%@AND lastName=='Bluth'", 13) == ["Lucille"])
    }

    @Test("An argument is never format or SQL, a text of the format never an argument", .local(.textsWithNUL))
    func injection() throws {
        // F74
        for hostile in ["' OR 1 == 1", "%@", "%K", "x' OR '1' = '1", "nil", "?", ":n", "\u{0}", "TRUEPREDICATE"] {
            #expect(try names("lastName == %@", hostile) == [])
            #expect(try names("lastName CONTAINS %@", hostile) == [])
            #expect(failure { try names("%K == 1", hostile) }?.code == .unknownKey)
        }
        #expect(try names("lastName == '%@'") == [])
        #expect(try names("lastName == \"%K\" OR lastName == %@", "Funke") == ["Tobias", "Maeby"])
        #expect(try names("lastName IN %@", ["'Bluth'", "Funke"]) == ["Tobias", "Maeby"])
    }

    @Test("It mixes with other spellings, and a class's condition crosses to another task")
    func mixed() async throws {
        // F74
        let criteria: Criteria<Person> = .format("luckyNumber > 7") && \.lastName == "Bluth"
        #expect(try names(criteria) == ["Lucille"])
        let count = try await Task { [manager] in try await manager.count(Person.self, where: criteria) }.value
        #expect(count == 1)
    }

    @Test("TRUEPREDICATE isn't a condition to delete by")
    func truePredicate() throws {
        // Settled 2
        for format in ["TRUEPREDICATE", "NOT FALSEPREDICATE", "TRUEPREDICATE OR id == 1", "(TRUEPREDICATE)"] {
            #expect(failure { try manager.delete(Person.self, where: .format(format)) }?.code == .missingCondition)
        }
        #expect(try manager.rowCount("PERSON") == 5)
    }

    @Test("10,000 terms in AND, in OR and in a list", .local(.manyParameters), .oneAtATime)
    func manyTerms() throws {
        // F74
        let or = (1...10_000).map { "luckyNumber == \($0 + 6)" }.joined(separator: " OR ")
        #expect(try names(or) == ["Michael", "Lucille", "Buster"])
        let and = (1...10_000).map { "luckyNumber != \($0 + 6)" }.joined(separator: " AND ")
        #expect(try names(and) == ["Tobias", "Maeby"])
        let list = (1...10_000).map { "\($0 + 6)" }.joined(separator: ", ")
        #expect(try names("luckyNumber IN {\(list)}") == ["Michael", "Lucille", "Buster"])
    }
}
