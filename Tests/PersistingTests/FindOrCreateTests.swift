import Foundation
import Persisting
import Testing

@Suite("Finding or creating")
struct FindOrCreateTests {
    private let manager: PersistenceManager
    private let log = SQLLog()

    init() throws {
        manager = try log.manager()
        for type in [User.self, Country.self, Enrolment.self, Album.self, Document.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
    }

    @Test("An object that is there is found, and not set up") func found() throws {
        // F69
        try manager.insert(Country("de", "Germany"))
        let country = try manager.findOrCreate(Country.self, "de") { $0.name = "other" }
        #expect(country.name == "Germany")
        #expect(!country.hasChanges)
        #expect(try manager.rowCount("COUNTRY") == 1)
    }

    @Test("One that is not there is made with the key, set up and inserted") func created() throws {
        // F69
        let country = try manager.findOrCreate(Country.self, "de") { country in
            #expect(country.code == "de")
            #expect(!country.isPersisted)
            country.name = "Germany"
        }
        #expect(country.isPersisted)
        #expect(!country.hasChanges)
        #expect(try manager.stored("SELECT CODE || NAME FROM COUNTRY") == "deGermany")
    }

    @Test("Both happen in one transaction, which locks before it reads") func transaction() throws {
        // F69
        let before = log.texts.count
        _ = try manager.findOrCreate(User.self, 7)
        let texts = log.texts[before...]
        #expect(texts.first == "BEGIN IMMEDIATE")
        #expect(texts.last == "COMMIT")
        #expect(try manager.storedColumn("SELECT ID FROM USER") == [7])
    }

    @Test("A key that is nil makes an object whose key is generated, and throws when it is assigned") func nilKey()
        throws
    {
        // F69
        let user = try manager.findOrCreate(User.self, nil) { $0.name = "a" }
        #expect(user.id == 1)
        #expect(failure { try manager.findOrCreate(Country.self, nil as String?) }?.code == .missingPrimaryKeyValue)
    }

    @Test("A key of another type is rejected, and one of a composite key too") func wrongKey() throws {
        // F38, F69, Settled 9
        #expect(failure { try manager.findOrCreate(User.self, "seven") }?.code == .typeMismatch)
        #expect(failure { try manager.findOrCreate(Enrolment.self, 7) }?.code == .noPrimaryKey)
        #expect(failure { try manager.findOrCreate(Document.self, "no UUID") }?.code == .typeMismatch)
        #expect(failure { try manager.findOrCreate(Reading.self, 7) }?.code == .noPrimaryKey)
    }

    @Test("A key that is stored in another form than it is given in") func codedKey() throws {
        // F69
        let id = UUID()
        let document = try manager.findOrCreate(Document.self, id) { $0.title = "a" }
        #expect(document.id == id)
        #expect(try manager.findOrCreate(Document.self, id.uuidString).title == "a")
    }

    @Test("An object is found by its values, or made with them") func values() throws {
        // F69
        for flags in [1, 2] {
            let album = try manager.findOrCreate(Album.self, where: ["mediaKey": "x", "artist": nil]) { album in
                #expect(album.mediaKey == "x")
                album.flags = flags
            }
            #expect(album.id == 1)
            #expect(album.flags == 1)
        }
    }

    @Test("A composite key is found or made by its properties") func composite() throws {
        // F38, F69
        for grade in [1, 2] {
            _ = try manager.findOrCreate(Enrolment.self, where: ["student": 7, "course": "SQL"]) { $0.grade = grade }
        }
        #expect(try manager.storedColumn("SELECT GRADE FROM ENROLMENT") == [1])
    }

    @Test("Values are equal to the properties, whatever they look like") func plainEquality() throws {
        // F69, Settled 4
        #expect(failure { try manager.findOrCreate(User.self, where: ["<NOT>name": "a"]) }?.code == .unknownKey)
        #expect(failure { try manager.findOrCreate(User.self, where: ["name": ["a", "b"]]) }?.code == .invalidCriteria)
        #expect(failure { try manager.findOrCreate(User.self, where: ["id": 1...5]) }?.code == .invalidCriteria)
        #expect(failure { try manager.findOrCreate(User.self, where: ["nam": "a"]) }?.code == .unknownKey)
        #expect(failure { try manager.findOrCreate(User.self, where: [:]) }?.code == .missingCondition)
        #expect(try manager.rowCount("USER") == 0)
    }

    @Test("What the closure throws inserts nothing") func rejected() throws {
        // F69
        #expect(throws: TestError.self) { try manager.findOrCreate(User.self, 1) { _ in throw TestError() } }
        #expect(try manager.rowCount("USER") == 0)
    }

    @Test("What the closure stores is in the same transaction, on the class verbs' manager too") func closure() throws {
        // F69
        try manager.asCurrent { () throws -> Void in
            let user = try User.findOrCreate(where: ["name": "a"]) { user in
                user.age = try Country.findOrCreate("de") { $0.name = "Germany" }.name.count
            }
            #expect(user.age == 7)
            #expect(try User.findOrCreate(1).name == "a")
        }
    }

    @Test("Two tasks at once make one object") func concurrent() async throws {
        // F15, F69
        let directory = try TemporaryDirectory()
        let managers = [try PersistenceManager(path: directory.path()), try PersistenceManager(path: directory.path())]
        try await managers[0].createTableIfNecessary(for: Album.self)
        let ids = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for number in 0..<16 {
                let manager = managers[number % 2]
                group.addTask {
                    try await manager.findOrCreate(Album.self, where: ["mediaKey": "x"]) { $0.flags = number }.id
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids == [1])
        #expect(try managers[0].rowCount("ALBUM") == 1)
    }

    @Test("The asynchronous forms hand the object over") func asynchronous() async throws {
        // F69
        let user = try await manager.findOrCreate(User.self, 3) { $0.name = "a" }
        user.name += "b"
        try await manager.save(user)
        #expect(try await manager.findOrCreate(User.self, where: ["name": "ab"]).id == 3)
        try await manager.asCurrent { () async throws -> Void in
            #expect(try await Country.findOrCreate("fr").code == "fr")
        }
    }
}
