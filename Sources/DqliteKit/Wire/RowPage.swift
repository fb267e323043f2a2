internal import Foundation
internal import SQLiteKit

/// The rows of one message: the names of the columns, and then for each row the classes of its values, four bits each,
/// and the values.
final class RowPage {
    private var reader: MessageReader
    private let names: Range<Int>
    /// How many columns each row has.
    let columnCount: Int
    /// The values of the row, by their columns.
    private(set) var cells: [Cell]

    /// Where a value is.
    struct Cell {
        var type = ValueType.null
        var start = 0
        var length = 0
    }

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
        self.reader = reader
        cells = Array(repeating: Cell(), count: columnCount)
    }

    /// Whether the message says at its end that another follows.
    var hasMore: Bool { reader.bytes.last == 0xEE }

    /// The bytes of the columns' names, by which those of two messages are compared.
    var nameBytes: ArraySlice<UInt8> { reader.bytes[names] }

    /// The names of the columns.
    func columnNames() throws(SQLiteError) -> ColumnNames {
        var reader = MessageReader(Array(nameBytes))
        var names: [String] = []
        names.reserveCapacity(columnCount)
        for _ in 0..<columnCount { names.append(try reader.text()) }
        return ColumnNames(names: names)
    }

    /// Goes to the next row.
    ///
    /// - Throws: `.invalidMessage`, also when the message ends without saying whether more rows follow.
    func next() throws(SQLiteError) -> Step {
        let types = reader.place
        guard reader.remaining >= 8 else { throw .invalidMessage("its rows have no end") }
        // No class has these numbers.
        switch reader.bytes[types] {
        case 0xFF: return .end
        case 0xEE: return .part
        default: break
        }
        guard columnCount > 0 else { throw .invalidMessage("it has a row without columns") }
        try reader.skip((columnCount + 1) / 2, "a row's classes")
        for column in 0..<columnCount {
            let pair = reader.bytes[types + column / 2]
            let number = column % 2 == 0 ? pair & 15 : pair >> 4
            guard let type = ValueType(rawValue: number) else {
                throw .invalidMessage("its column \(column) has a value of class \(number)")
            }
            try find(type, column)
        }
        return .row
    }

    @inline(__always)
    private func find(_ type: ValueType, _ column: Int) throws(SQLiteError) {
        let range: Range<Int>
        switch type {
        case .integer, .real, .null, .unixTime, .boolean:
            let start = reader.place
            try reader.skip(8, "a number")
            range = start..<start + 8
        case .text, .isoDate: range = try reader.textRange()
        case .blob: range = try reader.blobRange()
        }
        cells[column] = Cell(type: type, start: range.lowerBound, length: range.count)
    }

    func storageClass(at column: Int) -> StorageClass {
        cells.indices.contains(column) ? cells[column].type.storageClass : .null
    }

    /// The number of an INTEGER; 0 for any other value.
    func int64(at column: Int) -> Int64 {
        storageClass(at: column) == .integer ? Int64(bitPattern: reader.word(at: cells[column].start)) : 0
    }

    /// The number of a REAL; 0 for any other value.
    func double(at column: Int) -> Double {
        storageClass(at: column) == .real ? Double(bitPattern: reader.word(at: cells[column].start)) : 0
    }

    /// The bytes of a TEXT or a BLOB; none for any other value.
    func withBytes<T>(at column: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        switch storageClass(at: column) {
        case .text, .blob:
            let cell = cells[column]
            return try reader.bytes.withUnsafeBytes { bytes in
                try body(UnsafeRawBufferPointer(rebasing: bytes[cell.start..<cell.start + cell.length]))
            }
        default: return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
