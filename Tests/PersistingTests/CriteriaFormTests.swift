import Foundation
import Testing

@testable import Persisting

extension PersistenceManager {
    /// How SQLite finds the rows of a condition.
    fileprivate func plan<Model: PersistingModel>(_ criteria: Criteria<Model>) throws -> String {
        var sql = CriteriaSQL(try Mapping.of(Model.self))
        sql.append("SELECT * FROM \(try Mapping.of(Model.self).sql.table)")
        try sql.appendWhere(criteria.node)
        return try database.read { db in "\(try db.queryPlan(of: SQL(sql.text), sql.arguments))" }
    }
}

private final class Word: PersistingModel {
    var id: Int64?
    var text: String?
    var folded: String?
    var number: Int?
    var price: Decimal?

    convenience init(_ text: String?, _ number: Int? = nil) {
        self.init()
        self.text = text
        folded = text
        self.number = number
    }

    override class var columns: Columns {
        var columns = super.columns
        columns["FOLDED"] = .string.collate(.nocase)
        return columns
    }
    override class var indexes: [Index] { [.init("text"), .init("folded"), .init("number"), .init("price")] }
}

private func words(_ texts: [String?]) throws -> PersistenceManager {
    let manager = try memoryManager(Word.self)
    try manager.insert(texts.map { Word($0) })
    return manager
}

@Suite("Conditions on texts, lists and columns")
struct CriteriaFormTests {
    private func texts(_ criteria: Criteria<Word>, _ texts: [String?]) throws -> [String] {
        let manager = try words(texts)
        let found = try manager.fetchAll(Word.self, where: criteria, sortedBy: "id").compactMap(\.text)
        #expect(try criteria.filter(manager.fetchAll(Word.self, sortedBy: "id")).compactMap(\.text) == found)
        return found
    }

    @Test("Contains, prefix and suffix are exact, and NULL has none")
    func parts() throws {
        // F74
        let all = ["Bluth", "bluth", "ABluth", "Bl", "Bm", nil, ""]
        #expect(try texts(.contains(\.text, "Bl"), all) == ["Bluth", "ABluth", "Bl"])
        #expect(try texts(.hasPrefix(\.text, "Bl"), all) == ["Bluth", "Bl"])
        #expect(try texts(.hasSuffix(\.text, "luth"), all) == ["Bluth", "bluth", "ABluth"])
        #expect(try texts(.hasPrefix(\.folded, "Bl"), all) == ["Bluth", "Bl"])
        #expect(try texts(.hasPrefix(\.text, ""), all).count == 6)
        #expect(try texts(.hasSuffix(\.text, ""), all).count == 6)
        #expect(try texts(.contains(\.text, ""), all).count == 6)
    }

    @Test("What is SQL's or LIKE's notation is plain text in a part")
    func wildcards() throws {
        // F74
        let all = ["a%b", "axb", "a_b", "a*b", "a\\b", "a'b", "a[b"]
        for text in ["%", "_", "*", "\\", "'", "["] {
            #expect(try texts(.contains(\.text, text), all) == ["a\(text)b"])
            #expect(try texts(.hasPrefix(\.text, "a\(text)"), all) == ["a\(text)b"])
            #expect(try texts(.hasSuffix(\.text, "\(text)b"), all) == ["a\(text)b"])
        }
    }

    @Test("A prefix finds its texts at the borders of Unicode, and with a NUL", .local(.textsWithNUL))
    func borders() throws {
        // F74
        let all = [
            "\u{D7FF}", "\u{D7FF}x", "\u{E000}", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", "a\u{10FFFF}", "b", "a\0b",
            "a\0",
        ]
        #expect(try texts(.hasPrefix(\.text, "\u{D7FF}"), all) == ["\u{D7FF}", "\u{D7FF}x"])
        #expect(try texts(.hasPrefix(\.text, "\u{10FFFF}"), all) == ["\u{10FFFF}", "\u{10FFFF}\u{10FFFF}"])
        #expect(try texts(.hasPrefix(\.text, "a\u{10FFFF}"), all) == ["a\u{10FFFF}"])
        #expect(try texts(.hasPrefix(\.text, "a\0"), all) == ["a\0b", "a\0"])
        #expect(try texts(.hasSuffix(\.text, "\0b"), all) == ["a\0b"])
        #expect(try texts(.contains(\.text, "\0"), all) == ["a\0b", "a\0"])
    }

    @Test("Case and diacritics fold for all of Unicode", .local(.textComparisons))
    func folding() throws {
        // F74
        let all = ["Ñandú", "nandu", "NANDU\u{301}", "Straße", "STRASSE", "ΣΑΣ", "σας"]
        #expect(try texts(.equals(\.text, "ñandú", .caseInsensitive), all) == ["Ñandú"])
        #expect(try texts(.equals(\.text, "ñandú", [.caseInsensitive, .diacriticInsensitive]), all).count == 3)
        #expect(try texts(.equals("text", "Nandu", .diacriticInsensitive), all) == ["Ñandú"])
        #expect(try texts(.hasPrefix(\.text, "STRASS", .caseInsensitive), all) == ["Straße", "STRASSE"])
        #expect(try texts(.hasSuffix(\.text, "σ", .caseInsensitive), all) == ["ΣΑΣ", "σας"])
        #expect(try texts(.contains("text", "NÚ", .caseInsensitive), all) == [])
        #expect(try texts(.contains("text", "ÑANDÚ", .caseInsensitive), all) == ["Ñandú"])
    }

    @Test("LIKE has NSPredicate's wildcards", .local(.textComparisons))
    func like() throws {
        // F74
        let all = ["Bluth", "bluth", "Bl", "Bluxth", "B*th", "B%", "日本", nil, ""]
        #expect(try texts(.like(\.text, "B*th"), all) == ["Bluth", "Bluxth", "B*th"])
        #expect(try texts(.like(\.text, "B?"), all) == ["Bl", "B%"])
        #expect(try texts(.like(\.text, "??"), all) == ["Bl", "B%", "日本"])
        #expect(try texts(.like(\.text, "B\\*th"), all) == ["B*th"])
        #expect(try texts(.like(\.text, "B%"), all) == ["B%"])
        #expect(try texts(.like(\.text, "*LUTH", .caseInsensitive), all) == ["Bluth", "bluth"])
        #expect(try texts(.like(\.text, "*"), all).count == 8)
        #expect(try texts(.like(\.text, ""), all) == [""])
    }

    @Test("LIKE compares bytes in a long OR, too, whatever the column's collation")
    func likeInLongOR() throws {
        // F74
        let like: Criteria<Word> = .like(\.folded, "abc")
        let equal = (0..<32).map { number -> Criteria<Word> in \.folded == "w\(number)" }
        let all = ["abc", "ABC", "W31", "w0", nil]
        #expect(try texts(equal.reduce(like) { $0 || $1 }, all) == ["abc", "W31", "w0"])
        #expect(try texts(equal.dropFirst().reduce(equal[0]) { $0 || $1 } || like, all) == ["abc", "W31", "w0"])
    }

    @Test("A regular expression matches the whole text", .local(.regularExpressions))
    func matches() throws {
        // F74
        let all = ["a", "ab", "A", "a\n", "é", nil, ""]
        #expect(try texts(.matches(\.text, "a|ab"), all) == ["a", "ab"])
        #expect(
            try texts(.matches(\.text, "[ae]", [.caseInsensitive, .diacriticInsensitive]), all) == ["a", "A", "é"])
        #expect(try texts(.matches(\.text, ""), all) == [""])
        for pattern in ["(", "a)|(b"] {
            let error = failure { try texts(.matches(\.text, pattern), all) }
            #expect(error?.code == .invalidCriteria)
            #expect(error?.message.contains(pattern.debugDescription) == true)
        }
    }

    @Test("Two columns compare, Optional or not, and NULL is equal to NULL alone")
    func columns() throws {
        // F75, Settled 10
        let manager = try memoryManager(Person.self)
        try manager.insert([Person("a", "a", 1), Person("a", "b", 2), Person("a", nil, 3), Person(nil, nil, 4)])
        func ids(_ criteria: Criteria<Person>) throws -> [Int64?] {
            let ids = try manager.fetchAll(Person.self, where: criteria, sortedBy: "id").map(\.id)
            #expect(try criteria.filter(manager.fetchAll(Person.self, sortedBy: "id")).map(\.id) == ids)
            return ids
        }
        #expect(try ids(\.firstName == \.lastName) == [1, 4])
        #expect(try ids(\.firstName != \.lastName) == [2, 3])
        #expect(try ids(\.firstName < \.lastName) == [2])
        #expect(try ids(!(\.firstName < \.lastName)) == [1, 3, 4])
        #expect(try ids(\.id == \.luckyNumber).count == 4)
        let error = failure { try ids(\.firstName == \.luckyNumber) }
        #expect(error?.code == .invalidCriteria)
        #expect(error?.key == "firstName")
    }

    @Test("Lists and ranges by key path and in a dictionary")
    func listsAndRanges() throws {
        // F71
        let manager = try people()
        func names(_ criteria: Criteria<Person>) throws -> [String] {
            try manager.fetchAll(Person.self, where: criteria, sortedBy: "id").firstNames
        }
        let ids: [Int64] = [1, 5]
        #expect(try names(.in(\.id, ids)) == ["Michael", "Maeby"])
        #expect(try names(.in(\.luckyNumber, [4, nil])) == ["Tobias", "Maeby"])
        #expect(try names(.in(\.luckyNumber, Set([4, 7]))) == ["Michael", "Maeby"])
        #expect(try names(.in(\.luckyNumber, [Int]())) == [])
        #expect(try names(.between(\.luckyNumber, 4...7)) == ["Michael", "Maeby"])
        #expect(try names(.between(\.luckyNumber, 4..<7)) == ["Maeby"])
        #expect(try names(.between(\.luckyNumber, 8...)) == ["Lucille", "Buster"])
        #expect(try names(!.between(\.luckyNumber, ...7)) == ["Lucille", "Buster", "Tobias"])
        #expect(try names(["luckyNumber": 4...7]) == ["Michael", "Maeby"])
        #expect(try names(["luckyNumber": 4..<7]) == ["Maeby"])
        #expect(try names(["luckyNumber": 8...]) == ["Lucille", "Buster"])
        #expect(try names(["luckyNumber": ...4]) == ["Maeby"])
        #expect(try names(["luckyNumber": ..<4]) == [])
        #expect(try names(["<NOT>luckyNumber": 4...7]) == ["Lucille", "Buster", "Tobias"])
        #expect(try names(["luckyNumber": Set([4, 7])]) == ["Michael", "Maeby"])
        #expect(try names(["lastName": "A"..."C"]) == ["Michael", "Lucille"])
        #expect(failure { try names(["lastName": 1...2]) }?.key == "lastName")
    }

    @Test("An Optional value is compared with a property that is not")
    func optionalValue() throws {
        // F71, Settled 3
        let manager = try memoryManager(User.self)
        try manager.insert(User(name: "a"))
        let (name, nothing): (String?, String?) = ("a", nil)
        #expect(try manager.count(User.self, where: \.name == name) == 1)
        #expect(try manager.count(User.self, where: \.name == nothing) == 0)
        #expect(try manager.count(User.self, where: \.name != nothing) == 1)
    }

    @Test("A value of the wrong type throws, with model, key and type")
    func wrongType() throws {
        // Settled 9
        let manager = try words(["a"])
        let wrong: [(CriteriaNode, String?)] = [
            (.compares(.key("number"), .less, .value("x"), []), "number"),
            (.compares(.key("text"), .equal, .value(1), []), "text"),
            (.matches(.key("number"), .contains, .value("1"), []), "number"),
            (.matches(.key("text"), .contains, .value(1), []), "text"),
            (.compares(.arithmetic(.key("text"), .add, .value(1)), .equal, .value(1), []), "text"),
            (.compares(.arithmetic(.key("number"), .add, .value("1")), .equal, .value(1), []), "number"),
            (.isIn(.key("number"), [.value(1), .value("x")], []), "number"),
            (.matches(.key("text"), .regularExpression, .value("["), []), "text"),
            (.matches(.key("text"), .regularExpression, .value(1), [.caseInsensitive]), "text"),
            (.matches(.key("text"), .like, .key("text"), []), "text"),
            (.matches(.key("text"), .like, .value("?\0"), []), "text"),
        ]
        for (node, key) in wrong {
            let errors = [
                failure { try manager.count(Word.self, where: Criteria(node)) },
                failure { try Criteria<Word>(node).matches(Word("a")) },
            ]
            for error in errors {
                #expect(error?.code == .invalidCriteria, "\(node)")
                #expect(error?.model == "Word")
                #expect(error?.key == key)
            }
        }
    }

    @Test("What only the database knows is rejected by name in memory")
    func notInMemory() throws {
        // F75
        let sql: Criteria<Word> = \.number == 1 && .sql("length(TEXT) > 1")
        #expect(failure { try sql.matches(Word("a")) }?.message.contains("length(TEXT) > 1") == true)
        let collated: Criteria<Collated> = \.text == "a"
        #expect(failure { try collated.matches(Collated()) }?.message.contains("MINE") == true)
        #expect(failure { try Criteria<Word>(["nothing": 1]).matches(Word("a")) }?.code == .unknownKey)
    }

    @Test("A mistake is thrown next to what matches every row")
    func mistakes() throws {
        // F76
        let manager = try words(["a"])
        let criteria: Criteria<Word> = .all || ["nothing": 1]
        #expect(failure { try manager.count(Word.self, where: criteria) }?.code == .unknownKey)
        #expect(failure { try manager.delete(Word.self, where: .all || \.number == 1) }?.code == .missingCondition)
    }

    @Test("An index serves equality, lists, ranges, prefixes, and an OR of them", .local(.connection))
    func indexes() throws {
        // F74
        let manager = try words(["a"])
        let many = Array(0..<1_000)
        for criteria: Criteria<Word> in [
            \.text == "a", \.text == nil, \.text > "a", .in(\.text, ["a", "b"]), .hasPrefix(\.text, "Bl"),
            .like(\.text, "Bl*"), .equals(\.text, "a"), .between(\.number, 1...3), .in(\.number, many),
            .in(\.text, many.map { "\($0)" }), \.text == "a" || \.number == 1, .hasPrefix(\.text, "a") || \.number > 3,
            .in(\.text, ["a", nil]), ["number": 1...3], \.folded == "a",
        ] {
            let plan = try manager.plan(criteria)
            #expect(plan.contains("USING INDEX") || plan.contains("USING COVERING INDEX"), "\(plan) \(criteria.node)")
            #expect(!plan.contains("SCAN WORD"), "\(plan)")
        }
        #expect(try manager.plan(.contains(\Word.text, "a")).contains("SCAN WORD"))
    }

    @Test("The same condition with other values prepares nothing", .local(.connection))
    func statements() throws {
        // F71
        let manager = try words(["a"])
        func fetch(_ number: Int) throws {
            _ = try manager.fetchAll(
                Word.self, where: \.number > number && .hasPrefix(\.text, "a\(number)") && \.text != "\(number)",
                sortedBy: "id", limit: number)
        }
        try fetch(1)
        let misses = try manager.statistics.misses
        for number in 2..<20 { try fetch(number) }
        #expect(try manager.statistics.misses == misses)
    }

    @Test("Hostile values and keys change no other row", .local(.textsWithNUL))
    func hostile() throws {
        // F71, Settled 9
        let hostile = ["x'; DELETE FROM WORD; --", "\"", "'", "%", "*", "\0", "?1", ":a", "'' OR 1=1"]
        let manager = try words(hostile)
        for text in hostile {
            for criteria: Criteria<Word> in [
                \.text == text, ["text": text], .in(\.text, [text]), .equals("text", text, .caseInsensitive),
                .hasPrefix(\.text, text) && .hasSuffix(\.text, text),
            ] {
                #expect(try manager.fetchAll(Word.self, where: criteria).map(\.text) == [text])
            }
            #expect(failure { try manager.count(Word.self, where: [text: 1]) }?.code == .unknownKey)
            #expect(failure { try manager.fetchAll(Word.self, sortedBy: .ascending(text)) }?.code == .unknownKey)
        }
        try manager.delete(Word.self, where: .contains(\.text, "%"))
        #expect(try manager.count(Word.self) == hostile.count - 1)
    }
}

private final class Collated: PersistingModel {
    var id: Int64?
    var text = ""
    override class var columns: Columns {
        var columns = super.columns
        columns["TEXT"] = .string.collate(Collation(rawValue: "MINE"))
        return columns
    }
}

@Suite("The size of conditions")
struct CriteriaSizeTests {
    private let manager: PersistenceManager
    private let objects: [Word]

    init() throws {
        manager = try memoryManager(Word.self)
        try manager.insert((0..<20).map { (number: Int) in Word("t\(number)", number) })
        objects = try manager.fetchAll(Word.self, sortedBy: "id")
    }

    private func numbers(_ criteria: Criteria<Word>) throws -> [Int] {
        let found = try manager.fetchAll(Word.self, where: criteria, sortedBy: "id").compactMap(\.number)
        #expect(try criteria.filter(objects).compactMap(\.number) == found)
        return found
    }

    @Test("100,000 values in a list, integers, texts and with nil", .oneAtATime)
    func longLists() throws {
        // F71
        let range = 5..<100_005
        #expect(try numbers(.in(\.number, range)) == Array(5..<20))
        #expect(try numbers(.in(\.number, Array(range) + [nil])) == Array(5..<20))
        #expect(try numbers(!.in(\.number, range)) == Array(0..<5))
        let names = range.map { "t\($0)" }
        let found = try numbers(.in(\.text, names))
        #expect(found == Array(5..<20))
        #expect(try numbers(.in(\.folded, range.map { "T\($0)" })) == Array(5..<20))
        #expect(try numbers(["number": Array(range)]) == Array(5..<20))
    }

    @Test("A long list keeps every text and integer to the bit", .local(.textsWithNUL))
    func exactLists() throws {
        // F71
        let manager = try memoryManager(Word.self)
        let texts = ["\"", "\\", "\n\u{1}\u{1F}\u{7F}", "a\0b", "é", "e\u{301}", "\u{10FFFF}", "", "]", "\\u0041"]
        try manager.insert(texts.map { Word($0) } + [Word("min", .min), Word("max", .max), Word("A")])
        let fill = (0..<1_000).map { "fill \($0)" }
        for text in texts {
            #expect(try manager.fetchAll(Word.self, where: .in(\.text, fill + [text])).map(\.text) == [text])
        }
        #expect(try manager.count(Word.self, where: .in(\.number, Array(0..<1_000) + [.min, .max])) == 2)
    }

    @Test(
        "100,000 conditions are joined by a loop, before and after, and by a query", .local(.manyParameters),
        .oneAtATime)
    func manyTerms() throws {
        // F75, R10
        var after: Criteria<Word> = \.number == 3
        var before = after
        var query = Query(Word.self)
        for _ in 0..<100_000 {
            after = after && \.number == 3
            before = \.number == 3 && before
            query = query.where(\.number == 3)
        }
        #expect(try numbers(after) == [3])
        #expect(try numbers(before) == [3])
        #expect(try manager.count(query) == 1)
        #expect("\(after)".count > 100_000)
    }

    @Test("30,000 conditions of any kind in AND and in OR", .local(.manyParameters), .oneAtATime)
    func manyKinds() throws {
        // F75, R10
        var either: Criteria<Word> = \.number == 3
        var all: Criteria<Word> = \.number != 3
        var prefixes: Criteria<Word> = .hasPrefix(\.text, "t1")
        for number in 4..<30_004 {
            either = either || \.number == number * 2
            all = all && \.number != number * 2
            prefixes = prefixes || .hasPrefix(\.text, "t\(number)0")
        }
        #expect(try numbers(either) == [3, 8, 10, 12, 14, 16, 18])
        #expect(try numbers(all) == [0, 1, 2, 4, 5, 6, 7, 9, 11, 13, 15, 17, 19])
        #expect(try numbers(prefixes) == [1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
        #expect(try manager.count(Word.self, where: !all) == 7)
    }

    @Test("30,000 conditions by a format string", .local(.manyParameters))
    func longFormat() throws {
        // F71, R10
        let format = Array(repeating: "number != 4", count: 30_000).joined(separator: " AND ")
        #expect(try manager.count(Word.self, where: .format(format)) == 19)
    }

    @Test("More values than SQLite takes in a statement are an error that says how many it takes", .local(.connection))
    func tooManyValues() throws {
        // R10
        try manager.database.withoutTransaction { db in try db.setLimit(.variables, to: 100) }
        var criteria: Criteria<Word> = \.number != -1
        for number in 0..<100 { criteria = criteria && \.number != number }
        let error = failure { try manager.count(Word.self, where: criteria) }
        #expect(error?.code == .invalidCriteria)
        #expect(error?.message.contains("has 101 values, and SQLite takes 100") == true)
    }

    @Test("An index serves the equality among many conditions", .local(.connection))
    func indexAmongMany() throws {
        // F80
        var criteria: Criteria<Word> = \.number != -1
        for number in 100..<200 { criteria = criteria && \.number != number }
        criteria = criteria && \.id == 3
        let statement = try Word.where(criteria).selectStatement()
        let plan = try manager.database.read { db in try db.queryPlan(of: statement).description }
        #expect(plan.contains("SEARCH"))
    }

    @Test("NOT of NOT is nothing, however often")
    func manyNots() throws {
        // F75
        var criteria: Criteria<Word> = \.number == 3
        for _ in 0..<5_000 { criteria = !criteria }
        #expect(try numbers(criteria) == [3])
    }

    @Test(
        "Conditions inside each other work, or throw an error that says the limit", arguments: [10, 25, 5_000, 100_000])
    func deep(_ count: Int) throws {
        // F75
        for isLeft in [true, false] {
            var criteria: Criteria<Word> = \.number == 3
            for _ in 0..<count {
                criteria = isLeft ? (!criteria && \.number != 4) : (\.number != 4 && !criteria)
            }
            let error = failure { try manager.count(Word.self, where: criteria) }
            if let error {
                #expect(error.code == .invalidCriteria)
                #expect(error.message.contains(count > 50 ? "100" : "60"), "\(error)")
            }
            if count == 10 { #expect(try numbers(criteria) == [3]) }
            if count == 25 { #expect(try criteria.filter(objects).count == 18) }
        }
    }

    @Test(
        "Calculations and choices inside each other work, or throw an error that says the limit",
        arguments: [5, 50, 300])
    func deepTerms(_ count: Int) throws {
        // F75
        let makers: [(CriteriaTerm) -> CriteriaTerm] = [
            { .arithmetic($0, .add, .value(0)) }, { .arithmetic(.value(0), .add, $0) },
            { .conditional(.compares(.key("number"), .equal, .value(-1), []), .key("number"), $0) },
            { .conditional(.compares($0, .equal, .value(-1), []), .value(0), .key("number")) },
        ]
        for make in makers {
            let term = (0..<count).reduce(CriteriaTerm.key("number")) { term, _ in make(term) }
            let criteria = Criteria<Word>(.compares(term, .equal, .value(3), []))
            if count <= 5 {
                #expect(try numbers(criteria) == [3])
            } else {
                let error = failure { try manager.count(Word.self, where: criteria) }
                #expect(error == nil || error?.code == .invalidCriteria, "\(String(describing: error))")
            }
        }
    }
}
