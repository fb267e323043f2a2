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
    override class var history: History? { .values() }
}

/// What a column of JSON has.
struct Sheet: Codable, Sendable {
    var theme: String
    var pages: [Int]
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
    var python: Date?
    var javaScript: Date?
    var microseconds: Date?
    var since1601: Date?
    var referenceDate: Date?
    var token: UUID?
    var mark: UUID?
    var words: [String]?
    var sheet: Sheet?
    var level: Float?
    var link: URL?
    var icon: Data?
    var body: Data?

    static let folder = ToOne(\Note.folderID, Folder.self)
    static let labels = ManyToMany(Labelling.note, Labelling.label)
    static let pins = ManyToMany(Pin.note, Pin.label)
    override class var relations: Relations { ["folder": folder, "labels": labels, "pins": pins] }
    static let search = FullTextIndex(\Note.text)
    override class var fullTextIndexes: FullTextIndexes { ["search": search] }

    override class var columns: Columns {
        var columns = super.columns
        columns["DOUBLED"] = .int.generated(as: "NUMBER * 2")
        columns["CODE"] = .string.unique
        columns["ISO"] = .date.stored(as: .iso8601)
        columns["MILLISECONDS"] = .date.stored(as: .unixMilliseconds)
        columns["DATE_TIME"] = .date.stored(as: .fractionalDateTime)
        columns["PYTHON"] = .date.stored(as: .pythonDateTime)
        columns["JAVA_SCRIPT"] = .date.stored(as: .iso8601Milliseconds)
        columns["MICROSECONDS"] = .date.stored(as: .unixMicroseconds)
        columns["SINCE1601"] = .date.stored(as: .microsecondsSince1601)
        columns["REFERENCE_DATE"] = .date.stored(as: .referenceDate)
        columns["MARK"] = .uuid.stored(as: .blob)
        columns["WORDS"] = .json
        columns["SHEET"] = .json
        columns["BODY"] = .data.deferred
        return columns
    }
}

/// A key that the program assigns.
final class Label: PersistingModel {
    var id: UUID?
    var name: String?

    static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    override class var columns: Columns {
        var columns = super.columns
        columns["ID"] = .uuid.stored(as: .lowercaseText)
        return columns
    }
}

/// A link with a key of its own, of which SQLite takes any number for the same two rows.
final class Labelling: PersistingModel {
    var id: Int64?
    var noteID: Int64 = 0
    var labelID = Label.none

    static let note = ToOne(\Labelling.noteID, Note.self)
    static let label = ToOne(\Labelling.labelID, Label.self)
    override class var relations: Relations { ["note": note, "label": label] }
    override class var columns: Columns {
        var columns = super.columns
        columns["LABEL_ID"] = .uuid.stored(as: .lowercaseText)
        return columns
    }
}

/// A link whose key is the two rows.
final class Pin: PersistingModel {
    var noteID: Int64 = 0
    var labelID = Label.none

    static let note = ToOne(\Pin.noteID, Note.self)
    static let label = ToOne(\Pin.labelID, Label.self)
    override class var relations: Relations { ["note": note, "label": label] }
    override class var columns: Columns {
        var columns = super.columns
        columns["LABEL_ID"] = .uuid.stored(as: .lowercaseText)
        return columns
    }
    override class var primaryKey: PrimaryKey { .composite("noteID", "labelID") }
    override class var tableOptions: TableOptions { [.withoutRowID] }
}

/// A hierarchy in one table.
class Media: PersistingModel {
    var id: Int64?
    var title: String?

    override class var subclasses: [PersistingModel.Type] { [Photo.self, Clip.self] }
    override class var history: History? { .values() }
    static let search = FullTextIndex(\Media.title)
    override class var fullTextIndexes: FullTextIndexes { ["search": search] }
}

final class Photo: Media {
    var width: Int?
}

final class Clip: Media {
    var length: Int?
    var codec: String?
}

/// A composite key WITHOUT ROWID.
class Score: PersistingModel {
    var game = ""
    var round = 0
    var points: Int?
    var player: UUID?

    override class var history: History? { .values() }
    static let search = FullTextIndex(\Score.game)
    override class var fullTextIndexes: FullTextIndexes { ["search": search] }
    override class var primaryKey: PrimaryKey { .composite("game", "round") }
    override class var tableOptions: TableOptions { [.withoutRowID] }
}

/// The same table in an attached file.
final class OldScore: Score {
    override class var tableName: String { "SCORE" }
    override class var schemaName: String? { "archive" }
    override class var history: History? { nil }
}

/// Dates in the forms of another program, of which the class says nothing.
final class Visit: PersistingModel {
    var id: Int64?
    var django: Date?
    var zoned: Date?
    var javaScript: Date?

    /// Of two rows that stay, one has a fraction of a second: so the texts of each column are of one form.
    static let script: SQL = """
        CREATE TABLE VISIT (ID INTEGER PRIMARY KEY, DJANGO DATETIME, ZONED TEXT, JAVA_SCRIPT TEXT);
        INSERT INTO VISIT VALUES
            (101, '2023-11-01 10:00:00.250000', '2023-11-01 10:00:00.250000+00:00', '2023-11-01T10:00:00.250Z'),
            (102, '2023-11-02 10:00:00', '2023-11-02 10:00:00+00:00', '2023-11-02T10:00:00.000Z');
        """
    static let rows: [Int: Write.Values] = [
        101: ["id": 101, "django": 1, "zoned": 1, "javaScript": 1],
        102: ["id": 102, "django": 2, "zoned": 2, "javaScript": 2],
    ]
}

/// What an older release called ``Outbox``'s table.
final class Inbox: PersistingModel {
    var id: Int64?
    var sender: String?

    override class var formerTableNames: [String] { ["OUTBOX"] }
    /// The tables as the older release left them.
    static let script: SQL = """
        CREATE TABLE OUTBOX (ID INTEGER PRIMARY KEY, SENDER TEXT);
        CREATE TABLE INBOX (ID INTEGER PRIMARY KEY, RECEIVER TEXT);
        INSERT INTO OUTBOX VALUES (1, 't1'), (2, 't2');
        INSERT INTO INBOX VALUES (1, 't3');
        """
    static let rows: [Int: Write.Values] = [1: ["id": 1, "sender": 1], 2: ["id": 2, "sender": 2]]
}

/// What an older release called ``Inbox``'s table.
final class Outbox: PersistingModel {
    var id: Int64?
    var receiver: String?

    override class var formerTableNames: [String] { ["INBOX"] }
    static let rows: [Int: Write.Values] = [1: ["id": 1, "receiver": 3]]
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
