public import Foundation

/// One step in the evolution of a database's schema, between two versions of a program.
///
/// ```swift
/// let migrations = [
///     Migration(
///         1,
///         sql: """
///             CREATE TABLE PERSON (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL)
///             """),
///     Migration(2, "people have a status") { manager in
///         try manager.execute(
///             "ALTER TABLE PERSON ADD COLUMN STATUS TEXT NOT NULL DEFAULT 'new'")
///     },
///     Migration(3, sql: "CREATE INDEX PERSON_STATUS ON PERSON (STATUS); ANALYZE"),
/// ]
/// let manager = try PersistenceManager(
///     path: "people.sqlite", migrations: migrations)
/// ```
///
/// Each migration runs once per database, in a transaction of its own that also stores its version. Once a program with
/// it has been released, a migration stays as it is: later changes are later migrations. That's why the first one above
/// spells out its table: a class describes the newest version, not the first. <doc:EvolvingASchema> tells more.
public struct Migration: Sendable {
    /// The version that the database has once the migration has run.
    public let version: Int
    /// What the migration does, for errors and ``PersistenceManager/appliedMigrations``.
    public let name: String?
    /// The SQL of a migration that is given as SQL; nil for a closure.
    public let sql: SQL?
    /// Whether the SQL may differ from the SQL that ran on a database.
    public let allowsChanges: Bool

    let run: @Sendable (PersistenceManager, any EngineConnection) throws -> Void

    /// A migration in Swift.
    ///
    /// - Parameters:
    ///   - version: 1 or more, and greater than that of the migration before it. Gaps are fine.
    ///   - name: What the migration does.
    ///   - body: The changes. Every call of its manager, and of the classes' own methods, takes part in the migration's
    ///     transaction. It's synchronous, so that nothing else can use the connection meanwhile.
    public init(
        _ version: Int, _ name: String? = nil,
        _ body: @escaping @Sendable (_ manager: PersistenceManager) throws -> Void
    ) {
        self.version = version
        self.name = name
        sql = nil
        allowsChanges = false
        run = { manager, _ in try body(manager) }
    }

    /// A migration in SQL.
    ///
    /// The SQL is stored along with the version. If a later program has other SQL for the same version, opening the
    /// database throws ``PersistenceError/Code/changedMigration``: databases would differ by when they were created.
    /// Line endings and blank lines don't count.
    ///
    /// - Parameters:
    ///   - version: 1 or more, and greater than that of the migration before it. Gaps are fine.
    ///   - name: What the migration does.
    ///   - sql: Statements separated by `;`. Interpolated values are bound.
    ///   - allowsChanges: Whether to accept a database on which other SQL ran, when both are known to do the same.
    public init(_ version: Int, _ name: String? = nil, sql: SQL, allowsChanges: Bool = false) {
        self.version = version
        self.name = name
        self.sql = sql
        self.allowsChanges = allowsChanges
        run = { _, db in try db.executeScript(sql) }
    }

    /// The version and the name, as errors give them.
    var title: String { "migration \(version)" + (name.map { " (\($0))" } ?? "") }

    /// Whether the SQL is that which ran on a database, as far as anyone knows.
    func isSame(as applied: AppliedMigration) -> Bool {
        guard let sql, let stored = applied.sql else { return true }
        // Each start of a program gets here, and splitting goes character by character.
        return haveSameBytes(sql.sql, stored) || Self.lines(sql.sql) == Self.lines(stored)
    }

    private static func lines(_ text: String) -> [[UInt8]] {
        text.split(whereSeparator: \.isNewline).map { Array($0.utf8) }.filter { line in line.contains { $0 != 32 } }
    }
}

/// A migration that a database has seen.
public struct AppliedMigration: Sendable, Hashable {
    /// Its version.
    public let version: Int
    /// Its name when it ran.
    public let name: String?
    /// When it ran.
    public let date: Date
    /// The SQL that ran; nil when the migration was a closure.
    public let sql: String?
}
