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
    private struct Connected: VirtualTablePart {
        var base = sqlite3_vtab()
        let table: SequenceTable
        /// What stands in the parentheses of `CREATE VIRTUAL TABLE`.
        let arguments: [String]
    }

    fileprivate struct Cursor: VirtualTablePart {
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
            Cursor().allocate(at: cursor)
            return SQLITE_OK
        }
        module.pointee.xClose = { cursor in
            Cursor.whole(cursor).map(Cursor.free) ?? SQLITE_MISUSE
        }
        module.pointee.xFilter = { cursor, _, plan, count, values in
            SequenceTable.filter(cursor, plan, count, values)
        }
        module.pointee.xNext = { SequenceTable.step($0) }
        module.pointee.xEof = { Cursor.whole($0)?.pointee.row == nil ? 1 : 0 }
        module.pointee.xColumn = { cursor, context, column in
            guard let cursor = Cursor.whole(cursor) else { return SQLITE_MISUSE }
            setResult(context) { cursor.pointee.value(column) }
            return SQLITE_OK
        }
        module.pointee.xRowid = { cursor, rowID in
            guard let cursor = Cursor.whole(cursor) else { return SQLITE_MISUSE }
            rowID?.pointee = cursor.pointee.number
            return SQLITE_OK
        }
        return UnsafePointer(module)
    }()

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
        Connected(table: table, arguments: arguments).allocate(at: result)
        return SQLITE_OK
    }

    private static func disconnect(_ pointer: UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 {
        Connected.whole(pointer).map(Connected.free) ?? SQLITE_MISUSE
    }

    /// Says which conditions become values of ``filter``, and writes down which they are: a column and an operator
    /// each.
    private static func choose(
        _ pointer: UnsafeMutablePointer<sqlite3_vtab>?, _ plan: UnsafeMutablePointer<sqlite3_index_info>?
    ) -> Int32 {
        guard let table = Connected.whole(pointer)?.pointee.table, let plan else { return SQLITE_MISUSE }
        var choice = Choice(columns: table.columns, plan: plan)
        for place in 0..<Int(plan.pointee.nConstraint) { choice.examine(place) }
        // Another order of the join may know the values.
        guard choice.unusable.isSubset(of: choice.hidden) else { return SQLITE_CONSTRAINT }
        choice.takeLimits()
        let words = choice.taken.map { "\($0.column):\($0.operation)" }
        plan.pointee.idxStr = sqliteCopy(of: words.joined(separator: " "))
        plan.pointee.needToFreeIdxStr = 1
        plan.pointee.estimatedCost = 1_000_000 / Double(1 + 9 * words.count)
        return SQLITE_OK
    }

    /// The conditions of a plan whose values the table is given.
    private struct Choice {
        let columns: [Column]
        let plan: UnsafeMutablePointer<sqlite3_index_info>
        var taken: [(column: Int32, operation: Int32)] = []
        /// The hidden columns whose values are known, and those whose values would be with another join.
        var hidden: Set<Int32> = []
        var unusable: Set<Int32> = []
        var limits: [Int] = []
        /// Whether SQLite filters the rows by other conditions.
        var hasOthers = false

        mutating func examine(_ place: Int) {
            let constraint = plan.pointee.aConstraint[place]
            let (column, operation) = (constraint.iColumn, Int32(constraint.op))
            if operation == limitOperation || operation == offsetOperation { return limits.append(place) }
            let isHidden = columns.indices.contains(Int(column)) && columns[Int(column)].isHidden
            if isHidden, operation == SQLITE_INDEX_CONSTRAINT_EQ, !hidden.contains(column) {
                if constraint.usable == 0 {
                    unusable.insert(column)
                } else {
                    hidden.insert(column)
                    take(place, isOmitted: true)
                }
                return
            }
            hasOthers = true
            guard constraint.usable != 0, column >= 0, comparisons[operation] != nil,
                sqlite3_vtab_collation(plan, Int32(place)).map({ String(cString: $0) }) == "BINARY"
            else { return }
            take(place, isOmitted: false)
        }

        /// Takes the limit and the offset, unless SQLite filters or orders the rows: then nobody knows how many are
        /// wanted.
        mutating func takeLimits() {
            if hasOthers || plan.pointee.nOrderBy > 0 { return }
            for place in limits where plan.pointee.aConstraint[place].usable != 0 { take(place, isOmitted: false) }
        }

        private mutating func take(_ place: Int, isOmitted: Bool) {
            let constraint = plan.pointee.aConstraint[place]
            taken.append((constraint.iColumn, Int32(constraint.op)))
            plan.pointee.aConstraintUsage[place].argvIndex = Int32(taken.count)
            plan.pointee.aConstraintUsage[place].omit = isOmitted ? 1 : 0
        }
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
        guard let cursor = Cursor.whole(pointer), let connected = Connected.whole(cursor.pointee.base.pVtab) else {
            return SQLITE_MISUSE
        }
        let table = connected.pointee.table
        (cursor.pointee.rows, cursor.pointee.row, cursor.pointee.number, cursor.pointee.hidden) = (nil, nil, 0, [:])
        do {
            var given = GivenValues()
            let words = plan.map { String(cString: $0) } ?? ""
            for (index, word) in words.split(separator: " ").prefix(Int(count)).enumerated() {
                let parts = word.split(separator: ":").compactMap { Int32($0) }
                guard parts.count == 2 else { return SQLITE_MISUSE }
                let value = try StoredValue(pointer: values?[index], repairsText: false)
                    .read(as: SQLiteValue.self, what: "a value for \(table.name)")
                given.add(value, parts[0], parts[1], table.columns)
            }
            cursor.pointee.hidden = given.hidden
            cursor.pointee.rows = try table.rows(given.request(connected.pointee))
        } catch {
            return fail(connected, error)
        }
        return step(pointer)
    }

    /// The values of the conditions that were taken.
    private struct GivenValues {
        /// The values of the hidden columns, by their places.
        private(set) var hidden: [Int32: SQLiteValue] = [:]
        private var arguments: [String: SQLiteValue] = [:]
        private var conditions: [TableRequest.Condition] = []
        private var limit: Int?
        private var offset = 0

        mutating func add(_ value: SQLiteValue, _ place: Int32, _ operation: Int32, _ columns: [Column]) {
            if operation == limitOperation {
                if case .integer(let number) = value, number >= 0 { limit = Int(clamping: number) }
            } else if operation == offsetOperation {
                if case .integer(let number) = value { offset = Int(clamping: max(0, number)) }
            } else if columns.indices.contains(Int(place)) {
                let column = columns[Int(place)]
                if column.isHidden, operation == SQLITE_INDEX_CONSTRAINT_EQ, arguments[column.name] == nil {
                    (arguments[column.name], hidden[place]) = (value, value)
                } else if let comparison = comparisons[operation], column.compares(value) {
                    conditions.append(.init(column: column.name, comparison: comparison, value: value))
                }
            }
        }

        func request(_ connected: Connected) -> TableRequest {
            let wanted = limit.map { $0.addingReportingOverflow(offset) }
            return TableRequest(
                table: connected.table.name, arguments: arguments, declaration: connected.arguments,
                conditions: conditions, limit: wanted.flatMap { $0.overflow ? nil : $0.partialValue })
        }
    }

    private static func step(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
        guard let cursor = Cursor.whole(pointer), let connected = Connected.whole(cursor.pointee.base.pVtab) else {
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
