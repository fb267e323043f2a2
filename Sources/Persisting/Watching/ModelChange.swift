internal import Foundation
public import SQLiteKit

/// A committed change of a class's rows: what a handler of `onChange(of:_:_:)` is called with.
public struct ModelChange<Model: PersistingModel>: Sendable {
    /// What happened to the row. Nil when any rows may have changed in any way: after a change of the schema, a
    /// restored backup, or one statement that wrote more than 10,000 rows.
    ///
    /// Of classes that share a table, a row that gets the kind of another class is deleted for those classes that it
    /// leaves, inserted for those that it joins, and updated for a superclass of both.
    public let kind: RowChangeKind?
    /// The stored values of the row's primary key, before the change; of an inserted row, its own. Empty when `kind` is
    /// nil.
    public let key: [SQLiteValue]
    /// The names of the properties whose columns were changed, those of subclasses in the same table among them: of a
    /// row that was inserted or deleted, all. Empty when `kind` is nil. No property has the column of a row's kind.
    public let changedKeys: Set<String>

    let modelType: PersistingModel.Type
    let manager: PersistenceManager
    let rowID: Int64
    let keyColumns: [String]

    /// The row as it is now, as an object of its own; nil when the row is gone, or `kind` is nil.
    ///
    /// Later commits may have changed the row again.
    ///
    /// - Throws: ``PersistenceError``, such as ``PersistenceError/Code/typeMismatch`` for a value that a property can't
    ///   hold.
    public func object() throws -> Model? {
        guard kind != nil else { return nil }
        return try manager.object(of: self).map { downcast($0, to: Model.self) }
    }

    /// The row as it is now, as an object of its own, while the task is suspended.
    ///
    /// - Returns: The object; nil when the row is gone, or `kind` is nil.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public func object() async throws -> sending Model? {
        try await manager.onReadingSide(of: modelType) { _ in try self.object() }
    }
}

/// Which changes of a class's rows a handler is called for.
public struct ChangeFilter<Model: PersistingModel> {
    enum Content {
        case kind(RowChangeKind)
        case key(String)
        case keyPath(PartialKeyPath<Model>)
    }
    let content: Content

    /// Rows that are inserted.
    public static var insert: ChangeFilter { ChangeFilter(content: .kind(.insert)) }

    /// Rows with any changed property.
    public static var update: ChangeFilter { ChangeFilter(content: .kind(.update)) }

    /// Rows that are deleted.
    public static var delete: ChangeFilter { ChangeFilter(content: .kind(.delete)) }

    /// Rows with a change of one property.
    ///
    /// - Parameter key: The property's name; that of a bit field or an alias stands for the column it is kept in.
    public static func update(_ key: String) -> ChangeFilter { ChangeFilter(content: .key(key)) }

    /// Rows with a change of one property.
    ///
    /// - Parameter keyPath: The property.
    public static func update(_ keyPath: PartialKeyPath<Model>) -> ChangeFilter {
        ChangeFilter(content: .keyPath(keyPath))
    }
}

/// The changes that a class's handler is called for, by the names of its table.
struct ChangeSelection: Sendable {
    let modelType: PersistingModel.Type
    /// The table's key.
    let table: String
    private var kinds: Set<RowChangeKind> = []
    private var columns: Set<String> = []
    /// The properties by their columns, in lower case. The column of the kind has none.
    private let keys: [String: String?]
    /// The column of the kind, in lower case, and the kinds of the class's rows: nil for any. Of a class that shares
    /// its table with others.
    private let kind: (column: String, own: Set<String>?)?

    init<Model: PersistingModel>(_ type: Model.Type, _ filters: [ChangeFilter<Model>], dates: DateStorage) throws {
        let mapping = try Mapping.of(type, dates: dates)
        modelType = type
        table = mapping.recordedName
        let rows = mapping.columnsOfRows
        let kindColumn = mapping.place?.table.kindColumn
        let properties = rows.map { (asciiLowercased($0.name), $0 === kindColumn ? nil : $0.key) }
        keys = Dictionary(properties) { first, _ in first }
        kind = mapping.place.map { place in
            (asciiLowercased(place.kindColumnName), place.condition == nil ? nil : Set(place.kinds))
        }
        /// The column of a key, or those that subclasses have for it.
        func named(_ key: String) throws -> [String] {
            let own = mapping.hasColumn(forKey: key) ? [] : rows.filter { $0.key == key && $0 !== kindColumn }
            return try own.isEmpty ? [mapping.columns[mapping.index(ofKey: key)].name] : own.map(\.name)
        }
        for filter in filters {
            switch filter.content {
            case .kind(let kind): kinds.insert(kind)
            case .key(let key): columns.formUnion(try named(key).map(asciiLowercased))
            case .keyPath(let path): columns.insert(asciiLowercased(mapping.columns[try mapping.index(of: path)].name))
            }
        }
    }

    /// The changes of a commit that a handler is called for, in their order.
    func changes<Model: PersistingModel>(
        of type: Model.Type, in commit: CommittedChanges, _ manager: PersistenceManager
    ) -> [ModelChange<Model>] {
        func change(
            _ row: CommittedChanges.Row?, _ kind: RowChangeKind?, _ keyColumns: [String]
        ) -> ModelChange<Model> {
            // A row of another kind is another object, whatever its columns hold.
            let columns = kind == row?.kind ? row?.columns ?? [] : Set(keys.keys)
            return ModelChange(
                kind: kind, key: row?.key ?? [],
                changedKeys: Set(columns.compactMap { keys[asciiLowercased($0)] ?? nil }), modelType: modelType,
                manager: manager, rowID: row?.rowID ?? 0, keyColumns: keyColumns)
        }
        guard let tables = commit.tables else { return [change(nil, nil, [])] }
        guard let table = tables[table] else { return [] }
        // The kind isn't known of a row that was written in a transaction before the handler was added.
        guard let rows = table.rows, rows.allSatisfy(isKindKnown) else { return [change(nil, nil, [])] }
        return rows.compactMap { row in
            guard let kind = kind(of: row), includes(row, kind) else { return nil }
            return change(row, kind, table.keyColumns)
        }
    }

    private func isKindKnown(_ row: CommittedChanges.Row) -> Bool {
        kind.map { $0.own == nil || row.noted[$0.column] != nil } ?? true
    }

    /// What happened to a row of the class; nil for a row of another class.
    private func kind(of row: CommittedChanges.Row) -> RowChangeKind? {
        guard let (column, own) = kind, let own, let noted = row.noted[column] else { return row.kind }
        func isOwn(_ kind: SQLiteValue?) -> Bool {
            if case .text(let kind)? = kind { own.contains(kind) } else { false }
        }
        switch (isOwn(noted.old), isOwn(noted.new)) {
        case (true, true): return .update
        case (true, false): return .delete
        case (false, true): return .insert
        case (false, false): return nil
        }
    }

    private func includes(_ row: CommittedChanges.Row, _ kind: RowChangeKind) -> Bool {
        guard kind == .update else { return kinds.contains(kind) }
        // An update may set the existing values.
        let changed = row.columns.lazy.map(asciiLowercased)
        return kinds.contains(.update)
            ? changed.contains { keys[$0] != nil } : changed.contains { columns.contains($0) }
    }

    /// The column whose values are to be noted of changed rows, in lower case.
    var notedColumn: String? { kind?.column }
}

extension PersistenceManager {
    /// The object of a row that has been reported.
    fileprivate func object<Model>(of change: ModelChange<Model>) throws -> PersistingModel? {
        let table = try table(of: change.modelType)
        let mapping = table.mapping
        let columns = mapping.key.map { mapping.columns[$0] }
        let isByKey = columns.map { asciiLowercased($0.name) } == change.keyColumns.map(asciiLowercased)
        let hasOtherKey = change.kind == .update && columns.contains { change.changedKeys.contains($0.key) }
        return try reading(table) { db in
            if isByKey, !hasOtherKey {
                let lookup = RowLookup(change.modelType, keyOf: table)
                return try lookup.objects(change.key[...], self, db, tracked: true).first ?? nil
            }
            // A row whose key was changed has its number still. That of a deleted one may be another's.
            let lookup = try RowLookup(change.modelType, table, rowsOf: db)
            guard lookup.isByNumber, change.kind != .delete else { return nil }
            return try lookup.objects([change.rowID], self, db, tracked: true).first
        }
    }
}
