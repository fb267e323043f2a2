import Foundation
import Fuzzing
import SQLiteKit

/// Writes values and a name into SQL, from which SQLite must read the same.
struct Literals: TextReader {
    private let db: Database

    init() throws { db = try Database(.memory) }

    func check(_ bytes: Data) throws {
        let text = bytes.text
        var values: [SQLiteValue] = [.text(text), .blob(Data(bytes))]
        if let number = bytes.number {
            values += [.integer(Int64(bitPattern: number)), .real(Double(bitPattern: number))]
        }
        // SQL has no way to write a name with a NUL.
        let name = text.replacingBytes("\0", with: "")
        let sql = "SELECT \(values.map(SQLText.literal).joined(separator: ", ")), 0 AS \(SQLText.identifier(name))"
        let statement = try db.prepare(SQL(sql), cached: false)
        try expect(haveSameBytes(statement.columnNames.last ?? "", name), "\(sql): \(statement.columnNames)")
        let row = try statement.query().next()
        let read = try row?.values() ?? []
        try expect(read.count == values.count + 1, sql)
        for (value, read) in zip(values, read) {
            try expect(read == value || isNearly(read, value), "\(sql): \(value) is read as \(read)")
        }
    }

    /// Whether a number is the other, which SQLite's own reading of decimals may miss by the last bit. It stores NaN as
    /// NULL.
    private func isNearly(_ read: SQLiteValue, _ value: SQLiteValue) -> Bool {
        guard case .real(let value) = value else { return false }
        guard case .real(let read) = read else { return value.isNaN && read.isNull }
        return read == value.nextUp || read == value.nextDown
    }
}

/// Writes a name where SQL wants one: as it is, or in quotes.
struct Identifiers: TextReader {
    private let db: Database

    init() throws { db = try Database(.memory) }

    func check(_ bytes: Data) throws {
        let name = bytes.text.replacingBytes("\0", with: "")
        // A column of a subquery can't have these names, with or without quotes.
        if ["true", "false"].contains(name.lowercased()) { return }
        let quoted = SQLText.identifier(name)
        let sql = "WITH \(quoted)(\(quoted)) AS (VALUES (7)) SELECT \(quoted).\(quoted) FROM \(quoted)"
        let read = try db.prepare(SQL(sql), cached: false).query().next()?.values()
        try expect(read == [.integer(7)], "\(sql): \(String(describing: read))")
    }
}

/// Finds the parameters of SQL text, as SQLite does, and writes values in their place.
struct Parameters: TextReader {
    private let db: Database

    init() throws { db = try Database(.memory) }

    func check(_ bytes: Data) throws {
        // A great number stands for as many parameters, which take long.
        let ends = bytes.split(separator: UInt8(ascii: "?"), omittingEmptySubsequences: false).dropFirst()
        if ends.contains(where: { $0.prefix(4).count(where: { 48...57 ~= $0 }) == 4 }) { return }
        let text = "SELECT " + bytes.text
        // Without the values it is an error or, where there is no parameter, the text.
        do {
            let expanded = try SQL(text).expandedSQL
            try expect(haveSameBytes(expanded, text), "\(text) becomes \(expanded)")
        } catch {}
        _ = SQLText.isComplete(text)
        let statement: Statement
        do { statement = try db.prepare(SQL(text), cached: false) } catch { return }
        guard statement.parameterCount <= 100 else { return }
        // No integers, which ORDER BY and GROUP BY take for the number of a column.
        let values: [SQLiteValue] = [.text("it's"), .blob(Data([0, 255])), .null, .text("--\"")]
        let arguments = Arguments((0..<statement.parameterCount).map { values[$0 % values.count] })
        let expanded = try SQL(text, arguments).expandedSQL
        let again: Statement
        do { again = try db.prepare(SQL(expanded), cached: false) } catch {
            throw Fuzzing.Found("\(text) with \(statement.parameterNames) becomes \(expanded): \(error)")
        }
        try expect(again.parameterCount == 0, "\(text) becomes \(expanded), which has \(again.parameterNames)")
        try expect(
            again.columnNames.count == statement.columnNames.count, "\(text) becomes \(expanded): other columns")
    }
}

/// Runs scripts of statements, between which there are comments.
struct Scripts: TextReader {
    private let db: Database

    init() throws { db = try Database(.memory) }

    func check(_ bytes: Data) throws {
        let pieces = bytes.split(separator: 0, maxSplits: 4, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self).replacingBytes("\0", with: "") }
        var script = ""
        for (index, piece) in pieces.enumerated() {
            let literal = SQLText.literal(piece)
            script +=
                index.isMultiple(of: 2)
                ? "SELECT \(literal) -- \(piece.replacingBytes("\n", with: " "))\n;"
                : "/* \(piece.replacingBytes("*/", with: "* /")) */; SELECT \(literal) /**/; "
        }
        try expect(SQLText.isComplete(script), "not complete: \(script)")
        let place = script.utf8.count + 7
        script += "SELECT nothing"
        var read: [String] = []
        do {
            try db.executeScript(SQL(script)) { row in read.append(try row.text(0) ?? "") }
            throw Fuzzing.Found("no error: \(script)")
        } catch let error as SQLiteError {
            let line = script.utf8.count { $0 == 10 } + 1
            try expect(error.offset == place && error.line == line, "\(script): \(error), not at \(place)")
        }
        try expect(
            read.count == pieces.count && zip(read, pieces).allSatisfy(haveSameBytes), "\(script) gives \(read)")
    }
}

/// Makes full-text queries of texts.
struct Searches: TextReader {
    private let db: Database
    private let statement: Statement
    private let trigrams: Statement

    init() throws {
        db = try Database(.memory)
        try db.executeScript(
            """
            CREATE VIRTUAL TABLE a USING fts5 (x, y);
            INSERT INTO a VALUES ('a b c', 'one two'), ('c b', 'two one'), ('é e-mail', 'a'), ('1 2 a', 'x''y ABBA b'),
                ('AND OR NOT NEAR', ''), ('tüte aa a', 'b b a');
            CREATE VIRTUAL TABLE b USING fts5 (x, tokenize = 'trigram');
            INSERT INTO b VALUES ('abcdef'), ('AND (x)'), ('a"b''c*');
            """)
        statement = try db.prepare("SELECT rowid FROM a WHERE a MATCH ?")
        trigrams = try db.prepare("SELECT rowid FROM b WHERE b MATCH ?")
    }

    func check(_ bytes: Data) throws {
        let text = bytes.text
        let (all, any) = (FTS5Query(allWords: text), FTS5Query(anyWord: text))
        let (phrase, prefix) = (FTS5Query(phrase: text), FTS5Query(prefixOfLastWord: text))
        let rows = try [all, any, phrase, prefix].map { try found($0, statement) }
        try expect(rows[0].isSubset(of: rows[1]), "\(text): all words in \(rows[0]), any in \(rows[1])")
        try expect(rows[2].isSubset(of: rows[0]), "\(text): the phrase in \(rows[2]), all words in \(rows[0])")
        try expect(rows[0].isSubset(of: rows[3]), "\(text): all words in \(rows[0]), the prefix in \(rows[3])")
        for query in [all, any, phrase, prefix] { _ = try found(query, trigrams) }
    }

    private func found(_ query: FTS5Query, _ statement: Statement) throws -> Set<Int64> {
        let rows = try statement.query([query])
        var found: Set<Int64> = []
        while let row = try rows.next() { found.insert(try row.integer(0) ?? 0) }
        return found
    }
}
