internal import Foundation

/// A column of dates: what a look at the table has shown, and how to find out what it holds at the moment.
struct DateColumn: Sendable {
    /// How the library writes a date.
    private enum Writing {
        /// As the class does.
        case own
        /// As the column holds it: the class does not say a form.
        case other(DateStorage)
        /// As the class does in a new row, and as the row holds it in any other: what has been seen are numbers, and
        /// others may be texts.
        case asInRow
        /// Nobody knows in which form: why, and what to do.
        case rejected(String)
        /// The same of a key, which is written as it is stored and has no other form.
        case rejectedKey(String)
    }

    let index: Int
    let form: DateStorage
    /// Of what the column makes a number.
    let affinity: Affinity
    /// For each index that has the column, the columns before it: what is equal in these is in the order of the dates.
    let prefixes: [[Int]]
    /// Whether all that has been seen is as the class writes it.
    let isOwn: Bool
    /// Whether there were no rows to see.
    let isUnseen: Bool
    /// Whether the texts that have been seen are as the class writes them, which are in the order of their dates.
    let isSorted: Bool
    /// Whether a column of numbers holds texts alone, as the class writes them: these stay what they are there.
    let takesTexts: Bool
    private let writing: Writing

    /// The columns of dates in a class's table, but for those in which SQLite stores nothing but the class's numbers.
    static func all(of mapping: Mapping, in schema: TableSchema, rowID: String?, _ db: any EngineConnection) throws
        -> [DateColumn]
    {
        let columns = mapping.columns.indices.filter { index in
            guard let form = mapping.columns[index].codec.dateForm else { return false }
            let affinity = schema.column(mapping.columns[index].name)?.affinity
            return !schema.isStrict || form.columnType == .text || affinity != .real && affinity != .integer
        }
        guard !columns.isEmpty else { return [] }
        let samples = try samples(of: columns, mapping, schema, rowID: rowID, db)
        let indexes = schema.isView ? [] : try indexes(of: mapping, schema, db)
        return zip(columns, samples).map { index, sample in
            let prefixes = indexes.compactMap { list in list.firstIndex(of: index).map { Array(list[..<$0]) } }
            return DateColumn(index, sample, mapping, schema, prefixes, db)
        }
    }

    private init(
        _ index: Int, _ sample: DateSample, _ mapping: Mapping, _ schema: TableSchema, _ prefixes: [[Int]],
        _ db: any EngineConnection
    ) {
        let column = mapping.columns[index]
        self.index = index
        self.prefixes = prefixes
        form = column.codec.dateForm ?? .unixSeconds
        affinity = schema.column(column.name)?.affinity ?? .blob
        isOwn = sample.isOwn
        isUnseen = sample.count == 0
        isSorted = sample.hasTexts && sample.areTextsOwn
        takesTexts = sample.hasTexts && !sample.hasNumbers && form.columnType == .text
        let needsForm = !sample.isOwn || schema.isView || !Self.isDeclared(column, schema)
        let written =
            needsForm ? Self.writing(column, sample, affinity, form, isKey: mapping.key.contains(index)) : .own
        // Only the library's own function tells of each row.
        if case .asInRow = written, !db.capabilities.contains(.functions) { writing = .own } else { writing = written }
    }

    private static func isDeclared(_ column: Column, _ schema: TableSchema) -> Bool {
        let affinity = schema.column(column.name)?.affinity
        return column.codec.dateForm?.columnType == .text
            ? affinity == .text : affinity == .real || affinity == .integer
    }

    private static func writing(
        _ column: Column, _ sample: DateSample, _ affinity: Affinity, _ form: DateStorage, isKey: Bool
    ) -> Writing {
        // What the class says holds.
        guard column.declaration.dateStorage == nil else { return .own }
        let isNumeric = affinity == .real || affinity == .integer
        if !sample.hasTexts || isNumeric && sample.hasNumbers {
            guard affinity == .text, form.columnType != .text else {
                return form == .unixSeconds && !isKey && (!isNumeric || sample.hasTexts) ? .asInRow : .own
            }
        }
        let held = sample.hasTexts ? sample.heldForm : .fractionalDateTime
        if held == form { return .own }
        let isUnderstood = form == .unixSeconds || form.columnType == .text
        if let held, isUnderstood, !isKey { return .other(held) }
        let example = sample.example.map { ", such as \($0)," } ?? ""
        let reason =
            "the column \(column.name) holds dates as text\(example) and the class doesn't say in which form to write "
            + "them: declare it .date.stored(as: .\((held ?? .fractionalDateTime).rawValue)), or in another form"
        return isKey ? .rejectedKey(reason) : .rejected(reason)
    }

    /// Whether the column gets another form than the class's own, or none, so that its affinity changes nothing.
    var isConverted: Bool { if case .own = writing { false } else { true } }

    /// What the table does to values of the class, where no form is converted: a key of texts takes none but these.
    var keyFit: ColumnFit? {
        if case .rejectedKey(let reason) = writing { ColumnFit(textsAloneFor: reason, affinity) } else { nil }
    }

    /// The form to write, where it is not the class's own.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` where nobody knows it.
    func formToWrite(_ mapping: Mapping) throws -> DateForm? {
        switch writing {
        case .own, .rejectedKey: return nil
        case .other(let form): return .stored(form)
        case .asInRow: return .asInRow(own: form)
        case .rejected(let reason):
            throw PersistenceError(
                .invalidModel, reason, model: mapping.modelName, key: mapping.columns[index].key, expected: Date.self)
        }
    }

    /// The columns of the indexes of a table, as far as they are properties' and are compared by their bytes.
    private static func indexes(
        of mapping: Mapping, _ schema: TableSchema, _ db: any EngineConnection
    ) throws -> [[Int]] {
        let columns = Dictionary(mapping.columns.indices.map { (asciiLowercased(mapping.columns[$0].name), $0) }) {
            first, _ in first
        }
        return try schema.indexes.filter { !$0.isPartial }.map { index in
            var list: [Int] = []
            for part in try db.columns(ofIndex: index.name, in: mapping.database) {
                // An expression has no name.
                guard let name = part.name, let index = columns[asciiLowercased(name)], part.collation == "BINARY"
                else { break }
                list.append(index)
            }
            return list
        }
    }

    /// How many rows at each end of a table are looked at.
    private static let sampleSize = 50

    private static func samples(
        of columns: [Int], _ mapping: Mapping, _ schema: TableSchema, rowID: String?, _ db: any EngineConnection
    ) throws -> [DateSample] {
        var samples = columns.map { DateSample(mapping.columns[$0].codec.dateForm ?? .unixSeconds) }
        // Reading a view's rows may be expensive, and nothing is written to one.
        guard !schema.isView else { return samples }
        let list = columns.map { mapping.sql.columns[$0] }.list(", ")
        let select = "SELECT \(list) FROM \(mapping.sql.table)"
        let orders = rowID.map { ["", " ORDER BY \($0) DESC"] } ?? [""]
        for order in orders {
            let rows = try db.rows(SQL("\(select)\(order) LIMIT \(Self.sampleSize)" as String), cached: false)
            for row in rows {
                for position in columns.indices { samples[position].add(row.value(at: position)) }
            }
            // Those were all.
            if rows.count < Self.sampleSize { break }
        }
        return samples
    }
}

/// What some values of a column of dates have shown.
private struct DateSample {
    private let form: DateStorage
    /// Whether all are as the class would write them.
    var isOwn: Bool { areTextsOwn && areOthersOwn }
    private(set) var areTextsOwn = true
    private var areOthersOwn = true
    private(set) var hasNumbers = false
    /// How many rows there were.
    private(set) var count = 0
    /// A text.
    private(set) var example: String?
    /// The forms of the texts; nil among them is another than the library writes.
    private var forms: Set<DateStorage?> = []

    init(_ form: DateStorage) {
        self.form = form
    }

    var hasTexts: Bool { example != nil }
    /// Whether a text was a date.
    var hasForms: Bool { !forms.isEmpty }

    /// The form that has room for all the texts; nil where there is none.
    var heldForm: DateStorage? {
        if forms.contains(nil) { return nil }
        // Numbers that the column has made texts of, and what isn't a date.
        if forms.isEmpty { return .fractionalDateTime }
        if forms.contains(.iso8601) { return forms.count == 1 ? .iso8601 : nil }
        return forms.contains(.fractionalDateTime)
            ? .fractionalDateTime : forms.contains(.dateTime) ? .dateTime : .date
    }

    mutating func add(_ value: SQLiteValue) {
        count += 1
        switch value {
        case .null: return
        case .integer, .real:
            hasNumbers = true
            if form.columnType == .text { areOthersOwn = false }
        case .blob: areOthersOwn = false
        case .text(let text):
            example = text
            guard let date = try? DateStorage.unixSeconds.date(from: value) else {
                areTextsOwn = false
                return
            }
            if (try? form.value(for: date)) != value { areTextsOwn = false }
            // A number that the column has made a text of has no form.
            guard text.dropFirst(4).first == "-" else { return }
            forms.insert(DateStorage.textForms.first { $0.writes(text) } ?? (text.contains("T") ? .iso8601 : nil))
        }
    }
}

extension DateStorage {
    /// The form that values of a column were written in, as far as they tell; nil for seconds since 1970, and for texts
    /// of several forms, or of one that no class writes.
    static func held(by values: [SQLiteValue]) -> DateStorage? {
        var sample = DateSample(.unixSeconds)
        for value in values { sample.add(value) }
        if sample.hasTexts { return sample.hasForms ? sample.heldForm : nil }
        let numbers = values.compactMap { value -> Double? in
            switch value {
            case .integer(let integer): Double(integer)
            case .real(let real): real
            case .null, .text, .blob: nil
            }
        }
        // As seconds these would be in the year 5138 and later.
        return !numbers.isEmpty && numbers.allSatisfy { abs($0) >= 100_000_000_000 } ? .unixMilliseconds : nil
    }

    fileprivate static let textForms: [DateStorage] = [.date, .dateTime, .fractionalDateTime]

    /// Whether a date's text has this form, with a fraction of any length.
    fileprivate func writes(_ text: String) -> Bool {
        let utf8 = Array(text.utf8)
        func isBlank(at index: Int) -> Bool { utf8.count > index && utf8[index] == UInt8(ascii: " ") }
        return switch self {
        case .date: utf8.count == 10
        case .dateTime: utf8.count == 19 && isBlank(at: 10)
        case .fractionalDateTime:
            utf8.count > 20 && isBlank(at: 10) && utf8[19] == UInt8(ascii: ".")
                && utf8[20...].allSatisfy { (48...57).contains($0) }
        default: false
        }
    }
}
