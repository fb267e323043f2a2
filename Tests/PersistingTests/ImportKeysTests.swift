import Foundation
import Persisting
import Testing

private final class Show: PersistingModel {
    var id: Int64?
    var title = ""
    var flags = 0
    var isHeard: Bool {
        get { flags & 4 != 0 }
        set { flags = newValue ? flags | 4 : flags & ~4 }
    }

    override class var bitFields: [BitField] {
        [BitField("isLoved", in: "flags", mask: 1), BitField("isNew", in: "flags", mask: 2)]
    }
    override class var aliases: [Alias] {
        [Alias("name", for: "title"), Alias("isHeard", \Show.isHeard, in: "flags")]
    }
}

private final class RemoteShow: PersistingModel {
    var id: Int64?
    var title = ""
    var flags = 0

    override class var bitFields: [BitField] { [BitField("isLoved", in: "flags", mask: 1)] }
    override class var aliases: [Alias] { [Alias("name", for: "title")] }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping([
            .key("id", "id", .number, isPrimaryKey: true), .key("name", "meta.name"),
            .key("isLoved", "meta.loved", .bool),
        ])
    }
}

private final class Measured: PersistingModel {
    var id: Int64?
    var size = 0.0

    override class var remoteMapping: RemoteMapping {
        RemoteMapping([.key("id", "id"), .key("size", "size", .number)])
    }
}

/// Two unique constraints, and a hook.
private final class HookedAccount: PersistingModel {
    var id: Int64?
    var email: String?
    var site: String?
    var number: Int?
    var saves = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["EMAIL"] = .string.unique
        return columns
    }
    override class var indexes: [Index] { [.unique("site", "number")] }
    override func willInsert() { saves = 1 }
    override func willUpdate() { saves += 1 }
}

private final class RemoteNamed: PersistingModel {
    var id: Int64?
    var number = 0
    var name = ""
    var shouted = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["SHOUTED"] = .string.generated(as: "upper(NAME)")
        return columns
    }
    override class var remoteMapping: RemoteMapping { RemoteMapping([.key("number", "id"), .key("name", "name")]) }
}

/// A column has the name of another column's property.
private final class CrossedName: PersistingModel {
    var id: Int64?
    var code = ""
    var name = ""

    override class var columns: Columns {
        ["ID": .int, "name": .string.property("code"), "full_name": .string.property("name")]
    }
}

private func data(_ text: String) -> Data { Data(text.utf8) }

@Suite("Keys of imports") struct ImportKeysTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Show.self)
        try manager.createTableIfNecessary(for: RemoteShow.self)
        try manager.createTableIfNecessary(for: HookedAccount.self)
        try manager.createTableIfNecessary(for: RemoteNamed.self)
    }

    private func flags() throws -> [Int] { try manager.fetchAll(Show.self, sortedBy: "id").map(\.flags) }

    @Test("A header names bit fields and aliases") func header() throws {
        // F34 F106
        let report = try manager.importCSV(
            Show.self, contentsOf: data("id,name,isLoved,isNew,isHeard\n1,a,yes,0,true\n2,b,,1,false\n"))
        #expect(try report.inserted == 2 && flags() == [5, 2])
        #expect(try manager.fetchAll(Show.self, sortedBy: "id").map(\.title) == ["a", "b"])
    }

    @Test("A property's name counts before the name of another property's column") func crossedNames() throws {
        // F94 F106 F118
        let manager = try memoryManager(CrossedName.self)
        try manager.importJSON(CrossedName.self, contentsOf: data(#"[{"id": 1, "code": "x", "name": "Ann"}]"#))
        try manager.importCSV(CrossedName.self, contentsOf: data("id,code,name\n2,x,Ann\n"))
        try manager.upsertAll(CrossedName.self, json: data(#"[{"id": 3, "name": "Ann"}]"#))
        try manager.importJSON(CrossedName.self, contentsOf: data(#"[{"id": 4, "full_name": "Ann"}]"#))
        try manager.importJSON(CrossedName.self, contentsOf: data(#"[{"ID": 5, "name": "x"}]"#), keys: .columns)
        let found = try manager.fetchAll(CrossedName.sorted(by: \.id))
        #expect(found.map(\.name) == ["Ann", "Ann", "Ann", "Ann", ""])
        #expect(found.map(\.code) == ["x", "x", "", "", "x"])
    }

    @Test("An update sets the bits that the file has, and keeps the others") func update() throws {
        // F34 F118
        try manager.insert(Show.self, values: ["id": 1, "flags": 6])
        let report = try manager.importJSON(
            Show.self, contentsOf: data(#"{"id": 1, "isLoved": true, "isNew": false}"#), .lines,
            onConflict: .update(by: "id"))
        #expect(try report.updated == 1 && flags() == [5])
    }

    @Test("A bit field that is neither true nor false is an error of its field") func invalidBit() throws {
        // F34 F118
        let report = try manager.importCSV(
            Show.self, contentsOf: data("id,isLoved\n1,maybe\n2,1\n"), errors: .collect(max: 1))
        #expect(report.failures.map(\.column) == ["isLoved"] && report.failures.first?.value == "maybe")
        #expect(try flags() == [1])
    }

    @Test("A remote mapping names bit fields and aliases, for files") func remoteFile() throws {
        // F34 F88
        let text = data(
            #"[{"id": 1, "meta": {"name": "a", "loved": 1}}, {"id": 2, "meta": {"name": "b", "loved": "x"}}]"#)
        let report = try manager.importJSON(RemoteShow.self, contentsOf: text, errors: .collect(max: 1))
        #expect(report.failures.map(\.column) == ["meta.loved"])
        #expect(try manager.fetchAll(RemoteShow.self).map(\.flags) == [1])
        #expect(try manager.fetchAll(RemoteShow.self).map(\.title) == ["a"])
    }

    @Test("A remote mapping names bit fields and aliases, for objects") func remoteObject() throws {
        // F34 F88 F94
        try manager.insert(RemoteShow.self, values: ["id": 1, "flags": 8])
        let show = try manager.upsert(RemoteShow.self, json: ["id": 1, "meta": ["name": "a", "loved": true]])
        #expect(show.flags == 9 && show.title == "a")
        #expect(try manager.upsert(RemoteShow.self, json: ["id": 1, "meta": NSNull()]).flags == 8)
    }

    @Test("A number of a remote mapping may be infinite, as an export writes it") func infinity() throws {
        // F88 F119
        let text = data(#"{"id": 1, "size": "-Infinity"}"#)
        try manager.createTableIfNecessary(for: Measured.self)
        try manager.importJSON(Measured.self, contentsOf: text, .lines)
        #expect(try manager.fetchAll(Measured.self).map(\.size) == [-.infinity])
    }

    @Test("A class with hooks is updated by any unique constraint") func anyConstraint() throws {
        // F118
        try manager.importCSV(HookedAccount.self, contentsOf: data("id,email,site,number\n1,a,x,1\n2,b,x,2\n"))
        let report = try manager.importCSV(
            HookedAccount.self, contentsOf: data("email,site,number\nb,y,9\n,x,1\nc,z,3\n"), onConflict: .update())
        #expect(report.updated == 2 && report.inserted == 1)
        #expect(try manager.fetchAll(HookedAccount.self, sortedBy: "id").map(\.saves) == [2, 2, 1])
        #expect(
            try manager.find(HookedAccount.self, 2)?.site == "y" && manager.find(HookedAccount.self, 1)?.email == nil)
    }

    @Test("A class with hooks is replaced by any unique constraint, and skipped by it") func replacedByAny() throws {
        // F118
        try manager.importCSV(HookedAccount.self, contentsOf: data("id,email\n1,a\n"))
        let text = data("email,number\na,7\n")
        #expect(try manager.importCSV(HookedAccount.self, contentsOf: text, onConflict: .ignore).skipped == 1)
        #expect(try manager.importCSV(HookedAccount.self, contentsOf: text, onConflict: .replace).updated == 1)
        #expect(try manager.fetchAll(HookedAccount.self).map(\.number) == [7])
    }

    @Test("The last row of an import is the one that was inserted last", arguments: [true, false])
    func lastInserted(_ usesObjects: Bool) throws {
        // F108
        let text = data("id,title\n3,a\n2,b\n")
        if usesObjects {
            try manager.importCSV(HookedAccount.self, contentsOf: data("id,email\n3,a\n2,b\n"))
            #expect(try manager.lastInserted(HookedAccount.self)?.email == "b")
        } else {
            try manager.importCSV(Show.self, contentsOf: text)
            #expect(try manager.lastInserted(Show.self)?.title == "b")
            #expect(throws: PersistenceError.self) {
                try manager.importCSV(Show.self, contentsOf: data("id,title\n9,c\n9,d\n"))
            }
            #expect(try manager.lastInserted(Show.self)?.title == "b")
        }
    }

    @Test("A renamed field is the property, though another's remote key is called so") func renamed() throws {
        // F88 F106
        let format = CSVFormat(header: .renamed(["n": "name", "number": "id"]))
        try manager.importCSV(RemoteNamed.self, contentsOf: data("n,number\na,7\n"), format)
        #expect(try manager.fetchAll(RemoteNamed.self).map(\.id) == [7])
    }

    @Test("A field can't be renamed to what SQLite writes alone") func renamedToGenerated() {
        // F106
        let error = failure {
            try manager.importCSV(
                RemoteNamed.self, contentsOf: data("x,id\n1,2\n"), CSVFormat(header: .renamed(["x": "shouted"])))
        }
        #expect(error?.code == .notWritable)
    }
}

@Suite("JSON inside objects") struct JSONEnvelopeTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Show.self)
    }

    private func importItems(_ text: String, at path: String = "items") throws -> ImportReport {
        try manager.importJSON(Show.self, contentsOf: data(text), .array(at: path))
    }

    @Test(
        "The array of an object is imported, whatever else there is",
        arguments: [
            #"{"items": [{"id": 1}, {"id": 2}]}"#, #" { "items":[{"id":1},{"id":2}] , "next" : null } "#,
            #"{"meta": {"items": [1]}, "total": 2, "it\u0065ms": [{"id": 1}, {"id": 2}], "x": [[]]}"#,
        ])
    func array(_ text: String) throws {
        // F89 F118
        #expect(try importItems(text).inserted == 2)
    }

    @Test("The array may be in objects inside each other") func path() throws {
        // F89 F118
        let text = #"{"a": {"c": 1, "b": [{"id": 1}], "d": 2}, "e": {}}"#
        #expect(try importItems(text, at: "a.b").inserted == 1)
    }

    @Test(
        "What isn't there is an error that says so",
        arguments: [
            (#"{"other": []}"#, "the text has no key \"items\""), ("{}", "the text has no key \"items\""),
            ("[]", "the text isn't an object, in which \"items\" is looked for"),
            (#"{"items": {}}"#, "\"items\" isn't an array"), (#"{"items" []}"#, "a colon is missing after a key"),
            (#"{"items": []"#, "a comma or } is missing after a value"),
            (#"{"items": [] "x"}"#, "a comma or } is missing after a value"),
            (#"{"items": []} 1"#, "there is more after the object"),
            ("{\n\"x\": tru}", "line 2: a value isn't one of JSON's"),
        ])
    func errors(_ text: String, _ reason: String) {
        // F118
        let error = failure { try importItems(text) }
        #expect(error?.code == .importFailed && error?.message.contains(reason) == true, "\(error?.message ?? "none")")
    }

    @Test("An import goes on inside the array") func resumes() throws {
        // F118
        let text = data("{\"items\": [{\"id\": 1},\n{\"id\": \"x\"}, {\"id\": 3}], \"next\": 4}")
        let error = failure {
            try manager.importJSON(Show.self, contentsOf: text, .array(at: "items"), commit: .every(rows: 1))
        }
        let rest = try manager.importJSON(
            Show.self, contentsOf: text, .array(at: "items"), errors: .collect(max: 1),
            from: error?.importReport?.position)
        #expect(rest.inserted == 1 && rest.failures.map(\.line) == [2])
    }

    @Test("An export writes the objects around the array, and an import reads them") func export() throws {
        // F119
        let directory = try TemporaryDirectory()
        let url = URL(filePath: directory.path("export.json"))
        try manager.importJSON(Show.self, contentsOf: data(#"[{"id": 1, "title": "a"}, {"id": 2}]"#))
        try manager.exportJSON(Query(Show.self), to: url, .array(at: "a.b\""), keys: .columns)
        let text = #"{"a":{"b\"":[{"ID":1,"TITLE":"a","FLAGS":0},"# + "\n" + #"{"ID":2,"TITLE":"","FLAGS":0}]}}"# + "\n"
        #expect(try String(contentsOf: url, encoding: .utf8) == text)
        try manager.deleteAll(Show.self)
        #expect(try manager.importJSON(Show.self, contentsOf: url, .array(at: "a.b\"")).inserted == 2)
    }

    @Test("Objects are made from a part of a response") func part() throws {
        // F89 F95
        let response = data(#"{"result": {"shows": [{"id": 1, "title": "a"}]}, "count": 1}"#)
        #expect(try manager.upsertAll(Show.self, json: response.at("result.shows")).map(\.title) == ["a"])
        #expect(failure { try manager.upsertAll(Show.self, json: response.at("result.none")) }?.code == .invalidFormat)
    }

    @Test("Objects are made from values that are Codable") func encodable() throws {
        // F88 F98
        struct Value: Codable {
            var id: Int
            var title: String
        }
        let values = [Value(id: 1, title: "a"), Value(id: 2, title: "b")]
        #expect(try manager.upsertAll(Show.self, json: EncodedJSON(values)).map(\.title) == ["a", "b"])
        #expect(try manager.upsert(Show.self, json: EncodedJSON(Value(id: 2, title: "c"))).title == "c")
    }
}
