import Foundation
import Persisting
import Testing

/// A model whose row's writes are counted.
private class Letter: PersistingModel {
    var id: Int64?
    var subject = ""
    var text: String?
    var version = 0
    var scan: Data?

    override class var versionKey: String? { "version" }

    override class var columns: Columns {
        var columns = super.columns
        columns["SCAN"] = .data.deferred
        return columns
    }
}

private final class CertifiedLetter: Letter {
    var number = ""
    override class var primaryKey: PrimaryKey { .composite("number", "subject") }
}

private final class Counted: PersistingModel {
    var code = ""
    var name = ""
    var writes: Int8?

    override class var primaryKey: PrimaryKey { .assigned("code") }
    override class var versionKey: String? { "writes" }
    override class var columns: Columns {
        ["CODE": .string, "NAME": .string, "WRITES": .int.onNull(.default)]
    }

    convenience init(_ code: String, _ name: String) {
        self.init()
        self.code = code
        self.name = name
    }
}

@Suite("Versions")
struct VersionTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Letter.self, CertifiedLetter.self, Counted.self)
    }

    /// A letter as two have read it.
    private func two(tracked: Bool = true) throws -> (mine: Letter, theirs: Letter) {
        let letter = Letter()
        letter.subject = "A"
        letter.text = "a"
        try manager.save(letter)
        let mine = try #require(try manager.fetchAll(Letter.self, tracked: tracked).last)
        return (mine, try #require(try manager.find(Letter.self, letter.id)))
    }

    private var storedVersion: SQLiteValue? { get throws { try manager.stored("SELECT VERSION FROM LETTER") } }

    @Test("An insert stores 1, and each update one more, in the row and in the object")
    func counts() throws {
        let letter = Letter()
        try manager.save(letter)
        #expect(letter.version == 1)
        letter.subject = "B"
        try manager.save(letter)
        #expect(letter.version == 2)
        try letter.update(\.subject, to: "C")
        try manager.update(letter, keys: ["text"])
        #expect(letter.version == 4)
        #expect(try storedVersion == 4)
        #expect(!letter.hasChanges)
    }

    @Test("A save with nothing to write counts nothing")
    func unchanged() throws {
        // F58
        let letter = try two().mine
        try manager.save(letter)
        #expect(try storedVersion == 1)
    }

    @Test("An update and a delete ask for the version")
    func sql() throws {
        let (mine, _) = try two()
        let texts = Texts()
        let manager = try PersistenceManager(.memory, configuration: texts.configuration)
        try manager.createTableIfNecessary(for: Letter.self)
        try manager.save(mine)
        try mine.update(\.subject, to: "B")
        try manager.delete(mine)
        #expect(
            texts.all.suffix(2) == [
                "UPDATE LETTER SET SUBJECT = ?, VERSION = ? WHERE ID = ? AND ifnull(VERSION, 0) = ?",
                "DELETE FROM LETTER WHERE ID = ? AND ifnull(VERSION, 0) = ?",
            ])
    }

    @Test("A save over somebody else's change throws with base, mine and theirs, and writes nothing")
    func conflict() throws {
        let (mine, theirs) = try two()
        try theirs.update(\.text, to: "theirs")
        mine.subject = "M"
        mine.text = "mine"
        let error = failure { try manager.save(mine) }
        #expect(error?.code == .conflict)
        #expect(error?.model == "Letter")
        #expect(error?.conflict?.base == ["subject": "A", "text": "a"])
        #expect(error?.conflict?.mine == ["subject": "M", "text": "mine"])
        #expect(error?.conflict?.theirs == ["text": "theirs"])
        #expect(error?.conflict?.overlap == ["text"])
        #expect(error?.message.contains("ID = 1") == true)
        #expect(mine.version == 1)
        #expect(mine.changedKeys == ["subject", "text"])
        #expect(try manager.stored("SELECT SUBJECT || TEXT || VERSION FROM LETTER") == "Atheirs2")
    }

    @Test("Changes of different columns, and the same change twice, do not overlap")
    func noOverlap() throws {
        let (mine, theirs) = try two()
        theirs.text = "same"
        try manager.save(theirs)
        mine.text = "same"
        mine.subject = "M"
        let conflict = failure { try manager.save(mine) }?.conflict
        #expect(conflict?.overlap.isEmpty == true)
        #expect(conflict?.theirs == ["text": "same"])
    }

    @Test("A NULL on one side is a value like any other")
    func null() throws {
        let (mine, theirs) = try two()
        try theirs.update(\.text, to: nil)
        mine.text = "mine"
        let conflict = failure { try manager.save(mine) }?.conflict
        #expect(conflict?.theirs == ["text": .null])
        #expect(conflict?.overlap == ["text"])
    }

    @Test("An update of one property over somebody else's change throws, and the property has its old value")
    func oneProperty() async throws {
        // F60
        let (mine, theirs) = try two()
        try await theirs.update(\.text, to: "theirs")
        #expect(failure { try mine.update(\.subject, to: "M") }?.conflict?.mine == ["subject": "M"])
        #expect(failure { try manager.update(mine, keys: ["subject"]) }?.code == .conflict)
        #expect(await asyncFailure { try await mine.update(\.subject, to: "M") }?.code == .conflict)
        #expect(mine.subject == "A")
        #expect(mine.version == 1)
    }

    @Test("A delete over somebody else's change throws, and says what they have changed")
    func delete() async throws {
        // F63
        let (mine, theirs) = try two()
        try await theirs.update(\.text, to: "theirs")
        let error = failure { try manager.delete(mine) }
        #expect(error?.code == .conflict)
        #expect(error?.conflict?.theirs == ["text": "theirs"])
        #expect(error?.conflict?.mine.isEmpty == true)
        #expect(await asyncFailure { try await manager.delete(mine) }?.code == .conflict)
        #expect(mine.isPersisted)
        #expect(try await manager.delete(theirs))
    }

    @Test("A row that is gone isn't a conflict: a save throws notFound, a delete finds nothing")
    func gone() throws {
        // F55, F63
        let (mine, theirs) = try two()
        try manager.delete(theirs)
        mine.text = "mine"
        #expect(failure { try manager.save(mine) }?.code == .notFound)
        #expect(try !manager.delete(mine))
    }

    @Test("An object that is not tracked knows its version")
    func untracked() throws {
        let (mine, theirs) = try two(tracked: false)
        try mine.update(\.subject, to: "M")
        try mine.update(\.subject, to: "N")
        #expect(mine.version == 3)
        #expect(try mine.storedValue(forKey: "version") == 3)
        theirs.text = "theirs"
        #expect(failure { try manager.save(theirs) }?.code == .conflict)
        try manager.refresh(theirs)
        try theirs.update(\.text, to: "theirs")
        let conflict = failure { try manager.save(mine) }?.conflict
        #expect(conflict?.base.isEmpty == true)
        #expect(conflict?.theirs == ["text": "theirs"])
    }

    @Test("A version that the user sets isn't a change, and the next write puts it right")
    func set() throws {
        let letter = try two().mine
        letter.version = 77
        #expect(!letter.hasChanges)
        try manager.save(letter)
        #expect(try storedVersion == 1)
        letter.text = "b"
        try manager.save(letter)
        #expect(letter.version == 2)
        #expect(try storedVersion == 2)
    }

    @Test("The version is written by nobody else", arguments: [0, 1, 2, 3, 4])
    func notWritable(way: Int) async throws {
        let letter = try two().mine
        let error =
            switch way {
            case 0: failure { try letter.update(\.version, to: 9) }
            case 1: failure { try letter.update(key: "version", to: 9) }
            case 2: failure { try manager.update(letter, keys: ["subject", "version"]) }
            case 3: failure { try manager.update(Letter.where(\.subject == "A"), set: ["version": 9]) }
            default: await asyncFailure { try await letter.update(\.version, to: 9) }
            }
        #expect(error?.code == .notWritable)
        #expect(error?.key == "version")
        #expect(letter.version == 1)
        #expect(try storedVersion == 1)
    }

    @Test("A write of a query's rows counts, so that a save of an earlier read conflicts")
    func query() throws {
        let (mine, _) = try two()
        try manager.update(Letter.where(\.subject == "A"), set: ["text": "theirs"])
        try manager.updateAll(Letter.self, set: ["text": "theirs"])
        #expect(try storedVersion == 3)
        mine.text = "mine"
        #expect(failure { try manager.save(mine) }?.code == .conflict)
    }

    @Test("A NULL that was there before versions counts as 0, in an update and in a write of a query's rows")
    func nullVersion() throws {
        try manager.execute("INSERT INTO COUNTED (CODE, NAME) VALUES ('a', ''), ('b', '')")
        let first = try #require(try manager.find(Counted.self, "a"))
        #expect(first.writes == nil)
        try first.update(\.name, to: "A")
        #expect(first.writes == 1)
        let second = try #require(try manager.find(Counted.self, "b"))
        try manager.update(Counted.where(\.code == "b"), set: ["name": "B"])
        #expect(try manager.stored("SELECT WRITES FROM COUNTED WHERE CODE = 'b'") == 1)
        #expect(failure { try manager.delete(second) }?.code == .conflict)
    }

    @Test("A version after which there is none is an error, and the object is as it was")
    func overflow() throws {
        try manager.execute("INSERT INTO COUNTED VALUES ('a', '', 127)")
        let counted = try #require(try manager.find(Counted.self, "a"))
        #expect(failure { try counted.update(\.name, to: "A") }?.code == .typeMismatch)
        #expect(counted.writes == 127)
        #expect(counted.name == "")
        try manager.execute("INSERT INTO LETTER (SUBJECT, VERSION) VALUES ('', \(Int64.max))")
        let letter = try #require(try manager.fetchOne(Letter.self))
        letter.subject = "B"
        let error = failure { try manager.save(letter) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "version")
        #expect(letter.changedKeys == ["subject"])
    }

    @Test("A key that changes is written to the old row, of the version that was read", arguments: [true, false])
    func key(tracked: Bool) throws {
        // F40
        try manager.save(Counted("a", "A"))
        let counted = try #require(try manager.fetchAll(Counted.self, tracked: tracked).first)
        let other = try #require(try manager.find(Counted.self, "a"))
        counted.code = "b"
        try manager.save(counted)
        #expect(try manager.stored("SELECT CODE || NAME || WRITES FROM COUNTED") == "bA2")
        counted.code = "c"
        try manager.update(counted, keys: ["code"])
        #expect(try manager.stored("SELECT CODE || NAME || WRITES FROM COUNTED") == "cA3")
        other.name = "B"
        #expect(failure { try manager.save(other) }?.code == .notFound)
    }

    @Test("A composite key with an inherited part changes under its version")
    func compositeKey() throws {
        // F38, F40
        let letter = CertifiedLetter()
        letter.subject = "A"
        letter.number = "1"
        try manager.save(letter)
        let other = try #require(try manager.fetchOne(CertifiedLetter.self))
        letter.number = "2"
        letter.text = "t"
        try manager.save(letter)
        #expect(
            try manager.stored("SELECT NUMBER || SUBJECT || TEXT || VERSION FROM CERTIFIED_LETTER") == "2At2")
        other.subject = "B"
        #expect(failure { try manager.save(other) }?.code == .notFound)
        try manager.delete(letter)
        #expect(try manager.rowCount("CERTIFIED_LETTER") == 0)
    }

    @Test("A rollback gives the version back, of each savepoint its own")
    func rollback() throws {
        // F14
        let letter = try two().mine
        let new = Letter()
        try catchingTestError {
            try manager.transaction {
                try manager.save(new)
                letter.text = "b"
                try manager.save(letter)
                try catchingTestError {
                    try manager.transaction {
                        letter.text = "c"
                        try manager.save(letter)
                        #expect(letter.version == 3)
                        throw TestError()
                    }
                }
                #expect(letter.version == 2)
                throw TestError()
            }
        }
        #expect(letter.version == 1)
        #expect(new.version == 0)
        try manager.save(letter)
        #expect(try storedVersion == 2)
    }

    @Test("A conflict inside a transaction leaves the transaction to its caller")
    func transaction() throws {
        let (mine, theirs) = try two()
        try theirs.update(\.text, to: "theirs")
        mine.subject = "M"
        try manager.transaction {
            #expect(failure { try manager.save(mine) }?.code == .conflict)
            try manager.merge(mine)
            try manager.save(mine)
        }
        #expect(try manager.stored("SELECT SUBJECT || TEXT || VERSION FROM LETTER") == "Mtheirs3")
    }

    @Test("An object that is deleted and saved again counts on")
    func again() throws {
        // F54
        let (mine, theirs) = try two()
        try manager.delete(mine)
        try manager.save(mine)
        #expect(mine.version == 2)
        theirs.text = "t"
        #expect(failure { try manager.save(theirs) }?.code == .conflict)
    }

    @Test("A snapshot knows the version")
    func snapshot() throws {
        let (mine, theirs) = try two()
        let copy = try Letter(mine.snapshot())
        try theirs.update(\.text, to: "theirs")
        copy.text = "copy"
        #expect(failure { try manager.save(copy) }?.code == .conflict)
    }

    @Test("A trigger that ignores the write isn't a conflict")
    func ignored() throws {
        let (mine, _) = try two()
        try manager.run(
            "CREATE TRIGGER T BEFORE UPDATE ON LETTER BEGIN SELECT RAISE(IGNORE); END")
        mine.text = "mine"
        let error = failure { try manager.save(mine) }
        #expect(error?.code == .database)
        #expect(error?.message.contains("trigger") == true)
        #expect(mine.version == 1)
    }

    @Test("A batch counts each object, and values by name count from what is given")
    func batch() throws {
        let letters = [Letter(), Letter()]
        letters[1].version = 4
        try manager.insert(letters)
        #expect(letters.map(\.version) == [1, 5])
        #expect(try manager.insert(Letter.self, values: ["subject": "x"]).version == 1)
    }
}

/// Notes the SQL that is run.
private final class Texts: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var texts: [String] = []

    var all: [String] { lock.withLock { texts } }

    var configuration: DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { [self] event in lock.withLock { texts.append(event.sql) } }
        return configuration
    }
}

@Suite("Two managers on one file")
struct TwoManagersTests {
    private let directory: TemporaryDirectory
    private let one: PersistenceManager
    private let two: PersistenceManager

    init() throws {
        directory = try TemporaryDirectory()
        one = try PersistenceManager(path: directory.path())
        two = try PersistenceManager(path: directory.path())
        try one.createTableIfNecessary(for: Letter.self)
        try one.createTableIfNecessary(for: Account.self)
    }

    private func both() throws -> (Letter, Letter) {
        try one.save(Letter())
        return (try #require(try one.find(Letter.self, 1)), try #require(try two.find(Letter.self, 1)))
    }

    @Test("A lost update is found by the version, merged and saved")
    func lostUpdate() throws {
        let (mine, theirs) = try both()
        theirs.subject = "theirs"
        try two.save(theirs)
        mine.text = "mine"
        #expect(failure { try one.save(mine) }?.conflict?.theirs == ["subject": "theirs"])
        try mine.merge()
        try mine.save()
        #expect(try two.stored("SELECT SUBJECT || TEXT || VERSION FROM LETTER") == "theirsmine3")
    }

    @Test("A vanished row is found by a save")
    func vanished() throws {
        // F55
        let (mine, theirs) = try both()
        try two.delete(theirs)
        mine.text = "mine"
        #expect(failure { try one.save(mine) }?.code == .notFound)
    }

    @Test("A duplicate is found by the constraint's name")
    func duplicate() throws {
        try two.save(Account(email: "a"))
        let error = failure { try one.save(Account(email: "a")) }
        #expect(error?.code == .constraint)
        #expect(error?.sqliteError?.isConstraint(.unique) == true)
        #expect(error?.sqliteError?.columns == ["EMAIL"])
        #expect(error?.key == "email")
    }

    @Test("Of many who count in one row, each in a task of its own, none is lost")
    func many() async throws {
        let (one, two) = (one, two)
        try await one.save(Account(email: "a"))
        try await one.save(Letter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for manager in [one, two, one, two] {
                group.addTask {
                    let letter = try #require(try await manager.find(Letter.self, 1))
                    for _ in 0..<10 {
                        while true {
                            letter.text = "\((Int(letter.text ?? "") ?? 0) + 1)"
                            do {
                                try await manager.save(letter)
                                break
                            } catch let error as PersistenceError where error.code == .conflict {
                                try await manager.merge(letter, preferring: .theirs)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try one.stored("SELECT TEXT FROM LETTER") == "40")
        #expect(try one.stored("SELECT VERSION FROM LETTER") == 41)
    }

    @Test("Two tasks that save one new object insert it once") @MainActor
    func once() async throws {
        let letter = Letter()
        let tasks = (0..<2).map { _ in Task { try await one.save(letter) } }
        for task in tasks { try await task.value }
        #expect(try one.rowCount("LETTER") == 1)
        #expect(letter.version == 1)
    }
}

private final class NoSuchVersion: PersistingModel {
    var id: Int64?
    override class var versionKey: String? { "version" }
}

private final class TextVersion: PersistingModel {
    var id: Int64?
    var version = ""
    override class var versionKey: String? { "version" }
}

private final class KeyVersion: PersistingModel {
    var id: Int64?
    override class var versionKey: String? { "id" }
}

private final class DeferredVersion: PersistingModel {
    var id: Int64?
    var version: Int?
    override class var columns: Columns { ["ID": .int, "VERSION": .int.deferred] }
    override class var versionKey: String? { "version" }
}

private final class ComputedVersion: PersistingModel {
    var id: Int64?
    var _version = 0
    var version: Int {
        get { _version }
        set { _version = newValue }
    }
    override class var columns: Columns { ["ID": .int, "VERSION": .path(\ComputedVersion.version)] }
    override class var versionKey: String? { "version" }
}

private final class GeneratedVersion: PersistingModel {
    var id: Int64?
    var version = 0
    override class var columns: Columns { ["ID": .int, "VERSION": .int.generated(as: "ID")] }
    override class var versionKey: String? { "version" }
}

@Suite("Properties that aren't a version")
struct InvalidVersionTests {
    @Test(
        "No property, one of text, the key, a deferred one, a computed one and a generated column are rejected",
        arguments: [
            NoSuchVersion.self, TextVersion.self, KeyVersion.self, DeferredVersion.self, ComputedVersion.self,
            GeneratedVersion.self,
        ] as [PersistingModel.Type])
    func rejected(type: PersistingModel.Type) throws {
        // F41
        let error = failure { try PersistenceManager(.memory).createTableIfNecessary(for: type) }
        #expect(error?.code == (type == NoSuchVersion.self ? .unknownKey : .invalidModel))
        #expect(error?.key == (type == KeyVersion.self ? "id" : "version"))
        #expect(error?.message.hasPrefix("versionKey names") == true)
    }

    @Test("A version that the table computes is rejected before anything is written") func generatedByTable() throws {
        // F41
        let manager = try memoryManager(
            script: "CREATE TABLE COUNTED (CODE TEXT PRIMARY KEY, NAME TEXT, WRITES INT AS (length(NAME)))")
        let error = failure { try manager.insert(Counted("a", "A")) }
        #expect(error?.code == .invalidModel)
        #expect(error?.key == "writes")
        #expect(try manager.rowCount("COUNTED") == 0)
    }
}
