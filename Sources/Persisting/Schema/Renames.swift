/// Which names become which: those of a table's columns, or of a database's tables. All are in lower case.
///
/// They are found together, since a name that one gives up may be another's: `title` becomes `name`, and `subtitle`
/// becomes `title`.
struct Renames {
    /// A name that classes have, with those that it had before, the latest first.
    struct Wanted {
        let name: String
        var formers: [String]
    }

    /// That a name has the place of a former one.
    struct Exchange: Hashable, Sendable {
        let name: String
        let former: String
    }

    /// The former names of what is to be renamed, by its names.
    private(set) var sources: [String: String] = [:]
    /// The names that become free, and that classes want for something new.
    private(set) var vacated: Set<String> = []
    /// The names that go by each other's, which are to be noted when that is done.
    private(set) var exchanged: [[Exchange]] = []
    /// The names that go by each other's, and of which some are missing. Once these are there, too, the names alone
    /// don't tell that they need no exchange.
    private(set) var completed: [[Exchange]] = []

    /// Of names none of which is kept.
    init(_ wanted: [Wanted] = [], among found: Set<String> = [], noted: Set<Exchange> = []) {
        self.init(wanted, among: found, noted: noted, keeps: { _, _ in false }, keepsAll: { _ in false })
    }

    /// - Parameters:
    ///   - wanted: What there is to be.
    ///   - found: The names that there are.
    ///   - noted: What has been exchanged before. The names alone don't tell it.
    ///   - keeps: Whether a name stays where it is, although another one wants to take its place.
    ///   - keepsAll: Whether names that go by each other's stay as they are.
    init(
        _ wanted: [Wanted], among found: Set<String>, noted: Set<Exchange>,
        keeps: (_ name: String, _ taker: String) throws -> Bool, keepsAll: ([Exchange]) throws -> Bool
    ) rethrows {
        var taken: Set<String> = []
        var settled: Set<String> = []
        for circle in Self.circles(wanted) {
            if circle.contains(where: noted.contains) {
                settled.formUnion(circle.map(\.name))
            } else if !circle.allSatisfy({ found.contains($0.name) }) {
                completed.append(circle)
            } else if try !keepsAll(circle) {
                for exchange in circle { sources[exchange.name] = exchange.former }
                taken.formUnion(circle.map(\.name))
                exchanged.append(circle)
            }
        }
        let places = Dictionary(wanted.enumerated().map { ($1.name, $0) }) { first, _ in first }
        var pending = wanted.filter { !found.contains($0.name) }
        while !pending.isEmpty {
            let next = pending.removeFirst()
            let former = try next.formers.first { former in
                guard former != next.name, found.contains(former), !taken.contains(former),
                    !settled.contains(former)
                else { return false }
                return try places[former] == nil || !keeps(former, next.name)
            }
            guard let former else { continue }
            sources[next.name] = former
            taken.insert(former)
            guard let place = places[former] else { continue }
            vacated.insert(former)
            pending.append(wanted[place])
        }
        vacated.subtract(sources.keys)
    }

    /// The names that go by each other's in a circle.
    static func circles(_ wanted: [Wanted]) -> [[Exchange]] {
        guard wanted.contains(where: { !$0.formers.isEmpty }) else { return [] }
        let names = Set(wanted.map(\.name))
        var next: [String: String] = [:]
        for one in wanted { next[one.name] = one.formers.first { $0 != one.name && names.contains($0) } }
        var circles: [[Exchange]] = []
        var seen: Set<String> = []
        for one in wanted {
            var path: [String] = []
            var name: String? = one.name
            while let current = name, seen.insert(current).inserted {
                path.append(current)
                name = next[current]
            }
            guard let end = name, let start = path.firstIndex(of: end) else { continue }
            circles.append(path[start...].map { Exchange(name: $0, former: next[$0] ?? "") })
        }
        return circles
    }

    /// What exists under two names, of which a class has the first and says that it was called by the second.
    func contested(_ wanted: [Wanted], among found: Set<String>) -> [Exchange] {
        let (names, taken) = (Set(wanted.map(\.name)), Set(sources.values))
        return wanted.filter { found.contains($0.name) && sources[$0.name] == nil && !vacated.contains($0.name) }
            .compactMap { one in
                let former = one.formers.first { found.contains($0) && !names.contains($0) && !taken.contains($0) }
                return former.map { Exchange(name: one.name, former: $0) }
            }
    }

    /// Renames in an order in which each finds its new name free. Those that go by each other's names are together, and
    /// go by a name that nobody has.
    static func inOrder(
        _ renames: [(old: String, new: String)], free: (String) -> String
    ) -> [[(old: String, new: String)]] {
        var (left, ordered) = (renames, [[(old: String, new: String)]]())
        while !left.isEmpty {
            func isFree(_ rename: (old: String, new: String)) -> Bool {
                !left.contains { isSameName($0.old, rename.new) && !isSameName($0.old, rename.old) }
            }
            if let place = left.firstIndex(where: isFree) {
                ordered.append([left.remove(at: place)])
                continue
            }
            let first = left.removeFirst()
            let between = free(first.old)
            var circle = [(old: first.old, new: between)]
            while let place = left.firstIndex(where: isFree) { circle.append(left.remove(at: place)) }
            ordered.append(circle + [(old: between, new: first.new)])
        }
        return ordered
    }
}
