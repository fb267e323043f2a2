import Foundation

/// The table that is shared: the batches that are read from it, and where each reader's next one begins.
final class SharedTable: Sendable {
    /// How many rows a batch has.
    static let batch = 100
    /// The settings that all have: a write-ahead log that is not synchronized at each commit, so that the disk is not
    /// what is measured.
    static let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"

    let file: TemporaryFile
    /// How many rows there are to read. What is written comes after them, and is deleted after each round.
    let rows: Int
    private let sums: [Checksum]
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var next = [0, 0]

    /// - Parameter albums: What is in the table, with the keys from 1.
    init(_ albums: [Album]) throws {
        file = try TemporaryFile()
        rows = albums.count
        try FloorConnection.albums(albums, path: file.path).execute(Self.settings)
        sums = stride(from: 0, to: albums.count, by: Self.batch).map { first in
            var sum = Checksum()
            for (index, album) in albums[first..<(first + Self.batch)].enumerated() {
                sum.add(Int64(first + index + 1))
                sum.add(album.rating)
            }
            return sum
        }
    }

    /// The keys of a reader's next batch, and the number of the batch.
    func take(_ reader: Int) -> (number: Int, keys: ClosedRange<Int64>) {
        let number = lock.withLock {
            defer { next[reader] = (next[reader] + 1) % sums.count }
            return next[reader]
        }
        let first = Int64(number * Self.batch + 1)
        return (number, first...(first + Int64(Self.batch) - 1))
    }

    func check(_ number: Int, _ albums: some Sequence<(Int64?, Double?)>) throws {
        var sum = Checksum()
        for (id, rating) in albums {
            sum.add(id)
            sum.add(rating)
        }
        guard sum == sums[number] else { throw BenchmarkFailure("batch \(number) was read wrongly") }
    }

    /// Checks that all is there that was written.
    func check(count: Int?, written: Int) throws {
        guard count == rows + written else {
            throw BenchmarkFailure("there are \(count ?? 0) rows, and \(rows) + \(written) were written")
        }
    }
}
