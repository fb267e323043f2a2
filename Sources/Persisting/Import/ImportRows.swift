internal import Foundation

/// The rows of a file that is imported, one after the other.
protocol ImportRows: AnyObject {
    /// The values of the row that was read last, by the class's columns, where it has one.
    var values: PlainArray<ImportValue> { get }
    /// The columns of which the row has a value.
    var present: ColumnSet { get }
    /// The line on which the row begins.
    var line: Int { get }
    /// The place after the row.
    var position: ImportPosition { get }
    var buffer: ImportBuffer { get }
    /// Reads the next row.
    ///
    /// - Returns: False at the end.
    /// - Throws: ``ImportProblem``; the next call reads on after the row, unless the import ends.
    func next() throws -> Bool
    /// Whether the file may have values of bit fields and computed aliases.
    var hasVirtualKeys: Bool { get }
    /// What the file calls a column.
    func name(of column: Int) -> String
    /// The text of the row as it is in the file, where closures store a part of it.
    var json: Data? { get }
}

/// The rows of a CSV text.
final class CSVRows: ImportRows {
    let buffer: ImportBuffer
    private let format: CSVFormat
    private let reader: CSVReader
    /// The names of the fields.
    private let header: [String]
    /// The column of each field; -1 for one that is ignored.
    private let columns: ContiguousArray<Int>
    private let allPresent: ColumnSet
    let hasVirtualKeys: Bool
    /// How many fields of the header the row has.
    @exclusivity(unchecked) private var known: Int
    let values: PlainArray<ImportValue>
    @exclusivity(unchecked) private(set) var present: ColumnSet

    var line: Int { reader.line }
    var position: ImportPosition { ImportPosition(offset: buffer.offset, line: reader.lineAfterRow) }
    var json: Data? { nil }

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - buffer: The text from its beginning.
    ///   - position: Where to go on after the header.
    ///   - rest: Gives the text from there, unless that is the beginning.
    /// - Throws: ``PersistenceError/Code/invalidFormat``, ``PersistenceError/Code/unknownKey``.
    init(
        _ buffer: ImportBuffer, _ format: CSVFormat, _ keys: ImportKeys, at position: ImportPosition,
        resuming rest: () throws -> ImportBuffer
    ) throws {
        let separator = try format.separatorBytes()
        var reader = CSVReader(buffer, separator: separator)
        header = try format.names(from: reader, in: buffer, model: keys.mapping.modelName)
        columns = ContiguousArray(try Self.columns(header, format, keys))
        allPresent = ColumnSet(columns.filter { $0 >= 0 })
        present = allPresent
        hasVirtualKeys = columns.contains { $0 >= keys.mapping.columns.count }
        known = columns.count
        values = PlainArray(repeating: .null, count: keys.count)
        self.format = format
        // Both may read from one handle: the header has been read by now.
        self.buffer = position.offset > 0 ? try rest() : buffer
        if position.offset > 0 { reader = CSVReader(self.buffer, separator: separator, line: position.line) }
        self.reader = reader
    }

    private static func columns(_ header: [String], _ format: CSVFormat, _ keys: ImportKeys) throws -> [Int] {
        let mapping = keys.mapping
        func formatError(_ reason: String) -> PersistenceError {
            PersistenceError(.invalidFormat, reason, model: mapping.modelName)
        }
        var renamed: [String: String] = [:]
        if case .renamed(let names) = format.header { renamed = names }
        var taken: [Int: String] = [:]
        let columns = try header.map { name in
            guard let column = try renamed[name].map(keys.column(ofProperty:)) ?? keys.column(ofField: name) else {
                return -1
            }
            if let other = taken.updateValue(name, forKey: column) {
                throw formatError(
                    "the names \"\(other)\" and \"\(name)\" are the same property, \(keys.property(of: column))")
            }
            return column
        }
        guard !taken.isEmpty else {
            let known = (0..<keys.count).compactMap { keys.names[$0] }.joined(separator: ", ")
            throw formatError(
                "none of the fields \(header.map { "\"\($0)\"" }.joined(separator: ", ")) is one of the class's: \(known); "
                    + "the separator may be another one")
        }
        return columns
    }

    func next() throws -> Bool {
        guard try reader.next() else { return false }
        let count = reader.fieldCount
        if count != columns.count { try format.check(reader, columns.count) }
        let known = min(count, columns.count)
        for place in 0..<known {
            let column = columns[place]
            guard column >= 0 else { continue }
            let field = reader.fields[place]
            values[column] =
                field.count == 0 && !field.isQuoted
                ? .null : ImportValue(kind: .text, start: UnsafePointer(buffer.bytes + field.start), count: field.count)
        }
        if known != self.known {
            self.known = known
            present = known == columns.count ? allPresent : ColumnSet(columns[..<known].filter { $0 >= 0 })
        }
        return true
    }

    func name(of column: Int) -> String { columns.firstIndex(of: column).map { header[$0] } ?? "" }
}

/// The objects of a JSON text.
final class JSONRows: ImportRows {
    let buffer: ImportBuffer
    private let format: JSONFormat
    private let scanner: JSONScanner
    private let keys: ImportKeys
    private let root: [UInt8]?
    private let reader: JSONEnvelope
    /// Whether the array has begun, and a value of it has been read.
    private var (isInside, isAfterValue, isDone) = (false, false, false)
    private let lines: LineCount
    let values: PlainArray<ImportValue>
    @exclusivity(unchecked) private(set) var present = ColumnSet()
    private(set) var json: Data?
    private let keepsJSON: Bool

    /// Counts lines, when they are asked for.
    private final class LineCount {
        var before: Int
        /// Where the value begins that was read last.
        var start = 0

        init(_ line: Int) {
            before = line
        }

        /// Notes bytes that are forgotten.
        func add(_ bytes: UnsafeBufferPointer<UInt8>) {
            before += Self.count(bytes)
            start = max(0, start - bytes.count)
        }

        static func count(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
            var count = 0
            for byte in bytes { count &+= byte == 0x0A ? 1 : 0 }
            return count
        }
    }

    /// - Parameter position: The place at which the buffer begins.
    init(_ buffer: ImportBuffer, _ format: JSONFormat, _ keys: ImportKeys, at position: ImportPosition) {
        self.buffer = buffer
        self.format = format
        self.keys = keys
        keepsJSON = !keys.relationships.isEmpty
        root = keys.remote.root.map { Array($0.utf8) }
        scanner = JSONScanner(
            buffer, depth: keys.top.depth + (keys.remote.root == nil ? 0 : 1), isLines: format.isLines)
        reader = JSONEnvelope(buffer, format.path)
        values = PlainArray(repeating: .null, count: keys.count)
        let lines = LineCount(position.line)
        self.lines = lines
        buffer.willForget = { lines.add($0) }
        (isInside, isAfterValue) = (position.offset > 0, position.offset > 0)
    }

    var hasVirtualKeys: Bool { keys.hasVirtualKeys }
    var line: Int { line(at: lines.start) }
    var position: ImportPosition { ImportPosition(offset: buffer.offset, line: line(at: buffer.position)) }

    private func line(at place: Int) -> Int {
        lines.before + LineCount.count(UnsafeBufferPointer(start: buffer.bytes, count: min(place, buffer.count)))
    }

    func name(of column: Int) -> String { keys.names[column] ?? "" }

    func next() throws -> Bool {
        guard try findValue() else { return false }
        do {
            while true {
                lines.start = buffer.position
                if let end = try scanner.scan(from: buffer.position) {
                    buffer.position = end
                    break
                }
                _ = try buffer.readMore()
            }
            isAfterValue = true
        } catch let mistake as JSONScanner.Mistake {
            throw try problem(mistake)
        }
        try take()
        return true
    }

    private func nextByte() throws -> UInt8? { try buffer.nextByteOfJSON() }

    /// Goes to the beginning of the next value.
    ///
    /// - Returns: False at the end.
    private func findValue() throws -> Bool {
        if isDone { return false }
        if format.isLines {
            if isAfterValue, try !isAtEndOfLine() {
                let line = line(at: buffer.position)
                try skipLine()
                throw ImportProblem(reason: "there is more on the line than one value", line: line)
            }
            isAfterValue = false
            return try nextByte() != nil
        }
        if !isInside, try envelope({ try reader.open() }) == false { return false }
        guard let byte = try nextByte() else { throw broken("the array isn't closed") }
        if !isInside {
            isInside = true
            if byte != 0x5D { return true }
        } else if byte == 0x2C, isAfterValue {
            buffer.position += 1
            guard try nextByte() != nil else { throw broken("the array isn't closed") }
            isAfterValue = false
            return true
        } else if byte != 0x5D {
            throw broken("a comma or ] is missing after a value")
        }
        isDone = true
        buffer.position += 1
        try envelope { try reader.close() }
        return false
    }

    /// Reads what is around the array.
    private func envelope<T>(_ read: () throws -> T) throws -> T {
        do {
            return try read()
        } catch let mistake as JSONScanner.Mistake {
            throw ImportProblem(reason: mistake.reason, endsImport: true, line: line(at: mistake.position))
        }
    }

    /// Whether nothing else than blanks is on the line.
    private func isAtEndOfLine() throws -> Bool {
        while true {
            while buffer.position < buffer.count {
                let byte = buffer.bytes[buffer.position]
                if byte == 0x0A { return true }
                guard byte == 0x20 || byte == 0x0D || byte == 0x09 else { return false }
                buffer.position += 1
            }
            guard try buffer.readMore() else { return true }
        }
    }

    /// Skips the rest of the line.
    private func skipLine() throws {
        isAfterValue = false
        while true {
            while buffer.position < buffer.count {
                buffer.position += 1
                if buffer.bytes[buffer.position - 1] == 0x0A { return }
            }
            guard try buffer.readMore() else { return }
        }
    }

    private func broken(_ reason: String) -> ImportProblem {
        ImportProblem(reason: reason, endsImport: true, line: line(at: buffer.position))
    }

    private func problem(_ mistake: JSONScanner.Mistake) throws -> ImportProblem {
        // Where the next element of an array begins can't be known.
        let line = line(at: mistake.position)
        guard format.isLines else { return ImportProblem(reason: mistake.reason, endsImport: true, line: line) }
        buffer.position = min(mistake.position, buffer.count)
        try skipLine()
        return ImportProblem(reason: mistake.reason, line: line)
    }

    /// Finds the values of the object's columns.
    private func take() throws {
        present = ColumnSet()
        var object = 0
        if let root, scanner.nodes.count > 2, scanner.nodes[0].kind == .object, scanner.nodes[2].kind == .object,
            scanner.nodes[2].next == scanner.nodes.count, scanner.text(of: 1).elementsEqual(root)
        {
            object = 2
        }
        let node = scanner.nodes[object]
        guard node.kind == .object else { throw ImportProblem(reason: "the value isn't an object") }
        // Escapes are replaced in their place.
        if keepsJSON { json = Data(UnsafeBufferPointer(start: buffer.bytes + node.start, count: node.count)) }
        take(object, keys.top)
        if present.isEmpty, !keepsJSON, let problem = unknownKeys(object) { throw problem }
    }

    /// The problem of an object that has keys, none of which is known: nothing would come in but defaults.
    private func unknownKeys(_ object: Int) -> ImportProblem? {
        var names: [String] = []
        var place = object + 1
        while place < scanner.nodes[object].next, names.count < 5 {
            if keys.top.child(scanner.text(of: place), expected: 0) != nil { return nil }
            names.append("\"\(String(decoding: scanner.text(of: place).prefix(50), as: UTF8.self))\"")
            place = max(place + 2, scanner.nodes[place + 1].next)
        }
        if names.isEmpty { return nil }
        let known = keys.top.children.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: ", ")
        return ImportProblem(
            reason: "none of the keys \(names.joined(separator: ", ")) is one of the class's: \(known)")
    }

    private func take(_ object: Int, _ key: ImportKeys.Key) {
        var place = object + 1
        let end = scanner.nodes[object].next
        var expected = 0
        while place < end {
            let value = place + 1
            let kind = scanner.nodes[value].kind
            if let child = key.child(scanner.text(of: place), expected: expected) {
                expected = child + 1
                let child = key.children[child]
                if let column = child.column { set(column, to: value) }
                if !child.children.isEmpty {
                    if kind == .object {
                        take(value, child)
                    } else if kind == .null {
                        for column in child.columns { set(column, to: value) }
                    }
                }
            }
            let isContainer = kind == .object || kind == .array
            place = isContainer ? scanner.nodes[value].next : value + 1
        }
    }

    private func set(_ column: Int, to node: Int) {
        present.insert(column)
        let kind: ImportValue.Kind =
            switch scanner.nodes[node].kind {
            case .null: .null
            case .no: .no
            case .yes: .yes
            case .number: .number
            case .string: .text
            case .object, .array: .container
            }
        let text = kind == .text ? scanner.text(of: node) : nil
        let found = scanner.nodes[node]
        values[column] = ImportValue(
            kind: kind, start: text?.baseAddress ?? UnsafePointer(buffer.bytes + found.start),
            count: text?.count ?? found.count)
    }
}
