internal import Foundation

/// The bytes of an import, of which as many are in memory as the row under way needs.
///
/// A reader looks at ``bytes`` from ``position`` on. Where a row ends beyond them it asks for more, and looks at the
/// row again from its beginning.
final class ImportBuffer {
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int
    private let limit: Int
    @exclusivity(unchecked) private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// How many bytes there are.
    @exclusivity(unchecked) private(set) var count = 0
    /// The first byte that has not been taken.
    @exclusivity(unchecked) var position = 0
    /// The place of the first byte in the source.
    private var origin: Int64
    /// Whether the source has no more bytes.
    private(set) var isAtEnd = false
    /// Called with how many bytes have been taken, before more are read.
    var willRead: ((Int64) throws -> Void)?
    /// Called before bytes move: whoever looks at some of them is to be done with these.
    var willMove: (() throws -> Void)?
    /// Called with what is about to be forgotten.
    var willForget: ((UnsafeBufferPointer<UInt8>) -> Void)?

    /// How many bytes are read at a time.
    static let chunk = 1 << 17

    /// - Parameters:
    ///   - offset: The place of the first byte that `read` gives.
    ///   - limit: How many bytes a row may have.
    ///   - read: Puts bytes into room for them, and returns how many; 0 at the end.
    init(offset: Int64 = 0, limit: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.read = read
        self.limit = limit
        origin = offset
        capacity = Self.chunk
        base = .allocate(capacity: capacity + 1)
        base[0] = 0x0A
    }

    deinit {
        base.deallocate()
    }

    /// The bytes in memory. A line feed follows the last byte and isn't part of the data, so that a loop that looks
    /// for one needn't count.
    var bytes: UnsafeMutablePointer<UInt8> { base }

    /// The place of ``position`` in the source.
    var offset: Int64 { origin + Int64(position) }

    /// Reads more bytes; those from ``position`` on stay, and move to the front.
    ///
    /// - Returns: False at the end of the source.
    /// - Throws: ``ImportProblem`` when the row has more bytes than the limit.
    func readMore() throws -> Bool {
        if isAtEnd { return false }
        try willRead?(offset)
        try willMove?()
        if position > 0 {
            willForget?(UnsafeBufferPointer(start: base, count: position))
            base.update(from: base + position, count: count - position)
            origin += Int64(position)
            count -= position
            position = 0
        }
        if count == capacity {
            guard capacity < limit else { throw ImportProblem.tooLong(limit) }
            let larger = min(capacity * 2, max(limit, capacity + 1))
            let room = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + 1)
            room.update(from: base, count: count)
            base.deallocate()
            (base, capacity) = (room, larger)
        }
        let before = count
        let wanted = before + min(capacity - before, max(Self.chunk, before))
        repeat {
            let added = try read(UnsafeMutableRawBufferPointer(start: base + count, count: wanted - count))
            isAtEnd = added <= 0
            count += max(0, min(added, wanted - count))
            // A long row is looked at again with twice as many bytes, however few the source gives at a time.
        } while before >= Self.chunk && count < wanted && !isAtEnd
        base[count] = 0x0A
        return count > before
    }

    /// Goes on after a row.
    ///
    /// - Parameters:
    ///   - end: Where the row ends.
    ///   - next: Where what follows begins.
    /// - Throws: ``ImportProblem`` when the row has more bytes than the limit.
    func take(upTo end: Int, next: Int) throws {
        guard end - position <= limit else { throw ImportProblem.tooLong(limit) }
        position = next
    }

    /// Skips a byte order mark.
    ///
    /// - Throws: ``ImportProblem`` for that of another encoding than UTF-8.
    func skipByteOrderMark() throws {
        while count < 3, try readMore() {}
        if count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { position = 3 }
        let isUTF16 = count >= 2 && (base[0] == 0xFE && base[1] == 0xFF || base[0] == 0xFF && base[1] == 0xFE)
        if isUTF16 { throw ImportProblem.unreadable("the file is UTF-16; convert it to UTF-8") }
    }
}
