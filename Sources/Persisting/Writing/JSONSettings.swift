internal import Foundation

/// The values that an update sets inside of columns of JSON.
struct JSONSettings {
    private let mapping: Mapping
    /// The values of a column, as JSON; nil for one that is taken out.
    private var values: [Int: [(place: JSONPlace, text: String?)]] = [:]

    init(_ mapping: Mapping) {
        self.mapping = mapping
    }

    /// The columns, in order.
    var indices: [Int] { values.keys.sorted() }

    /// Adds a value.
    ///
    /// - Returns: Its column.
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for a value that the property can't have, and
    ///   ``PersistenceError/Code/unsupported`` for an expression and for a key that SQLite has no path for.
    mutating func add(_ term: JSONTerm, _ value: (any Sendable)?) throws -> Int {
        func failure(_ code: PersistenceError.Code, _ reason: String) -> PersistenceError {
            PersistenceError(
                code, reason, model: mapping.modelName, key: term.name, found: flattened(value).map { type(of: $0) })
        }
        let index = try mapping.index(of: term)
        guard !(flattened(value) is any SettableExpression) else {
            throw failure(
                .unsupported, "\(term.name) is inside of a column of JSON, and is set to a value, not to an expression")
        }
        guard term.path.isPlain else {
            throw failure(
                .unsupported,
                "SQLite has no path for the key \(term.path.name): set \(mapping.columns[index].key) as a whole")
        }
        guard let given = flattened(value) else {
            // A dictionary's value isn't null, it isn't there.
            guard let none = try ["null", nil].first(where: { try mapping.takes($0, at: term.path, index) }) else {
                throw failure(.typeMismatch, "\(term.name) can't be nil")
            }
            values[index, default: []].append((term.path, none))
            return index
        }
        guard let given = given as? any Encodable, let text = try? StoredJSON.encode(given),
            try mapping.takes(text, at: term.path, index)
        else { throw failure(.typeMismatch, "a value of type \(typeOf: given) isn't a valid \(term.name)") }
        values[index, default: []].append((term.path, text))
        return index
    }

    fileprivate func values(of index: Int) -> [(place: JSONPlace, text: String?)] { values[index] ?? [] }
}

extension Mapping {
    /// Whether a column's type reads JSON with a value at a place, or without one, as far as an object of `init()`
    /// shows it, or a made value where that has none.
    fileprivate func takes(_ text: String?, at place: JSONPlace, _ index: Int) throws -> Bool {
        // Made only where it is needed, since it may be large.
        func made() -> JSONContent? { columns[index].codec.madeJSON }
        guard var whole = try JSONContent(stored(index, of: modelType.init())) ?? made() else { return true }
        if whole.value(at: place.keys.dropLast()) == nil, let made = made() { whole = whole.filled(from: made) }
        guard let changed = whole.replacing(place.keys, by: text.flatMap { JSONContent($0) }) else { return true }
        return (try? columns[index].codec.decode(.text(changed.text))) != nil
    }
}

extension CriteriaSQL {
    /// Adds the column's new value, `json_set(COLUMN, …)`. What isn't JSON stays as it is.
    mutating func append(_ settings: JSONSettings, column index: Int) {
        let (column, values) = (mapping.sql.columns[index], settings.values(of: index))
        let removed = values.filter { $0.text == nil }.map { ", \(SQLText.literal($0.place.text))" }
        append("CASE WHEN json_valid(\(column)) THEN ")
        append((removed.isEmpty ? "" : "json_remove(") + "json_set(\(column)")
        for (place, text) in values {
            guard let text else { continue }
            append(", \(place.path(in: column)), json(?)")
            bind(.text(text))
        }
        append(")" + (removed.isEmpty ? "" : removed.joined() + ")") + " ELSE \(column) END")
    }
}

extension JSONPlace {
    /// The path, as json_set takes it. It would make the object around the value where there is none: there it is a path
    /// that leads nowhere.
    fileprivate func path(in column: String) -> String {
        guard keys.count > 1 else { return SQLText.literal(text) }
        let parent = SQLText.literal(JSONPlace(keys.dropLast()).text)
        return "CASE json_type(\(column), \(parent)) WHEN 'object' THEN \(SQLText.literal(text)) ELSE '$[0]' END"
    }
}
