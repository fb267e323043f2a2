internal import Foundation

/// Rows by sections: what a list shows, as names and keys.
package struct Arrangement<Name: Hashable, Key: Hashable> {
    package struct Section: Equatable {
        package let name: Name
        package var rows: [Key]

        package init(name: Name, rows: [Key]) {
            self.name = name
            self.rows = rows
        }
    }

    /// No two have one name.
    package var sections: [Section]

    package init(_ sections: [Section] = []) {
        self.sections = sections
    }

    /// The change that makes another arrangement of this one.
    ///
    /// - Parameter updated: The rows whose values have changed.
    package func change(to new: Arrangement, updated: Set<Key>) -> FetchedResultsChange {
        difference(to: new, updated: updated).change
    }

    /// What makes another arrangement of this one.
    // Inlined, so that what is done for each row knows the type of the keys.
    @inline(__always)
    func difference(to new: Arrangement, updated: Set<Key> = []) -> ArrangementDifference {
        var difference = ArrangementDifference()
        difference.pair(sections.map(\.name), new.sections.map(\.name))
        let rows = new.sections.map(\.rows)
        difference.compare(sections.map(\.rows), rows)
        difference.noteUpdates(in: rows, KeyFinder(updated))
        return difference
    }
}

/// What makes one arrangement of another.
struct ArrangementDifference {
    private(set) var change = FetchedResultsChange()
    /// Of each new section, where its rows were.
    private(set) var origins: [Origin] = []

    /// Where the rows of a new section were.
    struct Origin {
        /// The place of the section; nil for one that is new.
        var section: Int?
        /// How many rows at the beginning, and at the end, are as they were.
        var prefix = 0
        var suffix = 0
        /// The places of the rows between these; nil for rows that are new.
        var middle: [IndexPath?] = []
        /// How many rows the section had.
        var oldCount = 0
    }

    /// Finds the sections that are in both.
    fileprivate mutating func pair<Name: Hashable>(_ old: [Name], _ new: [Name]) {
        let places = Dictionary(old.enumerated().map { ($1, $0) }) { first, _ in first }
        origins = new.map { Origin(section: places[$0]) }
        let kept = Set(origins.compactMap(\.section))
        change.sectionDeletions = old.indices.filter { !kept.contains($0) }
        let staying = longestIncreasing(origins.compactMap(\.section))
        for (place, origin) in origins.enumerated() {
            guard let before = origin.section else {
                change.sectionInsertions.append(place)
                continue
            }
            if !staying.contains(before) { change.sectionMoves.append(.init(from: before, to: place)) }
        }
    }

    /// Finds the rows that are in both.
    fileprivate mutating func compare<Key: Hashable>(_ old: [[Key]], _ new: [[Key]]) {
        var left = RowsLeft<Key>()
        for section in change.sectionDeletions { left.add(old[section].indices, of: section, old[section]) }
        for place in origins.indices { findCommonEnds(place, old, new[place], &left) }
        // A row that has stayed in its section comes before one that has come from another: with unique keys there is
        // no such choice, but a view may have none.
        for place in origins.indices { findStayingRows(place, new[place], &left) }
        for place in origins.indices { findArrivedRows(place, new[place], &left) }
        change.moves.sort { $0.to < $1.to }
        change.deletions = left.paths.values.joined().sorted()
    }

    /// Finds the rows at the beginning and the end of a section that are as they were. They need no look-up, and are
    /// nearly all as a rule.
    private mutating func findCommonEnds<Key: Hashable>(
        _ place: Int, _ old: [[Key]], _ rows: [Key], _ left: inout RowsLeft<Key>
    ) {
        guard let section = origins[place].section else { return }
        let before = old[section]
        let (prefix, suffix) = commonEnds(before, rows)
        (origins[place].prefix, origins[place].suffix, origins[place].oldCount) = (prefix, suffix, before.count)
        left.add(prefix..<(before.count - suffix), of: section, before)
    }

    /// Finds the other rows that were in the section, and those of them that have moved.
    private mutating func findStayingRows<Key: Hashable>(_ place: Int, _ rows: [Key], _ left: inout RowsLeft<Key>) {
        let between = origins[place].prefix..<(rows.count - origins[place].suffix)
        if let section = origins[place].section {
            origins[place].middle = rows[between].map { left.take($0, from: section) }
        } else {
            origins[place].middle = Array(repeating: nil, count: between.count)
        }
        let staying = longestIncreasing(origins[place].middle.compactMap { $0?[1] })
        for (offset, path) in origins[place].middle.enumerated() {
            guard let path, !staying.contains(path[1]) else { continue }
            change.moves.append(.init(from: path, to: [place, between.lowerBound + offset]))
        }
    }

    /// Finds the rows that have come from other sections, and those that are new.
    private mutating func findArrivedRows<Key: Hashable>(_ place: Int, _ rows: [Key], _ left: inout RowsLeft<Key>) {
        for (offset, path) in origins[place].middle.enumerated() where path == nil {
            let row = origins[place].prefix + offset
            if let path = left.paths[rows[row]]?.popLast() {
                origins[place].middle[offset] = path
                change.moves.append(.init(from: path, to: [place, row]))
            } else {
                change.insertions.append([place, row])
            }
        }
    }

    /// Finds the rows that were updated, and the sections that are touched.
    fileprivate mutating func noteUpdates<Key>(in new: [[Key]], _ updated: KeyFinder<Key>) {
        for (place, rows) in new.enumerated() where !updated.isEmpty {
            for (row, key) in rows.enumerated() where updated.contains(key) {
                if let from = origins[place].origin(of: row, count: rows.count) {
                    change.updates.append(.init(from: from, to: [place, row]))
                }
            }
        }
        var touched = Set((change.insertions + change.moves.map(\.to) + change.updates.map(\.to)).map { $0[0] })
        let left = Set((change.deletions + change.moves.map(\.from)).map { $0[0] })
        for (place, origin) in origins.enumerated() {
            guard let section = origin.section else { continue }
            if left.contains(section) { touched.insert(place) }
            if touched.contains(place) { change.sectionUpdates.append(.init(from: section, to: place)) }
        }
    }
}

/// Where the rows were that aren't found among the new ones yet.
private struct RowsLeft<Key: Hashable> {
    /// The places of each row's key, the first one last.
    var paths: [Key: [IndexPath]] = [:]

    mutating func add(_ places: Range<Int>, of section: Int, _ rows: [Key]) {
        for row in places.reversed() { paths[rows[row], default: []].append([section, row]) }
    }

    mutating func take(_ key: Key, from section: Int) -> IndexPath? {
        guard let index = paths[key]?.lastIndex(where: { $0[0] == section }) else { return nil }
        return paths[key]?.remove(at: index)
    }
}

extension ArrangementDifference.Origin {
    /// Where a row was; nil for one that is new.
    fileprivate func origin(of row: Int, count: Int) -> IndexPath? {
        if row < prefix { return section.map { [$0, row] } }
        if row >= count - suffix { return section.map { [$0, oldCount - (count - row)] } }
        return middle[row - prefix]
    }
}

/// Some keys, to be found among many. Where there are few, it takes less time to compare them than to hash each of the
/// many.
struct KeyFinder<Key: Hashable> {
    private let few: [Key]
    private let all: Set<Key>

    init(_ keys: Set<Key>) {
        few = keys.count <= 4 ? Array(keys) : []
        all = keys
    }

    var isEmpty: Bool { all.isEmpty }

    func contains(_ key: Key) -> Bool { few.isEmpty ? all.contains(key) : few.contains(key) }
}

/// How many elements two arrays have in common at their beginnings, and after these at their ends.
func commonEnds<Element: Equatable>(_ old: [Element], _ new: [Element]) -> (prefix: Int, suffix: Int) {
    let shorter = min(old.count, new.count)
    var prefix = 0
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] { suffix += 1 }
    return (prefix, suffix)
}

/// The most of some different numbers that stand in ascending order.
private func longestIncreasing(_ numbers: [Int]) -> Set<Int> {
    /// For each length, where the sequence of that length ends that ends with the least number.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (index, number) in numbers.enumerated() {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        previous.append(low > 0 ? ends[low - 1] : nil)
        if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var longest: Set<Int> = []
    var next = ends.last
    while let index = next {
        longest.insert(numbers[index])
        next = previous[index]
    }
    return longest
}
