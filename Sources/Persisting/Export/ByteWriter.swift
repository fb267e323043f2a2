internal import Foundation

/// Bytes on their way out, which are handed on a part at a time.
final class ByteWriter {
    @exclusivity(unchecked) private var bytes: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private(set) var count = 0
    private let put: (UnsafeRawBufferPointer) throws -> Void

    /// How many bytes are handed on at a time, as a rule.
    static let part = 1 << 16

    init(_ put: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.put = put
        capacity = Self.part + 4096
        bytes = .allocate(capacity: capacity)
    }

    deinit {
        bytes.deallocate()
    }

    /// Hands on what there is, if it is enough.
    @inline(__always)
    func flushIfFull() throws {
        if count >= Self.part { try flush() }
    }

    /// Hands on all that there is.
    func flush() throws {
        if count > 0 { try put(UnsafeRawBufferPointer(start: bytes, count: count)) }
        count = 0
    }

    @inline(__always)
    private func reserve(_ more: Int) {
        if count &+ more > capacity { grow(more) }
    }

    @inline(never)
    private func grow(_ more: Int) {
        let larger = max(capacity * 2, count + more)
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        room.update(from: bytes, count: count)
        bytes.deallocate()
        (bytes, capacity) = (room, larger)
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        bytes[count] = byte
        count &+= 1
    }

    @inline(__always)
    func append(_ other: UnsafeRawBufferPointer) {
        guard let start = other.baseAddress, !other.isEmpty else { return }
        reserve(other.count)
        memcpy(bytes + count, start, other.count)
        count &+= other.count
    }

    func append(_ other: [UInt8]) { other.withUnsafeBytes { append($0) } }

    @inline(__always)
    func append(text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the digits of an integer.
    @inline(__always)
    func append(integer number: Int64) {
        reserve(20)
        var magnitude = number.magnitude
        var end = 0
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            repeat {
                let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
                digits[19 &- end] = 0x30 &+ UInt8(truncatingIfNeeded: digit)
                magnitude = quotient
                end &+= 1
            } while magnitude > 0
            if number < 0 {
                bytes[count] = 0x2D
                count &+= 1
            }
            for place in 0..<end {
                bytes[count] = digits[20 &- end &+ place]
                count &+= 1
            }
        }
    }

    /// Appends the shortest text that is read as a number again, with a point or an exponent.
    func append(real number: Double) {
        if number.isFinite {
            append(text: number.description)
        } else {
            append(text: number < 0 ? "-Infinity" : "Infinity")
        }
    }
}
