internal import Persisting
internal import SQLiteKit

/// What the values of a column are, of all rows of its table.
struct ColumnContents {
    /// The storage classes but NULL.
    private(set) var classes: Set<StorageClass> = []
    /// Whether the integers are 0 and 1 alone.
    private(set) var isBits = true
    /// Whether a Double holds each integer exactly.
    private(set) var isExact = true

    /// The values as dates.
    struct Dates {
        private(set) var numbers = DateNumbers()
        /// How the texts are written.
        private(set) var shape: DateText?
        private var hasZeroFraction = false
        /// Whether a value can't be a date.
        private(set) var isOther = false

        mutating func add(_ value: SQLiteValue) {
            switch value {
            case .null: break
            case .blob: isOther = true
            case .integer(let number): numbers.add(Double(number))
            case .real(let number): numbers.add(number)
            case .text(let text):
                guard let own = DateText(of: text), let date = try? DateStorage.unixSeconds.date(from: value) else {
                    isOther = true
                    return
                }
                if own.text(for: date) != text { hasZeroFraction = true }
                if DateStorage.pythonDateTime.text?.text(for: date) != text { isPython = false }
                if shape?.merge(own) == nil { shape = own }
            }
        }

        private var isPython = true

        /// The form to declare: one that writes all values as they are. Nil where they are kept as they are found, as
        /// seconds since 1970 are without a declaration.
        var form: DateStorage? {
            guard let shape else { return numbers.storage == .unixSeconds ? nil : numbers.storage }
            guard numbers.isEmpty, !hasZeroFraction else { return nil }
            let form = DateStorage.allCases.first { $0.text == shape }
            return form == .pythonDateTime && !isPython ? nil : form
        }

        /// Whether a class reads all as dates.
        var areDates: Bool {
            if isOther { return false }
            return numbers.isCertain && (shape == nil || [nil, .unixSeconds].contains(numbers.storage))
        }
    }

    fileprivate init(_ values: ArraySlice<SQLiteValue>) {
        let found = values.map { $0 == .integer(1) }
        for (index, storage) in [StorageClass.integer, .real, .text, .blob].enumerated()
        where found[found.startIndex + index] {
            classes.insert(storage)
        }
        isBits = !found[found.startIndex + 4]
        isExact = !found[found.startIndex + 5]
    }

    fileprivate static func questions(_ name: String) -> [String] {
        let isInteger = "typeof(\(name)) = 'integer'"
        return ["integer", "real", "text", "blob"].map { "max(typeof(\(name)) = '\($0)')" } + [
            "max(\(isInteger) AND \(name) NOT IN (0, 1))",
            "max(\(isInteger) AND (\(name) > 9007199254740992 OR \(name) < -9007199254740992))",
        ]
    }
}

extension EngineConnection {
    /// What the columns of a table hold, by their names: one pass over the table for a hundred columns.
    func contents(of table: DatabaseSchema.Table) throws -> [String: ColumnContents] {
        var contents: [String: ColumnContents] = [:]
        var names = table.columns.filter { $0.kind != .hidden && !$0.name.isEmpty }.map(\.name)[...]
        while !names.isEmpty {
            let some = names.prefix(100)
            names = names.dropFirst(100)
            let questions = some.map { ColumnContents.questions(SQLText.identifier($0)) }
            let list = questions.joined().map { $0 }.list(", ")
            let sql = "SELECT \(list) FROM \(SQLText.identifier(table.name))"
            var values: [SQLiteValue] = []
            try forEachRow(sql) { statement in
                for index in 0..<(questions.count * 6) { values.append(try statement.value(at: index)) }
            }
            for (index, name) in some.enumerated() {
                contents[name] = ColumnContents(values[(index * 6)..<(index * 6 + 6)])
            }
        }
        return contents
    }

    /// Calls a closure with each value of a column but NULL.
    func forEachValue(of column: String, in table: String, _ body: (SQLiteValue) throws -> Void) throws {
        let name = SQLText.identifier(column)
        try forEachRow("SELECT \(name) FROM \(SQLText.identifier(table)) WHERE \(name) IS NOT NULL") { statement in
            try body(statement.value(at: 0))
        }
    }

    private func forEachRow(_ sql: String, _ body: (any EngineStatement) throws -> Void) throws {
        let statement = try statement(CachedSQL(sql), cached: false).any
        defer { statement.clear() }
        while try statement.step() { try body(statement) }
    }
}
