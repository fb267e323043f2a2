internal import Foundation

/// A column of dates: what a look at the table has shown, and how to find out what it holds at the moment.
struct DateColumn: Sendable {
    /// How the library writes a date.
    private enum Writing {
        /// As the class does.
        case own
        /// In the row's own form, and in a new row, or one without a text, as it says here: the class does not say a
        /// form.
        case asFound(DateWriting)
        /// In the row's own form alone: the texts have several. Why a new row has none, and what to do.
        case ofRows(DateWriting, String)
        /// Of a key, which is written as it is stored and has no other form: nobody knows in which, and why.
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
    /// Why the numbers that have been seen may not be of the class's unit, and what to declare.
    private let doubt: String?
    private let writing: Writing

    /// The columns of dates in a class's table, except for those in which SQLite stores nothing but the class's
    /// numbers.
    static func all(of mapping: Mapping, in schema: TableSchema, rowID: String?, _ db: any EngineConnection) throws
        -> [DateColumn]
    {
        try checkMarks(of: mapping, db)
        let dates = mapping.columns.indices.filter { mapping.columns[$0].codec.dateForm != nil }
        guard !dates.isEmpty else { return [] }
        let columns = dates.filter { index in
            let affinity = schema.column(mapping.columns[index].name)?.affinity
            return !schema.isStrict || mapping.columns[index].codec.dateForm?.columnType == .text
                || affinity != .real && affinity != .integer
        }
        // A strict column of numbers has one form, but perhaps of another unit.
        try checkUnits(of: dates.filter { !columns.contains($0) }, mapping, schema, rowID: rowID, db)
        guard !columns.isEmpty else { return [] }
        let samples = try samples(of: columns, mapping, schema, rowID: rowID, db)
        let indexes = schema.isView ? [] : try indexes(of: mapping, schema, db)
        return try zip(columns, samples).map { index, sample in
            let prefixes = indexes.compactMap { list in list.firstIndex(of: index).map { Array(list[..<$0]) } }
            let column = DateColumn(index, sample, mapping, schema, prefixes, db)
            try column.checkUnit(mapping, db)
            return column
        }
    }

    /// Throws for a column that the table says holds numbers of another form of the same type.
    ///
    /// - Throws: ``PersistenceError/Code/schemaMismatch``.
    private static func checkMarks(of mapping: Mapping, _ db: any EngineConnection) throws {
        guard mapping.columns.contains(where: { $0.codec.dateForm.map { $0.columnType != .text } == true }),
            let text = try db.text(ofTable: mapping.tableName, in: mapping.database),
            // A mark is a comment.
            text.utf8.contains(UInt8(ascii: "*")),
            let table = TableDefinition(sql: text)
        else { return }
        for column in mapping.columns {
            guard let form = column.codec.dateForm,
                let held = DateStorage(mark: table.column(column.name)?.clause(.dateForm)), held != form,
                held.columnType == form.columnType
            else { continue }
            throw PersistenceError(
                .schemaMismatch,
                "the table \(mapping.fullTableName) says that \(column.name) holds dates as \(held.rawValue), and the class "
                    + "stores them as \(form.rawValue): declare it .date.stored(as: .\(held.rawValue)), or convert it "
                    + "by schemaPlan(for: [\(mapping.modelName).self]) and apply(_:)",
                model: mapping.modelName, key: column.key, expected: Date.self)
        }
    }

    /// Throws for strict columns whose numbers may not be of the class's unit.
    ///
    /// - Throws: ``PersistenceError/Code/schemaMismatch``.
    private static func checkUnits(
        of columns: [Int], _ mapping: Mapping, _ schema: TableSchema, rowID: String?, _ db: any EngineConnection
    ) throws {
        let undeclared = columns.filter { index in
            let column = mapping.columns[index]
            return column.declaration.dateStorage == nil && column.codec.dateForm == .unixSeconds
        }
        guard !undeclared.isEmpty, try !mapping.hasCreated(db) else { return }
        for (index, sample) in zip(undeclared, try samples(of: undeclared, mapping, schema, rowID: rowID, db)) {
            try DateColumn(index, sample, mapping, schema, [], db).checkUnit(mapping, db)
        }
    }

    /// Throws for numbers that may not be of the class's unit. A table that the library has made holds its own.
    ///
    /// - Throws: ``PersistenceError/Code/schemaMismatch``.
    private func checkUnit(_ mapping: Mapping, _ db: any EngineConnection) throws {
        guard let doubt, try affinity != .real || !mapping.hasCreated(db) else { return }
        let name = mapping.columns[index].name
        throw PersistenceError(
            .schemaMismatch, "in the table \(mapping.fullTableName), the column \(name) \(doubt)",
            model: mapping.modelName,
            key: mapping.columns[index].key, expected: Date.self)
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
        let isUndeclared = column.declaration.dateStorage == nil && form == .unixSeconds
        doubt =
            !isUndeclared
            ? nil
            : schema.columns.areOfCoreData ? sample.numbers.doubtOfCoreData : sample.numbers.doubt(affinity)
        isOwn = sample.isOwn
        isUnseen = sample.count == 0
        isSorted = sample.hasTexts && sample.areTextsOwn
        takesTexts = sample.hasTexts && !sample.hasNumbers && form.columnType == .text
        let needsForm = !sample.isOwn || schema.isView || !Self.isDeclared(column, schema)
        let written =
            needsForm ? Self.writing(column, sample, affinity, form, isKey: mapping.key.contains(index)) : .own
        // Only the library's own function tells of each row.
        if case .asFound(.form(form)) = written, !db.capabilities.contains(.functions) {
            writing = .own
        } else {
            writing = written
        }
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
                return !isKey && (!isNumeric || sample.hasTexts) ? .asFound(.form(form)) : .own
            }
        }
        let held = sample.held
        if held == form.text { return .own }
        if !isKey, !held.isMixed { return .asFound(.text(held)) }
        let storage = DateStorage.allCases.first { $0.text == held } ?? .fractionalDateTime
        let example = sample.example.map { ", such as \($0)," } ?? ""
        let reason =
            "the column \(column.name) holds dates as text\(example) and the class doesn't say in which form to write "
            + "them: declare it .date.stored(as: .\(storage.rawValue)), or in another form"
        return isKey ? .rejectedKey(reason) : .ofRows(.text(held), reason)
    }

    /// Whether the column gets another form than the class's own, or none, so that its affinity changes nothing.
    var isConverted: Bool { if case .own = writing { false } else { true } }

    /// What the table does to values of the class, where no form is converted: a key of texts takes none but these.
    var keyFit: ColumnFit? {
        if case .rejectedKey(let reason) = writing { ColumnFit(textsAloneFor: reason, affinity) } else { nil }
    }

    /// The form to write, where it is not the class's own.
    ///
    /// - Parameter isNew: Whether a row may be inserted.
    /// - Throws: ``PersistenceError/Code/invalidModel`` where nobody knows it.
    func formToWrite(_ mapping: Mapping, isNew: Bool) throws -> DateForm? {
        switch writing {
        case .own, .rejectedKey: return nil
        case .ofRows(_, let reason) where isNew:
            throw PersistenceError(
                .invalidModel, reason, model: mapping.modelName, key: mapping.columns[index].key, expected: Date.self)
        case .asFound(let new), .ofRows(let new, _): return DateForm(own: form, new: new)
        }
    }

    /// The columns of the indexes of a table, as far as they are properties' and are compared by their bytes.
    private static func indexes(
        of mapping: Mapping, _ schema: TableSchema, _ db: any EngineConnection
    ) throws -> [[Int]] {
        let indexes = schema.indexes.filter { !$0.isPartial }
        guard !indexes.isEmpty else { return [] }
        let columns = Dictionary(mapping.columns.indices.map { (asciiLowercased(mapping.columns[$0].name), $0) }) {
            first, _ in first
        }
        return try indexes.map { index in
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
    private(set) var numbers = DateNumbers()
    private(set) var hasNumbers = false
    /// How many rows there were.
    private(set) var count = 0
    /// A text.
    private(set) var example: String?
    /// How the texts are written that were dates.
    private var shape: DateText?

    init(_ form: DateStorage) {
        self.form = form
    }

    var hasTexts: Bool { example != nil }
    /// How the texts are written. Numbers that the column has made texts of, and what isn't a date, say nothing.
    var held: DateText { shape ?? .fractional }

    private mutating func add(_ number: Double) {
        hasNumbers = true
        numbers.add(number)
        if form.columnType == .text { areOthersOwn = false }
    }

    mutating func add(_ value: SQLiteValue) {
        count += 1
        switch value {
        case .null: return
        case .integer(let number): add(Double(number))
        case .real(let number): add(number)
        case .blob: areOthersOwn = false
        case .text(let text):
            example = text
            guard let date = try? DateStorage.unixSeconds.date(from: value) else {
                areTextsOwn = false
                return
            }
            if (try? form.value(for: date)) != value { areTextsOwn = false }
            // A number that the column has made a text of has no form.
            guard let shape = DateText(of: text) else { return }
            if self.shape?.merge(shape) == nil { self.shape = shape }
        }
    }
}

extension Mapping {
    /// Whether the table's text is what the library writes for the class, perhaps with more columns.
    fileprivate func hasCreated(_ db: any EngineConnection) throws -> Bool {
        guard let text = try db.text(ofTable: tableName, in: database) else { return false }
        let own = sql.definition
        guard text.hasPrefix(own.sql.prefix { $0 != "\n" } + "\n    "), let found = TableParts(text) else {
            return text == own.sql
        }
        return own.parts.allSatisfy { part in found.parts.contains { haveSameBytes($0, part) } }
    }
}

extension EngineConnection {
    /// The text that created a table; nil where there is none.
    fileprivate func text(ofTable name: String, in database: String) throws -> String? {
        let query: SQL = """
            SELECT sql FROM \(identifier: database).sqlite_schema
            WHERE type = 'table' AND name = \(name) COLLATE NOCASE
            """
        return try rows(query, cached: false).first?.value(at: 0, as: String.self)
    }
}
