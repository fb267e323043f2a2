import Foundation
import Persisting
import Testing

@Suite("Changes of fetched results")
struct FetchedResultsChangeTests {
    // F121, F83

    private typealias Lists = Arrangement<Int, Int>

    @Test("applied to the old arrays, they give the new ones, with as few moves as possible")
    func random() {
        for seed in 1...UInt64(Effort.times(500)) {
            var random = SeededGenerator(seed: seed)
            var lists = Self.lists(&random)
            for _ in 1...3 {
                let new = Self.program(lists, &random)
                let updated = Set((0..<3).map { _ in Int.random(in: 0..<20, using: &random) })
                let change = lists.change(to: new, updated: updated)
                let problem = Self.problem(change, lists, new, updated)
                guard problem == nil else {
                    Issue.record("seed \(seed): \(problem ?? "")\n\(lists.sections)\n\(new.sections)\n\(change)")
                    return
                }
                lists = new
            }
        }
    }

    @Test("of equal arrays are empty")
    func equal() {
        let lists = Lists([.init(name: 1, rows: [1, 2]), .init(name: 2, rows: [])])
        #expect(lists.change(to: lists, updated: []).isEmpty)
    }

    @Test("say where an updated row was and is")
    func updates() {
        let old = Lists([.init(name: 1, rows: [1, 2, 3]), .init(name: 2, rows: [4])])
        let new = Lists([.init(name: 2, rows: [4]), .init(name: 1, rows: [3, 1, 2])])
        let change = old.change(to: new, updated: [3, 4, 9])
        #expect(change.sectionMoves.count == 1)
        #expect(change.moves == [.init(from: [0, 2], to: [1, 0])])
        #expect(change.updates == [.init(from: [1, 0], to: [0, 0]), .init(from: [0, 2], to: [1, 0])])
    }

    // MARK: Random programs

    private static func lists(_ random: inout SeededGenerator) -> Lists {
        var keys = Array(0..<Int.random(in: 0...14, using: &random)).shuffled(using: &random)
        let names = Array(0..<Int.random(in: 1...5, using: &random)).shuffled(using: &random)
        return Lists(
            names.map { name in
                let count = min(keys.count, Int.random(in: 0...6, using: &random))
                defer { keys.removeFirst(count) }
                return .init(name: name, rows: Array(keys.prefix(count)))
            })
    }

    /// Does some random steps.
    private static func program(_ lists: Lists, _ random: inout SeededGenerator) -> Lists {
        if Int.random(in: 0..<20, using: &random) == 0 { return Self.lists(&random) }
        var sections = lists.sections
        func place() -> Int? { sections.indices.randomElement(using: &random) }
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                guard let place = place(), let row = sections[place].rows.indices.randomElement(using: &random) else {
                    continue
                }
                sections[place].rows.remove(at: row)
            case 1:
                let known = Set(sections.flatMap(\.rows))
                guard let place = place(),
                    let key = (0..<20).filter({ !known.contains($0) }).randomElement(using: &random)
                else { continue }
                sections[place].rows.insert(key, at: Int.random(in: 0...sections[place].rows.count, using: &random))
            case 2, 3:
                guard let from = place(), let to = place(),
                    let row = sections[from].rows.indices.randomElement(using: &random)
                else { continue }
                let key = sections[from].rows.remove(at: row)
                sections[to].rows.insert(key, at: Int.random(in: 0...sections[to].rows.count, using: &random))
            case 4:
                let known = Set(sections.map(\.name))
                guard let name = (0..<8).filter({ !known.contains($0) }).randomElement(using: &random) else { continue }
                sections.insert(
                    .init(name: name, rows: []), at: Int.random(in: 0...sections.count, using: &random))
            case 5:
                if let place = place() { sections.remove(at: place) }
            default:
                guard let from = place(), let to = place() else { continue }
                sections.insert(sections.remove(at: from), at: to)
            }
        }
        return Lists(sections)
    }

    /// What a change does wrong; nil when it does what it is to do.
    private static func problem(
        _ change: FetchedResultsChange, _ old: Lists, _ new: Lists, _ updated: Set<Int>
    ) -> String? {
        let replayed = change.applied(to: old, taking: new)
        if replayed != new.sections { return "gives \(replayed)" }
        let (before, after) = (paths(old), paths(new))
        let expected = updated.filter { before[$0] != nil && after[$0] != nil }
        let told = Set(
            change.updates.compactMap { update in
                let key = new.sections[update.to[0]].rows[update.to[1]]
                return before[key] == update.from ? key : nil
            })
        if told != expected || change.updates.count != expected.count { return "updates \(told), not \(expected)" }
        if !change.moves.map(\.to).isSorted || !change.deletions.isSorted || !change.insertions.isSorted {
            return "isn't in order"
        }
        let names = old.sections.map(\.name).filter(new.sections.map(\.name).contains)
        let sections = names.count - common(names, new.sections.map(\.name).filter(names.contains))
        if change.sectionMoves.count != sections { return "moves sections more than \(sections) times" }
        // A row moves to another section, or it is not among the most that keep their order.
        var moves = 0
        for section in old.sections {
            let kept = section.rows.filter { after[$0] != nil }
            let rows = new.sections.first { $0.name == section.name }?.rows ?? []
            let staying = kept.filter(rows.contains)
            moves += kept.count - common(staying, rows.filter(staying.contains))
        }
        return change.moves.count == moves ? nil : "moves more than \(moves) rows"
    }

    private static func paths(_ lists: Lists) -> [Int: IndexPath] {
        var paths: [Int: IndexPath] = [:]
        for (place, section) in lists.sections.enumerated() {
            for (row, key) in section.rows.enumerated() { paths[key] = [place, row] }
        }
        return paths
    }

    /// The length of the longest sequence that two arrays have in common.
    private static func common(_ lhs: [Int], _ rhs: [Int]) -> Int {
        var lengths = [Int](repeating: 0, count: rhs.count + 1)
        for element in lhs {
            var diagonal = 0
            for (index, other) in rhs.enumerated() {
                let above = lengths[index + 1]
                lengths[index + 1] = element == other ? diagonal + 1 : max(above, lengths[index])
                diagonal = above
            }
        }
        return lengths.last ?? 0
    }
}

extension [IndexPath] {
    fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}

extension FetchedResultsChange {
    /// Changes an arrangement as the documentation says, with new sections and rows of another.
    func applied<Name, Key>(
        to old: Arrangement<Name, Key>, taking new: Arrangement<Name, Key>
    ) -> [Arrangement<Name, Key>.Section] {
        var sections = old.sections
        var keys = insertions.map { (path: $0, key: new.sections[$0[0]].rows[$0[1]]) }
        keys += moves.map { (path: $0.to, key: old.sections[$0.from[0]].rows[$0.from[1]]) }
        for path in (deletions + moves.map(\.from)).sorted().reversed() { sections[path[0]].rows.remove(at: path[1]) }
        var put = sectionMoves.map { (place: $0.to, section: sections[$0.from]) }
        put += sectionInsertions.map { ($0, .init(name: new.sections[$0].name, rows: [])) }
        for place in (sectionDeletions + sectionMoves.map(\.from)).sorted().reversed() { sections.remove(at: place) }
        for (place, section) in put.sorted(by: { $0.place < $1.place }) { sections.insert(section, at: place) }
        for (path, key) in keys.sorted(by: { $0.path < $1.path }) { sections[path[0]].rows.insert(key, at: path[1]) }
        return sections
    }
}
