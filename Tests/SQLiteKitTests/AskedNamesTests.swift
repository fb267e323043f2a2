import SQLiteKit
import Testing

/// What is kept of the names that rows were asked for, so that the next row finds them at once.
@Suite("Columns asked for by name, row after row")
struct AskedNamesTests {
    // K6
    @Test("are found in any order, and one more than once")
    func anyOrder() throws {
        let rows = try memory().query(
            "SELECT value AS a, value * 10 AS b, value * 100 AS c FROM json_each('[1, 2, 3]')")
        var seen: [[Int]] = []
        while let row = try rows.next() {
            seen.append([
                try row["c"], try row["a"], try row["a"], try row["b"], try row["c"], try row["c"], try row["a"],
            ])
        }
        #expect(seen == [1, 2, 3].map { [100 * $0, $0, $0, 10 * $0, 100 * $0, 100 * $0, $0] })
    }

    // K6
    @Test("are found by several spellings in turn")
    func spellings() throws {
        let rows = try memory().query("SELECT value AS a_name_of_many_letters, 7 AS b FROM json_each('[1, 2, 3]')")
        var seen: [[Int]] = []
        while let row = try rows.next() {
            seen.append([
                try row["A_NAME_OF_MANY_LETTERS"], try row["b"], try row["a_name_of_many_letters"], try row["B"],
            ])
        }
        #expect(seen == [[1, 7, 1, 7], [2, 7, 2, 7], [3, 7, 3, 7]])
    }

    // K6
    @Test("are found by names that are made again for each row")
    func newNames() throws {
        let columns = (0..<20).map { "value + \($0) AS \"a column with the number \($0)\"" }
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM json_each('[100, 200]')"
        let rows = try memory().query(SQL(sql))
        var sums: [Int] = []
        while let row = try rows.next() {
            var sum = 0
            // Texts that are let go, so that the next may lie where the one before did.
            for number in (0..<20).reversed() { sum += try row["a column with the number \(number)"] as Int * number }
            for number in 0..<20 { sum += try row["a column with the number \(number)"] as Int * number }
            sums.append(sum)
        }
        let expected = [100, 200].map { value in 2 * (0..<20).reduce(0) { $0 + (value + $1) * $1 } }
        #expect(sums == expected)
    }

    // K6
    @Test("are where the table has them now, after it has changed")
    func changedTable() throws {
        let db = try memory("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)")
        let statement = try db.prepare("SELECT * FROM t")
        func values() throws -> [Int] {
            let rows = try statement.query()
            let row = try #require(try rows.next())
            let values: [Int] = [try row["a"], try row["b"]]
            return try rows.next() == nil ? values : []
        }
        #expect(try values() == [1, 2])
        try db.executeScript("DROP TABLE t; CREATE TABLE t (b, c, a); INSERT INTO t VALUES (20, 30, 10)")
        #expect(try values() == [10, 20])
    }

    // K6
    @Test("that are not there throw each time")
    func missing() throws {
        let rows = try memory().query("SELECT 1 AS a")
        let row = try #require(try rows.next())
        for _ in 0..<3 {
            #expect(failure { try row[""] as Int }?.extendedCode == .noSuchColumn)
            #expect(failure { try row["b"] as Int }?.extendedCode == .noSuchColumn)
            #expect(try row["a"] == 1)
        }
    }

    // K6
    @Test("may have no letter at all")
    func emptyName() throws {
        let rows = try memory().query("SELECT 5 AS \"\", 6 AS a UNION ALL SELECT 7, 8")
        var seen: [Int] = []
        while let row = try rows.next() { seen += [try row[""], try row["a"], try row[""]] }
        #expect(seen == [5, 6, 5, 7, 8, 7])
    }

    // K6
    @Test("that differ in Unicode normalization alone are told apart on every row")
    func normalization() throws {
        let (composed, decomposed) = ("\u{FC}", "u\u{308}")
        let sql = "SELECT 1 AS \"\(composed)\", 2 AS \"\(decomposed)\" UNION ALL SELECT 3, 4"
        let rows = try memory().query(SQL(sql))
        var seen: [Int] = []
        while let row = try rows.next() { seen += [try row[decomposed], try row[composed], try row[decomposed]] }
        #expect(seen == [2, 1, 2, 4, 3, 4])
    }
}
