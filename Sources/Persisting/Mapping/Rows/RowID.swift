/// The identifiers of rows as keys of classes that declare ``PrimaryKey/rowID``.
///
/// Such a class has one more column, of which no property but the one here has the value: what the tracked values of
/// the object's row says.
extension PersistingModel {
    /// The identifier of the object's row; nil for an object that is in no table. Setting it does nothing: the tracked
    /// value has it.
    fileprivate final var rowID: Int64? {
        get {
            guard record.state != .new, let trackedRows = record.trackedRows, let index = trackedRows.mapping.rowID,
                case .integer(let rowID)? = try? trackedRows.mapping.stored(index, in: trackedRows[Int(record.slot)])
            else { return nil }
            return rowID
        }
        set {}
    }
}

extension ColumnDeclaration {
    static let rowID = ColumnDeclaration(PathColumn(\PersistingModel.rowID))
}

enum RowIDColumn {
    static let key = "rowID"
    /// Its names, in SQLite's own words. A column of the table that has one hides it.
    static let names = ["_rowid_", "rowid", "oid"]
}

extension Mapping {
    /// Throws for a table whose rows the class cannot be kept by.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel``.
    func checkRowIDs(of schema: TableSchema) throws {
        guard let rowID else { return }
        let name = columns[rowID].name
        let reason: String? =
            if schema.isView {
                "\(tableName) is a view, whose rows have no identifiers"
            } else if !schema.hasRowIDs {
                "the table \(tableName) is WITHOUT ROWID: override primaryKey with .fromSchema"
            } else if schema.column(name) != nil {
                "the table \(tableName) has a column called \(name), which hides its rows' identifiers: declare it as a "
                    + "column of the class"
            } else {
                nil
            }
        if let reason { throw PersistenceError(.invalidModel, "primaryKey is .rowID, and \(reason)", model: modelName) }
    }
}
