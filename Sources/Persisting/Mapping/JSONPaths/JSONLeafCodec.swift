internal import Foundation

/// The codec of a value inside of a column of JSON: its stored form is what SQLite extracts.
struct JSONLeafCodec<Value: Codable>: FieldCodec {
    let form: JSONForm
    var columnType: ColumnType { form.columnType }
    // A Date is the number of seconds that a column of JSON has.
    var dateForm: DateStorage? { unwrapped(Value.self) == Date.self ? .unixSeconds : nil }

    func encode(_ value: Value) throws -> SQLiteValue {
        form.stored(JSONContent(try StoredJSON.encode(value)))
    }

    func decode(_ stored: SQLiteValue) throws -> Value {
        for text in JSONForm.texts(of: stored) {
            if let value = try? StoredJSON.decode(Value.self, from: Data(text.utf8)) { return value }
        }
        throw stored.mismatch(Value.self)
    }
}

/// The codec of a value that is named by a text, whose type isn't known: what is given is compared as JSON has it.
struct JSONAnyCodec: FieldCodec {
    typealias Value = SQLiteValue
    var columnType: ColumnType { JSONForm.any.columnType }
    func encode(_ value: SQLiteValue) throws -> SQLiteValue { value }
    func decode(_ stored: SQLiteValue) throws -> SQLiteValue { stored }
}
