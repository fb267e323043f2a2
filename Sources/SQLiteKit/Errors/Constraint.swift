/// The kinds of constraint that a change can violate.
///
/// The type is open; each kind is SQLite's extended result code.
/// See [the CREATE TABLE page](https://www.sqlite.org/lang_createtable.html#constraint_enforcement).
public struct Constraint: Hashable, Sendable {
    /// The extended result code of the kind.
    public let code: ResultCode

    /// The kind that SQLite reports by a code.
    ///
    /// - Parameter code: The result code.
    public init(code: ResultCode) {
        self.code = code
    }

    /// A UNIQUE constraint or a unique index.
    public static let unique = Constraint(code: .constraintUnique)
    /// A PRIMARY KEY; for a generated integer key as well.
    public static let primaryKey = Constraint(code: .constraintPrimaryKey)
    /// A NOT NULL column that was given NULL.
    public static let notNull = Constraint(code: .constraintNotNull)
    /// A CHECK whose expression was false.
    public static let check = Constraint(code: .constraintCheck)
    /// A foreign key without its parent, or a parent that still has children.
    public static let foreignKey = Constraint(code: .constraintForeignKey)
    /// A row identifier that is taken, in a table without an INTEGER PRIMARY KEY.
    public static let rowID = Constraint(code: .constraintRowID)
    /// A `RAISE` in a trigger.
    public static let trigger = Constraint(code: .constraintTrigger)
    /// A value of the wrong type for a column of a STRICT table.
    public static let datatype = Constraint(code: .constraintDatatype)
}

extension SQLiteError {
    /// The kind of constraint that the change violates; nil for another error.
    public var constraint: Constraint? {
        code == .constraint ? Constraint(code: extendedCode) : nil
    }

    /// Whether the change violates a constraint: of one kind, or of any.
    ///
    /// - Parameter kind: The kind to ask for; nil asks for any.
    public func isConstraint(_ kind: Constraint? = nil) -> Bool {
        guard let constraint else { return false }
        return kind == nil || kind == constraint
    }

    /// The table whose constraint the change violates, where SQLite names it: UNIQUE, PRIMARY KEY, NOT NULL and the
    /// types of a STRICT table. Of a foreign key it is the table that declares it, where one key alone can be meant.
    public var table: String? { constrained?.table }

    /// The columns of the constraint that the change violates, in its order; empty where SQLite names none.
    public var columns: [String] { constrained?.columns ?? [] }

    /// The columns that a foreign key's error names first.
    private var foreignKey: Substring? {
        guard let subject else { return nil }
        for words in [ForeignKeyWords.isMissing, ForeignKeyWords.isNeeded] {
            if let range = subject.firstRange(of: words) { return Substring(String(subject[..<range.lowerBound])) }
        }
        return nil
    }

    /// The name of the CHECK constraint, or the text of one without a name.
    public var checkName: String? {
        extendedCode == .constraintCheck ? subject : nil
    }

    /// What comes after the colon: "UNIQUE constraint failed: user.email, user.tenant".
    private var subject: String? {
        guard let colon = message.firstRange(of: "failed: ") else { return nil }
        return String(message[colon.upperBound...])
    }

    private var constrained: (table: String, columns: [String])? {
        if extendedCode == .constraintDatatype {
            // "cannot store TEXT value in INTEGER column user.age"
            guard let range = message.firstRange(of: " column ") else { return nil }
            return Self.qualified(message[range.upperBound...]).map { ($0.table, [$0.column]) }
        }
        if extendedCode == .constraintForeignKey {
            let names = (foreignKey ?? "").split(separator: ", ").compactMap { Self.qualified($0) }
            return names.first.map { ($0.table, names.map(\.column)) }
        }
        guard [.constraintUnique, .constraintPrimaryKey, .constraintNotNull, .constraintRowID].contains(extendedCode),
            let subject
        else { return nil }
        let names = subject.split(separator: ", ").compactMap { Self.qualified($0) }
        guard let first = names.first else { return nil }
        return (first.table, names.map(\.column))
    }

    /// "table.column"; the column is what comes after the last dot.
    private static func qualified(_ name: Substring) -> (table: String, column: String)? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }
}

/// What stands between the columns of a foreign key and its parent in the message of an error.
enum ForeignKeyWords {
    static let isMissing = " refers to no row of "
    static let isNeeded = " still refers to the row of "
}
