/// The result of an import.
public struct ImportReport: Sendable, Hashable {
    /// The number of rows inserted.
    public internal(set) var inserted = 0
    /// The number of rows that were in the table and were updated or replaced.
    public internal(set) var updated = 0
    /// The number of rows skipped because of an existing row, as ``ImportConflict/ignore`` says.
    public internal(set) var skipped = 0
    /// The rows that couldn't be imported, in order.
    public internal(set) var failures: [ImportFailure] = []
    /// The names of the file that were ignored, since the class doesn't have them: fields of a CSV text, and keys of
    /// JSON with those of the objects that they are inside, such as `name.middle`. Of a file of JSON with very many,
    /// the first hundred.
    public internal(set) var ignoredKeys: [String] = []
    /// Whether nothing was written.
    public internal(set) var isDryRun = false
    /// The place after the last row that is in the table, or was skipped.
    public internal(set) var position = ImportPosition()

    /// The number of rows read.
    public var total: Int { inserted + updated + skipped + failures.count }
}

/// A row that couldn't be imported.
public struct ImportFailure: Sendable, Hashable, CustomStringConvertible {
    /// The number of the line on which the row begins, from 1.
    public let line: Int
    /// The name of the field, as the file has it; nil when it is the row as a whole.
    public let column: String?
    /// The field's text, the first 200 bytes of it; nil when it is the row as a whole.
    public let value: String?
    /// What is wrong, in words.
    public let reason: String

    /// The line, the column and the reason. The value isn't in it, since errors are logged.
    public var description: String { "line \(line)" + (column.map { ", \($0)" } ?? "") + ": \(reason)" }
}

/// A position in a file at which to continue an import.
public struct ImportPosition: Sendable, Hashable, Codable {
    /// The number of bytes before it.
    public let offset: Int64
    /// The number of its line, from 1.
    public let line: Int

    /// A place in a file; by default its beginning.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes before it.
    ///   - line: The line, the first of which is 1.
    public init(offset: Int64 = 0, line: Int = 1) {
        self.offset = offset
        self.line = line
    }
}
