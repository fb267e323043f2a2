import Foundation
import SQLiteKit
import Testing

@testable import Persisting

private enum Phase: Int, Codable, SQLiteValueConvertible { case open, closed }

private final class Stock: PersistingModel {
    var id: Int64?
    var amount = 0
    var small: Int8?
    var phase = Phase.open
    var code: String?

    override class var columns: Columns {
        var columns = super.columns
        columns["CODE"] = .string.collate(.nocase)
        return columns
    }
}

private final class Knot: PersistingModel {
    var id = UUID()
    var otherID: UUID?

    static let other = ToOne(\Knot.otherID, Knot.self)
    override class var relations: Relations { ["other": other] }
}

private class Attached: PersistingModel {
    var id: Int64?
    var title = ""

    override class var subclasses: [PersistingModel.Type] { [Picture.self] }
    override class var tableName: String { "ATTACHED" }
}

private final class Picture: Attached {
    var width = 0
}

/// Of which a property of one name has columns of its own in each subclass.
private class Enclosure: PersistingModel {
    var id: Int64?
    var title = ""

    override class var subclasses: [PersistingModel.Type] { [Photograph.self, Clip.self] }
}

private final class Photograph: Enclosure {
    var size = 0
}

private final class Clip: Enclosure {
    var size = 0.5

    override class var columns: Columns {
        var columns = super.columns
        columns["CLIP_SIZE"] = .double.property("size")
        return columns
    }
}

/// A view whose key repeats.
private final class Performance: PersistingModel {
    var name: String?
    var title = ""

    override class var tableName: String { "PERFORMANCE" }
    override class var primaryKey: PrimaryKey { .assigned("name") }
}

/// Has itself several times.
private final class Branch: Codable {
    var first: Branch?
    var second: Branch?
    var third: Branch?
    var fourth: Branch?
    var value = 0
}

private final class Tree: PersistingModel {
    var id: Int64?
    var root = Branch()

    override class var columns: Columns {
        var columns = super.columns
        columns["ROOT"] = .json
        return columns
    }
}

// F52, F62
@Suite("Rare values of queries") struct OddReadingTests {
    @Test("a branch of an update that the property can't hold is an error, and nothing is changed")
    func branches() throws {
        let manager = try memoryManager(Stock.self)
        try manager.insert(Stock.self, values: ["amount": 7])
        let (row, query) = (Stock.row, Stock.where(\.amount == 7))
        let errors = [
            failure {
                try manager.update(query, \.amount, to: .if(\.amount > 10, then: row.amount, else: row.amount * 0.5))
            }, failure { try manager.update(query, \.small, to: row.small ?? 300) },
            failure { try manager.update(query, \.phase, to: .if(\.amount > 10, then: row.phase, else: row.amount)) },
        ]
        for error in errors {
            let error = try #require(error)
            #expect(error.code != .missingCondition)
        }
        #expect(try manager.storedColumn("SELECT AMOUNT || ' ' || ifnull(SMALL, 'nil') FROM STOCK") == ["7 nil"])
    }

    @Test("a branch of an update that is a constant of the property's is taken") func constants() throws {
        let manager = try memoryManager(Stock.self)
        try manager.insert(Stock.self, values: ["amount": 7])
        try manager.update(Stock.where(\.amount == 7), \.small, to: Stock.row.small ?? 30)
        #expect(try manager.fetchAll(Stock.self).map(\.small) == [30])
    }

    @Test("new objects of known keys that refer to each other are saved, where a reference may be nil")
    func circle() throws {
        let manager = try memoryManager(Knot.self)
        let (one, two) = (Knot(), Knot())
        try one.set(Knot.other, to: two)
        try two.set(Knot.other, to: one)
        try manager.save(one)
        #expect(Set(try manager.fetchAll(Knot.self).map(\.otherID)) == [one.id, two.id])
    }

    @Test("a page of a hierarchy goes on from what the row had") func pages() throws {
        let manager = try memoryManager(Attached.self)
        for title in ["a", "b", "c", "d"] { try manager.insert(Picture.self, values: ["title": title]) }
        let query = Query(Attached.self).sorted(by: \.title)
        let first = try manager.fetchPage(query, limit: 2)
        let last = try #require(first.last)
        last.title = "y"
        #expect(try manager.fetchPage(query, after: last, limit: 2).map(\.title) == ["c", "d"])
    }

    @Test("dictionaries have a property of each subclass from its own column")
    func ownColumns() throws {
        let manager = try memoryManager(Enclosure.self)
        try manager.insert(Photograph.self, values: ["size": 3])
        try manager.insert(Clip.self, values: ["size": 1.5])
        for keys in [nil, ["size"]] {
            let rows = try manager.dictionaries(Query(Enclosure.self).sorted(by: "id"), keys: keys)
            #expect(rows.map { $0["size"] as? Int } == [3, nil])
            #expect(rows.map { $0["size"] as? Double } == [nil, 1.5])
        }
    }

    @Test("a condition by a key of several columns is an error that names them")
    func severalColumns() throws {
        let manager = try memoryManager(Enclosure.self)
        let error = failure { try manager.count(Enclosure.self, where: ["size": 1.5]) }
        #expect(error?.code == .unknownKey)
        #expect(error?.message.contains("SIZE and CLIP_SIZE") == true)
        #expect(try manager.count(Clip.self, where: ["size": 1.5]) == 0)
    }

    @Test("a stream of rows that their key doesn't tell apart is an error", arguments: ["Miles", nil])
    func repeatedKey(_ name: String?) throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE ALBUM (ARTIST TEXT, TITLE TEXT);
                CREATE VIEW PERFORMANCE AS SELECT ARTIST AS NAME, TITLE FROM ALBUM;
                INSERT INTO ALBUM VALUES ('Nina', 'c')
                """)
        for title in ["a", "b"] {
            let artist = name.map { "'\($0)'" } ?? "NULL"
            try manager.run("INSERT INTO ALBUM VALUES (\(artist), '\(title)')")
        }
        #expect(try manager.fetchAll(Performance.self, sortedBy: "title").map(\.title) == ["a", "b", "c"])
        let error = failure { try manager.forEach(Performance.rows) { _ in } }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("fetchAll") == true)
        var titles: [String] = []
        try manager.forEach(Performance.where(\.name == "Nina")) { titles.append($0.title) }
        #expect(titles == ["c"])
    }

    @Test("the rows of a repeated key are the first by either way of finding")
    func firstOfKey() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE ALBUM (ARTIST TEXT, TITLE TEXT);
                CREATE VIEW PERFORMANCE AS SELECT ARTIST AS NAME, TITLE FROM ALBUM;
                INSERT INTO ALBUM VALUES ('Nina', 'a'), ('Nina', 'b')
                """)
        #expect(try manager.find(Performance.self, "Nina")?.title == "a")
        #expect(try manager.find(Performance.self, keys: ["Nina"]).map(\.title) == ["a"])
    }

    @Test("distinct values of a part of the rows are those in it")
    func distinctPart() throws {
        let manager = try memoryManager(Stock.self)
        for amount in [3, 1, 1, 1, 2] { try manager.insert(Stock.self, values: ["amount": amount]) }
        let part = Query(Stock.self).sorted(by: \.amount).limit(3)
        #expect(try manager.values(part, \.amount, distinct: true) == [1])
        #expect(try manager.values(part, Stock.row.amount + 1, as: Int.self, distinct: true) == [2])
        #expect(try manager.values(part.offset(1), \.amount, distinct: true) == [1, 2])
        #expect(try manager.compute(part, .count(distinct: \.amount)) == 1)
        #expect(try manager.dictionaries(part, keys: ["amount"], distinct: true).count == 1)
        let last = Query(Stock.self).sorted(by: .descending(\.id)).limit(4)
        #expect(try manager.values(last, \.amount, distinct: true) == [2, 1])
    }

    @Test("a key path into a type that has itself several times is found")
    func tree() throws {
        let manager = try memoryManager(Tree.self)
        let tree = Tree()
        tree.root.value = 7
        tree.root.fourth = Branch()
        tree.root.fourth?.value = 8
        try manager.insert(tree)
        #expect(try manager.count(Tree.self, where: \.root.value == 7) == 1)
        #expect(try manager.count(Tree.self, where: \.root.fourth?.value == 8) == 1)
        #expect(try manager.count(Tree.self, where: \.root.first?.value == 8) == 0)
        #expect(try manager.count(Tree.self, where: ["root.first.value": 7]) == 0)
    }

    @Test("distinct values of an expression are those that compare as different") func distinct() throws {
        let manager = try memoryManager(Stock.self)
        for code in ["a", "A", "b"] { try manager.insert(Stock.self, values: ["code": code]) }
        let codes = try manager.values(
            Query(Stock.self), Stock.row.code ?? "x", as: String.self, distinct: true)
        #expect(codes.count == 2)
    }
}
