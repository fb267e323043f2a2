internal import CSystemSQLite

/// A virtual table whose rows are those of a Swift sequence.
struct SequenceTable {
    /// Gives one row after the other, and then nil.
    typealias Rows = () throws -> [SQLiteValue]?

    /// A column as SQLite takes it.
    struct Column {
        let name: String
        let isHidden: Bool
        /// The kind that comparisons turn values into; nil for none.
        let kind: Kind?
    }

    enum Kind { case number, text }

    let name: String
    let declaration: [String]
    let columns: [Column]
    let flags: FunctionFlags
    let rows: @Sendable (TableRequest) throws -> Rows
}

/// What SQLite calls.
extension SequenceTable {
    /// Begins with what SQLite knows of the table, so that its pointer is also one to this.
    private struct Connected {
        var base = sqlite3_vtab()
        let table: SequenceTable
        /// What stands in the parentheses of `CREATE VIRTUAL TABLE`.
        let arguments: [String]
    }

    /// Begins with what SQLite knows of the cursor.
    fileprivate struct Cursor {
        var base = sqlite3_vtab_cursor()
        var rows: Rows?
        var row: [SQLiteValue]?
        /// The values of the hidden columns, by their places.
        var hidden: [Int32: SQLiteValue] = [:]
        var number: Int64 = 0
    }

    // SQLite only reads it.
    nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: sqlite3_module())
        module.pointee.xConnect = { SequenceTable.connect($0, $1, $2, $3, $4, $5) }
        // That both are one makes the table be there by its name as well.
        module.pointee.xCreate = module.pointee.xConnect
        module.pointee.xDisconnect = { SequenceTable.disconnect($0) }
        module.pointee.xDestroy = { SequenceTable.disconnect($0) }
        module.pointee.xBestIndex = { SequenceTable.choose($0, $1) }
        module.pointee.xOpen = { _, cursor in
            let new = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            new.initialize(to: Cursor())
            cursor?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.pointee.xClose = { cursor in
            guard let cursor = SequenceTable.cursor(cursor) else { return SQLITE_MISUSE }
            cursor.deinitialize(count: 1)
            cursor.deallocate()
            return SQLITE_OK
        }
        module.pointee.xFilter = { cursor, _, plan, count, values in
            SequenceTable.filter(cursor, plan, count, values)
        }
        module.pointee.xNext = { SequenceTable.step($0) }
        module.pointee.xEof = { SequenceTable.cursor($0)?.pointee.row == nil ? 1 : 0 }
        module.pointee.xColumn = { cursor, context, column in
            guard let cursor = SequenceTable.cursor(cursor) else { return SQLITE_MISUSE }
            setResult(context) { cursor.pointee.value(column) }
            return SQLITE_OK
        }
        module.pointee.xRowid = { cursor, rowID in
            guard let cursor = SequenceTable.cursor(cursor) else { return SQLITE_MISUSE }
            rowID?.pointee = cursor.pointee.number
            return SQLITE_OK
        }
        return UnsafePointer(module)
    }()

    private static func connected(
        _ pointer: UnsafeMutablePointer<sqlite3_vtab>?
    ) -> UnsafeMutablePointer<Connected>? {
        UnsafeMutableRawPointer(pointer)?.assumingMemoryBound(to: Connected.self)
    }

    private static func cursor(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor>? {
        UnsafeMutableRawPointer(pointer)?.assumingMemoryBound(to: Cursor.self)
    }

    private static func connect(
        _ db: OpaquePointer?, _ box: UnsafeMutableRawPointer?, _ count: Int32,
        _ words: UnsafePointer<UnsafePointer<CChar>?>?,
        _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
        _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32 {
        guard let box, let result else { return SQLITE_MISUSE }
        let table = Box<SequenceTable>.value(at: box)
        let code = sqlite3_declare_vtab(db, "CREATE TABLE x(\(table.declaration.joined(separator: ", ")))")
        guard code == SQLITE_OK else {
            message?.pointee = sqliteCopy(of: String(cString: sqlite3_errmsg(db)))
            return code
        }
        if table.flags.contains(.innocuous) { csqlite_vtab_innocuous(db) }
        if table.flags.contains(.directOnly) { csqlite_vtab_direct_only(db) }
        // The first three are the module, the database and the table.
        let arguments = (3..<max(3, Int(count))).map { index in
            words?[index].map { String(cString: $0) } ?? ""
        }
        let new = UnsafeMutablePointer<Connected>.allocate(capacity: 1)
        new.initialize(to: Connected(table: table, arguments: arguments))
        result.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

    private static func disconnect(_ pointer: UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 {
        guard let table = connected(pointer) else { return SQLITE_MISUSE }
        table.deinitialize(count: 1)
        table.deallocate()
        return SQLITE_OK
    }

    /// Says which conditions become values of ``filter``, and writes down which they are: a column and an operator each.
    private static func choose(
        _ pointer: UnsafeMutablePointer<sqlite3_vtab>?, _ plan: UnsafeMutablePointer<sqlite3_index_info>?
    ) -> Int32 {
        guard let table = connected(pointer)?.pointee.table, let plan else { return SQLITE_MISUSE }
        var taken: [(column: Int32, operation: Int32)] = []
        var hidden: Set<Int32> = []
        var unusable: Set<Int32> = []
        var others = 0
        var limits: [Int] = []
        func take(_ place: Int, _ column: Int32, _ operation: Int32, isOmitted: Bool) {
            taken.append((column, operation))
            plan.pointee.aConstraintUsage[place].argvIndex = Int32(taken.count)
            plan.pointee.aConstraintUsage[place].omit = isOmitted ? 1 : 0
        }
        for place in 0..<Int(plan.pointee.nConstraint) {
            let constraint = plan.pointee.aConstraint[place]
            let (column, operation) = (constraint.iColumn, Int32(constraint.op))
            if operation == limitOperation || operation == offsetOperation {
                limits.append(place)
                continue
            }
            let isHidden = table.columns.indices.contains(Int(column)) && table.columns[Int(column)].isHidden
            if isHidden, operation == SQLITE_INDEX_CONSTRAINT_EQ, !hidden.contains(column) {
                if constraint.usable == 0 {
                    unusable.insert(column)
                } else {
                    hidden.insert(column)
                    take(place, column, operation, isOmitted: true)
                }
                continue
            }
            others += 1
            guard constraint.usable != 0, column >= 0, comparisons[operation] != nil,
                sqlite3_vtab_collation(plan, Int32(place)).map({ String(cString: $0) }) == "BINARY"
            else { continue }
            take(place, column, operation, isOmitted: false)
        }
        // Another order of the join may know the values.
        guard unusable.isSubset(of: hidden) else { return SQLITE_CONSTRAINT }
        // Whoever ignores a condition, or an order, can't know how many rows are wanted.
        if others == 0, plan.pointee.nOrderBy == 0 {
            for place in limits where plan.pointee.aConstraint[place].usable != 0 {
                take(place, -1, Int32(plan.pointee.aConstraint[place].op), isOmitted: false)
            }
        }
        plan.pointee.idxStr = sqliteCopy(of: taken.map { "\($0.column):\($0.operation)" }.joined(separator: " "))
        plan.pointee.needToFreeIdxStr = 1
        plan.pointee.estimatedCost = 1_000_000 / Double(1 + 9 * taken.count)
        return SQLITE_OK
    }

    private static let limitOperation: Int32 = 73
    private static let offsetOperation: Int32 = 74

    private static let comparisons: [Int32: TableRequest.Condition.Comparison] = [
        SQLITE_INDEX_CONSTRAINT_EQ: .equal, SQLITE_INDEX_CONSTRAINT_LT: .less, SQLITE_INDEX_CONSTRAINT_LE: .lessOrEqual,
        SQLITE_INDEX_CONSTRAINT_GT: .greater, SQLITE_INDEX_CONSTRAINT_GE: .greaterOrEqual,
    ]

    private static func filter(
        _ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ plan: UnsafePointer<CChar>?, _ count: Int32,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32 {
        guard let cursor = cursor(pointer), let connected = connected(cursor.pointee.base.pVtab) else {
            return SQLITE_MISUSE
        }
        let table = connected.pointee.table
        (cursor.pointee.rows, cursor.pointee.row, cursor.pointee.number, cursor.pointee.hidden) = (nil, nil, 0, [:])
        do {
            var (arguments, conditions) = ([String: SQLiteValue](), [TableRequest.Condition]())
            var (limit, offset): (Int?, Int) = (nil, 0)
            let words = plan.map { String(cString: $0) } ?? ""
            for (index, word) in words.split(separator: " ").prefix(Int(count)).enumerated() {
                let parts = word.split(separator: ":").compactMap { Int32($0) }
                guard parts.count == 2 else { return SQLITE_MISUSE }
                let value = try StoredValue(pointer: values?[index], repairsText: false)
                    .read(as: SQLiteValue.self, what: "a value for \(table.name)")
                if parts[1] == limitOperation {
                    if case .integer(let number) = value, number >= 0 { limit = Int(clamping: number) }
                } else if parts[1] == offsetOperation {
                    if case .integer(let number) = value { offset = Int(clamping: max(0, number)) }
                } else if table.columns.indices.contains(Int(parts[0])) {
                    let column = table.columns[Int(parts[0])]
                    if column.isHidden, parts[1] == SQLITE_INDEX_CONSTRAINT_EQ, arguments[column.name] == nil {
                        arguments[column.name] = value
                        cursor.pointee.hidden[parts[0]] = value
                    } else if let comparison = comparisons[parts[1]], column.compares(value) {
                        conditions.append(
                            TableRequest.Condition(column: column.name, comparison: comparison, value: value))
                    }
                }
            }
            let wanted = limit.map { $0.addingReportingOverflow(offset) }
            let request = TableRequest(
                table: table.name, arguments: arguments, declaration: connected.pointee.arguments,
                conditions: conditions, limit: wanted.flatMap { $0.overflow ? nil : $0.partialValue })
            cursor.pointee.rows = try table.rows(request)
        } catch {
            return fail(connected, error)
        }
        return step(pointer)
    }

    private static func step(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
        guard let cursor = cursor(pointer), let connected = connected(cursor.pointee.base.pVtab) else {
            return SQLITE_MISUSE
        }
        do {
            let row = try cursor.pointee.rows?()
            let table = connected.pointee.table
            if let row, row.count > table.columns.count {
                throw SQLiteError(
                    .range,
                    "a row of \(table.name) has \(row.count) values, and there are \(table.columns.count) columns")
            }
            cursor.pointee.row = row
            cursor.pointee.number += 1
            return SQLITE_OK
        } catch {
            cursor.pointee.row = nil
            return fail(connected, error)
        }
    }

    /// Makes an error in Swift the statement's.
    private static func fail(_ connected: UnsafeMutablePointer<Connected>, _ error: any Error) -> Int32 {
        sqlite3_free(connected.pointee.base.zErrMsg)
        connected.pointee.base.zErrMsg = sqliteCopy(of: reason(of: error))
        return failureCode(of: error) ?? SQLITE_ERROR
    }
}

extension SequenceTable.Column {
    /// Whether a comparison with the value is one without any conversion.
    fileprivate func compares(_ value: SQLiteValue) -> Bool {
        switch (value, kind) {
        case (.null, _): false
        case (.integer, .text), (.real, .text), (.text, .number): false
        default: true
        }
    }
}

extension SequenceTable.Cursor {
    /// A value of the row. Hidden columns that it lacks are what the table is called with; others are NULL.
    fileprivate func value(_ column: Int32) -> SQLiteValue? {
        if let row, row.indices.contains(Int(column)) { return row[Int(column)] }
        return hidden[column]
    }
}
