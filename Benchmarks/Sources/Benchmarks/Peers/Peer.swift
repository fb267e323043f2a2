import GRDB

/// GRDB's databases, with what the others have, too.
enum Peer {
    /// A database in memory with a table of albums, and these in it.
    static func albums(_ albums: [Album]) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: Album.create)
            for album in albums {
                var record = AlbumRecord(album)
                try record.insert(db)
            }
        }
        return queue
    }

    static func database(_ path: String = ":memory:") throws -> DatabaseQueue { try DatabaseQueue(path: path) }
}

extension DatabaseReader {
    /// The checksum of a query's values.
    func checksum(_ sql: String) throws -> Checksum {
        try read { db in
            var sum = Checksum()
            let rows = try Row.fetchCursor(db, sql: sql)
            while let row = try rows.next() {
                for (_, value) in row {
                    switch value.storage {
                    case .int64(let value): sum.add(value)
                    case .double(let value): sum.add(value)
                    case .string(let value): sum.add(value)
                    case .blob(let value): sum.add(value)
                    case .null: sum.add(nil as Int64?)
                    }
                }
            }
            return sum
        }
    }
}
