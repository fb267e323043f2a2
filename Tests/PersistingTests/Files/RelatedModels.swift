// swift-format-ignore-file
// What modelSources() prints; ModelSourcesTests compares.
import Foundation
import Persisting

final class Studio: PersistingModel {
    var id: Int64?
    var name: String = ""
    var code: String = ""

    override class var naming: Naming { .snakeCase }

    override class var indexes: [Index] { [.unique("code")] }

    static let broadcasts = ToMany(inverse: Broadcast.studio)
    override class var relations: Relations { ["broadcasts": broadcasts] }
}

final class Presenter: PersistingModel {
    var id: Int64?
    var name: String = ""
    var bossID: Int64?

    override class var naming: Naming { .snakeCase }

    override class var indexes: [Index] { [Index("bossID", name: "presenter_boss")] }

    static let boss = ToOne(\Presenter.bossID, Presenter.self, onDelete: .setNull)
    static let presenters = ToMany(inverse: Presenter.boss)
    static let broadcastsByHost = ToMany(inverse: Broadcast.host)
    static let broadcastsByGuest = ToMany(inverse: Broadcast.guest)
    override class var relations: Relations {
        [
            "boss": boss,
            "presenters": presenters,
            "broadcastsByHost": broadcastsByHost,
            "broadcastsByGuest": broadcastsByGuest,
        ]
    }
}

final class Broadcast: PersistingModel {
    var id: Int64?
    var title: String = ""
    var studioCode: String?
    var hostID: Int64 = 0
    var guestID: Int64?

    override class var naming: Naming { .snakeCase }

    override class var indexes: [Index] { [Index("hostID", "title", name: "broadcast_host")] }

    static let studio = ToOne(
        \Broadcast.studioCode, Studio.self, references: \Studio.code, onDelete: nil, onUpdate: .cascade, isIndexed: false)
    static let host = ToOne(\Broadcast.hostID, Presenter.self)
    static let guest = ToOne(
        \Broadcast.guestID, Presenter.self, onDelete: .restrict, isDeferred: true, isIndexed: false)
    static let slots = ToMany(inverse: Slot.broadcastRow)
    override class var relations: Relations { ["studio": studio, "host": host, "guest": guest, "slots": slots] }
}

final class Slot: PersistingModel {
    var day: String = ""
    var hour: Int64 = 0
    var broadcast: Int64?

    override class var naming: Naming { .snakeCase }

    override class var primaryKey: PrimaryKey { .composite("day", "hour") }

    static let broadcastRow = ToOne(\Slot.broadcast, Broadcast.self, onDelete: nil, isIndexed: false)
    static let slotNotes = ToMany(inverse: SlotNote.slot)
    override class var relations: Relations { ["broadcastRow": broadcastRow, "slotNotes": slotNotes] }
}

final class SlotNote: PersistingModel {
    var id: Int64?
    var day: String?
    var hour: Int64?
    var text: String?

    override class var naming: Naming { .snakeCase }

    static let slot = ToOne([\SlotNote.day, \SlotNote.hour], Slot.self, isIndexed: false)
    override class var relations: Relations { ["slot": slot] }
}

// There is another type Character.
final class CharacterRow: PersistingModel {
    var id: Int64?
    var save2: Int64 = 0  // every object has a member save
    var isDeleted3: Int64?  // every object has a member isDeleted
    var relations: String?
    var broadcastID: String?

    override class var naming: Naming { .snakeCase }

    override class var tableName: String { "character" }

    override class var columns: Columns {
        var columns = super.columns
        columns["save"] = .any.property("save2")
        columns["is_deleted"] = .any.property("isDeleted3")
        columns["broadcast_id"] = .any.references(Broadcast.self)
        return columns
    }

    static let queryRows = ToMany(inverse: QueryRow.characterRow)
    override class var relations: Relations { ["queryRows": queryRows] }
}

// There is another type Query.
final class QueryRow: PersistingModel {
    var id: Int64?
    var character: Int64?
    var `class`: Int64?

    override class var naming: Naming { .snakeCase }

    override class var tableName: String { "query" }

    override class var indexes: [Index] { [Index("character", name: "query_character")] }

    static let characterRow = ToOne(\QueryRow.character, CharacterRow.self, onDelete: nil)
    override class var relations: Relations { ["characterRow": characterRow] }

    // Left out: the foreign key of class to elsewhere
}
