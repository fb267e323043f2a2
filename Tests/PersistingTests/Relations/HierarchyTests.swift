import Foundation
import Persisting
import Testing

@Suite("Classes in one table", .onBothEngines)
struct HierarchyTests {
    // F124
    private typealias Attachment = Gallery.Attachment
    private typealias Photo = Gallery.Photo
    private typealias Panorama = Gallery.Panorama
    private typealias Clip = Gallery.Clip

    private let manager: PersistenceManager

    init() throws { manager = try Gallery.manager() }

    @Test("A fetch of the base class makes each row an object of its own class")
    func baseFetch() throws {
        let all = try manager.fetchAll(Attachment.self, sortedBy: "id")
        #expect(all.map { "\(type(of: $0))" } == ["Attachment", "Photo", "Panorama", "Clip"])
        #expect((all[1] as? Photo)?.width == 30)
        #expect((all[2] as? Panorama)?.angle == 180)
        #expect((all[3] as? Clip)?.seconds == 2.5)
    }

    @Test("A fetch of a subclass reads its rows and those of the classes that inherit from it")
    func subclassFetch() throws {
        #expect(try manager.fetchAll(Photo.self, sortedBy: "id").map { "\(type(of: $0))" } == ["Photo", "Panorama"])
        #expect(try manager.fetchAll(Clip.self).map(\.title) == ["C"])
    }

    @Test("Columns of a subclass are NULL in the rows of others")
    func otherRows() throws {
        #expect(try manager.storedColumn("SELECT WIDTH FROM ATTACHMENT ORDER BY ID") == [.null, 30, 40, .null])
        let kinds = try manager.storedColumn("SELECT KIND FROM ATTACHMENT ORDER BY ID")
        #expect(kinds == ["Attachment", "Photo", "Panorama", "Clip"])
    }

    @Test("More rows than one allocation tracks become objects of their classes")
    func manyRows() throws {
        try manager.insert((0..<200).map { $0 % 2 == 0 ? Photo("x", width: $0) : Clip("x", seconds: Double($0)) })
        let found = try manager.fetchAll(Attachment.self, where: \.title == "x", sortedBy: "id")
        #expect(found.compactMap { ($0 as? Photo)?.width } == Array(stride(from: 0, to: 200, by: 2)))
        #expect(found.compactMap { ($0 as? Clip)?.seconds } == stride(from: 1, to: 200, by: 2).map(Double.init))
    }

    @Test("An object fetched by the base class is saved by its own", arguments: [true, false])
    func saveThroughBase(tracked: Bool) throws {
        let found = try manager.fetchAll(Attachment.self, where: \.title == "Q", tracked: tracked)
        let photo = try #require(found.first as? Panorama)
        (photo.title, photo.width, photo.angle) = ("R", 50, 90)
        try manager.save(photo)
        let again = try manager.find(Panorama.self, 3)
        #expect(again?.title == "R" && again?.width == 50 && again?.angle == 90)
    }

    @Test("A key of another class finds nothing, and one of a subclass an object of it")
    func find() throws {
        #expect(try manager.find(Photo.self, 4) == nil)
        #expect(try manager.find(Photo.self, 3) is Panorama)
        #expect(try manager.find(Attachment.self, 4) is Clip)
        #expect(try manager.find(Photo.self, keys: [4, 3, 2]).map(\.title) == ["Q", "P"])
        #expect(try manager.find(Attachment.self, keys: [4, 3]).map { "\(type(of: $0))" } == ["Clip", "Panorama"])
    }

    @Test("A union is of queries of one class")
    func union() throws {
        let all = Query<Attachment>(Attachment.self).where(\.title == "A")
        let photos = Query<Attachment>(Photo.self)
        for union in [all.union(photos), photos.union(all), all.union(photos.limit(1))] {
            let error = failure { try manager.count(union) }
            #expect(error?.code == .invalidCriteria)
            #expect(error?.message.contains("of one class") == true)
        }
        #expect(try manager.count(photos.where(\.title == "P").union(photos.where(\.title == "Q"))) == 2)
    }

    @Test("Conditions, counts and aggregates are of the class's rows")
    func conditions() throws {
        #expect(try manager.count(Attachment.self) == 4)
        #expect(try manager.count(Photo.self) == 2)
        #expect(try manager.count(Photo.self, where: \.width > 35 || \.title == "C") == 1)
        #expect(try !manager.exists(Clip.self, where: \.title == "P"))
        #expect(try manager.sum(Photo.rows, \.width) == 70)
        #expect(try manager.values(Query(Photo.self).sorted(by: \.id), \.title) == ["P", "Q"])
    }

    @Test("A write of a subclass's rows leaves the others alone")
    func writes() throws {
        #expect(try manager.update(Photo.where(\.id > 0), set: ["title": "T"]) == 2)
        #expect(try manager.updateAll(Clip.self, set: ["title": "U"]) == 1)
        #expect(try manager.storedColumn("SELECT TITLE FROM ATTACHMENT ORDER BY ID") == ["A", "T", "T", "U"])
        #expect(try manager.delete(Photo.where(\.width == 30)) == 1)
        #expect(try manager.deleteAll(Photo.self) == 1)
        #expect(try manager.fetchAll(Attachment.self, sortedBy: "id").map(\.title) == ["A", "U"])
    }

    @Test("A write without a condition is rejected, though the class is a part of the table")
    func missingCondition() throws {
        #expect(failure { try manager.delete(Query(Photo.self)) }?.code == .missingCondition)
    }

    @Test("Batches of any classes insert, save and delete each object by its own")
    func batches() throws {
        let all = try manager.fetchAll(Attachment.self)
        for object in all { object.title += "!" }
        try manager.save(all)
        #expect(try manager.fetchAll(Photo.self, sortedBy: "id").map(\.title) == ["P!", "Q!"])
        try manager.delete(all)
        #expect(try manager.count(Attachment.self) == 0)
    }

    @Test("Streams and pages make each row an object of its own class")
    func streams() throws {
        var classes: [String] = []
        try manager.forEach(Query(Attachment.self)) { classes.append("\(type(of: $0))") }
        #expect(classes == ["Attachment", "Photo", "Panorama", "Clip"])
        var photos: [String] = []
        try manager.forEach(Query(Photo.self)) { photos.append($0.title) }
        #expect(photos == ["P", "Q"])
        var sorted: [String] = []
        try manager.forEach(Photo.sorted(by: \.width, .descending)) { sorted.append("\(type(of: $0))") }
        #expect(sorted == ["Panorama", "Photo"])
        let first = try manager.fetchPage(Query(Attachment.self), limit: 3)
        let next = try manager.fetchPage(Query(Attachment.self), after: first.last, limit: 3)
        #expect(next.map { "\(type(of: $0))" } == ["Clip"])
    }

    @Test("Sections hold objects of the classes")
    func sections() throws {
        let sections = try manager.sections(Query(Attachment.self).sorted(by: \.title), by: \.title)
        #expect(sections.map { "\(type(of: $0.objects[0]))" } == ["Attachment", "Clip", "Photo", "Panorama"])
    }

    @Test("An object is refreshed by its own class")
    func refresh() throws {
        let found = try manager.find(Attachment.self, 2)
        let photo = try #require(found as? Photo)
        try manager.run("UPDATE ATTACHMENT SET WIDTH = 31 WHERE ID = 2")
        try manager.refresh(photo)
        #expect(photo.width == 31)
    }

    @Test("A row that has become one of another class is none of the object's", arguments: ["Photo", "Clip"])
    func changedKind(kind: String) throws {
        let attachment = try #require(try manager.find(Attachment.self, 1))
        let photo = try #require(try manager.find(Photo.self, 2))
        try manager.run(
            "UPDATE ATTACHMENT SET KIND = '\(kind == "Clip" ? "Clip" : "Panorama")', WIDTH = 1, ANGLE = 1, SECONDS = 1")
        #expect(failure { try manager.refresh(attachment) }?.code == .notFound)
        #expect(failure { try manager.refresh(photo) }?.code == .notFound)
        #expect(failure { try manager.merge(photo) }?.code == .notFound)
    }

    @Test("A row that has become one of another class isn't written by the object, alone or among others")
    func writeOfChangedKind() throws {
        let photos = (0..<40).map { Photo("\($0)", width: $0) }
        try manager.insert(photos)
        let (changed, gone) = (photos[20], try #require(try manager.find(Photo.self, 2)))
        try manager.run("UPDATE ATTACHMENT SET KIND = 'Panorama', ANGLE = 1 WHERE ID = 2 OR ID = \(changed.id ?? 0)")
        for photo in photos + [gone] { photo.title = "new" }
        #expect(failure { try manager.save(gone) }?.code == .notFound)
        #expect(failure { try manager.update(gone) }?.code == .notFound)
        #expect(failure { try manager.save(photos) }?.rowKey == ["id": .integer(changed.id ?? 0)])
        #expect(try !manager.delete(gone))
        #expect(try manager.delete(photos) == 39)
        #expect(try manager.fetchAll(Attachment.self, sortedBy: "id").map(\.id) == [1, 2, 3, 4, changed.id])
        #expect(try manager.count(Attachment.where(\.title == "new")) == 0)
    }

    @Test("A row that the base class's object was of isn't written once a subclass has it") func writeByBase() throws {
        let attachment = try #require(try manager.find(Attachment.self, 1))
        try manager.run("UPDATE ATTACHMENT SET KIND = 'Clip', SECONDS = 1 WHERE ID = 1")
        attachment.title = "new"
        #expect(
            failure { try manager.save(attachment) }?.message.hasSuffix("or has become one of another class") == true)
        #expect(try !manager.delete(attachment))
        #expect(try manager.find(Clip.self, 1) != nil)
    }

    @Test("An upsert marks a new row, and doesn't change the class of an existing one")
    func upsert() throws {
        let new = Photo("N", width: 5)
        try manager.upsert(new)
        #expect(try manager.find(Attachment.self, new.id) is Photo)
        let same = Photo("S", width: 6)
        same.id = new.id
        try manager.upsert(same)
        #expect(try manager.find(Photo.self, new.id)?.width == 6)
        let other = Clip("O", seconds: 1)
        other.id = new.id
        let error = failure { try manager.upsert(other) }
        #expect(error?.code == .notInserted)
        #expect(error?.message.hasPrefix("the row was ignored: the existing row is of another class") == true)
    }

    @Test("Raw SQL makes objects of the kinds, and says what it lacks")
    func rawSQL() throws {
        let all = try manager.fetchAll(Attachment.self, sql: "SELECT * FROM ATTACHMENT ORDER BY ID")
        #expect(all.map { "\(type(of: $0))" } == ["Attachment", "Photo", "Panorama", "Clip"])
        let selection = try Attachment.selection("a")
        let rows = try manager.fetchAll(selection, sql: "SELECT \(selection) FROM ATTACHMENT a ORDER BY a.ID DESC")
        #expect(rows.map { "\(type(of: $0))" } == ["Clip", "Panorama", "Photo", "Attachment"])
        let missing = failure { try manager.fetchAll(Attachment.self, sql: "SELECT ID, TITLE FROM ATTACHMENT") }
        #expect(missing?.code == .missingColumn)
        let other = failure { try manager.fetchAll(Clip.self, sql: "SELECT * FROM ATTACHMENT ORDER BY ID") }
        #expect(other?.code == .unknownKind)
        #expect(
            other?.message
                == "the row is of the kind 'Attachment', which isn't a Clip: fetch Attachment, or add the condition "
                + "KIND = 'Clip'")
    }

    @Test("A kind that belongs to no class throws")
    func unknownKind() throws {
        try manager.run("INSERT INTO ATTACHMENT (TITLE, KIND) VALUES ('V', 'Video')")
        let error = failure { try manager.fetchAll(Attachment.self) }
        #expect(error?.code == .unknownKind)
        #expect(
            error?.message
                == "the row is of the kind 'Video', which belongs to no class: list its class in the subclasses of "
                + "Attachment, or override unknownKind there")
        #expect(try manager.fetchAll(Photo.self).count == 2)
    }

    @Test("A class that isn't listed has a table of its own")
    func unlisted() throws {
        try manager.createTableIfNecessary(for: Gallery.Scan.self)
        let scan = Gallery.Scan("S")
        try manager.insert(scan)
        #expect(try manager.rowCount("SCAN") == 1)
        #expect(try manager.count(Attachment.self) == 4)
    }

    @Test("Values and dictionaries insert rows of the class")
    func values() throws {
        let photo = try manager.insert(Photo.self, values: ["title": "V", "width": 9])
        #expect(try manager.find(Attachment.self, photo.id) is Photo)
        let found = try manager.findOrCreate(Clip.self, 99) { $0.seconds = 1 }
        #expect(try manager.find(Attachment.self, found.id) is Clip)
        #expect(photo.dictionary().keys.sorted() == ["id", "title", "width"])
        #expect(photo.changedKeys == [])
    }

    @Test("An import of a subclass makes rows of its kind")
    func imports() throws {
        let report = try manager.importJSON(Photo.self, contentsOf: Data(#"[{"title": "I", "width": 3}]"#.utf8))
        #expect(report.inserted == 1)
        #expect(try manager.fetchAll(Attachment.self, where: \.title == "I").first is Photo)
    }

    @Test("A condition of the base class names properties of subclasses, which others lack")
    func subclassProperty() throws {
        #expect(try manager.fetchAll(Attachment.self, where: ["width": 30]).map(\.title) == ["P"])
        let found = try manager.fetchAll(
            Attachment.self, where: .format("width > %d OR seconds < 3", 35), sortedBy: "id")
        #expect(found.map(\.title) == ["Q", "C"])
        #expect(try manager.count(Attachment.self, where: ["<NOT>width": 30]) == 3)
        #expect(failure { try manager.fetchAll(Clip.self, where: ["width": 30]) }?.code == .unknownKey)
    }

    @Test("A relation to a subclass leads to its rows alone")
    func relation() throws {
        try manager.createTableIfNecessary(for: Gallery.Comment.self)
        for photo in [2, 3, 4] { try manager.insert(Gallery.Comment.self, values: ["photoID": photo]) }
        let found = try manager.fetchAll(Gallery.Comment.self, where: Gallery.Comment.photo.matches(\.title > "A"))
        #expect(found.map(\.photoID) == [2, 3])
        let all = try manager.fetchAll(Gallery.Comment.self, sortedBy: "photoID")
        let photos = try all.map { try $0.related(Gallery.Comment.photo) }
        #expect(photos.map { $0.map { "\(type(of: $0))" } } == ["Photo", "Panorama", nil])
    }

    @Test("In memory a condition of the base class is met by objects of subclasses")
    func inMemory() throws {
        let all = try manager.fetchAll(Attachment.self, sortedBy: "id")
        #expect(try (\Attachment.title > "B").filter(all).map(\.title) == ["P", "Q", "C"])
        // F21: those of other classes lack a subclass's property.
        let conditions: [Criteria<Attachment>] = [
            ["width": 30], ["<NOT>width": 30], .format("width > %d OR seconds < 3", 35), .format("seconds = nil"),
        ]
        for condition in conditions {
            let found = try manager.fetchAll(Attachment.self, where: condition, sortedBy: "id")
            #expect(try condition.filter(all).map(\.id) == found.map(\.id))
        }
        let clips = try manager.fetchAll(Clip.self)
        #expect(failure { try Criteria<Clip>(dictionaryLiteral: ("width", 1)).filter(clips) }?.code == .unknownKey)
    }
}

private class Paper: PersistingModel {
    var id: Int64?
    override class var subclasses: [PersistingModel.Type] { [HotPaper.self, PlainPaper.self] }
}

private final class HotPaper: Paper {
    struct Info: Codable, Sendable { var text = "x" }
    var flags = 0
    var info: Info?
    override class var bitFields: [BitField] { [BitField("isHot", in: "flags", mask: 1)] }
    override class var columns: Columns {
        var columns = super.columns
        columns["INFO"] = .json
        return columns
    }
}

private final class PlainPaper: Paper {}

@Suite("Conditions of a base class on what its subclasses have")
struct HierarchyConditionTests {
    @Test("take bit fields and values inside of JSON, in SQL and in memory") func keys() throws {
        // F124
        let manager = try memoryManager(Paper.self)
        let memos = [HotPaper(), HotPaper()]
        (memos[0].flags, memos[1].info) = (3, HotPaper.Info())
        try manager.save(memos + [PlainPaper()] as [Paper])
        let all = try manager.fetchAll(Paper.self, sortedBy: "id")
        let conditions: [(Criteria<Paper>, [Int64])] = [
            (["isHot": true], [1]), (["isHot": false], [2, 3]), (["<NOT>isHot": true], [2, 3]),
            (["info.text": "x"], [2]), (["info.text": nil], [1, 3]), (["<NOT>info.text": "x"], [1, 3]),
            (.format("isHot == YES OR info.text == 'x'"), [1, 2]),
        ]
        for (condition, ids) in conditions {
            #expect(try manager.fetchAll(Paper.self, where: condition, sortedBy: "id").map(\.id) == ids, "\(condition)")
            #expect(try condition.filter(all).map(\.id) == ids, "\(condition)")
        }
        let error = failure { try manager.count(PlainPaper.self, where: ["isHot": true]) }
        #expect(error?.code == .unknownKey)
    }
}
