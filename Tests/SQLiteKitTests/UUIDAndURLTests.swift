import Foundation
import SQLiteKit
import Testing

@Suite("UUID and URL")
struct UUIDAndURLTests {
    private let uuid = UUID(uuid: (0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xFF))
    private let text = "AB010203-0405-0607-0809-0A0B0C0D0EFF"

    // K4
    @Test("a UUID is stored as text in upper case")
    func stored() throws {
        #expect(try quoted(uuid) == "'\(text)'")
        #expect(try roundTrip(uuid) == uuid)
    }

    // K4
    @Test("a UUID is read from text in either case")
    func lowerCase() throws {
        #expect(try read("'\(text.lowercased())'", as: UUID.self) == uuid)
    }

    // K4
    @Test("a UUID is read from a blob of 16 bytes")
    func blob() throws {
        #expect(try read("X'AB0102030405060708090A0B0C0D0EFF'", as: UUID.self) == uuid)
    }

    // K4
    @Test(
        "what isn't a UUID throws",
        arguments: [
            "''", "'AB010203'", "'AB010203-0405-0607-0809-0A0B0C0D0EFG'", "X''",
            "'AB010203-0405-0607-0809-0A0B0C0D0E-F'",
            "'AB010203-0405-0607-0809-+A0B0C0D0EFF'", "'AB010203-0405-0607-0809- A0B0C0D0EFF'",
            "'AB010203-0405-0607-0809-0A0B0C0D0xEF'", "X'AB0102030405060708090A0B0C0D0E'",
            "X'AB0102030405060708090A0B0C0D0EFF00'", "1", "NULL",
        ])
    func mismatch(_ literal: String) {
        #expect(failure { try read(literal, as: UUID.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("a UUID from a snapshot's blob that is a slice")
    func slicedBlob() throws {
        let bytes = Data([0, 0, 0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xFF, 0])[2..<18]
        #expect(try UUID(sqliteValue: .blob(bytes)) == uuid)
    }

    // K4
    @Test("a URL is stored as its text")
    func url() throws {
        let url = try #require(URL(string: "https://example.org/a%20b?q=1#f"))
        #expect(try quoted(url) == "'https://example.org/a%20b?q=1#f'")
        #expect(try roundTrip(url) == url)
    }

    // K4
    @Test("a file URL is read back as a file URL")
    func fileURL() throws {
        let url = URL(filePath: "/music/größe 1.mp3")
        let stored = try roundTrip(url)
        #expect(stored.isFileURL)
        #expect(stored.path(percentEncoded: false) == "/music/größe 1.mp3")
    }

    // K4
    @Test("what isn't a URL throws", arguments: ["''", "1", "X'61'", "NULL"])
    func urlMismatch(_ literal: String) {
        #expect(failure { try read(literal, as: URL.self) }?.extendedCode == .typeMismatch)
    }
}
