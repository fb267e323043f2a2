import GRDB
import Persisting

/// Row 13: a program that starts: a database in memory is opened, ten classes get tables, one object is inserted.
///
/// Each time in a process of its own, where nothing has been called before.
enum Starting {
    static func cold(_ options: Options) throws -> Workload {
        func contender(_ name: String) -> Contender {
            Contender(name: name) { stopwatch in
                let numbers = try Child.run("start", name, options)
                guard let seconds = numbers["seconds"], let columns = numbers["columns"] else {
                    throw BenchmarkFailure("the process did not tell its time")
                }
                stopwatch.add(seconds: seconds)
                var sum = Checksum()
                sum.add(columns)
                return sum
            }
        }
        return Workload(
            row: "13", name: "open, ten classes and tables, insert", operations: 1,
            contenders: ["floor", "ours", "GRDB"].map(contender),
            comparisons: [Comparison(name: "", subject: "ours", peers: [.init(contender: "GRDB", atLeast: 1)])])
    }

    /// What a child measures.
    static func measure(_ contender: String) throws {
        var stopwatch = Stopwatch()
        let columns: Checksum
        switch contender {
        case "floor": columns = try floor(&stopwatch)
        case "ours": columns = try ours(&stopwatch)
        default: columns = try peer(&stopwatch)
        }
        Child.report(["seconds": stopwatch.elapsed, "columns": Double(columns.bits)])
    }

    /// The names of all columns, and what is in the first table.
    private static let made = """
        SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c \
        UNION ALL SELECT ID, NAME FROM ARTIST ORDER BY 1, 2
        """

    private static func floor(_ stopwatch: inout Stopwatch) throws -> Checksum {
        let db = try stopwatch.measure {
            let db = try FloorConnection()
            for table in Named.tables {
                try db.execute(
                    "CREATE TABLE \(table) (ID INTEGER PRIMARY KEY, NAME TEXT, NOTE TEXT, CREATED REAL, RANK INTEGER)")
            }
            let statement = try db.prepare("INSERT INTO ARTIST (ID, NAME) VALUES (?, ?)")
            defer { statement.finalize() }
            let artist = Artist()
            artist.name = "Miles Davis"
            try statement.bind(artist.id, 1)
            try statement.bind(artist.name, 2)
            try statement.run()
            artist.id = db.lastInsertRowID
            return db
        }
        return try db.checksum(made)
    }

    private static func ours(_ stopwatch: inout Stopwatch) throws -> Checksum {
        let manager = try stopwatch.measure {
            let manager = try PersistenceManager(.memory)
            for type in Named.all { try manager.createTableIfNecessary(for: type) }
            let artist = Artist()
            artist.name = "Miles Davis"
            try manager.insert(artist)
            return manager
        }
        return try manager.database.checksum(made)
    }

    private static func peer(_ stopwatch: inout Stopwatch) throws -> Checksum {
        let queue = try stopwatch.measure {
            let queue = try Peer.database()
            try queue.write { db in
                for table in Named.tables {
                    try db.create(table: table) { table in
                        table.primaryKey("ID", .integer)
                        table.column("NAME", .text)
                        table.column("NOTE", .text)
                        table.column("CREATED", .double)
                        table.column("RANK", .integer)
                    }
                }
                var artist = ArtistRecord(name: "Miles Davis")
                try artist.insert(db)
            }
            return queue
        }
        return try queue.checksum(made)
    }
}
