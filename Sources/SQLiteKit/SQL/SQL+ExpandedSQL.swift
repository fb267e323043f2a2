extension SQL {
    /// The text with its values in it, as literals by SQLite's rules: for a log, or to be run elsewhere. No database is
    /// needed. It shows the values: consider who can read it.
    ///
    /// ```swift
    /// let sql: SQL = "UPDATE user SET name = \(name) WHERE id = \(id)"
    /// try sql.expandedSQL                 // UPDATE user SET name = 'it''s' WHERE id = 7
    /// ```
    ///
    /// What looks like a parameter inside a literal, a quoted name or a comment is none. `SQLText.literal(_:)` says
    /// how values are written.
    ///
    /// - Throws: ``ResultCode/argumentCount`` and ``ResultCode/unknownParameter`` when the values do not fit the
    ///   parameters, and what a value's conversion throws. The text is in the error.
    public var expandedSQL: String {
        get throws(SQLiteError) {
            let parameters = Parameters(in: sql)
            do {
                let values = try arguments.values(for: ParameterNames(parameters.names))
                let literals = try values.map { SQLText.literal(try $0?.sqliteValue() ?? .null) }
                return parameters.replaced(in: sql) { literals[$0 - 1] }
            } catch let error as SQLiteError {
                throw error.adding(sql: sql)
            } catch {
                throw SQLiteError(.typeMismatch, "an argument: \(error)", sql: sql)
            }
        }
    }
}

/// Whether a text of SQL has a `?`, which takes the next value by position.
func hasOpenParameter(_ sql: String) -> Bool {
    sql.utf8.contains(UInt8(ascii: "?")) && Parameters(in: sql).names.contains(nil)
}

/// The parameters in a text of SQL, found as SQLite's tokenizer finds them. See
/// [Parameters](https://www.sqlite.org/lang_expr.html#varparam).
private struct Parameters {
    /// The names with their prefixes, in the order of the parameters' numbers; nil for a plain `?`.
    private(set) var names: [String?] = []
    /// Where one stands in the text, and its number, counted from 1.
    private var places: [(bytes: Range<Int>, number: Int)] = []

    /// SQLite's own limit is lower, unless it was built otherwise.
    private static let greatestNumber = 1_000_000

    init(in sql: String) {
        let text = Array(sql.utf8)
        var start = 0
        while start < text.count {
            let end = Self.endOfToken(text, start)
            if let name = Self.parameter(text[start..<end]), let number = number(of: name) {
                places.append((start..<end, number))
            }
            start = end
        }
    }

    /// The text with what `literal` says in the place of each parameter.
    func replaced(in sql: String, _ literal: (Int) -> String) -> String {
        let text = Array(sql.utf8)
        var result: [UInt8] = []
        var end = 0
        for (bytes, number) in places {
            result += text[end..<bytes.lowerBound]
            // A literal would join a word, a number or a text next to it, and two minus signs begin a comment.
            if let last = result.last, Self.joinsLiteral(last) || last == UInt8(ascii: "-") { result.append(32) }
            result += literal(number).utf8
            end = bytes.upperBound
            if end < text.count, Self.joinsLiteral(text[end]) { result.append(32) }
        }
        return String(decoding: result + text[end...], as: UTF8.self)
    }

    /// The number of the parameter that is called so: a plain `?` is the next, and so is a new name.
    private mutating func number(of name: String) -> Int? {
        if name == "?" {
            names.append(nil)
            return names.count
        }
        if name.hasPrefix("?") {
            guard let number = Int(name.dropFirst()), (1...Self.greatestNumber).contains(number) else { return nil }
            while names.count < number { names.append(nil) }
            // A parameter that has a name keeps it.
            names[number - 1] = names[number - 1] ?? name
            return number
        }
        if let known = names.firstIndex(where: { $0.map { haveSameBytes($0, name) } ?? false }) { return known + 1 }
        names.append(name)
        return names.count
    }

    /// A token as a parameter; nil for any other. SQLite also takes `#a` for one, which its pages don't say.
    private static func parameter(_ token: ArraySlice<UInt8>) -> String? {
        switch token.first {
        case UInt8(ascii: "?"): String(decoding: token, as: UTF8.self)
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            token.count > 1 ? String(decoding: token, as: UTF8.self) : nil
        default: nil
        }
    }

    /// Where the token that begins at `start` ends.
    private static func endOfToken(_ text: [UInt8], _ start: Int) -> Int {
        func end(after mark: String, from index: Int) -> Int {
            let mark = Array(mark.utf8)
            var index = index
            while index + mark.count <= text.count {
                if text[index..<(index + mark.count)].elementsEqual(mark) { return index + mark.count }
                index += 1
            }
            return text.count
        }
        func end(of isPart: (UInt8) -> Bool, from index: Int) -> Int {
            text[index...].firstIndex { !isPart($0) } ?? text.count
        }
        let rest = text[start...]
        switch text[start] {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
            // A doubled quote ends one quoted part and begins the next.
            return end(after: String(UnicodeScalar(text[start])), from: start + 1)
        case UInt8(ascii: "["): return end(after: "]", from: start + 1)
        case _ where rest.starts(with: "--".utf8): return end(after: "\n", from: start)
        case _ where rest.starts(with: "/*".utf8): return end(after: "*/", from: start + 2)
        case UInt8(ascii: "?"): return end(of: { (48...57).contains($0) }, from: start + 1)
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            return endOfName(text, start + 1)
        case let byte where isWord(byte): return end(of: isWord, from: start)
        default: return start + 1
        }
    }

    /// Where the name of a parameter ends, which may be one of Tcl's: `$a::b(c)`.
    private static func endOfName(_ text: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < text.count {
            if isWord(text[index]) {
                index += 1
            } else if text[index...].starts(with: "::".utf8) {
                index += 2
            } else if text[index] == UInt8(ascii: "("), index > start {
                let isPart: (UInt8) -> Bool = { $0 != UInt8(ascii: ")") && $0 != 32 && !(9...13).contains($0) }
                guard let end = text[index...].firstIndex(where: { !isPart($0) }), text[end] == UInt8(ascii: ")") else {
                    return index
                }
                return end + 1
            } else {
                break
            }
        }
        return index
    }

    private static func joinsLiteral(_ byte: UInt8) -> Bool {
        isWord(byte) || byte == UInt8(ascii: "'") || byte == UInt8(ascii: ".")
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "$"), 128...255: true
        default: false
        }
    }
}
