package import Foundation
package import Persisting

/// Data that an import reads a few bytes at a time.
package struct Parts: ImportSource {
    private let data: Data
    private let size: Int

    package init(_ data: Data, _ size: Int) {
        self.data = data
        self.size = size
    }

    package func reader(from offset: Int64) -> ImportReader {
        var rest = data.dropFirst(Int(offset))
        return ImportReader(byteCount: nil) { room in
            let part = rest.prefix(min(size, room.count))
            part.copyBytes(to: room)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }
}
