import Foundation
import Persisting
import Testing

/// A subclass with the relations of its superclass.
private enum Shelf {
    final class Place: PersistingModel {
        var id: Int64?
        var name = ""
        static let items = ToMany(inverse: Item.place)
        override class var relations: Relations { ["items": items] }
    }

    final class Tag: PersistingModel {
        var id: Int64?
        var name = ""
        var itemID: Int64?
        static let item = ToOne(\Tag.itemID, Item.self, onDelete: .setNull)
        override class var relations: Relations { ["item": item] }
    }

    class Item: PersistingModel {
        var id: Int64?
        var title = ""
        var placeID: Int64?
        static let place = ToOne(\Item.placeID, Place.self)
        static let tags = ToMany(inverse: Tag.item)
        override class var relations: Relations { ["place": place, "tags": tags] }
        override class var subclasses: [PersistingModel.Type] { [Book.self] }
    }

    final class Book: Item {
        var pages = 0
    }
}

// F123, F124
@Suite("Relations that a superclass declares")
struct InheritedRelationTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Shelf.Place.self, Shelf.Item.self, Shelf.Tag.self)
        let place = Shelf.Place()
        place.name = "attic"
        try manager.save(place)
        for pages in 1...3 {
            let book = Shelf.Book()
            book.pages = pages
            if pages > 1 { try book.set(Shelf.Book.place, to: place) }
            try manager.save(book)
            let tag = Shelf.Tag()
            tag.name = "t\(pages)"
            try book.add(tag, to: Shelf.Book.tags)
        }
    }

    @Test("A subclass's query loads them ahead") func ahead() throws {
        manager.relationLoading = .strict
        let query = Shelf.Book.with(Shelf.Book.place, Shelf.Book.tags, Shelf.Book.tags.count).sorted(by: \.pages)
        let books = try manager.fetchAll(query)
        #expect(try books.map { try $0.related(Shelf.Book.place)?.name } == [nil, "attic", "attic"])
        #expect(try books.map { try $0.related(Shelf.Book.tags).map(\.name) } == [["t1"], ["t2"], ["t3"]])
        #expect(try books.map { try $0.related(Shelf.Book.tags.count) } == [1, 1, 1])
        #expect(try books[0].isLoaded(Shelf.Book.tags))
        try books[0].forgetRelated(Shelf.Book.tags)
        #expect(try !books[0].isLoaded(Shelf.Book.tags))
    }

    @Test("A subclass's objects have the rows that they lead to") func rows() throws {
        let book = try #require(try manager.fetchOne(Shelf.Book.where(\.pages == 2)))
        #expect(try manager.values(book.rows(Shelf.Book.place), \.name) == ["attic"])
        #expect(try manager.values(book.rows(Shelf.Book.tags), \.name) == ["t2"])
        let place = try #require(try manager.fetchOne(Shelf.Place.self))
        #expect(try manager.count(place.rows(Shelf.Place.items)) == 2)
    }

    @Test("They load while a task is suspended") func suspended() async throws {
        let book = try #require(try await manager.fetchOne(Shelf.Book.where(\.pages == 2)))
        #expect(try await book.related(Shelf.Book.place)?.name == "attic")
        #expect(try await book.related(Shelf.Book.tags).map(\.name) == ["t2"])
        #expect(try await book.related(Shelf.Book.tags.count) == 1)
    }

    @Test("A subclass's conditions and orders take them") func conditions() throws {
        let attic = Shelf.Book.where(\.pages > 0 && Shelf.Book.place.matches(\.name == "attic"))
        #expect(try manager.count(attic) == 2)
        #expect(try manager.count(Shelf.Book.where(Shelf.Book.tags.contains(\.name == "t1"))) == 1)
        let ordered = Shelf.Book.sorted(by: [.descending(Shelf.Book.place[\.name]), .descending(\.pages)])
        #expect(try manager.fetchAll(ordered).map(\.pages) == [3, 2, 1])
        #expect(try manager.fetchAll(Shelf.Tag.with(Shelf.Tag.item.with(Shelf.Item.place))).count == 3)
    }

    @Test("A subclass's objects change them") func writes() throws {
        let book = try #require(try manager.fetchOne(Shelf.Book.where(\.pages == 1)))
        let tag = try #require(try book.related(Shelf.Book.tags).first)
        try book.remove(tag, from: Shelf.Book.tags)
        #expect(try book.related(Shelf.Book.tags).isEmpty)
        try book.replace(Shelf.Book.tags, with: [tag])
        #expect(try book.related(Shelf.Book.tags).map(\.name) == ["t1"])
    }

    @Test("A relation of another class throws by name") func otherClass() throws {
        let with = failure { try manager.fetchAll(Shelf.Book.with(Shelf.Tag.item)) }
        #expect(with?.code == .invalidRelation && with?.message.contains("is one of Tag, and this is Book") == true)
        let condition = failure { try manager.fetchAll(Shelf.Book.where(Shelf.Tag.item.matches(\.title == ""))) }
        #expect(condition?.code == .invalidRelation)
        let book = try #require(try manager.fetchOne(Shelf.Book.self))
        #expect(failure { try book.isLoaded(Shelf.Tag.item) }?.code == .invalidRelation)
        #expect(failure { try manager.fetchAll(book.rows(Shelf.Tag.item)) }?.code == .invalidRelation)
    }
}
