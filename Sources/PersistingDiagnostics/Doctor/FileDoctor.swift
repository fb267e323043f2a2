public import Foundation
public import SQLiteKit

/// Looks for what is wrong in a database file, whichever program made it.
///
/// ```swift
/// let doctor = try FileDoctor(path: "music.sqlite")
/// for finding in try doctor.examine() { print(finding) }
/// // 2 rows of track have a value in album_id that no row of album has
/// //     UPDATE track SET album_id = NULL WHERE …;
/// ```
///
/// The file is opened read-only and defensively: SQL in it can call no function that could do harm, and damage is
/// looked for with care. Nothing is written to it, and findings have no values of rows. To check a full-text index,
/// SQLite has to write, so that is done on a temporary copy.
public struct FileDoctor: Sendable {
    /// The file.
    public let path: String
    private let configuration: DatabaseConfiguration

    /// A doctor for a file.
    ///
    /// - Parameters:
    ///   - path: The file, which must exist.
    ///   - configuration: What connections need to read it, such as a key or collations in `prepare`. It's made
    ///     read-only and defensive.
    /// - Throws: ``/SQLiteKit/SQLiteError`` when the file can't be read, or isn't a database.
    public init(path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()) throws {
        self.path = path
        self.configuration = Self.careful(configuration)
        try reading { db in _ = try db.pragma("schema_version", as: Int64.self) }
    }

    /// A configuration that reads a file that a stranger may have made.
    ///
    /// - Parameter configuration: What connections need to read it.
    public static func careful(
        _ configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) -> DatabaseConfiguration {
        var careful = configuration
        careful.openMode = .readOnly
        careful.isDefensive = true
        careful.invalidText = .repaired
        let prepare = configuration.prepare
        careful.prepare = { db in
            // Pictures and documents are larger than what a defensive connection reads.
            try db.setLimit(.length, to: 1_000_000_000)
            try prepare?(db)
        }
        return careful
    }

    /// What is wrong with the file; empty when all is well.
    ///
    /// It reads all of the file, some of it several times.
    ///
    /// - Parameter progress: Counts the checks. When it's cancelled, the examination throws `CancellationError`.
    /// - Throws: ``/SQLiteKit/SQLiteError`` when damage keeps SQLite from looking further, and nothing else was found.
    public func examine(progress: Progress? = nil) throws -> [FileFinding] {
        try reading { db in
            var findings: [FileFinding] = []
            progress?.totalUnitCount = Int64(Self.checks.count)
            for check in Self.checks {
                if progress?.isCancelled == true { throw CancellationError() }
                do {
                    findings += try check(ExaminedDatabase(path: path, db: db))
                } catch let error as SQLiteError where error.code == .corrupt || error.code == .notADatabase {
                    // The other checks would end in the same damage.
                    guard findings.contains(where: { $0.kind == .integrity }) else {
                        return findings + [IntegrityCheck.damage(error)]
                    }
                    return findings
                }
                progress?.completedUnitCount += 1
            }
            return findings
        }
    }

    /// Runs the statements that mend findings, all of a finding or none, and examines the file again.
    ///
    /// A finding whose statements fail doesn't keep the others from being mended.
    ///
    /// - Parameters:
    ///   - findings: What to mend. Those without statements stay.
    ///   - effect: What the statements may do. By default they change no row.
    /// - Returns: What is wrong afterwards.
    /// - Throws: ``/SQLiteKit/SQLiteError`` of the first statement that failed, after all findings.
    public func mend(
        _ findings: [FileFinding], allowing effect: FileFinding.Effect = .rebuilds
    ) throws -> [FileFinding] {
        var configuration = configuration
        configuration.openMode = .readWrite
        // The mode is the file's, and rows that have no parent already must not keep others from being mended.
        configuration.foreignKeys = false
        let queue = try DatabaseQueue(.file(path), configuration: configuration)
        defer { try? queue.close() }
        var failure: (any Error)?
        for finding in findings where effect == .changes || finding.effect == .rebuilds {
            do {
                // VACUUM and checkpoints can't run in a transaction, and are the only statements of their findings.
                if [.freePages, .log].contains(finding.kind) {
                    for sql in finding.remedy { try queue.withoutTransaction { db in try db.executeScript(SQL(sql)) } }
                } else {
                    try queue.write { db in for sql in finding.remedy { try db.execute(SQL(sql)) } }
                }
            } catch {
                failure = failure ?? error
            }
        }
        try queue.close()
        if let failure { throw failure }
        return try examine()
    }

    /// The checks, the most important first.
    private static let checks: [@Sendable (ExaminedDatabase) throws -> [FileFinding]] = [
        IntegrityCheck.findings, ForeignKeyCheck.findings, IndexCheck.findings, ValueCheck.findings,
        DateCheck.findings, SearchIndexCheck.findings, StatisticsCheck.findings, StorageCheck.findings,
        ViewCheck.findings,
    ]

    private func reading<T>(_ body: (Database) throws -> T) throws -> T {
        let queue = try DatabaseQueue(.file(path), configuration: configuration)
        defer { try? queue.close() }
        return try queue.withoutTransaction { db in
            try db.execute("BEGIN")
            // In a damaged file, even the COMMIT of a read fails.
            defer { _ = try? db.execute("ROLLBACK") }
            return try body(db)
        }
    }
}
