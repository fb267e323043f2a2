// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct SavingArticle: Article {
    func run() async throws {
        let manager = try PersistenceManager(.memory)
        try synchronous(manager)
        let tracks = ["C1", "C2"].map { code in
            let track = Track()
            track.code = code
            return track
        }
        try await store(tracks, in: manager)
        #expect(try await manager.count(Track.self, where: ["code": ["C1", "C2"]]) == 2)
    }

    // snippet.show
    final class Track: PersistingModel {
        var id: Int64?
        var code: String?                    // the code that other systems use
        var title = ""
        var artist: String?
        var plays = 0

        override class var columns: Columns {
            var columns = super.columns
            columns["CODE"] = .string.unique
            return columns
        }
    }
    // snippet.hide

    private func synchronous(_ manager: PersistenceManager) throws {
        try manager.createTableIfNecessary(for: Track.self)
        // snippet.show
        let track = Track()
        track.title = "So What"
        try manager.insert(track)  // track.id is set now

        track.artist = "Miles Davis"
        track.plays += 1
        try manager.save(track)  // UPDATE TRACK SET ARTIST = ?, PLAYS = ? WHERE ID = ?
        try manager.save(track)  // nothing has changed: runs no SQL

        // sets the property and stores just that column
        try track.update(\.plays, to: 2)
        try track.update(key: "plays", to: 3)  // the same by name, without didSet
        // stores these two, changed or not, and no others
        try manager.update(track, keys: ["title", "artist"])
        try track.update([\.title, \.artist])  // the same by key path
        try manager.refresh(track)             // reads the row again
        let wasThere = try manager.delete(track)
        // snippet.hide
        #expect(track.plays == 3)
        #expect(wasThere)

        try manager.insert(track)
        // snippet.show
        track.title = "Blue in Green"
        for key in track.changedKeys {
            print(
                key, try track.storedValue(forKey: key) ?? "unknown",
                try track.value(forKey: key) ?? "nil")
        }
        // snippet.hide
        #expect(track.changedKeys == ["title"])

        try manager.insert(Track.self, values: ["code": "C1"])
        // snippet.show
        do {
            let values = ["code": "C1", "title": "Flamenco Sketches"]
            try manager.insert(Track.self, values: values)
        } catch let error as PersistenceError
            where error.sqliteError?.isConstraint(.unique) == true
        {
            print(error.model ?? "", error.key ?? "")                   // Track code
        }
        // snippet.hide
        #expect(try manager.delete(Track.where(\.code == "C1")) == 1)

        let tracks = [Track(), Track()]
        (tracks[0].code, tracks[1].code) = ("C1", "C2")
        // snippet.show
        let progress = Progress(totalUnitCount: 0)           // the batch sets the count
        try manager.insert(tracks, progress: progress)
        try manager.save(tracks)                // only objects that have changed
        let count = try manager.delete(tracks)  // the number of rows that existed
        // snippet.hide
        #expect(count == 2)
        #expect(progress.completedUnitCount == 2)

        track.code = "C1"
        do {
            // snippet.show
            try manager.upsert(track)  // by key, or by any unique constraint
            // by this constraint, only these columns
            try manager.upsert(track, by: ["code"], updating: ["title", "artist"])
            try manager.upsert(tracks, by: ["code"], progress: progress)  // all or none
            // snippet.hide
            #expect(try manager.count(Track.self) == 2)
        }

        let (other, another) = (Track(), Track())
        (other.code, another.code) = ("C1", "C2")
        // snippet.show
        // false if a row exists
        let isInserted = try manager.insert(other, onConflict: .ignore)
        // deletes the conflicting rows
        try manager.insert(another, onConflict: .replace)
        // snippet.hide
        #expect(!isInserted)
        #expect(!other.isPersisted)
        #expect(another.isPersisted)

        // snippet.show
        let code = ["code": "C7"]
        let found = try manager.findOrCreate(Track.self, where: code) { track in
            track.title = "Freddie Freeloader"  // only for a new object
        }
        let seventh = try manager.findOrCreate(Track.self, 7)  // by key
        // snippet.hide
        #expect(found.code == "C7")
        #expect(found.title == "Freddie Freeloader")
        #expect(seventh.id == 7)

        try life(manager, track)
    }

    // snippet.show
    final class Invoice: PersistingModel {
        var id: Int64?
        var number: String?
        var total: Decimal = 0
        var note: String?
        var createdAt: Date?
        var updatedAt: Date?
        var version = 0

        override class var columns: Columns {
            var columns = super.columns
            columns["CREATED_AT"] = .date.created
            columns["UPDATED_AT"] = .date.updated
            return columns
        }
        override class var versionKey: String? { "version" }

        override func willInsert() throws {
            if number == nil { number = "R-\(UUID())" }
        }
        override func validate() -> [ValidationFailure] {
            var failures = super.validate()
            if total < 0 {
                failures.append(
                    ValidationFailure(key: "total", reason: "must not be negative"))
            }
            return failures
        }
    }
    // snippet.hide

    private func life(_ manager: PersistenceManager, _ track: Track) throws {
        try manager.createTableIfNecessary(for: Invoice.self)
        let invoice = Invoice()
        invoice.total = -1
        // snippet.show
        do {
            try manager.save(invoice)
        } catch let error as PersistenceError where error.code == .invalidObject {
            for failure in error.failures { print(failure.key ?? "", failure.reason) }
        }
        // snippet.hide
        #expect(!invoice.isPersisted)

        let mine = try manager.insert(Invoice.self, values: ["total": 1])
        #expect(mine.version == 1)
        #expect(mine.number != nil)
        #expect(mine.createdAt != nil)
        #expect(mine.updatedAt != nil)
        let theirs = try #require(try manager.find(Invoice.self, mine.primaryKeyValue))
        try theirs.update(\.total, to: 5)
        mine.note = "paid"
        // snippet.show
        do {
            try manager.save(mine)
        } catch let error as PersistenceError where error.code == .conflict {
            print(
                error.conflict?.base ?? [:], error.conflict?.mine ?? [:],
                error.conflict?.theirs ?? [:])
            try manager.merge(mine)              // gets their changes, and keeps yours
            try manager.save(mine)
        }
        // snippet.hide
        #expect(mine.total == 5)
        #expect(mine.note == "paid")
        #expect(mine.version == 3)

        let draft = Track()
        // snippet.show
        do {
            try manager.transaction {
                try manager.insert(draft)
                track.title = "All Blues"
                try manager.save(track)
                throw CancellationError()        // any error rolls back
            }
        } catch is CancellationError {
            print(draft.isPersisted, track.hasChanges)       // false true
        }
        // snippet.hide
        #expect(draft.id == nil)
        #expect(track.changedKeys == ["title"])
    }

    // snippet.show
    func store(_ tracks: [Track], in manager: PersistenceManager) async throws {
        try await manager.upsert(tracks, by: ["code"])
    }
    // snippet.hide
}
