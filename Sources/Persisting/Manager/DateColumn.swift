internal import Foundation

/// A column of dates that holds other forms than the class writes, or may: one that other programs write as well, or
/// whose declared type is not that of the form.
struct DateColumn: Sendable {
    /// How the library writes a date.
    private enum Writing {
        /// As the class does.
        case own
        /// As the column holds it: the class does not say a form.
        case other(DateStorage)
        /// Nobody knows in which form: why, and what to do.
        case refused(String)
    }

    let index: Int
    private let form: DateStorage
    private let name: String
    private let table: String
    /// Whether the least and the greatest value are found at once.
    private let isIndexed: Bool
    /// Whether the texts that have been seen are as the class writes them, which are in the order of their dates.
    private let isSorted: Bool
    private let hasNumbersAsText: Bool
    private let writing: Writing

    /// The columns of a class in whose table other forms may be.
    ///
    /// A column that is declared as the class would declare it is looked at in the table's first and last rows alone:
    /// what other programs wrote there is seen in these as a rule. Any other is taken to hold any forms.
    static func all(of mapping: Mapping, in schema: TableSchema, rowID: String?, _ db: Database) throws -> [DateColumn]
    {
        let columns = mapping.columns.indices.filter { mapping.columns[$0].codec.dateForm != nil }
        guard !columns.isEmpty else { return [] }
        let samples = try samples(of: columns, mapping, schema, rowID: rowID, db)
        let candidates = zip(columns, samples).filter { index, sample in
            !sample.isOwn || schema.isView || !Self.isDeclared(mapping.columns[index], schema)
        }
        guard !candidates.isEmpty else { return [] }
        let indexed = try indexed(mapping.tableName, db)
        return candidates.map { index, sample in
            DateColumn(
                index, sample, mapping, schema, isIndexed: indexed.contains(mapping.columns[index].name.lowercased()))
        }
    }

    private init(_ index: Int, _ sample: DateSample, _ mapping: Mapping, _ schema: TableSchema, isIndexed: Bool) {
        let column = mapping.columns[index]
        let affinity = schema.column(column.name)?.affinity ?? .blob
        self.index = index
        form = column.codec.dateForm ?? .unixSeconds
        name = mapping.sql.columns[index]
        table = mapping.sql.table
        self.isIndexed = isIndexed && !schema.isView
        isSorted = sample.areTextsOwn
        // A column of texts makes one of a number.
        hasNumbersAsText = sample.hasNumbersAsText || affinity == .text && form.columnType != .text
        writing = Self.writing(column, sample, affinity, form, isKey: mapping.key.contains(index))
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
            guard affinity == .text, form.columnType != .text else { return .own }
        }
        let held = sample.hasTexts ? sample.heldForm : .fractionalDateTime
        if held == form { return .own }
        let isUnderstood = form == .unixSeconds || form.columnType == .text
        if let held, isUnderstood, !isKey { return .other(held) }
        let example = sample.example.map { ", such as \($0)," } ?? ""
        return .refused(
            "the column \(column.name) holds dates as text\(example) and the class doesn't say in which form to write "
                + "them: declare it .date.stored(as: .\((held ?? .fractionalDateTime).rawValue)), or in another form")
    }

    /// What the column holds now, as far as conditions and orderings need know; nil for the class's own form.
    func contents(_ db: Database) throws -> StoredForms.Dates? {
        func found(_ contents: StoredForms.Dates.Contents) -> StoredForms.Dates {
            StoredForms.Dates(form: form, contents: contents)
        }
        guard isIndexed, !hasNumbersAsText else { return found(.any) }
        // SQLite puts numbers before texts, and texts before blobs.
        let statement = try db.prepare(
            CachedSQL("SELECT (SELECT min(\(name)) FROM \(table)), (SELECT max(\(name)) FROM \(table))"))
        defer { statement.clear() }
        guard try statement.step() else { return found(.any) }
        let (least, greatest) = (statement.storageClass(at: 0), statement.storageClass(at: 1))
        switch form.columnType {
        case .text where least == .null || least == .text && greatest == .text && isSorted: return found(.texts)
        case .text: return found(.numbersAndTexts)
        default: return [.null, .integer, .real].contains(greatest) ? nil : found(.numbersAndTexts)
        }
    }

    /// Whether the column gets another form than the class's own, so that its affinity changes nothing.
    var isConverted: Bool { if case .own = writing { false } else { true } }

    /// The form to write, where it is not the class's own.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` where nobody knows it.
    func formToWrite(_ mapping: Mapping) throws -> DateStorage? {
        switch writing {
        case .own: return nil
        case .other(let form): return form
        case .refused(let reason):
            throw PersistenceError(
                .invalidModel, reason, model: mapping.modelName, key: mapping.columns[index].key, expected: Date.self)
        }
    }

    /// The names of the columns that an index begins with, in lower case.
    private static func indexed(_ table: String, _ db: Database) throws -> Set<String> {
        let names = try db.once(
            """
            SELECT part.name FROM pragma_index_list(\(table)) AS list, pragma_index_xinfo(list.name) AS part
            WHERE list.partial = 0 AND part.seqno = 0 AND part.coll = 'BINARY' AND part.name IS NOT NULL
            """
        ).snapshots()
        return Set(try names.map { try $0.value(at: 0, as: String.self).lowercased() })
    }

    /// How many rows at each end of a table are looked at.
    private static let sampleSize = 50

    private static func samples(
        of columns: [Int], _ mapping: Mapping, _ schema: TableSchema, rowID: String?, _ db: Database
    ) throws -> [DateSample] {
        var samples = columns.map { DateSample(mapping.columns[$0].codec.dateForm ?? .unixSeconds) }
        // A view's rows may be dear, and nothing is written to one.
        guard !schema.isView else { return samples }
        let list = columns.map { mapping.sql.columns[$0] }.list(", ")
        let select = "SELECT \(list) FROM \(mapping.sql.table)"
        let orders = rowID.map { ["", " ORDER BY \($0) DESC"] } ?? [""]
        for order in orders {
            let rows = try db.prepare(SQL("\(select)\(order) LIMIT \(Self.sampleSize)" as String), cached: false)
                .query()
            defer { rows.close() }
            var count = 0
            while let row = try rows.next() {
                for position in columns.indices {
                    samples[position].add(try row.value(at: position, as: SQLiteValue.self))
                }
                count += 1
            }
            // Those were all.
            if count < Self.sampleSize { break }
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
    private(set) var hasNumbersAsText = false
    /// A text.
    private(set) var example: String?
    /// The forms of the texts; nil among them is another than the library writes.
    private var forms: Set<DateStorage?> = []

    init(_ form: DateStorage) {
        self.form = form
    }

    var hasTexts: Bool { example != nil }

    /// The form that has room for all the texts; nil where there is none.
    var heldForm: DateStorage? {
        if forms.contains(nil) { return nil }
        // Numbers that the column has made texts of, and what is no date.
        if forms.isEmpty { return .fractionalDateTime }
        if forms.contains(.iso8601) { return forms.count == 1 ? .iso8601 : nil }
        return forms.contains(.fractionalDateTime)
            ? .fractionalDateTime : forms.contains(.dateTime) ? .dateTime : .date
    }

    mutating func add(_ value: SQLiteValue) {
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
            guard text.dropFirst(4).first == "-" else {
                hasNumbersAsText = true
                return
            }
            forms.insert(DateStorage.textForms.first { $0.writes(text) } ?? (text.contains("T") ? .iso8601 : nil))
        }
    }
}

extension DateStorage {
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
