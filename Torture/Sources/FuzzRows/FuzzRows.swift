import Foundation
import Fuzzing
import ImportParts
import Persisting
import SQLiteKit

/// Reads the rows of made-up CSV texts, without a database. The first byte chooses the format.
///
/// A text that comes some bytes at a time gives the rows or the error that it gives as a whole. The numbers in it are
/// those that Swift reads, and the rows come back when they are written again.
@main struct FuzzRows {
    static func main() { Fuzzing.run(check) }

    private static func check(_ data: Data) throws {
        guard let choice = data.first else { return }
        let length: CSVFormat.RowLength = choice & 4 == 0 ? .error : .any
        let format = CSVFormat(
            separator: [",", ";", "::", "\t"][Int(choice & 3)],
            header: choice & 8 == 0 ? .present : .absent(["a", "b", "", "c"]), shortRows: length, longRows: length)
        let text = data.dropFirst()
        let whole = read(text, format)
        let parts = read(Parts(text, [1, 2, 3, 5, 7, 11, 20, 64][Int(choice >> 5)]), format)
        try expect(whole.rows == parts.rows, "as a whole \(whole.rows), in parts \(parts.rows)")
        try expect(whole.error == parts.error, "as a whole \(whole.error ?? "read"), in parts \(parts.error ?? "read")")
        for row in whole.rows { try checkValues(row) }
        if whole.rows.isEmpty { return }
        let again = read(written(whole.rows, format), format)
        let isSame = try zip(whole.rows, again.rows).allSatisfy { row, other in
            // A short row has fewer values, and nil is what it lacks.
            try row.names == other.names && row.names.allSatisfy { try $0.isEmpty || row.text($0) == other.text($0) }
        }
        try expect(
            isSame && again.error == nil && again.rows.count == whole.rows.count,
            "\(whole.rows) come back as \(again.rows), \(again.error ?? "")")
    }

    private static func read(_ source: some ImportSource, _ format: CSVFormat) -> (rows: [CSVRow], error: String?) {
        var rows: [CSVRow] = []
        do {
            try format.forEachRow(of: source, maximumRowBytes: 1 << 17) { row in rows.append(row) }
            return (rows, nil)
        } catch let error as PersistenceError where [.importFailed, .invalidFormat].contains(error.code) {
            return (rows, error.message)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The rows as a text, with all that isn't NULL in quotation marks.
    private static func written(_ rows: [CSVRow], _ format: CSVFormat) -> Data {
        func line(_ fields: [String?]) -> String {
            fields.map { field in field.map { "\"\(doubled($0))\"" } ?? "" }
                .joined(separator: format.separator) + "\r\n"
        }
        var text = format.header == .present ? line(rows[0].names) : ""
        for row in rows {
            let fields = row.names.map { $0.isEmpty ? "x" : try? row.text($0) }
            // A single NULL would be a blank line. Another after it is a field too many, which may be empty.
            text += line(fields == [nil] ? [nil, nil] : fields)
        }
        return Data(text.utf8)
    }

    /// Compares the numbers in a row with those that Swift reads.
    private static func checkValues(_ row: CSVRow) throws {
        for name in row.names where !name.isEmpty {
            guard let text = try row.text(name) else { continue }
            let value = try row[name]
            switch value {
            case .integer(let number):
                let truth = ["yes": 1, "true": 1, "no": 0, "false": 0][text.lowercased()] as Int64?
                try expect(truth ?? Int64(text) == number, "\(text) is \(number)")
            case .real(let number):
                try expect(Double(text) == number, "\(text) is \(number)")
            case .text(let same):
                try expect(text.utf8.elementsEqual(same.utf8), "\(text) is \(same)")
                // What is a number by Swift's rules and ours stays a text for its zeros or its size alone.
                let isPlain = text.utf8.allSatisfy { (48...57).contains($0) } && text.utf8.first != 48
                try expect(!isPlain || Int64(text) == nil, "\(text) is a text")
            case .null, .blob: throw Fuzzing.Found("\(text) is \(value)")
            }
        }
    }

    /// A text with quotation marks doubled, those before a combining mark as well.
    private static func doubled(_ text: String) -> String {
        String(decoding: text.utf8.flatMap { $0 == 0x22 ? [$0, $0] : [$0] }, as: UTF8.self)
    }
}

/// Throws a fault unless a condition holds.
private func expect(_ holds: Bool, _ fault: @autoclosure () -> String) throws {
    guard holds else { throw Fuzzing.Found(fault()) }
}
