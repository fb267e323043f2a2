import Foundation
import Persisting
import Testing

// F68
@Suite("Finding by keys", .onBothEngines) struct FindTests {
    @Test("objects come in the order of the keys; missing and nil ones are left out") func order() throws {
        let manager = try people()
        #expect(try manager.find(Person.self, keys: [5, 1, 3]).map(\.id) == [5, 1, 3])
        #expect(try manager.find(Person.self, keys: [5, 99, nil, 1]).map(\.id) == [5, 1])
        #expect(try manager.find(Person.self, keys: []).isEmpty)
        let ids: [Int64?] = [2, nil, 1]
        #expect(try manager.find(Person.self, keys: ids).map(\.id) == [2, 1])
    }

    @Test("a key that is given twice gives the same object twice") func twice() throws {
        let found = try people().find(Person.self, keys: [2, 1, 2])
        #expect(found.map(\.id) == [2, 1, 2])
        #expect(found[0] === found[2])
    }

    @Test("any number of keys are found, tracked") func many() throws {
        let manager = try memoryManager(User.self)
        try manager.insert((0..<1050).map { User(name: "u\($0)") })
        let keys = (1...1050).reversed().map { Int64($0) }
        let found = try manager.find(User.self, keys: keys)
        #expect(found.map(\.id) == keys)
        #expect(found.allSatisfy { $0.isPersisted && !$0.hasChanges })
        found[500].name = "changed"
        #expect(found[500].changedKeys == ["name"])
        try manager.save(found[500])
        #expect(try manager.find(User.self, found[500].id)?.name == "changed")
    }

    @Test("keys of a wrong type throw") func wrongType() throws {
        #expect(failure { try people().find(Person.self, keys: [1, "x"]) }?.code == .typeMismatch)
    }

    @Test("keys of UUIDs and of texts are found as they are stored") func otherTypes() throws {
        let manager = try memoryManager(Document.self, Country.self)
        let documents = [Document(), Document()]
        try manager.insert(documents)
        #expect(try manager.find(Document.self, keys: documents.map(\.id)).map(\.id) == documents.map(\.id))
        try manager.insert([Country("is", "Ísland"), Country("é", "composed"), Country("e\u{301}", "decomposed")])
        #expect(try manager.find(Country.self, keys: ["e\u{301}", "is"]).map(\.name) == ["decomposed", "Ísland"])
    }

    @Test("a composite key is given by its properties") func composite() throws {
        // F38
        let manager = try memoryManager(Enrolment.self)
        try manager.insert([Enrolment(1, "a", 5), Enrolment(1, "b", 6), Enrolment(2, "a", 7)])
        #expect(try manager.find(Enrolment.self, ["student": 1, "course": "b"])?.grade == 6)
        #expect(try manager.find(Enrolment.self, ["student": 2, "course": "b"]) == nil)
        #expect(try manager.find(Enrolment.self, ["student": 2, "course": nil]) == nil)
        let found = try manager.find(
            Enrolment.self,
            keys: [["student": 2, "course": "a"], ["student": 9, "course": "a"], ["course": "a", "student": 1]])
        #expect(found.map(\.grade) == [7, 5])
    }

    @Test("a key with a property too many, too few or of another type throws, and names it") func compositeMistakes()
        throws
    {
        // F38
        let manager = try memoryManager(Enrolment.self, Reading.self)
        let unknown = failure { try manager.find(Enrolment.self, ["student": 1, "course": "a", "grade": 1]) }
        #expect(unknown?.code == .unknownKey)
        #expect(unknown?.key == "grade")
        let missing = failure { try manager.find(Enrolment.self, ["student": 1]) }
        #expect(missing?.code == .missingPrimaryKeyValue)
        #expect(missing?.key == "course")
        #expect(failure { try manager.find(Enrolment.self, ["student": "x", "course": "a"]) }?.code == .typeMismatch)
        #expect(failure { try manager.find(Enrolment.self, keys: [1]) }?.code == .noPrimaryKey)
        #expect(failure { try manager.find(Reading.self, keys: [1]) }?.code == .noPrimaryKey)
    }

    @Test("each has an asynchronous form") func asynchronous() async throws {
        let manager = try people()
        #expect(try await manager.find(Person.self, keys: [3, 2]).map(\.id) == [3, 2])
        #expect(try await manager.find(Person.self, ["id": 3])?.firstName == "Buster")
        #expect(try await manager.find(Person.self, keys: [["id": 3], ["id": 1]]).map(\.id) == [3, 1])
    }
}
