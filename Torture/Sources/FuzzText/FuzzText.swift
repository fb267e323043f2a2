import Foundation
import Fuzzing

/// Reads made-up texts with the cheap readers, which take millions of texts in minutes. The first byte chooses one.
@main struct FuzzText {
    static func main() throws {
        let readers: [any TextReader] = try [
            Literals(), Identifiers(), Parameters(), Scripts(), Searches(), Names(), Dates(), Decimals(), Tables(),
        ]
        Fuzzing.run { data in
            guard let choice = data.first else { return }
            try readers[Int(choice) % readers.count].check(data.dropFirst())
        }
    }
}

/// One reader of the library, with what must hold for any text.
protocol TextReader {
    /// Throws for a text that shows a fault.
    func check(_ bytes: Data) throws
}

extension Data {
    /// The bytes as a text. What isn't UTF-8 is replaced.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The first eight bytes as a number; nil when there are fewer.
    var number: UInt64? {
        count < 8 ? nil : prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Whether two texts have the same bytes. Swift's own `==` takes canonically equivalent texts as equal.
func haveSameBytes(_ lhs: String, _ rhs: String) -> Bool { Array(lhs.utf8) == Array(rhs.utf8) }

extension String {
    /// The text with other bytes for some. Swift's own `replacing` finds no `\n` in `\r\n`, and no quotation mark
    /// before a combining one.
    func replacingBytes(_ old: String, with new: String) -> String {
        let old = Array(old.utf8)
        guard utf8.contains(old[0]) else { return self }
        var result: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.first {
            let isFound = rest.starts(with: old)
            if isFound { result += new.utf8 } else { result.append(byte) }
            rest = rest.dropFirst(isFound ? old.count : 1)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Throws a fault unless a condition holds.
func expect(_ holds: Bool, _ fault: @autoclosure () -> String) throws {
    guard holds else { throw Fuzzing.Found(fault()) }
}
