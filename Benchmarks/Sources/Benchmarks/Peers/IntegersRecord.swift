import GRDB

/// Ten integers, read by the columns' names.
struct IntegersRecord {
    var id: Int64
    var a: Int
    var b: Int
    var c: Int
    var d: Int
    var e: Int
    var f: Int
    var g: Int
    var h: Int
    var i: Int

    enum Columns {
        static let id = Column("ID")
        static let a = Column("A")
        static let b = Column("B")
        static let c = Column("C")
        static let d = Column("D")
        static let e = Column("E")
        static let f = Column("F")
        static let g = Column("G")
        static let h = Column("H")
        static let i = Column("I")
    }
}

extension IntegersRecord: FetchableRecord, TableRecord {
    static let databaseTableName = "INTEGERS"

    init(row: Row) {
        id = row[Columns.id]
        a = row[Columns.a]
        b = row[Columns.b]
        c = row[Columns.c]
        d = row[Columns.d]
        e = row[Columns.e]
        f = row[Columns.f]
        g = row[Columns.g]
        h = row[Columns.h]
        i = row[Columns.i]
    }
}

extension IntegersRecord: Summed {
    func add(to sum: inout Checksum) {
        sum.add(id)
        for value in [a, b, c, d, e, f, g, h, i] { sum.add(value) }
    }
}

/// The same read by the columns' places.
struct IntegersByIndex: FetchableRecord, TableRecord, Summed {
    static let databaseTableName = "INTEGERS"
    let integers: IntegersRecord

    init(row: Row) {
        integers = IntegersRecord(
            id: row[0], a: row[1], b: row[2], c: row[3], d: row[4], e: row[5], f: row[6], g: row[7], h: row[8],
            i: row[9])
    }

    func add(to sum: inout Checksum) {
        integers.add(to: &sum)
    }
}
