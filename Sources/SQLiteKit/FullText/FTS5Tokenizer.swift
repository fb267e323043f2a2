internal import CSystemSQLite

/// What makes words of texts for FTS5, in Swift.
///
/// ```swift
/// struct Bigrams: FTS5Tokenizer {
///     func tokenize(_ text: String, _ emit: borrowing FTS5TokenSink) throws { … }
/// }
/// try db.addTokenizer("bigrams") { arguments in Bigrams() }
/// ```
///
/// A plain tokenizer without arguments can be a closure: see `Database.addTokenizer(_:_:)`.
public protocol FTS5Tokenizer {
    /// Emits the words of a text, in their order.
    ///
    /// - Parameters:
    ///   - text: The text. U+FFFD stands for bytes that aren't UTF-8.
    ///   - emit: What takes each word, and says what they are for.
    /// - Throws: What it throws fails the statement with ``ResultCode/tokenizerFailed`` and its message.
    func tokenize(_ text: String, _ emit: borrowing FTS5TokenSink) throws
}

/// What FTS5 wants the words of a text for.
public enum FTS5TokenReason: Sendable, Hashable {
    /// The text is stored in a row that is indexed, or was and is removed.
    case document
    /// The text is searched for.
    case query
    /// The text is searched for, and its last word may be the beginning of one.
    case prefixQuery
    /// An auxiliary function, such as `highlight` and `snippet`, looks at a text. It must have the words that it has as
    /// a document.
    case auxiliary
}

/// What takes the words that an ``FTS5Tokenizer`` finds in a text. It is lent for the call alone.
public struct FTS5TokenSink: ~Copyable {
    /// What the words are for.
    public let reason: FTS5TokenReason
    private let text: String
    private let byteCount: Int32
    private let context: UnsafeMutableRawPointer?
    private let token: TokenFunction
    private let outcome = Outcome()

    fileprivate typealias TokenFunction =
        @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32) -> Int32

    private final class Outcome {
        var code = SQLITE_OK
        var hasTokens = false
    }

    fileprivate init(
        _ text: String, _ byteCount: Int32, flags: Int32, _ context: UnsafeMutableRawPointer?,
        _ token: @escaping TokenFunction
    ) {
        (self.text, self.byteCount, self.context, self.token) = (text, byteCount, context, token)
        reason =
            if flags & FTS5_TOKENIZE_DOCUMENT != 0 {
                .document
            } else if flags & FTS5_TOKENIZE_AUX != 0 {
                .auxiliary
            } else {
                flags & FTS5_TOKENIZE_PREFIX != 0 ? .prefixQuery : .query
            }
    }

    /// SQLite's result code of the first word that it didn't take.
    fileprivate var code: Int32 { outcome.code }

    /// Takes a word.
    ///
    /// - Parameters:
    ///   - word: The word as it is indexed and compared, such as in small letters. An empty one is skipped.
    ///   - range: Where it stands in the text, which `highlight` and `snippet` mark.
    ///   - isColocated: Whether it stands in the place of the word before: a synonym, either of which is found. Emit
    ///     synonyms for documents or for queries, not for both. See [Synonym
    ///     Support](https://www.sqlite.org/fts5.html#synonym_support).
    /// - Throws: ``SQLiteError`` where SQLite can't take it; the tokenizer is to end.
    public func callAsFunction(
        _ word: some StringProtocol, _ range: Range<String.Index>, isColocated: Bool = false
    ) throws(SQLiteError) {
        guard !word.isEmpty else { return }
        // Indices of another text may lie outside this one.
        func offset(_ index: String.Index) -> Int32 {
            let index = min(max(index, text.startIndex), text.endIndex)
            return min(Int32(clamping: text.utf8.distance(from: text.startIndex, to: index)), byteCount)
        }
        let (start, end) = (offset(range.lowerBound), offset(range.upperBound))
        let flags = isColocated && outcome.hasTokens ? FTS5_TOKEN_COLOCATED : 0
        var word = String(word)
        outcome.hasTokens = true
        let code = word.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { bytes in
                token(context, flags, bytes.baseAddress, Int32(clamping: bytes.count), start, end)
            }
        }
        guard code == SQLITE_OK else {
            outcome.code = code
            throw SQLiteError(ResultCode(rawValue: code), "FTS5 took no more words")
        }
    }
}

/// Tokenizers for FTS5.
extension Database {
    /// Adds a tokenizer for FTS5, which tables and queries name in `tokenize`.
    ///
    /// ```swift
    /// configuration.prepare = { db in
    ///     try db.addTokenizer("lines") { text, emit in
    ///         for line in text.split(separator: "\n") {
    ///             try emit(line.lowercased(), line.startIndex..<line.endIndex)
    ///         }
    ///     }
    /// }
    /// try db.execute(
    ///     "CREATE VIRTUAL TABLE poem USING fts5 (text, tokenize = 'lines')")
    /// ```
    ///
    /// It belongs to its connection: one that a schema uses is added in ``DatabaseConfiguration/prepare``, or its
    /// tables can't be used. It must give the same words for the same text each time: an index keeps the words that it
    /// was made with, and needs `rebuild` after a change. The closure is released when the connection is closed.
    ///
    /// See [Custom Tokenizers](https://www.sqlite.org/fts5.html#custom_tokenizers).
    ///
    /// - Parameters:
    ///   - name: The name. Tables that are opened afterwards use the last one of a name; its case doesn't matter.
    ///   - body: Emits the words of a text, in their order. U+FFFD stands in the text for bytes that aren't UTF-8. What
    ///     it throws fails the statement with ``ResultCode/tokenizerFailed`` and its message. It must not use the
    ///     connection.
    /// - Throws: ``ResultCode/misuse`` for a name that cannot be, ``ResultCode/missingFeature`` where SQLite has no
    ///   FTS5.
    public func addTokenizer(
        _ name: String, _ body: @escaping @Sendable (String, borrowing FTS5TokenSink) throws -> Void
    ) throws(SQLiteError) {
        try addTokenizer(TokenizerFactory(connection) { _ in ClosureTokenizer(body: body) }, name)
    }

    /// Adds a tokenizer for FTS5 that has arguments or something to keep.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - make: Makes the tokenizer of a table, from the arguments that come after its name, such as `["en"]` for
    ///     `tokenize = 'words en'`. What it throws fails the statement.
    /// - Throws: ``ResultCode/misuse`` for a name that cannot be, ``ResultCode/missingFeature`` where SQLite has no
    ///   FTS5.
    public func addTokenizer(
        _ name: String, _ make: @escaping @Sendable ([String]) throws -> any FTS5Tokenizer
    ) throws(SQLiteError) {
        try addTokenizer(TokenizerFactory(connection, make), name)
    }

    private func addTokenizer(_ factory: TokenizerFactory, _ name: String) throws(SQLiteError) {
        try connection.checkFTS5(name, "a tokenizer")
        let api = try connection.fts5()
        var functions = fts5_tokenizer(
            xCreate: { context, arguments, count, tokenizer in
                guard let context, let tokenizer else { return SQLITE_MISUSE }
                let words = (0..<Int(count)).compactMap { arguments?[$0].map { String(cString: $0) } }
                return Box<TokenizerFactory>.value(at: context).make(words, tokenizer)
            },
            xDelete: { releaseBox(UnsafeMutableRawPointer($0)) },
            xTokenize: { tokenizer, context, flags, text, count, token in
                guard let tokenizer, let token else { return SQLITE_MISUSE }
                let made = Box<MadeTokenizer>.value(at: UnsafeMutableRawPointer(tokenizer))
                let bytes = UnsafeRawBufferPointer(start: text, count: Int(max(count, 0)))
                let text = String(decoding: bytes, as: UTF8.self)
                return made.factory.outcome {
                    let sink = FTS5TokenSink(text, Int32(clamping: bytes.count), flags: flags, context, token)
                    // What FTS5 said counts, whatever the tokenizer made of it.
                    do {
                        try made.tokenizer.tokenize(text, sink)
                    } catch  where sink.code != SQLITE_OK {}
                    return sink.code
                }
            })
        let box = Box(factory).retained()
        let code = api.pointee.xCreateTokenizer(api, name, box, &functions, releaseBox)
        guard code == SQLITE_OK else {
            // Of what it doesn't take, FTS5 calls no destructor.
            releaseBox(box)
            throw connection.failure(code, sql: nil)
        }
    }
}

private struct ClosureTokenizer: FTS5Tokenizer {
    let body: @Sendable (String, borrowing FTS5TokenSink) throws -> Void

    func tokenize(_ text: String, _ emit: borrowing FTS5TokenSink) throws { try body(text, emit) }
}

/// A tokenizer of one table.
private struct MadeTokenizer {
    let factory: TokenizerFactory
    let tokenizer: any FTS5Tokenizer
}

/// What makes the tokenizers of a connection's tables.
private final class TokenizerFactory {
    // It outlives its handle, and so all calls.
    private unowned let connection: Connection
    private let body: ([String]) throws -> any FTS5Tokenizer

    init(_ connection: Connection, _ body: @escaping ([String]) throws -> any FTS5Tokenizer) {
        (self.connection, self.body) = (connection, body)
    }

    func make(_ arguments: [String], _ place: UnsafeMutablePointer<OpaquePointer?>) -> Int32 {
        outcome {
            let made = MadeTokenizer(factory: self, tokenizer: try body(arguments))
            place.pointee = OpaquePointer(Box(made).retained())
            return SQLITE_OK
        }
    }

    /// The code for what `body` throws, whose message waits for the statement's error.
    func outcome(_ body: () throws -> Int32) -> Int32 {
        do {
            return try body()
        } catch {
            connection.hooks.errorMessage = "the tokenizer failed: \(reason(of: error))"
            return ResultCode.tokenizerFailed.rawValue
        }
    }
}
