internal import CSystemSQLite

/// What a statement is about to be allowed to do.
///
/// Its description says it in SQL's words: `READ of account.balance in main`.
public struct AuthorizerRequest: Sendable, Hashable, CustomStringConvertible {
    /// A kind of action. The type is open, for those that a later SQLite has.
    ///
    /// See [Authorizer Action Codes](https://www.sqlite.org/c3ref/c_alter_table.html), which says what `first` and
    /// `second` are for each.
    public struct Action: RawRepresentable, Hashable, Sendable {
        /// The number SQLite gives the action.
        public let rawValue: Int32

        /// An action by SQLite's number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }
    }

    /// What is to be done.
    public let action: Action
    /// The first name: for most actions the table, or what is created or dropped. For an ALTER TABLE it is the
    /// database, for a pragma its name, for an ATTACH the file, for a transaction `BEGIN`, `COMMIT` or `ROLLBACK`.
    public let first: String?
    /// The second name: for READ and UPDATE the column, for an index or trigger its table, for a function its name, for
    /// a pragma its argument, for an ALTER TABLE the table.
    public let second: String?
    /// The database: `main`, `temp`, or the name one was attached as; nil where none is meant.
    public let database: String?
    /// The innermost trigger or view that asks; nil for the statement itself.
    public let source: String?

    /// The action with its names.
    public var description: String {
        let names = [first, second].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }.joined(separator: ".")
        return "\(action)" + (names.isEmpty ? "" : " of \(names)") + (database.map { " in \($0)" } ?? "")
            + (source.map { " by \($0)" } ?? "")
    }
}

/// An authorizer's answer.
public enum AuthorizerAnswer: Sendable, Hashable {
    /// It may be done.
    case allow
    /// The statement fails with ``ResultCode/authorization``; for a function, with ``ResultCode/error``.
    case deny
    /// The statement continues without it: a column reads as NULL, a change is left out.
    case ignore
}

extension AuthorizerRequest.Action: CustomStringConvertible {
    /// The names of the actions, in the order of SQLite's numbers from 1.
    private static let names = [
        "CREATE INDEX", "CREATE TABLE", "CREATE TEMP INDEX", "CREATE TEMP TABLE", "CREATE TEMP TRIGGER",
        "CREATE TEMP VIEW", "CREATE TRIGGER", "CREATE VIEW", "DELETE", "DROP INDEX", "DROP TABLE", "DROP TEMP INDEX",
        "DROP TEMP TABLE", "DROP TEMP TRIGGER", "DROP TEMP VIEW", "DROP TRIGGER", "DROP VIEW", "INSERT", "PRAGMA",
        "READ", "SELECT", "TRANSACTION", "UPDATE", "ATTACH", "DETACH", "ALTER TABLE", "REINDEX", "ANALYZE",
        "CREATE VIRTUAL TABLE", "DROP VIRTUAL TABLE", "FUNCTION", "SAVEPOINT", "RECURSIVE",
    ]

    /// The name, such as `DROP TABLE`; the number of one that has none here.
    public var description: String {
        guard rawValue > 0, rawValue <= Self.names.count else { return "action \(rawValue)" }
        return Self.names[Int(rawValue) - 1]
    }

    /// `CREATE INDEX`: the index and its table.
    public static let createIndex = Self(rawValue: SQLITE_CREATE_INDEX)
    /// `CREATE TABLE`
    public static let createTable = Self(rawValue: SQLITE_CREATE_TABLE)
    /// `CREATE INDEX` on a temporary table: the index and its table.
    public static let createTempIndex = Self(rawValue: SQLITE_CREATE_TEMP_INDEX)
    /// `CREATE TEMP TABLE`
    public static let createTempTable = Self(rawValue: SQLITE_CREATE_TEMP_TABLE)
    /// `CREATE TEMP TRIGGER`: the trigger and its table.
    public static let createTempTrigger = Self(rawValue: SQLITE_CREATE_TEMP_TRIGGER)
    /// `CREATE TEMP VIEW`
    public static let createTempView = Self(rawValue: SQLITE_CREATE_TEMP_VIEW)
    /// `CREATE TRIGGER`: the trigger and its table.
    public static let createTrigger = Self(rawValue: SQLITE_CREATE_TRIGGER)
    /// `CREATE VIEW`
    public static let createView = Self(rawValue: SQLITE_CREATE_VIEW)
    /// `DELETE`
    public static let delete = Self(rawValue: SQLITE_DELETE)
    /// `DROP INDEX`: the index and its table.
    public static let dropIndex = Self(rawValue: SQLITE_DROP_INDEX)
    /// `DROP TABLE`
    public static let dropTable = Self(rawValue: SQLITE_DROP_TABLE)
    /// `DROP INDEX` on a temporary table: the index and its table.
    public static let dropTempIndex = Self(rawValue: SQLITE_DROP_TEMP_INDEX)
    /// `DROP TABLE` of a temporary table.
    public static let dropTempTable = Self(rawValue: SQLITE_DROP_TEMP_TABLE)
    /// `DROP TRIGGER` of a temporary trigger: the trigger and its table.
    public static let dropTempTrigger = Self(rawValue: SQLITE_DROP_TEMP_TRIGGER)
    /// `DROP VIEW` of a temporary view.
    public static let dropTempView = Self(rawValue: SQLITE_DROP_TEMP_VIEW)
    /// `DROP TRIGGER`: the trigger and its table.
    public static let dropTrigger = Self(rawValue: SQLITE_DROP_TRIGGER)
    /// `DROP VIEW`
    public static let dropView = Self(rawValue: SQLITE_DROP_VIEW)
    /// `INSERT`
    public static let insert = Self(rawValue: SQLITE_INSERT)
    /// `PRAGMA`: its name and its argument.
    public static let pragma = Self(rawValue: SQLITE_PRAGMA)
    /// The reading of a column: the table and the column, which is empty for a table of which no column is read.
    public static let read = Self(rawValue: SQLITE_READ)
    /// `SELECT`
    public static let select = Self(rawValue: SQLITE_SELECT)
    /// `BEGIN`, `COMMIT` or `ROLLBACK`, those that a `transaction` runs as well.
    public static let transaction = Self(rawValue: SQLITE_TRANSACTION)
    /// `UPDATE`: the table and the column.
    public static let update = Self(rawValue: SQLITE_UPDATE)
    /// `ATTACH`: the file.
    public static let attach = Self(rawValue: SQLITE_ATTACH)
    /// `DETACH`: the database.
    public static let detach = Self(rawValue: SQLITE_DETACH)
    /// `ALTER TABLE`: the database and the table.
    public static let alterTable = Self(rawValue: SQLITE_ALTER_TABLE)
    /// `REINDEX`
    public static let reindex = Self(rawValue: SQLITE_REINDEX)
    /// `ANALYZE`
    public static let analyze = Self(rawValue: SQLITE_ANALYZE)
    /// `CREATE VIRTUAL TABLE`: the table and its module.
    public static let createVirtualTable = Self(rawValue: SQLITE_CREATE_VTABLE)
    /// `DROP TABLE` of a virtual table: the table and its module.
    public static let dropVirtualTable = Self(rawValue: SQLITE_DROP_VTABLE)
    /// The call of a function: its name is the second.
    public static let function = Self(rawValue: SQLITE_FUNCTION)
    /// `SAVEPOINT`, `RELEASE` or `ROLLBACK TO`, and the savepoint.
    public static let savepoint = Self(rawValue: SQLITE_SAVEPOINT)
    /// A recursive common table expression.
    public static let recursive = Self(rawValue: SQLITE_RECURSIVE)
}

extension Connection {
    /// Has SQLite ask the authorizer, as long as there is one or someone wants to know what is read.
    func installAuthorizer() throws(SQLiteError) {
        guard hooks.authorizer != nil || hooks.columnsRead != nil || hooks.requests != nil else {
            try check(sqlite3_set_authorizer(open(), nil, nil))
            return
        }
        try check(
            sqlite3_set_authorizer(
                open(),
                { context, action, first, second, database, source in
                    let request = AuthorizerRequest(
                        action: .init(rawValue: action), first: first.map { String(cString: $0) },
                        second: second.map { String(cString: $0) }, database: database.map { String(cString: $0) },
                        source: source.map { String(cString: $0) })
                    return Connection.hook(context) { $0.authorize(request) } ?? SQLITE_DENY
                }, context))
    }

    private func authorize(_ request: AuthorizerRequest) -> Int32 {
        if isUnasked { return SQLITE_OK }
        hooks.requests?.append(request)
        if request.action == .read, let table = request.first {
            hooks.columnsRead?.insert(
                ColumnRead(database: request.database, table: table, column: request.second ?? ""))
        }
        switch hooks.authorizer?(request) ?? .allow {
        case .allow: return SQLITE_OK
        case .ignore: return SQLITE_IGNORE
        case .deny:
            // A function is named by SQLite itself, in an error of another code.
            if request.action != .function { hooks.errorMessage = "the authorizer denied: \(request)" }
            return SQLITE_DENY
        }
    }
}
