/// How a CSV text is written: its separator, its first row, and what rows of other lengths mean.
///
/// ```swift
/// try manager.importCSV(
///     User.self, contentsOf: url,
///     CSVFormat(separator: ";", header: .absent(["name", "age"])))
/// ```
///
/// The text is UTF-8, with or without a byte order mark. Rows end with a line feed, a carriage return, or both; blank
/// lines are skipped. Fields are quoted as [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180) says: between quotation
/// marks a field may have separators, line breaks, and quotation marks, which are doubled. An empty field is NULL, and
/// an empty field in quotation marks is an empty text.
public struct CSVFormat: Sendable, Hashable {
    /// What the first row is, and what the fields are called.
    public enum Header: Sendable, Hashable {
        /// The first row names the fields, by keys of the class's ``PersistingModel/remoteMapping``, or of a class
        /// without one by properties or columns. Fields of other names are ignored.
        case present
        /// The first row names the fields, and the dictionary says which property some of them are.
        case renamed([String: String])
        /// There is no such row: these are the fields' names, in order. An empty name ignores a field.
        case absent([String])
    }

    /// What a row with another number of fields than the header means.
    public enum RowLength: Sendable, Hashable {
        /// It is an error of the row.
        case error
        /// Fields that lack are absent, and those too many are ignored.
        case any
    }

    /// The separator of fields: a comma by default. Any text without quotation marks and line breaks. An export rejects
    /// what can be a part of a number, such as a point.
    public var separator: String
    /// What the first row is.
    public var header: Header
    /// What a row with too few fields means.
    public var shortRows: RowLength
    /// What a row with too many fields means. Empty fields at the end of a row are never too many.
    public var longRows: RowLength

    /// Creates a format. Without arguments it is that of RFC 4180, with a header.
    ///
    /// - Parameters:
    ///   - separator: The character between two fields.
    ///   - header: How the first line is read.
    ///   - shortRows: What a row with too few fields is.
    ///   - longRows: What a row with too many fields is.
    public init(
        separator: String = ",", header: Header = .present, shortRows: RowLength = .error, longRows: RowLength = .error
    ) {
        self.separator = separator
        self.header = header
        self.shortRows = shortRows
        self.longRows = longRows
    }

    /// The properties that names of the first row stand for, where the format says it.
    var renamed: [String: String] { if case .renamed(let names) = header { names } else { [:] } }

    /// The bytes of the separator.
    ///
    /// - Throws: ``PersistenceError/Code/invalidFormat`` for a text that can't be one.
    func separatorBytes() throws -> [UInt8] {
        let bytes = Array(separator.utf8)
        guard !bytes.isEmpty, !bytes.contains(where: { $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else {
            throw PersistenceError(
                .invalidFormat,
                "a separator is a text without quotation marks and line breaks, and not empty; \"\(separator)\" isn't")
        }
        return bytes
    }
}
