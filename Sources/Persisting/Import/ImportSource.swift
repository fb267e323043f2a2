public import Foundation

/// Where an import reads its bytes: the `URL` of a file, a `FileHandle`, or `Data`.
///
/// Another source, such as a compressed file, conforms with a reader of its own.
public protocol ImportSource: Sendable {
    /// Starts to read.
    ///
    /// - Parameter offset: The number of bytes to skip first: 0, or what an ``ImportPosition`` says.
    /// - Returns: What gives the bytes from there on.
    /// - Throws: Any error, which the import throws.
    func reader(from offset: Int64) throws -> ImportReader
}

/// Gives the bytes of an import, a part at a time.
public struct ImportReader {
    /// The number of bytes in the whole source; nil when it isn't known. It is the total of the `Progress`.
    public let byteCount: Int64?
    let read: (UnsafeMutableRawBufferPointer) throws -> Int

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes in the whole source; nil when it isn't known.
    ///   - read: Fills room with the next bytes and returns how many it put there, 0 at the end. The room is never
    ///     empty. What it throws ends the import.
    public init(byteCount: Int64?, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.byteCount = byteCount
        self.read = read
    }
}

extension URL: ImportSource {
    /// Reads a file.
    ///
    /// - Parameter offset: The number of bytes to skip first.
    /// - Throws: Foundation's error when the file can't be read.
    public func reader(from offset: Int64) throws -> ImportReader {
        let handle = try FileHandle(forReadingFrom: self)
        let values = try? resourceValues(forKeys: [.fileSizeKey])
        return try handle.reader(from: offset, byteCount: values?.fileSize.map(Int64.init), closes: true)
    }
}

extension FileHandle: ImportSource {
    /// Reads from the handle's present place, which may be a pipe's. The handle stays open. An import that goes on at a
    /// position needs a file, and counts from its beginning.
    ///
    /// - Parameter offset: The number of bytes to skip first.
    /// - Throws: Foundation's error when the bytes can't be read.
    public func reader(from offset: Int64) throws -> ImportReader {
        try reader(from: offset, byteCount: nil, closes: false)
    }

    fileprivate func reader(from offset: Int64, byteCount: Int64?, closes: Bool) throws -> ImportReader {
        if offset > 0 { try seek(toOffset: UInt64(offset)) }
        let file = OpenFile(self, closes: closes)
        return ImportReader(byteCount: byteCount) { room in try file.read(into: room) }
    }
}

extension Data: ImportSource {
    /// Reads the data.
    ///
    /// - Parameter offset: The number of bytes to skip first.
    public func reader(from offset: Int64) -> ImportReader {
        var rest = dropFirst(Int(clamping: offset))
        return ImportReader(byteCount: Int64(count)) { room in
            let taken = rest.prefix(room.count)
            taken.copyBytes(to: room)
            rest = rest.dropFirst(taken.count)
            return taken.count
        }
    }
}

/// A file that is closed when nobody reads it any more.
private final class OpenFile {
    private let handle: FileHandle
    private let closes: Bool

    init(_ handle: FileHandle, closes: Bool) {
        self.handle = handle
        self.closes = closes
    }

    deinit {
        // Nothing was written to it.
        if closes { try? handle.close() }
    }

    func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let data = try handle.read(upToCount: room.count) else { return 0 }
        data.copyBytes(to: room)
        return data.count
    }
}
