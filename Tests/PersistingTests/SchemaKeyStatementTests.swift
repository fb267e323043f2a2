import Foundation
import Persisting
import Testing

private final class Stamped: PersistingModel {
    var stamp = Data([1])
    var name = "a name that is longer than fifteen bytes"
    override class var tableName: String { "stamped" }
    override class var naming: Naming { .identity }
    override class var primaryKey: PrimaryKey { .fromSchema }
}

@Suite("Keys that tables say, in statements") struct SchemaKeyStatementTests {
    @Test("that a table has no more are not what its old objects are written by") func otherLayout() throws {
        // F102, a blob is kept otherwise in a key
        let table = "CREATE TABLE stamped (stamp BLOB, name TEXT, "
        let manager = try memoryManager(script: table + "PRIMARY KEY (name))")
        let old = Stamped()
        try manager.insert(old)
        try manager.execute("DROP TABLE stamped")
        try manager.execute(SQL(table + "PRIMARY KEY (stamp))"))
        #expect(try manager.fetchAll(Stamped.self).isEmpty)
        old.name = "new"
        #expect(failure { try Stamped.updateStatement(for: old) }?.code == .notFound)
        #expect(failure { try Stamped.whereClause(for: old) }?.code == .notFound)
    }
}
