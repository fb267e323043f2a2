/// A text of SQL with its hash, so that a text that is used again and again is hashed once.
package struct CachedSQL: Hashable, Sendable {
    package let text: String
    fileprivate let hash: UInt64

    package init(_ text: String) {
        self.text = text
        hash = hashOfBytes(text)
    }

    package static func == (lhs: CachedSQL, rhs: CachedSQL) -> Bool {
        lhs.hash == rhs.hash && haveSameBytes(lhs.text, rhs.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

/// A hash of a text's bytes, eight at a time: for a statement's length a few nanoseconds, where Swift's own, which also
/// withstands texts that are made to collide, takes a multiple of it. Here a collision costs one comparison.
private func hashOfBytes(_ text: String) -> UInt64 {
    withUTF8(of: text) { utf8 in
        let bytes = UnsafeRawBufferPointer(utf8)
        var hash = UInt64(truncatingIfNeeded: bytes.count)
        func mix(_ word: UInt64) { hash = ((hash << 23) | (hash >> 41)) ^ (word &* 0x9E37_79B9_7F4A_7C15) }
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var last: UInt64 = 0
        for byte in bytes[offset...] { last = last << 8 | UInt64(byte) }
        mix(last)
        return hash
    }
}

/// The prepared statements that a connection keeps: as many as its capacity says, those used last.
///
/// A statement that someone holds is not handed out a second time; the second taker prepares its own.
final class StatementCache {
    private struct Entry {
        let sql: CachedSQL
        var statement: Statement
        var older: Int
        var newer: Int
        /// The next of its bucket.
        var next: Int
    }

    /// The number of statements that are kept at most.
    let capacity: Int
    /// How often a statement was found, and how often it was not.
    @exclusivity(unchecked) private(set) var hits = 0
    @exclusivity(unchecked) private(set) var misses = 0

    // A ring through `entries`, from the newest to the oldest and back; `none` while it is empty.
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// The first entry of each bucket: those with hashes that end alike. For the first dictionary with a kind of key
    /// the runtime looks through all conformances of the program, which is a good part of opening a database.
    @exclusivity(unchecked) private var buckets: [Int]
    @exclusivity(unchecked) private var newest = none
    private static let none = -1

    init(capacity: Int) {
        self.capacity = max(0, capacity)
        buckets = Array(repeating: Self.none, count: 1 << (Int.bitWidth - min(self.capacity, 4096).leadingZeroBitCount))
    }

    var count: Int { entries.count }

    /// The statement kept for a text, if no one holds it.
    func take(_ sql: CachedSQL) -> Statement? {
        guard let index = recent(sql) ?? index(of: sql), isKnownUniquelyReferenced(&entries[index].statement) else {
            misses += 1
            return nil
        }
        hits += 1
        if index != newest {
            unlink(index)
            link(index)
        }
        return entries[index].statement
    }

    /// A few statements in turn need no look-up: they are the newest.
    private func recent(_ sql: CachedSQL) -> Int? {
        guard newest != Self.none else { return nil }
        var index = newest
        for _ in 0..<4 {
            if entries[index].sql == sql { return index }
            index = entries[index].older
        }
        return nil
    }

    /// Keeps a statement. At full capacity, or for a text that is kept already, it takes the place of another.
    func put(_ statement: Statement, _ sql: CachedSQL) {
        guard capacity > 0 else { return }
        if let index = index(of: sql) {
            entries[index].statement = statement
            unlink(index)
            link(index)
            return
        }
        let bucket = bucket(of: sql)
        var entry = Entry(sql: sql, statement: statement, older: Self.none, newer: Self.none, next: Self.none)
        let index: Int
        if entries.count < capacity {
            index = entries.count
            entry.next = buckets[bucket]
            entries.append(entry)
        } else {
            index = entries[newest].newer  // in a ring, the oldest
            unlink(index)
            takeFromBucket(index)
            entry.next = buckets[bucket]
            entries[index] = entry
        }
        buckets[bucket] = index
        link(index)
    }

    func removeAll() {
        entries = []
        buckets = buckets.map { _ in Self.none }
        newest = Self.none
    }

    private func bucket(of sql: CachedSQL) -> Int { Int(truncatingIfNeeded: sql.hash) & (buckets.count - 1) }

    private func index(of sql: CachedSQL) -> Int? {
        var index = buckets[bucket(of: sql)]
        while index != Self.none, entries[index].sql != sql { index = entries[index].next }
        return index == Self.none ? nil : index
    }

    private func takeFromBucket(_ index: Int) {
        let bucket = bucket(of: entries[index].sql)
        guard buckets[bucket] != index else {
            buckets[bucket] = entries[index].next
            return
        }
        var before = buckets[bucket]
        while entries[before].next != index { before = entries[before].next }
        entries[before].next = entries[index].next
    }

    private func link(_ index: Int) {
        if newest == Self.none {
            entries[index].older = index
            entries[index].newer = index
        } else {
            let oldest = entries[newest].newer
            entries[index].older = newest
            entries[index].newer = oldest
            entries[oldest].older = index
            entries[newest].newer = index
        }
        newest = index
    }

    private func unlink(_ index: Int) {
        let (older, newer) = (entries[index].older, entries[index].newer)
        entries[newer].older = older
        entries[older].newer = newer
        if newest == index { newest = older == index ? Self.none : older }
    }
}
