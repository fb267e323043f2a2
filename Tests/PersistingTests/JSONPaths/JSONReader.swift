import Foundation
import Persisting

struct Font: Codable, Sendable, Equatable {
    var size = 12.5
    var name = "Serif"
}

enum Theme: String, Codable, Sendable, CaseIterable {
    case light, dark, black
}

/// Values of all the types that a column may have.
struct ReaderSettings: Codable, Sendable, Equatable {
    var theme = "light"
    var kind = Theme.light
    var font = Font()
    var tags: [String] = []
    var limits: [String: Int] = [:]
    var since: Date?
    var token = UUID()
    var price: Decimal = 1.5
    var isOpen = false
    var count: Int64 = 3
    var large: UInt64 = 1
    var ratio: Float = 0.1
    var renamed = "r"
    var awkward: Int?
    var notEncoded = 7

    /// Computed properties, of which none reads what is encoded.
    var upper: String {
        get { theme.uppercased() }
        set { theme = newValue.lowercased() }
    }
    var clamped: Int64 {
        get { min(count, 10) }
        set { count = min(newValue, 10) }
    }
    var length: Int { theme.count }
    var effective: String { isOpen ? theme : renamed }

    enum CodingKeys: String, CodingKey {
        case theme, kind, font, tags, limits, since, token, price, isOpen, count, large, ratio
        case renamed = "re.named"
        case awkward = "a \"quote\"'s \\ key"
    }
}

/// A type that writes no value that is its default.
struct Sparse: Codable, Sendable, Equatable {
    var level = 5
    var title: String?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        level = try container.decodeIfPresent(Int.self, forKey: .level) ?? 5
        title = try container.decodeIfPresent(String.self, forKey: .title)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if level != 5 { try container.encode(level, forKey: .level) }
        try container.encodeIfPresent(title, forKey: .title)
    }

    enum CodingKeys: CodingKey { case level, title }
}

final class JSONReader: PersistingModel {
    var id: Int64?
    var name = ""
    var settings = ReaderSettings()
    var sparse = Sparse()
    var other: Font?

    override class var tableName: String { "READER" }
    override class var columns: Columns {
        ["ID": .int, "NAME": .string, "SETTINGS": .json, "SPARSE": .json, "OTHER": .json]
    }
}

/// A manager with readers, one for each way to change one.
func readers(_ changes: ((JSONReader) -> Void)...) throws -> PersistenceManager {
    let manager = try memoryManager(JSONReader.self)
    for change in changes {
        let reader = JSONReader()
        change(reader)
        try manager.insert(reader)
    }
    return manager
}

extension PersistenceManager {
    /// The identifiers of the rows that a condition matches in SQL, and whether it matches the same objects in memory.
    func matches(_ criteria: Criteria<JSONReader>) throws -> (ids: [Int64], isSame: Bool) {
        let found = try fetchAll(JSONReader.self, where: criteria, sortedBy: .ascending(\.id)).compactMap(\.id)
        let all = try fetchAll(JSONReader.self, sortedBy: .ascending(\.id))
        return (found, try criteria.filter(all).compactMap(\.id) == found)
    }
}
