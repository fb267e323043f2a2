internal import Foundation
internal import SQLiteKit

/// The rows of one message: the names of the columns, and then for each row the classes of its values, four bits each,
/// and the values.
///
/// It has a copy of the message's bytes that stays where it is, so that a value is read from its place.
final class RowPage {
    private let bytes: UnsafeRawBufferPointer
    private let names: Range<Int>
    /// The first byte that hasn't been read.
    private var place: Int
    /// How many columns each row has.
    let columnCount: Int
    /// What the columns of the row hold.
    private let contents: UnsafeMutablePointer<ColumnContent>

    /// What follows a row.
    enum Step {
        case row
        /// There are no more rows.
        case end
        /// There are more in another message.
        case part
    }

    /// - Parameter reader: At the beginning of the body.
    init(_ reader: MessageReader) throws(SQLiteError) {
        var reader = reader
        columnCount = try reader.count(of: "columns", each: 8)
        let start = reader.place
        for _ in 0..<columnCount { _ = try reader.textRange() }
        names = start..<reader.place
        place = reader.place
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: reader.bytes.count, alignment: 8)
        copy.copyBytes(from: reader.bytes)
        bytes = UnsafeRawBufferPointer(copy)
        contents = .allocate(capacity: columnCount)
        contents.initialize(repeating: .null, count: columnCount)
    }

    deinit {
        bytes.deallocate()
        contents.deallocate()
    }

    /// Whether the message says at its end that another follows.
    var hasMore: Bool { bytes.last == 0xEE }

    /// The bytes of the columns' names.
    var nameBytes: Slice<UnsafeRawBufferPointer> { bytes[names] }

    /// Whether the columns' names are of these bytes.
    func hasNames(_ other: [UInt8]) -> Bool {
        other.withUnsafeBytes { other in
            guard other.count == names.count, let lhs = other.baseAddress, let rhs = bytes.baseAddress else {
                return false
            }
            return memcmp(lhs, rhs + names.lowerBound, names.count) == 0
        }
    }

    /// The names of the columns.
    func columnNames() throws(SQLiteError) -> ColumnNames {
        var reader = MessageReader(Array(nameBytes))
        var names: [String] = []
        names.reserveCapacity(columnCount)
        for _ in 0..<columnCount { names.append(try reader.text()) }
        return ColumnNames(names: names)
    }

    /// The row that ``next()`` has gone to. Its bytes stay as long as the page.
    var row: RemoteRow { RemoteRow(contents, count: columnCount) }

    /// Goes to the next row.
    ///
    /// - Throws: `.invalidMessage`, also when the message ends without saying whether more rows follow.
    func next() throws(SQLiteError) -> Step {
        guard bytes.count - place >= 8 else { throw .invalidMessage("its rows have no end") }
        // No class has these numbers.
        switch bytes[place] {
        case 0xFF: return .end
        case 0xEE: return .part
        default: break
        }
        guard columnCount > 0 else { throw .invalidMessage("it has a row without columns") }
        let types = try skip((columnCount + 1) / 2, "a row's classes")
        for column in 0..<columnCount {
            let pair = bytes[types + column / 2]
            let number = column % 2 == 0 ? pair & 15 : pair >> 4
            guard let type = ValueType(rawValue: number) else {
                throw .invalidMessage("its column \(column) has a value of class \(number)")
            }
            contents[column] = try content(type)
        }
        return .row
    }

    @inline(__always)
    private func content(_ type: ValueType) throws(SQLiteError) -> ColumnContent {
        switch type {
        case .integer, .unixTime, .boolean: .integer(Int64(bitPattern: try word()))
        case .real: .real(Double(bitPattern: try word()))
        case .null: try null()
        case .text, .isoDate: .bytes(.text, try text())
        case .blob: .bytes(.blob, try blob())
        }
    }

    @inline(__always)
    private func word() throws(SQLiteError) -> UInt64 {
        let start = try skip(8, "a number")
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }

    private func null() throws(SQLiteError) -> ColumnContent {
        _ = try skip(8, "a number")
        return .null
    }

    @inline(__always)
    private func text() throws(SQLiteError) -> UnsafeRawBufferPointer {
        guard place < bytes.count, let start = bytes.baseAddress.map({ $0 + place }),
            let end = memchr(start, 0, bytes.count - place)
        else { throw cut("a text") }
        let length = UnsafeRawPointer(end) - start
        _ = try skip(length + 1, "a text")
        return UnsafeRawBufferPointer(start: start, count: length)
    }

    /// The bytes of a blob, which its length precedes.
    @inline(__always)
    private func blob() throws(SQLiteError) -> UnsafeRawBufferPointer {
        let length = try word()
        guard let length = Int(exactly: length), length <= bytes.count - place else {
            throw .invalidMessage("it counts \(length) bytes of a blob, and \(bytes.count - place) bytes follow")
        }
        let start = try skip(length, "a blob")
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
    }

    /// Skips bytes, and those that fill their last word.
    ///
    /// - Returns: The place of the first.
    @inline(__always)
    private func skip(_ count: Int, _ what: String) throws(SQLiteError) -> Int {
        guard count <= bytes.count - place else { throw cut(what) }
        let (end, overflows) = place.addingReportingOverflow((count + 7) / 8 * 8)
        guard !overflows, end <= bytes.count else { throw cut(what) }
        defer { place = end }
        return place
    }

    private func cut(_ what: String) -> SQLiteError {
        .invalidMessage("it ends within \(what), at byte \(place) of \(bytes.count)")
    }
}
