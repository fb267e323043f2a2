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
    var größe: Double?
    var column2nd: String?
    var aB: String?
    var aB5: String?
    var column6: Data?
    var `self`: String?
    var hashValue8: Int64?
    var `init`: Int64?
    var id: String?
    var sayHi: Double?
    // A column without a name is left out.

    override class var tableName: String { "weird table; name" }

    override class var primaryKey: PrimaryKey { .none }

    override class var columns: Columns {
        var columns = super.columns
        columns["class"] = .any.property("class")
        columns["Größe"] = .any.property("größe")
        columns["2nd"] = .any.property("column2nd")
        columns["a b"] = .any.property("aB")
        columns["a-b"] = .any.property("aB5")
        columns["🙂"] = .any.property("column6")
        columns["self"] = .any.property("self")
        columns["hashValue"] = .any.property("hashValue8")
        columns["init"] = .any.property("init")
        columns["id"] = .any.property("id")
        columns["say [hi]"] = .any.property("sayHi")
        return columns
    }
}

import Foundation
import Persisting

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

    override class var primaryKey: PrimaryKey { .none }
}

import Foundation
import Persisting

final class Uuids: PersistingModel {
    var id: UUID = UUID()
    var jsonText: String = ""
    var a: Int64?
    var b: Int64?

    override class var tableName: String { "uuids" }

    override class var indexes: [Index] { [.unique("jsonText"), .unique("b", "a")] }

    override class var columns: Columns {
        var columns = super.columns
        columns["id"] = .any.property("id")
        columns["a"] = .any.property("a")
        columns["b"] = .any.property("b")
        return columns
    }
}
