import Foundation
import SQLiteKit
import Testing

@Suite("SQL interpolation")
struct InterpolationTests {
    // K5
    @Test("an interpolated value is bound and not spliced")
    func bound() throws {
        let name = "Robert'); DROP TABLE student;--"
        let sql: SQL = "INSERT INTO student (name) VALUES (\(name))"
        #expect(sql.sql == "INSERT INTO student (name) VALUES (?)")
        #expect(sql.arguments == [name])
    }

    // K5
    @Test("what was interpolated is stored as it is")
    func stored() throws {
        let db = try memory("CREATE TABLE student (name)")
        let name = "Robert'); DROP TABLE student;--"
        try db.execute("INSERT INTO student (name) VALUES (\(name))")
        #expect(try db.scalar("SELECT name FROM student", as: String.self) == name)
    }

    // K5
    @Test("values of every kind can be interpolated")
    func kinds() throws {
        let none: Int? = nil
        let some: Int? = 5
        let any: (any SQLiteValueConvertible)? = "any"
        let rows = try memory().rows(
            "SELECT \(1), \("x"), \(none), \(some), \(1.5), \(true), \(any), \(SQLiteValue.integer(3)), \(JSON([1]))")
        #expect(try rows[0].values() == [1, "x", nil, 5, 1.5, 1, "any", 3, "[1]"])
    }

    // K5
    @Test("bytes are one blob and no list")
    func bytes() throws {
        let data = Data([1, 2])
        let array: [UInt8] = [3, 4]
        let sql: SQL = "SELECT \(data), \(array)"
        #expect(sql.sql == "SELECT ?, ?")
        #expect(sql.arguments == [data, array])
    }

    // K5
    @Test("a collection is bound element by element")
    func list() throws {
        let db = try memory("CREATE TABLE t (id); INSERT INTO t VALUES (1), (2), (3), (4)")
        let ids = [4, 2]
        #expect(try db.column("SELECT id FROM t WHERE id IN (\(ids)) ORDER BY id", as: Int.self) == [2, 4])
        let sql: SQL = "id IN (\(ids))"
        #expect(sql.sql == "id IN (?, ?)")
    }

    // K5
    @Test("a set, a range and a list with nil are bound element by element")
    func otherCollections() {
        #expect(("\(Set(["a"]))" as SQL).sql == "?")
        #expect(("\(1...3)" as SQL).sql == "?, ?, ?")
        #expect(("\([1, nil])" as SQL).arguments == [1, nil])
    }

    // K5
    @Test("an empty collection matches nothing")
    func emptyList() throws {
        let db = try memory("CREATE TABLE t (id); INSERT INTO t VALUES (1), (NULL)")
        let none: [Int] = []
        #expect(try db.column("SELECT id FROM t WHERE id IN (\(none))", as: Int?.self) == [])
    }

    // K5
    @Test("a list beyond SQLite's limit of parameters throws")
    func tooLongList() throws {
        let error = failure { try memory().execute("SELECT 1 WHERE 1 IN (\(0..<600_000))") }
        #expect(error?.message == "too many SQL variables")
    }

    // K5
    @Test("a list of any length is one parameter as JSON, interpolated, by position and by name")
    func jsonList() throws {
        let db = try memory(
            "CREATE TABLE t (id); INSERT INTO t VALUES (1), (9007199254740993), ('it''s'), ('é'), (NULL)")
        let numbers = Array(0..<300_000) + [9_007_199_254_740_993]
        let sql = "SELECT id FROM t WHERE id IN (SELECT value FROM json_each(:list)) ORDER BY id"
        #expect(try db.column(SQL(sql), ["list": JSON(numbers)], as: Int.self) == [1, 9_007_199_254_740_993])
        #expect(try db.column(SQL(sql), [JSON(["é", "it's", "1"])], as: String.self) == ["it's", "é"])
        #expect(try db.column(SQL(sql), [JSON([Int]())], as: Int.self) == [])
        let count = try db.scalar(
            "SELECT count(*) FROM t WHERE id IN (SELECT value FROM json_each(\(JSON([1, 2]))))", as: Int.self)
        #expect(count == 1)
    }

    // K42
    @Test("an identifier is written, quoted where it must be")
    func identifier() throws {
        let table = "order\"s"
        let db = try memory()
        try db.execute("CREATE TABLE \(identifier: table) (\(identifier: "a b"))")
        try db.execute("INSERT INTO \(identifier: table) VALUES (\(7))")
        #expect(try db.scalar("SELECT \(identifier: "a b") FROM \(identifier: table)", as: Int.self) == 7)
    }

    // K5
    @Test("SQL is written as it is where that is asked for")
    func raw() throws {
        let condition = "1 = 1"
        let sql: SQL = "SELECT 1 WHERE \(sql: SQL(condition))"
        #expect(sql.sql == "SELECT 1 WHERE 1 = 1")
        #expect(sql.arguments.isEmpty)
    }

    // K5, Settled 18
    @Test("SQL inside SQL brings its values, in the order of the text")
    func nested() throws {
        let name = "it's"
        let condition: SQL = "name = \(name)"
        let sql: SQL = "SELECT \(1) WHERE \(sql: condition) AND \(2)"
        #expect(sql.sql == "SELECT ? WHERE name = ? AND ?")
        #expect(sql.arguments == [1, name, 2])
    }

    // K5, Settled 18
    @Test("a literal in SQL(…) binds what is interpolated, with arguments too")
    func literalInInitializer() throws {
        let name = "x' OR 1 --"
        #expect(SQL("name = \(name)") == "name = \(name)")
        let sql = SQL("name = \(name) AND age = ?", [7])
        #expect(sql.sql == "name = ? AND age = ?")
        #expect(sql.arguments == [name, 7])
    }

    // K5, Settled 18
    @Test("a literal that moves into a variable of type SQL still binds")
    func movedLiteral() throws {
        let name = "Robert'); DROP TABLE student;--"
        let sql: SQL = "SELECT \(name)"
        #expect(try memory().scalar(sql, as: String.self) == name)
    }

    // K5
    @Test("interpolated values stand before those given as arguments")
    func withArguments() throws {
        let db = try memory()
        let rows = try db.query("SELECT \(1), :b, ?", [3], ["b": 2])
        #expect(try rows.next()?.values() == [1, 2, 3])
    }

    // K5
    @Test("too many values besides interpolated ones throw")
    func tooMany() throws {
        let db = try memory()
        #expect(failure { try db.execute("SELECT \(1)", [2]) }?.extendedCode == .argumentCount)
    }

    // K5
    @Test("an interpolated value that cannot be stored throws")
    func unstorable() throws {
        let db = try memory()
        #expect(failure { try db.execute("SELECT \(UInt64.max)") }?.extendedCode == .typeMismatch)
    }

    // K5
    @Test("interpolated SQL is prepared once for all values")
    func oneStatement() throws {
        let db = try memory()
        let before = db.statementCacheStatistics.misses
        for number in 0..<5 {
            #expect(try db.scalar("SELECT \(number)", as: Int.self) == number)
        }
        #expect(db.statementCacheStatistics.misses == before + 1)
    }

    // K5
    @Test("a statement prepared from interpolated SQL has its values bound")
    func prepared() throws {
        let statement = try memory().prepare("SELECT \(8)")
        #expect(try statement.step())
        #expect(statement.int64(at: 0) == 8)
    }

    // K5
    @Test("a text made at run time is taken as it is")
    func runTime() throws {
        let text = "SELECT 'a' || ?"
        #expect(SQL(text).sql == text)
        #expect(try memory().scalar(SQL(text), ["b"], as: String.self) == "ab")
        #expect(try memory().column(SQL(text), ["b"], as: String.self) == ["ab"])
        #expect(try memory().rows(SQL(text), ["b"]).count == 1)
        #expect(try memory().execute(SQL(text), ["b"]) == 0)
    }

    // K5
    @Test("SQL is equal when text and values are")
    func equality() {
        #expect("SELECT \(1)" as SQL == "SELECT \(Int64(1))")
        #expect("SELECT \(1)" as SQL != "SELECT \(2)")
        #expect("SELECT 1" as SQL != "SELECT \(1)")
        #expect(Set(["SELECT \(1)" as SQL, "SELECT \(1)", "SELECT \(2)"]).count == 2)
    }

    @Test("a value is bound next to an argument that is a literal, too")
    func besideLiterals() throws {
        // K5
        let db = try memory()
        let value = "x' OR 1"
        #expect(try db.prepare("SELECT \(value)", cached: false).sql == "SELECT ?")
        #expect(try db.prepare("SELECT \(value)").sql == "SELECT ?")
    }

    // K5
    @Test("values by position throw where a ? stands before an interpolated value")
    func openParameter() throws {
        let db = try memory()
        let sql: SQL = "SELECT ? AS a, \(2) AS b"
        #expect(failure { try db.rows(sql, [1]) }?.extendedCode == .argumentCount)
        #expect(failure { try db.rows(SQL(sql, [1])) }?.extendedCode == .argumentCount)
        #expect(failure { try db.executeScript(SQL(sql, [1])) }?.extendedCode == .argumentCount)
        #expect(failure { try SQL(sql, [1]).expandedSQL }?.sql == sql.sql)
    }

    // K5
    @Test("values by position go to the ? after the interpolated values")
    func laterParameter() throws {
        #expect(try memory().rows("SELECT \(1), ?, ?", [2, 3])[0].values() == [1, 2, 3])
    }

    // K5
    @Test("named values go to their parameters, wherever values are interpolated")
    func namedAndInterpolated() throws {
        #expect(try memory().rows("SELECT :a, \(2), :c", ["a": 1, "c": 3])[0].values() == [1, 2, 3])
    }

    // K5
    @Test("a ? in a text isn't a parameter")
    func quotedMark() throws {
        #expect(try memory().rows("SELECT '?', \(1), ?", [2])[0].values() == ["?", 1, 2])
    }

    // K5
    @Test("a ? in SQL that is interpolated counts")
    func openInPart() throws {
        let part: SQL = "SELECT ?"
        #expect(failure { try memory().rows("\(sql: part), \(2)", [1]) }?.extendedCode == .argumentCount)
        let filled = SQL("SELECT ?", [1])
        #expect(try memory().rows("\(sql: filled), \(2), ?", [3])[0].values() == [1, 2, 3])
    }

    // K5
    @Test("SQL is put together with its values in order")
    func sum() throws {
        var sql: SQL = "SELECT \(1)"
        sql += ", \(2)" + SQL(", ?", [3])
        #expect(sql.sql == "SELECT ?, ?, ?")
        #expect(try memory().rows(sql)[0].values() == [1, 2, 3])
    }

    // K5
    @Test("a list of SQL is joined with the values of all, those of the separator too")
    func joined() throws {
        let parts: [SQL] = ["a = \(1)", "b IN (\([2, 3]))", "c"]
        let sql = parts.joined(separator: " AND \(9) AND ")
        #expect(sql.sql == "a = ? AND ? AND b IN (?, ?) AND ? AND c")
        #expect(sql.arguments == [1, 9, 2, 3, 9])
        #expect(([] as [SQL]).joined(separator: ", ").sql == "")
        #expect(parts.prefix(1).joined(separator: " OR ").sql == "a = ?")
    }
}
