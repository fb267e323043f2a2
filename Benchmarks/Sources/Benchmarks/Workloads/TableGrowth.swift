import Persisting

/// What tables cost that a program does not use: a file with fifty, and one with five hundred.
enum TableGrowth {
    private static let sizes = [50, 500]

    /// A file with tables, one of them with an artist.
    private static func file(_ tables: Int) throws -> TemporaryFile {
        let file = try TemporaryFile()
        let db = try FloorConnection(file.path)
        try db.execute("PRAGMA journal_mode = WAL")
        try db.transaction {
            for table in 1..<tables {
                try db.execute("CREATE TABLE T\(table) (ID INTEGER PRIMARY KEY, A TEXT, B TEXT, C REAL, D INTEGER)")
            }
            try db.execute(
                "CREATE TABLE ARTIST (ID INTEGER PRIMARY KEY, NAME TEXT, NOTE TEXT, CREATED REAL, RANK INTEGER)")
            try db.execute("INSERT INTO ARTIST (NAME) VALUES ('Miles Davis')")
        }
        return file
    }

    /// SQLite reads the whole schema when a database is opened, so this grows with it; no faster, that is.
    static func opening(_ options: Options) throws -> Growth {
        let times = options.size(200)
        return try growth("open and find one object, a table") { tables in
            let file = try file(tables)
            return { stopwatch, isFloor in
                var inner = Stopwatch()
                for _ in 0..<times {
                    try inner.measure {
                        if isFloor {
                            let db = try FloorConnection(file.path)
                            try db.execute("PRAGMA synchronous = FULL")
                            let statement = try db.prepare("SELECT ID, NAME FROM ARTIST WHERE ID = 1")
                            defer { statement.finalize() }
                            guard try statement.step() else { throw BenchmarkFailure("there is no artist") }
                        } else {
                            let manager = try PersistenceManager(path: file.path)
                            guard try manager.find(Artist.self, 1) != nil else {
                                throw BenchmarkFailure("there is no artist")
                            }
                            try manager.close()
                        }
                    }
                }
                stopwatch.add(seconds: inner.elapsed / Double(times * tables))
            }
        }
    }

    static func finding(_ options: Options) throws -> Growth {
        let times = options.size(100_000)
        return try growth("find by key") { tables in
            let file = try file(tables)
            let manager = try PersistenceManager(path: file.path)
            let db = try FloorConnection(file.path)
            return { stopwatch, isFloor in
                var inner = Stopwatch()
                try inner.measure {
                    if isFloor {
                        let statement = try db.prepare("SELECT ID, NAME FROM ARTIST WHERE ID = ?")
                        defer { statement.finalize() }
                        for _ in 0..<times {
                            try statement.bind(1 as Int64, 1)
                            guard try statement.step() else { throw BenchmarkFailure("there is no artist") }
                            try statement.reset()
                        }
                    } else {
                        for _ in 0..<times {
                            guard try manager.find(Artist.self, 1) != nil else {
                                throw BenchmarkFailure("there is no artist")
                            }
                        }
                    }
                }
                stopwatch.add(seconds: inner.elapsed / Double(times))
                withExtendedLifetime(file) {}
            }
        }
    }

    private static func growth(
        _ name: String, _ make: (_ tables: Int) throws -> (inout Stopwatch, _ isFloor: Bool) throws -> Void
    ) throws -> Growth {
        let contenders = try sizes.flatMap { tables in
            let run = try make(tables)
            return [("\(tables) tables", false), ("floor, \(tables) tables", true)].map { name, isFloor in
                Contender(name: name) { stopwatch in
                    try run(&stopwatch, isFloor)
                    return Checksum()
                }
            }
        }
        return Growth(
            name: name, small: "50 tables", large: "500 tables",
            floor: ("floor, 50 tables", "floor, 500 tables"), limit: 1.25,
            workload: Workload(row: "growth", name: name, operations: 1, contenders: contenders, comparisons: []))
    }
}
