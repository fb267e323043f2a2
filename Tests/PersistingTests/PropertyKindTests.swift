import Foundation
import Observation
import Persisting
import Testing

@Suite("Which properties are stored")
struct PropertyKindTests {
    @Test("Constants, lazy, weak, unowned, computed and underscored properties are left out")
    func leftOut() throws {
        // F24, F25
        let manager = try memoryManager(Mixed.self)
        #expect(
            try manager.tableSQL("MIXED") == """
                CREATE TABLE MIXED (
                    ID INTEGER PRIMARY KEY,
                    NAME TEXT NOT NULL DEFAULT '',
                    OBSERVED INTEGER NOT NULL DEFAULT 0,
                    HIDDEN TEXT
                )
                """)
    }

    @Test("What is left out keeps its value through a save, and is new in a fetched object")
    func leftOutValues() throws {
        // F25
        let manager = try memoryManager(Mixed.self)
        let mixed = Mixed()
        mixed._scratch = "kept"
        _ = mixed.expensive
        try manager.save(mixed)
        #expect(mixed._scratch == "kept")
        #expect(try manager.find(Mixed.self, 1)?._scratch == "")
    }

    @Test("Setting a property by key path runs its observers; filling an object from a row does not")
    func observers() throws {
        // F24, F60
        let manager = try memoryManager(Mixed.self)
        let mixed = Mixed()
        try manager.save(mixed)
        try mixed.update(\.observed, to: 5)
        #expect(mixed._changes == 1)
        let found = try #require(try manager.find(Mixed.self, 1))
        #expect(found.observed == 5)
        #expect(found._changes == 0)
    }

    @Test("transientKeys are left out")
    func transient() throws {
        // F25
        let manager = try memoryManager(Caching.self)
        #expect(
            try manager.tableSQL("CACHING") == """
                CREATE TABLE CACHING (
                    ID INTEGER PRIMARY KEY,
                    NAME TEXT
                )
                """)
    }

    @Test("Inherited properties come first, in the order of declaration")
    func inherited() throws {
        // F24
        let manager = try memoryManager(Record.self)
        #expect(
            try manager.tableSQL("RECORD") == """
                CREATE TABLE RECORD (
                    ID INTEGER PRIMARY KEY,
                    TITLE TEXT NOT NULL DEFAULT '',
                    FORMAT TEXT NOT NULL DEFAULT 'vinyl',
                    ARTIST TEXT
                )
                """)
    }

    @Test("Inherited values are stored, fetched, changed and found")
    func inheritedValues() throws {
        // F24
        let manager = try memoryManager(Record.self)
        let record = Record()
        record.title = "Blue Train"
        record.artist = "Coltrane"
        try manager.save(record)
        record.title = "Giant Steps"
        #expect(record.changedKeys == ["title"])
        try manager.save(record)
        let found = try #require(try manager.fetchOne(Record.self, where: \.title == "Giant Steps"))
        #expect(found.artist == "Coltrane")
    }

    @Test("A class and its subclass have tables of their own")
    func separateTables() throws {
        // F24
        let manager = try memoryManager(Medium.self, Record.self)
        try manager.insert(Medium.self, values: ["title": "a"])
        try manager.insert(Record.self, values: ["title": "b"])
        #expect(try manager.fetchAll(Medium.self).map(\.title) == ["a"])
        #expect(try manager.fetchAll(Record.self).map(\.title) == ["b"])
    }

    @Test("A generic class is mapped for each of its types")
    func generic() throws {
        // F24
        let manager = try memoryManager(Box<Int>.self, Box<String?>.self)
        let number = Box<Int>()
        number.content = 5
        try manager.save(number)
        let text = Box<String?>()
        text.content = "a"
        try manager.save(text)
        #expect(try manager.find(Box<Int>.self, 1)?.content == 5)
        #expect(try manager.fetchOne(Box<String?>.self, where: \.content == "a")?.id == 1)
    }

    @Test("A class inside a function is mapped")
    func local() throws {
        // F24
        final class Local: PersistingModel {
            var id: Int64?
            var name = "a"
        }
        let manager = try memoryManager(Local.self)
        try manager.save(Local())
        #expect(try manager.fetchAll(Local.self, where: \.name == "a").count == 1)
        #expect(Local.tableName == "LOCAL")
    }

    @Test("In an Observable class the storage _title is the property title")
    func observable() throws {
        // F24
        let manager = try memoryManager(Watched.self)
        #expect(
            try manager.tableSQL("WATCHED") == """
                CREATE TABLE WATCHED (
                    ID INTEGER PRIMARY KEY,
                    TITLE TEXT NOT NULL DEFAULT '',
                    COUNT INTEGER NOT NULL DEFAULT 0
                )
                """)
    }

    @Test("An Observable object is stored, found by key path, and tells of a value that is set")
    func observableValues() throws {
        // F24, F60
        let manager = try memoryManager(Watched.self)
        let watched = Watched()
        watched.title = "a"
        try manager.save(watched)
        let found = try #require(try manager.fetchOne(Watched.self, where: \.title == "a" && \.count == 0))
        let isTold = Told()
        withObservationTracking {
            _ = found.title
        } onChange: {
            isTold.tell()
        }
        try found.update(\.title, to: "b")
        #expect(isTold.value)
        #expect(found.changedKeys.isEmpty)
        #expect(try manager.stored("SELECT TITLE FROM WATCHED") == .text("b"))
    }

    @Test("In an Observable class too, names that begin with an underscore are left out")
    func observableUnderscore() throws {
        // F25
        let manager = try memoryManager(WatchedPrivately.self)
        #expect(
            try manager.tableSQL("WATCHED_PRIVATELY") == """
                CREATE TABLE WATCHED_PRIVATELY (
                    ID INTEGER PRIMARY KEY,
                    PLAIN INTEGER NOT NULL DEFAULT 0
                )
                """)
    }

    @Test("A subclass of an Observable class keeps its own underscored names out")
    func observableSubclass() throws {
        // F24, F25
        let manager = try memoryManager(WatchedSubclass.self)
        #expect(
            try manager.tableSQL("WATCHED_SUBCLASS") == """
                CREATE TABLE WATCHED_SUBCLASS (
                    ID INTEGER PRIMARY KEY,
                    TITLE TEXT NOT NULL DEFAULT '',
                    EXTRA TEXT
                )
                """)
    }

    @Test("A class with an initializer of its own is made by init()")
    func ownInitializer() throws {
        // F19
        let manager = try memoryManager(Point.self)
        try manager.save(Point(x: 1, y: 2))
        let found = try #require(try manager.fetchOne(Point.self, where: \.x == 1))
        #expect(found.y == 2)
    }

    @Test("A class of one hundred columns is stored, changed and found in each of them", .oneAtATime)
    func hundred() throws {
        // F24, F58
        let manager = try memoryManager(Wide.self)
        let wide = Wide()
        try manager.save(wide)
        for key in Wide.keys.enumerated() { try wide.setValue(key.offset + 1, forKey: key.element) }
        #expect(wide.changedKeys == Wide.keys)
        try manager.save(wide)
        let found = try #require(try manager.find(Wide.self, 1))
        #expect(try Wide.keys.map { try found.value(forKey: $0) as? Int } == Array(1...Wide.keys.count))
        found.c99 = -1
        found.c63 = -2
        #expect(found.changedKeys == ["c63", "c99"])
        try manager.save(found)
        #expect(try manager.fetchOne(Wide.self, where: \.c99 == -1 && \.c63 == -2 && \.c64 == 65)?.c98 == 99)
    }
}

private final class Mixed: PersistingModel {
    var id: Int64?
    let constant = "a"
    lazy var expensive = [String]()
    weak var parent: Mixed?
    unowned(unsafe) var owner: Mixed?
    var name = ""
    var upperName: String { name.uppercased() }
    var _scratch = ""
    var observed = 0 { didSet { _changes += 1 } }
    var _changes = 0
    private var hidden: String?
    nonisolated(unsafe) static var shared = 0
}

private final class Caching: PersistingModel {
    var id: Int64?
    var name: String?
    var cache: [String: [Int]] = [:]
    override class var transientKeys: Set<String> { ["cache"] }
}

private class Medium: PersistingModel {
    var id: Int64?
    var title = ""
    var format = "vinyl"
}

private final class Record: Medium {
    var artist: String?
    override var format: String {
        get { super.format }
        set { super.format = newValue }
    }
}

private final class Box<Content: SQLiteValueConvertible & Initial>: PersistingModel {
    var id: Int64?
    var content = Content.initial
}

private protocol Initial { static var initial: Self { get } }
extension Int: Initial { fileprivate static var initial: Int { 0 } }
extension String?: Initial { fileprivate static var initial: String? { nil } }

@Observable
private final class Watched: PersistingModel {
    var id: Int64?
    var title = ""
    var count = 0
}

@Observable
private final class WatchedPrivately: PersistingModel {
    var id: Int64?
    @ObservationIgnored var plain = 0
    // By its name it could be the storage of a tracked `ignored`.
    @ObservationIgnored var _ignored = ""
    var _tracked = ""

    override class var transientKeys: Set<String> { ["ignored"] }
}

@Observable
private class WatchedBase: PersistingModel {
    var id: Int64?
    var title = ""
}

private final class WatchedSubclass: WatchedBase {
    var extra: String?
    var _own = ""
}

private final class Told: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var isTold = false  // guarded by `lock`
    var value: Bool { lock.withLock { isTold } }
    func tell() { lock.withLock { isTold = true } }
}

private final class Point: PersistingModel {
    var id: Int64?
    var x: Double
    var y: Double

    init(x: Double, y: Double) {
        self.x = x
        self.y = y
        super.init()
    }

    required init() {
        x = 0
        y = 0
        super.init()
    }
}
