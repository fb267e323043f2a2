internal import Foundation

/// The SQL text of a class: what is the same each time is written once.
final class MappingSQL: Sendable {
    /// The table as SQL finds it: its name, after that of its database where the name alone would mean another table.
    let table: String
    /// The table's name as SQL writes it: what its columns go by in a query.
    let name: String
    /// The columns' names as SQL writes them.
    let columns: [String]
    /// The columns that are fetched, in order: all but deferred ones.
    private let fetched: [String]
    /// The columns that are fetched, with commas between.
    let fetchedColumns: String
    /// `SELECT … FROM …`, without a condition.
    let select: String
    /// `SELECT … FROM … WHERE key = ?`
    let selectByKey: CachedSQL
    /// `DELETE FROM … WHERE key = ?`, and the version where there is one.
    let deleteByKey: CachedSQL
    /// `WHERE key = ?`, with AND between the columns of a composite key.
    let whereKey: String
    /// ``whereKey``, with ``ownKind``, and `AND ifnull(version, 0) = ?` where there is one.
    private let whereVersion: String
    /// ` AND …`, of a class whose rows are a part of the table's; else empty.
    private let kindCondition: String
    /// ` AND …`, by which a row is written only while it is one of the object's own class; empty where a table is
    /// one class's.
    private let ownKind: String
    /// `version = ifnull(version, 0) + 1`, where there is one.
    let countVersion: String?
    private let key: [Int]
    /// The columns of a composite key that may be NULL, by which several rows are looked for with IS.
    private let nullableKey: Set<String>
    /// The columns as CREATE TABLE declares them, except for a composite key.
    let definitions: [ColumnDefinition]
    /// The table's name, not quoted.
    private let tableName: String
    private let options: TableOptions
    /// The column that every table has by itself.
    private let rowID: Int?
    /// What the class is among those that share its table.
    private let place: HierarchyPlace?
    private let indexes: [IndexDefinition]
    private let lock = NSLock()
    // The texts that have been written, by what they say. All guarded by `lock`.
    @exclusivity(unchecked) nonisolated(unsafe) private var insertOfAll: InsertText?
    @exclusivity(unchecked) nonisolated(unsafe) private var updatesOfOne: [CachedSQL?]
    @exclusivity(unchecked) nonisolated(unsafe) private var updates: [UpdateShape: CachedSQL] = [:]
    @exclusivity(unchecked) nonisolated(unsafe) private var inserts: [InsertShape: InsertText] = [:]
    @exclusivity(unchecked) nonisolated(unsafe) private var lookups: [LookupShape: CachedSQL] = [:]
    /// How many texts of a kind are kept: a class of many columns could have any number.
    private static let limit = 256

    /// - Parameter database: The database that SQL names; nil for none.
    init(
        table tableName: String, in database: String?, columns: [Column], definitions: [ColumnDefinition], key: [Int],
        indexes: [IndexDefinition],
        options: TableOptions, version: Int?, rowID: Int?, place: HierarchyPlace?
    ) {
        self.rowID = rowID
        self.place = place
        self.tableName = tableName
        self.options = options
        self.key = key
        self.definitions = definitions
        updatesOfOne = Array(repeating: nil, count: columns.count)
        self.indexes = (place?.table.indexes ?? indexes).distinctlyNamed()
        name = SQLText.identifier(tableName)
        table = database.map { "\(SQLText.identifier($0)).\(SQLText.identifier(tableName))" } ?? name
        let names = columns.map { SQLText.identifier($0.name) }
        self.columns = names
        let added = place?.addedColumns.filter { !$0.declaration.isDeferred } ?? []
        fetched =
            columns.indices.filter { !columns[$0].declaration.isDeferred }.map { names[$0] }
            + added.map { SQLText.identifier($0.name) }
        fetchedColumns = fetched.list(", ")
        select = "SELECT \(fetchedColumns) FROM \(table)"
        let nullable = key.count > 1 ? Set(key.filter { columns[$0].isOptional }.map { names[$0] }) : []
        // NULLs that pad a batch of rows must meet a column that they aren't equal to.
        nullableKey = nullable.count < key.count ? nullable : []
        whereKey = "WHERE " + key.map { "\(names[$0]) \(nullable.contains(names[$0]) ? "IS" : "=") ?" }.list(" AND ")
        let kindCondition = place?.condition.map { " AND \($0)" } ?? ""
        self.kindCondition = kindCondition
        ownKind = place.map { " AND \($0.ownCondition)" } ?? ""
        selectByKey = CachedSQL("\(select) \(whereKey)\(kindCondition)")
        let known = version.map { "ifnull(\(names[$0]), 0)" }
        countVersion = version.flatMap { index in known.map { "\(names[index]) = \($0) + 1" } }
        whereVersion = whereKey + ownKind + (known.map { " AND \($0) = ?" } ?? "")
        deleteByKey = CachedSQL("DELETE FROM \(table) \(whereVersion)")
    }

    /// The table that the class declares, with its indexes, except for what its relations add.
    var definition: TableDefinition {
        let keyNames = key.map { columns[$0] }.list(", ")
        return TableDefinition(
            name: tableName,
            columns: place?.table.definitions ?? definitions.indices.filter { $0 != rowID }.map { definitions[$0] },
            constraints: key.count > 1 ? [Clause(.primaryKey, "PRIMARY KEY (\(keyNames))")] : [],
            isStrict: options.contains(.strict), isWithoutRowID: options.contains(.withoutRowID), indexes: indexes)
    }

    /// `INSERT INTO … VALUES (?, …)`, all columns.
    var insert: InsertText {
        lock.withLock {
            if let insertOfAll { return insertOfAll }
            let text = writeInsert(.ofAll)
            insertOfAll = text
            return text
        }
    }

    /// `INSERT`, in any shape.
    func insert(_ shape: InsertShape) -> InsertText {
        shape == .ofAll ? insert : lock.withLock { Self.kept(&inserts, shape) { writeInsert(shape) } }
    }

    private func writeInsert(_ shape: InsertShape) -> InsertText {
        InsertText(
            shape, table: table, name: name, columns: columns, key: key, countVersion: countVersion, kind: place?.mark)
    }

    /// `UPDATE` of some columns of one row, of its known version where there is one.
    ///
    /// - Parameters:
    ///   - returned: The columns that it returns, so that they need not be read by a second statement.
    ///   - dates: The forms that columns of dates hold, where they are not the class's own.
    func update(
        _ changed: ColumnSet, returning returned: ColumnSet = ColumnSet(), _ dates: [Int: DateForm] = [:]
    ) -> CachedSQL {
        lock.withLock {
            if returned.isEmpty, dates.isEmpty, let index = changed.only {
                if let text = updatesOfOne[index] { return text }
                let text = writeUpdate(changed, returning: returned, dates)
                updatesOfOne[index] = text
                return text
            }
            return Self.kept(&updates, UpdateShape(changed: changed, returned: returned, dates: dates)) {
                writeUpdate(changed, returning: returned, dates)
            }
        }
    }

    private func writeUpdate(
        _ changed: ColumnSet, returning returned: ColumnSet, _ dates: [Int: DateForm]
    ) -> CachedSQL {
        let settings = changed.map { "\(columns[$0]) = \(dates.parameter($0, over: columns[$0]))" }.list(", ")
        let returning = returned.map { columns[$0] }.list(", ")
        return CachedSQL(
            "UPDATE \(table) SET \(settings) \(whereVersion)" + (returned.isEmpty ? "" : " RETURNING \(returning)"))
    }

    /// `UPDATE` of some columns of several rows, as the upsert of rows that are there.
    ///
    /// The parameters are the key and the columns, row by row. As to OR FAIL, see ``InsertText``.
    ///
    /// - Parameter others: The columns that an INSERT needs as well, and what it is given for each.
    func updates(_ changed: ColumnSet, inserting others: [(column: String, value: String)], rows: Int) -> CachedSQL {
        let (key, changed) = (key.map { columns[$0] }, changed.map { columns[$0] })
        let values = (Array(repeating: "?", count: key.count + changed.count) + others.map(\.value)).list(", ")
        let settings = changed.map { "\($0) = excluded.\($0)" }.list(", ")
        // The table may have the name that the new values go by.
        return CachedSQL(
            "INSERT OR FAIL INTO \(table) AS stored (\((key + changed + others.map(\.column)).list(", "))) "
                + "VALUES (\(Array(repeating: values, count: rows).list("), ("))) "
                + "ON CONFLICT (\(key.list(", "))) DO UPDATE SET \(settings)"
                + (place.map { " WHERE \($0.ownCondition)" } ?? ""))
    }

    /// `DELETE` of several rows by their keys, of one column.
    func deletions(rows: Int) -> CachedSQL {
        let keys = Array(repeating: "?", count: rows).list(", ")
        return CachedSQL("DELETE FROM \(table) WHERE \(key.map { columns[$0] }.list(", ")) IN (\(keys))\(ownKind)")
    }

    /// `SELECT` of what is stored in one row, or computed of it.
    func select(_ expressions: String) -> String { "SELECT \(expressions) FROM \(table) \(whereKey)\(ownKind)" }

    /// `SELECT` of the fetched columns of several rows, or of one column, and after them of each row's place among
    /// those wanted. Parameters for what names a row are to be bound in the rows' order.
    ///
    /// - Parameters:
    ///   - index: The column; nil for those that are fetched.
    ///   - names: The columns by which a row is named.
    func select(_ index: Int? = nil, by names: [String], rows count: Int) -> CachedSQL {
        lock.withLock {
            Self.kept(&lookups, LookupShape(names: names, rows: count, column: index)) {
                let selected = index.map { [columns[$0]] } ?? fetched
                let parameters = names.map { _ in ", ?" }.joined()
                let rows = (0..<count).map { "(\($0)\(parameters))" }.list(", ")
                let join = names.enumerated().map { position, name in
                    "stored.\(name) \(nullableKey.contains(name) ? "IS" : "=") wanted.column\(position + 2)"
                }.joined(separator: " AND ")
                // CROSS JOIN keeps SQLite from reading the whole table first.
                return CachedSQL(
                    "SELECT \(selected.map { "stored.\($0), " }.joined())wanted.column1 FROM (VALUES \(rows)) "
                        + "AS wanted CROSS JOIN \(table) AS stored ON \(join)\(kindCondition)")
            }
        }
    }

    /// `SELECT` of the fetched columns of the first rows whose numbers are in a range, in their order, and after them
    /// of the number.
    ///
    /// - Parameter number: The column that the rows' numbers go by.
    func select(between number: String) -> CachedSQL {
        lock.withLock {
            Self.kept(&lookups, LookupShape(names: [number], rows: nil, column: nil)) {
                CachedSQL(
                    "SELECT \(fetched.map { "\($0), " }.joined())\(number) FROM \(table) "
                        + "WHERE \(number) BETWEEN ? AND ?\(kindCondition) ORDER BY \(number) LIMIT ?")
            }
        }
    }

    private static func kept<Shape: Hashable, Text>(
        _ texts: inout [Shape: Text], _ shape: Shape, _ write: () -> Text
    ) -> Text {
        if let text = texts[shape] { return text }
        if texts.count >= limit { texts = [:] }
        let text = write()
        texts[shape] = text
        return text
    }
}

/// What an UPDATE writes, and asks for.
private struct UpdateShape: Hashable {
    let changed: ColumnSet
    let returned: ColumnSet
    let dates: [Int: DateForm]
}

/// What a look-up of rows is by, of how many, a range where the number is nil, and of which column if not of those that
/// are fetched.
private struct LookupShape: Hashable {
    let names: [String]
    let rows: Int?
    let column: Int?
}
