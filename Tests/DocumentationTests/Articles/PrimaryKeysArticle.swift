// swift-format-ignore-file
import Foundation
import Persisting
import PersistingDiagnostics
import Testing

struct PrimaryKeysArticle: Article {
    // snippet.show
    // a key that you assign: ID TEXT PRIMARY KEY
    final class Device: PersistingModel {
        var id = UUID()
        var name = ""
    }

    // a key with another name, in a table without row identifiers
    final class Country: PersistingModel {
        var code: String?
        var name = ""

        override class var primaryKey: PrimaryKey { .assigned("code") }
        override class var tableOptions: TableOptions { .withoutRowID }
    }

    final class Enrolment: PersistingModel {            // two properties together
        var student: Int64?
        var course: String?
        var grade: Int?

        override class var primaryKey: PrimaryKey {
            .composite("student", "course")
        }
    }
    // snippet.hide

    func run() throws {
        let manager = try PersistenceManager(.memory)
        for model in [Device.self, Country.self, Enrolment.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: model)
        }
        let id = UUID()
        try manager.insert(Device.self, values: ["id": id])
        try manager.insert(Enrolment.self, values: ["student": 7, "course": "SQL", "grade": 1])
        let country = try manager.insert(Country.self, values: ["code": "AT", "name": "Czechia"])
        do {
            // snippet.show
            let device = try manager.find(Device.self, id)  // nil if there is none
            let enrolment = try manager.find(
                Enrolment.self, ["student": 7, "course": "SQL"])
            // in this order, existing ones
            let countries = try manager.find(Country.self, keys: ["CZ", "AT"])
            let same = try manager.findOrCreate(Device.self, id) { $0.name = "Lamp" }
            // snippet.hide
            #expect(device?.isSameRow(as: same) == true)
            #expect(enrolment?.grade == 1)
            #expect(countries.map(\.code) == ["AT"])
        }

        // snippet.show
        country.code = "CZ"
        try manager.save(country)  // UPDATE COUNTRY SET CODE = ? WHERE CODE = ?
        // snippet.hide
        #expect(try manager.find(Country.self, "CZ")?.name == "Czechia")

        let article = try String(contentsOf: #require(Documents.all()[name]), encoding: .utf8)
        let table = try #require(article.split(separator: "```").first { $0.hasPrefix("sql\n") })
        try manager.execute(SQL(String(table.dropFirst(4))))
        // snippet.show
        final class LineItem: PersistingModel {
            var number: Int64?
            var price = 0.0
            var quantity: Int?
            var total: Double?

            override class var tableName: String { "line items" }
            override class var primaryKey: PrimaryKey { .fromSchema }
            override class var columns: Columns {
                [
                    "item_no": .int.property("number"), "price": .double,
                    "quantity": .int, "total": .double,
                ]
            }
            override class var naming: Naming { .identity }
        }
        // snippet.hide

        // snippet.show
        let item = LineItem()
        item.price = 2.5
        try manager.save(item)
        print(item.number ?? 0, item.quantity ?? 0, item.total ?? 0)  // 1 1 2.5
        // snippet.hide
        #expect(try manager.modelSource(table: "line items").contains("override class var tableName"))
    }
}
