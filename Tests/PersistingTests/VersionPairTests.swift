import Foundation
import Persisting
import Testing

/// The version of a class that most others come from, and go back to.
private final class Item: PersistingModel {
    var id: Int64?
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
}

private class OtherItem: PersistingModel {
    var id: Int64?
    override class var tableName: String { "ITEM" }
}

private final class Longer: OtherItem {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    var color: String?
    var size = 7
}

private final class Shorter: OtherItem { var name = "" }

private final class Renamed: OtherItem {
    var title = ""
    var amount: Int?
    var price = 0.0
    var note: String?
    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.formerly("NAME")
        columns["AMOUNT"] = .int.formerly("COUNT")
        return columns
    }
}

private final class RenamedBack: OtherItem {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    override class var columns: Columns {
        var columns = super.columns
        columns["NAME"] = .string.formerly("TITLE")
        columns["COUNT"] = .int.formerly("AMOUNT")
        return columns
    }
}

private final class Retyped: OtherItem {
    var name = ""
    var count: String?
    var price = 0.0
    var note: String?
}

private final class Filled: OtherItem {
    var name = ""
    var count = 5
    var price = 0.0
    var note = "none"
}

private final class Loose: OtherItem {
    var name: String?
    var count: Int?
    var price: Double?
    var note: String?
}

private final class Indexed: OtherItem {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    override class var indexes: [Index] { [Index("name", "count"), Index("note")] }
}

private final class Unique: OtherItem {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    override class var columns: Columns {
        var columns = super.columns
        columns["NAME"] = .string.unique
        return columns
    }
}

private final class Checked: OtherItem {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    override class var columns: Columns {
        var columns = super.columns
        columns["PRICE"] = .double.check("PRICE >= 0")
        columns["NAME"] = .string.collate(.nocase)
        return columns
    }
}

private final class StrictItem: OtherItem {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    override class var tableOptions: TableOptions { .strict }
}

private final class Computed: OtherItem {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    var total: Double?
    override class var columns: Columns {
        var columns = super.columns
        columns["TOTAL"] = .double.generated(as: "COUNT * PRICE", .stored)
        return columns
    }
}

private final class Counted: OtherItem {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    override class var columns: Columns {
        var columns = super.columns
        columns["ID"] = .int.autoincrement
        return columns
    }
}

private final class Named: PersistingModel {
    var name = ""
    var count: Int?
    var price = 0.0
    var note: String?
    override class var tableName: String { "ITEM" }
    override class var primaryKey: PrimaryKey { .assigned("name") }
}

/// Two versions of a class, and what the plan from one to the other does.
private struct VersionPair: CustomTestStringConvertible {
    let old: PersistingModel.Type
    let new: PersistingModel.Type
    let steps: [String]

    init(_ old: PersistingModel.Type, _ new: PersistingModel.Type, _ steps: String...) {
        self.old = old
        self.new = new
        self.steps = steps
    }

    var testDescription: String { "\(old) to \(new)" }
}

// F49, F116
@Suite("Two versions of a class") struct VersionPairTests {
    @Test(
        "have a plan that does what it says, keeps what both hold, and leaves nothing to do",
        arguments: [
            VersionPair(Item.self, Longer.self, "adds: it has no column COLOR", "adds: it has no column SIZE"),
            VersionPair(Longer.self, Item.self),
            VersionPair(Item.self, Shorter.self),
            VersionPair(
                Shorter.self, Item.self, "adds: it has no column COUNT", "adds: it has no column PRICE",
                "adds: it has no column NOTE"),
            VersionPair(Item.self, Renamed.self, "adds: TITLE was called NAME", "adds: AMOUNT was called COUNT"),
            VersionPair(Renamed.self, RenamedBack.self, "adds: NAME was called TITLE", "adds: COUNT was called AMOUNT"),
            VersionPair(Renamed.self, Renamed.self),
            VersionPair(
                Item.self, Retyped.self,
                "rewrites: COUNT is declared INTEGER, which has INTEGER affinity, and String? is stored as TEXT"
            ),
            VersionPair(
                Retyped.self, Item.self,
                "rewrites: COUNT is declared TEXT, which has TEXT affinity, and Int? is stored as INTEGER"),
            VersionPair(
                Item.self, Filled.self, "rewrites: COUNT may be NULL, and count can't; NOTE may be NULL, and note can't"
            ),
            VersionPair(
                Filled.self, Item.self,
                "rewrites: COUNT is NOT NULL, and count may be nil; "
                    + "NOTE is NOT NULL, and note may be nil"),
            VersionPair(
                Item.self, Loose.self,
                "rewrites: NAME is NOT NULL, and name may be nil; "
                    + "PRICE is NOT NULL, and price may be nil"),
            VersionPair(
                Loose.self, Item.self, "rewrites: NAME may be NULL, and name can't; PRICE may be NULL, and price can't"),
            VersionPair(
                Item.self, Indexed.self, "adds: it has no index on NAME, COUNT", "adds: it has no index on NOTE"),
            VersionPair(Indexed.self, Item.self),
            VersionPair(Item.self, Unique.self, "adds: it has no unique index on NAME"),
            VersionPair(Unique.self, Item.self),
            VersionPair(
                Item.self, Checked.self,
                "rewrites: NAME isn't COLLATE NOCASE; PRICE has no CHECK (PRICE >= 0)"),
            VersionPair(Checked.self, Item.self),
            VersionPair(Item.self, StrictItem.self, "rewrites: it isn't STRICT"),
            VersionPair(StrictItem.self, Item.self),
            VersionPair(Item.self, Computed.self, "rewrites: it has no column TOTAL"),
            VersionPair(Computed.self, Item.self),
            VersionPair(Item.self, Counted.self, "rewrites: ID isn't AUTOINCREMENT"),
            VersionPair(Counted.self, Item.self),
            VersionPair(Item.self, Named.self, "rewrites: its primary key isn't NAME"),
        ])
    private func pair(_ pair: VersionPair) throws {
        let manager = try memoryManager(pair.old)
        let name = try manager.columnExists("TITLE", in: "ITEM") ? "TITLE" : "NAME"
        try manager.execute("INSERT INTO ITEM (\(sql: SQL(name))) VALUES ('a'), ('b')")
        for column in ["COUNT", "AMOUNT"] where try manager.columnExists(column, in: "ITEM") {
            try manager.execute("UPDATE ITEM SET \(identifier: column) = ID + 1")
        }
        let plan = try manager.schemaPlan(for: [pair.new])
        #expect(plan.steps.map { "\($0.risk): \($0.reason)" } == pair.steps)
        try manager.apply(plan, allowing: .rewrites)
        #expect(try manager.schemaPlan(for: [pair.new]).isEmpty)
        let newName = try manager.columnExists("TITLE", in: "ITEM") ? "TITLE" : "NAME"
        #expect(try manager.storedColumn("SELECT \(newName) FROM ITEM ORDER BY 1") == ["a", "b"])
        if try manager.columnExists("COUNT", in: "ITEM"), pair.old != Shorter.self {
            #expect(try manager.storedColumn("SELECT CAST(COUNT AS INTEGER) FROM ITEM ORDER BY 1") == [2, 3])
        }
        #expect(try manager.stored("PRAGMA integrity_check") == "ok")
    }
}
