import Foundation
import Persisting
import Testing

private final class Pass: PersistingModel {
    var id: Int64?
    var code = ""
    var seat: String?
    var price = 0

    convenience init(_ code: String, seat: String? = nil, price: Int = 0, id: Int64? = nil) {
        self.init()
        (self.code, self.seat, self.price, self.id) = (code, seat, price, id)
    }

    override class var columns: Columns {
        var columns = super.columns
        columns["SEAT"] = .string.unique
        return columns
    }
}

private final class Ware: PersistingModel {
    var id: Int64?
    var code = ""
    var note: String?
    var price = 0

    convenience init(_ code: String, id: Int64) {
        self.init()
        (self.code, self.id) = (code, id)
    }
}

/// A table whose CHECK is of two columns.
private final class Span: PersistingModel {
    var id: Int64?
    var low = 0
    var high = 0
    var note: String?

    override class var columns: Columns {
        var columns = super.columns
        columns["HIGH"] = .int.check("HIGH >= LOW")
        return columns
    }
}

private final class Place: PersistingModel {
    var country = ""
    var name = ""
    var people = 0
    var photo = Data()

    convenience init(_ country: String, _ name: String) {
        self.init()
        (self.country, self.name) = (country, name)
    }

    override class var primaryKey: PrimaryKey { .composite("country", "name") }
    override class var tableOptions: TableOptions { [.withoutRowID, .strict] }
}

private final class Remark: PersistingModel {
    var id = UUID()
    var text = ""
    var version = 0
    override class var versionKey: String? { "version" }
}

/// What a batch leaves: the objects' states, the rows, and the error.
private struct Result: Equatable {
    var states: [String] = []
    var rows: [String] = []
    var error: String?
    var count = 0
}

// F32, F57
@Suite("Arrays of updates and deletions, several in a statement") struct GroupedUpdateTests {
    private let log = SQLLog()

    private func passes(_ count: Int) -> [Pass] { (0..<count).map { Pass("t\($0)", seat: "s\($0)") } }

    private func changed(_ log: SQLLog, since first: Int) -> [String] {
        log.texts[first...].filter { sql in ["INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) } }
    }

    private func rows(_ sql: String) -> Int { sql.components(separatedBy: "(?, ?)").count - 1 }

    @Test("update 64 rows by one statement, then 8, then one", .local(.connection)) func sizes() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Pass.self)
        let passes = passes(75)
        try manager.insert(passes)
        let before = log.texts.count
        for pass in passes { pass.price = 7 }
        try manager.save(passes)
        let sql = changed(log, since: before)
        #expect(sql.map(rows) == [64, 8, 0, 0, 0])
        #expect(sql.last == "UPDATE PASS SET PRICE = ? WHERE ID = ?")
        #expect(
            sql.first?.hasPrefix(
                "INSERT OR FAIL INTO PASS AS stored (ID, PRICE) VALUES (?, ?), (?, ?)"
            )
                == true)
        #expect(try manager.fetchAll(Pass.self).allSatisfy { $0.price == 7 && !$0.code.isEmpty && $0.seat != nil })
        #expect(passes.allSatisfy { !$0.hasChanges })
    }

    @Test("delete 128 rows by one statement, then 32, then 16", .local(.connection)) func deletions() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Pass.self)
        let passes = passes(180)
        try manager.insert(passes)
        let before = log.texts.count
        #expect(try manager.delete(passes) == 180)
        let sql = changed(log, since: before)
        #expect(sql.map { $0.components(separatedBy: "?").count - 1 } == [128, 32, 16, 1, 1, 1, 1])
        #expect(try manager.count(Pass.self) == 0)
        #expect(passes.allSatisfy { !$0.isPersisted })
    }

    @Test("upsert 64 rows by one statement", .local(.connection)) func upserts() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Ware.self)
        try manager.insert((1...20).map { Ware("old", id: Int64($0)) })
        let before = log.texts.count
        let wares = (1...40).map { Ware("new \($0)", id: Int64($0)) }
        try manager.upsert(wares, by: ["id"])
        let sql = changed(log, since: before)
        #expect(sql.map { $0.components(separatedBy: "(?, ?, ?, ?)").count - 1 } == [32, 8])
        #expect(try manager.fetchAll(Ware.self).map(\.code) == wares.map(\.code))
        #expect(wares.allSatisfy { $0.isPersisted && !$0.hasChanges })
    }

    @Test("name the object whose row is gone, and change nothing", arguments: [0, 5, 31, 39]) func missing(
        place: Int
    ) throws {
        let manager = try memoryManager(Pass.self)
        let passes = passes(40)
        try manager.insert(passes)
        try manager.run("DELETE FROM PASS WHERE ID = \(place + 1)")
        for pass in passes { pass.price = 7 }
        let error = failure { try manager.save(passes) }
        #expect(error?.code == .notFound)
        #expect(error?.rowKey == ["id": .integer(Int64(place + 1))])
        #expect(try manager.count(Pass.self, where: \.price == 7) == 0)
        #expect(try manager.count(Pass.self) == 39)
        #expect(passes.allSatisfy { $0.hasChanges })
    }

    @Test("name the first object whose row is gone, where an insertion of the second would be rejected")
    func twoMissing() throws {
        let manager = try memoryManager()
        try manager.run(
            "CREATE TABLE WARE (ID INTEGER PRIMARY KEY, CODE TEXT NOT NULL UNIQUE, NOTE TEXT, PRICE INTEGER)")
        let wares = (1...20).map { Ware("w\($0)", id: Int64($0)) }
        try manager.insert(wares)
        try manager.run("DELETE FROM WARE WHERE ID IN (3, 9)")
        for ware in wares { ware.price = 7 }
        let error = failure { try manager.save(wares) }
        #expect(error?.code == .notFound && error?.rowKey == ["id": 3])
        #expect(try manager.count(Ware.self) == 18)
        #expect(try manager.count(Ware.self, where: \.price == 7) == 0)
    }

    @Test("count the rows that were there") func missingDeletions() throws {
        let manager = try memoryManager(Pass.self)
        let passes = passes(60)
        try manager.insert(passes)
        try manager.run("DELETE FROM PASS WHERE ID % 3 = 0")
        #expect(try manager.delete(passes) == 40)
        #expect(passes.allSatisfy { !$0.isPersisted })
    }

    @Test("count the rows that were there while the task is suspended") func suspendedDeletions() async throws {
        let manager = try memoryManager(Pass.self)
        let passes = passes(60)
        try await manager.insert(passes)
        try await manager.execute("DELETE FROM PASS WHERE ID % 3 = 0")
        #expect(try await manager.delete(passes) == 40)
        #expect(passes.allSatisfy { !$0.isPersisted })
    }

    @Test("reject unique values that swap, as one at a time") func swap() throws {
        let manager = try memoryManager(Pass.self)
        let passes = passes(40)
        try manager.insert(passes)
        (passes[3].seat, passes[4].seat) = ("s4", "s3")
        for pass in passes[10...] { pass.seat = "new \(pass.code)" }
        let error = failure { try manager.save(passes) }
        #expect(error?.code == .constraint)
        #expect(error?.rowKey == ["id": 4])
        #expect(try manager.fetchAll(Pass.self).map(\.seat) == (0..<40).map { "s\($0)" })
    }

    @Test("see a CHECK of several columns as it is for each row") func check() throws {
        let manager = try memoryManager(Span.self)
        let spans = (0..<40).map { number in
            let span = Span()
            (span.low, span.high) = (number, number + 10)
            return span
        }
        try manager.insert(spans)
        for span in spans { span.high -= 10 }
        try manager.save(spans)
        #expect(try manager.fetchAll(Span.self).allSatisfy { $0.low == $0.high })
        for span in spans { span.high += 1 }
        spans[20].high = 0
        #expect(failure { try manager.save(spans) }?.rowKey == ["id": 21])
        #expect(try manager.fetchAll(Span.self).allSatisfy { $0.low == $0.high })
    }

    @Test("find rows by a composite key, in a strict table WITHOUT ROWID") func composite() throws {
        let manager = try memoryManager(Place.self)
        let places = (0..<50).map { Place($0 % 2 == 0 ? "é" : "e", "n\($0 / 2)") }
        for place in places { place.photo = Data([1, 2, 3]) }
        try manager.insert(places)
        for (number, place) in places.enumerated() { place.people = number }
        try manager.save(places)
        for place in try manager.fetchAll(Place.self) {
            let number = try #require(places.firstIndex { $0.country == place.country && $0.name == place.name })
            #expect(place.people == number && place.photo == Data([1, 2, 3]))
        }
        #expect(try manager.delete(places) == 50)
        #expect(try manager.count(Place.self) == 0)
    }

    @Test("count versions row by row, and find conflicts") func versions() throws {
        let manager = try memoryManager(Remark.self)
        let remarks = (0..<40).map { _ in Remark() }
        try manager.insert(remarks)
        for remark in remarks { remark.text = "a" }
        try manager.save(remarks)
        #expect(Set(remarks.map(\.version)).count == 1)
        try manager.run("UPDATE REMARK SET VERSION = VERSION + 1 WHERE TEXT = 'a'")
        for remark in remarks { remark.text = "b" }
        #expect(failure { try manager.save(remarks) }?.code == .conflict)
        #expect(try manager.count(Remark.self, where: \.text == "b") == 0)
        #expect(failure { try manager.delete(remarks) }?.code == .conflict)
        #expect(try manager.count(Remark.self) == 40)
    }

    @Test("keep what a table has that the class doesn't know") func unknownColumns() throws {
        let manager = try memoryManager()
        try manager.run(
            """
            CREATE TABLE PASS (ID INTEGER PRIMARY KEY, CODE TEXT NOT NULL, SEAT TEXT, PRICE INTEGER,
                HOUSE TEXT NOT NULL UNIQUE COLLATE NOCASE, WEIGHT REAL NOT NULL, KIND TEXT NOT NULL DEFAULT 'x', ANYTHING NOT NULL)
            """)
        try manager.run(
            """
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 40)
            INSERT INTO PASS SELECT x, 'c' || x, NULL, x, 'h' || x, x / 2.0, 'k', x'01' FROM n
            """)
        let passes = try manager.fetchAll(Pass.self)
        for pass in passes { (pass.seat, pass.price) = ("s\(pass.price)", pass.price * 2) }
        try manager.save(passes)
        let others = try manager.storedColumn(
            "SELECT count(*) FROM PASS WHERE HOUSE = 'h' || ID AND WEIGHT = ID / 2.0 AND KIND = 'k' AND PRICE = 2 * ID "
                + "AND SEAT = 's' || ID AND ANYTHING = x'01' AND CODE = 'c' || ID")
        #expect(others == [.integer(40)])
    }

    @Test("undo what was written before a row that a constraint rejects", arguments: ["", "NOT NULL"])
    func partly(constraint: String) throws {
        let manager = try memoryManager()
        try manager.run(
            "CREATE TABLE WARE (ID INTEGER PRIMARY KEY, CODE TEXT \(constraint) UNIQUE, NOTE TEXT, PRICE INTEGER)")
        let wares = (0..<40).map { number in
            let ware = Ware("w\(number)", id: 0)
            ware.id = nil
            return ware
        }
        wares[20].code = "w3"
        let error = failure { try manager.insert(wares) }
        #expect(error?.code == .constraint && error?.key == "code")
        #expect(try manager.count(Ware.self) == 0)
        #expect(wares.allSatisfy { $0.id == nil && !$0.isPersisted })
        wares[20].code = "w20"
        try manager.insert(wares)
        #expect(wares.map(\.id) == (1...40).map { Int64($0) })
    }

    @Test(
        "update one at a time where a statement would copy many pages, to be able to undo rows", .local(.connection),
        arguments: [(1, nil), (1_000, nil), (1, "PRICE"), (1, "NOTE")] as [(Int64, String?)])
    func manyPages(step: Int64, index: String?) throws {
        let manager = try log.manager()
        try manager.run(
            "CREATE TABLE WARE (ID INTEGER PRIMARY KEY, CODE TEXT, NOTE TEXT, PRICE INTEGER NOT NULL)")
        if let index { try manager.run("CREATE INDEX some ON WARE (\(index))") }
        let wares = (1...8).map { Ware("w", id: $0 * step) }
        try manager.insert(wares)
        let before = log.texts.count
        for ware in wares { ware.price = 7 }
        try manager.save(wares)
        #expect(changed(log, since: before).count == (step == 1 && index != "PRICE" ? 1 : 8))
        #expect(try manager.count(Ware.self, where: \.price == 7) == 8)
    }

    @Test("tell who listens of each row and of its columns", .local(.connection)) func heard() async throws {
        let manager = try memoryManager(Pass.self)
        let passes = passes(40)
        try await manager.insert(passes)
        let (changes, heard) = AsyncStream<ModelChange<Pass>>.makeStream()
        let token = manager.onChange(of: Pass.self) { change in heard.yield(change) }
        defer { token.cancel() }
        for pass in passes { pass.price = 7 }
        try await manager.save(passes)
        var found: [ModelChange<Pass>] = []
        for await change in changes {
            found.append(change)
            if found.count == 40 { break }
        }
        #expect(found.map(\.key) == (1...40).map { [.integer($0)] })
        #expect(found.allSatisfy { $0.kind == .update })
    }

    @Test("leave objects changed, and to be saved again, after a rollback", .local(.connection)) func rollback() throws
    {
        let manager = try memoryManager(Pass.self)
        let passes = passes(40)
        try manager.insert(passes)
        for pass in passes { pass.price = 7 }
        try catchingTestError {
            try manager.transaction {
                try manager.save(passes)
                try manager.delete(Array(passes[20...]))
                throw TestError()
            }
        }
        #expect(passes.allSatisfy { $0.isPersisted && $0.hasChanges })
        try manager.save(passes)
        #expect(try manager.count(Pass.self, where: \.price == 7) == 40)
    }

    @Test("leave the order to who deletes where a foreign key refers to the table", .local(.connection))
    func referenced() throws {
        let manager = try memoryManager()
        try manager.run(
            "CREATE TABLE PASS (ID INTEGER PRIMARY KEY, CODE TEXT, SEAT TEXT, PRICE INTEGER REFERENCES PASS)")
        try manager.run("PRAGMA foreign_keys = ON")
        let passes = (1...32).map { Pass("t", price: max(1, $0 - 1), id: Int64($0)) }
        try manager.insert(passes)
        // Each but the last is referred to by the next.
        #expect(failure { try manager.delete(passes) }?.code == .constraint)
        #expect(try manager.count(Pass.self) == 32)
        #expect(try manager.delete(passes.reversed()) == 32)
    }

    @Test("write one at a time where a trigger listens", .local(.connection)) func trigger() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Pass.self)
        try manager.run("CREATE TABLE seen (what TEXT)")
        try manager.run("CREATE TRIGGER i BEFORE INSERT ON PASS BEGIN INSERT INTO seen VALUES ('insert'); END")
        try manager.run("CREATE TRIGGER u AFTER UPDATE ON PASS BEGIN INSERT INTO seen VALUES ('update'); END")
        let passes = passes(20)
        try manager.insert(passes)
        for pass in passes { pass.price = 7 }
        try manager.save(passes)
        #expect(
            try manager.storedColumn("SELECT what || count(*) FROM seen GROUP BY what")
                == [.text("insert20"), .text("update20")])
    }

    /// Objects of which some are changed, new or of rows that are gone, and violate a constraint.
    private func change(_ passes: inout [Pass], for verb: Verb, _ random: inout SeededGenerator) {
        let isSound = Bool.random(using: &random)
        for pass in passes {
            switch Int.random(in: 0..<(isSound ? 8 : 80), using: &random) {
            case 0: pass.price += 1
            case 1: pass.code += "x"
            case 2: (pass.price, pass.code) = (pass.price + 2, pass.code + "y")
            case 3: continue
            case 8: pass.seat = "s\(Int.random(in: 0..<90, using: &random))"
            case 9: pass.id = (pass.id ?? 0) + 1
            case 10: pass.code = "a\0b"
            default: pass.price += 3
            }
        }
        if Bool.random(using: &random) { passes.append(Pass("new", seat: "new")) }
        if Int.random(in: 0..<4, using: &random) == 0 { passes.insert(Pass("first"), at: 0) }
        // An asynchronous deletion looks for objects that are there twice before it looks at any.
        if verb != .delete, Int.random(in: 0..<4, using: &random) == 0, let some = passes.randomElement(using: &random)
        {
            passes.append(some)
        }
    }

    private func result(
        _ passes: [Pass], _ manager: PersistenceManager, _ write: () async throws -> Int
    ) async throws -> Result {
        var result = Result()
        do { result.count = try await write() } catch let error as PersistenceError {
            let row = error.rowKey.map { "\($0)" } ?? ""
            result.error =
                "\(error.code) \(error.model ?? "") \(error.key ?? "") \(row) \(error.sqliteError?.constraint as Any)"
        }
        result.states = passes.map { "\($0.id ?? 0) \($0.isPersisted) \($0.hasChanges)" }
        result.rows = try await manager.fetchAll(Pass.self).map {
            "\($0.id ?? 0) \($0.code) \($0.seat ?? "-") \($0.price)"
        }
        return result
    }

    /// A table and its objects, changed as a seed says.
    private func changedPasses(_ seed: UInt64, for verb: Verb) throws -> (PersistenceManager, [Pass]) {
        var random = SeededGenerator(seed: seed)
        let manager = try memoryManager(Pass.self)
        try manager.insert(passes(Int.random(in: 1...80, using: &random)))
        var passes = try manager.fetchAll(Pass.self)
        if Int.random(in: 0..<4, using: &random) == 0 { try manager.run("DELETE FROM PASS WHERE ID % 17 = 3") }
        change(&passes, for: verb, &random)
        return (manager, passes)
    }

    private enum Verb: CaseIterable { case save, upsert, delete }

    @Test("come to the same as one at a time, with violations anywhere", arguments: Verb.allCases)
    private func random(_ verb: Verb) async throws {
        for _ in 0..<Effort.times(60) {
            let seed = UInt64.random(in: 0...UInt64(Int64.max))
            let one = try await oneAtATime(seed, verb)
            let (second, grouped) = try changedPasses(seed, for: verb)
            let many = try await result(grouped, second) {
                switch verb {
                case .save: try second.save(grouped)
                case .upsert: try second.upsert(grouped, by: ["id"])
                case .delete: return try second.delete(grouped)
                }
                return 0
            }
            #expect(many == one, "seed \(seed)")
            let (third, sent) = try changedPasses(seed, for: verb)
            let suspended = try await result(sent, third) {
                switch verb {
                case .save: try await third.save(sent)
                case .upsert: try await third.upsert(sent, by: ["id"])
                case .delete: return try await third.delete(sent)
                }
                return 0
            }
            // An asynchronous call writes an object once that is there twice.
            let once = verb == .upsert ? try await oneAtATime(seed, verb, isOnce: true) : one
            #expect(suspended == once, "suspended, seed \(seed)")
        }
    }

    /// What the calls of one object after the other come to.
    ///
    /// - Parameter isOnce: Whether an object that is there twice is written once.
    private func oneAtATime(_ seed: UInt64, _ verb: Verb, isOnce: Bool = false) async throws -> Result {
        let (manager, passes) = try changedPasses(seed, for: verb)
        var seen: Set<PersistingModel> = []
        let written = isOnce ? passes.filter { seen.insert($0).inserted } : passes
        return try await result(passes, manager) {
            try manager.transaction {
                try written.reduce(0) { count, pass in
                    switch verb {
                    case .save: try manager.save(pass)
                    case .upsert: try manager.upsert(pass, by: ["id"])
                    case .delete: return try manager.delete(pass) ? count + 1 : count
                    }
                    return count
                }
            }
        }
    }
}
