import Foundation
import Persisting
import SQLiteKit

/// A table of the programs.
enum TableName: String, CaseIterable {
    case folder = "FOLDER", note = "NOTE", label = "LABEL", labelling = "LABELLING", pin = "PIN", media = "MEDIA"
    case score = "SCORE", scrap = "SCRAP", journal = "JOURNAL"

    /// The properties of the key, as far as the model knows it. A key that it doesn't know stands for no row.
    var keys: [String] {
        switch self {
        case .folder, .note, .label, .media: ["id"]
        case .pin: ["noteID", "labelID"]
        case .score: ["game", "round"]
        case .labelling, .scrap, .journal: []
        }
    }

    var isKeyed: Bool { !keys.isEmpty }

    /// The properties that tell a row from the others in a program. Nothing tells two links of the same rows.
    var identity: [String] { self == .scrap ? ["number"] : keys }

    /// Whether SQLite makes the key.
    var isGenerated: Bool { [.folder, .note, .media].contains(self) }

    var properties: [Property] {
        switch self {
        case .folder: Kind.folder.properties
        case .note: Kind.note.properties
        case .label: Kind.label.properties
        case .labelling: Kind.labelling.properties
        case .pin: Kind.pin.properties
        case .media: Kind.photo.properties + Kind.clip.properties.suffix(2)
        case .score: Kind.score.properties
        case .scrap: Kind.scrap.properties
        case .journal: Kind.journal.properties
        }
    }

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }
}

/// A property, and how its column stores it. The model knows a value by a small number.
struct Property {
    enum Form {
        case int, text, seconds, iso, milliseconds, dateTime, uuidText, uuidBytes, words, bytes, doubled
    }

    let name: String
    let column: String
    let form: Form

    init(_ name: String, _ column: String, _ form: Form) { (self.name, self.column, self.form) = (name, column, form) }

    /// Whether programs set it.
    var isSettable: Bool { form != .doubled }

    /// Whether a fetch reads it.
    var isFetched: Bool { form != .bytes }

    /// The Swift value that a number stands for.
    func value(_ number: Int) -> any Sendable {
        switch form {
        case .int, .doubled: number
        case .text: "t\(number)"
        case .seconds, .iso, .milliseconds, .dateTime: Date(timeIntervalSince1970: Self.seconds(number))
        case .uuidText, .uuidBytes: Self.uuid(number)
        case .words: ["w\(number)", "x"]
        case .bytes: Data([UInt8(truncatingIfNeeded: number), 7])
        }
    }

    /// What the column stores for it.
    func stored(_ number: Int) -> SQLiteValue {
        switch form {
        case .int, .doubled: .integer(Int64(number))
        case .text: .text("t\(number)")
        case .seconds: .real(Self.seconds(number))
        case .milliseconds: .integer(Int64(Self.seconds(number) * 1000))
        case .iso: .text("2023-11-\(Self.twoDigits(number))T10:00:00.250000Z")
        case .dateTime: .text("2023-11-\(Self.twoDigits(number)) 10:00:00.250000")
        case .uuidText: .text(Self.uuid(number).uuidString)
        case .uuidBytes: .blob(withUnsafeBytes(of: Self.uuid(number).uuid) { Data($0) })
        case .words: .text("[\"w\(number)\",\"x\"]")
        case .bytes: .blob(Data([UInt8(truncatingIfNeeded: number), 7]))
        }
    }

    /// The number of what a column stores.
    func number(_ stored: SQLiteValue) -> Int? {
        switch (form, stored) {
        case (.int, .integer(let number)): Int(number)
        case (.text, .text(let text)): Int(text.dropFirst())
        case (.uuidText, .text(let text)): Int(text.suffix(2), radix: 16)
        default: nil
        }
    }

    /// The value as a program in Swift has it.
    func code(_ number: Int?) -> String {
        guard let number else { return "nil" }
        return switch form {
        case .int, .doubled: "\(number)"
        case .text: "\"t\(number)\""
        case .seconds, .iso, .milliseconds, .dateTime: "november(\(number))"
        case .uuidText, .uuidBytes: "uuid(\(number))"
        case .words: "[\"w\(number)\", \"x\"]"
        case .bytes: "Data([\(number), 7])"
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

    /// A quarter past ten seconds on a day of November 2023.
    private static func seconds(_ number: Int) -> Double { 1_698_796_800.25 + Double(number - 1) * 86_400 + 36_000 }
    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private static func uuid(_ number: Int) -> UUID {
        UUID(uuid: (0xAB, 0xCD, 0xEF, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number)))
    }
}

/// A class of the programs.
enum Kind: String, CaseIterable {
    case folder = "Folder", note = "Note", label = "Label", labelling = "Labelling", pin = "Pin", media = "Media"
    case photo = "Photo", clip = "Clip", score = "Score", scrap = "Scrap", journal = "Journal"

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
        }
    }

    /// Those that programs write objects of.
    static let written: [Kind] = [.folder, .note, .label, .media, .photo, .clip, .score, .scrap]

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
                .init("token", "TOKEN", .uuidText), .init("mark", "MARK", .uuidBytes), .init("words", "WORDS", .words),
                .init("body", "BODY", .bytes),
            ]
        case .label: [.init("id", "ID", .uuidText), .init("name", "NAME", .text)]
        case .labelling, .pin: [.init("noteID", "NOTE_ID", .int), .init("labelID", "LABEL_ID", .uuidText)]
        case .media: [.init("id", "ID", .int), .init("title", "TITLE", .text)]
        case .photo: Kind.media.declared + [.init("width", "WIDTH", .int)]
        case .clip: Kind.media.declared + [.init("length", "LENGTH", .int), .init("codec", "CODEC", .text)]
        case .score:
            [
                .init("game", "GAME", .text), .init("round", "ROUND", .int), .init("points", "POINTS", .int),
                .init("player", "PLAYER", .uuidText),
            ]
        case .scrap: [.init("number", "NUMBER", .int), .init("text", "TEXT", .text)]
        case .journal: [.init("text", "TEXT", .text)]
        }
    }

    /// Those that a program may change in a row.
    var changeable: [Property] { properties.filter { $0.isSettable && !table.identity.contains($0.name) } }

    /// A property with numbers, for conditions.
    var numbered: Property? {
        switch self {
        case .label, .labelling, .pin, .journal: nil
        case .score: property("round")
        case .scrap: property("number")
        default: property("id")
        }
    }

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// The class of an object.
    static func of(_ object: PersistingModel) -> Kind? { Kind(rawValue: "\(Swift.type(of: object))") }
}
