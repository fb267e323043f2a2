/// Places by name, in a list that is sorted by the names.
///
/// For the first dictionary with texts as keys, the runtime looks through all conformances of the program; see
/// ``ByClass``.
struct NameIndex {
    private var names: [String] = []
    private var places: [Int] = []

    subscript(name: String) -> Int? {
        let rank = rank(of: name)
        return rank < names.count && names[rank] == name ? places[rank] : nil
    }

    /// Adds a name, or gives the place of one that is there.
    ///
    /// - Returns: The place that the name has already; nil for a new one.
    mutating func add(_ name: String, at place: Int) -> Int? {
        let rank = rank(of: name)
        if rank < names.count, names[rank] == name { return places[rank] }
        names.insert(name, at: rank)
        places.insert(place, at: rank)
        return nil
    }

    /// Where a name is in the list, or would be.
    private func rank(of name: String) -> Int {
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle] < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
