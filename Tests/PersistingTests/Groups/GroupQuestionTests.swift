import Foundation
import Persisting
import Testing

private typealias Store = MusicStore
private typealias Order = CornerShop.Order

/// Values with blanks between them, `-` for nil.
private func line(_ values: (any CustomStringConvertible)?...) -> String {
    values.map { $0?.description ?? "-" }.joined(separator: " ")
}

private func cents(_ value: Double?) -> Int? { value.map { Int(($0 * 100).rounded()) } }

private func cents(_ value: Decimal?) -> Int? { value.map { Int(truncating: ($0 * 100) as NSDecimalNumber) } }

// F125
@Suite("Questions about figures")
struct GroupQuestionTests {
    private static let store: [RelatedQuestion] = [
        RelatedQuestion(
            "invoices by country",
            "SELECT COUNTRY || ' ' || count(*) FROM INVOICE i JOIN CUSTOMER c ON c.ID = CUSTOMER_ID GROUP BY COUNTRY"
        ) { manager in
            let groups = try manager.groups(
                Store.Invoice.rows, by: .key(Store.Invoice.customer[\.country]), computing: .count)
            return groups.map { line($0.0, $0.1) }
        },
        RelatedQuestion(
            "revenue by country",
            """
            SELECT COUNTRY || ' ' || CAST(round(sum(TOTAL) * 100) AS INTEGER) FROM INVOICE i
            JOIN CUSTOMER c ON c.ID = CUSTOMER_ID GROUP BY COUNTRY ORDER BY COUNTRY
            """
        ) { manager in
            let groups = try manager.groups(
                Store.Invoice.rows, by: .key(Store.Invoice.customer[\.country]), computing: .sum(\.total))
            return groups.map { line($0.0, cents($0.1)) }
        },
        RelatedQuestion(
            "the three customers who pay most",
            """
            SELECT NAME FROM INVOICE i JOIN CUSTOMER c ON c.ID = CUSTOMER_ID GROUP BY CUSTOMER_ID
            ORDER BY sum(TOTAL) DESC, CUSTOMER_ID LIMIT 3
            """
        ) { manager in
            let groups = try manager.groups(
                Store.Invoice.rows, by: .key(\.customerID), .key(Store.Invoice.customer[\.name]),
                computing: .sum(\.total), sortedBy: [.descending(.sum(\.total)), .ascending(\.customerID)], limit: 3)
            return groups.map { line($0.1) }
        },
        RelatedQuestion(
            "who has more than two invoices",
            "SELECT CUSTOMER_ID FROM INVOICE GROUP BY CUSTOMER_ID HAVING count(*) > 2 ORDER BY 1"
        ) { manager in
            let count = Aggregate<Store.Invoice, Int>.count
            let groups = try manager.groups(
                Store.Invoice.rows, by: .key(\.customerID), computing: count, having: count > 2)
            return groups.map { line($0.0) }
        },
        RelatedQuestion(
            "genres whose tracks are long on average",
            """
            SELECT g.NAME FROM TRACK t JOIN GENRE g ON g.ID = GENRE_ID GROUP BY g.NAME
            HAVING avg(MILLISECONDS) > (SELECT avg(MILLISECONDS) FROM TRACK) ORDER BY 1
            """
        ) { manager in
            let average = Aggregate<Store.Track, Double?>.average(\.milliseconds)
            let overall = try manager.compute(Store.Track.rows, average)
            let groups = try manager.groups(
                Store.Track.where(\.genreID != nil), by: .key(Store.Track.genre[\.name]), computing: average,
                having: average > overall)
            return groups.map { line($0.0) }
        },
        RelatedQuestion(
            "tracks of each genre, and of none",
            """
            SELECT ifnull(g.NAME, '-') || ' ' || count(*) FROM TRACK t LEFT JOIN GENRE g ON g.ID = GENRE_ID
            GROUP BY g.NAME ORDER BY g.NAME
            """
        ) { manager in
            let groups = try manager.groups(Store.Track.rows, by: .key(Store.Track.genre[\.name]), computing: .count)
            return groups.map {
                line($0.0, $0.1)
            }
        },
        RelatedQuestion(
            "albums with a track of more than five minutes",
            "SELECT ALBUM_ID || ' ' || max(MILLISECONDS) FROM TRACK WHERE ALBUM_ID NOT NULL GROUP BY ALBUM_ID "
                + "HAVING max(MILLISECONDS) > 300000 ORDER BY ALBUM_ID"
        ) { manager in
            let longest = Aggregate.max(\Store.Track.milliseconds)
            let groups = try manager.groups(
                Store.Track.where(\.albumID != nil), by: .key(\.albumID), computing: longest, having: longest > 300_000)
            return groups.map { line($0.0, $0.1) }
        },
        RelatedQuestion(
            "the five tracks that are sold most",
            """
            SELECT TRACK_ID || ' ' || sum(QUANTITY) FROM LINE
            GROUP BY TRACK_ID ORDER BY sum(QUANTITY) DESC, TRACK_ID LIMIT 5
            """
        ) { manager in
            let sold = Aggregate.sum(\Store.Line.quantity)
            let groups = try manager.groups(
                Store.Line.rows, by: .key(\.trackID), computing: sold,
                sortedBy: [.descending(sold), .ascending(\.trackID)], limit: 5)
            return groups.map { line($0.0, $0.1) }
        },
        RelatedQuestion(
            "what each invoice comes to",
            """
            SELECT INVOICE_ID || ' ' || CAST(round(sum(QUANTITY * UNIT_PRICE) * 100) AS INTEGER) FROM LINE
            JOIN TRACK t ON t.ID = TRACK_ID GROUP BY INVOICE_ID ORDER BY INVOICE_ID
            """
        ) { manager in
            let row = Store.Line.row
            let groups = try manager.groups(
                Store.Line.rows, by: .key(\.invoiceID),
                computing: .sum(row.quantity * row[Store.Line.track[\.unitPrice]]))
            return groups.map { line($0.0, cents($0.1)) }
        },
        RelatedQuestion(
            "albums of each artist",
            "SELECT ifnull(ARTIST_ID, '-') || ' ' || count(*) FROM ALBUM GROUP BY ARTIST_ID ORDER BY ARTIST_ID"
        ) { manager in
            let groups = try manager.groups(Store.Album.rows, by: .key(\.artistID), computing: .count)
            return groups.map { line($0.0, $0.1) }
        },
        RelatedQuestion(
            "tracks of each playlist",
            """
            SELECT p.NAME || ' ' || count(*) FROM ENTRY JOIN PLAYLIST p ON p.ID = PLAYLIST_ID
            GROUP BY p.NAME ORDER BY 1
            """
        ) { manager in
            let groups = try manager.groups(Store.Entry.rows, by: .key(Store.Entry.playlist[\.name]), computing: .count)
            return groups.map {
                line($0.0, $0.1)
            }
        },
        RelatedQuestion(
            "customers of each employee in each country",
            """
            SELECT ifnull(REP_ID, '-') || ' ' || COUNTRY || ' ' || count(*) FROM CUSTOMER GROUP BY REP_ID, COUNTRY
            ORDER BY REP_ID, COUNTRY
            """
        ) { manager in
            let groups = try manager.groups(Store.Customer.rows, by: .key(\.repID), .key(\.country), computing: .count)
            return groups.map {
                line($0.0, $0.1, $0.2)
            }
        },
        RelatedQuestion(
            "lines, different tracks and pieces sold",
            "SELECT count(*) || ' ' || count(DISTINCT TRACK_ID) || ' ' || sum(QUANTITY) FROM LINE"
        ) { manager in
            let (lines, tracks, sold) = try manager.compute(
                Store.Line.rows, .count, .count(distinct: \.trackID), .sum(\.quantity))
            return [line(lines, tracks, sold)]
        },
        RelatedQuestion(
            "the smallest, the greatest and the average invoice",
            """
            SELECT CAST(round(min(TOTAL) * 100) AS INTEGER) || ' ' || CAST(round(max(TOTAL) * 100) AS INTEGER) || ' '
              || CAST(round(avg(TOTAL) * 100) AS INTEGER) FROM INVOICE
            """
        ) { manager in
            let (least, greatest, average) = try manager.compute(
                Store.Invoice.rows, .min(\.total), .max(\.total), .average(\.total))
            return [line(cents(least), cents(greatest), cents(average))]
        },
        RelatedQuestion(
            "tracks by whole minutes",
            """
            SELECT (MILLISECONDS / 60000) || ' ' || count(*) FROM TRACK GROUP BY MILLISECONDS / 60000
            ORDER BY MILLISECONDS / 60000
            """
        ) { manager in
            let groups = try manager.groups(
                Store.Track.rows, by: .key(\Store.Track.milliseconds / 60_000, as: Int.self), computing: .count)
            return groups.map { line($0.0, $0.1) }
        },
        RelatedQuestion(
            "the share of each country in the revenue",
            """
            SELECT COUNTRY || ' ' || CAST(round(sum(TOTAL) * 10000 / (SELECT sum(TOTAL) FROM INVOICE)) AS INTEGER)
            FROM INVOICE i JOIN CUSTOMER c ON c.ID = CUSTOMER_ID GROUP BY COUNTRY ORDER BY COUNTRY
            """
        ) { manager in
            let all = try manager.compute(Store.Invoice.rows, .total(\.total))
            let groups = try manager.groups(
                Store.Invoice.rows, by: .key(Store.Invoice.customer[\.country]), computing: .total(\.total))
            return groups.map { line($0.0, cents($0.1 * 100 / all)) }
        },
        RelatedQuestion(
            "cheap and dear tracks of each genre",
            """
            SELECT ifnull(GENRE_ID, '-') || ' ' || sum(UNIT_PRICE < 1) || ' ' || sum(UNIT_PRICE > 1) FROM TRACK
            GROUP BY GENRE_ID ORDER BY GENRE_ID
            """
        ) { manager in
            let groups = try manager.groups(
                Store.Track.rows, by: .key(\.genreID), computing: .count.where(\Store.Track.unitPrice < 1),
                .count.where(\Store.Track.unitPrice > 1))
            return groups.map { line($0.0, $0.1, $0.2) }
        },
        RelatedQuestion(
            "how many report to each",
            """
            SELECT b.NAME || ' ' || count(*) FROM EMPLOYEE e JOIN EMPLOYEE b ON b.ID = e.BOSS_ID
            GROUP BY b.NAME ORDER BY 1
            """
        ) { manager in
            let groups = try manager.groups(
                Store.Employee.where(\.bossID != nil), by: .key(Store.Employee.boss[\.name]), computing: .count)
            return groups.map { line($0.0, $0.1) }
        },
    ]

    private static let shop: [RelatedQuestion] = [
        RelatedQuestion(
            "orders by channel",
            "SELECT CHANNEL || ' ' || count(*) FROM \"ORDER\" GROUP BY CHANNEL ORDER BY CHANNEL"
        ) { manager in
            let groups = try manager.groups(Order.rows, by: .key(\.channel), computing: .count)
            return groups.map { line($0.0.rawValue, $0.1) }
        },
        RelatedQuestion(
            "what is still to be paid in each country",
            """
            SELECT ifnull(COUNTRY, '-') || ' ' || ifnull(CAST(round(sum(AMOUNT) * 100) AS INTEGER), '-') FROM "ORDER"
            WHERE FLAGS & 1 = 0 GROUP BY COUNTRY ORDER BY COUNTRY
            """
        ) { manager in
            let groups = try manager.groups(
                Order.where(\.isPaid == false), by: .key(\.country), computing: .sum(\.amount))
            return groups.map { line($0.0, cents($0.1)) }
        },
        RelatedQuestion(
            "countries with more than three late orders",
            """
            SELECT COUNTRY FROM "ORDER" WHERE COUNTRY NOT NULL GROUP BY COUNTRY
            HAVING count(*) FILTER (WHERE SHIPPED IS NULL) > 3 ORDER BY COUNTRY
            """
        ) { manager in
            let late = Aggregate<Order, Int>.count.where(\Order.shipped == nil)
            let groups = try manager.groups(
                Order.where(\.country != nil), by: .key(\.country), computing: late, having: late > 3)
            return groups.map { line($0.0) }
        },
        RelatedQuestion(
            "the last order of each customer",
            """
            SELECT CUSTOMER_ID || ' ' || CAST(max(DATE) AS INTEGER) FROM "ORDER"
            GROUP BY CUSTOMER_ID ORDER BY CUSTOMER_ID
            """
        ) { manager in
            let groups = try manager.groups(Order.rows, by: .key(\.customerID), computing: .max(\.date))
            return groups.map {
                line($0.0, $0.1.map { Int($0.timeIntervalSince1970) })
            }
        },
        RelatedQuestion(
            "what to order again: articles sold least, whatever the case of their code",
            """
            SELECT upper(CODE) || ' ' || sum(QUANTITY) FROM "ORDER"
            GROUP BY CODE HAVING sum(QUANTITY) < 49 ORDER BY sum(QUANTITY), CODE
            """
        ) { manager in
            let sold = Aggregate.sum(\Order.quantity)
            let groups = try manager.groups(
                Order.rows, by: .key(\.code), computing: sold, having: sold < 49,
                sortedBy: [.ascending(sold), .ascending(\.code)])
            return groups.map { line($0.0.uppercased(), $0.1) }
        },
        RelatedQuestion(
            "countries where an order comes to more than fifteen on average",
            """
            SELECT COUNTRY FROM "ORDER" WHERE COUNTRY NOT NULL GROUP BY COUNTRY
            HAVING sum(PRICE * QUANTITY) / count(*) > 11 ORDER BY COUNTRY
            """
        ) { manager in
            let (total, count) = (Aggregate.sum(\Order.price * \Order.quantity), Aggregate<Order, Int>.count)
            let groups = try manager.groups(
                Order.where(\.country != nil), by: .key(\.country), computing: total,
                having: total.expression / count.expression > 11)
            return groups.map { line($0.0) }
        },
        RelatedQuestion(
            "where the ten latest orders came from",
            """
            SELECT ifnull(COUNTRY, '-') || ' ' || count(*) FROM
              (SELECT COUNTRY FROM "ORDER" ORDER BY DATE DESC, ID LIMIT 10) GROUP BY COUNTRY ORDER BY COUNTRY
            """
        ) { manager in
            let groups = try manager.groups(
                Order.sorted(by: [.descending(\.date), .ascending(\.id)]).limit(10), by: .key(\.country),
                computing: .count)
            return groups.map { line($0.0, $0.1) }
        },
        RelatedQuestion(
            "countries with more than two customers",
            """
            SELECT COUNTRY || ' ' || count(DISTINCT CUSTOMER_ID) FROM "ORDER" WHERE COUNTRY NOT NULL GROUP BY COUNTRY
            HAVING count(DISTINCT CUSTOMER_ID) > 2 ORDER BY COUNTRY
            """
        ) { manager in
            let customers = Aggregate.count(distinct: \Order.customerID)
            let groups = try manager.groups(
                Order.where(\.country != nil), by: .key(\.country), computing: customers, having: customers > 2)
            return groups.map { line($0.0, $0.1) }
        },
        RelatedQuestion(
            "orders by country and month",
            """
            SELECT COUNTRY || ' ' || strftime('%s', DATE, 'unixepoch', 'start of month') || ' ' || count(*) FROM "ORDER"
            WHERE COUNTRY NOT NULL GROUP BY COUNTRY, strftime('%Y %m', DATE, 'unixepoch')
            ORDER BY COUNTRY, strftime('%Y %m', DATE, 'unixepoch')
            """
        ) { manager in
            let groups = try manager.groups(
                Order.where(\.country != nil), by: .key(\.country), .month(\.date), computing: .count)
            return groups.map { line($0.0, Int($0.1.timeIntervalSince1970), $0.2) }
        },
        RelatedQuestion(
            "revenue of each customer's city",
            """
            SELECT ifnull(CITY, '-') || ' ' || sum(PRICE * QUANTITY) FROM "ORDER" o
            JOIN CUSTOMER c ON c.ID = CUSTOMER_ID
            GROUP BY CITY ORDER BY CITY
            """
        ) { manager in
            let groups = try manager.groups(
                Order.rows, by: .key(Order.customer[\.city]), computing: .sum(\Order.price * \Order.quantity))
            return groups.map { line($0.0, $0.1) }
        },
    ]

    @Test("of a music store have the answers that SQL has", .local(.temporaryTables), arguments: store)
    func musicStore(question: RelatedQuestion) throws { try check(question, MusicStore.manager()) }

    @Test("of a shop have the answers that SQL has", .local(.temporaryTables), arguments: shop)
    func orders(question: RelatedQuestion) throws { try check(question, CornerShop.sixtyOrders()) }

    private func check(_ question: RelatedQuestion, _ manager: PersistenceManager) throws {
        let expected = try manager.storedColumn(question.sql).map { value in
            if case .text(let text) = value { text } else { line(value.integerText) }
        }
        #expect(try question.answer(manager) == expected)
        #expect(!expected.isEmpty)
    }
}

extension SQLiteValue {
    fileprivate var integerText: String? { if case .integer(let integer) = self { "\(integer)" } else { nil } }
}

extension CornerShop {
    /// Sixty orders of six customers.
    fileprivate static func sixtyOrders() throws -> PersistenceManager {
        let manager = try manager()
        try manager.run(
            """
            CREATE TEMP TABLE n AS WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i FROM n;
            INSERT INTO CUSTOMER (ID, NAME, CITY)
              SELECT i, 'Customer ' || i, CASE i % 3 WHEN 0 THEN 'Lille' WHEN 1 THEN 'Arica' END FROM n WHERE i <= 6;
            INSERT INTO "ORDER" (ID, CUSTOMER_ID, COUNTRY, CODE, CHANNEL, PRICE, QUANTITY, AMOUNT,
                POINTS, DATE, SHIPPED,
                FLAGS)
              SELECT i, 1 + i * 7 % 6, CASE i % 4 WHEN 0 THEN 'Chile' WHEN 1 THEN 'France' WHEN 2 THEN 'India' END,
                char(65 + i % 5 + i % 2 * 32), CASE i % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'phone' ELSE 'store' END,
                i % 13 / 4.0 + i % 4, 1 + i % 7, CASE WHEN i % 6 THEN i % 9 || '.25' END, i % 50,
                1700000000 + i * 37 % 60 * 86400, CASE WHEN i % 3 THEN '2026-01-01T00:00:00.000Z' END, i % 2
              FROM n;
            DROP TABLE n;
            """)
        return manager
    }
}
