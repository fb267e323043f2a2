import Foundation
import Persisting
import Testing

@Suite("Conditions by dictionary", .onBothEngines)
struct DictionaryCriteriaTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try people()
    }

    private func names(_ criteria: Criteria<Person>) throws -> [String] {
        try manager.fetchAll(Person.self, where: criteria, sortedBy: "id").firstNames
    }

    @Test("All values must be equal")
    func and() throws {
        // F71
        #expect(try names(["lastName": "Bluth", "luckyNumber": 13]) == ["Lucille"])
        #expect(try names(["lastName": "Funke", "luckyNumber": 13]) == [])
    }

    @Test("An empty dictionary is every row")
    func empty() throws {
        // F71, Settled 2
        #expect(try names([:]).count == 5)
        #expect(try names(Criteria([:])).count == 5)
    }

    @Test("Nil is IS NULL")
    func null() throws {
        // F71
        #expect(try names(["lastName": nil]) == ["Buster"])
        let unknown: String? = nil
        #expect(try names(["lastName": unknown]) == ["Buster"])
    }

    @Test("<NOT> takes the rows that do not have the value, NULL too")
    func not() throws {
        // F71, Settled 10
        #expect(try names(["<NOT>luckyNumber": 13]) == ["Michael", "Tobias", "Maeby"])
        #expect(try names(["lastName": "Bluth", "<NOT>luckyNumber": 13]) == ["Michael"])
        #expect(try names(["<NOT>lastName": nil]) == ["Michael", "Lucille", "Tobias", "Maeby"])
    }

    @Test("An array is IN, nil in it is NULL")
    func array() throws {
        // F71
        #expect(try names(["luckyNumber": [4, 7]]) == ["Michael", "Maeby"])
        #expect(try names(["luckyNumber": [4, nil] as [Int?]]) == ["Tobias", "Maeby"])
        #expect(try names(["luckyNumber": [nil] as [Int?]]) == ["Tobias"])
        #expect(try names(["luckyNumber": [Int]()]) == [])
    }

    @Test("<NOT> of an array takes all other rows, NULL too")
    func notArray() throws {
        // F71, Settled 10
        #expect(try names(["<NOT>luckyNumber": [4, 7]]) == ["Lucille", "Buster", "Tobias"])
        #expect(try names(["<NOT>luckyNumber": [4, nil] as [Int?]]) == ["Michael", "Lucille", "Buster"])
        #expect(try names(["<NOT>luckyNumber": [Int]()]).count == 5)
    }

    @Test("A dictionary made at run time is the same as a literal")
    func runTime() throws {
        // F71
        let values: [String: (any Sendable)?] = ["lastName": nil, "luckyNumber": 13]
        #expect(try names(Criteria(values)) == ["Buster"])
    }

    @Test("Values of other types without loss are taken, those with loss rejected")
    func conversions() throws {
        // F71, Settled 9
        #expect(try names(["luckyNumber": UInt8(4)]) == ["Maeby"])
        #expect(try names(["luckyNumber": 4.0]) == ["Maeby"])
        let error = failure { try names(["luckyNumber": "four"]) }
        #expect(error?.code == .invalidCriteria)
        #expect(error?.model == "Person")
        #expect(error?.key == "luckyNumber")
        #expect(error?.expected == "Int?")
        #expect(error?.found == "String")
    }

    @Test("An unknown key throws, with <NOT> too, and names those there are")
    func unknownKey() throws {
        // F71, Settled 4
        for key in ["surname", "<NOT>surname", "LAST_NAME", "", "<NOT>"] {
            let error = failure { try names(Criteria([key: "a"])) }
            #expect(error?.code == .unknownKey, "\(key)")
            #expect(error?.model == "Person")
            #expect(error?.message.contains("id, firstName, lastName, luckyNumber") == true)
        }
    }

    @Test("A value of an array that is of the wrong type throws")
    func wrongInArray() throws {
        // Settled 9
        let error = failure { try names(["luckyNumber": [1, "b"] as [any Sendable]]) }
        #expect(error?.code == .invalidCriteria)
        #expect(error?.key == "luckyNumber")
    }

    @Test("Bytes are one value, an array of them is IN")
    func bytes() throws {
        // F71
        let manager = try memoryManager(Possible.self)
        try manager.insert(Possible.self, values: ["bytes": [1, 2] as [UInt8]])
        try manager.insert(Possible.self, values: ["bytes": [UInt8]()])
        #expect(try manager.count(Possible.self, where: ["bytes": [1, 2] as [UInt8]]) == 1)
        #expect(try manager.count(Possible.self, where: ["bytes": [UInt8]()]) == 1)
        #expect(try manager.count(Possible.self, where: ["bytes": [[1, 2], []] as [[UInt8]]]) == 2)
    }

    @Test("A text is compared by its bytes")
    func text() throws {
        // Settled 10
        let manager = try memoryManager(User.self)
        try manager.insert([User(name: "\u{E9}"), User(name: "e\u{301}"), User(name: "É")])
        #expect(try manager.fetchAll(User.self, where: ["name": "e\u{301}"]).map(\.id) == [2])
        #expect(try manager.count(User.self, where: \.name == "\u{E9}") == 1)
    }

    @Test("A value cannot become SQL")
    func injection() throws {
        // F71
        #expect(try names(["lastName": "x' OR '1' = '1"]) == [])
        #expect(failure { try names(["lastName = '' OR 1 = 1 --": "x"]) }?.code == .unknownKey)
    }
}

@Suite("Conditions by key path", .onBothEngines)
struct KeyPathCriteriaTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try people()
    }

    private func names(_ criteria: Criteria<Person>) throws -> [String] {
        try manager.fetchAll(Person.self, where: criteria, sortedBy: "id").firstNames
    }

    @Test("The six comparisons")
    func comparisons() throws {
        // F71, Settled 10
        #expect(try names(\.luckyNumber == 7) == ["Michael"])
        #expect(try names(\.luckyNumber != 13) == ["Michael", "Tobias", "Maeby"])
        #expect(try names(\.luckyNumber < 7) == ["Maeby"])
        #expect(try names(\.luckyNumber <= 7) == ["Michael", "Maeby"])
        #expect(try names(\.luckyNumber > 7) == ["Lucille", "Buster"])
        #expect(try names(\.luckyNumber >= 7) == ["Michael", "Lucille", "Buster"])
    }

    @Test("Equal to nil is IS NULL, unequal IS NOT NULL, and any other comparison with nil is false")
    func null() throws {
        // Settled 10
        #expect(try names(\.luckyNumber == nil) == ["Tobias"])
        #expect(try names(\.luckyNumber != nil) == ["Michael", "Lucille", "Buster", "Maeby"])
        #expect(try names(\.luckyNumber < nil) == [])
        #expect(try names(\.luckyNumber >= nil) == [])
    }

    @Test("NOT takes all the rows that the condition does not, NULL ones too")
    func not() throws {
        // Settled 10
        #expect(try names(!(\.luckyNumber == 13)) == ["Michael", "Tobias", "Maeby"])
        #expect(try names(!(\.luckyNumber != 13)) == ["Lucille", "Buster"])
        #expect(try names(!(\.luckyNumber > 7)) == ["Michael", "Tobias", "Maeby"])
        #expect(try names(!(\.luckyNumber < nil)).count == 5)
        #expect(try names(!(\.luckyNumber == nil)) == ["Michael", "Lucille", "Buster", "Maeby"])
        #expect(try names(!(!(\.luckyNumber > 7))) == ["Lucille", "Buster"])
    }

    @Test("NOT of AND and OR takes the rows that they do not, NULL ones too")
    func notCompound() throws {
        // Settled 10
        let (bluth, large): (Criteria<Person>, Criteria<Person>) = (\.lastName == "Bluth", \.luckyNumber > 7)
        #expect(try names(!(bluth && large)) == ["Michael", "Buster", "Tobias", "Maeby"])
        #expect(try names(!(bluth || large)) == ["Tobias", "Maeby"])
        #expect(try names(!(bluth && !large)) == ["Lucille", "Buster", "Tobias", "Maeby"])
    }

    @Test("AND and OR, with parentheses where Swift puts them")
    func compound() throws {
        // F71
        #expect(try names(\.lastName == "Bluth" && \.luckyNumber > 7) == ["Lucille"])
        #expect(try names(\.lastName == "Bluth" || \.luckyNumber == nil) == ["Michael", "Lucille", "Tobias"])
        #expect(
            try names(\.lastName == "Funke" && \.luckyNumber == 4 || \.firstName == "Buster") == ["Buster", "Maeby"])
        #expect(try names(\.lastName == "Funke" && (\.luckyNumber == 4 || \.firstName == "Buster")) == ["Maeby"])
        #expect(try names(\.id > 1 && \.id < 5 && \.luckyNumber == 13 && \.lastName == nil) == ["Buster"])
    }

    @Test("Every condition and its negation share the rows between them")
    func excludedMiddle() throws {
        // Settled 10
        let conditions: [Criteria<Person>] = [
            \.luckyNumber == 13, \.luckyNumber != 13, \.luckyNumber < 13, \.luckyNumber <= nil, \.lastName == nil,
            ["luckyNumber": [4, nil] as [Int?]], ["<NOT>lastName": "Bluth"], .all, .sql("LUCKY_NUMBER > 7"),
        ]
        for one in conditions {
            for other in conditions {
                for condition in [one && other, one || other, one && !other, !one || other] {
                    #expect(
                        try manager.count(Person.self, where: condition)
                            + manager.count(Person.self, where: !condition) == 5)
                }
            }
        }
    }

    @Test("Spellings mix")
    func mixed() throws {
        // F71, F72
        #expect(try names(\.lastName == "Bluth" && ["luckyNumber": 13]) == ["Lucille"])
        #expect(try names(\.luckyNumber == 13 && .sql("LAST_NAME IS NULL")) == ["Buster"])
        #expect(try names(.sql("LUCKY_NUMBER > ?", [5]) && \.lastName == "Bluth" && .sql("ID < \(2)")) == ["Michael"])
    }

    @Test(".all is every row, and changes nothing in a conjunction")
    func all() throws {
        // Settled 2
        #expect(try names(.all).count == 5)
        #expect(try names(.all && \.luckyNumber == 7) == ["Michael"])
        #expect(try names(!.all) == [])
        #expect(try names(!.all || \.luckyNumber == 7) == ["Michael"])
    }

    @Test("A class's condition is used on the connection's side of an asynchronous call")
    func sendable() async throws {
        // F71
        let criteria: Criteria<Person> = \.luckyNumber > 7
        let count = try await Task { [manager] in try await manager.count(Person.self, where: criteria) }.value
        #expect(count == 2)
    }
}

@Suite("Conditions by SQL", .onBothEngines)
struct SQLCriteriaTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try people()
    }

    private func names(_ criteria: Criteria<Person>) throws -> [String] {
        try manager.fetchAll(Person.self, where: criteria, sortedBy: "id").firstNames
    }

    @Test("Named and positional parameters are bound")
    func parameters() throws {
        // F73
        #expect(try names(.sql("LUCKY_NUMBER > :n", ["n": 7])) == ["Lucille", "Buster"])
        #expect(try names(.sql("LUCKY_NUMBER > ? AND LAST_NAME = ?", [7, "Bluth"])) == ["Lucille"])
        #expect(try names(.sql("LUCKY_NUMBER = :n OR ID = :n", ["n": 4])) == ["Tobias", "Maeby"])
    }

    @Test("An interpolated value is bound, never spliced")
    func interpolation() throws {
        // F72
        let name = "x' OR '1' = '1"
        #expect(try names(.sql("LAST_NAME = \(name)")) == [])
        #expect(try names(.sql("LUCKY_NUMBER IN (\([4, 7]))")) == ["Michael", "Maeby"])
    }

    @Test("SQL made at run time is taken as it is")
    func runTime() throws {
        // F72
        let condition = ["LUCKY_NUMBER", "= 7"].joined(separator: " ")
        #expect(try names(.sql(SQL(condition))) == ["Michael"])
        #expect(try names(.sql(SQL(condition + " OR ID = ?"), [2])) == ["Michael", "Lucille"])
    }

    @Test("An empty text is every row, alone and with another condition")
    func empty() throws {
        // F72
        #expect(try names(.sql("")).count == 5)
        #expect(try names(.sql("") && \.luckyNumber == 7) == ["Michael"])
        #expect(try names(.sql(" ") || \.luckyNumber == 7).count == 5)
        #expect(try names(!.sql("")) == [])
    }

    @Test("SQL keeps its own logic of NULL; its negation takes the rows that it does not")
    func null() throws {
        // Settled 10
        #expect(try names(.sql("LUCKY_NUMBER <> 13")) == ["Michael", "Maeby"])
        #expect(try names(!.sql("LUCKY_NUMBER <> 13")) == ["Lucille", "Buster", "Tobias"])
    }

    @Test("OR in SQL does not reach beyond its condition")
    func parentheses() throws {
        // F72
        #expect(try names(\.lastName == "Bluth" && .sql("LUCKY_NUMBER = 7 OR LUCKY_NUMBER = 4")) == ["Michael"])
    }

    @Test("A comment at the end of SQL does not swallow what follows")
    func comment() throws {
        // F72
        #expect(try names(.sql("LUCKY_NUMBER = 7 -- the number") && \.lastName == "Bluth") == ["Michael"])
    }

    @Test("A missing parameter and one too many throw, with the SQL")
    func parameterCount() throws {
        // F73, Settled 4
        for criteria: Criteria<Person> in [
            .sql("LUCKY_NUMBER = ?"), .sql("LUCKY_NUMBER = :n"), .sql("LUCKY_NUMBER = ?", [1, 2]),
            .sql("LUCKY_NUMBER = :n", ["m": 1]), .sql("LUCKY_NUMBER = :n", ["n": 1, "m": 2]), .sql("ID = 1", [1]),
        ] {
            let error = failure { try names(criteria) }
            #expect(error?.model == "Person")
            #expect(error?.sql?.contains("WHERE") == true)
            #expect([.argumentCount, .unknownParameter].contains(error?.sqliteError?.extendedCode))
        }
    }

    @Test("Two conditions that name one parameter are rejected")
    func twice() throws {
        // F73
        let criteria: Criteria<Person> = .sql("ID = :n", ["n": 1]) || .sql("ID = :n", ["n": 2])
        #expect(failure { try names(criteria) }?.code == .invalidCriteria)
    }

    @Test("Named parameters can be used with values and a limit")
    func namedBesideValues() throws {
        // F73
        let criteria: Criteria<Person> =
            \.id > 1 && .sql("LUCKY_NUMBER > :n AND ID < ?", [4], named: ["n": 7]) && \.lastName == "Bluth"
        #expect(try manager.fetchAll(Person.self, where: criteria, limit: 3, offset: 0).firstNames == ["Lucille"])
    }

    @Test("SQL that does not parse throws, with model and SQL")
    func syntax() throws {
        // F16
        let error = failure { try names(.sql("LUCKY_NUMBER ==== 7")) }
        #expect(error?.code == .database)
        #expect(error?.model == "Person")
        #expect(error?.sql?.contains("====") == true)
    }

    @Test("A column that is not there throws, with its name")
    func noColumn() throws {
        // F17
        let error = failure { try names(.sql("LUKY_NUMBER = 7")) }
        #expect(error?.code == .missingColumn)
        #expect(error?.message.contains("LUKY_NUMBER") == true)
    }
}

extension Criteria {
    /// SQL with parameters by position and by name.
    fileprivate static func sql(_ condition: SQL, _ arguments: Arguments, named: Arguments) -> Criteria {
        sql(condition, arguments + named)
    }
}
