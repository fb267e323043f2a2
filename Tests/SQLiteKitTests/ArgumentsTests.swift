import Foundation
import SQLiteKit
import Testing

@Suite("Arguments")
struct ArgumentsTests {
    private func row(_ sql: String, _ arguments: Arguments, _ more: Arguments = []) throws -> [SQLiteValue] {
        let rows = try memory().query(SQL(sql), arguments, more)
        return try rows.next()?.values() ?? []
    }

    // K5
    @Test("values by position go to the parameters in order")
    func positional() throws {
        #expect(try row("SELECT ?, ?, ?", [1, "x", nil]) == [1, "x", nil])
    }

    // K5, FMDB: param prefix
    @Test("a name is taken with its prefix and without", arguments: [":a", "@a", "$a"])
    func prefixes(_ parameter: String) throws {
        #expect(try row("SELECT \(parameter)", ["a": 1]) == [1])
        #expect(try row("SELECT \(parameter)", [parameter: nil]) == [nil])
        #expect(try row("SELECT \(parameter)", Arguments([parameter: 2])) == [2])
    }

    // K5
    @Test("one name may stand for several places")
    func repeatedName() throws {
        #expect(try row("SELECT :a, :b, :a", ["a": 1, "b": 2]) == [1, 2, 1])
    }

    // K5
    @Test("positional values go to the parameters that were not named")
    func mixed() throws {
        #expect(try row("SELECT ?, :b, ?", [1, 3], ["b": 2]) == [1, 2, 3])
        #expect(try row("SELECT ?, :b, ?", ["b": 2], [1, 3]) == [1, 2, 3])
    }

    // K5
    @Test("named parameters can be given by position")
    func namedByPosition() throws {
        #expect(try row("SELECT :a, @b", [1, 2]) == [1, 2])
    }

    // K5
    @Test("numbered parameters are given by number or by position")
    func numbered() throws {
        #expect(try row("SELECT ?2, ?1", ["a", "b"]) == ["b", "a"])
        #expect(try row("SELECT ?2, ?1", ["?1": "a", "2": "b"]) == ["b", "a"])
        #expect(try row("SELECT ?1, ?1", [7]) == [7, 7])
    }

    // K5
    @Test("SQLite counts the numbers between as parameters, and they need a value like any other")
    func numbersBetween() throws {
        #expect(try row("SELECT ?3", [0, 0, 7]) == [7])
        let error = #expect(throws: SQLiteError.self) { try row("SELECT ?, ?3", ["?3": 7]) }
        #expect(error?.extendedCode == .argumentCount)
    }

    // K5, FMDB: too few / many args
    @Test("too few values throw, with counts")
    func tooFew() throws {
        let error = failure { try row("SELECT :a, :b, :c", [1]) }
        #expect(error?.extendedCode == .argumentCount)
        #expect(error?.message.contains("arguments expected: 3, given: 1") == true)
        #expect(error?.sql == "SELECT :a, :b, :c")
    }

    // K5, FMDB: too few / many args
    @Test("too many values throw, with counts")
    func tooMany() {
        let error = failure { try row("SELECT ?", [1, 2]) }
        #expect(error?.extendedCode == .argumentCount)
        #expect(error?.message == "arguments expected: 1, given: 2")
    }

    // K5, FMDB: too few / many args
    @Test("no value for a statement with parameters throws")
    func none() {
        #expect(failure { try row("SELECT ?", []) }?.extendedCode == .argumentCount)
        #expect(failure { try row("SELECT :a", [:]) }?.extendedCode == .argumentCount)
        #expect(failure { try row("SELECT ?2", []) }?.extendedCode == .argumentCount)
    }

    // K5, FMDB: too few / many args
    @Test("values for a statement without parameters throw")
    func noParameters() {
        #expect(failure { try row("SELECT 1", [1]) }?.extendedCode == .argumentCount)
        #expect(failure { try row("SELECT 1", ["a": 1]) }?.extendedCode == .unknownParameter)
    }

    // K5, FMDB: too few / many args
    @Test("names that are missing throw")
    func missingName() {
        let error = failure { try row("SELECT :a, :b", ["a": 1]) }
        #expect(error?.extendedCode == .argumentCount)
        #expect(error?.message.contains(":b") == true)
    }

    // K5
    @Test("positional values left over besides named ones throw")
    func leftOver() {
        #expect(failure { try row("SELECT :a", [1], ["a": 2]) }?.extendedCode == .argumentCount)
    }

    // K5: unknown arguments throw and name those there are
    @Test("an unknown name throws and says which there are")
    func unknownName() {
        let error = failure { try row("SELECT :name, @age", ["nam": 1, "age": 2]) }
        #expect(error?.extendedCode == .unknownParameter)
        #expect(error?.message.contains(":name, @age") == true)
    }

    // K5
    @Test("names are compared with regard to case")
    func caseOfNames() {
        #expect(failure { try row("SELECT :a", ["A": 1]) }?.extendedCode == .unknownParameter)
    }

    // K5
    @Test("a name of another prefix is unknown")
    func otherPrefix() {
        #expect(failure { try row("SELECT :a", ["@a": 1]) }?.extendedCode == .unknownParameter)
    }

    // K5, FMDB: param prefix
    @Test("a name without prefix that fits two parameters is ambiguous")
    func ambiguous() throws {
        let error = failure { try row("SELECT :a, @a", ["a": 1]) }
        #expect(error?.extendedCode == .unknownParameter)
        #expect(error?.message.contains(":a and @a") == true)
        #expect(try row("SELECT :a, @a", [":a": 1, "@a": 2]) == [1, 2])
    }

    // K5
    @Test("a name given twice throws")
    func givenTwice() {
        #expect(failure { try row("SELECT :a", ["a": 1, ":a": 2]) }?.extendedCode == .unknownParameter)
        #expect(failure { try row("SELECT :a", ["a": 1, "a": 1]) }?.extendedCode == .unknownParameter)
    }

    // K5
    @Test("an empty name is unknown")
    func emptyName() {
        #expect(failure { try row("SELECT :a", ["": 1]) }?.extendedCode == .unknownParameter)
        #expect(failure { try row("SELECT ?", ["": 1]) }?.extendedCode == .unknownParameter)
    }

    // K5
    @Test("nothing runs when the values do not fit")
    func nothingRuns() throws {
        let db = try memory("CREATE TABLE t (a, b)")
        _ = failure { try db.execute("INSERT INTO t VALUES (?, ?)", [1]) }
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    // K3
    @Test("values that did not fit are not found in the next execution")
    func noLeftOvers() throws {
        let db = try memory()
        let statement = try db.prepare("SELECT ?, ?")
        _ = failure { try statement.query([1]) }
        let rows = try statement.query([nil, 2])
        #expect(try rows.next()?.values() == [nil, 2])
    }

    // K5
    @Test("values made at run time are taken from any sequence")
    func runTime() throws {
        let mixed: [(any SQLiteValueConvertible)?] = [1, "x", nil]
        #expect(try row("SELECT ?, ?, ?", Arguments(mixed)) == [1, "x", nil])
        #expect(try row("SELECT ?, ?", Arguments(["a", "b"])) == ["a", "b"])
        #expect(try row("SELECT ?, ?, ?", Arguments(1...3)) == [1, 2, 3])
        #expect(try row("SELECT ?, ?", Arguments([Int?.none, 4])) == [nil, 4])
    }

    // K5
    @Test("values made at run time are given by name")
    func runTimeNames() throws {
        let values: [String: (any SQLiteValueConvertible)?] = ["a": 1, "b": nil]
        #expect(try row("SELECT :a, :b", Arguments(values)) == [1, nil])
    }

    // K5
    @Test("arguments are equal when SQLite is given the same values")
    func equality() {
        let mixed: Arguments = [1, "x", nil]
        let same: Arguments = [Int8(1), "x", Int?.none]
        let integer: Arguments = [1]
        let real: Arguments = [1.0]
        let a: Arguments = ["a": 1]
        let b: Arguments = ["b": 1]
        let unstorable: Arguments = [UInt64.max]
        #expect(mixed == same)
        #expect(integer != real)
        #expect(a != b)
        #expect(unstorable != unstorable)
    }

    // K5
    @Test("sums of arguments keep their order")
    func sum() throws {
        let first: Arguments = [1]
        let named: Arguments = ["b": 2]
        let last: Arguments = [3]
        let sum = first + named + last
        #expect(try row("SELECT ?, :b, ?", sum) == [1, 2, 3])
        #expect(!sum.isEmpty)
        #expect(([] as Arguments).isEmpty)
        #expect(([:] as Arguments).isEmpty)
    }

    // K5
    @Test("as many parameters as SQLite allows can be bound")
    func many() throws {
        let count = 32_000
        let list = "SELECT count(*) FROM (VALUES " + Array(repeating: "(?)", count: count).joined(separator: ", ") + ")"
        #expect(try row(list, Arguments(0..<count)) == [.integer(Int64(count))])
    }

    /// A value too large to lie in an array of arguments itself.
    private struct Large: SQLiteValueConvertible, Equatable {
        var texts = ["a long text that has memory of its own", "ä", "", "d"]
        var numbers = (1, 2, 3, 4)

        init(_ number: Int = 4) { numbers.3 = number }
        init(sqliteValue: SQLiteValue) throws { self.init(try Int(sqliteValue: sqliteValue)) }
        func sqliteValue() -> SQLiteValue { .text("\(texts[0]) \(numbers.3)") }
        static func == (lhs: Large, rhs: Large) -> Bool { lhs.numbers == rhs.numbers }
    }

    /// A value without any size.
    private struct Empty: SQLiteValueConvertible {
        init() {}
        init(sqliteValue: SQLiteValue) {}
        func sqliteValue() -> SQLiteValue { .blob(Data([7])) }
    }

    /// A value that cannot be stored.
    private struct Unstorable: SQLiteValueConvertible {
        struct Reason: Error {}
        init() {}
        init(sqliteValue: SQLiteValue) {}
        func sqliteValue() throws -> SQLiteValue { throw Reason() }
    }

    // K5
    @Test("values of every size are bound by position, by name and in another order, again and again")
    func sizes() throws {
        let db = try memory()
        let text = "a text that is too long to lie in the array by itself"
        let expected: [SQLiteValue] = [
            nil, .text("a long text that has memory of its own 9"), 1, .text(text), .blob(Data([7])), 2.5,
            .blob(Data([1, 2])), nil, 1,
        ]
        let byPosition = try db.prepare("SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?")
        let byName = try db.prepare("SELECT :a, :b, :c, :d, :e, :f, :g, :aNameOfMoreThanFifteenBytes, :i")
        for _ in 0..<100 {
            let missing: String? = nil
            let present: String? = text
            let rows = try byPosition.query([
                nil, Large(9), UInt8(1), present, Empty(), 2.5, Data([1, 2]), missing, true,
            ])
            #expect(try rows.next()?.values() == expected)
            let named = try byName.query([
                "a": nil, "b": Large(9), "c": UInt8(1), "d": present, "e": Empty(), "f": 2.5, "g": Data([1, 2]),
                "aNameOfMoreThanFifteenBytes": missing, "i": true,
            ])
            #expect(try named.next()?.values() == expected)
            let turned = try byName.query([
                "i": true, "aNameOfMoreThanFifteenBytes": missing, "g": Data([1, 2]), "f": 2.5, "e": Empty(),
                "d": present, "c": UInt8(1), "b": Large(9), "a": nil,
            ])
            #expect(try turned.next()?.values() == expected)
        }
    }

    // K5
    @Test("names in order but for one that is not there, is short of bytes or is there twice are found out")
    func nearlyInOrder() throws {
        let db = try memory()
        let statement = try db.prepare("SELECT :kelvin, :b")
        #expect(failure { try statement.query(["\u{212A}elvin": 1, "b": 2]) }?.extendedCode == .unknownParameter)
        #expect(failure { try statement.query(["kelvin": 1, "kelvin": 2]) }?.extendedCode == .unknownParameter)
        #expect(failure { try statement.query(["kelvin": 1]) }?.extendedCode == .argumentCount)
        #expect(try statement.query([":kelvin": 1, "b": 2]).next()?.values() == [1, 2])
    }

    // K3, K5
    @Test("a value that cannot be stored leaves nothing bound, and the access is looked at again")
    func unstorable() throws {
        let queue = try DatabaseQueue(.memory)
        var kept: Statement?
        try queue.read { db in
            let statement = try db.prepare("SELECT ?1, ?2, ?3")
            #expect(failure { try statement.query([1, Unstorable(), "x"]) }?.extendedCode == .typeMismatch)
            #expect(statement.expandedSQL == "SELECT NULL, NULL, NULL")
            try statement.bind(int64: 5, at: 3)
            #expect(try statement.step())
            #expect(try (0..<3).map { try statement.value(at: $0) } == [nil, nil, 5])
            kept = statement
        }
        #expect(failure { try kept?.bind(int64: 1, at: 1) }?.extendedCode == .expired)
        #expect(failure { try kept?.bind([1, 2, 3]) }?.extendedCode == .expired)
        #expect(failure { try kept?.execute([1, 2, 3]) }?.extendedCode == .expired)
    }

    // K5: NSNull is nil
    @Test("values of any type are bound, NSNull and nil as NULL")
    func anyValues() throws {
        let values: [Any?] = [1, "x", NSNull(), nil, 2.5, true, Data([1]), NSNumber(value: 7)]
        #expect(
            try row("SELECT ?, ?, ?, ?, ?, ?, ?, ?", Arguments(any: values)) == [
                1, "x", nil, nil, 2.5, 1, .blob(Data([1])), 7,
            ])
    }

    // K5: NSNull is nil
    @Test("values of any type are bound by name, NSNull as NULL")
    func anyNamedValues() throws {
        #expect(try row("SELECT :a, :b", Arguments(any: ["a": NSNull(), "b": 2 as Any?])) == [nil, 2])
    }

    // K5, FMDB: unknown object types
    @Test("a value that can't be stored throws, with its type")
    func strange() {
        struct Strange {}
        let error = failure { try Arguments(any: [1, Strange()]) }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message.contains("argument 2") == true && error?.message.contains("Strange") == true)
    }

    // K5, FMDB: too few / many args
    @Test("a name that no parameter has throws, whatever takes the arguments")
    func extraNames() throws {
        let extra: Arguments = ["a": 1, "b": 2]
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in
            let statement = try db.prepare("SELECT :a")
            #expect(failure { try db.execute("SELECT :a", extra) }?.extendedCode == .unknownParameter)
            #expect(failure { try db.rows("SELECT :a", extra) }?.extendedCode == .unknownParameter)
            #expect(failure { try db.scalar("SELECT :a", extra, as: Int.self) }?.extendedCode == .unknownParameter)
            #expect(failure { try statement.bind(extra) }?.extendedCode == .unknownParameter)
            #expect(failure { try db.queryPlan(of: "SELECT :a", extra) }?.extendedCode == .unknownParameter)
        }
        #expect(failure { try SQL("SELECT :a", extra).expandedSQL }?.extendedCode == .unknownParameter)
    }

    // K5, FMDB: too few / many args
    @Test("a name that no parameter has throws in a sequence of rows")
    func extraNamesInSequence() async throws {
        let queue = try DatabaseQueue(.memory)
        let error = await failure { for try await _ in queue.rows("SELECT :a", ["a": 1, "b": 2]) {} }
        #expect(error?.extendedCode == .unknownParameter)
    }

    @Test("are printed as SQL literals")
    func description() {
        let arguments = Arguments([1, nil, "it's", 0.5, Data([202, 254])]) + ["name": true]
        #expect("\(arguments)" == "[1, NULL, 'it''s', 0.5, X'CAFE', name: 1]")
        #expect("\(Arguments())" == "[]")
    }

}
