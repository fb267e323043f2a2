import GRDB

/// A row of the tests as one of GRDB's records.
struct ClassicRecord<Table: ClassicTable>: MutablePersistableRecord {
    static var databaseTableName: String { Table.name }

    var id: Int64?
    var a: Int
    var b: Int
    var c: String

    init(_ values: ClassicValues) {
        a = values.a
        b = values.b
        c = values.c
    }

    func encode(to container: inout PersistenceContainer) {
        container[ClassicColumns.id] = id
        container[ClassicColumns.a] = a
        container[ClassicColumns.b] = b
        container[ClassicColumns.c] = c
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

enum ClassicColumns {
    static let id = Column("ID")
    static let a = Column("A")
    static let b = Column("B")
    static let c = Column("C")
}

/// Which table a record is of.
protocol ClassicTable {
    static var name: String { get }
}

enum InT1: ClassicTable { static let name = "T1" }

enum InT2: ClassicTable { static let name = "T2" }

enum InT3: ClassicTable { static let name = "T3" }
