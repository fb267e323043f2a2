internal import Foundation

/// An element of a list that is stored as JSON.
enum JSONElement: Sendable, Decodable {
    case null
    case truth(Bool)
    case number(SQLiteValue)
    case text(String)
    /// A list or a dictionary.
    case container

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else if let integer = try? container.decode(Int64.self) {
            self = .number(.integer(integer))
        } else if let real = try? container.decode(Double.self) {
            self = .number(.real(real))
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .container
        }
    }

    /// The element that a value is in a list; nil for a value that isn't Encodable.
    init?(_ given: Any?) throws {
        guard let given = flattened(given) else {
            self = .null
            return
        }
        guard let value = given as? any Encodable else { return nil }
        self = try StoredJSON.decode(JSONElement.self, from: Data(StoredJSON.encode(value).utf8))
    }

    /// Whether another is the same, as JSON has it: the number 1 isn't true.
    func isSame(as other: JSONElement, _ options: TextOptions) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.truth(let one), .truth(let two)): one == two
        case (.number(let one), .number(let two)): one.compared(with: two, .binary) == 0
        case (.text(let one), .text(let two)): haveSameBytes(options.fold(one), options.fold(two))
        default: false
        }
    }

    /// The elements of a stored list; none of what isn't one.
    static func elements(of stored: SQLiteValue) -> [JSONElement] {
        guard let data = try? Data(sqliteValue: stored) else { return [] }
        return (try? StoredJSON.decode([JSONElement].self, from: data)) ?? []
    }
}

extension ColumnOperand {
    /// Whether values are stored as JSON, whatever they are: a type that is Codable may be stored in its own way.
    var isJSON: Bool {
        if let json { return json.form == .container }
        guard case .normalized = comparedForm else { return false }
        return column.declaration.kind == .json || isJSONList || unwrapped(column.type) is any JSONText.Type
            || column.declaration.transform != nil
    }

    /// Whether values are lists.
    var isJSONList: Bool {
        if json == nil { guard case .normalized = comparedForm else { return false } }
        func isList<List: Collection>(_ type: List.Type) -> Bool { !(type is any DictionaryType.Type) }
        return (unwrapped(column.type) as? any Collection.Type).map { isList($0) } ?? false
    }
}

extension ColumnOperand {
    /// Whether it is a value of an element, and not of a row's column.
    var isOfElement: Bool { json.map { $0.column == nil } ?? false }
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}

extension CriteriaResolver {
    /// `tags CONTAINS 'x'` of a list that is stored as JSON: one of its elements is the value. Nil for any other term.
    ///
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` for another question about a text, since JSON isn't one.
    func listContains(
        _ term: CriteriaTerm, _ match: CriteriaNode.TextMatch, _ other: CriteriaTerm, _ options: TextOptions
    ) throws -> Condition? {
        guard case .column(let column) = try operand(term, .none) else { return nil }
        // Of a value that is named by a text, the type isn't known.
        let isAny = column.json?.form == .any && match == .hasElement
        guard column.isJSON || isAny else { return nil }
        let key = column.column.key
        guard match == .contains || match == .hasElement, column.isJSONList || isAny else {
            throw criteriaError(
                "\(key) is stored as JSON, "
                    + (column.isJSONList
                        ? "a list: ask CONTAINS for one of its elements"
                        : "which isn't searched as a text: compare it with a value, or ask json_extract by .sql"),
                key: key)
        }
        guard case .value(let value) = other, let element = try JSONElement(value.value) else {
            throw criteriaError("\(key) is a list, which contains values: give one, not a calculation", key: key)
        }
        if case .container = element {
            throw criteriaError(
                "\(key) is asked for an element that is stored as a list or a dictionary: only texts, numbers, truths and "
                    + "null are found in JSON", key: key)
        }
        return .listContains(column, element, options)
    }
}

extension CriteriaResolver {
    /// The element that the condition is asked of, in SQL.
    var element: String? { listDepth == 0 ? nil : "\(nameOfElement).value" }

    private var nameOfElement: String { "_element\(listDepth)" }

    /// A value of an element by its key, such as `font.size`.
    func valueOfElement(_ key: String) throws -> JSONTerm {
        guard let path = JSONPlace(name: key) else {
            throw criteriaError("\(key.debugDescription) isn't a key of an element", key: key)
        }
        return JSONTerm(nil, path)
    }

    /// `ANY` of the elements of a list that is stored as JSON.
    func anyElement(_ list: CriteriaTerm, _ node: CriteriaNode) throws -> Condition {
        guard case .column(let column) = try operand(list, .none), column.isJSON, column.isJSONList else {
            throw criteriaError(
                "\(list.key ?? "a calculation") isn't a list that is stored as JSON, so it has no elements to ask",
                key: list.key)
        }
        var elements = resolver(of: mapping)
        elements.listDepth = listDepth + 1
        return .anyElement(column, named: elements.nameOfElement, try elements.condition(node))
    }
}

extension CriteriaSQL {
    /// Adds `EXISTS (SELECT 1 FROM json_each(TABLE.COLUMN) WHERE …)`.
    mutating func append(_ column: ColumnOperand, contains element: JSONElement, _ options: TextOptions) {
        append("EXISTS (SELECT 1 FROM json_each(\(list(of: column))) WHERE ")
        switch element {
        case .null: append("json_each.type = 'null'")
        case .truth(let truth): append("json_each.type = '\(truth)'")
        case .number(let number):
            append("json_each.type IN ('integer', 'real') AND json_each.value = ?")
            bind(number)
        case .text(let text):
            append("json_each.type = 'text' AND ")
            append(options.isEmpty ? "json_each.value = ?" : "fold(json_each.value, '\(options.letters)') = ?")
            bind(.text(options.fold(text)))
        case .container: append("FALSE")
        }
        append(")")
    }

    /// Adds `EXISTS (SELECT 1 FROM json_each(TABLE.COLUMN) AS _element1 WHERE …)`.
    mutating func append(_ column: ColumnOperand, any name: String, meets condition: Condition) throws {
        let list = list(of: column)
        try write("EXISTS (SELECT 1 FROM json_each(\(list)) AS \(name) WHERE \(condition, Self.placesOfSubquery))")
    }

    /// Notes a column in whose JSON something is asked for.
    mutating func noteJSON(_ column: ColumnOperand, isList: Bool = false) {
        guard isList || column.json != nil, !column.isOfElement, !jsonColumns.contains(column.source) else { return }
        jsonColumns.append(column.source)
    }

    /// A list, as json_each takes it.
    private mutating func list(of column: ColumnOperand) -> String {
        noteJSON(column, isList: true)
        // The function has columns of its own, such as "value". A text that isn't JSON has no elements.
        let name = "CAST(\(column.isOfElement ? "" : "\(scope).")\(column.source) AS TEXT)"
        return column.json?.list(in: name) ?? "CASE WHEN json_valid(\(name)) THEN \(name) END"
    }
}
