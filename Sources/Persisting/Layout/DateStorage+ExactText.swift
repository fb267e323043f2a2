internal import Foundation

extension DateStorage {
    /// A date in ISO 8601, with as many digits as come back the same; the number where no text does.
    func exactText(of stored: SQLiteValue) throws -> String {
        let date = try self.date(from: stored)
        // A year that has no text is written as its number, below.
        if let text = try? DateStorage.iso8601.value(for: date), case .text(let micros) = text {
            var digits = micros.dropLast()
            while digits.last == "0" { digits.removeLast() }
            if digits.last == "." { digits.removeLast() }
            let short = digits + "Z"
            if returns(stored, of: String(short)) { return String(short) }
            // Of a date before 1970 as well, the fraction counts from the second before.
            let seconds = date.timeIntervalSince1970
            let fraction = (seconds - seconds.rounded(.down)).description
            if fraction.hasPrefix("0."), !fraction.contains("e") {
                let long = micros.prefix(20) + fraction.dropFirst(2) + "Z"
                if returns(stored, of: String(long)) { return String(long) }
            }
        }
        switch stored {
        case .real(let number): return number.description
        case .integer(let number): return "\(number).0"
        case .text(let text): return text
        case .null, .blob: throw stored.mismatch(Date.self)
        }
    }

    /// Whether a text is read as what is stored.
    private func returns(_ stored: SQLiteValue, of text: String) -> Bool {
        var text = text
        guard let date = text.withUTF8({ self.date(parsing: UnsafeRawBufferPointer($0)) }) else { return false }
        return (try? value(for: date)) == stored
    }
}
