/// The names by which a statement's columns were last asked for, each where its column stands.
///
/// A program asks every row for the same columns in the same order, by the same texts, which then need not be compared.
struct AskedNames {
    private struct Name {
        var text: String?
        /// `text` as it lies in memory. It is held, so that no other text lies there.
        var bits: (UInt64, UInt64) = (0, 0)
    }

    private var names: ContiguousArray<Name> = []
    /// The column that was asked for last.
    private var last = -1

    /// The column after the one that was asked for last, if it was last asked for by this name.
    @inline(__always)
    mutating func next(_ name: String) -> Int? {
        let next = last &+ 1 < names.count ? last &+ 1 : 0
        guard next < names.count, bits(of: name).map({ names[next].bits == $0 }) ?? false || isSame(next, name) else {
            return nil
        }
        last = next
        return next
    }

    /// Notes a column that was found by its name.
    mutating func note(_ name: String, at index: Int) {
        while names.count <= index { names.append(Name()) }
        names[index] = Name(text: name, bits: bits(of: name) ?? (0, 0))
        last = index
    }

    /// Whether a name that may lie elsewhere in memory is the same.
    private func isSame(_ index: Int, _ name: String) -> Bool {
        names[index].text.map { haveSameBytes($0, name) } ?? false
    }

    /// A text as it lies in memory, which is all zero for none; nil where addresses have 32 bits and it is shorter.
    @inline(__always)
    private func bits(of name: String) -> (UInt64, UInt64)? {
        MemoryLayout<String>.size == 16 ? unsafeBitCast(name, to: (UInt64, UInt64).self) : nil
    }
}
