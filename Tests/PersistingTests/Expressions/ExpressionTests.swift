import Foundation
import Persisting
import Testing

private enum Size: String, SQLiteValueConvertible {
    case small, large
}

private final class Article: PersistingModel {
    var id: Int64?
    var name = ""
    var nick: String?
    var count = 0
    var least: Int?
    var small: Int8 = 0
    var price = 0.0
    var discount: Double?
    var amount: Decimal = 0
    var size = Size.small
    var made = Date(timeIntervalSince1970: 0)
    var sold: Date?
    var category: Int64?
    var data = Data()

    var total: Double { price * Double(count) }
    var label: String { name + "!" }

    override class var calculations: [Calculation] {
        [
            Calculation("total", \Article.total, as: Article.row.price * Article.row.count),
            Calculation("label", \Article.label, as: Article.row.name + "!"),
            Calculation("double", as: Article.row["total"] * 2),
            Calculation("endless", as: Article.row["endless"] + 1),
        ]
    }

    convenience init(
        _ name: String, _ nick: String?, _ count: Int, _ least: Int?, _ price: Double, _ discount: Double?,
        _ made: String = "2026-03-01T10:20:30Z", _ sold: Date? = nil
    ) {
        self.init()
        (self.name, self.nick, self.count, self.least) = (name, nick, count, least)
        (self.price, self.discount, self.sold) = (price, discount, sold)
        self.made = (try? Date(made, strategy: .iso8601)) ?? self.made
    }
}

private final class CastWord: PersistingModel {
    var id: Int64?
    var name = ""
    var code = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["NAME"] = .string.collate(.nocase)
        return columns
    }

    convenience init(_ name: String, _ code: String) {
        self.init()
        (self.name, self.code) = (name, code)
    }
}

// F125
@Suite("Expressions")
struct ExpressionTests {
    private let manager: PersistenceManager
    private let articles: [Article]
    private let row = Article.row

    init() throws {
        manager = try memoryManager(Article.self)
        try manager.insert([
            Article("Äpfel", nil, 1, 2, 0.5, nil, "2024-02-29T23:59:59Z"),
            Article("Birne", "birdie", 0, nil, -3, 0.25, "2025-01-01T00:00:00Z", Date(timeIntervalSince1970: 0)),
            Article("  Zoé ", "Z", .max, .min, 1e300, 0, "2026-12-31T12:00:00Z"),
            Article("", "", -7, 3, 2, 2.5, "1969-12-31T23:59:59Z"), Article("a\(nul)b", nil, 12, 0, 100, 10),
            Article("日本", "Ｎ", .min, -1, 0, -0.5, "2021-01-03T00:00:00Z"),
        ])
        articles = try manager.fetchAll(Article.self, sortedBy: "id")
    }

    /// The rows that a condition takes, in SQL and in memory alike.
    private func ids(_ criteria: Criteria<Article>) throws -> [Int64?] {
        let found = try manager.fetchAll(Article.self, where: criteria, sortedBy: "id").map(\.id)
        #expect(try criteria.filter(articles).map(\.id) == found)
        return found
    }

    /// What an expression comes to in each row, in SQL; the condition that it is that holds in memory, too.
    private func values<Value: SQLiteValueConvertible & Sendable & Equatable>(
        _ expression: ModelExpression<Article>, as type: Value.Type = Value.self
    ) throws -> [Value?] {
        let values = try manager.values(Article.sorted(by: "id"), expression, as: type)
        for (article, value) in zip(articles, values) {
            let isSame = try (expression == ModelExpression(value: value)).matches(article)
            #expect(isSame, "\(String(describing: value)) of \(article.name)")
        }
        return values
    }

    @Test("are made of key paths, of the row, and of values")
    func forms() throws {
        let (rate, limit) = (2.0, 5 as Double?)
        #expect(try ids(\.price * \.count > 1_000) == [3, 5])
        #expect(try ids(\.count + 1 == 2) == [1])
        #expect(try ids(row.price * rate - 1 >= row.discount && row.count != 12) == [3, 4])
        #expect(try ids(10 - row.price < limit || 2 * row.count % 5 == 4) == [3, 5])
        #expect(try ids(-row.count == 7) == [4])
    }

    @Test("are NULL where a part is, and where the divisor is 0")
    func null() throws {
        #expect(try ids(row.discount + 1 == nil) == [1])
        #expect(try ids(row.count / row.least == nil) == [2, 5])
        #expect(try ids(!(row.count / row.least > 0)) == [1, 2, 3, 4, 5])
    }

    @Test("compare with values of the property's own type")
    func enums() throws {
        #expect(try ids(row.size == Size.small).count == 6)
        #expect(try ids(row.made == articles[1].made) == [2])
    }

    @Test("of texts are Unicode's, in SQL and in memory alike", .local(.textAndDateFunctions))
    func texts() throws {
        #expect(try values(row.name.lowercased()) == ["äpfel", "birne", "  zoé ", "", "a\(nul)b", "日本"])
        #expect(try values(row.name.uppercased()) == ["ÄPFEL", "BIRNE", "  ZOÉ ", "", "A\(nul)B", "日本"])
        #expect(try values(row.name.length) == [5, 5, 6, 0, 1, 2])
        #expect(try values(row.name.trimmed()) == ["Äpfel", "Birne", "Zoé", "", "a\(nul)b", "日本"])
        #expect(try values(row.name.prefix(2)) == ["Äp", "Bi", "  ", "", "a", "日本"])
        #expect(try values(row.name.suffix(2)) == ["el", "ne", "é ", "", "a", "日本"])
        #expect(try values(row.name.suffix(0)) == ["", "", "", "", "", ""])
        #expect(try values(row.name.dropFirst(3)) == ["el", "ne", "oé ", "", "", ""])
        #expect(
            try values(row.name.prefix(.max) + row.name.suffix(.max))
                == articles.map { $0.name.prefixToNUL + $0.name.prefixToNUL })
        #expect(try values(row.name.dropFirst(.max)) == ["", "", "", "", "", ""])
        #expect(try values(row.name.replacing("o", with: "ö")) == ["Äpfel", "Birne", "  Zöé ", "", "a\(nul)b", "日本"])
        #expect(try values(row.name.replacing("", with: "x"))[0] == "Äpfel")
        #expect(try values(row.name + "-" + row.nick) == [nil, "Birne-birdie", "  Zoé -Z", "-", nil, "日本-Ｎ"])
    }

    @Test("of texts take any part as SQLite does", arguments: [-9, -5, -2, -1, 0, 1, 2, 3, 5, 9, 500_000_000])
    func substrings(start: Int) throws {
        for count in [-9, -2, -1, 0, 1, 2, 9] {
            for article in articles {
                let sql = try manager.dictionaries(
                    "SELECT substr(NAME, \(start), \(count)) AS part FROM ARTICLE WHERE ID = \(article.id)")
                let part = try #require(sql.first?["part"])
                let text = try String(sqliteValue: part)
                #expect(
                    try Criteria<Article>.format("substring(name, %d, %d) == %@", start, count, text).matches(article))
            }
        }
        #expect(failure { try ids(.format("substring(name, %@) == name", Int.min)) }?.key == "name")
    }

    @Test("tell no part in a zone that there is not")
    func zones() throws {
        let error = failure {
            try manager.count(Article.self, where: row.made.component(.hour, secondsFromGMT: 90_000) == 1)
        }
        #expect(error?.message.contains("90000 seconds from UTC") == true)
        #expect(error?.key == "made")
    }

    @Test("of texts are found like properties", .local(.textComparisons))
    func matching() throws {
        #expect(try ids(row.name.trimmed().hasPrefix("Z")) == [3])
        #expect(try ids((row.nick ?? row.name).contains("B", .caseInsensitive)) == [2, 5])
        #expect(try ids(row.name.lowercased().isIn(["birne", "日本"])) == [2, 6])
        #expect(try ids(row.name.suffix(2).equals("EL", .caseInsensitive)) == [1])
    }

    @Test("take another value for NULL, or one of two by a condition")
    func choices() throws {
        #expect(try values(row.nick ?? row.name) == ["Äpfel", "birdie", "Z", "", "a\(nul)b", "Ｎ"])
        #expect(try values(row.discount ?? 7) == [7, 0.25, 0, 2.5, 10, -0.5])
        #expect(
            try values(.if(\.count > 0, then: "some", else: "none")) == [
                "some", "none", "some", "none", "some", "none",
            ])
        #expect(try ids((row.sold ?? row.made) == Date(timeIntervalSince1970: 0)) == [2])
    }

    @Test("round, cast and take the sign away as SQLite does")
    func numbers() throws {
        #expect(try values((row.price / 3).rounded(digits: 2)) == [0.17, -1, 1e300 / 3, 0.67, 33.33, 0])
        #expect(try values(row.discount.rounded()) == [nil, 0, 0, 3, 10, -1])
        #expect(try values(row.price.magnitude) == [0.5, 3, 1e300, 2, 100, 0])
        #expect(try values(row.price.cast(to: .integer)) == [0, -3, Int.max, 2, 100, 0])
        #expect(try values(row.price.cast(to: .text)) == ["0.5", "-3.0", "1.0e+300", "2.0", "100.0", "0.0"])
        #expect(try values((row.count % 10).cast(to: .real) / 4) == [0.25, 0, 1.75, -1.75, 0.5, -2])
        for (text, integer, real) in [
            ("12abc", 12, 12.0), (" -3.5e1x", -3, -35), ("x", 0, 0), ("", 0, 0), (".5", 0, 0.5),
        ] {
            #expect(try values(ModelExpression(value: text).cast(to: .integer))[0] == integer)
            #expect(try values(ModelExpression(value: text).cast(to: .real))[0] == real)
        }
    }

    @Test("cast to texts are compared by their bytes, and with texts alone")
    func castTexts() throws {
        let manager = try memoryManager(CastWord.self)
        try manager.insert([CastWord("b", "5"), CastWord("A", "6"), CastWord("a", "7")])
        let (row, words) = (CastWord.row, try manager.fetchAll(CastWord.sorted(by: \.id)))
        let conditions: [(Criteria<CastWord>, [Int64])] = [
            (row.name == "B", [1]), (row.name.cast(to: .text) == "B", []), (row.name.cast(to: .text) == "b", [1]),
            (row.name.cast(to: .text) < "a", [2]), (row.code.cast(to: .text) == 5, []),
            (row.code.cast(to: .text) == "5", [1]), (row.code.cast(to: .integer) == 5, [1]),
        ]
        for (condition, ids) in conditions {
            #expect(try manager.values(CastWord.where(condition).sorted(by: \.id), \.id) == ids)
            #expect(try condition.filter(words).map(\.id) == ids)
        }
        let order = Ordering.ascending(row.name.cast(to: .text))
        #expect(try manager.fetchAll(CastWord.sorted(by: order)).map(\.name) == ["A", "a", "b"])
        #expect(try order.sort(words).map(\.name) == ["A", "a", "b"])
    }

    @Test("throw where the magnitude of an integer is none")
    func overflow() throws {
        #expect(throws: (any Error).self) {
            try manager.values(Article.where(\.id == 6), row.count.magnitude, as: Int.self)
        }
        #expect(failure { try (row.count.magnitude == 1).matches(articles[5]) }?.code == .overflow)
    }

    @Test(
        "tell the parts of a date as Foundation's calendar does", .local(.textAndDateFunctions),
        arguments: [0, 3600, -12_600])
    func dateParts(offset: Int) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: offset))
        var weeks = Calendar(identifier: .iso8601)
        weeks.timeZone = calendar.timeZone
        func expect(_ part: DatePart, _ component: Calendar.Component, _ calendar: Calendar) throws {
            let wanted = articles.map { calendar.component(component, from: $0.made) }
            #expect(try values(row.made.component(part, secondsFromGMT: offset)) == wanted, "\(part)")
        }
        try expect(.year, .year, calendar)
        try expect(.month, .month, calendar)
        try expect(.day, .day, calendar)
        try expect(.hour, .hour, calendar)
        try expect(.minute, .minute, calendar)
        try expect(.second, .second, calendar)
        try expect(.weekday, .weekday, calendar)
        try expect(.week, .weekOfYear, weeks)
        #expect(try values(row.sold.year) == [nil, 1970, nil, nil, nil, nil])
    }

    @Test("take a date back to the start of a unit", .local(.textAndDateFunctions), arguments: DateUnit.allCases)
    func dateStarts(unit: DateUnit) throws {
        var calendar = Calendar(identifier: unit == .week ? .iso8601 : .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 7200))
        func start(_ date: Date) -> Date? {
            let month = calendar.component(.month, from: date)
            let year = calendar.component(.year, from: date)
            switch unit {
            case .quarter: return calendar.date(from: DateComponents(year: year, month: (month - 1) / 3 * 3 + 1))
            case .week: return calendar.dateInterval(of: .weekOfYear, for: date)?.start
            case .year: return calendar.dateInterval(of: .year, for: date)?.start
            case .month: return calendar.dateInterval(of: .month, for: date)?.start
            case .day: return calendar.dateInterval(of: .day, for: date)?.start
            case .hour: return calendar.dateInterval(of: .hour, for: date)?.start
            case .minute: return calendar.dateInterval(of: .minute, for: date)?.start
            }
        }
        #expect(try values(row.made.start(of: unit, secondsFromGMT: 7200)) == articles.map { start($0.made) })
    }

    @Test("are ordered by, in SQL and in memory", .local(.textAndDateFunctions))
    func orderings() throws {
        for ordering: Ordering<Article> in [
            .descending(row.price * row.discount), .ascending(row.name.length, nils: .last),
            "price * discount desc, id",
            "length(name), id desc", "total", .descending(\.total), .ascending(row.nick.lowercased(), by: .localized),
        ] {
            let ordering = Ordering([ordering, .ascending("id")])
            #expect(try manager.fetchAll(Article.sorted(by: ordering)).map(\.id) == ordering.sort(articles).map(\.id))
        }
        #expect(try manager.fetchAll(Article.sorted(by: "price * 2 - count desc")).first?.id == 3)
    }

    @Test("are ordered by with parentheses, commas, quotes and blanks in their texts")
    func textsInOrderings() throws {
        for text in ["(", ")", ",", "), id, (", "`", "\\'", "\"", "\\\\"] {
            let ordering = Ordering<Article>(stringLiteral: "replace(name, '\(text)', '') desc, id")
            let same = Ordering<Article>("name desc, id")
            #expect(try ordering.sort(articles).map(\.id) == same.sort(articles).map(\.id), "\(text)")
        }
        let ordering = Ordering<Article>("length(replace(name, 'Birne', 'x       x')) desc, id")
        #expect(try ordering.sort(articles).first?.id == 2)
        #expect(try manager.fetchAll(Article.sorted(by: ordering)).first?.id == 2)
    }

    @Test("stand in formats", .local(.textAndDateFunctions))
    func formats() throws {
        #expect(try ids(.format("price * count > 1000")) == [3, 5])
        #expect(try ids(.format("lowercase(name) == 'birne'")) == [2])
        #expect(try ids(.format("year(made) == 2024 AND day(made) = 29")) == [1])
        #expect(try ids(.format("coalesce(nick, name) == %@", "Z")) == [3])
        #expect(try ids(.format("round(price / 3, 2) == 33.33 OR substring(name, 2, 3) == 'pfe'")) == [1, 5])
        #expect(try ids(.format("startOfYear(made) == %@", Date(timeIntervalSince1970: 1_704_067_200))) == [1])
        let error = failure { try manager.count(Article.self, where: .format("sqrt(price) > 2")) }
        #expect(error?.message.contains("there is no function sqrt: there are abs, coalesce") == true)
    }

    @Test("are declared by computed properties, whose key paths and names then stand in queries")
    func calculations() throws {
        #expect(try ids(\.total > 1_000) == [3, 5])
        #expect(try ids(["total": 0.5]) == [1])
        #expect(try ids(.format("double >= 2400 AND label BEGINSWITH 'a'")) == [5])
        #expect(try ids(\.label == "Birne!") == [2])
        #expect(try ids(row.total + 1 == 1.5) == [1])
        #expect(try manager.values(Article.where(\.id == 5), row.total, as: Double.self) == [1_200])
    }

    @Test("made of themselves are an error")
    func endless() throws {
        #expect(failure { try manager.count(Article.self, where: .format("endless > 1")) }?.key == "endless")
    }

    @Test("set properties of many rows", .local(.textAndDateFunctions))
    func updates() throws {
        #expect(try manager.update(Article.where(\.id == 1), \.count, to: \.count + 1) == 1)
        #expect(
            try manager.update(
                Article.where(\.id == 2), set: ["name": row.name.uppercased(), "nick": row.name, "count": 4]) == 1)
        #expect(try manager.update(Article.where(\.id == 2), \.sold, to: row.made) == 1)
        #expect(try manager.update(Article.where(\.id == 5), \.price, to: row.price * row.count) == 1)
        let (first, second) = (try manager.find(Article.self, 1), try manager.find(Article.self, 2))
        #expect(first?.count == 2)
        #expect(second?.name == "BIRNE" && second?.nick == "Birne" && second?.count == 4)
        #expect(second?.sold == second?.made)
        #expect(try manager.find(Article.self, 5)?.price == 1_200)
    }

    @Test("that a property can't hold are rejected, and no row is changed")
    func rejectedUpdates() throws {
        for expression in [row.count + 1, row.price * 0.3, row.count * 2] {
            #expect(throws: (any Error).self) { try manager.update(Article.where(\.id > 0), \.count, to: expression) }
        }
        #expect(throws: (any Error).self) { try manager.update(Article.where(\.id > 0), \.small, to: row.small + 200) }
        #expect(failure { try manager.update(Article.where(\.id > 0), \.amount, to: row.amount * 2) }?.key == "amount")
        #expect(failure { try manager.update(Article.where(\.id > 0), \.name, to: row.count + 1) }?.key == "name")
        #expect(failure { try manager.update(Article.where(\.id > 0), \.size, to: row.name) }?.key == "size")
        let other = failure { try manager.update(Article.where(\.id > 0), set: ["count": User.row.id + 1]) }
        #expect(other?.message.contains("an expression of User") == true)
        #expect(try manager.fetchAll(Article.self, sortedBy: "id").map(\.count) == articles.map(\.count))
    }

    @Test("compare with values of other queries")
    func subqueries() throws {
        let some = Article.where(\.count > 0)
        func found(_ criteria: Criteria<Article>) throws -> [Int64?] {
            try manager.fetchAll(Article.self, where: criteria, sortedBy: "id").map(\.id)
        }
        #expect(try found(.in(\.id, some.values(\.id))) == [1, 3, 5])
        #expect(try found(!.in(\.id, some.sorted(by: "id desc").limit(2).values(\.id))) == [1, 2, 4, 6])
        #expect(try found(row.count == .computed(.max(\.count), of: Article.rows)) == [3])
        #expect(try found(row.price > .computed(.average(\.discount), of: some)) == [3, 5])
        #expect(try found(row.least == .computed(.count, of: some.limit(2))) == [1])
        #expect(try found(row.count == .computed(.max(\.count).where(\.nick == nil), of: Article.rows)) == [5])
        #expect(try found(row.nick == .computed(.joined(\.nick), of: Article.where(\.id == 3))) == [3])
        #expect(try found(row.price == .first(of: Article.sorted(by: "price desc").offset(1).values(\.price))) == [5])
        #expect(try found(.exists(some.where(\.id == 2))).isEmpty)
        #expect(try found(.exists(some, where: \.id, equals: \.id)) == [1, 3, 5])
        #expect(try found(.exists(some.sorted(by: "id").limit(1), where: \.id, equals: \.id)) == [1])
        #expect(
            failure { try Criteria<Article>.in(\.id, some.values(\.id)).filter(articles) }?.code == .invalidCriteria)
        #expect(
            failure { try found(.in(\.id, some.values(\.id)) && row.name == .first(of: some.values(\.count))) } != nil)
    }

    @Test("compare with an exact sum of another query's Decimals", .local(.connection))
    func exactSubquery() throws {
        try manager.updateAll(Article.self, set: ["amount": Decimal(string: "0.1")])
        let sum = ModelExpression<Article>.computed(.sum(\.amount), of: Article.where(\.id <= 3))
        #expect(try manager.count(Article.self, where: sum == Decimal(string: "0.3")) == 6)
    }

    @Test("join the rows of two queries")
    func union() throws {
        let union = Article.where(\.count > 0).sorted(by: "id desc").limit(1).union(Article.where(\.nick == nil))
        #expect(try manager.fetchAll(union).map(\.id) == [5, 1])
        #expect(try manager.fetchAll(Article.where(\.id == 1).union(Article.where(\.id == 4))).map(\.id) == [1, 4])
        #expect(try manager.count(union.limit(1)) == 1)
    }

    @Test("name the property that has the wrong kind")
    func mistakes() throws {
        let mistakes: [(Criteria<Article>, String)] = [
            (row.name * 2 > 1, "name"), (row.count.year == 1, "count"), (row.data.lowercased() == "", "data"),
            (row["nme"] == 1, "nme"), (row.data.cast(to: .text) == "", "data"),
        ]
        for (criteria, key) in mistakes {
            let error = failure { try manager.count(Article.self, where: criteria) }
            #expect(error?.key == key, "\(String(describing: error))")
            #expect(failure { try criteria.matches(articles[0]) }?.key == key)
        }
        #expect(failure { try manager.count(Article.self, where: row.count.cast(to: .blob) == 1) } != nil)
    }

    @Test("made too deep by a loop are an error")
    func deep() throws {
        var sum: ModelExpression<Article> = 0
        for _ in 0..<100_000 { sum = sum + 1 }
        #expect(failure { try manager.count(Article.self, where: sum == 1) }?.code == .invalidCriteria)
    }

    @Test("set and are read while the task is suspended", .local(.textAndDateFunctions))
    func asynchronous() async throws {
        #expect(try await manager.update(Article.where(\.id == 1), \.count, to: row.count + 5) == 1)
        #expect(try await manager.values(Article.where(\.id == 1), row.count, as: Int.self) == [6])
        await #expect(throws: (any Error).self) {
            try await manager.update(Article.where(\.id > 0), \.count, to: \.price * 0.3)
        }
    }

    @Test("are read as the type that is asked for, or an error", .local(.textAndDateFunctions))
    func reading() throws {
        #expect(try manager.values(Article.where(\.id == 1), row.count * 2, as: Int.self) == [2])
        #expect(try manager.values(Article.sorted(by: "id"), row.least % 2, as: Int.self, distinct: true).count == 4)
        #expect(try manager.values(Article.where(\.id == 4), row.made.start(of: .year), as: Date.self).count == 1)
        let error = failure { try manager.values(Article.where(\.id == 1), row.price, as: Int.self) }
        #expect(error?.code == .typeMismatch)
    }

    @Test("stand as SQL in SQL")
    func sql() throws {
        let query = try Article.where(row.price * 2 > 3).selectStatement()
        let count = try manager.dictionaries("SELECT count(*) AS n FROM (\(sql: query))").first?["n"]
        #expect(count == 3)
        #expect(query.sql.contains("WHERE (PRICE * ?) > ?"))
    }
}

extension String {
    /// What SQLite counts of a text.
    fileprivate var prefixToNUL: String { String(String.UnicodeScalarView(unicodeScalars.prefix { $0.value != 0 })) }
}
