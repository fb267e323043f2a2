/// Places by name, in a list that is sorted by the names.
///
/// For the first dictionary with texts as keys, the runtime looks through all conformances of the program; see
/// ``ByClass``.
struct NameIndex {
    private var entries: [(name: String, place: Int)] = []

    subscript(name: String) -> Int? {
        let rank = rank(of: name)
        return rank < entries.count && entries[rank].name == name ? entries[rank].place : nil
    }

    mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    /// Adds a name, or gives the place of one that is there.
    ///
    /// - Returns: The place that the name has already; nil for a new one.
    mutating func add(_ name: String, at place: Int) -> Int? {
        let rank = rank(of: name)
        if rank < entries.count, entries[rank].name == name { return entries[rank].place }
        entries.insert((name, place), at: rank)
        return nil
    }

    /// Where a name is in the list, or would be.
    private func rank(of name: String) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
