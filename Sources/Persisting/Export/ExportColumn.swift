internal import Foundation

/// A column of an export: how what is stored becomes what the file has.
struct ExportColumn {
    private enum Form {
        /// With those that the property can have.
        case integer(ClosedRange<Int64>)
        case bool, real, float, text, blob
        case date(DateStorage)
        /// A property of type ``/SQLiteKit/SQLiteValue``.
        case any
        case other
    }

    /// What values are written as.
    enum Style {
        /// With the byte that separates fields, or 0 where the separator has several.
        case csv(separator: [UInt8])
        case json
    }

    /// What is selected.
    let sql: String
    /// Where the rows have it.
    var position = 0
    let column: Column
    private let mapping: Mapping
    private let form: Form

    /// - Throws: ``PersistenceError/Code/unknownKey`` for what isn't a property, and for one that is computed in Swift.
    init(_ key: String, _ mapping: Mapping) throws {
        self.mapping = mapping
        if let table = mapping.place?.table, table.kindKey == key {
            (sql, column, form) = (SQLText.identifier(table.kindColumn.name), table.kindColumn, .text)
            return
        }
        (sql, column) = try mapping.operand(ofKey: key)
        if case .bits? = mapping.virtualKeys[key]?.kind {
            form = .bool
            return
        }
        let index = try mapping.index(ofKey: key)
        form =
            switch mapping.fields[index].kind {
            case .bool, .optionalBool: .bool
            case .double, .optionalDouble: .real
            case .float, .optionalFloat: .float
            case .string, .optionalString: .text
            case .data, .optionalData: .blob
            case .date, .optionalDate: .date(.unixSeconds)
            case .textDate, .optionalTextDate: .date(.iso8601)
            case .custom where unwrapped(column.type) == SQLiteValue.self && column.declaration.transform == nil: .any
            case let kind:
                kind.integers.map { .integer($0) } ?? column.codec.dateForm.map { .date($0) } ?? .other
            }
    }

    /// Writes the value of a column of the row that a source stands on.
    ///
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for a stored value that the property can't have.
    @inline(__always)
    func write<Source: ColumnSource>(
        _ source: borrowing Source, at position: Int, to writer: ByteWriter, _ style: Style
    ) throws {
        let storageClass = source.storageClass(at: position)
        switch (form, storageClass) {
        case (.integer(let range), .integer) where range.contains(source.int64(at: position)):
            writer.append(integer: source.int64(at: position))
        case (.real, .real): write(source.double(at: position), to: writer, style)
        case (.text, .text):
            try source.withBytes(at: position) { bytes in
                guard isUTF8(bytes.bindMemory(to: UInt8.self)) else { throw failure(storageClass, "it isn't UTF-8") }
                write(text: bytes, to: writer, style)
            }
        case (_, .null): if case .json = style { writer.append(text: "null") }
        default: try writeRarer(source.value(at: position), to: writer, style)
        }
    }

    @inline(never)
    private func writeRarer(_ stored: SQLiteValue, to writer: ByteWriter, _ style: Style) throws {
        switch (form, stored) {
        case (.bool, .integer(let number)) where number == 0 || number == 1:
            writer.append(text: number == 1 ? "true" : "false")
        case (.real, .integer(let number)): writer.append(integer: number)
        case (.float, .real(let number)) where Float(number).isFinite || !number.isFinite:
            write(number, to: writer, style)
        case (.float, .integer(let number)): writer.append(integer: number)
        case (.any, _): write(any: stored, to: writer, style)
        case (.blob, .blob(let data)): write(data.base64EncodedString(), to: writer, style)
        case (.date(let storage), _):
            do {
                try write(storage.exactText(of: stored), to: writer, style)
            } catch {
                throw column.failure(error, mapping, stored: stored.storageClass)
            }
        default: try writeOther(stored, to: writer, style)
        }
    }

    @inline(__always)
    private func write(_ number: Double, to writer: ByteWriter, _ style: Style) {
        if case .json = style, !number.isFinite {
            // JSON has no number for it.
            writer.append(text: number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
        } else {
            writer.append(real: number)
        }
    }

    private func write(_ text: String, to writer: ByteWriter, _ style: Style) {
        var text = text
        text.withUTF8 { write(text: UnsafeRawBufferPointer($0), to: writer, style) }
    }

    @inline(__always)
    private func write(text: UnsafeRawBufferPointer, to writer: ByteWriter, _ style: Style) {
        switch style {
        case .csv(let separator): writer.append(csv: text, separator: separator)
        case .json: writer.append(json: text)
        }
    }

    /// Writes a value so that it comes back as the same, which ``ImportValue/plain()`` reads.
    private func write(any stored: SQLiteValue, to writer: ByteWriter, _ style: Style) {
        switch (stored, style) {
        case (.null, .csv): break
        case (.null, .json): writer.append(text: "null")
        case (.integer(let number), _): writer.append(integer: number)
        case (.real(let number), _) where number.isFinite:
            let text = number.description
            // Digits and an exponent alone would look like a text.
            let exponent = text.contains(".") ? nil : text.firstIndex(of: "e")
            writer.append(text: exponent.map { "\(text[..<$0]).0\(text[$0...])" } ?? text)
        case (.real(let number), .csv): writer.append(real: number)
        case (.real(let number), .json):
            writer.append(text: number < 0 ? #"{"real":"-Infinity"}"# : #"{"real":"Infinity"}"#)
        case (.blob(let data), .csv): writer.append(text: "\(SQLiteValue.blob(data))")
        case (.blob(let data), .json): writer.append(text: #"{"base64":"\#(data.base64EncodedString())"}"#)
        case (.text(let text), .json): write(text, to: writer, style)
        case (.text(var text), .csv(let separator)):
            text.withUTF8 { bytes in
                let plain = try? ImportValue(kind: .text, start: bytes.baseAddress, count: bytes.count).plain()
                let isText = if case .text? = plain { true } else { false }
                writer.append(csv: UnsafeRawBufferPointer(bytes), separator: separator, isQuoted: !isText)
            }
        }
    }

    /// Writes what the property makes of a stored value.
    private func writeOther(_ stored: SQLiteValue, to writer: ByteWriter, _ style: Style) throws {
        let (value, json): (Any, Any)
        do {
            value = try column.codec.decoded(stored)
            json = try mapping.json(value, column.key)
        } catch let error as PersistenceError {
            throw error
        } catch {
            throw column.failure(error, mapping, stored: stored.storageClass)
        }
        switch json {
        case is NSNull: if case .json = style { writer.append(text: "null") }
        case let text as String: write(text, to: writer, style)
        case let value as Bool where type(of: json) == Bool.self: writer.append(text: value ? "true" : "false")
        case let number as Double where type(of: json) == Double.self: write(number, to: writer, style)
        case let number as any BinaryInteger: writer.append(text: "\(number)")
        default:
            let text = try text(json, of: value)
            if case .json = style { writer.append(text: text) } else { write(text, to: writer, style) }
        }
    }

    /// The text of JSON. That of a value is encoded once more, since Foundation's tree has neither U+FEFF at the
    /// beginning of texts nor the sign of a zero.
    private func text(_ json: Any, of value: Any) throws -> String {
        if let value = value as? any Codable { return try StoredJSON.encode(value) }
        let data = try JSONSerialization.data(
            withJSONObject: json, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    private func failure(_ storageClass: StorageClass, _ reason: String) -> PersistenceError {
        PersistenceError(
            .typeMismatch, "column \(column.name) holds a text that can't be exported: \(reason)",
            model: mapping.modelName, key: column.key, stored: storageClass)
    }
}

extension ByteWriter {
    /// Appends a field of CSV: quoted where it has to be, and when it is empty, since an empty field is NULL.
    func append(csv text: UnsafeRawBufferPointer, separator: [UInt8], isQuoted: Bool = false) {
        let first = separator[0]
        var needsQuotes = text.isEmpty || isQuoted
        var marks = 0
        for byte in text {
            if byte == 0x22 { marks &+= 1 }
            if byte == 0x22 || byte == 0x0A || byte == 0x0D || byte == first { needsQuotes = true }
        }
        // At the beginning of a file it would be a byte order mark, and lost.
        if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { needsQuotes = true }
        guard needsQuotes else { return append(text) }
        append(0x22)
        if marks == 0 {
            append(text)
        } else {
            for byte in text {
                if byte == 0x22 { append(0x22) }
                append(byte)
            }
        }
        append(0x22)
    }

    /// Appends a string of JSON.
    func append(json text: UnsafeRawBufferPointer) {
        append(0x22)
        var start = 0
        for (place, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
            append(UnsafeRawBufferPointer(rebasing: text[start..<place]))
            start = place + 1
            switch byte {
            case 0x22, 0x5C:
                append(0x5C)
                append(byte)
            case 0x0A: append(text: "\\n")
            case 0x0D: append(text: "\\r")
            case 0x09: append(text: "\\t")
            default:
                let digits = Array("0123456789abcdef".utf8)
                append(text: "\\u00")
                append(digits[Int(byte >> 4)])
                append(digits[Int(byte & 15)])
            }
        }
        append(UnsafeRawBufferPointer(rebasing: text[start...]))
        append(0x22)
    }
}
