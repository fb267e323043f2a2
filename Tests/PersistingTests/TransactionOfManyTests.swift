import Persisting
import Testing

/// What a transaction keeps of the objects written in it, so that the next one costs less.
@Suite("A transaction of many objects", .onBothEngines)
struct TransactionOfManyTests {
    @Test("undoes two updates of one property, to what it held before both")
    func twoUpdates() throws {
        // F14, F54
        let (manager, user) = try stored("first")
        try catchingTestError {
            try manager.transaction {
                try user.update(\.name, to: "second")
                try user.update(\.name, to: "third")
                throw TestError()
            }
        }
        #expect(user.name == "first")
        #expect(!user.hasChanges)
    }

    @Test("undoes a savepoint's update alone")
    func savepoint() throws {
        // F14, F54
        let (manager, user) = try stored("first")
        try manager.transaction {
            try user.update(\.name, to: "second")
            try catchingTestError {
                try manager.transaction {
                    try user.update(\.name, to: "third")
                    throw TestError()
                }
            }
        }
        #expect(user.name == "second")
        #expect(!user.hasChanges)
        #expect(try manager.stored("SELECT NAME FROM USER") == .text("second"))
    }

    @Test("gives a property that had an unsaved change that change again")
    func unsavedChange() throws {
        // F14, F54
        let (manager, user) = try stored("first")
        user.name = "unsaved"
        try catchingTestError {
            try manager.transaction {
                try user.update(\.name, to: "second")
                throw TestError()
            }
        }
        #expect(user.name == "unsaved")
        #expect(user.changedKeys == ["name"])
    }

    @Test("gives an object that is not tracked its value again")
    func untracked() throws {
        // F14, F54
        let (manager, _) = try stored("first")
        let user = try #require(try manager.fetchAll(User.self, tracked: false).first)
        try catchingTestError {
            try manager.transaction {
                try user.update(\.name, to: "second")
                throw TestError()
            }
        }
        #expect(user.name == "first")
    }

    @Test("leaves a value that is set between update and rollback")
    func setSince() throws {
        // F14, F54
        let (manager, user) = try stored("first")
        try catchingTestError {
            try manager.transaction {
                try user.update(\.name, to: "second")
                user.name = "since"
                throw TestError()
            }
        }
        #expect(user.name == "since")
    }

    @Test("takes the keys from all that it inserted, of one class after the other")
    func severalClasses() throws {
        // F14
        let manager = try memoryManager(User.self, Album.self)
        let users = (0..<150).map { User(name: "\($0)") }
        let albums = users.map { _ in Album() }
        try catchingTestError {
            try manager.transaction {
                for (user, album) in zip(users, albums) {
                    try manager.insert(user)
                    try manager.insert(album)
                    try user.update(\.name, to: "written")
                }
                throw TestError()
            }
        }
        #expect(users.allSatisfy { $0.id == nil && !$0.isPersisted } && albums.allSatisfy { $0.id == nil })
        #expect(users.map(\.name) == (0..<150).map { "\($0)" })
    }

    @Test("goes on after an insert that failed")
    func afterFailure() throws {
        // F14
        let manager = try memoryManager(Country.self)
        try manager.transaction {
            try manager.insert(Country("de", ""))
            #expect(failure { try manager.insert(Country("de", "")) }?.code == .constraint)
            try manager.insert(Country("fr", ""))
        }
        #expect(try manager.storedColumn("SELECT CODE FROM COUNTRY ORDER BY CODE") == [.text("de"), .text("fr")])
    }

    @Test("sees a column's new default in its next insert")
    func newSchema() throws {
        // F14, F59
        let manager = try memoryManager(User.self)
        try manager.transaction {
            try manager.insert(User(name: "before"))
            try manager.dropTable(for: User.self)
            try manager.execute(
                "CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME, AGE INTEGER DEFAULT 42, SCORE, IS_ACTIVE)")
            let user = User(name: "after")
            try manager.insert(user)
            #expect(user.age == 42)
        }
        #expect(try manager.storedColumn("SELECT AGE FROM USER") == [.integer(42)])
    }

    @Test("lets a hook insert another object of the class")
    func hook() throws {
        // F14
        let manager = try memoryManager(Echo.self)
        let heads = try manager.transaction {
            let echoes = (0..<3).map { number in
                let echo = Echo()
                echo.text = "\(number)"
                echo.isFirst = true
                return echo
            }
            for echo in echoes { try manager.insert(echo) }
            return echoes
        }
        #expect(heads.map(\.id) == [1, 3, 5])
        #expect(
            try manager.storedColumn("SELECT TEXT FROM ECHO ORDER BY ID")
                == ["0", "again 0", "1", "again 1", "2", "again 2"].map { .text($0) })
    }

    @Test("lets hooks that run before a write insert and save others of the class")
    func hooksBefore() throws {
        // F14
        let manager = try memoryManager(Heir.self)
        let heirs = (0..<200).map { number in
            let heir = Heir()
            heir.text = "\(number)"
            heir.companion = Heir()
            return heir
        }
        try manager.transaction {
            for heir in heirs { try manager.insert(heir) }
            for heir in heirs {
                heir.text = "new \(heir.text)"
                try manager.save(heir)
            }
        }
        #expect(try manager.rowCount("HEIR") == 400)
        #expect(heirs.allSatisfy { !$0.hasChanges && $0.companion?.hasChanges == false })
        #expect(Set(heirs.flatMap { [$0.id, $0.companion?.id] }).count == 400)
        #expect(try manager.stored("SELECT count(*) FROM HEIR WHERE TEXT GLOB 'new *'") == .integer(200))
    }

    @Test("lets the conversion of a value insert another of the class")
    func conversion() throws {
        // F14, F12
        let manager = try memoryManager(Writer.self)
        let writers = (0..<100).map { number in
            let writer = Writer()
            writer.text = "\(number)"
            writer.note.writes = true
            return writer
        }
        try manager.transaction {
            for writer in writers { try manager.insert(writer) }
        }
        #expect(try manager.storedColumn("SELECT TEXT FROM WRITER WHERE TEXT <> 'by a note' ORDER BY ID").count == 100)
        #expect(writers.map { try? manager.find(Writer.self, $0.id)?.text } == writers.map(\.text))
    }

    @Test("deletes, updates and inserts in turn")
    func inTurn() throws {
        // F14
        let manager = try memoryManager(User.self)
        let users = (0..<20).map { User(name: "\($0)") }
        try manager.transaction {
            for (number, user) in users.enumerated() {
                try manager.insert(user)
                try user.update(\.name, to: "new \(user.name)")
                if number.isMultiple(of: 2) { try manager.delete(user) }
            }
        }
        #expect(try manager.rowCount("USER") == 10)
        #expect(try manager.stored("SELECT min(NAME) FROM USER") == .text("new 1"))
    }

    private func stored(_ name: String) throws -> (PersistenceManager, User) {
        let manager = try memoryManager(User.self)
        let user = User(name: name)
        try manager.insert(user)
        return (manager, user)
    }
}

private final class Echo: PersistingModel {
    var id: Int64?
    var text = ""
    var isFirst = false

    override class var transientKeys: Set<String> { ["isFirst"] }

    override func didInsert() {
        guard isFirst else { return }
        let echo = Echo()
        echo.text = "again \(text)"
        // The test sees by the rows whether it was inserted.
        _ = try? echo.insert()
    }
}

/// Inserts and saves another, before it is written itself.
private final class Heir: PersistingModel {
    var id: Int64?
    var text = ""
    var companion: Heir?

    override class var transientKeys: Set<String> { ["companion"] }

    override func willInsert() throws { try companion?.insert() }

    override func willUpdate() throws {
        companion?.text = text.uppercased()
        try companion?.save()
    }
}

/// A value that inserts an object when it is stored.
private struct Note: SQLiteValueConvertible, Equatable {
    var writes = false

    init() {}

    init(sqliteValue: SQLiteValue) throws {}

    func sqliteValue() throws -> SQLiteValue {
        if writes {
            let writer = Writer()
            writer.text = "by a note"
            try writer.insert()
        }
        return .integer(1)
    }
}

private final class Writer: PersistingModel {
    var id: Int64?
    var text = ""
    var note = Note()
}
