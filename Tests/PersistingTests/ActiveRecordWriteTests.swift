import Foundation
import Persisting
import Testing

/// A model whose covers are read when they are asked for.
private final class Cover: PersistingModel {
    var id: Int64?
    var title = ""
    var pages: Int?
    var image: Data?

    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.unique
        columns["IMAGE"] = .data.deferred
        return columns
    }

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }
}

@Suite("Writing on the models")
struct ActiveRecordWriteTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Cover.self)
    }

    @Test("An object is inserted, and where a row is in its way ignored or put in its place") func insert() throws {
        // F57
        try manager.asCurrent {
            let cover = Cover("a")
            try cover.insert()
            #expect(failure { try cover.insert() }?.code == .alreadyPersisted)
            #expect(try !Cover("a").insert(onConflict: .ignore))
            #expect(try Cover("a").insert(onConflict: .replace))
            #expect(try manager.insert([Cover("a"), Cover("b")], onConflict: .ignore) == 1)
        }
        #expect(try manager.rowCount("COVER") == 2)
    }

    @Test("Many are inserted, saved, upserted and deleted, all or none") func batches() throws {
        // F14
        try manager.asCurrent {
            let covers = [Cover("a"), Cover("b")]
            let progress = Progress(totalUnitCount: 1)
            try manager.insert(covers, progress: progress)
            #expect(progress.completedUnitCount == 2)
            covers[0].pages = 1
            covers[1].title = "a"
            #expect(failure { try manager.save(covers) }?.code == .constraint)
            #expect(covers[0].changedKeys == ["pages"])
            covers[1].title = "b"
            try manager.save(covers)
            try manager.upsert(covers, progress: progress)
            #expect(try manager.stored("SELECT sum(PAGES) FROM COVER") == 1)
            #expect(try manager.delete(covers) == 2)
        }
    }

    @Test("Single properties are stored and read") func properties() throws {
        // F26, F60, F61
        let cover = Cover("a")
        cover.image = Data([1])
        try manager.save(cover)
        cover.title = "b"
        try cover.update(\.pages, to: 3)
        try cover.update(key: "pages", to: 4)
        #expect(cover.changedKeys == ["title"])
        try cover.update([\.title])
        #expect(try manager.stored("SELECT TITLE || PAGES FROM COVER") == "b4")
        let other = try #require(try manager.find(Cover.self, 1))
        try other.load(\.image)
        #expect(other.image == Data([1]))
        try manager.run("UPDATE COVER SET IMAGE = x'02'")
        try manager.load([other], key: "image")
        #expect(other.image == Data([2]))
    }

    @Test("All of it happens while the task is suspended") func suspended() async throws {
        // F15
        try await manager.asCurrent {
            let (cover, other) = (Cover("a"), Cover("b"))
            try await cover.insert()
            #expect(try await !Cover("a").insert(onConflict: .ignore))
            try await manager.insert([other])
            #expect(try await manager.insert([Cover("b")], onConflict: .ignore) == 0)
            try await cover.update(\.pages, to: 1)
            try await cover.update(key: "pages", to: 2)
            cover.image = Data([1])
            try await cover.update([\.image])
            cover.image = nil
            try await cover.load(\.image)
            try await manager.load([cover], key: "image")
            #expect(cover.image == Data([1]))
            other.pages = 5
            try await manager.save([cover, other])
            #expect(try await manager.delete([cover, other]) == 2)
        }
    }
}
