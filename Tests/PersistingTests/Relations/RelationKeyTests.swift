import Foundation
import Persisting
import Testing

/// Relations by keys of several types.
private enum Keyed {
    final class Nocase: PersistingModel {
        var code = ""
        override class var columns: Columns { ["CODE": .string.collate(.nocase)] }
        override class var primaryKey: PrimaryKey { .assigned("code") }
        static let children = ToMany(inverse: NocaseChild.parent)
        override class var relations: Relations { ["children": children] }
    }

    final class NocaseChild: PersistingModel {
        var id: Int64?
        var parentCode: String?
        override class var columns: Columns { ["ID": .int, "PARENT_CODE": .string.collate(.nocase)] }
        static let parent = ToOne(\NocaseChild.parentCode, Nocase.self)
        override class var relations: Relations { ["parent": parent] }
    }

    final class Unique: PersistingModel {
        var id = UUID()
        static let children = ToMany(inverse: UniqueChild.parent)
        override class var relations: Relations { ["children": children] }
    }

    final class UniqueChild: PersistingModel {
        var id = UUID()
        var parentID: UUID?
        static let parent = ToOne(\UniqueChild.parentID, Unique.self)
        override class var relations: Relations { ["parent": parent] }
    }

    final class Day: PersistingModel {
        var id = Date()
        static let children = ToMany(inverse: DayChild.parent)
        override class var relations: Relations { ["children": children] }
    }

    final class DayChild: PersistingModel {
        var id: Int64?
        var parentID: Date?
        static let parent = ToOne(\DayChild.parentID, Day.self)
        override class var relations: Relations { ["parent": parent] }
    }

    final class Amount: PersistingModel {
        var id = Decimal()
        static let children = ToMany(inverse: AmountChild.parent)
        override class var relations: Relations { ["children": children] }
    }

    final class AmountChild: PersistingModel {
        var id: Int64?
        var parentID: Decimal?
        static let parent = ToOne(\AmountChild.parentID, Amount.self)
        override class var relations: Relations { ["parent": parent] }
    }

    final class Bytes: PersistingModel {
        var id = Data()
        static let children = ToMany(inverse: BytesChild.parent)
        override class var relations: Relations { ["children": children] }
    }

    final class BytesChild: PersistingModel {
        var id: Int64?
        var parentID: Data?
        static let parent = ToOne(\BytesChild.parentID, Bytes.self)
        override class var relations: Relations { ["parent": parent] }
    }
}

@Suite struct RelationKeyTests {
    /// Inserts parents, and for each two children and one of no parent; asks all of them both ways.
    private func exercise<Parent: PersistingModel, Child: PersistingModel, Key: Equatable>(
        _ many: ToMany<Parent, Child>, _ one: ToOne<Child, Parent>, _ keys: [Key],
        _ parentKey: ReferenceWritableKeyPath<Parent, Key>, _ childKey: ReferenceWritableKeyPath<Child, Key?>,
        dates: DateStorage = .unixSeconds
    ) throws {
        let manager = try memoryManager(Parent.self, Child.self, dates: dates)
        for key in keys {
            let parent = Parent()
            parent[keyPath: parentKey] = key
            try manager.insert(parent)
        }
        for key in keys.map(Optional.some) + keys.map(Optional.some) + [nil] {
            let child = Child()
            child[keyPath: childKey] = key
            try manager.insert(child)
        }
        for tracked in [true, false] {
            let parents = try manager.fetchAll(Parent.self, tracked: tracked)
            for parent in parents {
                let children = try parent.related(many)
                #expect(children.count == 2)
                #expect(children.allSatisfy { $0[keyPath: childKey] == parent[keyPath: parentKey] })
                let rows = try manager.fetchAll(parent.rows(many))
                #expect(rows.map { $0.primaryKeyValue } == children.map { $0.primaryKeyValue })
            }
            for child in try manager.fetchAll(Child.self, tracked: tracked) {
                #expect(try child.related(one)?[keyPath: parentKey] == child[keyPath: childKey])
                #expect(try manager.fetchOne(child.rows(one))?[keyPath: parentKey] == child[keyPath: childKey])
            }
        }
    }

    // F123
    @Test func uuids() throws {
        try exercise(
            Keyed.Unique.children, Keyed.UniqueChild.parent, [UUID(), UUID(), UUID()], \.id, \.parentID)
    }

    // F123
    @Test(arguments: [DateStorage.unixSeconds, .julianDay, .iso8601]) func dates(dates: DateStorage) throws {
        let keys = [0.0, 1_700_000_000.25, 946_684_800].map { Date(timeIntervalSince1970: $0) }
        try exercise(Keyed.Day.children, Keyed.DayChild.parent, keys, \.id, \.parentID, dates: dates)
    }

    // F123
    @Test(.local(.decimals)) func decimals() throws {
        let keys = try ["0.1", "12345678901234567890.5", "-3"].map { try #require(Decimal(string: $0)) }
        try exercise(Keyed.Amount.children, Keyed.AmountChild.parent, keys, \.id, \.parentID)
    }

    // F123
    @Test func bytes() throws {
        try exercise(
            Keyed.Bytes.children, Keyed.BytesChild.parent, [Data([0, 1]), Data([255]), Data([0])], \.id, \.parentID)
    }

    // F123
    @Test(.local(.textsWithNUL)) func textsWithQuotesAndZeros() throws {
        try exercise(
            Keyed.Nocase.children, Keyed.NocaseChild.parent, ["a\"b", "c\\d\n", "e'f", "ü", "g\0h"], \.code,
            \.parentCode)
    }

    // F123
    @Test(.local(.foreignKeysOff)) func textsThatTheCollationCallsEqual() throws {
        let manager = try memoryManager(Keyed.Nocase.self, Keyed.NocaseChild.self)
        let parent = Keyed.Nocase()
        parent.code = "news"
        try manager.insert(parent)
        for code in ["NEWS", "News", "other"] {
            let child = Keyed.NocaseChild()
            child.parentCode = code
            try manager.run("PRAGMA foreign_keys = OFF")
            try manager.insert(child)
        }
        let fetched = try manager.fetchAll(Keyed.Nocase.self)
        #expect(try fetched[0].related(Keyed.Nocase.children).map(\.parentCode) == ["NEWS", "News"])
        #expect(try manager.fetchAll(fetched[0].rows(Keyed.Nocase.children)).map(\.parentCode) == ["NEWS", "News"])
        let children = try manager.fetchAll(Keyed.NocaseChild.self)
        let parents = try children.map { try $0.related(Keyed.NocaseChild.parent) }
        #expect(parents.map { $0?.code } == ["news", "news", nil])
        #expect(parents[0] === parents[1])
    }
}
