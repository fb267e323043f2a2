public import Foundation

/// Where an export writes: the `URL` of a file, or a `FileHandle`.
///
/// Another destination, such as a compressed file, conforms with a writer of its own.
public protocol ExportDestination: Sendable {
    /// Starts to write.
    ///
    /// - Throws: Any error, which the export throws.
    func writer() throws -> ExportWriter
}

/// Receives the bytes of an export, a part at a time.
public struct ExportWriter {
    let write: (UnsafeRawBufferPointer) throws -> Void
    let finish: (Bool) throws -> Void

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - write: Takes the next bytes. What it throws ends the export.
    ///   - finish: Called once, at the end: with true after all bytes, and with false when the export has failed.
    public init(
        write: @escaping (UnsafeRawBufferPointer) throws -> Void, finish: @escaping (Bool) throws -> Void = { _ in }
    ) {
        self.write = write
        self.finish = finish
    }
}

extension FileHandle: ExportDestination {
    /// Writes at the handle's present place, which may be a pipe's. The handle stays open.
    public func writer() -> ExportWriter {
        ExportWriter { bytes in try self.write(contentsOf: Data(bytes)) }
    }
}

extension URL: ExportDestination {
    /// Writes a file, which takes the place of an existing one once it is whole.
    ///
    /// - Throws: Foundation's error when the file can't be written.
    public func writer() throws -> ExportWriter {
        let part = deletingLastPathComponent().appendingPathComponent(".\(lastPathComponent).\(UUID().uuidString)")
        try Data().write(to: part)
        let handle = try FileHandle(forWritingTo: part)
        return ExportWriter { bytes in
            try handle.write(contentsOf: Data(bytes))
        } finish: { isWhole in
            do {
                guard isWhole else {
                    try handle.close()
                    return try FileManager.default.removeItem(at: part)
                }
                try handle.synchronize()
                try handle.close()
                let result = part.withUnsafeFileSystemRepresentation { from in
                    self.withUnsafeFileSystemRepresentation { to in from.flatMap { from in to.map { rename(from, $0) } }
                    }
                }
                guard result == 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
            } catch {
                // The first error is the one that counts.
                try? FileManager.default.removeItem(at: part)
                throw error
            }
        }
    }
}
