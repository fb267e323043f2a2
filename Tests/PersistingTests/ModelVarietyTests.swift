import Foundation
import Observation
import Persisting
import Testing

@Observable private final class Station: PersistingModel {
    var id: Int64?
    var flags: UInt64 = 0
    var name = ""

    var isMuted: Bool {
        get { flags & 2 != 0 }
        set { flags = newValue ? flags | 2 : flags & ~2 }
    }

    override class var bitFields: [BitField] { [BitField("isLive", in: "flags", mask: 1)] }
    override class var aliases: [Alias] {
        [Alias("isMuted", \Station.isMuted, in: "flags"), Alias("title", for: "name")]
    }
}

private class Crate<Content: SQLiteValueConvertible & Equatable>: PersistingModel {
    var id: Int64?
    var flags = 0
    var content: Content?
    var isOpen: Bool {
        get { flags & 2 != 0 }
        set { flags = newValue ? flags | 2 : flags & ~2 }
    }

    override class var bitFields: [BitField] { [BitField("isSealed", in: "flags", mask: 1)] }
    override class var aliases: [Alias] { [Alias("isOpen", \Crate<Content>.isOpen, in: "flags")] }
}

private final class Box: Crate<Int> {
    var label = ""
}

/// Two integers of bits, in a table whose key has two parts.
private final class Seat: PersistingModel {
    var row = ""
    var number = 0
    var flags: Int64 = 0
    var more: Int32?

    override class var primaryKey: PrimaryKey { .composite("row", "number") }
    override class var tableOptions: TableOptions { [.withoutRowID, .strict] }
    override class var bitFields: [BitField] {
        [
            BitField("isTaken", in: "flags", mask: 1), BitField("isLast", in: "flags", mask: Int64.min),
            BitField("isWet", in: "more", mask: 1 << 30),
        ]
    }
}

enum Outer {
    enum Inner {
        final class Leaf: PersistingModel {
            var id: Int64?
            var shade = Swatch()
            var flags = 0
            override class var bitFields: [BitField] { [BitField("isGreen", in: "flags", mask: 4)] }
            override class var columns: Columns {
                var columns = super.columns
                columns["SHADE"] = .path(\Leaf.shade, transform: .swatch)
                return columns
            }
        }
    }
}

// F23, F34, F60, F112
@Suite("Bits and aliases of all kinds of classes") struct VirtualKeyModelsTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Station.self, Box.self, Crate<UUID>.self, Seat.self, Outer.Inner.Leaf.self)
    }

    @Test("of an Observable class are set, stored and found") func observable() throws {
        let station = try manager.insert(Station.self, values: ["isLive": true, "title": "A"])
        #expect(station.flags == 1 && station.name == "A")
        try station.update(\.isMuted, to: true)
        #expect(try manager.stored("SELECT FLAGS FROM STATION") == .integer(3))
        #expect(try manager.count(Station.self, where: ["isLive": true, "title": "A"]) == 1)
    }

    @Test("of a generic class are its subclass's and those of each type") func generic() throws {
        let box = try manager.insert(Box.self, values: ["isSealed": true, "content": 5, "label": "x"])
        try box.update(key: "isOpen", to: true)
        #expect(try manager.stored("SELECT FLAGS FROM BOX") == .integer(3))
        try box.update(\.isOpen, to: false)
        #expect(try manager.find(Box.self, box.id)?.flags == 1)
        let crate = try manager.insert(Crate<UUID>.self, values: ["isOpen": true, "content": UUID()])
        #expect(crate.flags == 2)
    }

    @Test("are found by a key path of a subclass, too") func inheritedKeyPath() throws {
        let box = try manager.insert(Box.self, values: ["isOpen": true])
        // Swift's key paths of two classes are never equal, though they read one property.
        try box.update(\Box.isOpen, to: false)
        #expect(try manager.stored("SELECT FLAGS FROM BOX") == .integer(0))
    }

    @Test("of a table without row identifiers and with a composite key are stored and found") func composite() throws {
        // F38
        try manager.insert(Seat.self, values: ["row": "é", "number": 1, "isLast": true])
        let seat = try #require(try manager.fetchOne(Seat.self, where: ["isLast": true, "isTaken": false]))
        #expect(seat.flags == .min)
        try seat.update(key: "isTaken", to: true)
        try seat.update(key: "isWet", to: true)
        #expect(try manager.stored("SELECT FLAGS FROM SEAT") == .integer(.min + 1))
        #expect(try manager.fetchAll(Seat.self, where: ["isWet": true]).map(\.number) == [1])
    }

    @Test("of a nested class are stored along with a column by key path") func nested() throws {
        let leaf = Outer.Inner.Leaf()
        leaf.shade = Swatch(red: 1, green: 2)
        try leaf.setValue(true, forKey: "isGreen")
        try manager.save(leaf)
        #expect(try Outer.Inner.Leaf.schema().tableName == "LEAF")
        #expect(try manager.find(Outer.Inner.Leaf.self, leaf.id)?.shade == Swatch(red: 1, green: 2))
        #expect(try manager.stored("SELECT FLAGS FROM LEAF") == .integer(4))
    }

    @Test("set one after another in a transaction that is rolled back are as they were") func rollback() throws {
        let seat = try manager.insert(Seat.self, values: ["row": "a", "number": 1, "isLast": true])
        try catchingTestError {
            try manager.transaction {
                try seat.update(key: "isTaken", to: true)
                try seat.update(key: "isLast", to: false)
                throw TestError()
            }
        }
        #expect(seat.flags == .min)
        #expect(!seat.hasChanges)
    }

    @Test("set in a savepoint that is rolled back keep what the transaction has set") func savepoint() throws {
        let seat = try manager.insert(Seat.self, values: ["row": "a", "number": 1])
        try manager.transaction {
            try seat.update(key: "isTaken", to: true)
            try catchingTestError {
                try manager.transaction {
                    try seat.update(key: "isLast", to: true)
                    throw TestError()
                }
            }
        }
        #expect(seat.flags == 1)
        #expect(try manager.stored("SELECT FLAGS FROM SEAT") == .integer(1))
        #expect(!seat.hasChanges)
    }

    @Test("of an object that is not tracked are stored, and leave the other columns") func untracked() throws {
        try manager.insert(Seat.self, values: ["row": "a", "number": 1, "more": 7])
        let seat = try #require(try manager.fetchAll(Seat.self, tracked: false).first)
        try seat.update(key: "isTaken", to: true)
        #expect(try manager.stored("SELECT FLAGS || '-' || MORE FROM SEAT") == .text("1-7"))
    }

    @Test("cross in a snapshot") func snapshot() async throws {
        let station = Station()
        try station.setValue(true, forKey: "isLive")
        let snapshot = station.snapshot()
        let flags = try await Task.detached { try Station(snapshot).flags }.value
        #expect(flags == 1)
    }

    @Test("set while the task is suspended are stored, and given back when that fails") func async() async throws {
        let seat = try await manager.insert(Seat.self, values: ["row": "a", "number": 1])
        try await seat.update(key: "isTaken", to: true)
        try await manager.execute("CREATE TRIGGER no BEFORE UPDATE ON SEAT BEGIN SELECT raise(ABORT, 'no'); END")
        #expect(await asyncFailure { try await seat.update(key: "isLast", to: true) } != nil)
        #expect(seat.flags == 1)
        #expect(!seat.hasChanges)
    }

    @Test("by a key that differs in case, or is a column's name, are unknown", arguments: ["istaken", "FLAGS", ""])
    func unknown(key: String) throws {
        let seat = Seat()
        #expect(failure { try seat.value(forKey: key) }?.code == .unknownKey)
        #expect(failure { try seat.setValue(true, forKey: key) }?.code == .unknownKey)
        #expect(failure { try seat.dictionary(forKeys: [key], by: .columns) }?.code == .unknownKey)
        #expect(failure { try seat.jsonObject(forKeys: [key]) }?.code == .unknownKey)
    }
}

// F27, F41
@Suite("One class and sixty-four threads", .serialized) struct ConcurrentRegistrationTests {
    private class Base<Value: SQLiteValueConvertible>: PersistingModel {
        var id: Int64?
        var value: Value?
        var flags = 0
        var shade: Swatch? = Swatch()
        var isSet: Bool { flags & 1 != 0 }

        override class var columns: Columns {
            var columns = super.columns
            columns["VALUE"] = .any.deferred
            columns["SHADE"] = .path(\Base<Value>.shade, transform: .swatch)
            return columns
        }
        override class var bitFields: [BitField] { [BitField("isSet", \Base<Value>.isSet, in: "flags", mask: 1)] }
    }
    private final class Derived: Base<UUID> {
        var name = ""
    }

    @Test("map it once and for all", arguments: [0, 1, 2])
    func registered(_ round: Int) throws {
        let types: [PersistingModel.Type] = [Derived.self, Base<Int>.self, Base<String>.self]
        let type = types[round]
        let manager = try PersistenceManager(.memory)
        let lock = NSLock()
        nonisolated(unsafe) var seen: [String] = []
        let all = (0..<64).map { number in
            let thread = Thread {
                let text: String
                do {
                    if number % 2 == 0 { try manager.createTableIfNecessary(for: type) }
                    let object = type.init()
                    try object.setValue(true, forKey: "isSet")
                    text = "\(try type.schema().createTable) \(object.changedKeys)"
                } catch {
                    text = "\(error)"
                }
                lock.withLock { seen.append(text) }
            }
            thread.stackSize = 1 << 20
            return thread
        }
        for thread in all { thread.start() }
        while lock.withLock({ seen.count }) < 64 { Thread.sleep(forTimeInterval: 0.001) }
        #expect(Set(lock.withLock { seen }).count == 1)
        #expect(seen.first?.hasPrefix("CREATE TABLE") == true)
    }
}

// F109
@Suite("Rows and objects") struct SameRowTests {
    @Test("of a composite key are the same when all parts are") func composite() throws {
        // F38
        let manager = try memoryManager(Seat.self)
        try manager.insert(Seat.self, values: ["row": "a", "number": 1])
        try manager.insert(Seat.self, values: ["row": "a", "number": 2])
        let (one, again) = (try manager.fetchAll(Seat.self), try manager.fetchAll(Seat.self, tracked: false))
        #expect(one[0].isSameRow(as: again[0]))
        #expect(!one[0].isSameRow(as: again[1]))
    }

    @Test("of two managers of one file are not the same row") func twoManagers() throws {
        let directory = try TemporaryDirectory()
        let first = try PersistenceManager(path: directory.path())
        let second = try PersistenceManager(path: directory.path())
        try first.createTableIfNecessary(for: User.self)
        let user = User(name: "a")
        try first.save(user)
        let other = try #require(try second.find(User.self, user.id))
        #expect(!user.isSameRow(as: other))
    }

    @Test("of a class without a key are no one's") func noKey() throws {
        let manager = try memoryManager(Reading.self)
        let reading = Reading()
        try manager.save(reading)
        let found = try #require(try manager.fetchAll(Reading.self).first)
        #expect(!reading.isSameRow(as: found))
        #expect(reading.isSameRow(as: reading))
    }

    @Test("of a class and its subclass are not the same row") func subclass() throws {
        let manager = try memoryManager(Crate<Int>.self, Box.self)
        let (crate, box) = (Crate<Int>(), Box())
        try manager.save(crate)
        try manager.save(box)
        #expect(crate.id == box.id)
        #expect(!crate.isSameRow(as: box))
    }

    @Test("deleted are only themselves") func deleted() throws {
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        let other = try #require(try manager.find(User.self, user.id))
        try manager.delete(user)
        #expect(!user.isSameRow(as: other))
    }
}

// F100, F111
@Suite("Copies of objects") struct CopyTests {
    @Test("are new, with all values but a generated key") func generated() throws {
        let manager = try memoryManager(Station.self)
        let station = try manager.insert(Station.self, values: ["name": "A", "flags": 5])
        let copy = station.copy()
        #expect(copy !== station)
        #expect(copy.id == nil && copy.name == "A" && copy.flags == 5)
        #expect(!copy.isPersisted && copy.hasChanges)
        try manager.save(copy)
        #expect(copy.id == 2)
    }

    @Test("have an assigned key, which the table holds once") func assigned() throws {
        let manager = try memoryManager(Seat.self)
        let seat = try manager.insert(Seat.self, values: ["row": "a", "number": 1])
        let copy = seat.copy()
        #expect(copy.row == "a" && copy.number == 1)
        #expect(failure { try manager.save(copy) }?.code == .constraint)
        copy.number = 2
        try manager.save(copy)
        #expect(try manager.rowCount("SEAT") == 2)
    }

    @Test("are of the object's own class") func subclass() {
        let box = Box()
        box.label = "x"
        let crate: Crate<Int> = box
        #expect((crate.copy() as? Box)?.label == "x")
    }

    @Test("of a class that cannot be mapped are empty, and say so when they are saved") func unmapped() throws {
        final class Impossible: PersistingModel {
            var id: Int64?
            var thing: (Int, Int)? = (1, 2)
        }
        let copy = Impossible().copy()
        #expect(copy.hasChanges == false)
        let manager = try PersistenceManager(.memory)
        #expect(failure { try manager.save(copy) }?.key == "thing")
    }

    @Test("take what two classes have in common, and leave the rest") func otherClass() {
        final class Other: PersistingModel {
            var id: Int64?
            var flags = 6
            var content: String? = "another type"
        }
        let box = Box()
        box.id = 9
        box.content = 5
        box.copyValues(from: Other())
        #expect(box.id == 9 && box.flags == 6 && box.content == 5)
    }

    @Test("of an object onto itself change nothing") func itself() {
        let box = Box()
        box.label = "x"
        box.copyValues(from: box)
        #expect(box.label == "x")
    }
}

// F66
@Suite("The last object inserted into all kinds of tables") struct LastInsertedModelsTests {
    @Test("with a composite key and without row identifiers is found") func composite() throws {
        // F38
        let manager = try memoryManager(Seat.self)
        try manager.insert(Seat.self, values: ["row": "z", "number": 9])
        try manager.insert(Seat.self, values: ["row": "a", "number": 1])
        #expect(try manager.lastInserted(Seat.self)?.row == "a")
    }

    @Test("without a key throws") func noKey() throws {
        let manager = try memoryManager(Reading.self)
        try manager.save(Reading())
        #expect(failure { try manager.lastInserted(Reading.self) }?.code == .noPrimaryKey)
    }

    @Test("is the manager's own, though another writes the same file") func twoManagers() throws {
        let directory = try TemporaryDirectory()
        let first = try PersistenceManager(path: directory.path())
        let second = try PersistenceManager(path: directory.path())
        try first.createTableIfNecessary(for: User.self)
        try first.save(User(name: "a"))
        try second.save(User(name: "b"))
        #expect(try first.lastInserted(User.self)?.name == "a")
        #expect(try second.lastInserted(User.self)?.name == "b")
    }

    @Test("is not a trigger's, nor that of a failed insert") func triggers() throws {
        let manager = try memoryManager(Account.self)
        try manager.run(
            "CREATE TABLE LOG (ID INTEGER PRIMARY KEY); INSERT INTO LOG VALUES (100);"
                + "CREATE TRIGGER log AFTER INSERT ON ACCOUNT BEGIN INSERT INTO LOG VALUES (NULL); END")
        try manager.save(Account(email: "a"))
        #expect(failure { try manager.save(Account(email: "a")) }?.code == .constraint)
        #expect(try manager.lastInserted(Account.self)?.id == 1)
    }

    @Test("is that of the class, not of its subclass") func subclass() throws {
        let manager = try memoryManager(Crate<Int>.self, Box.self)
        try manager.save(Crate<Int>())
        let box = Box()
        try manager.save(box)
        try manager.save(Box())
        #expect(try manager.lastInserted(Crate<Int>.self)?.id == 1)
        #expect(try manager.lastInserted(Box.self)?.id == 2)
    }
}
