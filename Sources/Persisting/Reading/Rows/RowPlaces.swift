/// Where the rows of a table are whose identifiers aren't a column of it: VACUUM and a copy of the table give them
/// others.
///
/// VACUUM changes the number of the schema, as each change of the schema does, and none of its texts.
struct RowPlaces: Sendable {
    private var version: Int64
    /// The table's own text and root page.
    private let table: String
    /// The texts of all others.
    private var others: Int

    /// Nil for a table whose identifiers stay, and where the number of the schema can't be read.
    init?(_ table: ModelTable, _ db: any EngineConnection) throws {
        guard try table.inspected(db).movesRowIDs, let version = table.mapping.schemaVersion(db) else { return nil }
        var (own, others) = ("", Hasher())
        let schema: SQL = "SELECT type, name, sql, rootpage FROM \(identifier: table.mapping.database).sqlite_schema"
        for row in try db.rows(schema + " ORDER BY type, name", cached: false) {
            let (type, name) = (try row.value(at: 0, as: String.self), try row.value(at: 1, as: String.self))
            let text = try row.value(at: 2, as: String?.self) ?? ""
            if type == "table", isSameName(name, table.mapping.tableName) {
                own = "\(try row.value(at: 3, as: Int64.self)) \(text)"
            } else {
                others.combine(type)
                others.combine(name)
                others.combine(text)
            }
        }
        (self.version, self.table, self.others) = (version, own, others.finalize())
    }

    /// Throws if rows may have moved since, in the transaction that reads more of them.
    ///
    /// - Throws: ``PersistenceError/Code/rowsMoved``.
    mutating func check(_ table: ModelTable, _ db: any EngineConnection) throws {
        guard table.mapping.schemaVersion(db) != version else { return }
        // A change of other tables moves no rows of this one.
        guard let now = try RowPlaces(table, db), now.table == self.table, now.others != others else {
            throw table.mapping.rowsMoved("since the first rows were read: begin again")
        }
        self = now
    }
}

extension KnownRow {
    /// Throws if the identifier that the object is kept by may be another row's by now: if the schema's number has
    /// changed, and the row isn't as it was.
    ///
    /// - Throws: ``PersistenceError/Code/rowsMoved``.
    func checkIsSameRow(_ db: any EngineConnection) throws {
        let mapping = table.mapping
        // A cluster doesn't say the number while it reads.
        guard mapping.rowID != nil, try table.inspected(db).movesRowIDs, let before = known.trackedRows.schemaVersion,
            let version = mapping.schemaVersion(db), version != before
        else { return }
        if known.trackedRows.isTracking, let now = try table.row(key, loaded: loadedColumns()),
            try mapping.columns.indices.allSatisfy({
                try mapping.stored($0, in: now.memory) == mapping.stored($0, in: trackedValues)
            })
        {
            return
        }
        throw mapping.rowsMoved("since the object was read: fetch it again")
    }
}

extension Mapping {
    fileprivate func rowsMoved(_ reason: String) -> PersistenceError {
        PersistenceError(
            .rowsMoved,
            "VACUUM or a change of the schema may have given the rows of \(tableName) other identifiers \(reason). An INTEGER "
                + "PRIMARY KEY keeps them", model: modelName)
    }
}
