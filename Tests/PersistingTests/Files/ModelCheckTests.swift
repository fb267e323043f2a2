import Persisting
import PersistingDiagnostics
import Testing

private final class Shelf: PersistingModel {
    var id: Int64?
    var name = ""
}

private final class Volume: PersistingModel {
    var id: Int64?
    var title = ""
    var shelfID: Int64?

    static let shelf = ToOne(\Volume.shelfID, Shelf.self, isIndexed: false)
    override class var relations: Relations { ["shelf": shelf] }
    override class var indexes: [Index] { [Index("title"), Index("title", name: "again")] }
}

private final class Broken: PersistingModel {
    var id: Int64?
    override class var indexes: [Index] { [Index("nothing")] }
}

private final class Sorted: PersistingModel {
    var id: Int64?
    var code = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["CODE"] = .string.unique.collate(Collation(rawValue: "SHELVES"))
        return columns
    }
}

private final class Checked: PersistingModel {
    var id: Int64?
    var code = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["CODE"] = .string.check("of_app(CODE)")
        return columns
    }
}

// F134
@Suite("A check of classes") struct ModelCheckTests {
    @Test("finds nothing in sound classes") func sound() throws {
        #expect(try PersistenceManager.check([Studio.self, Shelf.self]) == [])
    }

    @Test("finds relations without an index, and indexes that are there twice") func indexes() throws {
        let findings = try PersistenceManager.check([Shelf.self, Volume.self])
        #expect(findings.map(\.model) == ["VOLUME", "VOLUME"])
        #expect(findings.first?.reason.hasPrefix("VOLUME.SHELF_ID refers to SHELF without an index") == true)
        #expect(findings.last?.reason.contains("is the same as") == true)
    }

    @Test("knows collations of the user's, and reports functions that aren't there") func ofTheUser() throws {
        #expect(try PersistenceManager.check([Sorted.self]) == [])
        let findings = try PersistenceManager.check([Checked.self, Sorted.self])
        #expect(findings.contains { $0.reason.contains("of_app") })
    }

    @Test("finds classes that can't be mapped") func unmapped() throws {
        let findings = try PersistenceManager.check([Broken.self])
        #expect(findings.map(\.model) == ["Broken"])
        #expect(findings.first.map { "\($0)".contains("nothing") } == true)
    }
}
