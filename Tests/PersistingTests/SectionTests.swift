import Foundation
import Persisting
import Testing

// F82
@Suite("Sections") struct SectionTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try people()
    }

    @Test("there is a section for each value, in the order; nil is one") func names() throws {
        let sections = try manager.sections(Person.sorted(by: "lastName, firstName"), by: \.lastName)
        #expect(sections.map(\.name) == [nil, "Bluth", "Funke"])
        #expect(sections.map(\.count) == [1, 2, 2])
        #expect(sections[1].objects.firstNames == ["Lucille", "Michael"])
        #expect(sections.objects.firstNames == ["Buster", "Lucille", "Michael", "Maeby", "Tobias"])
        #expect(sections.section(named: "Funke")?.objects.firstNames == ["Maeby", "Tobias"])
        #expect(sections.section(named: "Fünke") == nil)
    }

    @Test("a descending order has them the other way round") func descending() throws {
        let sections = try manager.sections(Person.sorted(by: \.lastName, .descending), by: \.lastName)
        #expect(sections.map(\.name) == ["Funke", "Bluth", nil])
    }

    @Test("a function of the property names a section: its first letter") func function() throws {
        try manager.insert([Person("G", "bluth", 1), Person("A", "Abel", 1)])
        let sections = try manager.sections(Person.sorted(by: \.lastName), by: \.lastName) {
            String($0?.prefix(1) ?? "-")
        }
        #expect(sections.map(\.name) == ["-", "A", "B", "F", "b"])
    }

    @Test("a name that comes again is the same section") func again() throws {
        try manager.insert(Person("G", "bluth", 1))
        let sections = try manager.sections(Person.sorted(by: "lastName, firstName"), by: \.lastName) {
            $0?.prefix(1).lowercased()
        }
        #expect(sections.map(\.name) == [nil, "b", "f"])
        #expect(sections[1].objects.firstNames == ["Lucille", "Michael", "G"])
    }

    // F121
    @Test("an index has the first letters of the names, each of them once") func index() throws {
        try manager.insert(Person("G", "funke", 1))
        let sections = try manager.sections(Person.sorted(by: \.lastName), by: \.lastName)
        #expect(sections.map(\.indexTitle) == ["", "B", "F", "F"])
        #expect(sections.indexTitles == ["", "B", "F"])
        #expect(sections.section(forIndexTitle: "F") == 2)
        #expect(sections.section(forIndexTitle: "X") == nil)
    }

    @Test("an object is found at its index path, and its path by any object of its row") func paths() throws {
        let sections = try manager.sections(Person.sorted(by: "lastName, firstName"), by: \.lastName)
        let path: IndexPath = [2, 1]
        #expect(sections[path]?.firstName == "Tobias")
        #expect(sections[[3, 0]] == nil)
        #expect(sections[[0, 1]] == nil)
        #expect(sections[[0]] == nil)
        #expect(sections[IndexPath()] == nil)
        #expect(sections[[-1, 0]] == nil)
        for (position, section) in sections.enumerated() {
            for (row, object) in section.objects.enumerated() {
                #expect(sections.indexPath(of: object) == [position, row])
            }
        }
        let other = try #require(try manager.find(Person.self, 4))
        #expect(sections.indexPath(of: other) == path)
        #expect(sections.indexPath(of: Person("Tobias", "Funke", nil)) == nil)
    }

    @Test("conditions and limits of the query hold") func part() throws {
        let sections = try manager.sections(
            Person.where(\.lastName != nil).sorted(by: "lastName, id").limit(3), by: \.lastName)
        #expect(sections.map(\.count) == [2, 1])
    }

    @Test("without objects there are no sections") func empty() throws {
        let sections = try manager.sections(Person.where(\.id > 99).sorted(by: \.lastName), by: \.lastName)
        #expect(sections.isEmpty)
        #expect(sections.indexPath(of: Person()) == nil)
    }

    @Test("an order that does not begin with the property throws, and names both") func mistakes() throws {
        let other = failure { try manager.sections(Person.sorted(by: "firstName, lastName"), by: \.lastName) }
        #expect(other?.code == .invalidOrdering)
        #expect(other?.message.contains("lastName") == true)
        #expect(other?.message.contains("firstName") == true)
        let none = failure { try manager.sections(Query(Person.self), by: \.lastName) }
        #expect(none?.code == .invalidOrdering)
        let sql = failure { try manager.sections(Person.sorted(by: .sql("LAST_NAME")), by: \.lastName) { $0 ?? "" } }
        #expect(sql?.code == .invalidOrdering)
        #expect(failure { try manager.sections(Person.sorted(by: "last"), by: \.lastName) }?.code == .unknownKey)
    }

    @Test("a deferred property, which is not read with the objects, is rejected and named") func deferred() throws {
        let manager = try memoryManager(LazyNote.self)
        let error = failure { try manager.sections(LazyNote.sorted(by: \.text), by: \.text) }
        #expect(error?.code == .invalidOrdering)
        #expect(error?.key == "text")
    }

    @Test("there is an asynchronous form") func asynchronous() async throws {
        let sections = try await manager.sections(Person.sorted(by: \.lastName), by: \.lastName)
        #expect(sections.map(\.count) == [1, 2, 2])
        let letters = try await manager.sections(Person.sorted(by: \.lastName), by: \.lastName) { $0?.first }
        #expect(letters.map(\.name) == [nil, "B", "F"])
    }
}

/// A model whose text is not read with it.
private final class LazyNote: PersistingModel {
    var id: Int64?
    var text: String?

    override class var columns: Columns { ["ID": .int, "TEXT": .string.deferred] }
}
