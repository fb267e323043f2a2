/// Something wrong in a database file; see ``FileDoctor``.
public struct FileFinding: Sendable, Hashable, Codable {
    /// What is checked.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Pages or rows that contradict each other, or what the tables declare.
        case integrity
        /// A foreign key whose declaration SQLite can't use.
        case foreignKey
        /// Rows whose foreign key has no parent.
        case orphan
        /// A foreign key without an index, so that each deletion of a parent reads the whole table.
        case unindexedForeignKey
        /// Two indexes that do the same.
        case duplicateIndex
        /// Values of a type that their column isn't declared for.
        case unfitValue
        /// Dates of one column in several forms.
        case mixedDates
        /// A full-text index that doesn't have what its table has.
        case searchIndex
        /// Statistics that are missing, or of a table that has changed since.
        case statistics
        /// A write-ahead log that has grown, and isn't copied into the file.
        case log
        /// Pages that the file has and doesn't use.
        case freePages
        /// A view that refers to something that is gone.
        case view
    }

    /// What a statement does that mends a finding.
    public enum Effect: String, Sendable, Hashable, Codable {
        /// It builds again what SQLite can derive, and changes no row.
        case rebuilds
        /// It changes or deletes rows, or drops something.
        case changes
    }

    /// What was checked.
    public let kind: Kind
    /// The table, or the view or index; nil for the file as a whole.
    public let table: String?
    /// The columns; empty for the table as a whole.
    public let columns: [String]
    /// What is wrong, with the names of the table and the columns.
    public let message: String
    /// The statements that mend it; empty if a person has to look.
    public let remedy: [String]
    /// What the statements do.
    public let effect: Effect

    init(
        _ kind: Kind, _ table: String?, _ columns: [String], _ message: String, remedy: [String] = [],
        _ effect: Effect = .rebuilds
    ) {
        (self.kind, self.table, self.columns) = (kind, table, columns)
        (self.message, self.remedy, self.effect) = (message, remedy, effect)
    }
}

extension FileFinding: CustomStringConvertible {
    /// The message, with the statements below it. Control characters, which could do something to a terminal, are
    /// replaced by U+FFFD.
    public var description: String {
        ([message] + remedy.map { "    \($0);" }).map(Self.withoutControls).joined(separator: "\n")
    }

    private static func withoutControls(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}
