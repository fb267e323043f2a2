import GRDB

/// The tests with GRDB: records for rows, and requests for what a statement does with many rows.
struct ClassicPeer: ClassicStore {
    private typealias T1 = ClassicRecord<InT1>
    private typealias T2 = ClassicRecord<InT2>
    private typealias T3 = ClassicRecord<InT3>
    private typealias Columns = ClassicColumns

    private let pool: DatabasePool

    /// A pool sets `synchronous` to NORMAL itself.
    init(path: String) throws {
        pool = try DatabasePool(path: path)
    }

    private func insert<Table>(_ rows: [ClassicValues], _ type: ClassicRecord<Table>.Type, _ db: Database) throws {
        for row in rows {
            var record = type.init(row)
            try record.insert(db)
        }
    }

    func insertSingly(_ rows: [ClassicValues]) throws {
        for row in rows {
            var record = T1(row)
            try pool.write { try record.insert($0) }
        }
    }

    func insertIntoT2(_ rows: [ClassicValues]) throws { try pool.write { try insert(rows, T2.self, $0) } }

    func insertIntoT3(_ rows: [ClassicValues]) throws { try pool.write { try insert(rows, T3.self, $0) } }

    private func figures(_ request: QueryInterfaceRequest<some TableRecord>, _ db: Database) throws -> ClassicAverage {
        let request = request.select(count(Columns.id), average(Columns.b)).asRequest(of: Row.self)
        guard let row = try request.fetchOne(db) else { throw BenchmarkFailure("there is no average") }
        return ClassicAverage(count: row[0], average: row[1])
    }

    func averagesOfT2(_ ranges: [Range<Int>]) throws -> [ClassicAverage] {
        try pool.read { db in try ranges.map { try figures(T2.filter($0.contains(Columns.b)), db) } }
    }

    func averagesOfT2(containing texts: [String]) throws -> [ClassicAverage] {
        try pool.read { db in try texts.map { try figures(T2.filter(Columns.c.like("%\($0)%")), db) } }
    }

    func averagesOfT3(_ ranges: [Range<Int>]) throws -> [ClassicAverage] {
        try pool.read { db in try ranges.map { try figures(T3.filter($0.contains(Columns.b)), db) } }
    }

    func double(_ ranges: [Range<Int>]) throws {
        try pool.write { db in
            for range in ranges {
                try T1.filter(range.contains(Columns.a)).updateAll(db, Columns.b.set(to: Columns.b * 2))
            }
        }
    }

    func setB(_ values: [Int]) throws {
        try pool.write { db in
            for (index, value) in values.enumerated() {
                try T3.filter(Columns.a == index + 1).updateAll(db, Columns.b.set(to: value))
            }
        }
    }

    func setC(_ values: [String]) throws {
        try pool.write { db in
            for (index, value) in values.enumerated() {
                try T3.filter(Columns.a == index + 1).updateAll(db, Columns.c.set(to: value))
            }
        }
    }

    func exchange() throws {
        try pool.write { db in
            for sql in ClassicSQL.exchange { try db.execute(sql: sql) }
        }
    }

    func delete(containing text: String) throws {
        try pool.write { _ = try T3.filter(Columns.c.like("%\(text)%")).deleteAll($0) }
    }

    func delete(_ range: Range<Int>) throws {
        try pool.write { _ = try T3.filter(range.contains(Columns.a)).deleteAll($0) }
    }

    func copy() throws { try pool.write { try $0.execute(sql: ClassicSQL.copy) } }

    func replace(_ rows: [ClassicValues]) throws {
        try pool.write { db in
            try T1.deleteAll(db)
            try insert(rows, T1.self, db)
        }
    }

    func clear() throws {
        try pool.write { db in
            try T1.deleteAll(db)
            try T2.deleteAll(db)
            try T3.deleteAll(db)
        }
    }
}
