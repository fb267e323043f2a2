internal import Foundation

/// Texts.
extension CriteriaSQL {
    mutating func append(_ operand: Operand, hasPrefix prefix: Operand) throws {
        if case .value(.text("")) = prefix { return try write("\(operand) IS NOT NULL") }
        // A column of numbers would compare the prefix as a number.
        guard case .column(let column) = operand, try !forms.areNumeric(column), case .value(.text(let text)) = prefix,
            let end = end(ofPrefix: text)
        else { return try write("instr(\(operand), \(prefix)) = 1") }
        // Between the prefix and the first text after all that begin with it: an index finds these.
        // Bytes are compared, by whatever collation the table compares the column.
        let collation = try forms.haveOtherCollation(column) ? " COLLATE \(forms.isUTF16 ? "UTF8" : "BINARY")" : ""
        self.text += "("
        try append(operand, " >= ", prefix, .binary, isOrder: true)
        self.text += collation + " AND "
        try append(operand, " < ", .value(.text(end)), .binary, isOrder: true)
        self.text += collation + ")"
    }

    /// The first text after all those that begin with a prefix. UTF-8 keeps the order of the characters, so it is the
    /// prefix with its last character's successor for it. Nil when there is none.
    private func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // No character has a surrogate's number.
            var successor = last.value == 0xD7FF ? 0xE000 : last.value + 1
            // SQLite makes U+FFFD of these two in UTF-16.
            if forms.isUTF16, successor == 0xFFFE { successor = 0x10000 }
            guard let next = Unicode.Scalar(successor) else { continue }
            return String(String.UnicodeScalarView(scalars + [next]))
        }
        return nil
    }

    mutating func append(_ operand: Operand, hasSuffix suffix: Operand) throws {
        // As bytes, since in a text substr stops at a NUL.
        guard case .value(.text(let end)) = suffix else {
            // From position 0 a text is whole, so none that is empty is its end.
            return try write(
                """
                (substr(CAST(\(operand) AS BLOB), -length(CAST(\(suffix) AS BLOB))) = CAST(\(suffix) AS BLOB) \
                OR \(operand) IS NOT NULL AND length(CAST(\(suffix) AS BLOB)) = 0)
                """)
        }
        if end.isEmpty {
            try write("\(operand) IS NOT NULL")
        } else if forms.isUTF16 {
            let size = SQLiteValue.integer(Int64(-2 * end.utf16.count))
            try write("substr(CAST(\(operand) AS BLOB), \(bound: size)) = CAST(\(bound: .text(end)) AS BLOB)")
        } else {
            let size = SQLiteValue.integer(Int64(-end.utf8.count))
            try write("substr(CAST(\(operand) AS BLOB), \(bound: size)) = \(bound: .blob(Data(end.utf8)))")
        }
    }

    mutating func append(_ operand: Operand, matches pattern: Operand, _ options: TextOptions) throws {
        switch pattern {
        case .value(.text(let pattern)): try write("\(operand) REGEXP \(bound: .text(options.wholeText(pattern)))")
        case .value: try write("\(operand) REGEXP \(bound: .null)")
        default:
            let (before, after) = options.wholeTextParts
            try write("\(operand) REGEXP ('\(before)' || \(pattern) || '\(after)')")
        }
    }
}

extension TextOptions {
    /// What comes before and after a regular expression that is to match a whole text.
    var wholeTextParts: (before: String, after: String) {
        ((contains(.caseInsensitive) ? "(?i)" : "") + #"\A(?:"#, #")\z"#)
    }

    /// A regular expression that matches a whole text.
    func wholeText(_ pattern: String) -> String {
        wholeTextParts.before + pattern + wholeTextParts.after
    }
}
