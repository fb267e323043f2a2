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
            switch (newValue, holds(type, at: place)) {
            case (let value?, true): values[place] = value
            case (let value?, false):
                classes.insert(ObjectIdentifier(type), at: place)
                values.insert(value, at: place)
            case (nil, true):
                classes.remove(at: place)
                values.remove(at: place)
            case (nil, false): break
            }
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
