public import Foundation

/// Importing files.
///
/// ```swift
/// let report = try manager.importCSV(User.self, contentsOf: url)
/// let report = try await manager.importJSON(
///     User.self, contentsOf: url, .lines, onConflict: .update(by: "remoteID"),
///     errors: .collect(max: 100))
/// // line 17, age: the text isn't a valid Int
/// for failure in report.failures { print(failure) }
/// ```
///
/// A file is read a part at a time, and may be larger than memory. Values become what the class's columns store:
/// numbers are read whatever the locale, and a fraction is an error for an integer property; dates are ISO 8601, bytes
/// Base64. A null is NULL for an Optional property, and its default for any other. What the file doesn't
/// have is left to the table's default, or is what `init()` gives the property.
///
/// A class without hooks and without `validate()` is imported without objects. Of another each row becomes an object,
/// whose hooks run; it is found by its key, or by the properties of ``ImportConflict/update(by:)``.
extension PersistenceManager {
    /// Imports the rows of a CSV text.
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
    ///   - dryRun: Whether to write nothing, and only report what would be. Hooks run all the same. Deferred foreign keys,
    ///     which SQLite checks at a commit, aren't checked.
    ///   - commit: When to commit. By default at the end: all rows, or none.
    ///   - position: Where to continue an import that ended early; nil begins at the start. Beyond the end of the source
    ///     it throws.
    ///   - maximumRowBytes: The most bytes that a row may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes. When it is cancelled, the import ends as when its task is: with
    ///     `CancellationError`, or once rows are committed with ``PersistenceError/Code/importFailed``.
    /// - Returns: The result of the import.
    /// - Throws: ``PersistenceError/Code/importFailed`` with the line, the field and the reason, and a
    ///   ``PersistenceError/importReport``; ``PersistenceError/Code/invalidFormat`` for a header that can't be used;
    ///   ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/noUniqueConstraint``; `CancellationError`; what
    ///   the source throws.
    @discardableResult
    public func importCSV<Model: PersistingModel>(
        _ type: Model.Type, contentsOf source: some ImportSource, _ format: CSVFormat = CSVFormat(),
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) throws -> ImportReport {
        try importRows(
            type, .csv(format), source,
            ImportSettings(
                keys: keys, conflict: conflict, errors: errors, unknownKeys: unknownKeys, isDryRun: dryRun,
                commit: commit, position: position,
                maximumRowBytes: maximumRowBytes, progress: progress))
    }

    /// The same, while the task is suspended.
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

    /// The same of bytes that come one by one, such as a download, while the task is suspended.
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

    /// Imports the objects of a JSON text.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - source: The `URL` of a file, a `FileHandle`, or `Data`.
    ///   - format: Whether the text is an array of objects, or has an object on each line. By default an array.
    ///   - keys: What the keys are called. By default they are called as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties or columns.
    ///   - conflict: What to do with a row that is already in the table. By default it is an error.
    ///   - errors: What to do with an object that can't be taken. By default the import stops, with an error. What
    ///     isn't JSON ends the import of an array in any case, since nobody knows where the next object begins.
    ///   - unknownKeys: What to do with names of the file that the class doesn't have. By default they are ignored,
    ///     and listed in the report.
    ///   - dryRun: Whether to write nothing, and only report what would be. Hooks run all the same. Deferred foreign keys,
    ///     which SQLite checks at a commit, aren't checked.
    ///   - commit: When to commit. By default at the end: all objects, or none.
    ///   - position: Where to continue an import that ended early; nil begins at the start. Beyond the end of the source
    ///     it throws.
    ///   - maximumRowBytes: The most bytes that an object may have, by default 16 MiB; a longer one throws.
    ///   - progress: Reports progress in bytes. When it is cancelled, the import ends as when its task is: with
    ///     `CancellationError`, or once rows are committed with ``PersistenceError/Code/importFailed``.
    /// - Returns: The result of the import.
    /// - Throws: What `importCSV(_:contentsOf:)` throws.
    @discardableResult
    public func importJSON<Model: PersistingModel>(
        _ type: Model.Type, contentsOf source: some ImportSource, _ format: JSONFormat = .array,
        keys: FileKeys = .remote,
        onConflict conflict: ImportConflict = .fail, errors: ImportErrors = .stop, unknownKeys: UnknownKeys = .ignore,
        dryRun: Bool = false,
        commit: ImportCommit = .atEnd, from position: ImportPosition? = nil, maximumRowBytes: Int = 1 << 24,
        progress: Progress? = nil
    ) throws -> ImportReport {
        try importRows(
            type, .json(format), source,
            ImportSettings(
                keys: keys, conflict: conflict, errors: errors, unknownKeys: unknownKeys, isDryRun: dryRun,
                commit: commit, position: position,
                maximumRowBytes: maximumRowBytes, progress: progress))
    }

    /// The same, while the task is suspended.
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

    /// The same of bytes that come one by one, such as a download, while the task is suspended.
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

/// A format of files.
enum FileFormat: Sendable {
    case csv(CSVFormat)
    case json(JSONFormat)
}

extension PersistenceManager {
    func importRows(
        _ type: PersistingModel.Type, _ format: FileFormat, _ source: some ImportSource, _ settings: ImportSettings
    ) throws -> ImportReport {
        try settings.check()
        let target = try ImportTarget(self, type, settings.conflict, settings.keys)
        let position = settings.position ?? ImportPosition()
        func buffer(_ reader: ImportReader, from offset: Int64) -> ImportBuffer {
            ImportBuffer(offset: offset, limit: settings.maximumRowBytes, read: reader.read)
        }
        switch format {
        case .csv(let format):
            // The header is at the beginning, wherever an earlier import has left a handle.
            if position.offset > 0, let handle = source as? FileHandle { try handle.seek(toOffset: 0) }
            let reader = try source.reader(from: 0)
            try settings.check(reader)
            let rows = try CSVRows(buffer(reader, from: 0), format, target, settings.unknownKeys, at: position) {
                buffer(try source.reader(from: position.offset), from: position.offset)
            }
            return try ImportRun(rows, target, settings, byteCount: reader.byteCount).importRows()
        case .json(let format):
            let reader = try source.reader(from: position.offset)
            try settings.check(reader)
            let buffer = buffer(reader, from: position.offset)
            do {
                if position.offset == 0 { try buffer.skipByteOrderMark() }
            } catch let problem as ImportProblem {
                throw PersistenceError(.invalidFormat, problem.reason, model: target.table.mapping.modelName)
            }
            let rows = JSONRows(buffer, format, target, settings.unknownKeys, at: position)
            return try ImportRun(rows, target, settings, byteCount: reader.byteCount).importRows()
        }
    }
}
