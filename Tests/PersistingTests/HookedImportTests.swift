import Foundation
import Persisting
import Testing

private final class Plain: PersistingModel {
    var id: Int64?
    var code = ""
    var number = 0
    var version = 0

    override class var tableName: String { "ITEM" }
    override class var versionKey: String? { "version" }
    override class var columns: Columns {
        var columns = super.columns
        // Another than that of a new object.
        columns["CODE"] = .string.unique.default("none")
        return columns
    }
}

/// The same with a validation, so that rows are imported as objects.
private final class Checked: PersistingModel {
    var id: Int64?
    var code = ""
    var number = 0
    var version = 0

    override class var tableName: String { "ITEM" }
    override class var versionKey: String? { "version" }
    override class var columns: Columns { Plain.columns }
    override func validate() -> [ValidationFailure] { super.validate() }
}

@Suite("Imports by statements and as objects")
struct HookedImportTests {
    private static let files = [
        "code,number\na,1\n", "id,code,number\n50,a,9\n", "id,number\n5,1\n,2\n", "number\n7\n",
        "id,code,number,version\n1,b,2,7\n3,c,4,1\n", "version\n4\n",
    ]
    private static let resolutions: [ImportConflict] = [
        .ignore, .replace, .update(), .update(by: "code"), .update(by: "id"),
    ]

    private func rows<Model: PersistingModel>(
        _ type: Model.Type, _ file: String, _ resolution: ImportConflict
    ) throws -> String {
        let manager = try memoryManager(type)
        try manager.execute("INSERT INTO ITEM (ID, CODE, NUMBER, VERSION) VALUES (1, 'a', 3, 5), (2, 'none', 3, 5)")
        var outcome = ""
        do {
            let result = try manager.importCSV(type, contentsOf: Data(file.utf8), onConflict: resolution)
            outcome = "\(result.inserted) \(result.updated) \(result.skipped)"
        } catch let error as PersistenceError {
            outcome = "\(error.code)"
        }
        let rows = try manager.dictionaries(
            "SELECT ID || CODE || ' ' || NUMBER || ' ' || VERSION AS TEXT FROM ITEM ORDER BY ID")
        let texts = rows.map { row in
            guard case .text(let text)? = row.values.first else { return "\(row)" }
            return text
        }
        return "\(outcome) \(texts)"
    }

    @Test("leave the same rows, and count them alike", arguments: files)
    func same(file: String) throws {
        // F119
        for resolution in Self.resolutions {
            #expect(try rows(Plain.self, file, resolution) == rows(Checked.self, file, resolution), "\(resolution)")
        }
    }

    @Test("keep the row's key when it is found by another column") func key() throws {
        // F119
        let rows = try rows(Checked.self, "id,code,number\n50,a,9\n", .update(by: "code"))
        #expect(rows == "0 1 0 [\"1a 9 6\", \"2none 3 5\"]")
    }

    @Test("store the version of the file, and else 1, as an insert does") func version() throws {
        // F119
        for type in [Plain.self, Checked.self] as [PersistingModel.Type] {
            let given = try rows(type, "id,code,version\n8,h,7\n", .ignore)
            #expect(given == #"1 0 0 ["1a 3 5", "2none 3 5", "8h 0 7"]"#)
            let counted = try rows(type, "id,code\n9,i\n", .ignore)
            #expect(counted == #"1 0 0 ["1a 3 5", "2none 3 5", "9i 0 1"]"#)
        }
    }
}
