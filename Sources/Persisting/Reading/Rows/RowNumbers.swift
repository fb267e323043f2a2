/// Numbers of rows, in the order they were added.
///
/// What is kept of each is how far it is from the one before, in as few bytes as that takes: one byte a row where they
/// come in the order of the table, and seldom more than four where they do not.
struct RowNumbers: Sequence, Sendable {
    private var bytes: [UInt8] = []
    private var last: Int64 = 0
    private(set) var count = 0

    mutating func append(_ number: Int64) {
        let step = number &- last
        last = number
        count += 1
        // The sign last, so that a small step back is a small number, too; seven bits to a byte, the low ones first.
        var rest = UInt64(bitPattern: (step << 1) ^ (step >> 63))
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    func makeIterator() -> Iterator { Iterator(bytes: bytes) }

    struct Iterator: IteratorProtocol, Sendable {
        fileprivate let bytes: [UInt8]
        private var position = 0
        private var last: Int64 = 0

        fileprivate init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        mutating func next() -> Int64? {
            var step: UInt64 = 0
            var shift: UInt64 = 0
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                step |= UInt64(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 {
                    last &+= Int64(bitPattern: step >> 1) ^ -Int64(bitPattern: step & 1)
                    return last
                }
            }
            return nil
        }
    }
}
