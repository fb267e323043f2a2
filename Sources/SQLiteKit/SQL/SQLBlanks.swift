/// Whether a statement begins with a word, which is in lower case.
func firstWord(of sql: String, is word: String) -> Bool {
    let utf8 = ArraySlice(sql.utf8)
    return utf8.dropFirst(lengthOfBlanksAndComments(in: utf8)).prefix(word.utf8.count)
        .elementsEqual(word.utf8) { $0 | 0x20 == $1 }
}

/// How many bytes lead up to the first word of a statement.
func lengthOfBlanksAndComments(in sql: ArraySlice<UInt8>) -> Int {
    var rest = sql
    while true {
        if let first = rest.first, first == 32 || (9...13).contains(first) || first == UInt8(ascii: ";") {
            rest = rest.dropFirst()
        } else if rest.starts(with: "--".utf8) {
            rest = rest.drop { $0 != UInt8(ascii: "\n") }
        } else if rest.starts(with: "/*".utf8) {
            rest = rest.dropFirst(2)
            while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
            rest = rest.dropFirst(2)
        } else {
            return sql.count - rest.count
        }
    }
}
