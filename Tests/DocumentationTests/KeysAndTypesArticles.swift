// swift-format-ignore-file
import Foundation
import Persisting

// The snippets of Primary Keys and of Types and Transforms, word for word: compiled here, and compared with the articles
// by SnippetTests.

final class Device: PersistingModel {               // a key that you assign: ID TEXT PRIMARY KEY
    var id = UUID()
    var name = ""
}

final class Country: PersistingModel {              // one of another name, in a table without a hidden one
    var code: String?
    var name = ""

    override class var primaryKey: PrimaryKey { .assigned("code") }
    override class var tableOptions: TableOptions { .withoutRowID }
}

final class Enrolment: PersistingModel {            // two properties together
    var student: Int64?
    var course: String?
    var grade: Int?

    override class var primaryKey: PrimaryKey { .composite("student", "course") }
}

/// Returns the codes of the countries that were found, and whether both ways found the device.
func findingByKey(_ manager: PersistenceManager, _ id: UUID) throws -> ([String?], Bool) {
    let device = try manager.find(Device.self, id)                                      // nil when there is none
    let enrolment = try manager.find(Enrolment.self, ["student": 7, "course": "SQL"])
    let countries = try manager.find(Country.self, keys: ["CZ", "AT"])                  // in this order; those that are missing are left out
    let same = try manager.findOrCreate(Device.self, id) { $0.name = "Lamp" }
    return (countries.map(\.code), device?.isSameRow(as: same) ?? false && enrolment?.grade == 1)
}

func changingKey(_ manager: PersistenceManager, _ country: Country) throws {
    country.code = "CZ"
    try manager.save(country)                                                           // UPDATE COUNTRY SET CODE = ? WHERE CODE = ?
}

final class LineItem: PersistingModel {
    var number: Int64?
    var price = 0.0
    var quantity: Int?
    var total: Double?

    override class var tableName: String { "line items" }
    override class var primaryKey: PrimaryKey { .fromSchema }
    override class var columns: Columns {
        ["item_no": .int.property("number"), "price": .double, "quantity": .int, "total": .double]
    }
    override class var naming: Naming { .identity }
}

func existingTable(_ manager: PersistenceManager) throws -> LineItem {
    let item = LineItem()
    item.price = 2.5
    try manager.save(item)
    print(item.number ?? 0, item.quantity ?? 0, item.total ?? 0)                        // 1 1 2.5
    return item
}

enum Medium: String, SQLiteValueConvertible { case oil, print }

struct Marks: OptionSet, SQLiteValueConvertible { let rawValue: Int; static let signed = Marks(rawValue: 1) }

struct Frame: Codable, SQLiteValueConvertible { var width = 0.0, wood: String? }     // as JSON

enum TintError: Error { case notHex(String) }

struct Tint: Equatable { var red = 0, green = 0, blue = 0 }

extension Transform where Value == Tint {
    static let hex = Transform(
        encode: { String($0.red << 16 | $0.green << 8 | $0.blue, radix: 16) },
        decode: { (text: String) in
            guard let bits = Int(text, radix: 16) else { throw TintError.notHex(text) }
            return Tint(red: bits >> 16, green: bits >> 8 & 255, blue: bits & 255)
        })
}

extension Transform where Value == String {
    static let lowercased = Transform(encode: { $0.lowercased() }, decode: { (text: String) in text })
}

final class Poster: PersistingModel {
    var id: UUID?
    var title = ""
    var medium = Medium.print
    var marks: Marks = []
    var frame: Frame?
    var checksum: UInt64 = 0
    var ink = Tint()
    var paper: Tint?
    var mail = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["ID"] = .uuid.stored(as: .blob)
        columns["CHECKSUM"] = .int.bitPattern
        columns["MAIL"] = .string.transformed(by: .lowercased)
        return columns
    }
    override class var transforms: [AnyTransform] { super.transforms + [.init(.hex)] }
}

/// Returns how many were found, each in its way.
func findingTransformed(_ manager: PersistenceManager) throws -> [Int] {
    let red = try manager.fetchAll(Poster.self, where: \.ink == Tint(red: 255) && \.paper == nil)
    let same = try manager.fetchAll(Poster.self, where: ["ink": Tint(red: 255), "marks": Marks.signed])
    let byMail = try manager.fetchOne(Poster.self, where: \.mail == "Ada@Example.com")     // finds ada@example.com
    return [red.count, same.count, byMail == nil ? 0 : 1]
}

func namingRows(_ manager: PersistenceManager) throws {
    do {
        _ = try manager.fetchAll(Poster.self)
    } catch let error as PersistenceError where error.code == .typeMismatch {
        print(error.model ?? "", error.key ?? "", error.rowKey ?? [:], error.found ?? "", error.expected ?? "")
    }
}
