import Foundation
import Persisting
import Testing

/// What people and predicates are asked about.
final class Employee: PersistingModel {
    enum Rank: String, SQLiteValueConvertible, Codable { case junior, senior }

    var id: Int64?
    var name = ""
    var nick: String?
    var age = 0
    var bonus: Int?
    var pay = 0.0
    var rank = Rank.junior
    var isRemote = false
    var isBoss: Bool?
    var joined = Date(timeIntervalSince1970: 0)
    var tags: Labels?
    var bytes: [UInt8] = []

    struct Labels: SQLiteValueConvertible, Codable, Equatable { var names: [String] = [] }
}

/// What a predicate takes values from.
private struct Wanted: Sendable, Codable {
    var name = "Alan"
    var ages = [30, 41]
}

@Suite("Conditions by Foundation's predicates")
struct PredicateCriteriaTests {
    private let manager: PersistenceManager
    private let people: [Employee]
    private static let day = Date(timeIntervalSince1970: 1_000_000)

    init() throws {
        manager = try memoryManager(Employee.self)
        let rows: [[String: (any Sendable)?]] = [
            ["name": "Alan", "nick": "Al", "age": 41, "bonus": 5, "pay": 10.5, "isRemote": true, "isBoss": true],
            [
                "name": "Grace", "nick": nil, "age": 30, "bonus": nil, "pay": 12.0, "rank": Employee.Rank.senior,
                "joined": Self.day,
            ],
            ["name": "Éva", "nick": "", "age": -7, "bonus": 0, "pay": -1.25, "isRemote": true, "isBoss": false],
            ["name": "", "nick": "lan", "age": 0, "bonus": -3, "pay": 0.0, "isBoss": nil, "joined": Self.day + 1],
        ]
        for row in rows { try manager.insert(Employee.self, values: row) }
        people = try manager.fetchAll(Employee.self, sortedBy: "id")
    }

    /// The rows that SQL finds are those that Foundation does in memory.
    private func check(
        _ predicate: Predicate<Employee>, _ expected: [Int64], _ location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try manager.fetchAll(Employee.self, where: .predicate(predicate), sortedBy: "id").map(\.id)
        #expect(found == expected, sourceLocation: location)
        #expect(try people.filter { try predicate.evaluate($0) }.map(\.id) == expected, sourceLocation: location)
    }

    @Test("The example of the documentation")
    func example() throws {
        // F75
        let (name, least) = ("Grace", 7)
        try check(#Predicate { $0.name == name && ($0.bonus ?? 8) > least }, [2])
        try check(#Predicate { $0.name == name }, [2])
    }

    @Test("Comparisons")
    func comparisons() throws {
        // F75
        try check(#Predicate { $0.age == 30 }, [2])
        try check(#Predicate { $0.age != 30 }, [1, 3, 4])
        try check(#Predicate { $0.age < 0 }, [3])
        try check(#Predicate { $0.age <= 0 }, [3, 4])
        try check(#Predicate { $0.age > 30 }, [1])
        try check(#Predicate { $0.age >= 30 }, [1, 2])
        try check(#Predicate { 30 > $0.age }, [3, 4])
        try check(#Predicate { $0.name == "Éva" }, [3])
        try check(#Predicate { $0.pay < 10.5 }, [3, 4])
        let day = Self.day
        try check(#Predicate { $0.joined > day }, [4])
        try check(#Predicate { $0.name != $0.name }, [])
    }

    @Test("Nil, and unwrapped Optionals")
    func optionals() throws {
        // F75, Settled 10
        try check(#Predicate { $0.bonus == nil }, [2])
        try check(#Predicate { $0.bonus != nil }, [1, 3, 4])
        try check(#Predicate { nil == $0.nick }, [2])
        try check(#Predicate { $0.bonus == 5 }, [1])
        try check(#Predicate { $0.bonus != 5 }, [2, 3, 4])
        try check(#Predicate { ($0.bonus ?? 100) > 4 }, [1, 2])
        try check(#Predicate { ($0.bonus ?? $0.age) > 4 }, [1, 2])
        try check(#Predicate { $0.bonus != nil && $0.bonus! > -3 }, [1, 3])
        try check(#Predicate { if let bonus = $0.bonus { bonus < 5 } else { false } }, [3, 4])
        try check(#Predicate { if let bonus = $0.bonus { bonus < 5 } else { true } }, [2, 3, 4])
        try check(#Predicate { if let bonus = $0.bonus { bonus < 5 } else { $0.age > 40 } }, [3, 4])
        try check(#Predicate { $0.bonus.flatMap { $0 > 0 } == true }, [1])
        try check(#Predicate { $0.bonus.flatMap { $0 > 0 } == false }, [3, 4])
        try check(#Predicate { $0.bonus.flatMap { $0 > 0 } == nil }, [2])
        try check(#Predicate { $0.bonus.flatMap { $0 > 0 } != true }, [2, 3, 4])
        try check(#Predicate { $0.bonus.flatMap { $0 + 1 } == 1 }, [3])
        try check(#Predicate { ($0.bonus.flatMap { $0 + 1 } ?? 1) == 1 }, [2, 3])
        try check(#Predicate { $0.nick?.contains("l") == true }, [1, 4])
        try check(#Predicate { !($0.nick?.contains("l") ?? false) }, [2, 3])
        try check(#Predicate { $0.nick?.isEmpty == false }, [1, 4])
        try check(#Predicate { $0.bonus.flatMap { $0 > 0 } == $0.isBoss }, [1, 2, 3])
        let unknown: Int? = nil
        try check(#Predicate { $0.bonus == unknown }, [2])
    }

    @Test("Logic")
    func logic() throws {
        // F75
        try check(#Predicate { $0.age > 0 && $0.pay > 11 }, [2])
        try check(#Predicate { $0.age > 40 || $0.pay < 0 || $0.name == "Grace" }, [1, 2, 3])
        try check(#Predicate { !($0.age > 0) }, [3, 4])
        try check(#Predicate { !($0.age > 0 && $0.isRemote) }, [2, 3, 4])
        try check(#Predicate { $0.isRemote }, [1, 3])
        try check(#Predicate { !$0.isRemote && $0.age > 0 }, [2])
        try check(#Predicate { $0.isRemote == false }, [2, 4])
        try check(#Predicate { $0.isBoss == false }, [3])
        try check(#Predicate { $0.isBoss ?? true }, [1, 2, 4])
        try check(#Predicate { ($0.age > 0) == $0.isRemote }, [1, 4])
        try check(#Predicate { ($0.age > 0) == false }, [3, 4])
        try check(#Predicate { _ in true }, [1, 2, 3, 4])
        try check(#Predicate { _ in false }, [])
        try check(#Predicate { $0.age > 0 && false }, [])
        try check(Predicate.true, [1, 2, 3, 4])
        #expect(failure { try manager.delete(Employee.self, where: .predicate(.true)) }?.code == .missingCondition)
    }

    @Test("Arithmetic and the ternary")
    func arithmetic() throws {
        // F75
        try check(#Predicate { $0.age + 2 * $0.age > 100 }, [1])
        try check(#Predicate { $0.age - 1 == 29 }, [2])
        try check(#Predicate { -$0.age > 0 }, [3])
        try check(#Predicate { $0.age / 2 == 20 }, [1])
        try check(#Predicate { $0.age / 2 == -3 }, [3])
        try check(#Predicate { $0.age % 2 == 1 }, [1])
        try check(#Predicate { $0.age % 2 == -1 }, [3])
        try check(#Predicate { $0.pay / 2 == 5.25 }, [1])
        try check(#Predicate { ($0.isRemote ? $0.age : 100) > 40 }, [1, 2, 4])
        try check(#Predicate { $0.age > 0 ? $0.isRemote : $0.name == "" }, [1, 4])
    }

    @Test("Texts")
    func texts() throws {
        // F75
        try check(#Predicate { $0.name.contains("a") }, [1, 2, 3])
        try check(#Predicate { $0.name.contains("va") }, [3])
        try check(#Predicate { $0.name.starts(with: "A") }, [1])
        try check(#Predicate { $0.name.isEmpty }, [4])
        try check(#Predicate { "Alan Grace".contains($0.name) }, [1, 2, 4])
        try check(#Predicate { $0.name.contains("%") || $0.name.contains("_") || $0.name.contains("*") }, [])
        let prefix = "Éva M".prefix(3)
        let text = String(prefix)
        try check(#Predicate { $0.name.starts(with: text) }, [3])
    }

    @Test("Collections and ranges that are captured")
    func collections() throws {
        // F75
        let (ages, nicks, set) = ([30, -7], ["Al", nil] as [String?], Set(["Alan", ""]))
        try check(#Predicate { ages.contains($0.age) }, [2, 3])
        try check(#Predicate { !ages.contains($0.age) }, [1, 4])
        try check(#Predicate { nicks.contains($0.nick) }, [1, 2])
        try check(#Predicate { set.contains($0.name) }, [1, 4])
        let none: [Int] = []
        try check(#Predicate { none.contains($0.age) }, [])
        try check(#Predicate { (0...30).contains($0.age) }, [2, 4])
        try check(#Predicate { (0..<30).contains($0.age) }, [4])
        let (closed, open, from, upTo, through) = (0...30, 0..<30, 0..., ..<30, ...30)
        try check(#Predicate { closed.contains($0.age) }, [2, 4])
        try check(#Predicate { open.contains($0.age) }, [4])
        try check(#Predicate { from.contains($0.age) }, [1, 2, 4])
        try check(#Predicate { upTo.contains($0.age) }, [3, 4])
        try check(#Predicate { through.contains($0.age) }, [2, 3, 4])
        let days = Self.day...(Self.day + 1)
        try check(#Predicate { days.contains($0.joined) }, [2, 4])
    }

    @Test("What does not depend on the row is a value")
    func constants() throws {
        // F75
        let (wanted, limits) = (Wanted(), ["least": 30])
        try check(#Predicate { $0.name == wanted.name }, [1])
        try check(#Predicate { wanted.ages.contains($0.age) }, [1, 2])
        try check(#Predicate { $0.age == wanted.ages[1] }, [1])
        try check(#Predicate { $0.age == limits["least"]! }, [2])
        try check(#Predicate { wanted.ages.contains { $0 > 40 } && $0.age == 30 }, [2])
        try check(#Predicate { $0.age > wanted.ages.count }, [1, 2])
    }

    @Test("Enums, and values kept as JSON")
    func enums() throws {
        // F75
        let senior = Employee.Rank.senior
        try check(#Predicate { $0.rank == senior }, [2])
        try check(#Predicate { $0.rank != senior }, [1, 3, 4])
        let tags = Employee.Labels(names: ["x"])
        try check(#Predicate { $0.tags == tags }, [])
        try check(#Predicate { $0.tags == nil }, [1, 2, 3, 4])
    }

    @Test("Texts are compared by their bytes, where Foundation compares characters")
    func bytes() throws {
        // Settled 10
        let decomposed = "E\u{301}va"
        let predicate = #Predicate<Employee> { $0.name == decomposed }
        #expect(try manager.count(Employee.self, where: .predicate(predicate)) == 0)
        #expect(try people.filter { try predicate.evaluate($0) }.map(\.id) == [3])
    }

    @Test("A nil that is unwrapped by force is compared as nil, where Foundation throws")
    func forced() throws {
        // Settled 10
        let predicate = #Predicate<Employee> { $0.bonus! > 0 }
        #expect(try manager.fetchAll(Employee.self, where: .predicate(predicate)).map(\.id) == [1])
        #expect(throws: PredicateError.self) { try people.filter { try predicate.evaluate($0) } }
    }

    @Test("It mixes with other spellings, and crosses to another task")
    func mixed() async throws {
        // F75
        let criteria: Criteria<Employee> = .predicate(#Predicate { $0.age > 0 }) && .format("name == 'Alan'")
        let found = try await Task { [manager] in try await manager.count(Employee.self, where: criteria) }.value
        #expect(found == 1)
    }
}
