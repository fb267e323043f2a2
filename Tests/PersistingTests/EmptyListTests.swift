import Foundation
import Persisting
import Testing

private final class Tagged: PersistingModel {
    var id: Int64?
    var tags: [String] = []
    var bytes: [UInt8] = []

    override class var columns: Columns {
        ["ID": .int, "TAGS": .json, "BYTES": .data]
    }
}

@Suite("Empty lists") struct EmptyListTests {
    // F99
    @Test("an empty list is one in JSON, and empty bytes are an empty text") func json() throws {
        let object = try Tagged().jsonObject(forKeys: ["tags", "bytes"])
        #expect((object["tags"] as? [Any])?.isEmpty == true)
        #expect(object["bytes"] as? String == "")
    }

    // F110
    @Test("an empty list is described as one") func described() {
        let text = "\(Tagged())"
        #expect(text.contains("tags: []"))
        #expect(text.contains("bytes: <blob 0>"))
    }
}

// F113
@Test("a text is trimmed of blanks and line ends, and blank when nothing else is in it")
func trimmed() {
    #expect(NameText.trimmed(" \t a b\u{A0}\r\n") == "a b")
    #expect(NameText.isBlank("") && NameText.isBlank("\n\t\u{2003}"))
    #expect(!NameText.isBlank(" \u{E9} "))
}
