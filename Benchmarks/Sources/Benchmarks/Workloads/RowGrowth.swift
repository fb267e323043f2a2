import Persisting

/// Time for a row, of few rows and of many.
enum RowGrowth {
    private static func sizes(_ options: Options) -> (few: Int, many: Int) {
        (1000, options.size(1_000_000))
    }

    static func fetching(_ options: Options) throws -> Growth {
        let (few, many) = sizes(options)
        var contenders: [Contender] = []
        for count in [few, many] {
            let floor = try FloorConnection()
            try floor.execute(Integers.create)
            try floor.execute(Integers.fill(count))
            let manager = try PersistenceManager(.memory)
            try manager.execute(SQL(Integers.create))
            try manager.execute(SQL(Integers.fill(count)))
            // The same number of rows is read for each size.
            let times = many / count
            contenders += [
                contender("floor, \(count.grouped) rows", times * count) {
                    for _ in 0..<times {
                        let objects = try floor.integers()
                        guard objects.count == count else { throw BenchmarkFailure("there were \(objects.count)") }
                    }
                },
                contender("\(count.grouped) rows", times * count) {
                    for _ in 0..<times {
                        let objects = try manager.fetchAll(Integers.self, tracked: false)
                        guard objects.count == count else { throw BenchmarkFailure("there were \(objects.count)") }
                    }
                },
            ]
        }
        return growth("fetch all, a row", few, many, contenders)
    }

    static func inserting(_ options: Options) throws -> Growth {
        let (few, many) = sizes(options)
        let samples = Album.samples(few, seed: options.seed)
        let floor = try FloorConnection.albums([])
        let manager = try Subject.albums([])
        var contenders: [Contender] = []
        for count in [few, many] {
            let times = many / count
            func albums() -> [Album] {
                Album.copies(of: (0..<count).lazy.map { samples[$0 % samples.count] })
            }
            contenders += [
                Contender(name: "floor, \(count.grouped) rows") { stopwatch in
                    var inner = Stopwatch()
                    for _ in 0..<times {
                        try floor.execute("DELETE FROM ALBUM")
                        let albums = albums()
                        try inner.measure { try floor.insert(albums) { $0.id = $1 } }
                    }
                    stopwatch.add(seconds: inner.elapsed / Double(times * count))
                    return Checksum()
                },
                Contender(name: "\(count.grouped) rows") { stopwatch in
                    var inner = Stopwatch()
                    for _ in 0..<times {
                        try manager.deleteAll(Album.self)
                        let albums = albums()
                        try inner.measure { try manager.insert(albums) }
                    }
                    stopwatch.add(seconds: inner.elapsed / Double(times * count))
                    return Checksum()
                },
            ]
        }
        return growth("insert, a row", few, many, contenders)
    }

    private static func contender(_ name: String, _ rows: Int, _ run: @escaping () throws -> Void) -> Contender {
        Contender(name: name) { stopwatch in
            var inner = Stopwatch()
            try inner.measure(run)
            stopwatch.add(seconds: inner.elapsed / Double(rows))
            return Checksum()
        }
    }

    private static func growth(_ name: String, _ few: Int, _ many: Int, _ contenders: [Contender]) -> Growth {
        Growth(
            name: name, small: "\(few.grouped) rows", large: "\(many.grouped) rows",
            floor: ("floor, \(few.grouped) rows", "floor, \(many.grouped) rows"),
            limit: 1.25,
            workload: Workload(row: "growth", name: name, operations: 1, contenders: contenders, comparisons: []))
    }
}
