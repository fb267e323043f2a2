internal import Foundation

/// What a manager knows of a class's table: how the class is mapped and, once the table has been looked at, what it
/// does by itself.
final class ModelTable: Sendable {
    let mapping: Mapping
    private let lock = NSLock()
    // Guarded by `lock`. Nil until the table has been looked at.
    nonisolated(unsafe) private var inspection: Inspection?

    /// What a look at the table has shown.
    struct Inspection: Sendable {
        /// The columns for which the table has a default, but for those of the key.
        let columnsWithDefault: [Int]
        /// Those of them whose property may hold nil.
        let optionalsWithDefault: [Int]
        let uniqueness: Uniqueness
        let isView: Bool
        /// A name of the rows' identifiers that no column has; nil for a table without them.
        let rowID: String?
    }

    /// The last object of the class that the manager has inserted, by its image; nil when its transaction was rolled
    /// back. Used by whoever has the turn to write.
    @exclusivity(unchecked) nonisolated(unsafe) var lastInsertion: (images: RowImages, slot: Int)?

    init(_ mapping: Mapping) {
        self.mapping = mapping
    }

    /// Looks at the table, the first time: that it is there, and has the class's columns.
    ///
    /// - Throws: ``PersistenceError/Code/noTable``, ``PersistenceError/Code/missingColumn``,
    ///   ``PersistenceError/Code/invalidModel``.
    func check(_ db: Database) throws {
        _ = try inspected(db)
    }

    /// Looks at the table before an object is written to it.
    ///
    /// - Throws: What ``check(_:)`` throws, and ``PersistenceError/Code/invalidModel`` for a view, which tells nobody
    ///   what an INSTEAD OF trigger has made of a write.
    @discardableResult
    func checkForWriting(_ db: Database) throws -> Inspection {
        let inspection = try inspected(db)
        guard !inspection.isView else {
            throw PersistenceError(
                .invalidModel, "\(mapping.tableName) is a view: its objects can be read, and written by SQL only",
                model: mapping.modelName)
        }
        return inspection
    }

    /// A name of the rows' identifiers; nil for a table without them.
    func rowIDIfAny(_ db: Database) throws -> String? { try inspected(db).rowID }

    /// A name of the rows' identifiers.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` for a table without them.
    func rowID(_ db: Database) throws -> String {
        guard let rowID = try rowIDIfAny(db) else {
            throw PersistenceError(
                .invalidModel,
                "the rows of \(mapping.tableName) have no identifiers, which a blob is opened by: load reads the value whole",
                model: mapping.modelName)
        }
        return rowID
    }

    /// Forgets what was read of the table's schema.
    func forgetSchema() {
        lock.withLock { inspection = nil }
    }

    private func inspected(_ db: Database) throws -> Inspection {
        if let known = lock.withLock({ inspection }) { return known }
        let found = try mapping.naming { try Self.inspect(mapping, db) }
        lock.withLock { inspection = found }
        return found
    }

    private static func inspect(_ mapping: Mapping, _ db: Database) throws -> Inspection {
        let rows = try db.rows(
            "SELECT name, dflt_value IS NOT NULL, pk FROM pragma_table_xinfo(\(mapping.tableName))")
        guard !rows.isEmpty else {
            throw PersistenceError(
                .noTable,
                "there is no table \(mapping.tableName): createTableIfNecessary(for: \(mapping.modelName).self) makes it",
                model: mapping.modelName)
        }
        var existing: [String: RowSnapshot] = [:]
        for row in rows { existing[asciiLowercased(try row.value(at: 0, as: String.self))] = row }
        var withDefault: [Int] = []
        for (index, column) in mapping.columns.enumerated() {
            guard let row = existing[asciiLowercased(column.name)] else {
                let names = try rows.map { try $0.value(at: 0, as: String.self) }.joined(separator: ", ")
                throw PersistenceError(
                    .missingColumn, "the table \(mapping.tableName) has no column \(column.name); it has: \(names)",
                    model: mapping.modelName, key: column.key)
            }
            if try row.value(at: 1, as: Bool.self), !mapping.fields[index].isKey { withDefault.append(index) }
        }
        let kind = try db.rows("SELECT type, wr FROM pragma_table_list(\(mapping.tableName))").first
        let isView = try kind?.value(at: 0, as: String.self) == "view"
        let hasRowIDs = try !isView && kind?.value(at: 1, as: Bool.self) == false
        let rowIDColumn = try hasRowIDs ? Self.rowIDColumn(mapping, rows, db) : nil
        if !isView { try checkGeneratedKey(mapping, rowIDColumn) }
        let rowID = ["_rowid_", "rowid", "oid"].first { hasRowIDs && existing[$0] == nil }
        return Inspection(
            columnsWithDefault: withDefault,
            optionalsWithDefault: withDefault.filter {
                mapping.columns[$0].isOptional || mapping.fields[$0].kind == .coded
            },
            uniqueness: try Uniqueness(mapping, rowIDColumn: rowIDColumn, db), isView: isView, rowID: rowID)
    }

    /// The column that is the identifier of the rows, if any: one declared INTEGER that is the whole primary key.
    private static func rowIDColumn(_ mapping: Mapping, _ rows: [RowSnapshot], _ db: Database) throws -> String? {
        let keys = try rows.filter { try $0.value(at: 2, as: Int.self) > 0 }
        // Any other primary key, INTEGER PRIMARY KEY DESC among them, has an index of its own.
        let hasIndex = try db.scalar(
            "SELECT count(*) > 0 FROM pragma_index_list(\(mapping.tableName)) WHERE origin = 'pk'", as: Bool.self)
        return try keys.count == 1 && hasIndex == false ? keys[0].value(at: 0, as: String.self) : nil
    }

    /// Only the identifier of the rows gets a value from SQLite. Any other column stores the NULL.
    private static func checkGeneratedKey(_ mapping: Mapping, _ rowIDColumn: String?) throws {
        guard mapping.isKeyGenerated, let key = mapping.key.first else { return }
        let name = mapping.columns[key].name
        guard rowIDColumn.map(asciiLowercased) == asciiLowercased(name) else {
            throw PersistenceError(
                .invalidModel,
                "SQLite generates no key for \(name) of the table \(mapping.tableName), since it is no INTEGER PRIMARY KEY: "
                    + "override primaryKey with .assigned(\"\(mapping.columns[key].key)\")",
                model: mapping.modelName, key: mapping.columns[key].key)
        }
    }
}

extension ModelTable.Inspection {
    /// What would be found in a table that the class's own declarations have made.
    static func declared(by mapping: Mapping) -> Self {
        let withDefault = mapping.columns.indices.filter {
            mapping.columns[$0].declaration.defaultValue != nil && !mapping.fields[$0].isKey
        }
        return Self(
            columnsWithDefault: withDefault, optionalsWithDefault: withDefault, uniqueness: Uniqueness(),
            isView: false, rowID: nil)
    }
}
