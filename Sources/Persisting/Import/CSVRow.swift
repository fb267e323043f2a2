internal import Foundation

/// A row of a CSV file that is read without a model class: see ``CSVFormat/forEachRow(of:maximumRowBytes:_:)``.
public struct CSVRow: Sendable, Hashable {
    /// The number of the line on which the row begins, from 1.
    public let line: Int
    /// The names of the fields, as in the header.
    public let names: [String]
    /// The texts of the fields; nil for an empty field that isn't in quotation marks. A short row has fewer texts.
    private let texts: [String?]

    init(line: Int, names: [String], texts: [String?]) {
        self.line = line
        self.names = names
        self.texts = texts
    }

    /// The value of a field, as the type that the context asks for.
    ///
    /// ```swift
    /// // nil for an empty field, and for one that a short row lacks
    /// let year: Int? = try row["year"]
    /// // the text as it is, with its leading zeros
    /// let zip: String = try row["zip"]
    /// ```
    ///
    /// A number may have leading zeros and blanks around it. `1`, `true` and `YES` are true, `0`, `false` and `NO` are
    /// false. A `Decimal` has all digits of the text, and a `Date` is what an import reads as one: `20240131` isn't.
    ///
    /// - Parameter name: The field's name in the header.
    /// - Throws: ``PersistenceError/Code/unknownKey`` for a name that the header doesn't have;
    ///   ``PersistenceError/Code/typeMismatch``, with the line and the field, for a text that isn't a value of the
    ///   type, and for an empty field if the type isn't Optional.
    public subscript<Value: SQLiteValueConvertible>(name: String) -> Value {
        get throws {
            let text = try text(name)
            do {
                return try Self.value(text, as: Value.self)
            } catch {
                let type = unwrapped(Value.self)
                let reason = text == nil ? "the field is empty" : "the text isn't a valid \(type)"
                let failure = ImportFailure(line: line, column: name, value: nil, reason: reason)
                throw PersistenceError(
                    .typeMismatch, failure.description, key: name, expected: type, saysTypes: true, underlying: error)
            }
        }
    }

    /// The value that a field's text looks like.
    ///
    /// Digits are an integer, other numbers are a real, YES and true are 1, and NO and false are 0. A number that has
    /// leading zeros or is too large stays a text. An empty field is NULL, and so is one that a short row lacks.
    ///
    /// - Parameter name: The field's name in the header.
    /// - Throws: ``PersistenceError/Code/unknownKey`` for a name that the header doesn't have.
    public subscript(name: String) -> SQLiteValue {
        get throws { try text(name).map(Self.value) ?? .null }
    }

    /// The text of a field, as it is; nil for an empty field that isn't in quotation marks, and for one that a short
    /// row lacks.
    ///
    /// - Parameter name: The field's name in the header.
    /// - Throws: ``PersistenceError/Code/unknownKey`` for a name that the header doesn't have.
    public func text(_ name: String) throws -> String? {
        guard let place = names.firstIndex(of: name) else {
            throw PersistenceError(
                .unknownKey,
                "the header has no field \"\(name)\"; there is: \(names.filter { !$0.isEmpty }.joined(separator: ", "))",
                key: name)
        }
        return place < texts.count ? texts[place] : nil
    }

    /// The values of all fields of the row, by name, as the subscript returns them.
    public var values: [String: SQLiteValue] {
        var values: [String: SQLiteValue] = [:]
        for (name, text) in zip(names, texts) where !name.isEmpty { values[name] = text.map(Self.value) ?? .null }
        return values
    }

    /// Converts a text: as an import does where a number would lose something or be anything, otherwise as the value
    /// that it looks like, otherwise as a number that it spells, otherwise as a text.
    private static func value<Value: SQLiteValueConvertible>(_ text: String?, as type: Value.Type) throws -> Value {
        guard let text else { return try Value(sqliteValue: .null) }
        if let stored = ruled(text, as: type) { return try Value(sqliteValue: stored) }
        do {
            return try Value(sqliteValue: value(text))
        } catch {
            if let value = number(text).flatMap({ try? Value(sqliteValue: $0) }) { return value }
            guard let value = try? Value(sqliteValue: .text(text)) else { throw error }
            return value
        }
    }

    /// The stored value for a type with rules of its own for texts; nil for any other type.
    private static func ruled<Value: SQLiteValueConvertible>(_ text: String, as type: Value.Type) -> SQLiteValue? {
        let isTruth = unwrapped(type) == Bool.self
        guard isTruth || unwrapped(type) == Date.self || type.columnType == .decimal else { return nil }
        var text = text
        return text.withUTF8 { bytes in
            let value = ImportValue(kind: .text, start: bytes.baseAddress, count: bytes.count)
            if isTruth, let truth = value.truth { return .integer(truth ? 1 : 0) }
            return .text(String(decoding: value.trimmed, as: UTF8.self))
        }
    }

    /// The number that a text spells with leading zeros, or with blanks around it.
    private static func number(_ text: String) -> SQLiteValue? {
        var text = text
        return text.withUTF8 { bytes in
            let value = ImportValue(kind: .text, start: bytes.baseAddress, count: bytes.count)
            return switch NumberText.number(value.trimmed) {
            case .integer(let number)?: .integer(number)
            case .real(let number)?: .real(number)
            case nil: nil
            }
        }
    }

    private static func value(_ text: String) -> SQLiteValue {
        var text = text
        return text.withUTF8 { ImportValue(kind: .text, start: $0.baseAddress, count: $0.count).plainOfUTF8 }
    }
}

extension CSVFormat {
    /// Calls a closure with each row of a CSV file, without a model class or a database.
    ///
    /// ```swift
    /// try CSVFormat(separator: ";").forEachRow(of: url) { row in
    ///     let (age, zip): (Int?, String) = (try row["age"], try row["zip"])
    ///     print(row.line, age ?? 0, zip)
    /// }
    /// ```
    ///
    /// The file is read in parts, so it may be larger than memory.
    ///
    /// - Parameters:
    ///   - source: The `URL` of a file, a `FileHandle`, or `Data`.
    ///   - maximumRowBytes: The maximum size of a row, by default 16 MiB; a longer row throws.
    ///   - body: Called with each row, in order. An error that it throws ends the reading.
    /// - Throws: ``PersistenceError/Code/invalidFormat`` for a header that can't be used;
    ///   ``PersistenceError/Code/importFailed`` for a row that can't be read, with its line, the field and the reason;
    ///   also what the source and `body` throw.
    public func forEachRow(
        of source: some ImportSource, maximumRowBytes: Int = 1 << 24, _ body: (CSVRow) throws -> Void
    ) throws {
        try ImportSettings(maximumRowBytes: maximumRowBytes).check()
        let buffer = ImportBuffer(limit: maximumRowBytes, read: try source.reader(from: 0).read)
        let reader = CSVReader(buffer, separator: try separatorBytes())
        let others = renamed
        let names = try names(from: reader, in: buffer, model: nil).map { others[$0] ?? $0 }
        try Self.checkDuplicates(names, nil)
        while let row = try row(reader, names) { try body(row) }
    }

    /// The next row; nil at the end.
    private func row(_ reader: CSVReader, _ names: [String]) throws -> CSVRow? {
        var column: String?
        do {
            guard try reader.next() else { return nil }
            if reader.fieldCount != names.count { try check(reader, names.count) }
            let texts: [String?] = try (0..<min(reader.fieldCount, names.count)).map { place in
                let field = reader.fields[place]
                guard field.count > 0 || field.isQuoted else { return nil }
                column = names[place]
                guard isUTF8(reader.bytes(of: field)) else { throw ImportProblem(reason: "the text isn't UTF-8") }
                column = nil
                return String(decoding: reader.bytes(of: field), as: UTF8.self)
            }
            return CSVRow(line: reader.line, names: names, texts: texts)
        } catch let problem as ImportProblem {
            let failure = ImportFailure(
                line: problem.line ?? reader.line, column: column, value: nil, reason: problem.reason)
            throw PersistenceError(.importFailed, failure.description, key: column)
        }
    }
}
