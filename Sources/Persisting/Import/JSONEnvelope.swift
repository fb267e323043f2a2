/// Reads what is around the array of a JSON text: nothing, or the objects that it is inside.
final class JSONEnvelope {
    private let buffer: ImportBuffer
    private let path: [String]
    private let scanner: JSONScanner

    /// - Parameters:
    ///   - lines: Counts the lines of the buffer.
    ///   - path: The keys that lead to the array.
    init(_ buffer: ImportBuffer, _ lines: LineCount, _ path: [String]) {
        self.buffer = buffer
        self.path = path
        scanner = JSONScanner(buffer, lines, depth: 0, isLines: false)
    }

    /// Goes to the place after the array's opening bracket.
    ///
    /// - Returns: False when there is nothing but blanks.
    /// - Throws: ``JSONScanner/Mistake``, ``ImportProblem``.
    func open() throws -> Bool {
        guard try buffer.nextByteOfJSON() != nil else { return false }
        for (place, key) in path.enumerated() {
            let parent = path[..<place].joined(separator: ".")
            let what = place == 0 ? "the text" : "\"\(parent)\""
            try take(0x7B, "\(what) isn't an object, in which \"\(key)\" is looked for")
            guard try find(key) else { throw mistake("\(what) has no key \"\(key)\"") }
        }
        try take(0x5B, path.isEmpty ? "the text isn't an array" : "\"\(path.joined(separator: "."))\" isn't an array")
        return true
    }

    /// Reads what comes after the array's closing bracket, up to the end.
    ///
    /// - Throws: ``JSONScanner/Mistake``, ``ImportProblem``.
    func close() throws {
        for _ in path {
            while try buffer.nextByteOfJSON() != 0x7D {
                try take(0x2C, "a comma or } is missing after a value")
                try key()
                try value()
            }
            try take(0x7D, "a comma or } is missing after a value")
        }
        let what = path.isEmpty ? "array" : "object"
        guard try buffer.nextByteOfJSON() == nil else { throw mistake("there is more after the \(what)") }
    }

    /// Goes to the value of a key of the object that has begun.
    ///
    /// - Returns: False when it has none; the first of several counts.
    private func find(_ name: String) throws -> Bool {
        if try buffer.nextByteOfJSON() == 0x7D { return false }
        while true {
            if try key(name) { return true }
            try value()
            if try buffer.nextByteOfJSON() == 0x7D { return false }
            try take(0x2C, "a comma or } is missing after a value")
        }
    }

    /// Reads a key and its colon.
    ///
    /// - Returns: Whether it is the name.
    @discardableResult
    private func key(_ name: String = "") throws -> Bool {
        guard try buffer.nextByteOfJSON() == 0x22 else { throw mistake("a key in quotation marks is missing") }
        try value()
        let isName = scanner.text(of: 0).elementsEqual(name.utf8)
        try take(0x3A, "a colon is missing after a key")
        return isName
    }

    /// Reads a value.
    private func value() throws {
        _ = try buffer.nextByteOfJSON()
        while true {
            if let end = try scanner.scan(from: buffer.position) {
                buffer.position = end
                return
            }
            _ = try buffer.readMore()
        }
    }

    private func take(_ byte: UInt8, _ reason: String) throws {
        guard try buffer.nextByteOfJSON() == byte else { throw mistake(reason) }
        buffer.position += 1
    }

    private func mistake(_ reason: String) -> JSONScanner.Mistake {
        JSONScanner.Mistake(reason: reason, position: buffer.position)
    }
}

extension ImportBuffer {
    /// The next byte that isn't blank, at ``position``; nil at the end.
    func nextByteOfJSON() throws -> UInt8? {
        while true {
            while position < count {
                let byte = bytes[position]
                guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
                position += 1
            }
            guard try readMore() else { return nil }
        }
    }
}
