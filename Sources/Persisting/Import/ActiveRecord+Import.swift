public import Foundation

/// Importing files into a class's table. Each method throws what the manager's method of the name throws.
extension ActiveRecord {
    /// Imports the rows of a CSV text. See `PersistenceManager`'s method of the name.
    ///
    /// - Returns: What has become of the rows.
    @discardableResult
    public static func importCSV(
        contentsOf source: some ImportSource, _ format: CSVFormat = CSVFormat(),
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) throws -> ImportReport {
        try PersistenceManager.current(for: self).importCSV(
            self, contentsOf: source, format, onConflict: conflict, errors: errors, dryRun: dryRun, commit: commit,
            from: position, maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the objects of a JSON text. See `PersistenceManager`'s method of the name.
    ///
    /// - Returns: What has become of the objects.
    @discardableResult
    public static func importJSON(
        contentsOf source: some ImportSource, _ format: JSONFormat = .array,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) throws -> ImportReport {
        try PersistenceManager.current(for: self).importJSON(
            self, contentsOf: source, format, onConflict: conflict, errors: errors, dryRun: dryRun, commit: commit,
            from: position, maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the rows of a CSV text, while the task is suspended.
    ///
    /// - Returns: What has become of the rows.
    @discardableResult
    public static func importCSV(
        contentsOf source: some ImportSource, _ format: CSVFormat = CSVFormat(),
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) async throws -> ImportReport {
        try await PersistenceManager.current(for: self).importCSV(
            self, contentsOf: source, format, onConflict: conflict, errors: errors, dryRun: dryRun, commit: commit,
            from: position, maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the objects of a JSON text, while the task is suspended.
    ///
    /// - Returns: What has become of the objects.
    @discardableResult
    public static func importJSON(
        contentsOf source: some ImportSource, _ format: JSONFormat = .array,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) async throws -> ImportReport {
        try await PersistenceManager.current(for: self).importJSON(
            self, contentsOf: source, format, onConflict: conflict, errors: errors, dryRun: dryRun, commit: commit,
            from: position, maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the rows of a CSV text that comes byte by byte, such as a download.
    ///
    /// - Returns: What has become of the rows.
    @discardableResult
    public static func importCSV<Bytes: AsyncSequence>(
        contentsOf bytes: Bytes, _ format: CSVFormat = CSVFormat(), onConflict conflict: ImportConflict = .fail,
        errors: ImportErrors = .stop, dryRun: Bool = false, commit: ImportCommit = .atEnd,
        maximumRowBytes: Int = 1 << 24, progress: Progress? = nil
    ) async throws -> ImportReport where Bytes.Element == UInt8 {
        try await PersistenceManager.current(for: self).importCSV(
            self, contentsOf: bytes, format, onConflict: conflict, errors: errors, dryRun: dryRun, commit: commit,
            maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the objects of a JSON text that comes byte by byte, such as a download.
    ///
    /// - Returns: What has become of the objects.
    @discardableResult
    public static func importJSON<Bytes: AsyncSequence>(
        contentsOf bytes: Bytes, _ format: JSONFormat = .array, onConflict conflict: ImportConflict = .fail,
        errors: ImportErrors = .stop, dryRun: Bool = false, commit: ImportCommit = .atEnd,
        maximumRowBytes: Int = 1 << 24, progress: Progress? = nil
    ) async throws -> ImportReport where Bytes.Element == UInt8 {
        try await PersistenceManager.current(for: self).importJSON(
            self, contentsOf: bytes, format, onConflict: conflict, errors: errors, dryRun: dryRun, commit: commit,
            maximumRowBytes: maximumRowBytes, progress: progress)
    }
}
