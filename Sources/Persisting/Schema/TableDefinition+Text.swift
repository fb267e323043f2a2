/// Tables as the texts say them that created them.
extension TableDefinition {
    /// A table of a database, with its indexes.
    ///
    /// - Throws: ``PersistenceError/Code/schemaMismatch`` for a text that does not agree with what the pragmas tell.
    package init(_ table: DatabaseSchema.Table) throws {
        guard table.kind == .table, let sql = table.sql, let definition = Self(sql: sql),
            definition.columns.map(\.name) == table.columns.map(\.name)
        else {
            let kind =
                table.kind == .table ? "a table whose CREATE TABLE can't be read" : "a \(table.kind.rawValue) table"
            throw PersistenceError(
                .schemaMismatch, "\(table.name) is \(table.kind == .view ? "a view" : kind): change it by SQL")
        }
        self = definition
        name = table.name
        indexes = table.indexes.reversed().filter { $0.origin == .created }.map { IndexDefinition($0, table.name) }
    }

    /// A table as a CREATE TABLE declares it; nil for any other text.
    package init?(sql: String) {
        let text = SQLTokens(sql)
        let tokens = text.tokens
        guard let open = tokens.firstIndex(where: { $0.isSymbol("(") }), open > 0, let close = text.closing(open),
            tokens[0].isWord("CREATE"), let name = tokens[open - 1].name
        else { return nil }
        let options = tokens[(close + 1)...]
        self.init(
            name: name, columns: [], isStrict: options.contains { $0.isWord("STRICT") },
            isWithoutRowID: options.contains { $0.isWord("WITHOUT") })
        // What begins with one of these words is a constraint, and those that follow it need no comma between.
        for part in text.parts(open + 1..<close) {
            guard !part.isEmpty else { continue }
            let isConstraint = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains {
                tokens[part.lowerBound].isWord($0)
            }
            if isConstraint {
                constraints += Self.clauses(of: text, part, ofTable: true)
            } else if let name = tokens[part.lowerBound].name {
                let first = Self.starts(text, part.dropFirst(), ofTable: false).first ?? part.upperBound
                let gap = text.gap(before: first)
                let hasComment = gap.utf8.contains(UInt8(ascii: "/"))
                let mark = hasComment ? DateStorage.allCases.compactMap(\.mark).first { gap.contains($0.sql) } : nil
                columns.append(
                    ColumnDefinition(
                        name: name, type: text.text(part.lowerBound + 1..<first),
                        clauses: [mark].compactMap { $0 }
                            + Self.clauses(of: text, first..<part.upperBound, ofTable: false)))
            }
        }
    }

    private static func clauses(of text: SQLTokens, _ range: Range<Int>, ofTable: Bool) -> [Clause] {
        let starts = starts(text, range, ofTable: ofTable)
        return zip(starts, starts.dropFirst() + [range.upperBound]).map { start, end in
            // A CONSTRAINT has its name before the word that tells its kind.
            let place = text.tokens[start].isWord("CONSTRAINT") ? min(start + 2, end - 1) : start
            return Clause(kind(text.tokens[place]), text.text(start..<end))
        }
    }

    private static func kind(_ token: SQLTokens.Token) -> Clause.Kind {
        let kinds: [(String, Clause.Kind)] = [
            ("PRIMARY", .primaryKey), ("NOT", .notNull), ("UNIQUE", .unique), ("CHECK", .check),
            ("DEFAULT", .defaultValue), ("COLLATE", .collation), ("REFERENCES", .foreignKey), ("FOREIGN", .foreignKey),
            ("GENERATED", .generated), ("AS", .generated),
        ]
        return kinds.first { token.isWord($0.0) }?.1 ?? .other
    }

    /// The places where the clauses of a column, or of a table, begin.
    private static func starts(_ text: SQLTokens, _ range: Range<Int>, ofTable: Bool) -> [Int] {
        let words =
            ofTable
            ? ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]
            : [
                "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES",
                "GENERATED", "AS",
            ]
        var starts: [Int] = []
        var index = range.lowerBound
        while index < range.upperBound {
            let token = text.tokens[index]
            if token.isSymbol("(") {
                index = (text.closing(index) ?? index) + 1
                continue
            }
            guard words.contains(where: token.isWord) else {
                index += 1
                continue
            }
            // NOT DEFERRABLE belongs to the foreign key before it.
            if token.isWord("NOT"), index + 1 < range.upperBound, text.tokens[index + 1].isWord("DEFERRABLE") {
                index += 2
                continue
            }
            starts.append(index)
            // The kind of one that has a name comes after the name.
            if token.isWord("CONSTRAINT") { index += 2 }
            guard index < range.upperBound else { break }
            let word = text.tokens[index]
            index += 1
            // The next word is the clause's own, whatever it says: DEFAULT NULL, NOT NULL, GENERATED ALWAYS AS.
            if word.isWord("DEFAULT") || word.isWord("COLLATE") || word.isWord("NOT"), index < range.upperBound,
                !text.tokens[index].isSymbol("(")
            {
                index += text.tokens[index].isSymbol("-") || text.tokens[index].isSymbol("+") ? 2 : 1
            }
            if word.isWord("GENERATED") { index += 2 }
            if word.isWord("REFERENCES") { index = endOfReference(text, index, range.upperBound) }
        }
        return starts
    }

    /// Where a REFERENCES ends, whose actions have words that begin clauses elsewhere: SET NULL, SET DEFAULT.
    private static func endOfReference(_ text: SQLTokens, _ start: Int, _ end: Int) -> Int {
        var index = start + 1
        while index < end {
            let token = text.tokens[index]
            if token.isSymbol("(") {
                index = (text.closing(index) ?? index) + 1
            } else if token.isWord("SET") || token.isWord("MATCH") {
                index += 2
            } else if ["ON", "DELETE", "UPDATE", "CASCADE", "RESTRICT", "NO", "ACTION"].contains(
                where: token.isWord)
            {
                index += 1
            } else {
                break
            }
        }
        return index
    }
}

/// Names in texts.
extension Clause {
    /// The clause with other names for columns, which are names in lower case.
    func renaming(_ columns: [String: String]) -> Clause {
        Clause(kind, SQLTokens.renaming(columns, in: sql), isImplied: isImplied)
    }

    /// A foreign key with other names for the parent and its columns.
    ///
    /// - Parameters:
    ///   - tables: The parents' other names, by their names in lower case.
    ///   - columns: The other names of their columns, by the parents' other names and those of the columns, in lower
    ///     case.
    func referring(to tables: [String: String], columns: [String: [String: String]]) -> Clause {
        if tables.isEmpty, columns.isEmpty { return self }
        let text = SQLTokens(sql)
        guard let place = text.tokens.firstIndex(where: { $0.isWord("REFERENCES") }).map({ $0 + 1 }),
            place < text.tokens.count, let parent = text.tokens[place].name
        else { return self }
        let table = tables[asciiLowercased(parent)]
        let names = columns[asciiLowercased(table ?? parent)] ?? [:]
        let isListed = place + 1 < text.tokens.count && text.tokens[place + 1].isSymbol("(")
        let list = isListed ? place + 1..<(text.closing(place + 1) ?? place + 1) : place..<place
        let sql = text.replacing { index in
            if index == place { return table.map(SQLText.identifier) }
            guard list.contains(index), let name = text.tokens[index].name else { return nil }
            return names[asciiLowercased(name)].map(SQLText.identifier)
        }
        return Clause(kind, sql, isImplied: isImplied)
    }

    /// A FOREIGN KEY of a table with other names for the columns that refer.
    func renamingReferrers(_ columns: [String: String]) -> Clause {
        guard let inside else { return self }
        return Clause(kind, sql.replacing(inside, with: SQLTokens.renaming(columns, in: inside), maxReplacements: 1))
    }
}

extension SQLTokens {
    /// The name that may be a column's at a place of an expression: that of a function, a collation or a type isn't, nor
    /// is a word of SQL's.
    func columnName(at index: Int) -> String? {
        switch tokens[index].kind {
        case .text: return nil
        case .word(let word) where Self.neverColumns.contains(asciiLowercased(word)): return nil
        case .word where isOperator(index): return nil
        default: break
        }
        // The x of x'00' is no name.
        let isPrefix =
            if index + 1 < tokens.count, case .text = tokens[index + 1].kind, gap(before: index + 1).isEmpty {
                tokens[index].isWord("x")
            } else {
                false
            }
        let isFunction = index + 1 < tokens.count && tokens[index + 1].isSymbol("(")
        let isOther = index > 0 && (tokens[index - 1].isWord("COLLATE") || tokens[index - 1].isWord("AS"))
        return isPrefix || isFunction || isOther ? nil : tokens[index].name
    }

    /// Whether a word that can be a column's name stands where an expression has an operator: after an operand.
    private func isOperator(_ index: Int) -> Bool {
        guard index > 0, ["end", "like", "glob", "match", "regexp"].contains(where: tokens[index].isWord) else {
            return false
        }
        switch tokens[index - 1].kind {
        case .symbol(let symbol): return symbol == UInt8(ascii: ")")
        case .word(let word): return !Self.neverColumns.subtracting(["null"]).contains(asciiLowercased(word))
        case .quoted, .text, .parameter: return true
        }
    }

    /// Words that name a column only in quotes; see [SQLite Keywords](https://www.sqlite.org/lang_keywords.html).
    private static let neverColumns: Set<String> = [
        "and", "as", "between", "case", "collate", "distinct", "else", "escape", "exists", "from", "in", "is", "isnull",
        "not", "notnull", "null", "or", "order", "select", "then", "when", "where",
    ]

    /// Whether an expression has a column.
    func mentions(_ column: String) -> Bool {
        tokens.indices.contains { columnName(at: $0).map { isSameName($0, column) } == true }
    }

    /// An expression with other names for columns.
    static func renaming(_ columns: [String: String], in sql: String) -> String {
        guard !columns.isEmpty else { return sql }
        let text = SQLTokens(sql)
        return text.replacing { index in
            text.columnName(at: index).flatMap { columns[asciiLowercased($0)] }.map(SQLText.identifier)
        }
    }

    /// What follows a WHERE that is in no bracket; nil without one.
    package static func condition(of sql: String) -> String? {
        let text = SQLTokens(sql)
        var depth = 0
        for (index, token) in text.tokens.enumerated() {
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 0, token.isWord("WHERE") { return text.text(index + 1..<text.tokens.count) }
        }
        return nil
    }

    /// The terms between the brackets of a CREATE INDEX, each without the collation and the direction after it.
    static func indexedTerms(of sql: String) -> [String] {
        let text = SQLTokens(sql)
        guard let open = text.tokens.firstIndex(where: { $0.isSymbol("(") }), let close = text.closing(open) else {
            return []
        }
        return text.parts(open + 1..<close).map { part in
            let end = text.withoutDirection(part).upperBound
            let hasCollation = end - 2 > part.lowerBound && text.tokens[end - 2].isWord("COLLATE")
            return text.text(part.lowerBound..<(hasCollation ? end - 2 : end))
        }
    }

    /// What stands between the commas that are in no bracket.
    func parts(_ range: Range<Int>) -> [Range<Int>] {
        var (parts, start, depth) = ([Range<Int>](), range.lowerBound, 0)
        for index in range {
            if tokens[index].isSymbol("(") { depth += 1 }
            if tokens[index].isSymbol(")") { depth -= 1 }
            guard depth == 0, tokens[index].isSymbol(",") else { continue }
            parts.append(start..<index)
            start = index + 1
        }
        return parts + [start..<range.upperBound]
    }

    /// A term without the direction that it is sorted in.
    func withoutDirection(_ term: Range<Int>) -> Range<Int> {
        guard let last = term.last, tokens[last].isWord("ASC") || tokens[last].isWord("DESC") else { return term }
        return term.dropLast()
    }
}
