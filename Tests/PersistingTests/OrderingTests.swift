import Foundation
import Persisting
import Testing

@Suite("Ordering", .onBothEngines)
struct OrderingTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try people()
    }

    private func names(_ ordering: Ordering<Person>?) throws -> [String] {
        try manager.fetchAll(Person.self, sortedBy: ordering).firstNames
    }

    @Test("A phrase names properties, with directions or without")
    func phrase() throws {
        // F78
        #expect(try names("firstName") == ["Buster", "Lucille", "Maeby", "Michael", "Tobias"])
        #expect(try names("lastName desc, firstName") == ["Maeby", "Tobias", "Lucille", "Michael", "Buster"])
    }

    @Test(
        "Directions are read in any case, and blanks skipped",
        arguments: [
            "firstName desc", "firstName DESC", "  firstName   Desc  ", "firstName\tdescending",
            "firstName\ndesc,id asc",
            "firstName desc , id ASCENDING",
        ])
    func directions(_ phrase: String) throws {
        // F78
        #expect(try names(Ordering(phrase)) == ["Tobias", "Michael", "Maeby", "Lucille", "Buster"])
    }

    @Test("What is interpolated in an order by SQL is bound, along with the values of the condition")
    func sqlValues() throws {
        // F78, Settled 18
        let first = "Maeby'; DROP TABLE PERSON --"
        #expect(
            try names([.sql("length(FIRST_NAME) = \(7), FIRST_NAME = \(first) DESC"), .ascending(\.firstName)])
                == ["Buster", "Maeby", "Tobias", "Lucille", "Michael"])
        let query = Person.where(\.firstName != "Tobias").sorted(by: .sql("FIRST_NAME = :last", ["last": "Buster"]))
        #expect(try manager.fetchAll(query.limit(4)).firstNames.last == "Buster")
        #expect(failure { try names(.sql("FIRST_NAME = ?")) } != nil)
    }

    @Test("Key paths, names, dictionaries and arrays order the same")
    func spellings() throws {
        // F78
        let expected = ["Maeby", "Tobias", "Lucille", "Michael", "Buster"]
        #expect(try names([.descending(\.lastName), .ascending("firstName")]) == expected)
        #expect(try names([.descending("lastName"), .ascending(\.firstName)]) == expected)
        #expect(try names(["lastName": .descending, "firstName": .ascending]) == expected)
        #expect(try names(["lastName desc", "firstName"]) == expected)
        #expect(try names(.sql("LAST_NAME DESC, FIRST_NAME")) == expected)
    }

    @Test("One direction alone")
    func single() throws {
        // F78
        #expect(try names(.descending(\.firstName)).first == "Tobias")
        #expect(try names(.ascending("firstName")).first == "Buster")
        #expect(try names(["firstName": .descending]).first == "Tobias")
    }

    @Test("An expression of SQL orders")
    func sql() throws {
        // F78
        #expect(
            try names(.sql("length(FIRST_NAME), FIRST_NAME")) == ["Maeby", "Buster", "Tobias", "Lucille", "Michael"])
    }

    @Test("An empty array leaves the order to SQLite")
    func empty() throws {
        // F78
        #expect(try names([]).count == 5)
        #expect(try names(nil).count == 5)
    }

    @Test("NULL comes before any value")
    func null() throws {
        // F78
        #expect(try names("luckyNumber, firstName").first == "Tobias")
        #expect(try names("luckyNumber desc, firstName").last == "Tobias")
    }

    @Test(
        "A phrase that is wrong throws, as a literal and at run time",
        arguments: [
            "", "  ", ",", "firstName,", ",firstName", "firstName,,id", "firstName down", "firstName desc asc",
            "firstName id", "desc, ",
        ])
    func wrongPhrase(_ phrase: String) throws {
        // F78
        let error = failure { try Ordering<Person>(phrase) }
        #expect(error?.code == .invalidOrdering)
        #expect(error?.message.contains("\"\(phrase)\"") == true)
        #expect(failure { try names(Ordering(stringLiteral: phrase)) }?.code == .invalidOrdering)
    }

    @Test("An error in a phrase names the model")
    func namesModel() {
        // F78, Settled 9
        let phrase = "firstName down"
        #expect(failure { try Ordering<Person>(phrase) }?.model == "Person")
        #expect(failure { try names("firstName down") }?.model == "Person")
    }

    @Test("An unknown key throws in every spelling, and names those there are")
    func unknownKey() throws {
        // F78, Settled 4
        for ordering: Ordering<Person> in ["surname", ["surname": .ascending], .descending("surname"), ["FIRST_NAME"]] {
            let error = failure { try names(ordering) }
            #expect(error?.code == .unknownKey)
            #expect(error?.model == "Person")
            #expect(error?.message.contains("id, firstName, lastName, luckyNumber") == true)
        }
        let phrase = "surname desc"
        #expect(failure { try Ordering<Person>(phrase) }?.key == "surname")
    }

    @Test("A phrase cannot become SQL")
    func injection() {
        // F78
        #expect(failure { try names("id;DROP") }?.code == .unknownKey)
        #expect(failure { try names("length(FIRST_NAME)") }?.code == .unknownKey)
    }

    @Test("A key path that reads no column throws when it is used")
    func computed() throws {
        // F78
        let manager = try memoryManager(Titled.self)
        let error = failure { try manager.fetchAll(Titled.self, sortedBy: .ascending(\.fullTitle)) }
        #expect(error?.code == .unknownKey)
        #expect(error?.model == "Titled")
    }

    @Test("A query that counts, deletes or finds needs no order; the first is in it")
    func first() throws {
        // F77
        #expect(try manager.fetchOne(Person.self, sortedBy: "firstName desc")?.firstName == "Tobias")
    }
}

@Suite("Ordering of texts and NULL", .onBothEngines)
struct TextOrderingTests {
    private final class Line: PersistingModel {
        var id: Int64?
        var text: String?
        var number: Int?

        convenience init(_ text: String?, _ number: Int? = nil) {
            self.init()
            self.text = text
            self.number = number
        }
    }

    private func texts(_ ordering: Ordering<Line>, _ texts: [String?]) throws -> [String?] {
        let manager = try memoryManager(Line.self)
        try manager.insert(texts.map { Line($0) })
        let found = try manager.fetchAll(Line.self, sortedBy: ordering).map(\.text)
        #expect(try ordering.sort(manager.fetchAll(Line.self, sortedBy: "id")).map(\.text) == found)
        return found
    }

    @Test("NULL comes first or last, whatever the direction")
    func nils() throws {
        // F78
        #expect(try texts(.ascending(\.text, nils: .last), ["b", nil, "a"]) == ["a", "b", nil])
        #expect(try texts(.descending(\.text, nils: .first), ["b", nil, "a"]) == [nil, "b", "a"])
        #expect(try texts(.ascending("text", nils: .first), ["b", nil, "a"]) == [nil, "a", "b"])
        #expect(try texts(.descending("text"), ["b", nil, "a"]) == ["b", "a", nil])
    }

    @Test("Texts are ordered by bytes, without case, without accents, or as the locale does", .local(.textComparisons))
    func comparisons() throws {
        // F78
        let all = ["b", "B", "a10", "a9", "é", "e", "f"]
        #expect(try texts(.ascending(\.text), all) == ["B", "a10", "a9", "b", "e", "f", "é"])
        #expect(
            try texts([.ascending(\.text, by: .caseInsensitive), "id"], all) == ["a10", "a9", "b", "B", "e", "f", "é"])
        #expect(
            try texts([.descending(\.text, by: .unaccented), "id"], all) == ["f", "é", "e", "b", "B", "a9", "a10"])
        #expect(try texts(.ascending(\.text, by: .localized), ["a10", "a9", "f", "é"]) == ["a9", "a10", "é", "f"])
    }

    @Test("Another order of what isn't text is rejected")
    func notText() throws {
        // F78
        let error = failure { try texts(.ascending(\.number, by: .localized), ["a"]) }
        #expect(error?.code == .invalidOrdering)
        #expect(error?.key == "number")
    }

    @Test("Objects in memory are not sorted by SQL")
    func sqlInMemory() throws {
        // F78
        let error = failure { try Ordering<Line>.sql("length(TEXT)").sort([Line("a")]) }
        #expect(error?.code == .invalidOrdering)
        #expect(error?.message.contains("length(TEXT)") == true)
        #expect(failure { try Ordering<Line>(stringLiteral: "x y").sort([Line("a")]) }?.code == .invalidOrdering)
    }

    @Test("A sort descriptor by key path orders, one by a comparator of its own throws")
    func sortDescriptors() throws {
        // F78
        #expect(try texts(Ordering(SortDescriptor(\Line.text, order: .reverse)), ["a", nil, "b"]) == ["b", "a", nil])
        let descriptors = [SortDescriptor(\Line.number), SortDescriptor(\Line.text)]
        #expect(try texts(Ordering(descriptors), ["b", "a"]) == ["a", "b"])
        #expect(try texts([.init(SortDescriptor(\.text)), "id"], ["b", "a"]) == ["a", "b"])
    }

    @Test("Sort descriptors order a query, those that follow what is equal by the first")
    func sortDescriptorsOfQuery() throws {
        // F78
        let manager = try memoryManager(Line.self)
        try manager.insert([Line("a"), Line("c"), Line("b")])
        let backward = SortDescriptor(\Line.text, order: .reverse)
        #expect(try manager.fetchAll(Line.sorted(by: backward)).map(\.text) == ["c", "b", "a"])
        #expect(try manager.fetchOne(Line.where(\.text > "a").sorted(by: SortDescriptor(\.text)))?.text == "b")
        #expect(
            try manager.fetchAll(Line.sorted(by: SortDescriptor(\.number), backward)).map(\.text) == ["c", "b", "a"])
        #expect(
            try manager.fetchAll(Line.where(\.text > "a").sorted(by: SortDescriptor(\.number), backward)).map(\.text)
                == ["c", "b"])
    }
}

private final class Titled: PersistingModel {
    var id: Int64?
    var title = ""
    var fullTitle: String { "The " + title }
}
