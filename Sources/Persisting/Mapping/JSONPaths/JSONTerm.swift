/// A value inside of a column of JSON, or of an element of a list in one, as conditions name it.
final class JSONTerm: Sendable {
    /// The key of the column's property; nil for an element.
    let column: String?
    let path: JSONPlace
    let type: any Any.Type
    let codec: any FieldCodec
    let form: JSONForm
    /// What the property has where the path leads to nothing: a default value that isn't written.
    let absent: SQLiteValue

    /// What names the value: `settings.font.size`.
    var name: String { column.map { "\($0).\(path.name)" } ?? path.name }

    init(
        _ column: String?, _ path: JSONPlace, _ type: any Any.Type, _ codec: any FieldCodec, _ form: JSONForm,
        absent: SQLiteValue
    ) {
        self.column = column
        self.path = path
        self.type = type
        self.codec = codec
        self.form = form
        self.absent = absent
    }

    /// A value that is named by a text, whose type isn't known.
    convenience init(_ column: String?, _ path: JSONPlace) {
        self.init(column, path, SQLiteValue.self, JSONAnyCodec(), .any, absent: .null)
    }

    /// The value in SQL.
    ///
    /// - Parameter column: The column as SQL.
    func sql(in column: String) -> String {
        let value = form.sql(path, in: column)
        return absent.isNull ? value : "ifnull(\(value), \(SQLText.literal(absent)))"
    }

    /// The list that the value is in SQL; NULL for what isn't a list, and in what isn't JSON.
    ///
    /// - Parameter column: The column as SQL.
    func list(in column: String) -> String {
        let (value, type) = (form.sql(path, in: column), "json_type(\(column), \(SQLText.literal(path.text)))")
        guard !absent.isNull else {
            let list = path.isPlain ? "CASE \(type) WHEN 'array' THEN \(value) END" : value
            return "CASE WHEN json_valid(\(column)) THEN \(list) END"
        }
        let other = SQLText.literal(absent)
        let list =
            path.isPlain
            ? "CASE ifnull(\(type), 'null') WHEN 'array' THEN \(value) WHEN 'null' THEN \(other) END"
            : "ifnull(\(value), \(other))"
        return "CASE WHEN json_valid(\(column)) THEN \(list) WHEN \(column) IS NULL THEN \(other) END"
    }

    /// The value in what a row's column has, or in an element.
    func value(in tree: JSONContent?) -> SQLiteValue {
        guard let tree else { return absent }
        let value = form.stored(tree.value(at: path.keys))
        return value.isNull ? absent : value
    }
}

extension Column {
    /// Whether what is stored is JSON, in which a path may lead to a value.
    var hasJSON: Bool {
        if case .normalized = codec.comparedForm { codec.columnType == .text } else { false }
    }
}

extension Mapping {
    /// What a key path stands for in a condition: a key, or a value inside of a column of JSON.
    func term(of keyPath: AnyKeyPath, sample: @autoclosure () -> Any? = nil) throws -> CriteriaTerm {
        do {
            let answer = try keyPaths.answer(keyPath, in: self, sample: sample())
            return answer.json.map { .json($0) } ?? .key(answer.key)
        } catch let error as PersistenceError {
            guard let key = keyOfCalculation(keyPath) else { throw error }
            return .key(key)
        }
    }

    /// The value that a key with dots names, such as `settings.font.size`; nil for any other key.
    func jsonTerm(ofKey key: String) -> JSONTerm? {
        guard let dot = key.utf8.firstIndex(of: UInt8(ascii: ".")), !hasColumn(forKey: key) else { return nil }
        let name = String(key[..<dot])
        guard let index = try? index(ofKey: name), columns[index].hasJSON, columns[index].key == name else {
            return nil
        }
        return JSONPlace(name: key[key.index(after: dot)...]).map { JSONTerm(name, $0) }
    }

    /// A value inside of a column of JSON, as SQL has it.
    ///
    /// - Parameter element: The element in SQL of which the term may be; nil outside of a list.
    func columnOperand(_ term: JSONTerm, of element: String? = nil) throws -> ColumnOperand {
        guard term.form != .digits || term.path.isPlain && !term.path.keys.isEmpty else {
            throw PersistenceError(
                .unsupported,
                "SQLite gives the digits of a \(source: term.type) in JSON only by a path, "
                    + "and has none for \(term.path.name)",
                model: modelName, key: term.name)
        }
        if term.column == nil, let element { return ColumnOperand(term, in: element, index: ColumnOperand.nowhere) }
        let index = try index(of: term)
        return ColumnOperand(term, in: sql.columns[index], index: index)
    }

    /// The column that a value is in.
    ///
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` for a value of a list's element.
    func index(of term: JSONTerm) throws -> Int {
        guard let column = term.column else {
            throw PersistenceError(
                .invalidCriteria, "a condition on elements of a list is asked of a list, by .any", model: modelName,
                key: term.name)
        }
        return try index(ofKey: column)
    }
}

extension ColumnOperand {
    /// - Parameter source: What has the JSON in SQL.
    convenience init(_ term: JSONTerm, in source: String, index: Int) {
        self.init(
            term.sql(in: source), Column(name: term.name, key: term.name, type: term.type, codec: term.codec),
            index: index,
            json: (term, source))
    }
}
