internal import Foundation

/// What kind of JSON a value is, and so what SQLite compares of it.
enum JSONForm: Sendable {
    /// Numbers without a fraction, and truths, which SQLite has as 0 and 1.
    case integer
    case real
    case text
    /// A UUID, in whatever case.
    case uuid
    /// A number with more digits than SQLite's have: its digits are compared.
    case digits
    /// A list or an object: its text is compared.
    case container
    /// Any of these.
    case any

    /// - Parameter trees: Values of the type.
    init(_ type: any Any.Type, _ trees: [JSONContent]) {
        let type = unwrapped(type)
        if type == UUID.self {
            self = .uuid
        } else if type == Decimal.self || type == UInt64.self || type == UInt.self {
            self = .digits
        } else {
            let forms = Set(trees.compactMap(Self.init))
            self = forms.count == 1 ? forms.first ?? .any : forms == [.integer, .real] ? .real : .any
        }
    }

    private init?(_ tree: JSONContent) {
        switch tree {
        case .null: return nil
        case .truth: self = .integer
        case .number(let digits): self = Int64(digits) == nil ? .real : .integer
        case .text: self = .text
        case .array, .object: self = .container
        }
    }

    var columnType: ColumnType {
        switch self {
        case .integer: .integer
        case .real: .real
        case .text, .uuid, .container: .text
        case .digits: .decimal
        case .any: ColumnType(rawValue: "")
        }
    }

    /// What SQLite has for a value.
    func stored(_ tree: JSONContent?) -> SQLiteValue {
        switch tree {
        case nil, .null?: .null
        case .truth(let truth)?: .integer(truth ? 1 : 0)
        case .number(let digits)? where self == .digits: .text(digits)
        case .number(let digits)?: Int64(digits).map { .integer($0) } ?? Double(digits).map { .real($0) } ?? .null
        case .text(let text)?: .text(self == .uuid ? text.uppercased() : text)
        case .array?, .object?: .text(tree?.text ?? "")
        }
    }

    /// The JSON texts that SQLite may have had such a value from.
    static func texts(of stored: SQLiteValue) -> [String] {
        switch stored {
        case .null: ["null"]
        case .integer(let integer): ["\(integer)"] + (0...1 ~= integer ? [integer == 1 ? "true" : "false"] : [])
        case .real(let real): ["\(real)"]
        case .text(let text): [JSONContent.quoted(text), text]
        case .blob: []
        }
    }

    /// The value at a path in SQL: NULL where there is none, and in what isn't JSON.
    ///
    /// - Parameter column: The column as SQL.
    func sql(_ path: JSONPlace, in column: String) -> String {
        if path.keys.isEmpty { return self == .uuid ? "upper(\(column))" : column }
        let plain = SQLText.literal(path.text)
        let found = path.isPlain ? "json_extract(\(column), \(plain))" : Self.sql(path.keys[...], in: column)
        let value =
            switch self {
            case .digits: "nullif(\(column) -> \(plain), 'null')"
            case .uuid: "upper(\(found))"
            default: found
            }
        return "CASE WHEN json_valid(\(column)) THEN \(value) END"
    }

    /// A value that is found by its keys as they are: those with quotes and the like can't be in a path.
    private static func sql(_ keys: ArraySlice<String>, in column: String, isInner: Bool = false) -> String {
        guard let last = keys.last else { return column }
        // The column may have the name of one of json_each's. Another value than an object has nothing inside.
        let source = "(SELECT \(sql(keys.dropLast(), in: column, isInner: true)) AS _json) AS _source"
        return "(SELECT json_each.value FROM \(source), json_each(_source._json) "
            + "WHERE json_each.key = \(SQLText.literal(last))\(isInner ? " AND json_each.type = 'object'" : ""))"
    }
}
