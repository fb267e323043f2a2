public import Foundation

/// Importing files into a class's table. Each method throws what the manager's method of the name throws.
extension ActiveRecord {
    /// Imports the rows of a CSV text. See `PersistenceManager`'s method of the name.
    ///
    /// - Parameters:
    ///   - source: The `URL` of a file, a `FileHandle`, or `Data`.
    ///   - format: How the text is written. By default as RFC 4180 says, with a header.
    ///   - keys: What the fields are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with a row that can't be taken. By default the import stops, with an error.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be. Hooks run all the same.
    ///   - commit: When to commit. By default at the end: all rows, or none.
    ///   - position: Where to continue an import that ended early; nil begins at the start.
    ///   - maximumRowBytes: The most bytes that a row may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes. When it is cancelled, the import throws `CancellationError`.
    /// - Returns: The result of the import.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func importCSV(
        contentsOf source: some ImportSource, _ format: CSVFormat = CSVFormat(),
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) throws -> ImportReport {
        try PersistenceManager.current(for: self).importCSV(
            self, contentsOf: source, format, keys: keys, onConflict: conflict, errors: errors,
            unknownKeys: unknownKeys, dryRun: dryRun,
            commit: commit,
            from: position, maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the objects of a JSON text. See `PersistenceManager`'s method of the name.
    ///
    /// - Parameters:
    ///   - source: The `URL` of a file, a `FileHandle`, or `Data`.
    ///   - format: Whether the text is an array of objects, or has an object on each line. By default an array.
    ///   - keys: What the keys are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with an object that can't be taken. By default the import stops, with an error.
    ///     What isn't JSON ends the import of an array in any case, since nobody knows where the next object begins.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be. Hooks run all the same.
    ///   - commit: When to commit. By default at the end: all objects, or none.
    ///   - position: Where to continue an import that ended early; nil begins at the start.
    ///   - maximumRowBytes: The most bytes that an object may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes. When it is cancelled, the import throws `CancellationError`.
    /// - Returns: The result of the import.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func importJSON(
        contentsOf source: some ImportSource, _ format: JSONFormat = .array,
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) throws -> ImportReport {
        try PersistenceManager.current(for: self).importJSON(
            self, contentsOf: source, format, keys: keys, onConflict: conflict, errors: errors,
            unknownKeys: unknownKeys, dryRun: dryRun,
            commit: commit,
            from: position, maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the rows of a CSV text, while the task is suspended.
    ///
    /// - Parameters:
    ///   - source: The `URL` of a file, a `FileHandle`, or `Data`.
    ///   - format: How the text is written. By default as RFC 4180 says, with a header.
    ///   - keys: What the fields are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with a row that can't be taken. By default the import stops, with an error.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be. Hooks run all the same.
    ///   - commit: When to commit. By default at the end: all rows, or none.
    ///   - position: Where to continue an import that ended early; nil begins at the start.
    ///   - maximumRowBytes: The most bytes that a row may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes. When it is cancelled, the import throws `CancellationError`.
    /// - Returns: The result of the import.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func importCSV(
        contentsOf source: some ImportSource, _ format: CSVFormat = CSVFormat(),
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) async throws -> ImportReport {
        try await PersistenceManager.current(for: self).importCSV(
            self, contentsOf: source, format, keys: keys, onConflict: conflict, errors: errors,
            unknownKeys: unknownKeys, dryRun: dryRun,
            commit: commit,
            from: position, maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the objects of a JSON text, while the task is suspended.
    ///
    /// - Parameters:
    ///   - source: The `URL` of a file, a `FileHandle`, or `Data`.
    ///   - format: Whether the text is an array of objects, or has an object on each line. By default an array.
    ///   - keys: What the keys are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with an object that can't be taken. By default the import stops, with an error.
    ///     What isn't JSON ends the import of an array in any case, since nobody knows where the next object begins.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be. Hooks run all the same.
    ///   - commit: When to commit. By default at the end: all objects, or none.
    ///   - position: Where to continue an import that ended early; nil begins at the start.
    ///   - maximumRowBytes: The most bytes that an object may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes. When it is cancelled, the import throws `CancellationError`.
    /// - Returns: The result of the import.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func importJSON(
        contentsOf source: some ImportSource, _ format: JSONFormat = .array,
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) async throws -> ImportReport {
        try await PersistenceManager.current(for: self).importJSON(
            self, contentsOf: source, format, keys: keys, onConflict: conflict, errors: errors,
            unknownKeys: unknownKeys, dryRun: dryRun,
            commit: commit,
            from: position, maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the rows of a CSV text that comes byte by byte, such as a download.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the text. They are kept in a temporary file until all have come.
    ///   - format: How the text is written. By default as RFC 4180 says, with a header.
    ///   - keys: What the fields are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with a row that can't be taken. By default the import stops, with an error.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be. Hooks run all the same.
    ///   - commit: When to commit. By default at the end: all rows, or none.
    ///   - maximumRowBytes: The most bytes that a row may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes. When it is cancelled, the import throws `CancellationError`.
    /// - Returns: The result of the import.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func importCSV<Bytes: AsyncSequence>(
        contentsOf bytes: Bytes, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail,
        errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore, dryRun: Bool = false,
        commit: ImportCommit = .atEnd,
        maximumRowBytes: Int = 1 << 24, progress: Progress? = nil
    ) async throws -> ImportReport where Bytes.Element == UInt8 {
        try await PersistenceManager.current(for: self).importCSV(
            self, contentsOf: bytes, format, keys: keys, onConflict: conflict, errors: errors, unknownKeys: unknownKeys,
            dryRun: dryRun,
            commit: commit,
            maximumRowBytes: maximumRowBytes, progress: progress)
    }

    /// Imports the objects of a JSON text that comes byte by byte, such as a download.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the text. They are kept in a temporary file until all have come.
    ///   - format: Whether the text is an array of objects, or has an object on each line. By default an array.
    ///   - keys: What the keys are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with an object that can't be taken. By default the import stops, with an error.
    ///     What isn't JSON ends the import of an array in any case, since nobody knows where the next object begins.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be. Hooks run all the same.
    ///   - commit: When to commit. By default at the end: all objects, or none.
    ///   - maximumRowBytes: The most bytes that an object may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes. When it is cancelled, the import throws `CancellationError`.
    /// - Returns: The result of the import.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func importJSON<Bytes: AsyncSequence>(
        contentsOf bytes: Bytes, _ format: JSONFormat = .array, keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail,
        errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore, dryRun: Bool = false,
        commit: ImportCommit = .atEnd,
        maximumRowBytes: Int = 1 << 24, progress: Progress? = nil
    ) async throws -> ImportReport where Bytes.Element == UInt8 {
        try await PersistenceManager.current(for: self).importJSON(
            self, contentsOf: bytes, format, keys: keys, onConflict: conflict, errors: errors, unknownKeys: unknownKeys,
            dryRun: dryRun,
            commit: commit,
            maximumRowBytes: maximumRowBytes, progress: progress)
    }
}
