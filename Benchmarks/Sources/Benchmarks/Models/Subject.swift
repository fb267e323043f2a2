import Persisting
import SQLiteKit

/// Persisting's databases, with what the others have, too.
enum Subject {
    /// A manager of a database in memory with a table of albums, and these in it.
    ///
    /// - Parameter albums: New ones, which become the manager's.
    static func albums(_ albums: [Album]) throws -> PersistenceManager {
        let manager = try PersistenceManager(.memory)
        try manager.execute(SQL(Album.create))
        try manager.insert(albums)
        return manager
    }
}

extension DatabaseAccess {
    /// The checksum of a query's values.
    func checksum(_ sql: String) throws -> Checksum {
        try read { db in
            var sum = Checksum()
            let rows = try db.query(SQL(sql))
            while let row = try rows.next() {
                for value in try row.values() {
                    switch value {
                    case .integer(let value): sum.add(value)
                    case .real(let value): sum.add(value)
                    case .text(let value): sum.add(value)
                    case .blob(let value): sum.add(value)
                    case .null: sum.add(nil as Int64?)
                    }
                }
            }
            return sum
        }
    }
}
