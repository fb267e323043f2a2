// swift-format-ignore-file
// What modelSource(table:) prints; ModelSourceTests compares.
import Foundation
import Persisting

final class Batter: PersistingModel {
    var name: String?
    var teamName: String = ""
    var avg: Double?
    var hr: Int64 = 3

    override class var naming: Naming { .snakeCase }

    override class var primaryKey: PrimaryKey { .assigned("name") }
}

import Foundation
import Persisting

final class RecordAlbum: PersistingModel {
    var id: Int64?
    var mediaKey: String = "it's \"x\" \\ y"
    var imageURL: SQLiteValue = .null
    var cover: Data?
    var played: Date = Date(timeIntervalSince1970: 0)
    var isNew: Bool = true
    var created: String?
}

import Foundation
import Persisting

final class WeirdTableName: PersistingModel {
    var `class`: Int64?
    var Größe: Double?
    var column2nd: String?
    var aB: String?
    var aB5: String?
    var column6: Data?
    var `self`: String?
    var hashValue8: Int64?  // every object has a member hashValue
    var `init`: Int64?
    var id: String?
    var sayHi: Double?
    // A column without a name is left out.

    override class var naming: Naming { .identity }

    override class var tableName: String { "weird table; name" }

    override class var primaryKey: PrimaryKey { .rowID }

    override class var columns: Columns {
        var columns = super.columns
        columns["2nd"] = .any.property("column2nd")
        columns["a b"] = .any.property("aB")
        columns["a-b"] = .any.property("aB5")
        columns["🙂"] = .any.property("column6")
        columns["hashValue"] = .any.property("hashValue8")
        columns["say [hi]"] = .any.property("sayHi")
        return columns
    }
}

import Foundation
import Persisting

// There is another type Data.
final class DataRow: PersistingModel {
    var a: Int64?
    var b: String?
    var c: Double = -1500.0

    override class var naming: Naming { .snakeCase }

    override class var tableName: String { "Data" }

    override class var primaryKey: PrimaryKey { .composite("b", "a") }
}

import Foundation
import Persisting

final class StrictRows: PersistingModel {
    var code: String = ""
    var amount: Int64?
    var anything: SQLiteValue = .null

    override class var naming: Naming { .snakeCase }

    override class var tableName: String { "strictRows" }

    override class var primaryKey: PrimaryKey { .assigned("code") }

    override class var tableOptions: TableOptions { [.strict, .withoutRowID] }
}

import Foundation
import Persisting

final class Counters: PersistingModel {
    var number: Int64?
    var doubled: Int64?  // SQLite computes it
    var id: Int64?

    override class var naming: Naming { .snakeCase }

    override class var primaryKey: PrimaryKey { .generated("number") }
}

import Foundation
import Persisting

final class Names: PersistingModel {
    var name: String?
    var avg: Double?
    var id: SQLiteValue = .null

    override class var naming: Naming { .snakeCase }

    // Of a view: a column whose values are all different.
    override class var primaryKey: PrimaryKey { .assigned("name") }
}

import Foundation
import Persisting

final class Uuids: PersistingModel {
    var id: UUID = UUID()
    var jsonText: String = ""
    var a: Int64?
    var b: Int64?

    override class var naming: Naming { .snakeCase }

    override class var indexes: [Index] {
        [
            .unique("jsonText"),
            .unique("b", "a"),
            .unique("a", where: "b > 1", name: "partial"),
        ]
    }

    override class var columns: Columns {
        var columns = super.columns
        columns["JSON_TEXT"] = .any.property("jsonText")
        return columns
    }

    // Left out: the index expression
}

import Foundation
import Persisting

final class LedgerEntry: PersistingModel {
    var entryID: Int64?
    var batterName: String = ""
    var parent: Int64?
    var total: Decimal = Decimal(string: "1.5") ?? 0
    var tip: Decimal = 0
    var code: String?

    override class var naming: Naming { .snakeCase }

    override class var primaryKey: PrimaryKey { .generated("entryID") }

    override class var indexes: [Index] {
        [
            Index("batterName", "total", name: "by_batter"),
            Index("code", where: "total > 100 AND code <> ' WHERE '", name: "rich"),
        ]
    }

    override class var columns: Columns {
        var columns = super.columns
        columns["entry_id"] = .any.check("total < 1e6")
        columns["batter_name"] = .any.references(Batter.self, onDelete: .cascade)
        columns["parent"] = .any.references(LedgerEntry.self, onUpdate: .setNull, isDeferred: true)
        columns["total"] = .any.check("total >= 0 AND total <> ')'")
        columns["tip"] = .any.check("tip < total")
        columns["code"] = .any.collate(.nocase)
        return columns
    }

    // Left out: the index down
    // Left out: the foreign key of code, tip to gone
}

import Foundation
import Persisting

final class OrderedLines: PersistingModel {
    var LineID: Int64?
    var UnitPrice: Decimal?
    var data: Data?
    var ShipName: String = ""

    override class var naming: Naming { .identity }

    override class var primaryKey: PrimaryKey { .generated("LineID") }

    override class var columns: Columns {
        var columns = super.columns
        columns["Data"] = .any.property("data")
        return columns
    }
}

import Foundation
import Persisting

final class Lines: PersistingModel {
    var LineID: Int64?
    var ShipName: String?

    override class var naming: Naming { .identity }

    override class var tableName: String { "lines" }

    // Of a view: a column whose values are all different.
    override class var primaryKey: PrimaryKey { .assigned("LineID") }
}

import Foundation
import Persisting

final class FoundValues: PersistingModel {
    var id: Int64?
    var a: Data?  // holds BLOB
    var b: String?
    var c: String?  // holds TEXT
    var d: SQLiteValue = 0  // holds INTEGER and TEXT
    var e: Date?  // holds INTEGER and REAL
    var f: Data?
    var g: String?
    var h: String?
    var i: SQLiteValue = .null  // holds TEXT
    var j: String?  // holds TEXT
    var k: Int64?  // holds INTEGER
    var l: Date?
    var m: SQLiteValue = .null  // holds REAL and TEXT
    var n: SQLiteValue = .null  // holds TEXT and BLOB
    var o: Data?  // holds BLOB
    var p: SQLiteValue = .null  // holds TEXT
    var q: Date?
    var r: Data?  // holds BLOB
    var s: Date?
    var t: Double?  // holds INTEGER and REAL
    var u: Int64?
    var v: SQLiteValue = .null
    var w: UUID?
    var x: SQLiteValue = .null  // holds REAL and TEXT
    var link: String = ""
    var last: Date?
    var firstUser: String?
    var lastUser: String?
    var ref: Int64?

    override class var naming: Naming { .snakeCase }

    override class var columns: Columns {
        var columns = super.columns
        columns["id"] = .any.check("id < t")
        columns["e"] = .date.stored(as: .julianDay)
        columns["l"] = .date.stored(as: .unixMilliseconds)
        columns["q"] = .date.stored(as: .pythonDateTime)
        columns["s"] = .date.stored(as: .iso8601Milliseconds)
        columns["t"] = .any.check("t > 0")
        columns["w"] = .uuid.stored(as: .blob)
        columns["last"] = .date.stored(as: .iso8601Milliseconds).notNull
        columns["lastUser"] = .any.property("lastUser")
        return columns
    }
}
