/// Reading the rows of a CSV text as its format says.
extension CSVFormat {
    /// The names of the fields: those of the header, which is read, or those that the format gives.
    ///
    /// - Parameters:
    ///   - buffer: The text from its beginning, which the reader reads.
    ///   - model: The class that rows are imported for, if any.
    /// - Throws: ``PersistenceError/Code/invalidFormat``.
    func names(from reader: CSVReader, in buffer: ImportBuffer, model: String?) throws -> [String] {
        func formatError(_ reason: String) -> PersistenceError {
            PersistenceError(.invalidFormat, reason, model: model)
        }
        var names: [String] = []
        do {
            try buffer.skipByteOrderMark()
            if case .absent(let given) = header {
                names = given
            } else {
                guard try reader.next() else {
                    throw formatError("the file is empty, and the first row is to be a header")
                }
                guard reader.fieldCount == reader.fields.count else {
                    throw formatError(
                        "the header has \(reader.fieldCount) fields, and \(CSVReader.fieldLimit) is the most")
                }
                names = try (0..<reader.fieldCount).map { place in
                    let name = reader.bytes(of: reader.fields[place])
                    guard isUTF8(name) else { throw formatError("the header isn't UTF-8") }
                    return String(decoding: name, as: UTF8.self)
                }
            }
        } catch let problem as ImportProblem {
            throw formatError("the header can't be read: \(problem.reason)")
        }
        try Self.checkDuplicates(names, model)
        return names
    }

    /// Throws for a name that two fields have.
    static func checkDuplicates(_ names: [String], _ model: String?) throws {
        var seen: Set<String> = []
        for name in names where !name.isEmpty && !seen.insert(name).inserted {
            throw PersistenceError(.invalidFormat, "the header has the name \"\(name)\" twice", model: model)
        }
    }

    /// Checks the number of fields of the row that was read last, where it isn't that of the header.
    ///
    /// - Throws: ``ImportProblem``.
    func check(_ reader: CSVReader, _ wanted: Int) throws {
        let count = reader.fieldCount
        var isFine = true
        if count < wanted {
            isFine = shortRows == .any
        } else if longRows == .error {
            let fields = reader.fields
            isFine =
                count == fields.count
                && (wanted..<count).allSatisfy { fields[$0].count == 0 && !fields[$0].isQuoted }
        }
        guard isFine else {
            throw ImportProblem(
                reason: "the row has \(count) field\(count == 1 ? "" : "s"), and the header \(wanted)")
        }
    }
}
