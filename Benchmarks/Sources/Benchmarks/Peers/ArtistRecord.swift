import Foundation
import GRDB

struct ArtistRecord: MutablePersistableRecord {
    static let databaseTableName = "ARTIST"
    var id: Int64?
    var name: String?

    func encode(to container: inout PersistenceContainer) {
        container["ID"] = id
        container["NAME"] = name
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
