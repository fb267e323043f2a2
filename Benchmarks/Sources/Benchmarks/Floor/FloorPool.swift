/// A connection for each thread, or for each task an actor with one.
final class FloorPool: Sendable {
    private let table: SharedTable
    private let writer: Worker
    private let readers: [Worker]
    private let asyncWriter: AsyncWorker
    private let asyncReaders: [AsyncWorker]

    init(_ samples: [Album]) throws {
        let table = try SharedTable(samples)
        self.table = table
        func worker(_ sql: String) throws -> Worker { try Worker(table.file.path, sql, samples) }
        let select = Album.select + " WHERE ID BETWEEN ? AND ? ORDER BY ID"
        writer = try worker(Album.insert)
        readers = [try worker(select), try worker(select)]
        asyncWriter = AsyncWorker(try worker(Album.insert))
        asyncReaders = [AsyncWorker(try worker(select)), AsyncWorker(try worker(select))]
    }

    @Sendable func write() throws {
        try writer.write()
    }

    @Sendable func read(_ reader: Int) throws {
        let (number, keys) = table.take(reader)
        try table.check(number, readers[reader].read(keys).map { ($0.id, $0.rating) })
    }

    @Sendable func write() async throws {
        try await asyncWriter.write()
    }

    @Sendable func read(_ reader: Int) async throws {
        let (number, keys) = table.take(reader)
        let albums = try await asyncReaders[reader].read(keys)
        try table.check(number, albums.map { ($0.id, $0.rating) })
    }

    func settle(_ written: Int) throws {
        let db = try FloorConnection(table.file.path)
        let count = try db.prepare("SELECT count(*) FROM ALBUM")
        defer { count.finalize() }
        try table.check(count: try count.step() ? count.required(0) : nil, written: written)
        try count.reset()
        try db.execute("DELETE FROM ALBUM WHERE ID > \(table.rows)")
    }

    /// A connection with a statement.
    ///
    /// `@unchecked Sendable`, since it goes to the thread or actor that is to use it: one alone does.
    private final class Worker: @unchecked Sendable {
        private let db: FloorConnection
        private let statement: FloorStatement
        private let samples: [Album]

        init(_ path: String, _ sql: String, _ samples: [Album]) throws {
            db = try FloorConnection(path)
            try db.execute("PRAGMA synchronous = NORMAL")
            statement = try db.prepare(sql)
            self.samples = Album.copies(of: samples.prefix(SharedTable.batch))
        }

        deinit {
            statement.finalize()
        }

        func write() throws {
            let albums = Album.copies(of: samples)
            try db.transaction {
                for album in albums {
                    try statement.bind(album)
                    try statement.run()
                    album.id = db.lastInsertRowID
                }
            }
        }

        func read(_ keys: ClosedRange<Int64>) throws -> [Album] {
            try statement.bind(keys.lowerBound, 1)
            try statement.bind(keys.upperBound, 2)
            var albums: [Album] = []
            while try statement.step() { albums.append(try statement.album()) }
            try statement.reset()
            return albums
        }
    }

    private actor AsyncWorker {
        private let worker: Worker

        init(_ worker: Worker) {
            self.worker = worker
        }

        func write() throws {
            try worker.write()
        }

        func read(_ keys: ClosedRange<Int64>) throws -> sending [Album] {
            // Made in this call, and kept by no one.
            nonisolated(unsafe) let albums = try worker.read(keys)
            return albums
        }
    }
}
