import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private final class Badge: PersistingModel {
    var id = UUID()
    var owner: UUID?
    var code = UUID()

    override class var columns: Columns {
        ["ID": .uuid.stored(as: .blob), "OWNER": .uuid.stored(as: .blob).references(Badge.self), "CODE": .uuid]
    }
}

@Suite("UUIDs as text or as bytes") struct UUIDStorageTests {
    let manager: PersistenceManager

    init() throws { manager = try memoryManager(Badge.self) }

    private func badge(owner: UUID? = nil) throws -> Badge {
        let badge = Badge()
        badge.owner = owner
        try manager.save(badge)
        return badge
    }

    @Test("are declared and written in the column's form") func stored() throws {
        // F28, F32
        #expect(try manager.columnSQL("ID", in: "BADGE") == "ID BLOB PRIMARY KEY NOT NULL")
        #expect(try manager.columnSQL("CODE", in: "BADGE") == "CODE TEXT NOT NULL")
        let badge = try badge()
        #expect(
            try manager.stored("SELECT hex(ID) FROM BADGE")
                == .text(badge.id.uuidString.filter { $0 != "-" }))
        #expect(try manager.stored("SELECT CODE FROM BADGE") == .text(badge.code.uuidString))
    }

    @Test("are a key, found, changed and deleted by it") func key() throws {
        // F36
        let badge = try badge()
        #expect(try manager.find(Badge.self, badge.id)?.code == badge.code)
        #expect(try manager.find(Badge.self, badge.id.uuidString)?.code == badge.code)
        #expect(try manager.find(Badge.self, keys: [badge.id, UUID()]).count == 1)
        badge.id = UUID()
        try manager.save(badge)
        #expect(try manager.find(Badge.self, ["id": badge.id]) != nil)
        #expect(try manager.delete(badge))
    }

    @Test("are found by conditions of every spelling") func criteria() throws {
        // F71
        let owner = try badge()
        let badge = try badge(owner: owner.id)
        let (id, none) = (owner.id, UUID?.none)
        for criteria: Criteria<Badge> in [
            \.owner == id, ["owner": id], .in(\.owner, [id]), .format("owner == %@", id), ["owner": [id, UUID()]],
            .predicate(#Predicate { $0.owner == id }), \.owner != none, ["owner": id.uuidString],
        ] {
            #expect(try manager.fetchAll(Badge.self, where: criteria).map(\.id) == [badge.id])
            #expect(try criteria.matches(badge))
        }
        #expect(try manager.values(Badge.where(\.owner != nil), \.owner) == [id])
    }

    @Test("are references to bytes, by the database's rules") func references() throws {
        // F28
        let error = failure { try badge(owner: UUID()) }
        #expect(error?.sqliteError?.isConstraint(.foreignKey) == true)
    }

    @Test("of another length are rejected", arguments: ["X''", "X'00'", "zeroblob(17)", "''", "'x'", "1"])
    func wrong(_ value: String) throws {
        // F29
        try manager.run("INSERT INTO BADGE (ID, CODE) VALUES (zeroblob(16), \(value))")
        #expect(failure { try manager.fetchAll(Badge.self) }?.key == "code")
    }

    @Test("of no UUID are rejected") func otherType() throws {
        // F41
        final class Wrong: PersistingModel {
            var id: Int64?
            var name = ""
            override class var columns: Columns { ["ID": .int, "NAME": .string.stored(as: UUIDStorage.blob)] }
        }
        let error = failure { try memoryManager(Wrong.self) }
        #expect(error?.code == .unsupportedType)
        #expect(error?.expected == "UUID")
    }

    @Test("are stored so of a property by its key path, and of an Optional") func byKeyPath() throws {
        // F28
        final class Tagged: PersistingModel {
            var id: Int64?
            var tag: UUID?
            override class var columns: Columns { ["ID": .int, "TAG": .path(\Tagged.tag).stored(as: .blob)] }
        }
        let manager = try memoryManager(Tagged.self)
        let tag = UUID()
        try manager.insert(Tagged.self, values: ["tag": tag])
        #expect(try manager.stored("SELECT typeof(TAG) FROM TAGGED") == "blob")
        #expect(try manager.fetchOne(Tagged.self, where: \.tag == tag)?.tag == tag)
    }

    @Test("are texts in a dictionary for JSON, and said in the template") func elsewhere() throws {
        // F28
        let badge = try badge()
        #expect(try badge.jsonObject()["id"] as? String == badge.id.uuidString)
        #expect(try Badge.columnTemplate().contains(#""OWNER": .uuid"#))
        #expect(try Badge.columnTemplate().contains("stored(as: .blob)"))
    }
}

private struct Rights: OptionSet, Sendable, Hashable, SQLiteValueConvertible {
    let rawValue: UInt64
    static let read = Rights(rawValue: 1)
    static let all = Rights(rawValue: .max)
}

private enum Mark: UInt64, SQLiteValueConvertible, CaseIterable { case low = 1, high = 18_446_744_073_709_551_615 }

private final class Digest: PersistingModel {
    var id: Int64?
    var hash64: UInt64 = 0
    var other: UInt64?
    var word: UInt?
    var rights: Rights = .read
    var mark: Mark?
    var count: Int64 = 0

    override class var bitFields: [BitField] { [.init("top", in: "hash64", mask: UInt64(1) << 63)] }

    override class var columns: Columns {
        [
            "ID": .int, "HASH64": .int.bitPattern, "OTHER": .any.bitPattern.unique, "WORD": .int.bitPattern,
            "RIGHTS": .int.bitPattern, "MARK": .int.bitPattern, "COUNT": .int,
        ]
    }
}

@Suite("Unsigned integers as bits") struct BitPatternTests {
    let manager: PersistenceManager

    init() throws { manager = try memoryManager(Digest.self) }

    @Test("come back, from 0 to the greatest", arguments: [0, 1, UInt64(Int64.max), 1 << 63, .max])
    func roundTrip(_ value: UInt64) throws {
        // F28, Settled 16
        let digest = Digest()
        digest.hash64 = value
        digest.other = value
        digest.word = UInt(exactly: value)
        digest.rights = Rights(rawValue: value)
        digest.mark = .high
        try manager.save(digest)
        #expect(try manager.stored("SELECT HASH64 FROM DIGEST") == .integer(Int64(bitPattern: value)))
        let found = try #require(try manager.find(Digest.self, 1))
        #expect(found.hash64 == value)
        #expect(found.other == value)
        #expect(found.word == digest.word)
        #expect(found.rights.rawValue == value)
        #expect(found.mark == .high)
        #expect(!found.hasChanges)
        #expect(try Digest(found.snapshot()).hash64 == value)
    }

    @Test("are declared INTEGER, with a DEFAULT in bits") func table() throws {
        // F28, Settled 14
        #expect(try manager.columnSQL("HASH64", in: "DIGEST") == "HASH64 INTEGER NOT NULL DEFAULT 0")
        #expect(try manager.columnSQL("RIGHTS", in: "DIGEST") == "RIGHTS INTEGER NOT NULL DEFAULT 1")
        #expect(try Digest.columnTemplate().contains(#""HASH64": .int.bitPattern"#))
    }

    @Test("are found by equal values, and as one of several") func equal() throws {
        // F71
        let digest = Digest()
        digest.hash64 = .max
        digest.rights = .all
        digest.mark = .high
        try manager.save(digest)
        for criteria: Criteria<Digest> in [
            \.hash64 == .max, ["hash64": UInt64.max], .in(\.hash64, [1, .max]), .format("hash64 == %@", UInt64.max),
            \.hash64 != 1, \.rights == .all, \.mark == .high, \.other == nil, ["top": true], \.hash64 == \.rights,
        ] {
            #expect(try manager.count(Digest.self, where: criteria) == 1)
            #expect(try criteria.matches(digest))
        }
        // The bits of -1, which isn't a value of the type.
        #expect(failure { try manager.count(Digest.self, where: ["hash64": -1]) }?.key == "hash64")
        #expect(failure { try digest.setValue(-1, forKey: "hash64") }?.key == "hash64")
        try digest.setValue(5, forKey: "hash64")
        #expect(digest.hash64 == 5)
    }

    @Test("are not compared, ordered or added: SQLite would take them for signed numbers") func order() throws {
        // F71, F80
        try manager.save(Digest())
        let query = Digest.where(\.id == 1)
        for error in [
            failure { try manager.count(Digest.self, where: \.hash64 > 1) },
            failure { try manager.count(Digest.self, where: .between(\.hash64, 1...2)) },
            failure { try manager.fetchAll(Digest.self, sortedBy: "hash64") },
            failure { try Ordering<Digest>.ascending(\.hash64).sort([Digest()]) },
            failure { try manager.sum(query, \.hash64) }, failure { try manager.average(query, \.hash64) },
            failure { try manager.min(query, \.hash64) },
            failure { try manager.groups(query, by: .key(\.count), computing: .max(\.hash64)) },
            failure { try manager.count(Digest.self, where: .format("hash64 + 1 == 2")) },
            failure { try manager.count(Digest.self, where: \.hash64 == \.count) },
            failure { try manager.count(Digest.self, where: \.count == \.hash64) },
        ] {
            #expect(error?.key == "hash64" || error?.key == "count", "\(error?.description ?? "no error")")
        }
    }

    @Test("bits are set and cleared, the highest too") func bits() throws {
        // F28
        let digest = Digest()
        try digest.setValue(true, forKey: "top")
        #expect(digest.hash64 == 1 << 63)
        try manager.save(digest)
        try manager.update(Digest.where(\.id == 1), set: ["top": false])
        try manager.refresh(digest)
        #expect(digest.hash64 == 0)
    }

    @Test("are a key") func key() throws {
        // F36
        final class Hashed: PersistingModel {
            var hash64: UInt64 = 0
            var note = ""
            override class var primaryKey: PrimaryKey { .assigned("hash64") }
            override class var columns: Columns { ["HASH64": .int.bitPattern, "NOTE": .string] }
        }
        let manager = try memoryManager(Hashed.self)
        let hashed = Hashed()
        hashed.hash64 = .max
        try manager.insert(hashed)
        hashed.note = "a"
        try manager.save(hashed)
        #expect(try manager.find(Hashed.self, UInt64.max)?.note == "a")
        #expect(try manager.find(Hashed.self, keys: [UInt64.max]).count == 1)
        #expect(try manager.find(Hashed.self, ["hash64": UInt64.max]) != nil)
    }

    @Test("are numbers in a dictionary for JSON") func json() throws {
        // F28
        let digest = Digest()
        digest.hash64 = .max
        #expect(try digest.jsonObject()["hash64"] as? UInt64 == .max)
    }

    @Test("of another type are rejected, and so is a value that has no case") func wrong() throws {
        // F41, F29
        final class Wrong: PersistingModel {
            var id: Int64?
            var number: Int32 = 0
            override class var columns: Columns { ["ID": .int, "NUMBER": .int.bitPattern] }
        }
        let error = failure { try memoryManager(Wrong.self) }
        #expect(error?.code == .unsupportedType)
        #expect(error?.message.contains("bitPattern") == true)
        try manager.run("INSERT INTO DIGEST (MARK) VALUES (7)")
        #expect(failure { try manager.fetchAll(Digest.self) }?.message.contains("7") == true)
        try manager.run("UPDATE DIGEST SET MARK = 'a'")
        #expect(failure { try manager.fetchAll(Digest.self) }?.key == "mark")
    }
}
