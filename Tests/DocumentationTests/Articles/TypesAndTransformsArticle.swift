// swift-format-ignore-file
import Foundation
import Persisting
import Testing

// snippet.show
enum Medium: String, SQLiteValueConvertible { case oil, print }

struct Marks: OptionSet, SQLiteValueConvertible {
    let rawValue: Int; static let signed = Marks(rawValue: 1)
}

// as JSON
struct Frame: Codable, SQLiteValueConvertible { var width = 0.0, wood: String? }
// snippet.hide

// snippet.show
struct Tint: Equatable { var red = 0, green = 0, blue = 0 }

enum TintError: Error { case notHex(String) }

extension Transform where Value == Tint {
    static let hex = Transform(
        encode: { String($0.red << 16 | $0.green << 8 | $0.blue, radix: 16) },
        decode: { (text: String) in
            guard let bits = Int(text, radix: 16) else {
                throw TintError.notHex(text)
            }
            return Tint(
                red: bits >> 16, green: bits >> 8 & 255, blue: bits & 255)
        })
}

extension Transform where Value == String {
    static let lowercased = Transform(
        encode: { $0.lowercased() }, decode: { (text: String) in text })
}
// snippet.hide

// snippet.show
final class Poster: PersistingModel {
    var id: UUID?
    var title = ""
    var medium = Medium.print
    var marks: Marks = []
    var frame: Frame?
    var checksum: UInt64 = 0
    var ink = Tint()
    var paper: Tint?
    var mail = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["ID"] = .uuid.stored(as: .blob)
        columns["CHECKSUM"] = .int.bitPattern
        columns["MAIL"] = .string.transformed(by: .lowercased)
        return columns
    }
    override class var transforms: [AnyTransform] {
        super.transforms + [.init(.hex)]
    }
}
// snippet.hide

struct TypesAndTransformsArticle: Article {
    func run() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Poster.self)
        let poster = Poster()
        (poster.id, poster.ink, poster.marks, poster.mail) = (UUID(), Tint(red: 255), .signed, "Ada@Example.com")
        (poster.checksum, poster.frame) = (.max, Frame(width: 2, wood: "oak"))
        try manager.save(poster)
        // snippet.show
        let red = try manager.fetchAll(
            Poster.self, where: \.ink == Tint(red: 255) && \.paper == nil)
        let same = try manager.fetchAll(
            Poster.self, where: ["ink": Tint(red: 255), "marks": Marks.signed])
        let byMail = try manager.fetchOne(
            Poster.self, where: \.mail == "Ada@Example.com")  // finds ada@example.com
        // snippet.hide
        #expect([red.map(\.id), same.map(\.id), [byMail?.id]] == [[poster.id], [poster.id], [poster.id]])
        #expect(byMail?.checksum == .max)
        #expect(byMail?.frame?.wood == "oak")
        #expect(byMail?.mail == "ada@example.com")

        try manager.execute("UPDATE POSTER SET INK = 7")
        // snippet.show
        do {
            _ = try manager.fetchAll(Poster.self)
        } catch let error as PersistenceError where error.code == .typeMismatch {
            print(
                error.model ?? "", error.key ?? "", error.rowKey ?? [:],
                error.found ?? "", error.expected ?? "")
        }
        // snippet.hide
    }
}
