import Foundation
import Persisting
import Testing

/// What a search finds, in the order of rank, in parts and inside other queries.
@Suite("Rank of a search") struct FullTextRankTests {
    private func manager(_ count: Int) throws -> PersistenceManager {
        let manager = try memoryManager(MemoFolder.self, Memo.self, Card.self)
        // Many rows fit equally well.
        try manager.insert((0..<count).map { Memo("\($0)", String(repeating: "wind ", count: 1 + $0 % 3)) })
        try manager.insert((0..<count).map { Card("\($0)", String(repeating: "wind ", count: 1 + $0 % 3)) })
        return manager
    }

    @Test("orders pages, in both directions, also where many rows fit equally well", .local(.connection))
    func pages() throws {
        func expectPages<Model: PersistingModel>(_ query: Query<Model>, _ key: (Model) -> String) throws {
            let all = try manager.fetchAll(query).map(key)
            var (pages, last): ([[Model]], Model?) = ([], nil)
            repeat {
                let page = try manager.fetchPage(query, after: last, limit: 4)
                if page.isEmpty { break }
                (pages, last) = (pages + [page], page.last)
            } while true
            #expect(Set(pages.joined().map(key)) == Set(all) && pages.joined().count == all.count)
            let ranks = try manager.hits(query).reduce(into: [:]) { $0[key($1.object)] = $1.rank }
            let found = pages.joined().compactMap { ranks[key($0)] }
            #expect(found == found.sorted())
            for (page, next) in zip(pages, pages.dropFirst()) {
                #expect(try manager.fetchPage(query, before: next.first, limit: 4).map(key) == page.map(key))
            }
            let (first, third) = (try #require(pages.first?.last), try #require(pages.dropFirst(2).first?.first))
            #expect(
                try manager.fetchPage(query, after: first, before: third, limit: 9).map(key) == pages[1].map(key))
        }
        let manager = try manager(21)
        try expectPages(Memo.where(Memo.text.matches("wind")).sorted(by: Memo.text.rank)) { $0.title }
        try expectPages(Memo.where(Memo.text.matches("wi") && \.title != "7").sorted(by: Memo.text.rank)) { $0.title }
        try expectPages(Card.where(Card.text.matches("wind")).sorted(by: Card.text.rank)) { $0.name }
    }

    @Test("of pages is that of now, after rows have come and gone") func pagesAfterChanges() throws {
        let manager = try manager(6)
        let query = Memo.where(Memo.text.matches("wind")).sorted(by: Memo.text.rank)
        let first = try manager.fetchPage(query, limit: 2)
        try manager.insert(Memo("best", "wind wind wind wind wind"))
        try manager.delete(Memo.where(\.title == "0"))
        let second = try manager.fetchPage(query, after: first.last, limit: 10)
        #expect(!second.map(\.title).contains("best"))
        #expect(Set(second.map(\.title)).isDisjoint(with: first.map(\.title)))
        let last = try #require(first.last)
        last.body = "calm"
        try manager.save(last)
        let error = failure { try manager.fetchPage(query, after: last, limit: 2) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("no longer") == true)
        try manager.delete(last)
        #expect(failure { try manager.fetchPage(query, after: last, limit: 2) }?.code == .notFound)
    }

    @Test("orders related objects and their parts") func related() throws {
        let manager = try manager(9)
        let folder = MemoFolder()
        try manager.insert(folder)
        try manager.updateAll(Memo.self, set: ["folderID": folder.id])
        let search = MemoFolder.memos.where(Memo.text.matches("wind") && \.title != "2").sorted(by: Memo.text.rank)
        #expect(try Set(folder.related(search).prefix(2).map(\.title)) == ["5", "8"])
        #expect(try folder.related(search).count == 8)
        let best = search.limit(2)
        let found = try manager.fetchAll(MemoFolder.with(best))
        #expect(try Set(found[0].related(best).map(\.title)) == ["5", "8"])
        #expect(try manager.fetchAll(folder.rows(search)).count == 8)
        #expect(
            failure { try folder.related(MemoFolder.memos.sorted(by: Memo.text.rank)) }?.code == .invalidOrdering)
    }

    @Test("orders the rows of subqueries") func subqueries() throws {
        let manager = try manager(9)
        let best = Memo.where(Memo.text.matches("wind")).sorted(by: Memo.text.rank).limit(3)
        let found = try manager.fetchAll(Card.where(ModelExpression(\Card.name).isIn(best.values(\.title))))
        #expect(Set(found.map(\.name)) == ["2", "5", "8"])
        let cards = Card.where(Card.text.matches("wind")).sorted(by: Card.text.rank).limit(3)
        let memos = try manager.fetchAll(Memo.where(ModelExpression(\Memo.title).isIn(cards.values(\.name))))
        #expect(Set(memos.map(\.title)) == ["2", "5", "8"])
    }

    @Test("is of one index alone") func twoIndexes() throws {
        let manager = try memoryManager(TwoTexts.self)
        try manager.insert(TwoTexts.self, values: ["one": "a a", "two": "a"])
        try manager.insert(TwoTexts.self, values: ["one": "a", "two": "a a"])
        let query = TwoTexts.where(TwoTexts.first.matches("a") && TwoTexts.second.matches("a"))
        #expect(try manager.fetchAll(query.sorted(by: TwoTexts.first.rank)).map(\.one) == ["a a", "a"])
        #expect(try manager.fetchAll(query.sorted(by: TwoTexts.second.rank)).map(\.one) == ["a", "a a"])
        let both = Ordering([TwoTexts.second.rank, TwoTexts.first.rank])
        #expect(try manager.fetchAll(query.sorted(by: both)).map(\.one) == ["a", "a a"])
        #expect(
            failure { try manager.fetchPage(query.sorted(by: both), limit: 1) }?.code == .invalidOrdering)
    }
}

private final class Card: PersistingModel {
    var name = ""
    var words = ""

    convenience init(_ name: String, _ words: String) {
        self.init()
        (self.name, self.words) = (name, words)
    }

    static let text = FullTextIndex(\Card.words, \Card.name)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
    override class var primaryKey: PrimaryKey { .assigned("name") }
}

private final class TwoTexts: PersistingModel {
    var id: Int64?
    var one = "", two = ""

    static let first = FullTextIndex(\TwoTexts.one)
    static let second = FullTextIndex(\TwoTexts.two)
    override class var fullTextIndexes: FullTextIndexes { ["first": first, "second": second] }
}
