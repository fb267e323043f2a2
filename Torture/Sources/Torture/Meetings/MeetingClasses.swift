import Foundation
import Persisting

// The classes of the programs: keys of each kind, relations of each kind, and a hierarchy.

/// A tree, whose folders are kept when their parent goes.
final class Folder: PersistingModel {
    var id: Int64?
    var name: String?
    var parentID: Int64?

    static let parent = ToOne(\Folder.parentID, Folder.self, onDelete: .setNull)
    static let notes = ToMany(inverse: Note.folder)
    override class var relations: Relations { ["parent": parent, "notes": notes] }
}

/// A property of each form.
final class Note: PersistingModel {
    var id: Int64?
    var text: String?
    var number: Int?
    var doubled: Int?
    var code: String?
    var folderID: Int64?
    var seconds: Date?
    var iso: Date?
    var milliseconds: Date?
    var dateTime: Date?
    var token: UUID?
    var mark: UUID?
    var words: [String]?
    var body: Data?

    static let folder = ToOne(\Note.folderID, Folder.self)
    static let labels = ManyToMany(Labelling.note, Labelling.label)
    static let pins = ManyToMany(Pin.note, Pin.label)
    override class var relations: Relations { ["folder": folder, "labels": labels, "pins": pins] }

    override class var columns: Columns {
        var columns = super.columns
        columns["DOUBLED"] = .int.generated(as: "NUMBER * 2")
        columns["CODE"] = .string.unique
        columns["ISO"] = .date.stored(as: .iso8601)
        columns["MILLISECONDS"] = .date.stored(as: .unixMilliseconds)
        columns["DATE_TIME"] = .date.stored(as: .fractionalDateTime)
        columns["MARK"] = .uuid.stored(as: .blob)
        columns["WORDS"] = .json
        columns["BODY"] = .data.deferred
        return columns
    }
}

/// A key that the program assigns.
final class Label: PersistingModel {
    var id: UUID?
    var name: String?

    static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

/// A link with a key of its own, of which SQLite takes any number for the same two rows.
final class Labelling: PersistingModel {
    var id: Int64?
    var noteID: Int64 = 0
    var labelID = Label.none

    static let note = ToOne(\Labelling.noteID, Note.self)
    static let label = ToOne(\Labelling.labelID, Label.self)
    override class var relations: Relations { ["note": note, "label": label] }
}

/// A link whose key is the two rows.
final class Pin: PersistingModel {
    var noteID: Int64 = 0
    var labelID = Label.none

    static let note = ToOne(\Pin.noteID, Note.self)
    static let label = ToOne(\Pin.labelID, Label.self)
    override class var relations: Relations { ["note": note, "label": label] }
    override class var primaryKey: PrimaryKey { .composite("noteID", "labelID") }
    override class var tableOptions: TableOptions { [.withoutRowID] }
}

/// A hierarchy in one table.
class Media: PersistingModel {
    var id: Int64?
    var title: String?

    override class var subclasses: [PersistingModel.Type] { [Photo.self, Clip.self] }
}

final class Photo: Media {
    var width: Int?
}

final class Clip: Media {
    var length: Int?
    var codec: String?
}

/// A composite key WITHOUT ROWID.
final class Score: PersistingModel {
    var game = ""
    var round = 0
    var points: Int?
    var player: UUID?

    override class var primaryKey: PrimaryKey { .composite("game", "round") }
    override class var tableOptions: TableOptions { [.withoutRowID] }
}

/// No key.
final class Scrap: PersistingModel {
    var number = 0
    var text: String?

    override class var primaryKey: PrimaryKey { .rowID }
}

/// What a trigger writes.
final class Journal: PersistingModel {
    var id: Int64?
    var text: String?
}
