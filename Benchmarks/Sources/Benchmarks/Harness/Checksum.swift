import Foundation

/// What a run has read or written, in one number: contenders that did the same work have the same.
struct Checksum: Equatable, CustomStringConvertible {
    private(set) var count = 0
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    var description: String { "\(count) values, \(String(hash, radix: 16))" }

    /// The part of it that a `Double` holds.
    var bits: UInt64 { hash >> 12 }

    @inline(__always)
    mutating func add(bits: UInt64) {
        count &+= 1
        hash = (hash ^ bits) &* 0x0000_0100_0000_01b3
        hash ^= hash >> 29
    }

    @inline(__always)
    mutating func add(_ value: Int64?) {
        add(bits: value.map { UInt64(bitPattern: $0) } ?? 0x6e75_6c6c)
    }

    @inline(__always)
    mutating func add(_ value: Int?) {
        add(value.map(Int64.init))
    }

    @inline(__always)
    mutating func add(_ value: Double?) {
        add(bits: value?.bitPattern ?? 0x6e75_6c6c)
    }

    /// To the millisecond: what is below it, libraries round in different places.
    @inline(__always)
    mutating func add(_ value: Date?) {
        add(value.map { ($0.timeIntervalSince1970 * 1000).rounded() })
    }

    mutating func add(_ value: String?) {
        guard var value else { return add(bits: 0x6e75_6c6c) }
        value.withUTF8 { add(bytes: UnsafeRawBufferPointer($0)) }
    }

    mutating func add(_ value: Data?) {
        guard let value else { return add(bits: 0x6e75_6c6c) }
        value.withUnsafeBytes { add(bytes: $0) }
    }

    private mutating func add(bytes: UnsafeRawBufferPointer) {
        add(bits: UInt64(bytes.count))
        var hash = hash
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        self.hash = hash
    }
}

/// What can be read back from its fields, to be compared with what another library has read.
protocol Summed {
    func add(to sum: inout Checksum)
}

extension Checksum {
    /// The checksum of values, in order.
    init(_ values: some Sequence<some Summed>) {
        for value in values { value.add(to: &self) }
    }
}
