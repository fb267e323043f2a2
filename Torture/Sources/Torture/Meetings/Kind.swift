import Foundation
import Persisting
import SQLiteKit

/// A table of the programs.
enum TableName: String, CaseIterable {
    case folder = "FOLDER", note = "NOTE", label = "LABEL", labelling = "LABELLING", pin = "PIN", media = "MEDIA"
    case score = "SCORE", scrap = "SCRAP", journal = "JOURNAL"
    /// In an attached file, beside the table of the same name in the main one.
    case oldScore = "ARCHIVE.SCORE"
    /// Made by another program, which writes dates in forms of its own.
    case visit = "VISIT"
    /// An older release had each under the name of the other.
    case inbox = "INBOX", outbox = "OUTBOX"

    /// Those that a plan has to make first.
    static let exchanged: Set<TableName> = [.inbox, .outbox]

    /// The properties of the key, as far as the model knows it. A key that it doesn't know stands for no row.
    var keys: [String] {
        switch self {
        case .folder, .note, .label, .media, .visit, .inbox, .outbox: ["id"]
        case .pin: ["noteID", "labelID"]
        case .score, .oldScore: ["game", "round"]
        case .labelling, .scrap, .journal: []
        }
    }

    var isKeyed: Bool { !keys.isEmpty }

    /// The properties that tell a row from the others in a program. Nothing tells two links of the same rows.
    var identity: [String] { self == .scrap ? ["number"] : keys }

    /// Whether SQLite makes the key.
    var isGenerated: Bool { [.folder, .note, .media, .visit, .inbox, .outbox].contains(self) }

    var properties: [Property] {
        switch self {
        case .folder: Kind.folder.properties
        case .note: Kind.note.properties
        case .label: Kind.label.properties
        case .labelling: Kind.labelling.properties
        case .pin: Kind.pin.properties
        case .media: Kind.photo.properties + Kind.clip.properties.suffix(2)
        case .score, .oldScore: Kind.score.properties
        case .scrap: Kind.scrap.properties
        case .journal: Kind.journal.properties
        case .visit: Kind.visit.properties
        case .inbox: Kind.inbox.properties
        case .outbox: Kind.outbox.properties
        }
    }

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }
}

/// A property, and how its column stores it. The model knows a value by a small number.
struct Property {
    enum Form {
        case int, text, float, url, data, words, sheet, deferredData, doubled
        case uuidText, uuidLowercase, uuidBytes
        case seconds, referenceDate, milliseconds, microseconds, since1601
        case iso, javaScript, dateTime, python, pythonUTC

        var isDate: Bool {
            switch self {
            case .seconds, .referenceDate, .milliseconds, .microseconds, .since1601, .iso, .javaScript, .dateTime,
                .python, .pythonUTC:
                true
            default: false
            }
        }
    }

    let name: String
    let column: String
    let form: Form

    init(_ name: String, _ column: String, _ form: Form) { (self.name, self.column, self.form) = (name, column, form) }

    /// Whether programs set it.
    var isSettable: Bool { form != .doubled }

    /// Whether a fetch reads it.
    var isFetched: Bool { form != .deferredData }

    /// The Swift value that a number stands for.
    func value(_ number: Int) -> any Sendable {
        switch form {
        case .int, .doubled: number
        case .text: "t\(number)"
        case .float: Self.float(number)
        case .url: URL(string: Self.url(number)) ?? URL(filePath: "")
        case .uuidText, .uuidLowercase, .uuidBytes: Self.uuid(number)
        case .words: ["w\(number)", "x"]
        case .sheet: Sheet(theme: "s\(number)", pages: [number, number + 1])
        case .data, .deferredData: Data([UInt8(truncatingIfNeeded: number), 7])
        default: Date(timeIntervalSince1970: Self.seconds(number))
        }
    }

    /// What the column stores for it.
    func stored(_ number: Int) -> SQLiteValue {
        switch form {
        case .int, .doubled: .integer(Int64(number))
        case .text: .text("t\(number)")
        case .float: .real(Double(Self.float(number)))
        case .url: .text(Self.url(number))
        case .seconds: .real(Self.seconds(number))
        case .referenceDate: .real(Self.seconds(number) - 978_307_200)
        case .milliseconds: .integer(Int64(Self.seconds(number) * 1000))
        case .microseconds: .integer(Int64(Self.seconds(number) * 1e6))
        case .since1601: .integer(Int64((Self.seconds(number) + 11_644_473_600) * 1e6))
        case .iso: .text("\(Self.day(number))T10:00:00.\(Self.fraction(number))0000Z")
        case .javaScript: .text("\(Self.day(number))T10:00:00.\(Self.fraction(number))0Z")
        case .dateTime: .text("\(Self.day(number)) 10:00:00.\(Self.fraction(number))0000")
        case .python: .text("\(Self.day(number)) 10:00:00\(Self.pythonFraction(number))")
        case .pythonUTC: .text("\(Self.day(number)) 10:00:00\(Self.pythonFraction(number))+00:00")
        case .uuidText: .text(Self.uuid(number).uuidString)
        case .uuidLowercase: .text(Self.uuid(number).uuidString.lowercased())
        case .uuidBytes: .blob(withUnsafeBytes(of: Self.uuid(number).uuid) { Data($0) })
        case .words: .text("[\"w\(number)\",\"x\"]")
        case .sheet: .text("{\"pages\":[\(number),\(number + 1)],\"theme\":\"s\(number)\"}")
        case .data, .deferredData: .blob(Data([UInt8(truncatingIfNeeded: number), 7]))
        }
    }

    /// The number of what a column stores.
    func number(_ stored: SQLiteValue) -> Int? {
        switch (form, stored) {
        case (.int, .integer(let number)): Int(number)
        case (.text, .text(let text)): Int(text.dropFirst())
        case (.uuidText, .text(let text)), (.uuidLowercase, .text(let text)): Int(text.suffix(2), radix: 16)
        default: nil
        }
    }

    /// The value as a program in Swift has it.
    func code(_ number: Int?) -> String {
        guard let number else { return "nil" }
        return switch form {
        case .int, .doubled: "\(number)"
        case .text: "\"t\(number)\""
        case .float: "\(Self.float(number))"
        case .url: "URL(string: \"\(Self.url(number))\")!"
        case .uuidText, .uuidLowercase, .uuidBytes: "uuid(\(number))"
        case .words: "[\"w\(number)\", \"x\"]"
        case .sheet: "Sheet(theme: \"s\(number)\", pages: [\(number), \(number + 1)])"
        case .data, .deferredData: "Data([\(number), 7])"
        default: "november(\(number))"
        }
    }

    /// A value of an object in words, which are equal for equal values.
    static func words(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let date as Date: "\(date.timeIntervalSince1970)"
        case let data as Data: data.map { "\($0)" }.joined(separator: ".")
        case let value?: "\(value)"
        }
    }

    /// Ten o'clock on a day of November 2023, or a quarter of a second after it.
    private static func seconds(_ number: Int) -> Double {
        1_698_796_800 + Double(number - 1) * 86_400 + 36_000 + (number % 2 == 0 ? 0 : 0.25)
    }
    static func day(_ number: Int) -> String { "2023-11-\(number < 10 ? "0" : "")\(number)" }
    static func fraction(_ number: Int) -> String { number % 2 == 0 ? "00" : "25" }
    /// Django and others leave out a fraction that is zero.
    private static func pythonFraction(_ number: Int) -> String { number % 2 == 0 ? "" : ".250000" }
    private static func float(_ number: Int) -> Float { Float(number) + 0.1 }
    private static func url(_ number: Int) -> String { "https://example.org/\(number)?q=%20" }
    private static func uuid(_ number: Int) -> UUID {
        UUID(uuid: (0xAB, 0xCD, 0xEF, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number)))
    }
}

/// A class of the programs.
enum Kind: String, CaseIterable {
    case folder = "Folder", note = "Note", label = "Label", labelling = "Labelling", pin = "Pin", media = "Media"
    case photo = "Photo", clip = "Clip", score = "Score", scrap = "Scrap", journal = "Journal"
    case oldScore = "OldScore", visit = "Visit", inbox = "Inbox", outbox = "Outbox"

    var type: PersistingModel.Type {
        switch self {
        case .folder: Folder.self
        case .note: Note.self
        case .label: Label.self
        case .labelling: Labelling.self
        case .pin: Pin.self
        case .media: Media.self
        case .photo: Photo.self
        case .clip: Clip.self
        case .score: Score.self
        case .scrap: Scrap.self
        case .journal: Journal.self
        case .oldScore: OldScore.self
        case .visit: Visit.self
        case .inbox: Inbox.self
        case .outbox: Outbox.self
        }
    }

    var table: TableName {
        switch self {
        case .folder: .folder
        case .note: .note
        case .label: .label
        case .labelling: .labelling
        case .pin: .pin
        case .media, .photo, .clip: .media
        case .score: .score
        case .scrap: .scrap
        case .journal: .journal
        case .oldScore: .oldScore
        case .visit: .visit
        case .inbox: .inbox
        case .outbox: .outbox
        }
    }

    /// Those that programs write objects of.
    static let written: [Kind] = [
        .folder, .note, .label, .media, .photo, .clip, .score, .scrap, .oldScore, .visit, .inbox, .outbox,
    ]

    /// Those with a history.
    static let recorded: [Kind] = [.folder, .media, .score]
    /// Those of them whose rows take no others with them.
    static let undoable: [Kind] = [.media, .score]

    /// One for each table.
    static let bases: [Kind] = allCases.filter { $0 != .photo && $0 != .clip }

    /// The key is among them.
    var properties: [Property] { Self.known[self] ?? [] }

    /// Made once: they are looked at for each row.
    private static let known = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.declared) })

    private var declared: [Property] {
        switch self {
        case .folder: [.init("id", "ID", .int), .init("name", "NAME", .text), .init("parentID", "PARENT_ID", .int)]
        case .note:
            [
                .init("id", "ID", .int), .init("text", "TEXT", .text), .init("number", "NUMBER", .int),
                .init("doubled", "DOUBLED", .doubled), .init("code", "CODE", .text),
                .init("folderID", "FOLDER_ID", .int), .init("seconds", "SECONDS", .seconds), .init("iso", "ISO", .iso),
                .init("milliseconds", "MILLISECONDS", .milliseconds), .init("dateTime", "DATE_TIME", .dateTime),
                .init("python", "PYTHON", .python), .init("javaScript", "JAVA_SCRIPT", .javaScript),
                .init("microseconds", "MICROSECONDS", .microseconds), .init("since1601", "SINCE1601", .since1601),
                .init("referenceDate", "REFERENCE_DATE", .referenceDate), .init("token", "TOKEN", .uuidText),
                .init("mark", "MARK", .uuidBytes), .init("words", "WORDS", .words), .init("sheet", "SHEET", .sheet),
                .init("level", "LEVEL", .float), .init("link", "LINK", .url), .init("icon", "ICON", .data),
                .init("body", "BODY", .deferredData),
            ]
        case .label: [.init("id", "ID", .uuidLowercase), .init("name", "NAME", .text)]
        case .labelling, .pin: [.init("noteID", "NOTE_ID", .int), .init("labelID", "LABEL_ID", .uuidLowercase)]
        case .media: [.init("id", "ID", .int), .init("title", "TITLE", .text)]
        case .photo: Kind.media.declared + [.init("width", "WIDTH", .int)]
        case .clip: Kind.media.declared + [.init("length", "LENGTH", .int), .init("codec", "CODEC", .text)]
        case .score, .oldScore:
            [
                .init("game", "GAME", .text), .init("round", "ROUND", .int), .init("points", "POINTS", .int),
                .init("player", "PLAYER", .uuidText),
            ]
        case .scrap: [.init("number", "NUMBER", .int), .init("text", "TEXT", .text)]
        case .journal: [.init("text", "TEXT", .text)]
        case .visit:
            [
                .init("id", "ID", .int), .init("django", "DJANGO", .python), .init("zoned", "ZONED", .pythonUTC),
                .init("javaScript", "JAVA_SCRIPT", .javaScript),
            ]
        case .inbox: [.init("id", "ID", .int), .init("sender", "SENDER", .text)]
        case .outbox: [.init("id", "ID", .int), .init("receiver", "RECEIVER", .text)]
        }
    }

    /// Those that a program may change in a row.
    var changeable: [Property] { properties.filter { $0.isSettable && !table.identity.contains($0.name) } }

    /// A property with numbers, for conditions.
    var numbered: Property? {
        switch self {
        case .label, .labelling, .pin, .journal: nil
        case .score, .oldScore: property("round")
        case .scrap: property("number")
        default: property("id")
        }
    }

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// The class of an object.
    static func of(_ object: PersistingModel) -> Kind? { Kind(rawValue: "\(Swift.type(of: object))") }
}
