// swift-format-ignore-file
import Foundation
import Persisting

// The snippets of Saving, word for word: compiled here, and compared with the article by SnippetTests.

final class Track: PersistingModel {
    var id: Int64?
    var code: String?                    // by which others know it
    var title = ""
    var artist: String?
    var plays = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["CODE"] = .string.unique
        return columns
    }
}

/// Returns whether the row that was deleted was there, and the keys that were changed.
func savingOne(_ manager: PersistenceManager) throws -> (Bool, Set<String>) {
    let track = Track()
    track.title = "So What"
    try manager.insert(track)                                       // track.id is set now

    track.artist = "Miles Davis"
    track.plays += 1
    try manager.save(track)                                         // UPDATE TRACK SET ARTIST = ?, PLAYS = ? WHERE ID = ?
    try manager.save(track)                                         // nothing has changed: nothing runs

    try manager.update(track, \.plays, to: 2)                       // sets the property and stores just that column
    try manager.update(track, key: "plays", to: 3)                  // the same by name, without didSet
    try manager.update(track, keys: ["title", "artist"])            // stores what they hold, changed or not, and no others
    try manager.update(track, [\.title, \.artist])                  // the same by key path
    try manager.refresh(track)                                      // reads the row again

    track.title = "Blue in Green"
    for key in track.changedKeys {
        print(key, try track.storedValue(forKey: key) ?? "unknown", try track.value(forKey: key) ?? "nil")
    }
    let changed = Set(track.changedKeys)

    let wasThere = try manager.delete(track)
    return (wasThere, changed)
}

/// Returns the number of rows that were there, of two.
func savingMany(_ manager: PersistenceManager, _ tracks: [Track]) throws -> Int {
    let progress = Progress(totalUnitCount: 0)           // the batch sets the count
    try manager.insert(tracks, progress: progress)
    try manager.save(tracks)                                        // those that have changed
    let count = try manager.delete(tracks)                          // of rows that were there
    return count
}

/// Returns whether an object with a code that is there was inserted.
func upserting(_ manager: PersistenceManager, _ tracks: [Track]) throws -> Bool {
    let progress = Progress(totalUnitCount: 0)           // the batch sets the count
    let track = Track()
    (track.code, track.title) = ("C1", "So What")
    try manager.upsert(track)                                                      // by key, or any other unique constraint
    try manager.upsert(track, by: ["code"], updating: ["title", "artist"])         // by this one; only these are written
    try manager.upsert(tracks, by: ["code"], progress: progress)                   // all or none

    let (other, another) = (Track(), Track())
    (other.code, another.code) = ("C1", "C1")
    let isInserted = try manager.insert(other, onConflict: .ignore)                // false: there was a row, and the object is as it was
    try manager.insert(another, onConflict: .replace)                              // the rows in the way are deleted
    return isInserted
}

func findingOrCreating(_ manager: PersistenceManager) throws -> [Track] {
    let found = try manager.findOrCreate(Track.self, where: ["code": "C7"]) { track in
        track.title = "Freddie Freeloader"                                         // of a new one, before it is inserted
    }
    let seventh = try manager.findOrCreate(Track.self, 7)                          // by key
    return [found, seventh]
}

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
        if total < 0 { failures.append(ValidationFailure(key: "total", reason: "must not be negative")) }
        return failures
    }
}

func validating(_ manager: PersistenceManager, _ invoice: Invoice) throws {
    do {
        try manager.save(invoice)
    } catch let error as PersistenceError where error.code == .invalidObject {
        for failure in error.failures { print(failure.key ?? "", failure.reason) }
    }
}

func merging(_ manager: PersistenceManager, _ mine: Invoice) throws {
    do {
        try manager.save(mine)
    } catch let error as PersistenceError where error.code == .conflict {
        print(error.conflict?.base ?? [:], error.conflict?.mine ?? [:], error.conflict?.theirs ?? [:])
        try manager.merge(mine)              // takes over what they have changed, and keeps what you have
        try manager.save(mine)
    }
}

func rollingBack(_ manager: PersistenceManager, _ draft: Track, _ track: Track) throws {
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
}

func store(_ tracks: [Track], in manager: PersistenceManager) async throws {
    try await manager.upsert(tracks, by: ["code"])
}
