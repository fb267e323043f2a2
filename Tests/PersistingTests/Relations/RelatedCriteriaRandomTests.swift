import Foundation
import Persisting
import Testing

/// Rows as a graph in Swift, of which conditions are asked by hand.
private final class Graph {
    final class Show {
        let id: Int64
        let title: String
        var episodes: [Episode] = []
        var tags: [Tag] { episodes.flatMap(\.tags).unique }

        init(_ id: Int64, _ title: String) { (self.id, self.title) = (id, title) }
    }
    final class Episode {
        let id: Int64
        let seconds: Int
        var show: Show?
        var tags: [Tag] = []

        init(_ id: Int64, _ seconds: Int) { (self.id, self.seconds) = (id, seconds) }
    }
    final class Tag {
        let id: Int64
        let name: String
        var episodes: [Episode] = []

        init(_ id: Int64, _ name: String) { (self.id, self.name) = (id, name) }
    }
    final class Worker {
        let id: Int64
        let salary: Int
        var boss: Worker?
        var reports: [Worker] = []

        init(_ id: Int64, _ salary: Int) { (self.id, self.salary) = (id, salary) }
    }

    var shows: [Show] = []
    var episodes: [Episode] = []
    var tags: [Tag] = []
    var workers: [Worker] = []

    /// Makes random rows, and stores them.
    init(_ random: inout SeededGenerator, _ manager: PersistenceManager) throws {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        shows = (1...number(1...6)).map { Show(Int64($0), random.pick(words)) }
        tags = (1...number(1...5)).map { Tag(Int64($0), random.pick(words)) }
        episodes = (1...number(1...15)).map { Episode(Int64($0), number(0...4)) }
        workers = (1...number(1...10)).map { Worker(Int64($0), number(0...4)) }
        try manager.insert(shows.map { Pod.Show($0.title) })
        try manager.insert(tags.map { Pod.Tag($0.name) })
        for episode in episodes {
            episode.show = random.chance(4) ? nil : random.pick(shows)
            episode.show?.episodes.append(episode)
            episode.tags = tags.filter { _ in random.chance(3) }
            for tag in episode.tags { tag.episodes.append(episode) }
        }
        for worker in workers where !random.chance(4) {
            // One may be one's own boss.
            worker.boss = random.pick(workers)
            worker.boss?.reports.append(worker)
        }
        try manager.insert(episodes.map { Pod.Episode("", $0.seconds, showID: $0.show?.id) })
        try manager.insert(episodes.flatMap { one in one.tags.map { Pod.Tagging(one.id, $0.id) } })
        try manager.insert(workers.map { Pod.Worker("", $0.salary) })
        for worker in workers {
            if let boss = worker.boss {
                try manager.update(Pod.Worker.where(\.id == worker.id), \.managerID, to: boss.id)
            }
        }
    }
}

private let words = ["a", "A", "b", "ab"]

extension [Graph.Tag] {
    fileprivate var unique: [Graph.Tag] {
        var known: Set<Int64> = []
        return filter { known.insert($0.id).inserted }
    }
}

/// A condition for the library, and the same in Swift.
private struct Question<Model: PersistingModel, Row> {
    let criteria: Criteria<Model>
    let holds: (Row) -> Bool

    init(_ criteria: Criteria<Model>, _ holds: @escaping (Row) -> Bool) {
        self.criteria = criteria
        self.holds = holds
    }
}

/// Makes conditions in a random spelling.
private struct Questions {
    var random = SeededGenerator()

    private mutating func word() -> String { random.pick(words) }

    /// Compares a related value with a number, or with nil.
    private mutating func compares<Model: PersistingModel, Row, Value>(
        _ value: RelatedValue<Model, Value>, _ key: String, _ make: (Int) -> Value, none: Value? = nil,
        _ own: @escaping (Row) -> Double?
    ) -> Question<Model, Row> {
        if let none, random.chance(6) {
            return random.chance(2)
                ? Question(value == none) { own($0) == nil } : Question(Criteria([key: nil])) { own($0) == nil }
        }
        let number = Int.random(in: 0...6, using: &random)
        let other = make(number)
        func question(_ sign: String, _ criteria: Criteria<Model>, _ holds: @escaping (Double?, Double) -> Bool)
            -> Question<Model, Row>
        {
            let isFormat = random.chance(2)
            return Question(isFormat ? .format("\(key) \(sign) %@", number) : criteria) {
                holds(own($0), Double(number))
            }
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return question("==", value == other) { $0 == $1 }
        case 1: return question("!=", value != other) { $0 != $1 }
        case 2: return question("<", value < other) { left, right in left.map { $0 < right } ?? false }
        case 3: return question("<=", value <= other) { left, right in left.map { $0 <= right } ?? false }
        case 4: return question(">", value > other) { left, right in left.map { $0 > right } ?? false }
        default: return question(">=", value >= other) { left, right in left.map { $0 >= right } ?? false }
        }
    }

    /// Joins questions, or negates one.
    private mutating func joined<Model: PersistingModel, Row>(
        _ make: (inout Questions) -> Question<Model, Row>
    ) -> Question<Model, Row> {
        let first = make(&self)
        if random.chance(3) { return Question(!first.criteria) { !first.holds($0) } }
        let second = make(&self)
        return random.chance(2)
            ? Question(first.criteria && second.criteria) { first.holds($0) && second.holds($0) }
            : Question(first.criteria || second.criteria) { first.holds($0) || second.holds($0) }
    }

    mutating func show(_ depth: Int) -> Question<Pod.Show, Graph.Show> {
        let (word, number) = (word(), Int.random(in: 0...4, using: &random))
        let episodes = Pod.Show.episodes
        switch Int.random(in: depth > 0 ? 0..<14 : 0..<10, using: &random) {
        case 0: return Question(\.title == word) { $0.title == word }
        case 1: return Question(random.chance(2) ? episodes.isEmpty : ["episodes.@count": 0]) { $0.episodes.isEmpty }
        case 2:
            return compares(episodes.count, "episodes.@count", { $0 }) { Double($0.episodes.count) }
        case 3:
            return compares(episodes.sum(\.seconds), "episodes.@sum.seconds", { $0 }, none: .some(nil)) { row in
                row.episodes.isEmpty ? nil : Double(row.episodes.reduce(0) { $0 + $1.seconds })
            }
        case 4:
            return compares(episodes.average(\.seconds), "episodes.@avg.seconds", { Double($0) }, none: .some(nil)) {
                row in
                row.episodes.isEmpty
                    ? nil : Double(row.episodes.reduce(0) { $0 + $1.seconds }) / Double(row.episodes.count)
            }
        case 5:
            return compares(episodes.max(\.seconds), "episodes.@max.seconds", { $0 }, none: .some(nil)) {
                $0.episodes.map(\.seconds).max().map(Double.init)
            }
        case 6:
            return Question(episodes.where(\.seconds > number).count == 1) {
                $0.episodes.filter { $0.seconds > number }.count == 1
            }
        case 7:
            return Question(.format("ALL episodes.seconds > %@", number)) {
                $0.episodes.allSatisfy { $0.seconds > number }
            }
        case 8:
            return Question(.format("NONE episodes.tags.name == %@", word)) { !$0.tags.contains { $0.name == word } }
        case 9: return compares(Pod.Show.tags.count, "tags.@count", { $0 }) { Double($0.tags.count) }
        case 10:
            let inner = episode(depth - 1)
            return Question(episodes.contains(inner.criteria)) { $0.episodes.contains(where: inner.holds) }
        case 11:
            let inner = episode(depth - 1)
            return Question(episodes.allSatisfy(inner.criteria)) { $0.episodes.allSatisfy(inner.holds) }
        case 12:
            let inner = tag(depth - 1)
            return Question(Pod.Show.tags.contains(inner.criteria)) { $0.tags.contains(where: inner.holds) }
        default: return joined { $0.show(depth - 1) }
        }
    }

    mutating func episode(_ depth: Int) -> Question<Pod.Episode, Graph.Episode> {
        let (word, number) = (word(), Int.random(in: 0...4, using: &random))
        switch Int.random(in: depth > 0 ? 0..<12 : 0..<8, using: &random) {
        case 0: return Question(\.seconds < number) { $0.seconds < number }
        case 1: return Question(Pod.Episode.show[\.title] == word) { $0.show?.title == word }
        case 2: return Question(["<NOT>show.title": word]) { $0.show?.title != word }
        case 3: return Question(["show.title": [word, nil]]) { $0.show == nil || $0.show?.title == word }
        case 4:
            return compares(Pod.Episode.show[\.id], "show.id", { Int64($0) }, none: .some(nil)) { row in
                row.show.map { Double($0.id) }
            }
        case 5: return compares(Pod.Episode.tags.count, "tags.@count", { $0 }) { Double($0.tags.count) }
        case 6: return Question(.hasPrefix("show.title", "a")) { $0.show?.title.hasPrefix("a") ?? false }
        case 7:
            return Question(.format("show.episodes.@count > %@", number)) {
                $0.show.map { $0.episodes.count > number } ?? false
            }
        case 8, 9:
            let inner = show(depth - 1)
            return Question(Pod.Episode.show.matches(inner.criteria)) { $0.show.map(inner.holds) ?? false }
        case 10:
            let inner = tag(depth - 1)
            return Question(Pod.Episode.tags.contains(inner.criteria)) { $0.tags.contains(where: inner.holds) }
        default: return joined { $0.episode(depth - 1) }
        }
    }

    mutating func tag(_ depth: Int) -> Question<Pod.Tag, Graph.Tag> {
        let word = word()
        switch Int.random(in: depth > 0 ? 0..<6 : 0..<4, using: &random) {
        case 0: return Question(\.name != word) { $0.name != word }
        case 1: return Question(Pod.Tag.episodes.isEmpty) { $0.episodes.isEmpty }
        case 2:
            return compares(Pod.Tag.episodes.min(\.seconds), "episodes.@min.seconds", { $0 }, none: .some(nil)) {
                $0.episodes.map(\.seconds).min().map(Double.init)
            }
        case 3:
            return Question(.format("ANY episodes.show.title == %@", word)) {
                $0.episodes.contains { $0.show?.title == word }
            }
        case 4:
            let inner = episode(depth - 1)
            return Question(Pod.Tag.episodes.contains(inner.criteria)) { $0.episodes.contains(where: inner.holds) }
        default: return joined { $0.tag(depth - 1) }
        }
    }

    mutating func worker(_ depth: Int) -> Question<Pod.Worker, Graph.Worker> {
        let number = Int.random(in: 0...4, using: &random)
        let (boss, reports) = (Pod.Worker.boss, Pod.Worker.reports)
        switch Int.random(in: depth > 0 ? 0..<11 : 0..<6, using: &random) {
        case 0: return Question(\.salary > number) { $0.salary > number }
        case 1:
            return compares(boss[\.salary], "boss.salary", { $0 }, none: .some(nil)) {
                $0.boss.map { Double($0.salary) }
            }
        case 2: return Question(["boss.boss.salary": number]) { $0.boss?.boss?.salary == number }
        case 3:
            return Question(.format("salary > boss.salary")) { one in one.boss.map { one.salary > $0.salary } ?? false }
        case 4:
            return compares(reports.sum(\.salary), "reports.@sum.salary", { $0 }, none: .some(nil)) { row in
                row.reports.isEmpty ? nil : Double(row.reports.reduce(0) { $0 + $1.salary })
            }
        case 5:
            return Question(.format("ANY reports.reports.salary == %@", number)) {
                $0.reports.contains { $0.reports.contains { $0.salary == number } }
            }
        case 6, 7:
            let inner = worker(depth - 1)
            return Question(boss.matches(inner.criteria)) { $0.boss.map(inner.holds) ?? false }
        case 8, 9:
            let inner = worker(depth - 1)
            return Question(reports.contains(inner.criteria)) { $0.reports.contains(where: inner.holds) }
        default: return joined { $0.worker(depth - 1) }
        }
    }
}

@Suite("Random conditions on related rows")
struct RelatedCriteriaRandomTests {
    // F123
    @Test("SQL, the objects in memory and the graph by hand answer alike")
    func alike() throws {
        var questions = Questions()
        let seed = questions.random.seed
        for number in 0..<Effort.times(4) {
            let manager = try podManager()
            let graph = try Graph(&questions.random, manager)
            func check<Model: PersistingModel, Row>(
                _ question: Question<Model, Row>, _ rows: [Row], _ id: (Row) -> Int64, _ key: KeyPath<Model, Int64?>
            ) throws {
                let expected = rows.filter(question.holds).map(id)
                let query = Query(Model.self).where(question.criteria).sorted(by: "id")
                let sql: String
                do {
                    sql = try query.selectStatement().sql
                } catch let error as PersistenceError where error.message.contains("nested deeper") {
                    return
                }
                #expect(
                    try manager.fetchAll(query).map { $0[keyPath: key] } == expected,
                    "seed \(seed), graph \(number): \(sql)")
                let objects = try manager.fetchAll(Query(Model.self).sorted(by: "id"))
                #expect(
                    try question.criteria.filter(objects).map { $0[keyPath: key] } == expected,
                    "in memory: seed \(seed), graph \(number): \(sql)")
            }
            for _ in 0..<10 {
                try check(questions.show(3), graph.shows, \.id, \.id)
                try check(questions.episode(3), graph.episodes, \.id, \.id)
                try check(questions.tag(3), graph.tags, \.id, \.id)
                try check(questions.worker(4), graph.workers, \.id, \.id)
            }
        }
    }
}
