import Foundation
import Persisting
import Testing

private final class Voucher: PersistingModel {
    var id: Int64?
    var code = ""
    var price = 0
    var note: String?

    convenience init(_ code: String, price: Int = 0, id: Int64? = nil) {
        self.init()
        (self.code, self.price, self.id) = (code, price, id)
    }

    override class var columns: Columns {
        var columns = super.columns
        columns["CODE"] = .string.unique
        columns["PRICE"] = .int.check("PRICE >= 0")
        return columns
    }
}

/// A class whose column is another object's key, as it is when the value is taken.
private final class Twig: PersistingModel {
    var id: Int64?
    var name = ""
    var parent: Twig?
    var parentID: Int64? {
        get { parent?.id }
        set { _ = newValue }
    }

    override class var columns: Columns {
        ["ID": .int, "NAME": .string, "PARENT_ID": .path(\Twig.parentID)]
    }
}

/// What a batch leaves: the objects' keys and states, the rows, and the error.
private struct Result: Equatable {
    var keys: [Int64?] = []
    var arePersisted: [Bool] = []
    var rows: [String] = []
    var error: String?
    var count = 0
}

// F32, F57
@Suite("Arrays of insertions, several in a statement") struct GroupedInsertTests {
    private let log = SQLLog()

    private func vouchers(_ numbers: ClosedRange<Int>) -> [Voucher] { numbers.map { Voucher("t\($0)") } }

    @Test("have the keys of their rows after one of the others got the greatest key") func keysAfterGreatest() throws {
        let manager = try memoryManager(Voucher.self)
        let (moved, new) = (Voucher("moved"), vouchers(1...16))
        try manager.insert(moved)
        moved.id = .max
        try manager.save(new.prefix(8) + [moved] + new.suffix(8))
        for voucher in new { #expect(try manager.find(Voucher.self, voucher.id)?.code == voucher.code) }
    }

    @Test("have the keys of their rows after that while the task is suspended")
    func keysAfterGreatestSuspended() async throws {
        let manager = try memoryManager(Voucher.self)
        let (moved, new) = (Voucher("moved"), vouchers(1...16))
        try await manager.insert(moved)
        moved.id = .max
        try await manager.save(new.prefix(8) + [moved] + new.suffix(8))
        for voucher in new { #expect(try await manager.find(Voucher.self, voucher.id)?.code == voucher.code) }
    }

    @Test("have a statement of 64 rows, then of 8, then of one", .local(.connection)) func sizes() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Voucher.self)
        try manager.insert(vouchers(1...75))
        let rows = log.inserts.map { $0.components(separatedBy: "(?, ?, ?, ?)").count - 1 }
        #expect(rows == [64, 8, 1, 1, 1])
    }

    @Test("give every object its key", arguments: [1, 7, 8, 9, 31, 32, 33, 64, 100, 1_000]) func keys(count: Int) throws
    {
        let manager = try memoryManager(Voucher.self)
        let objects = vouchers(1...count)
        #expect(try manager.insert(objects) == count)
        #expect(objects.map(\.id) == (1...Int64(count)).map { $0 })
        #expect(try objects.allSatisfy { try manager.find(Voucher.self, $0.id)?.code == $0.code && !$0.hasChanges })
    }

    @Test("give every object its key while the task is suspended", arguments: [8, 33, 100]) func suspended(
        count: Int
    ) async throws {
        let manager = try memoryManager(Voucher.self)
        let objects = vouchers(1...count)
        #expect(try await manager.insert(objects) == count)
        #expect(objects.map(\.id) == (1...Int64(count)).map { $0 })
        #expect(try objects.allSatisfy { try manager.find(Voucher.self, $0.id)?.code == $0.code })
    }

    @Test("have the keys that SQLite picks at random beyond the greatest") func greatestKey() throws {
        let manager = try memoryManager(Voucher.self)
        try manager.insert(Voucher("last", id: .max - 3))
        let objects = vouchers(1...40)
        try manager.insert(objects)
        #expect(try objects.allSatisfy { try manager.find(Voucher.self, $0.id)?.code == $0.code })
        #expect(Set(objects.map(\.id)).count == 40)
    }

    @Test("have keys that AUTOINCREMENT makes, of rows that are gone as well") func autoincrement() throws {
        let manager = try memoryManager()
        try manager.run(
            "CREATE TABLE VOUCHER (ID INTEGER PRIMARY KEY AUTOINCREMENT, CODE TEXT, PRICE INTEGER, NOTE TEXT)")
        try manager.insert(vouchers(1...10))
        try manager.deleteAll(Voucher.self)
        let objects = vouchers(11...50)
        try manager.insert(objects)
        #expect(objects.map(\.id) == (11...50).map { Int64($0) })
    }

    @Test("whose table has a trigger are run one at a time", .local(.connection)) func trigger() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Voucher.self)
        try manager.run(
            """
            CREATE TRIGGER more AFTER INSERT ON VOUCHER WHEN new.CODE LIKE 't%' BEGIN
                INSERT INTO VOUCHER (CODE, PRICE) VALUES ('more ' || new.CODE, 0);
            END
            """)
        let objects = vouchers(1...20)
        try manager.insert(objects)
        #expect(try objects.allSatisfy { try manager.find(Voucher.self, $0.id)?.code == $0.code })
        #expect(try manager.count(Voucher.self) == 40)
    }

    @Test("whose table ignores conflicting rows say which are ignored") func ignoring() throws {
        let manager = try memoryManager()
        try manager.run(
            """
            CREATE TABLE VOUCHER
                (ID INTEGER PRIMARY KEY, CODE TEXT UNIQUE ON CONFLICT IGNORE, PRICE INTEGER, NOTE TEXT)
            """)
        let objects = vouchers(1...20) + [Voucher("t3")]
        #expect(failure { try manager.insert(objects) }?.code == .notInserted)
        #expect(try manager.count(Voucher.self) == 0)
        #expect(objects.allSatisfy { !$0.isPersisted && $0.id == nil })
    }

    @Test("take the key of an object before from one that refers to it") func references() throws {
        let manager = try memoryManager(Twig.self)
        var twigs = [Twig()]
        for _ in 1..<40 {
            let twig = Twig()
            twig.parent = twigs.last
            twigs.append(twig)
        }
        try manager.insert(twigs)
        #expect(
            try manager.storedColumn("SELECT PARENT_ID FROM TWIG ORDER BY ID") == [.null]
                + (1..<40).map { .integer($0) })
    }

    @Test("reject an object that is in the array twice") func twice() throws {
        let manager = try memoryManager(Voucher.self)
        let objects = vouchers(1...20)
        #expect(failure { try manager.insert(objects + [objects[4]]) }?.code == .alreadyPersisted)
        #expect(objects.allSatisfy { !$0.isPersisted && $0.id == nil })
        #expect(try manager.insert(objects) == 20)
    }

    @Test("are written where other classes come between") func classes() throws {
        let manager = try memoryManager(Voucher.self, Twig.self)
        let objects: [PersistingModel] = (0..<60).map { $0 % 20 == 19 ? Twig() : Voucher("t\($0)") }
        try manager.insert(objects)
        #expect(try manager.count(Voucher.self) == 57)
        #expect(objects.compactMap { ($0 as? Twig)?.id } == [1, 2, 3])
    }

    @Test("leave objects new, and to be inserted again, after a rollback", .local(.connection)) func rollback() throws {
        let manager = try memoryManager(Voucher.self)
        let objects = vouchers(1...40)
        try catchingTestError {
            try manager.transaction {
                try manager.insert(objects)
                throw TestError()
            }
        }
        #expect(objects.allSatisfy { !$0.isPersisted && $0.id == nil })
        try manager.insert(objects)
        #expect(objects.last?.id == 40)
    }

    /// Objects some of which violate a constraint, or have a key.
    private func batch(_ random: inout SeededGenerator) -> [Voucher] {
        let count = Int.random(in: 0...70, using: &random)
        let isSound = Bool.random(using: &random)
        return (0..<count).map { number in
            let voucher = Voucher("t\(number)", price: number)
            let chance = Int.random(in: 0..<(isSound ? 400 : 60), using: &random)
            switch chance {
            case 0: voucher.code = "t\(Int.random(in: 0...70, using: &random))"
            case 1: voucher.price = -1
            case 2: voucher.id = Int64.random(in: 1...200, using: &random)
            case 3: voucher.id = .max - Int64.random(in: 0...2, using: &random)
            case 4: voucher.note = "a\0b"
            default: break
            }
            return voucher
        }
    }

    /// Inserts into a new table with some rows, and looks at what came of it.
    private func result(
        _ objects: [Voucher], by insert: (PersistenceManager) async throws -> Int
    ) async throws -> Result {
        let manager = try memoryManager(Voucher.self)
        for key in [3, 90] as [Int64] { try await manager.insert(Voucher("old \(key)", id: key)) }
        var result = Result()
        do { result.count = try await insert(manager) } catch let error as PersistenceError {
            // The statement may have more rows.
            result.error =
                "\(error.code) \(error.model ?? "") \(error.key ?? "") \(error.sqliteError?.constraint as Any)"
        }
        // Keys that SQLite picks at random aren't the same twice.
        result.keys = objects.map { ($0.id ?? 0) > 1 << 32 ? -1 : $0.id }
        result.arePersisted = objects.map(\.isPersisted)
        result.rows = try await manager.fetchAll(Voucher.self).map {
            "\(($0.id ?? 0) > 1 << 32 ? -1 : $0.id ?? 0) \($0.code) \($0.price) \($0.note ?? "-")"
        }.sorted()
        return result
    }

    private func insertSingly(
        _ objects: [Voucher], _ resolution: ConflictResolution?, _ manager: PersistenceManager
    ) throws -> Int {
        try manager.transaction {
            try objects.reduce(0) { try $0 + (manager.insert($1, onConflict: resolution) ? 1 : 0) }
        }
    }

    @Test(
        "come to the same as one at a time, with violations anywhere",
        arguments: [nil, .ignore, .replace] as [ConflictResolution?])
    func random(_ resolution: ConflictResolution?) async throws {
        var random = SeededGenerator()
        for round in 0..<Effort.times(40) {
            let objects = batch(&random)
            func copies() -> [Voucher] {
                objects.map { object in
                    let copy = Voucher(object.code, price: object.price, id: object.id)
                    copy.note = object.note
                    return copy
                }
            }
            let (grouped, single, sent) = (copies(), copies(), copies())
            let one = try await result(single) { try insertSingly(single, resolution, $0) }
            let many = try await result(grouped) { try $0.insert(grouped, onConflict: resolution) }
            let suspended = try await result(sent) { try await $0.insert(sent, onConflict: resolution) }
            #expect(many == one, "seed \(random.seed), round \(round)")
            #expect(suspended == one, "suspended, seed \(random.seed), round \(round)")
        }
    }

    @Test("are heard of row by row", .local(.connection)) func heard() async throws {
        let manager = try memoryManager(Voucher.self)
        let (keys, heard) = AsyncStream<SQLiteValue?>.makeStream()
        let token = manager.onChange(of: Voucher.self) { change in heard.yield(change.key.first) }
        defer { token.cancel() }
        try await manager.insert(vouchers(1...40))
        var found: [SQLiteValue?] = []
        for await key in keys {
            found.append(key)
            if found.count == 40 { break }
        }
        #expect(found == (1...40).map { .integer($0) })
    }
}
