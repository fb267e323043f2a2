internal import CSystemSQLite
internal import Foundation

extension Database {
    /// Applies a changeset to the main database: all of it, or on an error nothing.
    ///
    /// Inside a transaction it is a savepoint, else a transaction of its own. Triggers run and foreign keys act for the
    /// changes as for any other.
    ///
    /// ```swift
    /// try db.apply(changeset) { conflict in
    ///     switch conflict.kind {
    ///     case .data, .conflict: .replace       // theirs wins
    ///     case .notFound: .omit                 // it was deleted here
    ///     default: .abort
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - changeset: The changes.
    ///   - tables: The tables to change; nil for all of the changeset. A name that it does not have does nothing.
    ///   - resolve: What to do about a change that cannot be applied as it was recorded. It may run SQL of its own.
    ///     Without it, the first conflict aborts.
    /// - Throws: ``ResultCode/abort`` when `resolve` answers ``Changeset/Resolution/abort``, ``ResultCode/misuse`` when
    ///   it answers ``Changeset/Resolution/replace`` to a conflict that has no row to replace, or what it throws;
    ///   ``ResultCode/schema`` when a table is missing here, has fewer columns or another primary key.
    /// - SeeAlso: [sqlite3changeset_apply](https://www.sqlite.org/session/sqlite3changeset_apply.html)
    public func apply(
        _ changeset: Changeset, to tables: [String]? = nil,
        onConflict resolve: (Changeset.Conflict) throws -> Changeset.Resolution = { _ in .abort }
    ) throws {
        let functions = try SessionFunctions.load()
        let handle = try connection.accessible()
        guard !connection.isReading else { throw connection.failure(.readOnly, "a read cannot write") }
        guard !changeset.isEmpty else { return }
        // A statement that still returns the rows of a write would make a savepoint fail.
        connection.endPendingWrites()
        try savepoint {
            let names = tables.map { Set($0.map { Data(asciiLowercased($0).utf8) }) }
            for table in changeset.format.tables where names?.contains(Data(asciiLowercased(table.name).utf8)) ?? true {
                try checkFits(table)
            }
            try withoutActuallyEscaping(resolve) { resolve in
                let application = ChangesetApplication(functions, connection, names, resolve)
                let context = Unmanaged.passUnretained(application).toOpaque()
                connection.recorder?.prepare()
                connection.stepCount &+= 1
                defer { connection.stepCount &-= 1 }
                let code = changeset.data.withUnsafeBytes { bytes in
                    withExtendedLifetime(application) {
                        functions.apply(
                            handle, Int32(clamping: bytes.count), bytes.baseAddress, ChangesetApplication.filter,
                            ChangesetApplication.conflictHandler, context)
                    }
                }
                if let error = application.error { throw error }
                try connection.check(code)
            }
        }
    }

    /// Throws for a table whose changes SQLite would skip in silence.
    private func checkFits(_ table: ChangesetFormat.Table) throws(SQLiteError) {
        // It has no primary key, and SQLite records it as if it had.
        guard asciiLowercased(table.name) != "sqlite_stat1" else { return }
        let own = try primaryKey(of: table.name, in: "main")
        guard own.count >= table.isPrimaryKey.count, Array(own.prefix(table.isPrimaryKey.count)) == table.isPrimaryKey
        else {
            let reason =
                own.isEmpty
                ? "there is no such table" : "the table has other columns or another primary key than theirs"
            throw connection.failure(.schema, "the changes of \(table.name) cannot be applied: \(reason)")
        }
    }
}

/// One call of `apply`, for the functions that SQLite calls back. It lives as long as the call.
private final class ChangesetApplication {
    private let functions: SessionFunctions
    private let connection: Connection
    private let tables: Set<Data>?
    private let resolve: (Changeset.Conflict) throws -> Changeset.Resolution
    /// What stopped it.
    private(set) var error: (any Error)?

    init(
        _ functions: SessionFunctions, _ connection: Connection, _ tables: Set<Data>?,
        _ resolve: @escaping (Changeset.Conflict) throws -> Changeset.Resolution
    ) {
        self.functions = functions
        self.connection = connection
        self.tables = tables
        self.resolve = resolve
    }

    static let filter: SessionFunctions.Filter = { context, table in
        guard let context, let table else { return 0 }
        let application = Unmanaged<ChangesetApplication>.fromOpaque(context).takeUnretainedValue()
        guard let tables = application.tables else { return 1 }
        return tables.contains(Data(asciiLowercased(String(cString: table)).utf8)) ? 1 : 0
    }

    static let conflictHandler: SessionFunctions.ConflictHandler = { context, kind, iterator in
        guard let context else { return SQLITE_CHANGESET_ABORT }
        let application = Unmanaged<ChangesetApplication>.fromOpaque(context).takeUnretainedValue()
        return application.answer(kind, iterator).rawValue
    }

    private func answer(_ kind: Int32, _ iterator: OpaquePointer?) -> Changeset.Resolution {
        do {
            let reader = ChangeReader(functions, iterator, repairsText: connection.repairsText)
            let conflict = try reader.conflict(kind)
            let resolution = try resolve(conflict)
            let place = conflict.change.map { "a \($0.kind) of \($0.table)" } ?? "the foreign keys"
            switch resolution {
            case .omit: break
            case .replace where conflict.kind == .data || conflict.kind == .conflict: break
            case .replace:
                throw connection.failure(
                    .misuse, "a conflict of the kind \(conflict.kind), for \(place), has no row to replace")
            case .abort:
                throw connection.failure(
                    .abort, "the changeset was not applied: conflict of the kind \(conflict.kind), for \(place)")
            }
            return resolution
        } catch {
            self.error = error
            return .abort
        }
    }
}
