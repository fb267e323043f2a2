import Foundation
import Persisting
import Testing

private let eachMistake: [(format: String, column: Int, reason: String)] = [
    ("", 1, "TRUEPREDICATE to match every row"), ("   ", 1, "empty"),
    ("luckyNumber", 12, "expected a comparison operator, found the end"),
    ("luckyNumber ==", 15, "expected a key or a value, found the end"),
    ("luckyNumber == AND id == 1", 16, "expected a key or a value, found AND"),
    ("luckyNumber == == 1", 16, "expected a key or a value, found =="),
    ("luckyNumber 7", 13, "expected a comparison operator, found 7"),
    ("luckyNumber == 7 id == 1", 18, "expected AND, OR or the end, found id"),
    ("id == 1 == 2", 9, "expected AND, OR or the end, found =="),
    ("id == 1 AND", 12, "found the end"), ("AND id == 1", 1, "expected a key or a value, found AND"),
    ("id == 1 AND OR id == 2", 13, "found OR"), ("NOT", 4, "found the end"),
    ("(id == 1", 9, "expected ), found the end"), ("id == 1)", 8, "expected AND, OR or the end, found )"),
    ("()", 2, "expected a key or a value, found )"), ("(id) > (id == 1)", 8, "found a condition"),
    ("id == (id == 1)", 7, "expected a key or a value, found a condition"),
    ("id + TRUEPREDICATE == 1", 6, "found a condition"), ("NOT id", 7, "expected a comparison operator"),
    ("id == 1 AND 3", 14, "expected a comparison operator"),
    ("firstName == 'x", 14, "the text that begins with ' has no end"), ("id == \"", 7, "has no end"),
    (#"firstName == 'a\qb'"#, 16, "there is no such escape"), (#"firstName == '\u12'"#, 15, "no such escape"),
    (#"firstName == '\uD800'"#, 15, "no such escape"), (#"firstName == '\u+123'"#, 15, "no such escape"),
    ("id == 3abc", 7, "\"3abc\" isn't a number"), ("id == 0x", 7, "\"0x\" isn't a number"),
    ("id == 1e", 7, "\"1e\" isn't a number"),
    ("id == 1e999", 7, "a number that Int64, UInt64 or Double can hold"),
    ("id == 99999999999999999999", 7, "a number that Int64, UInt64 or Double can hold"),
    ("id == -9223372036854775809", 7, "too small"), ("id == 1 ? 2", 9, "\"?\" has no meaning"),
    ("id == 1; DROP TABLE PERSON", 8, "\";\" has no meaning"), ("id & 1 == 1", 4, "\"&\" has no meaning"),
    ("id IN (1, 2)", 7, "expected a list: {…}, or %@ for an array, found ("),
    ("id IN 1", 7, "expected a list"), ("'a' IN 'abc'", 8, "expected a list"),
    ("id IN {1, 2", 12, "expected , or }"),
    ("id IN {1 2}", 10, "expected , or }, found 2"), ("id IN {1,}", 10, "expected a key or a value, found }"),
    ("id IN {{1}}", 8, "a list is only allowed after IN and BETWEEN"),
    ("id == {1}", 7, "a list is only allowed"),
    ("id BETWEEN {1}", 12, "BETWEEN needs two values, not 1"),
    ("id BETWEEN {1, 2, 3}", 12, "not 3"), ("id BETWEEN 1 AND 2", 12, "expected a list"),
    ("id NOT == 1", 8, "expected IN, BETWEEN, LIKE or another comparison operator, found =="),
    ("id NOT 1", 8, "another comparison operator"),
    ("firstName ==[x] 'a'", 14, "expected c, d or cd, found x"),
    ("firstName ==[] 'a'", 14, "expected c, d or cd, found ]"),
    ("firstName ==[c 'a'", 16, "expected ], found 'a'"), ("firstName ==[l] 'a'", 14, "[l] is not supported"),
    ("firstName ==[cn] 'a'", 14, "[n] is not supported"), ("firstName LIKE[w] 'a'", 16, "[w] is not supported"),
    ("address. == 1", 10, "expected a property of the related row, or a key in JSON, found =="),
    ("ANY id == 1", 1, "ANY needs a property of related rows"), ("all.id == 1", 1, "is written #all"),
    ("SOME id == 1", 1, "SOME needs"), ("NONE id == 1", 1, "NONE needs"),
    ("ANY posts.id == id", 17, "ANY compares with values: id would be one of the related row"),
    ("ANY posts.@count == 1", 1, "ANY needs"), ("ANY posts.id", 13, "expected IN, BETWEEN, LIKE"),
    ("SUBQUERY(posts, $p, $p.id == 1) == 1", 1, "SUBQUERY is not supported"),
    ("FETCH(a, b, NO) == 1", 1, "FETCH is not supported"), ("SELF == 1", 1, "SELF is not supported"),
    ("self.id == 1", 1, "self is not supported"),
    ("id == $name", 7, "variables ($name) are not supported"),
    ("id == count(x)", 12, "there is no function count: there are abs, "),
    ("count:(id) == 1", 6, "there is no function count: there are abs, "),
    ("FUNCTION(id, 'x') == 1", 1, "FUNCTION is not supported"),
    ("CAST(id, 'NSString') == 1", 1, "CAST is not supported"),
    ("posts[0] == 1", 6, "an index is not supported"),
    ("posts.@ == 1", 7, "@ begins nothing"), ("@count == 1", 1, "@ begins nothing"),
    ("id ** 2 == 4", 4, "found **"), ("id := 4", 4, "found :="),
    ("LIKE == 1", 1, "found LIKE; a key of that name is written #LIKE"),
    ("# == 1", 2, "expected a key after #"), ("`id == 1", 1, "the ` has no end"),
    ("`` == 1", 1, "expected a key between"),
    ("TERNARY(id, 1, 2) == 1", 11, "expected a comparison operator"),
    ("TERNARY(id == 1, 1) == 1", 19, "expected ,, found )"),
    ("id == %s", 7, "%s stands for no argument"), ("id == %", 7, "% stands for no argument"),
    ("id == %.2f", 7, "%. stands for no argument"), ("id == %x", 7, "%x stands for no argument"),
    ("id == %l@", 7, "%l@ stands for no"),
    ("größe é == e\u{301} 1", 7, "expected a comparison operator, found é"),
]

@Suite("Mistakes in a format")
struct FormatMistakeTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try people()
    }

    private func mistake(_ format: String, _ arguments: [(any Sendable)?] = []) -> PersistenceError? {
        failure { try manager.count(Person.self, where: .format(format, arguments: arguments)) }
    }

    @Test(
        "Each names what is wrong, its column and its place",
        arguments: eachMistake)
    func mistakes(format: String, column: Int, message: String) throws {
        // F74, F76
        let error = try #require(mistake(format))
        #expect(error.code == .invalidCriteria)
        #expect(error.model == "Person")
        #expect(error.message.contains(message), "\(error.message)")
        let place = String(format.dropFirst(column - 1).prefix(30))
        #expect(error.message.contains("at column \(column) of the format: "), "\(error.message)")
        #expect(error.message.contains("»" + place), "\(error.message)")
    }

    @Test("A column is counted in characters, and a long format shown in part")
    func place() throws {
        // F76
        let text = String(repeating: "é", count: 100)
        let error = try #require(mistake("firstName == '\(text)' firstName == '\(text)'"))
        #expect(error.message.contains("at column 117 of the format: …"))
        #expect(error.message.count < 200)
    }

    @Test("Arguments of the wrong number or kind")
    func arguments() throws {
        // F74, F76, Settled 4
        for (format, arguments, message) in [
            ("id == %@", [], "there is no argument for %@: 0 arguments are given, and this is number 1, at column 7"),
            (
                "id == %@ AND id == %d", [1],
                "there is no argument for %d: 1 argument is given, and this is number 2, at column 20"
            ),
            ("id IN %@", [], "there is no argument for %@"), ("%K == 1", [], "there is no argument for %K"),
            ("id == 1", [1], "1 argument is given, but the format needs 0, at column 8"),
            ("id == %@", [1, 2, 3], "3 arguments are given, but the format needs 1"),
            ("id == '%@'", [1], "the format needs 0"),
            ("id == %d", ["x"], "%d needs an integer, not a value of type String, at column 7"),
            ("id == %d", [1.5], "%d needs an integer, not a value of type Double"),
            ("id == %lld", [nil], "%lld needs an integer, not nil"), ("id == %f", ["1"], "%f needs a number"),
            ("%K == 1", [1], "%K needs a key, which is a String, not a value of type Int, at column 1"),
            ("%K == 1", [nil], ", not nil"),
            ("id IN %@", [1], "%@ needs an array, not a value of type Int, at column 7"),
            ("id IN %@", [nil], "%@ needs an array, not nil"), ("id IN %@", ["abc"], "needs an array"),
            ("id BETWEEN %@", [[1, 2, 3]], "BETWEEN needs two values, not 3"),
            ("id BETWEEN %@", [[UInt8]([1, 2])], "needs an array"), ("id IN %d", [[1]], "expected a list"),
        ] as [(String, [(any Sendable)?], String)] {
            let error = mistake(format, arguments)
            #expect(error?.code == .invalidCriteria, "\(format)")
            #expect(error?.message.contains(message) == true, "\(format): \(error?.message ?? "")")
        }
    }

    @Test("A value that the column cannot hold is rejected as in every spelling")
    func wrongType() throws {
        // Settled 9
        for error in [
            mistake("luckyNumber == 'seven'"), mistake("luckyNumber == %@", ["seven"]), mistake("luckyNumber IN {'a'}"),
        ] {
            #expect(error?.code == .invalidCriteria)
            #expect(error?.key == "luckyNumber")
        }
    }

    @Test("An unknown key throws when it is used, and names those there are")
    func unknownKey() throws {
        // Settled 4
        for format in [
            "surname == 1", "1 == surname", "surname IN {1}", "LAST_NAME == 'x'", "`last name` == 1",
            "id == surname + 1",
        ] {
            let error = mistake(format)
            #expect(error?.code == .unknownKey, "\(format)")
            #expect(error?.message.contains("id, firstName, lastName, luckyNumber") == true)
        }
    }

    @Test("A format made at run time throws at once, for an unknown key too")
    func atOnce() throws {
        // F76
        #expect(failure { try Criteria<Person>(format: "id ==") }?.code == .invalidCriteria)
        let error = try #require(failure { try Criteria<Person>(format: "id == 1 AND surname == %@", arguments: [1]) })
        #expect(error.code == .unknownKey)
        #expect(error.key == "surname")
        #expect(error.message.contains("at column 13 of the format: id == 1 AND »surname == %@"))
        let criteria = try Criteria<Person>(format: "lastName == %@", arguments: ["Bluth"])
        #expect(try manager.count(Person.self, where: criteria) == 2)
    }

    @Test("What is nested too deep throws, and says the limit")
    func nesting() throws {
        // F74
        func nested(_ count: Int, _ open: String, _ inner: String, _ close: String) -> String {
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        for (open, inner, close) in [
            ("(", "id == 1", ")"), ("NOT ", "id == 1", ""), ("!", "id == 1", ""),
            ("id == 1 OR (id == 2 AND (", "id == 1", "))"),
            ("TERNARY(id == ", "1", ", 1, 2) == 1"), ("id == 1 + (", "1", ")"), ("id == - ", "id", ""),
            ("1 + ", "id == 3", ""),
            ("id IN {(", "1", ")}"), ("TERNARY(", "id == 1", ", 1, 0) == 1"),
        ] {
            for count in [5_000, 20_000] {
                let error = mistake(nested(count, open, inner, close))
                #expect(error?.code == .invalidCriteria, "\(open)")
            }
        }
        for format in [
            nested(51, "(", "id == 1", ")"), nested(5_000, "NOT ", "id == 1", ""),
            nested(5_000, "1 + ", "id == 3", ""),
        ] {
            #expect(mistake(format)?.message.contains("nested more than 50 deep, at column") == true)
        }
        #expect(try manager.count(Person.self, where: .format(nested(50, "(", "id == 1", ")"))) == 1)
        #expect(try manager.count(Person.self, where: .format(nested(48, "NOT ", "id == 1", ""))) == 1)
    }

    @Test("Lists of keys and BETWEEN inside each other don't multiply a value without a limit")
    func multiplied() throws {
        func nested(_ count: Int, _ comparison: String) -> String {
            let (open, close) = (String(repeating: "TERNARY(", count: count), " \(comparison), 1, 2)")
            return open + "id" + String(repeating: close, count: count) + " == 1"
        }
        for format in [nested(12, "IN {id, luckyNumber, 3, 4, 5}"), nested(24, "BETWEEN {1, id}")] {
            let error = mistake(format)
            #expect(error?.code == .invalidCriteria)
            #expect(error?.message.contains("inside each other would repeat") == true)
        }
        #expect(mistake(nested(3, "IN {id, luckyNumber, 3}")) == nil)
        #expect(mistake(nested(10, "IN {1, 2, 3}")) == nil)
        // As long as the text is, SQL may be.
        let long = Array(repeating: "1", count: 150_000).joined(separator: ", ")
        #expect(try manager.count(Person.self, where: .format("id IN {\(long)}")) == 1)
    }

    @Test("As deep as it may be nested, a small stack is enough")
    func smallStack() async {
        // F74
        func nested(_ count: Int, _ open: String, _ inner: String, _ close: String) -> String {
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        let formats = [
            nested(50, "(", "id == 1", ")"), nested(24, "id == 1 OR (id == 2 AND (", "id == 1", "))"),
            nested(24, "TERNARY(id == ", "1", ", 1, 2)") + " == 1",
            nested(24, "TERNARY(1 == ", "1", ", 1, 2)") + " == 1",
            nested(48, "1 + (", "id", ")") + " == 1",
        ]
        let mistakes = await withCheckedContinuation { continuation in
            let thread = Thread {
                let mistakes = formats.map { format in failure { try Criteria<Person>(format: format) } }
                continuation.resume(returning: mistakes.compactMap(\.self))
            }
            thread.stackSize = smallStackSize
            thread.start()
        }
        #expect(mistakes.map(\.description) == [])
    }
}
