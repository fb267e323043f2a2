/// Reads one JSON value after the other, by the bytes, without recursion.
///
/// What it finds is a list of nodes: of an object a node for each key and each value, in order. Containers below
/// ``depth`` are one node each; their text is checked all the same.
final class JSONScanner {
    enum Kind: UInt8 {
        case null, no, yes, number, string, object, array
    }

    /// A value, or an object's key.
    struct Node {
        var start: Int
        /// How many bytes it has; of a string, those between its quotation marks.
        var count: Int
        var kind: Kind
        /// Whether a string has escapes.
        var isEscaped = false
        /// Whether the nodes of a container follow it.
        var isOpen = false
        /// The node after a container's.
        var next = 0
    }

    private let buffer: ImportBuffer
    private let lines: LineCount
    /// How many containers inside each other have nodes for what is in them.
    private let depth: Int
    /// Whether a line feed ends a value.
    private let isLines: Bool
    /// The nodes of the value that was read last.
    let nodes = PlainArray<Node>()
    /// The containers that are open: true for an object.
    private let open = PlainArray<Bool>()
    private let openNodes = PlainArray<Int>()

    /// How many containers may be inside each other. Foundation has the same limit.
    static let nesting = 512
    /// How many nodes a value may have.
    static let nodeLimit = 1 << 18

    /// - Parameter lines: Counts the lines of the buffer.
    init(_ buffer: ImportBuffer, _ lines: LineCount, depth: Int, isLines: Bool) {
        self.buffer = buffer
        self.lines = lines
        self.depth = depth
        self.isLines = isLines
    }

    /// A mistake, and where it is.
    struct Mistake: Error {
        let reason: String
        let position: Int
    }

    private enum State {
        case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd
    }

    /// Scans the value that begins at a position.
    ///
    /// - Returns: The position after it; nil when it isn't whole yet.
    /// - Throws: ``Mistake``.
    func scan(from start: Int) throws -> Int? {
        nodes.removeAll()
        open.removeAll()
        openNodes.removeAll()
        var position = start
        var state = State.value
        while true {
            guard let byte = try skipBlanks(&position) else { return nil }
            switch state {
            case .colon:
                guard byte == 0x3A else { throw Mistake(reason: "a colon is missing after a key", position: position) }
                position &+= 1
                state = .value
            case .commaOrEnd where byte == 0x2C:
                position &+= 1
                state = open[open.count - 1] ? .key : .value
            case .keyOrEnd where byte == 0x7D, .valueOrEnd where byte == 0x5D,
                .commaOrEnd where byte == (open[open.count - 1] ? 0x7D : 0x5D):
                position &+= 1
                if close(at: position) { return position }
                state = .commaOrEnd
            case .commaOrEnd:
                let end = open[open.count - 1] ? "}" : "]"
                throw Mistake(reason: "a comma or \(end) is missing after a value", position: position)
            case .key, .keyOrEnd:
                guard byte == 0x22 else {
                    throw Mistake(reason: "a key in quotation marks is missing", position: position)
                }
                guard let end = try string(from: position &+ 1, isTaken: isTaken) else { return nil }
                position = end
                state = .colon
            case .value where byte == 0x7B || byte == 0x5B, .valueOrEnd where byte == 0x7B || byte == 0x5B:
                try open(isObject: byte == 0x7B, at: position)
                position &+= 1
                state = byte == 0x7B ? .keyOrEnd : .valueOrEnd
            case .value, .valueOrEnd:
                guard let end = try scalar(byte, at: position) else { return nil }
                position = end
                if open.count == 0 { return position }
                state = .commaOrEnd
            }
        }
    }

    /// Skips blanks.
    ///
    /// - Returns: The byte after them; nil when it isn't there yet.
    @inline(__always)
    private func skipBlanks(_ position: inout Int) throws -> UInt8? {
        let (bytes, count) = (UnsafePointer(buffer.bytes), buffer.count)
        // A line feed stands after the last byte.
        var byte = bytes[position]
        while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            if byte == 0x0A, position >= count || isLines { break }
            position &+= 1
            byte = bytes[position]
        }
        if position >= count {
            guard buffer.isAtEnd else { return nil }
            throw Mistake(reason: "the value isn't complete", position: count)
        }
        guard byte != 0x0A else {
            throw Mistake(reason: "the value isn't complete at the end of the line", position: position)
        }
        return byte
    }

    /// Scans a value that isn't a container.
    @inline(__always)
    private func scalar(_ byte: UInt8, at position: Int) throws -> Int? {
        switch byte {
        case 0x22: try string(from: position &+ 1, isTaken: isTaken)
        case 0x2D, 0x30...0x39: try number(from: position)
        default: try word(byte, at: position)
        }
    }

    private func open(isObject: Bool, at position: Int) throws {
        guard open.count < Self.nesting else {
            throw Mistake(reason: "objects and arrays are nested more than \(Self.nesting) deep", position: position)
        }
        if isTaken {
            let isOpen = open.count < depth
            try add(Node(start: position, count: 0, kind: isObject ? .object : .array, isOpen: isOpen))
            openNodes.append(nodes.count - 1)
        }
        open.append(isObject)
    }

    /// Whether what is found now has a node.
    private var isTaken: Bool { open.count <= depth }

    /// Closes the innermost container.
    ///
    /// - Returns: Whether it was the outermost.
    private func close(at position: Int) -> Bool {
        open.popLast()
        if isTaken, let index = openNodes.popLast() {
            nodes[index].count = position - nodes[index].start
            nodes[index].next = nodes.count
        }
        return open.count == 0
    }

    private func add(_ node: Node) throws {
        guard nodes.count < Self.nodeLimit else {
            throw Mistake(reason: "the value has more than \(Self.nodeLimit) parts", position: node.start)
        }
        nodes.append(node)
    }

    private func string(from start: Int, isTaken: Bool) throws -> Int? {
        let (bytes, count) = (UnsafePointer(buffer.bytes), buffer.count)
        var position = start
        var isEscaped = false
        while true {
            var byte = bytes[position]
            while byte != 0x22, byte != 0x5C, byte >= 0x20 {
                position &+= 1
                byte = bytes[position]
            }
            if position >= count {
                guard buffer.isAtEnd else { return nil }
                throw Mistake(reason: "a string isn't closed", position: count)
            }
            if byte == 0x22 { break }
            guard byte == 0x5C else {
                throw Mistake(
                    reason: byte == 0x0A ? "a string isn't closed on its line" : "a string has a control character",
                    position: position)
            }
            isEscaped = true
            // A surrogate pair has twelve.
            if position + 12 > count, !buffer.isAtEnd { return nil }
            switch position + 1 < count ? bytes[position + 1] : 0 {
            case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: position += 2
            case 0x75 where position + 6 <= count && (2..<6).allSatisfy { hexadecimal(bytes[position + $0]) != nil }:
                let unit = unicodeUnit(bytes, position, count)
                let low = unicodeUnit(bytes, position + 6, count) ?? 0
                let isPair = 0xD800...0xDBFF ~= (unit ?? 0) && 0xDC00...0xDFFF ~= low
                guard isPair || !(0xD800...0xDFFF ~= (unit ?? 0)) else {
                    throw Mistake(
                        reason: "a string has half of a surrogate pair, which isn't a character", position: position)
                }
                position += isPair ? 12 : 6
            default: throw Mistake(reason: "a string has an escape that JSON doesn't", position: position)
            }
        }
        if isTaken { try add(Node(start: start, count: position - start, kind: .string, isEscaped: isEscaped)) }
        return position + 1
    }

    private func number(from start: Int) throws -> Int? {
        let (bytes, count) = (UnsafePointer(buffer.bytes), buffer.count)
        var position = start
        func digits() -> Int {
            let first = position
            while bytes[position] &- 0x30 < 10 { position &+= 1 }
            return position - first
        }
        if bytes[position] == 0x2D { position += 1 }
        let isZero = bytes[position] == 0x30
        var isNumber = digits()
        if isZero, isNumber > 1 { isNumber = 0 }
        if isNumber > 0, bytes[position] == 0x2E {
            position += 1
            isNumber = digits()
        }
        if isNumber > 0, bytes[position] | 0x20 == 0x65 {
            position += 1
            if bytes[position] == 0x2B || bytes[position] == 0x2D { position += 1 }
            isNumber = digits()
        }
        // There may be more digits to come.
        if position >= count, !buffer.isAtEnd { return nil }
        guard isNumber > 0 else { throw Mistake(reason: "a number isn't one of JSON's", position: start) }
        if isTaken { try add(Node(start: start, count: position - start, kind: .number)) }
        return position
    }

    private func word(_ first: UInt8, at start: Int) throws -> Int? {
        let (word, kind): (StaticString, Kind)
        switch first {
        case 0x74: (word, kind) = ("true", .yes)
        case 0x66: (word, kind) = ("false", .no)
        case 0x6E: (word, kind) = ("null", .null)
        default: throw Mistake(reason: "a value is missing, or isn't one of JSON's", position: start)
        }
        let length = word.utf8CodeUnitCount
        if start + length > buffer.count, !buffer.isAtEnd { return nil }
        guard start + length <= buffer.count,
            (0..<length).allSatisfy({ buffer.bytes[start + $0] == word.utf8Start[$0] })
        else { throw Mistake(reason: "a value isn't one of JSON's", position: start) }
        if isTaken { try add(Node(start: start, count: length, kind: kind)) }
        return start + length
    }

    /// The node after a value and all that is in it.
    func next(after value: Int) -> Int {
        let kind = nodes[value].kind
        return kind == .object || kind == .array ? nodes[value].next : value + 1
    }

    /// The bytes of a node's text, with its escapes replaced, which is done once.
    func text(of index: Int) -> UnsafeBufferPointer<UInt8> {
        if nodes[index].isEscaped {
            lines.count(upTo: nodes[index].start + nodes[index].count, of: buffer)
            let start = buffer.bytes + nodes[index].start
            nodes[index].count = unescape(UnsafeMutableBufferPointer(start: start, count: nodes[index].count))
            nodes[index].isEscaped = false
        }
        return UnsafeBufferPointer(start: buffer.bytes + nodes[index].start, count: nodes[index].count)
    }
}

/// The value of a hexadecimal digit.
func hexadecimal(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46: UInt32(byte - 0x37)
    case 0x61...0x66: UInt32(byte - 0x57)
    default: nil
    }
}

/// The code unit of an escape such as `\u00e9`; nil where there is no such escape.
private func unicodeUnit(_ bytes: UnsafePointer<UInt8>, _ place: Int, _ count: Int) -> UInt32? {
    guard place + 6 <= count, bytes[place] == 0x5C, bytes[place + 1] == 0x75 else { return nil }
    var unit: UInt32 = 0
    for place in place + 2..<place + 6 {
        guard let digit = hexadecimal(bytes[place]) else { return nil }
        unit = unit << 4 | digit
    }
    return unit
}

/// Replaces a JSON string's escapes, which have been checked, in its place.
///
/// - Returns: How many bytes there are then.
private func unescape(_ bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var position = 0
    var written = 0
    func unit(at place: Int) -> UInt32? {
        bytes.baseAddress.flatMap { unicodeUnit(UnsafePointer($0), place, bytes.count) }
    }
    while position < bytes.count {
        guard bytes[position] == 0x5C else {
            bytes[written] = bytes[position]
            written += 1
            position += 1
            continue
        }
        if var scalar = unit(at: position) {
            position += 6
            if 0xD800...0xDBFF ~= scalar, let low = unit(at: position), 0xDC00...0xDFFF ~= low {
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                position += 6
            }
            for byte in String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8 {
                bytes[written] = byte
                written += 1
            }
            continue
        }
        let byte = bytes[position + 1]
        bytes[written] =
            switch byte {
            case 0x62: 0x08
            case 0x66: 0x0C
            case 0x6E: 0x0A
            case 0x72: 0x0D
            case 0x74: 0x09
            default: byte
            }
        written += 1
        position += 2
    }
    return written
}
