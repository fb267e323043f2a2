/// Values by class, in a list that is sorted by the classes' identities.
///
/// For the first dictionary with a kind of key, the runtime looks through all conformances of the program for that of
/// the key to Hashable, which takes longer than to map a class.
struct ByClass<Value> {
    private var classes: [ObjectIdentifier] = []
    private(set) var values: [Value] = []

    subscript(type: AnyClass) -> Value? {
        get {
            let place = place(of: ObjectIdentifier(type))
            return holds(type, at: place) ? values[place] : nil
        }
        set {
            let place = place(of: ObjectIdentifier(type))
            let old = holds(type, at: place) ? place..<(place + 1) : place..<place
            classes.replaceSubrange(old, with: newValue == nil ? [] : [ObjectIdentifier(type)])
            values.replaceSubrange(old, with: newValue.map { [$0] } ?? [])
        }
    }

    private func holds(_ type: AnyClass, at place: Int) -> Bool {
        place < classes.count && classes[place] == ObjectIdentifier(type)
    }

    /// The place of a class, or that which it would have.
    private func place(of identity: ObjectIdentifier) -> Int {
        var (low, high) = (0, classes.count)
        while low < high {
            let middle = (low + high) / 2
            if classes[middle] < identity { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
