/// The tests by hand, with a connection and prepared statements.
struct ClassicFloor: ClassicStore {
    private let db: FloorConnection

    init(path: String) throws {
        db = try FloorConnection(path)
        try db.execute("PRAGMA synchronous = NORMAL")
    }

    private func prepared<T>(_ sql: String, _ body: (FloorStatement) throws -> T) throws -> T {
        let statement = try db.prepare(sql)
        defer { statement.finalize() }
        return try body(statement)
    }

    private func insert(_ rows: [ClassicValues], into table: String) throws {
        try prepared("INSERT INTO \(table) (A, B, C) VALUES (?, ?, ?)") { insert in
            for row in rows {
                try insert.bind(row.a, 1)
                try insert.bind(row.b, 2)
                try insert.bind(row.c, 3)
                try insert.run()
            }
        }
    }

    func insertSingly(_ rows: [ClassicValues]) throws { try insert(rows, into: "T1") }

    func insertIntoT2(_ rows: [ClassicValues]) throws { try db.transaction { try insert(rows, into: "T2") } }

    func insertIntoT3(_ rows: [ClassicValues]) throws { try db.transaction { try insert(rows, into: "T3") } }

    private func average(_ select: FloorStatement) throws -> ClassicAverage {
        guard try select.step() else { throw BenchmarkFailure("there is no average") }
        let average = ClassicAverage(count: select.required(0), average: select.double(1))
        try select.reset()
        return average
    }

    private func averages(_ table: String, _ ranges: [Range<Int>]) throws -> [ClassicAverage] {
        try prepared("SELECT count(*), avg(B) FROM \(table) WHERE B >= ? AND B < ?") { select in
            try ranges.map { range in
                try select.bind(range.lowerBound, 1)
                try select.bind(range.upperBound, 2)
                return try average(select)
            }
        }
    }

    func averagesOfT2(_ ranges: [Range<Int>]) throws -> [ClassicAverage] {
        try db.transaction { try averages("T2", ranges) }
    }

    func averagesOfT2(containing texts: [String]) throws -> [ClassicAverage] {
        try db.transaction {
            try prepared("SELECT count(*), avg(B) FROM T2 WHERE instr(C, ?) > 0") { select in
                try texts.map { text in
                    try select.bind(text, 1)
                    return try average(select)
                }
            }
        }
    }

    func averagesOfT3(_ ranges: [Range<Int>]) throws -> [ClassicAverage] {
        try db.transaction { try averages("T3", ranges) }
    }

    func double(_ ranges: [Range<Int>]) throws {
        try db.transaction {
            try prepared("UPDATE T1 SET B = B * 2 WHERE A >= ? AND A < ?") { update in
                for range in ranges {
                    try update.bind(range.lowerBound, 1)
                    try update.bind(range.upperBound, 2)
                    try update.run()
                }
            }
        }
    }

    func setB(_ values: [Int]) throws {
        try db.transaction {
            try prepared("UPDATE T3 SET B = ? WHERE A = ?") { update in
                for (index, value) in values.enumerated() {
                    try update.bind(value, 1)
                    try update.bind(index + 1, 2)
                    try update.run()
                }
            }
        }
    }

    func setC(_ values: [String]) throws {
        try db.transaction {
            try prepared("UPDATE T3 SET C = ? WHERE A = ?") { update in
                for (index, value) in values.enumerated() {
                    try update.bind(value, 1)
                    try update.bind(index + 1, 2)
                    try update.run()
                }
            }
        }
    }

    func exchange() throws {
        try db.transaction {
            for sql in ClassicSQL.exchange { try db.execute(sql) }
        }
    }

    func delete(containing text: String) throws {
        try prepared("DELETE FROM T3 WHERE instr(C, ?) > 0") { delete in
            try delete.bind(text, 1)
            try delete.run()
        }
    }

    func delete(_ range: Range<Int>) throws {
        try prepared("DELETE FROM T3 WHERE A >= ? AND A < ?") { delete in
            try delete.bind(range.lowerBound, 1)
            try delete.bind(range.upperBound, 2)
            try delete.run()
        }
    }

    func copy() throws { try db.execute(ClassicSQL.copy) }

    func replace(_ rows: [ClassicValues]) throws {
        try db.transaction {
            try db.execute("DELETE FROM T1")
            try insert(rows, into: "T1")
        }
    }

    func clear() throws {
        for table in ["T1", "T2", "T3"] { try db.execute("DELETE FROM \(table)") }
    }
}
