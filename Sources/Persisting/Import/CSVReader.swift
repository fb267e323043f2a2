/// Reads the rows of a CSV text, by the bytes.
///
/// It follows [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180), and takes any separator and any of the line ends. A
/// quotation mark inside an unquoted field is a character like others.
final class CSVReader {
    /// A field of the row that was read last.
    struct Field {
        var start: Int
        var count: Int
        var isQuoted = false
        fileprivate(set) var isDoubled = false
    }

    /// How many fields of a row are kept: far more than a table has columns.
    static let fieldLimit = 1 << 16

    private let buffer: ImportBuffer
    private let separator: [UInt8]
    /// Whether an unquoted field may end at a byte.
    private let ends = PlainArray(repeating: false, count: 256)
    /// The fields of the row that was read last, as far as they are kept. Quotation marks that were doubled are single.
    let fields = PlainArray<Field>()
    /// How many fields the row has.
    @exclusivity(unchecked) private(set) var fieldCount = 0
    /// The line on which the row begins, from 1.
    @exclusivity(unchecked) private(set) var line: Int
    @exclusivity(unchecked) private var nextLine: Int

    private enum Outcome {
        case row, blank, incomplete
    }

    /// - Parameters:
    ///   - separator: What stands between fields, not empty.
    ///   - line: The number of the first line.
    init(_ buffer: ImportBuffer, separator: [UInt8], line: Int = 1) {
        self.buffer = buffer
        self.separator = separator
        self.line = line
        nextLine = line
        for byte in [separator[0], 0x0A, 0x0D] { ends[Int(byte)] = true }
    }

    /// The line after the row that was read last.
    var lineAfterRow: Int { nextLine }

    /// The bytes of a field.
    func bytes(of field: Field) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: buffer.bytes + field.start, count: field.count)
    }

    /// Reads the next row that isn't blank.
    ///
    /// - Returns: False at the end.
    /// - Throws: ``ImportProblem``; the next call reads on after the row, unless the import ends.
    func next() throws -> Bool {
        while true {
            line = nextLine
            switch try scan() {
            case .row: return true
            case .blank: if buffer.position == buffer.count, buffer.isAtEnd { return false }
            case .incomplete: _ = try buffer.readMore()
            }
        }
    }

    /// Looks at the row from the buffer's position on. A row that isn't whole yet is looked at again.
    private func scan() throws -> Outcome {
        let (bytes, count, isAtEnd) = (buffer.bytes, buffer.count, buffer.isAtEnd)
        let first = separator[0]
        let length = separator.count
        var position = buffer.position
        if position == count { return isAtEnd ? .blank : .incomplete }
        var lines = 0
        var hasDoubled = false
        fields.removeAll()
        fieldCount = 0
        while true {
            var field = Field(start: position, count: 0)
            if bytes[position] == 0x22, position < count {
                guard let end = try endOfQuoted(from: position + 1, &lines, &field, &hasDoubled) else {
                    return .incomplete
                }
                position = end
            } else {
                position = endOfUnquoted(from: position)
                field.count = position - field.start
            }
            fieldCount &+= 1
            if fieldCount <= Self.fieldLimit { fields.append(field) }
            if position >= count {
                guard isAtEnd else { return .incomplete }
                return try finish(at: count, next: count, lines: lines, hasDoubled)
            }
            let byte = bytes[position]
            if byte == first {
                // The separator may have more bytes to come.
                if position + length > count, !isAtEnd { return .incomplete }
                if length == 1 || isSeparator(at: position) {
                    position += length
                    if position == count, !isAtEnd { return .incomplete }
                    continue
                }
            }
            if byte == 0x0A || byte == 0x0D {
                if byte == 0x0D, position + 1 == count, !isAtEnd { return .incomplete }
                return try finish(at: position, next: startOfLine(after: position), lines: lines + 1, hasDoubled)
            }
            guard skipLine(from: position, lines) else { return .incomplete }
            throw ImportProblem(
                reason: "the quoted field is followed by something else than a separator or the end of the line")
        }
    }

    /// The place after an unquoted field: that of a separator or of a line end, which also follows the last byte.
    @inline(__always)
    private func endOfUnquoted(from start: Int) -> Int {
        let bytes = buffer.bytes
        var position = start
        while true {
            while !ends[Int(bytes[position])] { position &+= 1 }
            if separator.count == 1 || position >= buffer.count || bytes[position] != separator[0]
                || isSeparator(at: position)
            {
                return position
            }
            position &+= 1
        }
    }

    /// The place after a line end, which has one byte or two.
    private func startOfLine(after end: Int) -> Int {
        let isTwo = buffer.bytes[end] == 0x0D && end + 1 < buffer.count && buffer.bytes[end + 1] == 0x0A
        return end + (isTwo ? 2 : 1)
    }

    /// - Returns: The place after a field's closing quotation mark; nil when it isn't there yet.
    private func endOfQuoted(
        from start: Int, _ lines: inout Int, _ field: inout Field, _ hasDoubled: inout Bool
    ) throws -> Int? {
        let (bytes, count, isAtEnd) = (buffer.bytes, buffer.count, buffer.isAtEnd)
        let line = nextLine + lines
        var position = start
        while true {
            while bytes[position] != 0x22, bytes[position] != 0x0A, bytes[position] != 0x0D { position &+= 1 }
            if position >= count {
                guard isAtEnd else { return nil }
                buffer.position = count
                nextLine += lines
                throw ImportProblem(reason: "a quotation mark isn't closed up to the end of the file", line: line)
            }
            if bytes[position] == 0x22 {
                if position + 1 == count, !isAtEnd { return nil }
                guard position + 1 < count, bytes[position + 1] == 0x22 else {
                    // A doubled mark is told by the sign, until the row is whole.
                    field = Field(start: start, count: position - start, isQuoted: true, isDoubled: field.isDoubled)
                    return position + 1
                }
                field.isDoubled = true
                hasDoubled = true
                position += 2
            } else {
                position = startOfLine(after: position)
                lines += 1
            }
        }
    }

    private func isSeparator(at position: Int) -> Bool {
        for (index, byte) in separator.enumerated()
        where position + index >= buffer.count || buffer.bytes[position + index] != byte { return false }
        return true
    }

    private func finish(at end: Int, next: Int, lines: Int, _ hasDoubled: Bool) throws -> Outcome {
        try buffer.take(upTo: end, next: next)
        nextLine += lines
        if fieldCount == 1, fields[0].count == 0, !fields[0].isQuoted { return .blank }
        if hasDoubled { for index in 0..<fields.count where fields[index].isDoubled { halveMarks(of: index) } }
        return .row
    }

    /// Makes the doubled quotation marks of a field single.
    private func halveMarks(of index: Int) {
        let start = buffer.bytes + fields[index].start
        var written = 0
        var position = 0
        while position < fields[index].count {
            start[written] = start[position]
            position += start[position] == 0x22 ? 2 : 1
            written += 1
        }
        fields[index].count = written
    }

    /// Skips the rest of a line.
    ///
    /// - Returns: False when its end isn't there yet.
    private func skipLine(from start: Int, _ lines: Int) -> Bool {
        let (bytes, count) = (buffer.bytes, buffer.count)
        var position = start
        while bytes[position] != 0x0A, bytes[position] != 0x0D { position &+= 1 }
        if position >= count || position + 1 == count, !buffer.isAtEnd { return false }
        buffer.position = min(count, startOfLine(after: position))
        nextLine += lines + 1
        return true
    }
}
