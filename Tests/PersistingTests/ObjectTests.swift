import Foundation
import Persisting
import Testing

@Suite("Objects by themselves")
struct ObjectTests {
    @Test("A new object is not persisted, and all its keys count as changed")
    func new() {
        // F19, F54
        let user = User()
        #expect(!user.isPersisted)
        #expect(user.hasChanges)
        #expect(user.changedKeys == ["id", "name", "age", "score", "isActive"])
    }

    @Test("A saved object is persisted and has no changes")
    func saved() throws {
        // F54
        let manager = try memoryManager(User.self)
        let user = User(name: "Kohki")
        try manager.save(user)
        #expect(user.isPersisted)
        #expect(!user.hasChanges)
        #expect(user.changedKeys.isEmpty)
    }

    @Test("A fetched object has no changes")
    func fetched() throws {
        // F54
        let manager = try memoryManager(User.self)
        try manager.save(User(name: "Kohki"))
        let user = try #require(try manager.find(User.self, 1))
        #expect(user.isPersisted)
        #expect(!user.hasChanges)
    }

    @Test("Changed keys are those whose values differ, in the order of declaration")
    func changedKeys() throws {
        // F54, F58
        let manager = try memoryManager(User.self)
        let user = User(name: "Kohki", age: 34)
        try manager.save(user)
        user.score = 2
        user.name = "K"
        #expect(user.changedKeys == ["name", "score"])
    }

    @Test("A value that is changed and changed back isn't a change")
    func changedBack() throws {
        // F58
        let manager = try memoryManager(User.self)
        let user = User(name: "Kohki", age: 34)
        try manager.save(user)
        user.age = 35
        user.age = 34
        #expect(!user.hasChanges)
    }

    @Test("A letter composed and the same letter decomposed are different values")
    func decomposed() throws {
        // Settled 10
        let manager = try memoryManager(User.self)
        let user = User(name: "\u{E9}")
        try manager.save(user)
        user.name = "e\u{301}"
        #expect(user.changedKeys == ["name"])
    }

    @Test("Zero and minus zero are different values")
    func minusZero() throws {
        // F58
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        user.score = -0.0
        #expect(user.changedKeys == ["score"])
    }

    @Test("The primary key's value is NULL until there is one")
    func primaryKeyValue() throws {
        // F36
        let manager = try memoryManager(User.self)
        let user = User()
        #expect(user.primaryKeyValue == .null)
        try manager.save(user)
        #expect(user.primaryKeyValue == .integer(1))
    }

    @Test("Values are set and read by name")
    func valueForKey() throws {
        // F62
        let album = Album()
        try album.setValue("Giant Steps", forKey: "title")
        #expect(album.title == "Giant Steps")
        #expect(try album.value(forKey: "title") as? String == "Giant Steps")
    }

    @Test("The value of a property that is nil is nil")
    func nilValueForKey() throws {
        // F62
        #expect(try Album().value(forKey: "title") == nil)
    }

    @Test("An integer of another width, a raw value and a date's text are taken by name")
    func convertedValues() throws {
        // F62
        let album = Album()
        try album.setValue(UInt8(3), forKey: "flags")
        #expect(album.flags == 3)
        let episode = PodcastEpisode()
        try episode.setValue("trailer", forKey: "kind")
        #expect(episode.kind == .trailer)
        try album.setValue("1970-01-01T00:00:01Z", forKey: "publishDate")
        #expect(album.publishDate == Date(timeIntervalSince1970: 1))
    }

    @Test("A number other than 0 and 1 isn't a Bool")
    func twoIsNoBool() {
        // F62, Settled 9
        let user = User()
        #expect(failure { try user.setValue(2, forKey: "isActive") }?.code == .typeMismatch)
    }

    @Test("A value of the wrong type is said once")
    func saidOnce() throws {
        // F62, Settled 9
        let error = try #require(failure { try User().setValue(["a"], forKey: "age") })
        #expect(error.description.components(separatedBy: "isn't a valid").count == 2)
        #expect(error.description.components(separatedBy: "Int").count == 2)
    }

    @Test("A stored NULL that a property cannot hold is said once, with the ways out")
    func nullSaidOnce() throws {
        // Settled 3, Settled 9
        let manager = try memoryManager(script: "CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME)")
        try manager.run("INSERT INTO USER DEFAULT VALUES")
        let error = try #require(failure { try manager.fetchAll(NamedUser.self) })
        #expect(error.description.components(separatedBy: "NULL").count == 2)
        #expect(error.message.contains("make the property Optional, or declare the column .onNull(.default)"))
        #expect(error.found == "NULL")
    }

    @Test("Nil set by name is nil")
    func nilByName() throws {
        // F62
        let user = User(name: "a", age: 3)
        try user.setValue(nil, forKey: "age")
        #expect(user.age == nil)
        user.age = 3
        try user.setValue(String?.none, forKey: "age")
        #expect(user.age == nil)
    }

    @Test("Several values are set at once")
    func setValues() throws {
        // F62
        let user = User()
        try user.setValues(["name": "a", "age": 3, "isActive": false])
        #expect(user.name == "a")
        #expect(user.age == 3)
        #expect(!user.isActive)
    }

    @Test("If one of several values cannot be set, none is")
    func setValuesAllOrNothing() {
        // F62
        let user = User(name: "before", age: 1)
        #expect(failure { try user.setValues(["name": "after", "age": "x"]) }?.key == "age")
        #expect(user.name == "before")
        #expect(user.age == 1)
        #expect(failure { try user.setValues(["name": "after", "agee": 2]) }?.key == "agee")
        #expect(user.name == "before")
    }

    @Test("The dictionary has all values but those that are nil")
    func dictionary() throws {
        // F99
        let user = User(name: "a")
        let dictionary = user.dictionary()
        #expect(Set(dictionary.keys) == ["name", "score", "isActive"])
        #expect(dictionary["name"] as? String == "a")
    }

    @Test("Copying values takes all but the key, nil too")
    func copyValues() throws {
        // F100
        let manager = try memoryManager(User.self)
        let source = User(name: "source")
        let target = User(name: "target", age: 3)
        try manager.insert([source, target])
        target.copyValues(from: source)
        #expect(target.id == 2)
        #expect(target.name == "source")
        #expect(target.age == nil)
    }

    @Test("Printing an object shows its class and a line for each property")
    func printing() {
        // F110
        let album = Album()
        album.title = "Kind of Blue"
        album.coverImageData = Data([1, 2, 3])
        album.publishDate = Date(timeIntervalSince1970: 0.25)
        let text = "\(album)"
        #expect(text.hasPrefix("<Album\n"))
        #expect(text.contains("\n    title: Kind of Blue"))
        #expect(text.contains("\n    coverImageData: <blob 3>"))
        #expect(text.contains("\n    publishDate: 1970-01-01T00:00:00.250Z"))
        #expect(text.contains("\n    artist: nil"))
    }

    @Test("Two objects of one row are the same row, and not equal")
    func sameRow() throws {
        // Settled 12
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        let other = try #require(try manager.find(User.self, 1))
        #expect(user.isSameRow(as: other))
        #expect(user != other)
    }

    @Test("Rows of another key, class or database are not the same row; nor are new objects")
    func notSameRow() throws {
        // Settled 12
        let manager = try memoryManager(User.self, Person.self)
        let (one, two) = (User(name: "a"), User(name: "b"))
        try manager.insert([one, two])
        #expect(!one.isSameRow(as: two))
        let person = Person("a", nil, nil)
        try manager.save(person)
        #expect(!one.isSameRow(as: person))
        let elsewhere = User(name: "a")
        try memoryManager(User.self).save(elsewhere)
        #expect(!one.isSameRow(as: elsewhere))
        #expect(!User().isSameRow(as: User()))
        let new = User()
        #expect(new.isSameRow(as: new))
    }

    @Test("A save does not lose an object in a Set")
    func hashing() throws {
        // Settled 12
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        let set: Set<User> = [user]
        try manager.save(user)
        user.name = "b"
        #expect(set.contains(user))
    }

    @Test("Names that the library uses itself are free for properties")
    func freeNames() throws {
        // F19
        let manager = try memoryManager(Odd.self)
        let odd = Odd()
        odd.description = "a description"
        odd.state = "a state"
        odd.hash = 3
        odd.title = "a title"
        odd.record = "a record"
        odd.count = 4
        odd.isDeleted = true
        odd.table = "a table"
        odd.order = 5
        try manager.save(odd)
        let found = try #require(
            try manager.fetchOne(Odd.self, where: \.order == 5 && \.description == "a description"))
        #expect(found.dictionary().count == 10)
        #expect(found.record == "a record")
        #expect(found.state == "a state")
        #expect(found.hash == 3)
        #expect(try manager.columnSQL("\"ORDER\"", in: "ODD") == "\"ORDER\" INTEGER")
    }
}

private final class Odd: PersistingModel {
    var id: Int64?
    var description: String?
    var state: String?
    var hash: Int?
    var title: String?
    var record: String?
    var count: Int?
    var isDeleted = false
    var table: String?
    var order: Int?
}

private final class NamedUser: PersistingModel {
    var id: Int64?
    var name = ""
    override class var tableName: String { "USER" }
}
