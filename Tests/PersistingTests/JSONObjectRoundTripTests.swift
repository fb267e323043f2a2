import Foundation
import Persisting
import Testing

private struct Grants: OptionSet, SQLiteValueConvertible {
    let rawValue: UInt64
}

/// A Codable type whose JSON is a mere text.
private struct Label: Codable, SQLiteValueConvertible, Equatable {
    var text = "a"

    init(_ text: String = "a") { self.text = text }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private final class Parcel: PersistingModel {
    var id: Int64?
    var lists: [String: [Int]] = [:]
    var label = Label()
    var maybe: Label?
    var rights: Grants = []
    var hex = Data()
    var packed = UUID()
    var flags = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["LISTS"] = .json
        columns["RIGHTS"] = .int.bitPattern
        columns["HEX"] = .any.transformed(
            by: Transform(
                encode: { (data: Data) in data.map { "\($0)" }.joined(separator: " ") },
                decode: { (text: String) in
                    Data(text.split(separator: " ").compactMap { UInt8($0) })
                }))
        columns["PACKED"] = .uuid.stored(as: .blob)
        return columns
    }
    override class var bitFields: [BitField] { [BitField("isHeavy", in: "flags", mask: 4)] }
}

@Suite("Objects as JSON and back")
struct JSONObjectRoundTripTests {
    /// Through the bytes of a JSON text.
    private func sent(_ object: [String: Any]) throws -> [String: Any] {
        let data = try JSONSerialization.data(withJSONObject: object)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("setValues takes what jsonObject writes, of every type")
    func everyType() throws {
        // F55, F56
        let object = Everything()
        object.int8 = -8
        object.uint64 = UInt64(Int64.max)
        object.int64 = .min
        object.bool = true
        object.double = 0.1
        object.float = 1.5
        object.string = "aGk="
        object.data = Data([0, 1, 255])
        object.bytes = [1, 2, 3]
        object.date = Date(timeIntervalSince1970: 1_700_000_000.25)
        object.url = try #require(URL(string: "https://example.org/a?b=c"))
        object.decimal = try #require(Decimal(string: "0.10000000000000000000001"))
        object.kind = .bonus
        object.level = .high
        object.tags = Tags(names: ["a", "b"], weight: 2)
        object.pair = Pair(1, 2)
        for json in [try object.jsonObject(), try sent(object.jsonObject())] {
            let other = Everything()
            try other.setValues(json)
            for key in object.dictionary().keys {
                #expect(try storedForm(other, key) == storedForm(object, key), "\(key)")
            }
        }
    }

    @Test("setValues takes what jsonObject writes of types that the column stores otherwise")
    func otherForms() throws {
        // F55, F56
        let parcel = Parcel()
        parcel.lists = ["a": [1, 2], "b": []]
        parcel.label = Label("12")
        parcel.maybe = Label("é\"")
        parcel.rights = Grants(rawValue: .max)
        parcel.hex = Data([0, 200])
        parcel.flags = 4
        for json in [try parcel.jsonObject(), try sent(parcel.jsonObject())] {
            let other = Parcel()
            try other.setValues(json)
            #expect(other.lists == parcel.lists)
            #expect(other.rights == parcel.rights)
            for key in parcel.dictionary().keys where key != "rights" {
                #expect(try storedForm(other, key) == storedForm(parcel, key), "\(key)")
            }
        }
        let other = Parcel()
        try other.setValues(parcel.jsonObject(forKeys: ["isHeavy"]))
        #expect(other.flags == 4)
    }

    @Test("A text that isn't Base64 is rejected for bytes")
    func notBase64() throws {
        // F55, Settled 9
        let object = Possible()
        let error = failure { try object.setValue("no Base64!", forKey: "data") }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "data")
        #expect(object.data == nil)
    }
}
