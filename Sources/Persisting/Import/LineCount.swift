/// Counts the lines of a text, a part of which is in a buffer.
///
/// Bytes are counted once, and before they change: escapes that are replaced in their place make line feeds of theirs.
final class LineCount {
    /// Up to where the bytes of the buffer are counted, and the line there.
    @exclusivity(unchecked) private var place = 0
    @exclusivity(unchecked) private var line: Int

    /// - Parameter line: The line on which the buffer begins.
    init(_ line: Int) {
        self.line = line
    }

    /// The line at a place in the buffer, which isn't before one that was counted.
    func line(at place: Int, of buffer: ImportBuffer) -> Int {
        count(upTo: place, of: buffer)
        return line
    }

    /// Counts the bytes up to a place, which may change from now on.
    func count(upTo place: Int, of buffer: ImportBuffer) {
        let end = min(place, buffer.count)
        guard end > self.place else { return }
        count(UnsafeBufferPointer(start: buffer.bytes + self.place, count: end - self.place))
        self.place = end
    }

    /// Counts the first bytes of the buffer, which are about to be forgotten.
    func forget(_ bytes: UnsafeBufferPointer<UInt8>) {
        if place < bytes.count { count(UnsafeBufferPointer(rebasing: bytes[place...])) }
        place = max(0, place - bytes.count)
    }

    private func count(_ bytes: UnsafeBufferPointer<UInt8>) {
        var count = 0
        for byte in bytes { count &+= byte == 0x0A ? 1 : 0 }
        line += count
    }
}
