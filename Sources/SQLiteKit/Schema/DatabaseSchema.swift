/// What a database consists of: its tables and views, with all that belongs to them.
///
/// ```swift
/// let schema = try db.schema()
/// for table in schema.tables where !table.isInternal {
///     print(table.name, table.primaryKey, table.columns.map(\.name))
/// }
/// try db.table("album")?.column("cover")?.declaredType           // "BLOB"
/// ```
///
/// Names are found by SQLite's rule, without regard to the case of ASCII letters.
public struct DatabaseSchema: Sendable, Hashable {
    /// The database: `main`, `temp`, or the name of an attached one.
    public let database: String
    /// The tables and views, in the order they were created. The schema table itself is left out.
    public let tables: [Table]

    /// The table or view of a name.
    ///
    /// - Parameter name: The table's name.
    public func table(_ name: String) -> Table? { tables.first { isSameName($0.name, name) } }

    /// A table or a view.
    public struct Table: Sendable, Hashable {
        /// The name as it was written when the table was created.
        public let name: String
        /// The database it is in: `main`, `temp`, or the name of an attached one.
        public let database: String
        /// What it is.
        public let kind: Kind
        /// Whether its columns take only values of their types. See
        /// [STRICT Tables](https://www.sqlite.org/stricttables.html).
        public let isStrict: Bool
        /// Whether its rows are found by their primary key alone. See
        /// [The WITHOUT ROWID Optimization](https://www.sqlite.org/withoutrowid.html).
        public let isWithoutRowID: Bool
        /// The text that created it; nil for a table that SQLite created for itself.
        public let sql: String?
        /// The columns, in order, those that `SELECT *` leaves out among them. Empty for a view or a virtual table that
        /// SQLite cannot make sense of: it refers to something that is gone, or its module is not there.
        public let columns: [Column]
        /// The indexes, those that SQLite made for a constraint among them, the newest first.
        public let indexes: [Index]
        /// The foreign keys, in the order they were declared.
        public let foreignKeys: [ForeignKey]
        /// The triggers, in the order they were created. A temporary trigger of a table that is not temporary is left
        /// out: it stands in `temp`.
        public let triggers: [Trigger]

        /// The column of a name.
        ///
        /// - Parameter name: The column's name.
        public func column(_ name: String) -> Column? { columns.first { isSameName($0.name, name) } }

        /// The names of the columns of the primary key, in the key's order; empty without one.
        public var primaryKey: [String] {
            primaryKeyNames(columns)
        }

        /// The column that is another name of the row identifier, an INTEGER PRIMARY KEY; nil without one. See
        /// [ROWIDs and the INTEGER PRIMARY KEY](https://www.sqlite.org/lang_createtable.html#rowid).
        public var rowIDColumn: String? {
            // A key that is none has an index of its own: INTEGER PRIMARY KEY DESC, by an old mistake of SQLite's.
            guard kind == .table || kind == .shadow, !isWithoutRowID, primaryKey.count == 1,
                let column = column(primaryKey[0]), isSameName(column.declaredType, "INTEGER"),
                !indexes.contains(where: { $0.origin == .primaryKey })
            else { return nil }
            return column.name
        }

        /// Whether SQLite made the table for itself: its name begins with `sqlite_`.
        public var isInternal: Bool { asciiLowercased(name).utf8.starts(with: "sqlite_".utf8) }
    }

    /// What a table is.
    public enum Kind: String, Sendable, Hashable, SQLiteValueConvertible {
        /// An ordinary table.
        case table
        /// A view.
        case view
        /// A virtual table.
        case virtual
        /// A table in which a virtual table keeps its content.
        case shadow
    }

    /// A column of a table.
    public struct Column: Sendable, Hashable {
        /// The name as it was written.
        public let name: String
        /// The type as it was declared, such as `VARCHAR(20)`; empty without one.
        public let declaredType: String
        /// Whether it was declared NOT NULL.
        public let isNotNull: Bool
        /// The default as SQL text, a text in its quotes; nil without one.
        public let defaultSQL: String?
        /// The place in the primary key, counted from 1; nil when it isn't a part of it.
        public let primaryKeyPosition: Int?
        /// Where its values come from.
        public let kind: Kind
        /// The collation that compares its texts; nil for a column of a view, and for one that is hidden.
        public let collation: String?
        /// Whether it is an INTEGER PRIMARY KEY that never takes a number again.
        public let isAutoincrement: Bool

        /// Where a column's values come from.
        public enum Kind: Int, Sendable, Hashable, SQLiteValueConvertible {
            /// They are stored.
            case ordinary = 0
            /// It is of use to a virtual table, and `SELECT *` leaves it out.
            case hidden = 1
            /// They are computed when they are read.
            case generatedVirtual = 2
            /// They are computed when the row is written, and stored.
            case generatedStored = 3
        }
    }

    /// An index of a table.
    public struct Index: Sendable, Hashable {
        /// The name; SQLite's own begin with `sqlite_autoindex_`.
        public let name: String
        /// Whether two rows cannot have the same values.
        public let isUnique: Bool
        /// Why it is there.
        public let origin: Origin
        /// Whether it leaves rows out, by a WHERE.
        public let isPartial: Bool
        /// What it is sorted by, in order.
        public let columns: [Column]
        /// The text that created it, in which the expressions and the WHERE are; nil for SQLite's own.
        public let sql: String?

        /// Why an index is there.
        public enum Origin: String, Sendable, Hashable, SQLiteValueConvertible {
            /// A CREATE INDEX.
            case created = "c"
            /// A UNIQUE of the table.
            case unique = "u"
            /// The PRIMARY KEY of the table.
            case primaryKey = "pk"
        }

        /// What an index is sorted by.
        public struct Column: Sendable, Hashable {
            /// The column's name; nil for an expression.
            public let name: String?
            /// Whether the largest comes first.
            public let isDescending: Bool
            /// The collation that compares texts.
            public let collation: String
        }
    }

    /// A foreign key of a table.
    public struct ForeignKey: Sendable, Hashable {
        /// The number that SQLite gives it, which ``ForeignKeyViolation`` says too.
        public let id: Int
        /// The columns that refer, in the order they were declared.
        public let columns: [String]
        /// The table they refer to, as it was written. It need not exist.
        public let parent: String
        /// The columns of the parent that they refer to: those that were declared, else its primary key; empty when
        /// there is no such table.
        public let parentColumns: [String]
        /// What happens when the parent is deleted.
        public let onDelete: Action
        /// What happens when the parent's key is changed.
        public let onUpdate: Action
        /// Whether it is enforced at the commit and not immediately: DEFERRABLE INITIALLY DEFERRED.
        public let isDeferred: Bool

        /// What happens to a row when its parent is deleted or changes. See
        /// [ON DELETE and ON UPDATE Actions](https://www.sqlite.org/foreignkeys.html#fk_actions).
        public enum Action: String, Sendable, Hashable, SQLiteValueConvertible {
            /// The change throws at the end of the statement if the row has no parent.
            case noAction = "NO ACTION"
            /// The change throws immediately.
            case restrict = "RESTRICT"
            /// The columns become NULL.
            case setNull = "SET NULL"
            /// The columns become their defaults.
            case setDefault = "SET DEFAULT"
            /// The row is deleted or changes as well.
            case cascade = "CASCADE"
        }
    }

    /// A trigger of a table or a view.
    public struct Trigger: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The text that created it.
        public let sql: String
    }
}
