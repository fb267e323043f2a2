import Foundation
import SQLiteKit
import Testing

@Suite("Blobs")
struct BlobTests {
    // K4, FMDB: zero-length blob
    @Test("an empty blob is not NULL")
    func empty() throws {
        #expect(try roundTrip(Data?.some(Data())) == Data())
        #expect(try roundTrip([UInt8]?.some([])) == [])
        #expect(try quoted(Data()) == "X''")
        #expect(try quoted([UInt8]()) == "X''")
    }

    // K4, FMDB: zero-length blob
    @Test("an empty blob satisfies NOT NULL")
    func emptyNotNull() throws {
        let db = try memory("CREATE TABLE t (v BLOB NOT NULL)")
        #expect(try db.execute("INSERT INTO t VALUES (?)", [Data()]) == 1)
    }

    // K4
    @Test("all bytes are kept")
    func allBytes() throws {
        let bytes = [UInt8](0...255)
        #expect(try roundTrip(bytes) == bytes)
        #expect(try roundTrip(Data(bytes)) == Data(bytes))
    }

    // K4
    @Test("a blob of one megabyte is stored whole")
    func huge() throws {
        let data = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        #expect(try roundTrip(data) == data)
    }

    // K4
    @Test("a slice of Data is bound without what is around it")
    func slice() throws {
        let slice = Data([1, 2, 3, 4, 5])[1...3]
        #expect(try quoted(slice) == "X'020304'")
    }

    // K4
    @Test("a text can be read as its bytes")
    func textBytes() throws {
        #expect(try read("'ü'", as: Data.self) == Data([0xC3, 0xBC]))
        #expect(try read("''", as: Data.self) == Data())
    }

    // K4
    @Test("numbers and NULL aren't a blob", arguments: ["1", "1.5", "NULL"])
    func mismatch(_ literal: String) {
        #expect(failure { try read(literal, as: Data.self) }?.extendedCode == .typeMismatch)
        #expect(failure { try read(literal, as: [UInt8].self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("a blob over SQLite's limit is rejected")
    func tooBig() throws {
        let db = try memory()
        let error = failure { try db.execute("SELECT zeroblob(1000000001)") }
        #expect(error?.code == .tooBig)
    }

    // K4
    @Test("a bound blob is a copy")
    func copy() throws {
        let db = try memory()
        let statement = try db.prepare("SELECT ?")
        var data = Data([1, 2, 3])
        try statement.bind(data, at: 1)
        data[0] = 9
        #expect(try statement.step())
        #expect(try statement.value(at: 0) == .blob(Data([1, 2, 3])))
    }
}
