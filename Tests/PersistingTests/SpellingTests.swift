import Foundation
import Persisting
import Testing

@Suite("One condition in every spelling")
struct SpellingTests {
    @Test(
        "Random conditions take the rows that they say, in every spelling, by SQL and in memory",
        .local(.textComparisons), .oneAtATime)
    func random() throws {
        // F71, F72, F74, F75, Settled 10
        var generator = SeededGenerator()
        let seed = generator.seed
        print("conditions in every spelling: PERSISTING_TEST_SEED=\(seed)")
        let manager = try memoryManager(Guest.self)
        try manager.insert((0..<40).map { _ in generator.guest() })
        let guests = try manager.fetchAll(Guest.self, sortedBy: "id")
        var said: [String: Int] = [:]
        for round in 0..<Effort.times(1_000) {
            let condition = generator.condition(3, isPlain: !generator.chance(3))
            let expected = guests.filter { condition.holds($0) }.map(\.id)
            for (name, criteria) in try spellings(condition, &generator) {
                said[name, default: 0] += 1
                let found = try manager.fetchAll(Guest.self, where: criteria, sortedBy: "id").map(\.id)
                // Only the database knows what SQL says.
                let inMemory = name == "SQL" ? expected : try criteria.filter(guests).map(\.id)
                guard found == expected, inMemory == expected else {
                    Issue.record(
                        "seed \(seed), round \(round), by \(name): \(condition) takes \(found), in memory \(inMemory), not \(expected)"
                    )
                    return
                }
            }
        }
        for name in ["format", "SQL", "key paths", "dictionary", "predicate"] {
            #expect(said[name, default: 0] > Effort.times(300), "\(said)")
        }
    }

    /// The condition in all spellings that can say it.
    private func spellings(
        _ condition: RandomCondition, _ generator: inout SeededGenerator
    ) throws -> [(name: String, criteria: Criteria<Guest>)] {
        var spellings: [(String, Criteria<Guest>)] = []
        func add(_ name: String, _ spell: () throws -> Criteria<Guest>) throws {
            do { spellings.append((name, try spell())) } catch is Unsayable {}
        }
        try add("format") {
            var format = FormatSpelling(generator)
            defer { generator = format.generator }
            return .format(try format.print(condition), arguments: format.arguments)
        }
        try add("SQL") {
            var sql = SQLSpelling()
            return .sql(try SQL(sql.print(condition)), Arguments(sql.arguments))
        }
        try add("key paths") { try KeyPathSpelling().criteria(condition) }
        try add("dictionary") { try DictionarySpelling().criteria(condition) }
        try add("predicate") {
            var predicate = PredicateSpelling(generator: generator)
            defer { generator = predicate.generator }
            return .predicate(try predicate.predicate(condition))
        }
        return spellings
    }
}
