internal import Foundation

/// A column of an import: how what the file has becomes what the column stores.
final class ImportColumn {
    /// How values are converted: without an object of any kind, where the column's type allows it.
    enum Form {
        case integer(ClosedRange<Int64>)
        case bool, real, float, text, blob
        case date(DateStorage)
        case other
    }

    let index: Int
    let column: Column
    let form: Form
    /// Whether a fraction is cut off for an integer property, as the remote mapping says.
    private let truncates: Bool
    /// What is stored for a null: NULL, or of a property that isn't Optional its default.
    private let valueForNull: SQLiteValue

    /// - Parameters:
    ///   - defaults: A fresh object.
    ///   - prefersDefault: Whether a null is the default that the column declares, for an Optional property too.
    init(
        _ index: Int, _ mapping: Mapping, defaults: PersistingModel, prefersDefault: Bool = false,
        truncates: Bool = false
    ) throws {
        self.index = index
        self.truncates = truncates
        column = mapping.columns[index]
        form = Self.form(mapping.fields[index].kind, column)
        if prefersDefault, let value = column.declaration.defaultValue {
            valueForNull = value
        } else if column.isOptional {
            valueForNull = column.codec.asksForNil ? try column.codec.stored(nil) : .null
        } else {
            valueForNull = try column.declaration.defaultValue ?? mapping.stored(index, of: defaults)
        }
    }

    /// A bit field or a computed alias.
    init(_ key: VirtualKey, _ index: Int, _ mapping: Mapping) {
        self.index = index
        truncates = false
        column = key.column(in: mapping)
        if case .bits = key.kind {
            (form, valueForNull) = (.bool, .integer(0))
        } else {
            (form, valueForNull) = (key.codec.dateForm.map { .date($0) } ?? .other, .null)
        }
    }

    private static func form(_ kind: FieldKind, _ column: Column) -> Form {
        switch kind {
        case .bool, .optionalBool: .bool
        case .double, .optionalDouble: .real
        case .float, .optionalFloat: .float
        case .string, .optionalString: .text
        case .data, .optionalData: .blob
        case .date, .optionalDate: .date(.unixSeconds)
        case .textDate, .optionalTextDate: .date(.iso8601)
        default: kind.integers.map { .integer($0) } ?? column.codec.dateForm.map { .date($0) } ?? .other
        }
    }

    /// Binds what the column stores for a value.
    ///
    /// - Throws: ``ImportProblem`` for a value that the property can't have, and what the sink throws.
    func bind<Sink: ParameterSink>(_ value: ImportValue, to sink: Sink, at parameter: Int) throws {
        if value.kind == .null { return try sink.bind(value: valueForNull, at: parameter) }
        switch form {
        case .integer(let range): try sink.bind(int64: integer(value, range), at: parameter)
        case .real: try sink.bind(double: real(value), at: parameter)
        case .text:
            guard value.kind != .container else { throw mismatch(value) }
            guard isUTF8(value.bytes) else { throw ImportProblem(reason: "the text isn't UTF-8") }
            try sink.bind(utf8: UnsafeRawBufferPointer(value.bytes), at: parameter)
        case .bool:
            guard let truth = value.truth else { throw mismatch(value) }
            try sink.bind(int64: truth ? 1 : 0, at: parameter)
        case .float:
            let number = try real(value)
            let rounded = Float(number)
            guard rounded.isFinite || !number.isFinite else { throw mismatch(value) }
            try sink.bind(double: Double(rounded), at: parameter)
        case .blob:
            guard value.kind == .text, let bytes = Data(base64Encoded: value.text) else {
                throw ImportProblem(reason: "the text isn't valid Base64, which bytes are read as")
            }
            try sink.bind(blob: bytes, at: parameter)
        case .date(let storage): try sink.bind(value: date(value, storage), at: parameter)
        case .other: try sink.bind(value: other(value), at: parameter)
        }
    }

    /// What the column stores for a value.
    func stored(_ value: ImportValue) throws -> SQLiteValue {
        let sink = ValueSink()
        try bind(value, to: sink, at: 1)
        return sink.value
    }

    private func integer(_ value: ImportValue, _ range: ClosedRange<Int64>) throws -> Int64 {
        let number: Int64? =
            switch value.kind {
            case .yes: 1
            case .no: 0
            case .null, .container: nil
            case .number, .text:
                switch NumberText.number(value.trimmed) {
                case .integer(let number)?: number
                case .real(let number)? where number.magnitude >= 0x1p53: large(value)
                case .real(let number)? where truncates: Int64(exactly: number.rounded(.towardZero))
                case .real(let number)? where number != number.rounded():
                    throw ImportProblem(
                        reason: "the number has a fraction, which an \(source: unwrapped(column.type)) "
                            + "can't hold: declare the "
                            + "key as .truncatedNumber in the remoteMapping to cut it off")
                case .real(let number)?: Int64(exactly: number)
                case nil: nil
                }
            }
        guard let number, range.contains(number) else { throw mismatch(value) }
        return number
    }

    /// The integer that a number beyond 2⁵³ is, such as `9007199254740993.0`, which isn't a Double.
    private func large(_ value: ImportValue) -> Int64? {
        let text = SQLiteValue.text(String(decoding: value.trimmed, as: UTF8.self))
        guard case .text(let digits)? = try? Decimal(sqliteValue: text).sqliteValue() else { return nil }
        return Int64(truncates ? digits.prefix { $0 != "." } : digits[...])
    }

    private func real(_ value: ImportValue) throws -> Double {
        guard value.kind == .number || value.kind == .text else { throw mismatch(value) }
        switch NumberText.number(value.trimmed) {
        case .real(let number)?: return number
        case .integer(let number)?: return Double(number)
        case nil: break
        }
        guard let infinity = NumberText.infinity(value.text) else { throw mismatch(value) }
        return infinity
    }

    private func date(_ value: ImportValue, _ storage: DateStorage) throws -> SQLiteValue {
        guard value.kind == .text || value.kind == .number else { throw mismatch(value) }
        let bytes = value.trimmed
        do {
            if value.kind == .number || storage.columnType == .real && bytes.contains(0x2E),
                let number = NumberText.number(bytes)
            {
                let stored: SQLiteValue =
                    switch number {
                    case .integer(let number) where storage.columnType == .real: .real(Double(number))
                    case .integer(let number): .integer(number)
                    case .real(let number): .real(number)
                    }
                let date = try storage.date(from: stored)
                return try storage.value(for: date)
            }
            let text = UnsafeRawBufferPointer(bytes)
            if let date = storage.date(parsing: text) { return try storage.value(for: date) }
        } catch {
            throw ImportProblem(reason: error.message)
        }
        throw mismatch(value)
    }

    /// The stored form of a value that the property's own type converts.
    private func other(_ value: ImportValue) throws -> SQLiteValue {
        guard value.kind != .text || isUTF8(value.bytes) else { throw ImportProblem(reason: "the text isn't UTF-8") }
        let type = unwrapped(column.type)
        do {
            if type == SQLiteValue.self { return try value.plain() }
            if type == Bool.self, let truth = value.truth { return try column.codec.stored(truth) }
            // Foundation's tree of JSON has neither U+FEFF at the beginning of texts nor the sign of a zero.
            if value.kind == .container, case .normalized = column.codec.comparedForm, isUTF8(value.bytes),
                let stored = try? column.codec.canonical(.text(value.text))
            {
                return stored
            }
            return try column.codec.stored(given(value))
        } catch let error as ImportProblem {
            throw error
        } catch {
            throw mismatch(value)
        }
    }

    /// A value as the codec is given it.
    private func given(_ value: ImportValue) throws -> Any {
        switch value.kind {
        case .null: return SQLiteValue.null
        case .yes: return true
        case .no: return false
        case .container:
            return try JSONSerialization.jsonObject(with: Data(value.bytes), options: .fragmentsAllowed)
        case .number, .text:
            // A transform may store it as something else.
            let type = column.codec.ownType
            let isNumeric = type == .integer || type == .real
            guard isNumeric || value.kind == .number && type == .any else { return value.text }
            switch NumberText.number(value.trimmed) {
            case .integer(let number)?: return number
            case .real(let number)?: return UInt64(value.text) ?? number
            case nil: return UInt64(value.text) ?? value.text
            }
        }
    }

    private func mismatch(_ value: ImportValue) -> ImportProblem {
        let what =
            switch value.kind {
            case .container: "an object or array"
            case .number: "the number"
            case .yes, .no: "true or false"
            case .text, .null: "the text"
            }
        return ImportProblem(reason: "\(what) isn't a valid \(source: unwrapped(column.type))")
    }
}

extension ImportColumn.Form {
    /// Binds a value as most are: a number or a text that its column takes as it is.
    ///
    /// It does what ``ImportColumn/bind(_:to:at:)`` does, of which it is the part that runs for nearly every value.
    ///
    /// - Returns: False for any other value, which that method is for.
    @inline(__always)
    func bindPlain(
        _ value: ImportValue, to statement: some ParameterSink, at parameter: Int
    ) throws(SQLiteError) -> Bool {
        guard value.kind == .number || value.kind == .text else { return false }
        switch self {
        case .integer(let range):
            guard case .integer(let number)? = NumberText.number(value.bytes), range.contains(number) else {
                return false
            }
            try statement.bind(int64: number, at: parameter)
        case .real:
            switch NumberText.number(value.bytes) {
            case .real(let number)?: try statement.bind(double: number, at: parameter)
            case .integer(let number)?: try statement.bind(double: Double(number), at: parameter)
            case nil: return false
            }
        case .text:
            guard isUTF8(value.bytes) else { return false }
            try statement.bind(utf8: UnsafeRawBufferPointer(value.bytes), at: parameter)
        case .bool, .float, .blob, .date, .other: return false
        }
        return true
    }
}
