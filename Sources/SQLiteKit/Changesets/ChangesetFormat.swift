/// The form of a changeset, read with suspicion before SQLite reads it in good faith.
///
/// SQLite takes a changeset for a valid one (see [sqlite3changeset_invert](
/// https://www.sqlite.org/session/sqlite3changeset_invert.html)), and releases before 3.43.1 read beyond the end of one
/// that is not. So its bytes are passed through here first: each length is within them, each change has the values that
/// its kind needs, and each table the same columns and key wherever it comes. What they mean is left to SQLite.
///
/// A changeset is a sequence of tables, each with its changes. A table is `T`, or `P` in a patchset, the number of its
/// columns, for each of them a byte that is not 0 in the primary key, and its name with a NUL. A change is its kind, a
/// byte that is 1 for an indirect one, and its records: the old values except for an insert, the new ones except for a
/// delete. A patchset has of a delete the key alone, and of an update one record.
struct ChangesetFormat: Sendable, Hashable {
    struct Table: Sendable, Hashable {
        let name: String
        let isPrimaryKey: [Bool]
    }

    private(set) var tables: [Table] = []
    private(set) var isPatchset = false

    /// Nil when the bytes aren't a changeset.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = Reader(rest: bytes[...])
        var keys: [[UInt8]: [Bool]] = [:]
        while let first = reader.byte() {
            switch first {
            case UInt8(ascii: "T"), UInt8(ascii: "P"):
                let isPatchset = first == UInt8(ascii: "P")
                guard tables.isEmpty || isPatchset == self.isPatchset, let table = reader.table() else { return nil }
                self.isPatchset = isPatchset
                // Of a table that comes twice in a row, SQLite reads the later changes with the columns of the earlier.
                let known = keys.updateValue(table.isPrimaryKey, forKey: Array(asciiLowercased(table.name).utf8))
                guard known == nil || known == table.isPrimaryKey else { return nil }
                tables.append(table)
                // SQLite writes no table without a change.
                guard let kind = reader.byte(), reader.change(kind, table, isPatchset) else { return nil }
            default:
                guard let table = tables.last, reader.change(first, table, isPatchset) else { return nil }
            }
        }
    }
}

private struct Reader {
    var rest: Slice<UnsafeRawBufferPointer>

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= rest.count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    /// A number as SQLite's files have it: seven bits to a byte, the highest first, of a ninth byte all eight.
    mutating func number() -> Int? {
        var number: UInt64 = 0
        for position in 0..<9 {
            guard let byte = byte() else { return nil }
            if position == 8 {
                number = number << 8 | UInt64(byte)
            } else {
                number = number << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { break }
            }
        }
        return Int32(exactly: number).map(Int.init)
    }

    mutating func table() -> ChangesetFormat.Table? {
        guard let count = number(), (1...65536).contains(count), count <= rest.count else { return nil }
        let isPrimaryKey = rest.prefix(count).map { $0 != 0 }
        guard isPrimaryKey.contains(true), skip(count), let end = rest.firstIndex(of: 0), end > rest.startIndex
        else { return nil }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[(end + 1)...]
        return ChangesetFormat.Table(name: name, isPrimaryKey: isPrimaryKey)
    }

    mutating func change(_ kind: UInt8, _ table: ChangesetFormat.Table, _ isPatchset: Bool) -> Bool {
        guard byte() != nil else { return false }
        let all = table.isPrimaryKey.map { _ in true }
        let key = table.isPrimaryKey
        switch (RowChangeKind(Int32(kind)), isPatchset) {
        case (.insert, _), (.delete, false): return record(all, key)
        case (.delete, true): return record(key.filter { $0 }, key.filter { $0 })
        case (.update, true): return record(key, key)
        case (.update, false): return record(key, key) && record(all.map { _ in false }, key)
        case (nil, _): return false
        }
    }

    /// A record: for each column whether it must have a value, and whether it is of the key.
    private mutating func record(_ isNeeded: [Bool], _ isKey: [Bool]) -> Bool {
        zip(isNeeded, isKey).allSatisfy { isNeeded, isKey in
            switch byte() {
            case 0: !isNeeded
            case 1, 2: skip(8)
            case 3, 4: number().map { skip($0) } ?? false
            // SQLite records no row with NULL in its key, and takes what follows one in a key for a text of any length.
            case 5: !isKey
            default: false
            }
        }
    }
}
