public import Foundation

/// Importing files and downloads, while the task is suspended.
///
/// ```swift
/// let (bytes, _) = try await URLSession.shared.bytes(from: feed)
/// let report = try await manager.importJSON(Episode.self, contentsOf: bytes, .lines)
/// ```
///
/// What a task receives byte by byte is kept in a temporary file first, so that no transaction waits for the network; a
/// download that breaks off writes nothing.
extension PersistenceManager {
    /// Imports the rows of a CSV text, while the task is suspended; see the synchronous form.
    ///
    /// - Parameters:
    ///   - type: The model class.
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
    /// - Throws: What the synchronous form throws, and `CancellationError` when the task is cancelled.
    @discardableResult
    public func importCSV<Model: PersistingModel>(
        _ type: Model.Type, contentsOf source: some ImportSource, _ format: CSVFormat = CSVFormat(),
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) async throws -> ImportReport {
        let settings = ImportSettings(
            keys: keys, conflict: conflict, errors: errors, unknownKeys: unknownKeys, isDryRun: dryRun, commit: commit,
            position: position,
            maximumRowBytes: maximumRowBytes, progress: progress)
        return try await onDatabaseSide(of: type) { manager in
            try manager.importRows(type, .csv(format), source, settings)
        }
    }

    /// Imports the objects of a JSON text, while the task is suspended; see the synchronous form.
    ///
    /// - Parameters:
    ///   - type: The model class.
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
    /// - Throws: What the synchronous form throws, and `CancellationError` when the task is cancelled.
    @discardableResult
    public func importJSON<Model: PersistingModel>(
        _ type: Model.Type, contentsOf source: some ImportSource, _ format: JSONFormat = .array,
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) async throws -> ImportReport {
        let settings = ImportSettings(
            keys: keys, conflict: conflict, errors: errors, unknownKeys: unknownKeys, isDryRun: dryRun, commit: commit,
            position: position,
            maximumRowBytes: maximumRowBytes, progress: progress)
        return try await onDatabaseSide(of: type) { manager in
            try manager.importRows(type, .json(format), source, settings)
        }
    }

    /// Imports the rows of a CSV text that comes byte by byte, such as a download.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - bytes: The bytes of the text. They are kept in a temporary file until all have come.
    ///   - format: How the text is written. By default as RFC 4180 says, with a header.
    ///   - keys: What the fields are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with a row that can't be taken. By default the import stops, with an error.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be.
    ///   - commit: When to commit. By default at the end: all rows, or none.
    ///   - maximumRowBytes: The most bytes that a row may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes, once all have come.
    /// - Returns: The result of the import.
    /// - Throws: What `bytes` throws, what the synchronous form throws, and `CancellationError`.
    @discardableResult
    public func importCSV<Model: PersistingModel, Bytes: AsyncSequence>(
        _ type: Model.Type, contentsOf bytes: Bytes, _ format: CSVFormat = CSVFormat(),
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, maximumRowBytes: Int = 1 << 24, progress: Progress? = nil
    ) async throws -> ImportReport where Bytes.Element == UInt8 {
        try await withDownload(of: bytes) { url in
            try await importCSV(
                type, contentsOf: url, format, keys: keys, onConflict: conflict, errors: errors,
                unknownKeys: unknownKeys, dryRun: dryRun,
                commit: commit,
                maximumRowBytes: maximumRowBytes, progress: progress)
        }
    }

    /// Imports the objects of a JSON text that comes byte by byte, such as a download.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - bytes: The bytes of the text. They are kept in a temporary file until all have come.
    ///   - format: Whether the text is an array of objects, or has an object on each line. By default an array.
    ///   - keys: What the keys are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with an object that can't be taken. By default the import stops, with an error.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be.
    ///   - commit: When to commit. By default at the end: all objects, or none.
    ///   - maximumRowBytes: The most bytes that an object may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes, once all have come.
    /// - Returns: The result of the import.
    /// - Throws: What `bytes` throws, what the synchronous form throws, and `CancellationError`.
    @discardableResult
    public func importJSON<Model: PersistingModel, Bytes: AsyncSequence>(
        _ type: Model.Type, contentsOf bytes: Bytes, _ format: JSONFormat = .array,
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, maximumRowBytes: Int = 1 << 24, progress: Progress? = nil
    ) async throws -> ImportReport where Bytes.Element == UInt8 {
        try await withDownload(of: bytes) { url in
            try await importJSON(
                type, contentsOf: url, format, keys: keys, onConflict: conflict, errors: errors,
                unknownKeys: unknownKeys, dryRun: dryRun,
                commit: commit,
                maximumRowBytes: maximumRowBytes, progress: progress)
        }
    }

    /// Runs `body` with a temporary file of all bytes of a sequence.
    private func withDownload<Bytes: AsyncSequence, T>(
        of bytes: Bytes, _ body: (URL) async throws -> T
    ) async throws -> T where Bytes.Element == UInt8 {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("import-\(UUID().uuidString)")
        try Data().write(to: url)
        // A file that is left over is the system's to delete.
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try FileHandle(forWritingTo: url)
        do {
            var part = Data(capacity: ImportBuffer.chunk)
            for try await byte in bytes {
                part.append(byte)
                if part.count == ImportBuffer.chunk {
                    try Task.checkCancellation()
                    try file.write(contentsOf: part)
                    part.removeAll(keepingCapacity: true)
                }
            }
            try file.write(contentsOf: part)
            try file.close()
        } catch {
            // The first error is the one that counts.
            try? file.close()
            throw error
        }
        return try await body(url)
    }
}
