extension SQLTokens {
    /// The tokens of each statement, without the semicolons between them.
    ///
    /// Those inside a trigger end none: the trigger ends at the one after `END`, as for
    /// [sqlite3_complete](https://www.sqlite.org/c3ref/complete.html).
    package var statements: [Range<Int>] {
        var statements: [Range<Int>] = []
        var start = 0
        while let first = tokens[start...].firstIndex(where: { !$0.isSymbol(";") }) {
            let end = end(from: first)
            statements.append(first..<end)
            start = end
        }
        return statements
    }

    private func end(from start: Int) -> Int {
        let head = tokens[start...].prefix(3)
        let isTrigger = head.first?.isWord("CREATE") == true && head.contains { $0.isWord("TRIGGER") }
        for index in start..<tokens.count where tokens[index].isSymbol(";") {
            // `CASE … END;` is preceded by something else than a semicolon.
            let endsTrigger = index >= 2 && tokens[index - 1].isWord("END") && tokens[index - 2].isSymbol(";")
            if !isTrigger || endsTrigger { return index }
        }
        return tokens.count
    }
}
