// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct GroupingAndComputingArticle: Article {
    // snippet.show
    final class Sale: PersistingModel {
        var id: Int64?
        var country = ""
        var product = ""
        var price = 0.0
        var quantity = 0
        var discount: Double?
        var date = Date()

        static let origin = ToOne(\Sale.country, Country.self)
        var total: Double { price * Double(quantity) }
        override class var calculations: [Calculation] {
            [
                Calculation(
                    "total", \Sale.total, as: Sale.row.price * Sale.row.quantity)
            ]
        }
    }

    final class Country: PersistingModel {
        var name = ""
        var continent = ""
        override class var primaryKey: PrimaryKey { .assigned("name") }
    }
    // snippet.hide

    func run() throws {
        let manager = try PersistenceManager(.memory)
        for type in [Sale.self, Country.self] as [PersistingModel.Type] { try manager.createTableIfNecessary(for: type) }
        let sales: [[String: any Sendable]] = [
            ["country": "Peru", "product": " Wine, red", "price": 60.0, "quantity": 2, "date": Date(timeIntervalSince1970: 1_783_000_000)],
            ["country": "Chile", "product": "Bread", "price": 2.0, "quantity": 12, "discount": 1.0, "date": Date(timeIntervalSince1970: 1_783_000_000)],
        ]
        for values in sales { try manager.insert(Sale.self, values: values) }
        for (name, continent) in [("Peru", "South America"), ("Chile", "South America"), ("Cuba", "North America")] {
            try manager.insert(Country.self, values: ["name": name, "continent": continent])
        }
        try calculate(manager)
        try group(manager)
        try compare(manager)
    }

    private func calculate(_ manager: PersistenceManager) throws {
        // snippet.show
        let large = try manager.fetchAll(Sale.self, where: \.price * \.quantity > 100)
        let sale = Sale.row
        let same = try manager.fetchAll(Sale.where(sale.price * sale.quantity > 100))
        let sorted = try manager.fetchAll(
            Sale.self,
            sortedBy: .descending(sale.price * sale.quantity - (sale.discount ?? 0)))
        try manager.update(
            Sale.where(\.country == "Peru"), \.quantity, to: \.quantity + 1)
        // snippet.hide
        #expect(large.count == 1 && same.count == 1 && sorted.first?.country == "Peru")
        // snippet.show
        let wines = try manager.fetchAll(
            Sale.where(sale.product.trimmed().lowercased().hasPrefix("wine")))
        let summer = try manager.fetchAll(
            Sale.where(sale.date.month >= 6 && sale.date.month <= 8))
        let prices = try manager.values(
            Sale.sorted(by: \.id),
            .if(\.quantity > 10, then: sale.price * 0.9, else: sale.price),
            as: Double.self)
        // snippet.hide
        #expect(wines.count == 1 && summer.count == 2 && prices == [60, 1.8])
        // snippet.show
        let expensive = try manager.fetchAll(
            Sale.self, where: .format("price * quantity > 100 AND year(date) == 2026"))
        let byTotal = try manager.fetchAll(
            Sale.self, sortedBy: "price * quantity desc, id")
        // snippet.hide
        #expect(expensive.count == 1 && byTotal.count == 2)
        // snippet.show
        let totals = try manager.fetchAll(
            Sale.self, where: \.total > 100, sortedBy: "total desc")
        // snippet.hide
        #expect(totals.map(\.country) == ["Peru"])
    }

    private func group(_ manager: PersistenceManager) throws {
        // snippet.show
        let revenue = Aggregate.sum(\Sale.price * \Sale.quantity)
        for (country, month, count, sum) in try manager.groups(
            Sale.where(\.quantity > 0), by: .key(\.country), .month(\.date),
            computing: .count, revenue,
            having: revenue > 100, sortedBy: .descending(revenue), limit: 10)
        {
            print(country, month, count, sum ?? 0)
        }
        // snippet.hide
        // snippet.show
        let perContinent = try manager.groups(
            Sale.rows, by: .key(Sale.origin[\.continent]), computing: .sum(\.quantity))
        let perDay = try manager.groups(
            Sale.rows, by: .key(Sale.row.date.start(of: .day), as: Date.self),
            computing: .count)
        for (day, count) in perDay { print(day ?? .distantPast, count) }
        // snippet.hide
        #expect(perContinent.map { continent, sum in "\(continent ?? "") \(sum ?? 0)" } == ["South America 15"])
        #expect(perDay.map { _, count in count } == [2])
        // snippet.show
        let figures = try manager.compute(
            Query(Sale.self), .count, .count.where(\Sale.discount != nil),
            .average(\.price), .max(\.date))
        print(figures.0, figures.1)
        // snippet.hide
        #expect(figures.0 == 2 && figures.1 == 1 && figures.2 == 31)
        // snippet.show
        struct Summary: Decodable {
            var country: String
            var count: Int
            var revenue: Double?
        }

        let summaries = try manager.groups(
            decoding: Summary.self, Query(Sale.self), by: .key(\.country),
            computing: .count, revenue.named("revenue"))
        // snippet.hide
        #expect(summaries.map(\.revenue) == [24, 180])
    }

    private func compare(_ manager: PersistenceManager) throws {
        let sale = Sale.row
        // snippet.show
        let visited = Query(Sale.self).values(\.country)
        let unvisited = try manager.fetchAll(Country.where(!.in(\.name, visited)))
        let above = try manager.fetchAll(
            Sale.where(sale.price > .computed(.average(\.price), of: Sale.rows)))
        let bulk = Sale.where(\.quantity > 10)
        let selling = try manager.fetchAll(
            Country.where(.exists(bulk, where: \.country, equals: \.name)))
        // snippet.hide
        #expect(unvisited.map(\.name) == ["Cuba"] && above.count == 1 && selling.map(\.name) == ["Chile"])
        // snippet.show
        let sales = try bulk.selectStatement()
        let rows = try manager.dictionaries(
            """
            SELECT country, rank() OVER (ORDER BY sum(quantity) DESC) AS place
            FROM (\(sql: sales)) GROUP BY 1
            """)
        // snippet.hide
        #expect(rows.count == 1)
    }
}
