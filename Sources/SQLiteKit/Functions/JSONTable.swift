internal import CSystemSQLite

/// A table that takes the place of `json_each` or `json_tree`, where SQLite's own must not be used any more.
///
/// SQLite makes its own for each connection, once: this one asks another connection, to an empty database. See
/// [Eponymous virtual tables](https://www.sqlite.org/vtab.html#epovtab).
enum JSONTable {
    /// Puts a substitute in the place of SQLite's table.
    ///
    /// - Parameter name: `json_each` or `json_tree`.
    /// - Returns: SQLite's result code.
    static func substitute(_ name: String, on db: OpaquePointer) -> Int32 {
        sqlite3_create_module_v2(db, name, module, Box(name).retained(), releaseBox)
    }

    private static let columns = "key, value, type, atom, id, parent, fullkey, path, json, root"
    /// The column of the document; the next is that of the path within it.
    private static let document: Int32 = 8

    private struct Table: VirtualTablePart {
        var base = sqlite3_vtab()
        let db: OpaquePointer
        let name: String
    }

    private struct Cursor: VirtualTablePart {
        var base = sqlite3_vtab_cursor()
        var statement: OpaquePointer?
        var hasRow = false
    }

    // SQLite only reads it.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: sqlite3_module())
        // Without xCreate the table is there by its name alone.
        module.pointee.xConnect = { db, name, _, _, table, _ in JSONTable.connect(db, name, table) }
        module.pointee.xDisconnect = { JSONTable.disconnect($0) }
        module.pointee.xBestIndex = { _, plan in plan.map { JSONTable.choose(&$0.pointee) } ?? SQLITE_MISUSE }
        module.pointee.xOpen = { _, cursor in
            Cursor().allocate(at: cursor)
            return SQLITE_OK
        }
        module.pointee.xClose = { cursor in
            guard let cursor = Cursor.whole(cursor) else { return SQLITE_MISUSE }
            sqlite3_finalize(cursor.pointee.statement)
            return Cursor.free(cursor)
        }
        module.pointee.xFilter = { cursor, _, _, count, arguments in JSONTable.filter(cursor, count, arguments) }
        module.pointee.xNext = { JSONTable.step($0) }
        module.pointee.xEof = { Cursor.whole($0)?.pointee.hasRow == true ? 0 : 1 }
        module.pointee.xColumn = { cursor, context, column in
            sqlite3_result_value(context, sqlite3_column_value(Cursor.whole(cursor)?.pointee.statement, column))
            return SQLITE_OK
        }
        module.pointee.xRowid = { cursor, rowID in
            // It is the last column.
            rowID?.pointee = sqlite3_column_int64(Cursor.whole(cursor)?.pointee.statement, JSONTable.document + 2)
            return SQLITE_OK
        }
        return UnsafePointer(module)
    }()

    private static func connect(
        _ db: OpaquePointer?, _ name: UnsafeMutableRawPointer?,
        _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
    ) -> Int32 {
        guard let name, let table else { return SQLITE_MISUSE }
        let declared = sqlite3_declare_vtab(
            db, "CREATE TABLE x(key, value, type, atom, id, parent, fullkey, path, json HIDDEN, root HIDDEN)")
        guard declared == SQLITE_OK else { return declared }
        csqlite_vtab_innocuous(db)
        var other: OpaquePointer?
        let opened = sqlite3_open_v2(":memory:", &other, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard opened == SQLITE_OK, let other else {
            sqlite3_close(other)
            return opened
        }
        Table(db: other, name: Box<String>.value(at: name)).allocate(at: table)
        return SQLITE_OK
    }

    private static func disconnect(_ pointer: UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 {
        guard let table = Table.whole(pointer) else { return SQLITE_MISUSE }
        sqlite3_close(table.pointee.db)
        return Table.free(table)
    }

    /// Says which conditions become arguments, as SQLite's own tables do.
    private static func choose(_ plan: inout sqlite3_index_info) -> Int32 {
        var places: [Int?] = [nil, nil]
        var unusable: Set<Int> = []
        for place in 0..<Int(plan.nConstraint) {
            let constraint = plan.aConstraint[place]
            guard constraint.iColumn >= document else { continue }
            let argument = Int(constraint.iColumn - document)
            if constraint.usable == 0 {
                unusable.insert(argument)
            } else if Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ {
                places[argument] = place
            }
        }
        // Another order of the join may know the arguments.
        guard unusable.allSatisfy({ places[$0] != nil }) else { return SQLITE_CONSTRAINT }
        guard let first = places[0] else { return SQLITE_OK }
        plan.estimatedCost = 1
        for (number, place) in [first, places[1]].compactMap({ $0 }).enumerated() {
            plan.aConstraintUsage[place].argvIndex = Int32(number + 1)
            plan.aConstraintUsage[place].omit = 1
        }
        return SQLITE_OK
    }

    private static func filter(
        _ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ count: Int32,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32 {
        guard let cursor = Cursor.whole(pointer), let table = Table.whole(cursor.pointee.base.pVtab) else {
            return SQLITE_MISUSE
        }
        sqlite3_finalize(cursor.pointee.statement)
        cursor.pointee.statement = nil
        cursor.pointee.hasRow = false
        // Without a document there are no rows.
        guard count > 0 else { return SQLITE_OK }
        let parameters = count == 1 ? "?" : "?, ?"
        let sql = "SELECT \(columns), rowid FROM \(table.pointee.name)(\(parameters))"
        var code = sqlite3_prepare_v2(table.pointee.db, sql, -1, &cursor.pointee.statement, nil)
        for index in 0..<count where code == SQLITE_OK {
            code = sqlite3_bind_value(cursor.pointee.statement, index + 1, arguments?[Int(index)])
        }
        return code == SQLITE_OK ? step(pointer) : fail(table, code)
    }

    private static func step(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
        guard let cursor = Cursor.whole(pointer), let table = Table.whole(cursor.pointee.base.pVtab) else {
            return SQLITE_MISUSE
        }
        let code = sqlite3_step(cursor.pointee.statement)
        cursor.pointee.hasRow = code == SQLITE_ROW
        return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : fail(table, code)
    }

    /// Hands on the other connection's message.
    private static func fail(_ table: UnsafeMutablePointer<Table>, _ code: Int32) -> Int32 {
        sqlite3_free(table.pointee.base.zErrMsg)
        table.pointee.base.zErrMsg = nil
        guard let message = sqlite3_errmsg(table.pointee.db) else { return code }
        // Without memory for the message the code says enough.
        table.pointee.base.zErrMsg = sqliteCopy(of: String(cString: message))
        return code
    }
}
