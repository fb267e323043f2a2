/// An array of plain values that one owner changes for each row of an import: without the check, which an `Array` makes
/// at each change, of whether somebody else has it too.
final class PlainArray<Element: BitwiseCopyable> {
    @exclusivity(unchecked) private var start: UnsafeMutablePointer<Element>
    @exclusivity(unchecked) private(set) var count: Int
    @exclusivity(unchecked) private var capacity: Int

    init(repeating element: Element, count: Int) {
        start = .allocate(capacity: max(count, 1))
        start.initialize(repeating: element, count: count)
        self.count = count
        capacity = max(count, 1)
    }

    init() {
        start = .allocate(capacity: 32)
        count = 0
        capacity = 32
    }

    deinit {
        start.deallocate()
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return start[index]
        }
        set {
            assert(index >= 0 && index < count)
            start[index] = newValue
        }
    }

    @inline(__always)
    func append(_ element: Element) {
        if count == capacity { grow() }
        (start + count).initialize(to: element)
        count &+= 1
    }

    /// Removes all values. Their memory stays, unless there is much of it.
    @inline(__always)
    func removeAll() {
        count = 0
        if capacity > 4096 { shrink() }
    }

    /// The values in memory, as long as the array doesn't change.
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }

    /// Replaces all values.
    func replaceAll(with elements: UnsafeBufferPointer<Element>) {
        count = 0
        while capacity < elements.count { grow() }
        if let first = elements.baseAddress { start.initialize(from: first, count: elements.count) }
        count = elements.count
    }

    /// Removes the last value, if there is one, and returns it.
    @inline(__always)
    @discardableResult
    func popLast() -> Element? {
        guard count > 0 else { return nil }
        count &-= 1
        return start[count]
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (larger, capacity * 2)
    }

    @inline(never)
    private func shrink() {
        start.deallocate()
        (start, capacity) = (.allocate(capacity: 32), 32)
    }
}
