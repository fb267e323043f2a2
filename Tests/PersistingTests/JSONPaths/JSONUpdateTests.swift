import Foundation
import Persisting
import Testing

@Suite("Updates inside of JSON")
struct JSONUpdateTests {
    @Test("set a value, and leave the rest as it is in each row")
    func rest() throws {
        let manager = try readers(
            { ($0.settings.theme, $0.settings.tags) = ("dark", ["a"]) }, { $0.settings.theme = "dark" }, { _ in })
        let before = try manager.fetchAll(JSONReader.self, sortedBy: .ascending(\.id)).map(\.settings)
        #expect(try manager.update(JSONReader.where(\.settings.theme == "dark"), \.settings.theme, to: "black") == 2)
        let after = try manager.fetchAll(JSONReader.self, sortedBy: .ascending(\.id)).map(\.settings)
        #expect(after.map(\.theme) == ["black", "black", "light"])
        #expect(
            after.map {
                var old = $0; old.theme = "light"; return old
            }
                == before.map {
                    var old = $0; old.theme = "light"; return old
                })
    }

    @Test("set values of every type")
    func types() throws {
        let manager = try readers({ _ in })
        let date = Date(timeIntervalSince1970: 1_700_000_000.5)
        try manager.update(JSONReader.where(\.name == ""), \.settings.kind, to: .dark)
        try manager.update(JSONReader.where(\.name == ""), \.settings.since, to: date)
        try manager.update(JSONReader.where(\.name == ""), \.settings.font, to: Font(size: 1, name: "x"))
        try manager.update(JSONReader.where(\.name == ""), \.settings.price, to: 0.25)
        try manager.update(JSONReader.where(\.name == ""), \.settings.isOpen, to: true)
        try manager.update(JSONReader.where(\.name == ""), \.settings.tags, to: ["a"])
        try manager.update(JSONReader.where(\.name == ""), \.settings.large, to: .max)
        let settings = try #require(try manager.fetchAll(JSONReader.self).first?.settings)
        #expect(settings.kind == .dark && settings.since == date && settings.font == Font(size: 1, name: "x"))
        #expect(settings.price == 0.25 && settings.isOpen && settings.tags == ["a"] && settings.large == .max)
        try manager.update(JSONReader.where(\.name == ""), \.settings.since, to: nil)
        #expect(try manager.matches(\.settings.since == nil) == ([1], true))
    }

    @Test("take a dictionary's value out, and set none to nil that can't be")
    func none() throws {
        let manager = try readers({ $0.settings.limits = ["a": 1, "b": 2] })
        try manager.update(JSONReader.where(\.id == 1), \.settings.limits["a"], to: nil)
        #expect(try manager.fetchAll(JSONReader.self).first?.settings.limits == ["b": 2])
        let error = failure { try manager.update(JSONReader.where(\.id == 1), set: ["settings.theme": nil]) }
        #expect(error?.code == .typeMismatch && error?.key == "settings.theme")
        let wrong: [(String, any Sendable)] = [
            ("settings.theme", 5), ("settings.isOpen", "x"), ("settings.font.size", "x"), ("settings.tags", [1]),
            ("settings.count", 2.5), ("settings.kind", "none"), ("settings.limits.a", "x"),
        ]
        for (key, value) in wrong {
            let error = failure { try manager.update(JSONReader.where(\.id == 1), set: [key: value]) }
            #expect(error?.code == .typeMismatch && error?.key == key, "\(key)")
        }
        #expect(try manager.fetchAll(JSONReader.self).count == 1)
    }

    @Test("set several values by their names")
    func names() throws {
        let manager = try readers({ _ in })
        try manager.update(
            JSONReader.where(\.name == ""), set: ["settings.theme": "x", "settings.font.size": 3.5, "name": "n"])
        let reader = try #require(try manager.fetchAll(JSONReader.self).first)
        #expect(reader.settings.theme == "x" && reader.settings.font.size == 3.5 && reader.name == "n")
    }

    @Test("throw for a value that isn't the property's, and for a column that is set as well")
    func mistakes() throws {
        let manager = try readers({ _ in })
        #expect(
            failure { try manager.update(JSONReader.where(\.name == ""), set: ["settings.count": "x"]) }?.code
                == .typeMismatch)
        let twice = failure {
            try manager.update(
                JSONReader.where(\.name == ""), set: ["settings.count": 1, "settings": ReaderSettings()])
        }
        #expect(twice?.code == .invalidCriteria)
        #expect(
            failure { try manager.update(JSONReader.where(\.name == ""), \.settings.awkward, to: 1) }?.code
                == .unsupported)
    }

    @Test("set no value of another type inside of JSON that is Optional")
    func optional() throws {
        let manager = try memoryManager(InfoNote.self)
        try manager.insert([InfoNote(), InfoNote()])
        try manager.run("UPDATE INFO_NOTE SET INFO = '{\"text\":\"a\"}' WHERE ID = 1")
        for value in [5, nil, ["a"]] as [(any Sendable)?] {
            let error = failure { try manager.updateAll(InfoNote.self, set: ["info.text": value]) }
            #expect(error?.code == .typeMismatch && error?.key == "info.text")
        }
        try manager.updateAll(InfoNote.self, set: ["info.text": "b"])
        #expect(try manager.fetchAll(InfoNote.self, sortedBy: "id").map { $0.info?.text } == ["b", nil])
    }
}

/// Two forms of large integers, and JSON on both sides of a relation.
private final class Folder: PersistingModel {
    var id: Int64?
    var plain: UInt64?
    var bits: UInt64?
    static let notes = ToMany(inverse: Filed.folder)
    override class var relations: Relations { ["notes": notes] }
    override class var columns: Columns {
        var columns = super.columns
        columns["BITS"] = .int.bitPattern
        return columns
    }
}

private final class Filed: PersistingModel {
    var id: Int64?
    var info: InfoNote.Info?
    var folderID: Int64?
    static let folder = ToOne(\Filed.folderID, Folder.self)
    override class var relations: Relations { ["folder": folder] }
    override class var columns: Columns { InfoNote.columns }
}

@Suite("What other rows and columns have in other forms")
struct FolderTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Folder.self)
        try manager.createTableIfNecessary(for: Filed.self)
    }

    @Test("a path inside of JSON follows ANY, ALL and NONE") func quantified() throws {
        // F66
        try manager.save([Folder(), Folder()])
        for (number, text) in ["x", "y"].enumerated() {
            let filed = Filed()
            (filed.info, filed.folderID) = (InfoNote.Info(text: text), 1 + Int64(number))
            try manager.save(filed)
        }
        let formats = ["ANY notes.info.text == 'x'", "ALL notes.info.text == 'x'", "NONE notes.info.text == 'y'"]
        for format in formats {
            let condition = try Criteria<Folder>(format: format)
            #expect(try manager.fetchAll(Folder.self, where: condition).map(\.id) == [1], "\(format)")
        }
        #expect(failure { try Criteria<Folder>(format: "ANY notes.inf.text == 'x'") }?.code == .unknownKey)
    }

    @Test("bits aren't copied to a column of plain integers, nor the other way") func bits() throws {
        let folder = Folder()
        folder.bits = .max
        try manager.save(folder)
        #expect(throws: (any Error).self) { try manager.update(Folder.where(\.id == 1), \.plain, to: Folder.row.bits) }
        folder.plain = 5
        try manager.save(folder)
        let error = failure { try manager.update(Folder.where(\.id == 1), \.bits, to: Folder.row.plain) }
        #expect(error?.code == .typeMismatch)
        let found = try #require(try manager.find(Folder.self, 1))
        #expect(found.plain == 5 && found.bits == .max)
    }
}

private final class InfoNote: PersistingModel {
    struct Info: Codable, Sendable {
        var text = "x"
        var number: Int?
    }

    var id: Int64?
    var info: Info?

    override class var columns: Columns {
        var columns = super.columns
        columns["INFO"] = .json
        return columns
    }
}
