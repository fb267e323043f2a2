import Foundation
import Persisting

enum Kind: String, SQLiteValueConvertible, CaseIterable { case full, trailer, bonus }

enum Level: Int, SQLiteValueConvertible, CaseIterable { case low = 100, middle = 200, high = 300 }

/// Stored as JSON.
struct Tags: Codable, SQLiteValueConvertible, Equatable {
    var names: [String] = []
    var weight: Double?
}

/// Bytes and nothing else, with padding between them; stored as it says itself.
struct Pair: SQLiteValueConvertible, Equatable {
    var small: UInt8 = 0
    var large: Int64 = 0

    init(_ small: UInt8 = 0, _ large: Int64 = 0) {
        self.small = small
        self.large = large
    }

    init(sqliteValue: SQLiteValue) throws {
        guard case .text(let text) = sqliteValue else { throw sqliteValue.mismatch(Pair.self) }
        let parts = text.split(separator: ":")
        guard parts.count == 2, let small = UInt8(parts[0]), let large = Int64(parts[1]) else {
            throw sqliteValue.mismatch(Pair.self)
        }
        self.init(small, large)
    }

    func sqliteValue() -> SQLiteValue { .text("\(small):\(large)") }

    static var columnType: ColumnType { .text }
}

/// A property of every type that a column can hold.
final class Everything: PersistingModel {
    var id: Int64?
    var int: Int = 0
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint: UInt = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var bool = false
    var double: Double = 0
    var float: Float = 0
    var string = ""
    var data = Data()
    var bytes: [UInt8] = []
    var date = Date(timeIntervalSince1970: 0)
    var uuid = UUID()
    var url = URL(filePath: "/")
    var decimal: Decimal = 0
    var kind: Kind = .full
    var level: Level = .low
    var tags = Tags()
    var pair = Pair()
}

/// An Optional of every type that a column can hold.
final class Possible: PersistingModel {
    var id: Int64?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var bool: Bool?
    var double: Double?
    var float: Float?
    var string: String?
    var data: Data?
    var bytes: [UInt8]?
    var date: Date?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var kind: Kind?
    var level: Level?
    var tags: Tags?
    var pair: Pair?
}
