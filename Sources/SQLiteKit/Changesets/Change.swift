internal import CSystemSQLite
internal import Foundation

extension Changeset {
    /// A change of one row.
    public struct Change: Sendable, Hashable {
        /// The table, without the name of its database.
        public let table: String
        /// What happened to the row.
        public let kind: RowChangeKind
        /// Whether a trigger or a foreign key's action did it, or the session was set to say so.
        public let isIndirect: Bool
        /// For each column whether it belongs to the primary key.
        public let isPrimaryKey: [Bool]
        /// For each column the value before; nil where the changeset does not hold it: everywhere for an insert, for
        /// the columns that an update left alone, and in a patchset for all but the primary key.
        public let old: [SQLiteValue?]
        /// For each column the value after; nil where the changeset does not hold it: everywhere for a delete, and for
        /// the columns that an update left alone, the primary key among them.
        public let new: [SQLiteValue?]

        /// The values of the primary key's columns, in the order of the table.
        public var primaryKey: [SQLiteValue] {
            zip(isPrimaryKey, kind == .insert ? new : old).compactMap { $0 ? $1 : nil }
        }
    }

    /// Why a change could not be applied.
    public struct Conflict: Sendable, Hashable {
        /// The kinds of conflict.
        public enum Kind: Int32, Sendable, Hashable {
            /// An update or delete of a row whose values differ from those where the change was recorded.
            case data = 1
            /// An update or delete of a row that doesn't exist.
            case notFound = 2
            /// An insert of a row whose primary key exists.
            case conflict = 3
            /// A change that violates UNIQUE, NOT NULL, CHECK or another constraint.
            case constraint = 4
            /// Foreign keys without their parents, after all has been applied. It is the last conflict, and of no
            /// single change.
            case foreignKey = 5
        }

        /// The kind.
        public let kind: Kind
        /// The change; nil for ``Kind/foreignKey``.
        public let change: Change?
        /// For each column of the change the value that the row has here, for ``Kind/data`` and ``Kind/conflict``;
        /// else empty.
        public let existing: [SQLiteValue?]
    }

    /// What to do about a conflict.
    public enum Resolution: Int32, Sendable, Hashable {
        /// Skips the change and continues. For ``Conflict/Kind/foreignKey``, keeps all changes: the database then has
        /// keys without parents.
        case omit = 0
        /// Applies the change anyway: overwrites, deletes or replaces the existing row. For ``Conflict/Kind/data`` and
        /// ``Conflict/Kind/conflict`` alone.
        case replace = 1
        /// Undoes all that was applied, and throws.
        case abort = 2
    }
}

/// Reads the change on which an iterator of SQLite's stands.
struct ChangeReader {
    private let functions: SessionFunctions
    private let iterator: OpaquePointer?
    private let repairsText: Bool

    init(_ functions: SessionFunctions, _ iterator: OpaquePointer?, repairsText: Bool = false) {
        self.functions = functions
        self.iterator = iterator
        self.repairsText = repairsText
    }

    func change() throws(SQLiteError) -> Changeset.Change {
        var table: UnsafePointer<CChar>?
        var (count, operation, isIndirect) = (Int32(0), Int32(0), Int32(0))
        try SessionFunctions.check(functions.operation(iterator, &table, &count, &operation, &isIndirect))
        var key: UnsafeMutablePointer<UInt8>?
        try SessionFunctions.check(functions.primaryKey(iterator, &key, nil))
        guard let table, let key, let kind = RowChangeKind(operation) else {
            throw SQLiteError(.corrupt, "the changeset has a change of the unknown kind \(operation)")
        }
        let none = [SQLiteValue?](repeating: nil, count: Int(count))
        return Changeset.Change(
            table: String(cString: table), kind: kind, isIndirect: isIndirect != 0,
            isPrimaryKey: UnsafeBufferPointer(start: key, count: Int(count)).map { $0 != 0 },
            old: kind == .insert ? none : try values(count, functions.old),
            new: kind == .delete ? none : try values(count, functions.new))
    }

    func conflict(_ number: Int32) throws(SQLiteError) -> Changeset.Conflict {
        guard let kind = Changeset.Conflict.Kind(rawValue: number) else {
            throw SQLiteError(.internal, "SQLite reported a conflict of the unknown kind \(number)")
        }
        guard kind != .foreignKey else { return Changeset.Conflict(kind: kind, change: nil, existing: []) }
        let change = try change()
        let hasRow = kind == .data || kind == .conflict
        let existing = hasRow ? try values(Int32(change.isPrimaryKey.count), functions.conflict) : []
        return Changeset.Conflict(kind: kind, change: change, existing: existing)
    }

    private func values(
        _ count: Int32, _ value: @convention(c) (OpaquePointer?, Int32, SessionFunctions.OutHandle) -> Int32
    ) throws(SQLiteError) -> [SQLiteValue?] {
        var values: [SQLiteValue?] = []
        for index in 0..<count {
            var stored: OpaquePointer?
            try SessionFunctions.check(value(iterator, index, &stored))
            values.append(
                try stored.map { stored throws(SQLiteError) in
                    try StoredValue(pointer: stored, repairsText: repairsText).value(at: 0)
                })
        }
        return values
    }
}
