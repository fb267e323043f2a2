import Foundation
import Persisting
import Testing

/// Classes of one table that have relations of their own.
private enum Museum {
    final class Room: PersistingModel {
        var id: Int64?
        var name = ""
        static let works = ToMany(inverse: Work.room)
        override class var relations: Relations { ["works": works] }
    }

    class Work: PersistingModel {
        var id: Int64?
        var title = ""
        var roomID: Int64?
        static let room = ToOne(\Work.roomID, Room.self)
        override class var relations: Relations { ["room": room] }
        override class var subclasses: [PersistingModel.Type] { [Painting.self, Statue.self] }
    }

    final class Painting: Work {
        var painterID: Int64?
        static let painter = ToOne(\Painting.painterID, Painter.self, onDelete: .setNull)
        override class var relations: Relations { super.relations + ["painter": painter] }
    }

    final class Statue: Work {
        var weight: Double?
    }

    final class Painter: PersistingModel {
        var id: Int64?
        var name = ""
        static let paintings = ToMany(inverse: Painting.painter)
        override class var relations: Relations { ["paintings": paintings] }
    }

    /// Two rooms, two painters, ten paintings and ten statues.
    static func database() throws -> (manager: PersistenceManager, log: SQLLog) {
        let log = SQLLog()
        let manager = try log.manager()
        for type in [Room.self, Work.self, Painter.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
        try manager.save([Room(), Room()])
        try manager.save([Painter(), Painter()])
        for number in 0..<10 {
            let (painting, statue) = (Painting(), Statue())
            (painting.title, statue.title) = ("painting \(number)", "statue \(number)")
            (painting.roomID, statue.roomID) = (1, 2)
            painting.painterID = Int64(1 + number % 2)
            try manager.save([painting, statue] as [Work])
        }
        return (manager, log)
    }
}

/// Links of two kinds in one table.
private enum Links {
    class Link: PersistingModel {
        var id: Int64?
        override class var subclasses: [PersistingModel.Type] { [Like.self, Ownership.self] }
    }

    final class Like: Link {
        var personID: Int64?
        var thingID: Int64?
        static let person = ToOne(\Like.personID, Person.self)
        static let thing = ToOne(\Like.thingID, Thing.self)
        override class var relations: Relations { ["person": person, "thing": thing] }
    }

    final class Ownership: Link {
        var personID: Int64?
        var thingID: Int64?
        static let person = ToOne(\Ownership.personID, Person.self)
        static let thing = ToOne(\Ownership.thingID, Thing.self)
        override class var relations: Relations { ["person": person, "thing": thing] }
    }

    final class Person: PersistingModel {
        var id: Int64?
        static let likes = ManyToMany(Like.person, Like.thing)
        static let things = ManyToMany(Ownership.person, Ownership.thing)
        override class var relations: Relations { ["likes": likes, "things": things] }
    }

    final class Thing: PersistingModel {
        var id: Int64?
        var name = ""
        static let owners = ManyToMany(inverse: Person.things)
        override class var relations: Relations { ["owners": owners] }
    }
}

// F123, F124
@Suite("Links of classes that share a table", .onBothEngines)
struct HierarchyLinkTests {
    @Test("lead to the objects of their own kind, however they are asked")
    func kinds() throws {
        let manager = try memoryManager(Links.Person.self)
        for type in [Links.Thing.self, Links.Link.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
        let (liked, owned, person) = (Links.Thing(), Links.Thing(), Links.Person())
        try manager.save([liked, owned])
        try person.add(liked, to: Links.Person.likes)
        try person.add(owned, to: Links.Person.things)
        try manager.save(person)
        let found = try #require(try manager.find(Links.Person.self, person.id))
        #expect(try found.related(Links.Person.things).map(\.id) == [owned.id])
        #expect(try manager.fetchAll(found.rows(Links.Person.things)).map(\.id) == [owned.id])
        #expect(try found.related(Links.Person.things.count) == 1)
        let with = try manager.fetchAll(Links.Person.with(Links.Person.likes))
        #expect(try with.map { try $0.related(Links.Person.likes).map(\.id) } == [[liked.id]])
        let limited = try manager.fetchAll(
            Links.Person.with(Links.Person.likes.sorted(by: \.id, .descending).limit(1)))
        #expect(
            try limited.map { try $0.related(Links.Person.likes.sorted(by: \.id, .descending).limit(1)).map(\.id) }
                == [[liked.id]])
        #expect(try liked.related(Links.Thing.owners).isEmpty)
        let isOwned = Links.Thing.owners.isEmpty
        #expect(try isOwned.filter([liked, owned]).map(\.id) == manager.fetchAll(Links.Thing.where(isOwned)).map(\.id))
    }
}

// F123, F124
@Suite("Relations of classes that share a table")
struct HierarchyRelationTests {
    private let manager: PersistenceManager
    private let log: SQLLog

    init() throws {
        (manager, log) = try Museum.database()
    }

    private func queries(_ body: () throws -> Void) throws -> Int {
        let before = log.texts.count
        try body()
        return log.texts[before...].filter { $0.hasPrefix("SELECT") }.count
    }

    @Test("A superclass's relation is loaded for objects of all classes at once")
    func superclass() throws {
        let works = try manager.fetchAll(Museum.Work.self)
        _ = try manager.fetchAll(Query(Museum.Room.self).limit(0))
        let count = try queries { () throws in
            for work in works {
                let room = try work.related(Museum.Work.room)
                #expect(room?.id == (work is Museum.Painting ? 1 : 2))
            }
        }
        #expect(count == 1)
    }

    @Test("A subclass's relation is loaded for all objects of the class that a fetch of the superclass has given")
    func subclass() throws {
        let paintings = try manager.fetchAll(Museum.Work.self).compactMap { $0 as? Museum.Painting }
        _ = try manager.fetchAll(Query(Museum.Painter.self).limit(0))
        let count = try queries { () throws in
            for painting in paintings { #expect(try painting.related(Museum.Painting.painter) != nil) }
        }
        #expect(paintings.count == 10)
        #expect(count == 1)
    }

    @Test("An object of a subclass is asked for its superclass's relation, and changes it")
    func inherited() throws {
        let painting = try #require(try manager.fetchOne(Museum.Painting.self))
        #expect(try painting.related(Museum.Work.room)?.id == 1)
        let room = try #require(try manager.find(Museum.Room.self, 2))
        try painting.set(Museum.Work.room, to: room)
        try manager.save(painting)
        #expect(try manager.stored("SELECT count(*) FROM WORK WHERE ROOM_ID = 2") == .integer(11))
    }

    @Test("A relation to the superclass gives objects of their own classes")
    func classes() throws {
        let rooms = try manager.fetchAll(Museum.Room.with(Museum.Room.works))
        #expect(try rooms[0].related(Museum.Room.works).allSatisfy { $0 is Museum.Painting } == true)
        #expect(try rooms[1].related(Museum.Room.works).allSatisfy { $0 is Museum.Statue } == true)
    }

    @Test("A new object of a subclass is added to a relation to the superclass")
    func adding() throws {
        let room = try #require(try manager.find(Museum.Room.self, 1))
        let statue = Museum.Statue()
        try room.add(statue, to: Museum.Room.works)
        #expect(try manager.stored("SELECT KIND FROM WORK WHERE ROOM_ID = 1 AND KIND <> 'Painting'") == .text("Statue"))
    }

    @Test("Conditions go through relations to and from subclasses")
    func conditions() throws {
        #expect(try manager.count(Museum.Painter.self, where: Museum.Painter.paintings.count == 5) == 2)
        let first: Criteria<Museum.Painting> = Museum.Painting.painter.matches(\.id == 1)
        #expect(try manager.count(Museum.Painting.self, where: first) == 5)
        #expect(try manager.count(Museum.Painting.self, where: ["room.id": 2]) == 0)
    }
}
