import Foundation
import Persisting
import Testing

/// Classes whose values are compared otherwise than by their bytes.
private enum Library {
    enum Genre: String, SQLiteValueConvertible { case prose, verse }

    final class Author: PersistingModel {
        var code = ""
        var title = ""
        var born: Date?
        var fee = Decimal(0)
        static let books = ToMany(inverse: Book.author)
        override class var relations: Relations { ["books": books] }
        override class var primaryKey: PrimaryKey { .assigned("code") }
        override class var columns: Columns {
            var columns = super.columns
            columns["CODE"] = .string.collate(.nocase)
            columns["TITLE"] = .string.collate(.nocase)
            return columns
        }
    }

    class Book: PersistingModel {
        var id: Int64?
        var name = ""
        var authorCode: String?
        var printed: Date?
        var price = Decimal(0)
        var genre = Genre.prose
        var flags = 0
        var weight = 0.0
        static let author = ToOne(\Book.authorCode, Author.self)
        override class var relations: Relations { ["author": author] }
        override class var bitFields: [BitField] { [BitField("isLoved", in: "flags", mask: 4)] }
    }

    final class Novel: Book {
        var pages = 0
    }
}

@Suite("Related rows and how values are stored")
struct RelatedStorageTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Library.Author.self, Library.Book.self, Library.Novel.self)
        let author = { (code: String, title: String, fee: String) in
            let author = Library.Author()
            (author.code, author.title, author.fee) = (code, title, Decimal(string: fee) ?? 0)
            return author
        }
        try manager.insert([author("Ann", "Dr", "10.5"), author("Bob", "mr", "9.25"), author("Cy", "MR", "0")])
        let book = { (name: String, code: String?, price: String, flags: Int) in
            let book = Library.Book()
            (book.name, book.authorCode, book.price, book.flags) = (name, code, Decimal(string: price) ?? 0, flags)
            return book
        }
        try manager.insert([
            book("a", "ann", "9.5", 4), book("b", "Ann", "10", 1), book("c", "BOB", "10", 6), book("d", nil, "1", 0),
        ])
    }

    /// What SQL finds, which is what is found in memory.
    private func found<Model: PersistingModel>(_ criteria: Criteria<Model>) throws -> [Model] {
        let rows = try manager.fetchAll(Query(Model.self).where(criteria))
        let objects = try criteria.filter(manager.fetchAll(Query(Model.self)))
        #expect(rows.count == objects.count && zip(rows, objects).allSatisfy { $0.isSameRow(as: $1) })
        return rows
    }

    private func books(_ criteria: Criteria<Library.Book>) throws -> [String] {
        try found(criteria).sorted { $0.id ?? 0 < $1.id ?? 0 }.map(\.name)
    }

    private func authors(_ criteria: Criteria<Library.Author>) throws -> [String] {
        try found(criteria).map(\.code).sorted()
    }

    @Test("Keys are compared by the collation of the parent's column, as foreign keys are")
    func collationOfKeys() throws {
        #expect(try books(Library.Book.author.matches(.all)) == ["a", "b", "c"])
        #expect(try authors(Library.Author.books.count == 2) == ["Ann"])
        #expect(try authors(Library.Author.books.contains(\.name == "c")) == ["Bob"])
        #expect(try authors(Library.Author.books.isEmpty) == ["Cy"])
        #expect(try books(["author.title": nil]) == ["d"])
        for author in try manager.fetchAll(Library.Author.self) {
            let related = try author.related(Library.Author.books).map(\.name)
            #expect(try manager.fetchAll(author.rows(Library.Author.books)).map(\.name) == related)
        }
    }

    @Test("Texts are compared and ordered by their column's collation")
    func collationOfTexts() throws {
        #expect(try books(Library.Book.author[\.title] == "MR") == ["c"])
        #expect(try books(.format("author.title == 'dr'")) == ["a", "b"])
        #expect(try books(.format("author.title != author.code AND author.title > 'E'")) == ["c"])
        let byTitle = Library.Author.sorted(by: ["books.@min.name desc", "title", "code"])
        #expect(try manager.fetchAll(byTitle).map(\.code) == ["Bob", "Ann", "Cy"])
        let ordered = Library.Book.sorted(by: ["author.title desc", .ascending(\.id)])
        #expect(try manager.fetchAll(ordered).map(\.name) == ["c", "a", "b", "d"])
    }

    @Test("Decimals are compared as numbers, and ordered as such", .local(.decimals))
    func decimals() throws {
        #expect(try books(Library.Book.author[\.fee] > 9.5) == ["a", "b"])
        #expect(try books(.format("price < author.fee")) == ["a", "b"])
        #expect(try authors(Library.Author.books.max(\.price) == 10) == ["Ann", "Bob"])
        #expect(try authors(Library.Author.books.min(\.price) < 9.75) == ["Ann"])
        #expect(try authors(Library.Author.books.sum(\.price) == 19.5) == ["Ann"])
        let byFee = Library.Book.sorted(by: ["author.fee", "id"])
        #expect(try manager.fetchAll(byFee).map(\.name) == ["d", "c", "a", "b"])
    }

    @Test("Enums and bit fields have their stored form")
    func forms() throws {
        #expect(try authors(Library.Author.books.min(\.genre) == .prose) == ["Ann", "Bob"])
        #expect(try authors(Library.Author.books.contains(\.genre == .verse)) == [])
        #expect(try authors(.format("ANY books.isLoved == TRUE")) == ["Ann", "Bob"])
        #expect(try authors(.format("ALL books.isLoved == TRUE")) == ["Bob", "Cy"])
    }

    @Test("A quotient is that of the properties' types")
    func quotients() throws {
        try manager.execute("UPDATE BOOK SET WEIGHT = 3 WHERE NAME = 'c'")
        #expect(try authors(.format("books.@max.weight / 2 == 1.5")) == ["Bob"])
        #expect(try authors(.format("books.@count / 2 == 1")) == ["Ann"])
    }

    @Test("A subclass has its superclass's relations, from its own table")
    func subclass() throws {
        let novel = Library.Novel()
        (novel.name, novel.authorCode, novel.pages) = ("n", "cy", 7)
        try manager.insert(novel)
        let criteria: Criteria<Library.Novel> = ["author.title": "mr", "pages": 7]
        #expect(try manager.fetchAll(Library.Novel.self, where: criteria).map(\.name) == ["n"])
        #expect(
            try Library.Novel.where(.format("author.title == nil")).selectStatement().sql.hasSuffix(
                "WHERE (SELECT TITLE FROM AUTHOR WHERE AUTHOR.CODE = NOVEL.AUTHOR_CODE) IS NULL"))
        #expect(try authors(Library.Author.books.count == 0) == ["Cy"])
    }

    @Test("A condition on a superclass holds for a subclass")
    func superclass() throws {
        let novel = Library.Novel()
        novel.authorCode = "cy"
        try manager.insert(novel)
        let criteria = try Criteria<Library.Novel>(Library.Book.author.matches(\.title == "mr"))
        #expect(try manager.count(Library.Novel.self, where: criteria) == 1)
        #expect(failure { try Criteria<Library.Author>(\Library.Book.name == "a") }?.code == .invalidCriteria)
    }

    @Test("A related class in its superclass's table has the rows of its kind")
    func hierarchy() throws {
        let manager = try Gallery.manager()
        try manager.createTableIfNecessary(for: Gallery.Comment.self)
        try manager.insert(
            ([2, 3, 4, nil] as [Int64?]).map { key in
                let comment = Gallery.Comment()
                comment.photoID = key
                return comment
            })
        let comments = try manager.fetchAll(Gallery.Comment.self)
        for (criteria, found) in [
            (Gallery.Comment.photo.matches(.all), [1, 2]), (Gallery.Comment.photo.matches(\.width > 30), [2]),
            (["photo.title": nil], [3, 4]), (.format("photo.width + 0 < 35"), [1]),
        ] as [(Criteria<Gallery.Comment>, [Int64])] {
            #expect(try manager.fetchAll(Gallery.Comment.self, where: criteria, sortedBy: "id").map(\.id) == found)
            #expect(try criteria.filter(comments).map(\.id) == found)
        }
    }

    @Test("Dates of related rows are found in whatever form they are stored", .local(.declaredDates))
    func dates() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE AUTHOR (CODE TEXT PRIMARY KEY COLLATE NOCASE, TITLE TEXT, BORN, FEE TEXT);
                CREATE TABLE BOOK (ID INTEGER PRIMARY KEY, NAME TEXT, AUTHOR_CODE TEXT, PRINTED DATETIME, PRICE TEXT,
                    GENRE TEXT, FLAGS INTEGER, WEIGHT REAL);
                CREATE INDEX BOOK_PRINTED ON BOOK (PRINTED);
                INSERT INTO AUTHOR VALUES ('Ann', '', '1970-01-02', '0'), ('Bob', '', 86399, '0'),
                    ('Zoe', '', 1700000000, '0');
                INSERT INTO BOOK VALUES (1, 'a', 'Ann', '1970-01-03', '0', 'prose', 0, 0),
                    (2, 'b', 'Ann', 0, '0', 'prose', 0, 0),
                    (3, 'c', 'Bob', '1970-01-01 10:00:00', '0', 'prose', 0, 0);
                """)
        func date(_ days: Double) -> Date { Date(timeIntervalSince1970: days * 86400) }
        func authors(_ criteria: Criteria<Library.Author>) throws -> [String] {
            try manager.fetchAll(Library.Author.self, where: criteria, sortedBy: "code").map(\.code)
        }
        func books(_ criteria: Criteria<Library.Book>) throws -> [String] {
            try manager.fetchAll(Library.Book.self, where: criteria, sortedBy: "id").map(\.name)
        }
        #expect(try books(Library.Book.author.matches(\.born == date(1))) == ["a", "b"])
        #expect(try books(.format("author.born > printed")) == ["b", "c"])
        #expect(try authors(Library.Author.books.contains(\.printed > date(1))) == ["Ann"])
        #expect(try authors(Library.Author.books.max(\.printed) == date(2)) == ["Ann"])
        #expect(try authors(Library.Author.books.min(\.printed) > date(0)) == ["Bob"])
        let byBirth = Library.Book.sorted(by: ["author.born desc", "id desc"])
        #expect(try manager.fetchAll(byBirth).map(\.name) == ["b", "a", "c"])
        let inTransaction = try manager.transaction {
            try authors(Library.Author.books.contains(\.printed == date(2)))
        }
        #expect(inTransaction == ["Ann"])
    }

    @Test("A related table that is missing, or lacks a column, is an error and not an answer")
    func missing() throws {
        try manager.execute("ALTER TABLE BOOK RENAME COLUMN NAME TO TITLE")
        let criteria: Criteria<Library.Author> = Library.Author.books.contains(\.name == "a")
        let error = failure { try authors(criteria) }
        #expect(error?.code == .missingColumn)
        #expect(error?.model == "Book")
        try manager.execute("DROP TABLE BOOK")
        #expect(failure { try authors(criteria) }?.code == .noTable)
    }

    @Test("Rows are found by indexes, from the side that a condition names", .local(.connection))
    func plans() throws {
        let manager = try podManager()
        func plan<Model: PersistingModel>(_ criteria: Criteria<Model>) throws -> String {
            let sql = try Query(Model.self).where(criteria).selectStatement()
            return try manager.database.read { db in try db.queryPlan(of: sql).description }
        }
        let toOne = try plan(Pod.Episode.show.matches(\.title == "News"))
        #expect(toOne.contains("SEARCH EPISODE USING INDEX"), "\(toOne)")
        let toMany = try plan(Pod.Show.episodes.count > 3)
        #expect(toMany.contains("SEARCH EPISODE USING COVERING INDEX"), "\(toMany)")
    }
}

@Suite("Related rows that are observed")
struct RelatedObservationTests {
    // F120, F123
    @Test("A change of a related row wakes who asked for it", .local(.connection), .timeLimit(.minutes(20)))
    func wakes() async throws {
        let manager = try podcasts()
        let empty = Pod.Show.where(Pod.Show.episodes.isEmpty)
        var counts = manager.observe { try $0.count(empty) }.makeAsyncIterator()
        #expect(try await counts.next() == 1)
        try await manager.save(Pod.Episode("Late", 5, showID: 3))
        #expect(try await counts.next() == 0)
    }
}
