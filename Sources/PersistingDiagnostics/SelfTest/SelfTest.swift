internal import Persisting
internal import SQLiteKit

/// One run of the checks of a class.
///
/// Objects are written by the statements of the methods, but without their hooks, which are the user's.
final class SelfTest<Model: PersistingModel> {
    private let manager: PersistenceManager
    /// The class, which may be one below `Model`.
    private let type: Model.Type
    private let query: Query<Model>
    private let table: ModelTable
    private let mapping: Mapping
    private let examples: [Model]
    /// What the key of an object is set to that has to have one.
    private var keyValues: [Int: SQLiteValue] = [:]
    private var failures: [ValidationFailure] = []
    /// The checks that have failed already, by column.
    private var known: Set<[String]> = []

    init(_ manager: PersistenceManager, _ type: Model.Type, _ examples: [Model]) throws {
        self.manager = manager
        self.type = type
        self.examples = examples
        query = Query(type)
        table = try manager.table(of: type)
        mapping = table.mapping
    }

    /// - Returns: What does not hold.
    func findFailures() throws -> [ValidationFailure] {
        if !mapping.isKeyGenerated {
            for index in mapping.key { keyValues[index] = values(of: index).first { !$0.isNull } }
        }
        var isStored = false
        for index in mapping.columns.indices where isWritten(index) {
            let values = values(of: index)
            for (position, value) in values.enumerated() {
                guard let object = object(index, value), let stored = try store(object, index) else { continue }
                isStored = true
                try check(stored, index, value, then: values[(position + 1) % values.count])
                try empty()
            }
        }
        if !isStored, failures.isEmpty {
            note(nil, "insert", "an object made by init() can't be inserted: pass examples that can")
        }
        return failures
    }

    private func empty() throws {
        try manager.execute("DELETE FROM \(sql: SQL(mapping.tableText))")
        // After the greatest key there is, AUTOINCREMENT has none left.
        let database = mapping.database
        let counts = try manager.dictionaries(
            "SELECT name FROM \(identifier: database).sqlite_schema WHERE name = 'sqlite_sequence'")
        if !counts.isEmpty { try manager.execute("DELETE FROM \(identifier: database).sqlite_sequence") }
    }

    private func isWritten(_ index: Int) -> Bool {
        index != mapping.rowID && index != mapping.version && !table.isComputed(index)
    }

    private func note(_ index: Int?, _ check: String, _ reason: String) {
        let key = index.map { mapping.columns[$0].key }
        if known.insert([key ?? "", check]).inserted { failures.append(ValidationFailure(key: key, reason: reason)) }
    }

    /// Notes what `body` throws. A constraint that the table declares isn't a mistake of the class.
    private func noting<T>(_ index: Int, _ check: String, _ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch let error as PersistenceError where error.code == .constraint {
            return nil
        } catch {
            note(index, check, "\(check): \(error)")
            return nil
        }
    }

    // MARK: Values

    /// Stored values of a column, each as the class writes it.
    private func values(of index: Int) -> [SQLiteValue] {
        var seen: Set<String> = []
        let own = ([type.init()] + examples).compactMap { object in
            noting(index, "storing") { try mapping.stored(index, of: object) }
        }
        return (own + mapping.columns[index].testValues).filter { seen.insert("\($0)").inserted }
    }

    /// A new object with a value.
    private func object(_ index: Int, _ value: SQLiteValue) -> Model? {
        let object = type.init()
        for (key, value) in keyValues {
            guard noting(key, "setting", { try mapping.assign(stored: value, to: key, of: object) }) != nil else {
                return nil
            }
        }
        guard noting(index, "decoding \(value)", { try mapping.assign(stored: value, to: index, of: object) }) != nil
        else { return nil }
        let now = noting(index, "encoding \(value)") { try mapping.stored(index, of: object) }
        if let now, now != value { note(index, "codec", "\(value) decodes to a value that is stored as \(now)") }
        return now == value ? object : nil
    }

    // MARK: Checks

    /// Inserts an object, and finds it again.
    private func store(_ object: Model, _ index: Int) throws -> Model? {
        let isKey = mapping.key.contains(index)
        // What has no key yet is given one by SQLite, or by nobody.
        guard try !isKey || mapping.isKeyGenerated || !mapping.isNull(index, of: object) else { return nil }
        let isInserted: Void? = noting(index, "inserting") {
            try manager.insertWithoutHooks(object)
        }
        guard isInserted != nil else { return nil }
        if !object.isPersisted { note(index, "state", "an inserted object doesn't count as persisted") }
        if object.hasChanges {
            note(index, "changes", "an inserted object has changes: \(object.changedKeys.sorted())")
        }
        return noting(index, "fetching") { try manager.fetchOne(query) } ?? nil
    }

    private func check(
        _ stored: Model, _ index: Int, _ value: SQLiteValue, then next: SQLiteValue
    ) throws {
        // A key that SQLite makes, a time or a default takes the place of a NULL.
        guard let value = try checkRow(stored, index, value, "comes back as") else { return }
        if !stored.changedKeys.isEmpty {
            note(index, "changes", "a fetched object has changes: \(stored.changedKeys.sorted())")
        }
        checkCriteria(stored, index, value)
        checkKey(index, stored)
        try checkUpdate(stored, index, value, next)
        checkDeletion(index, stored)
    }

    /// Whether an object holds a value, and reads it if it was left out.
    ///
    /// - Returns: The value that it holds.
    @discardableResult
    private func checkRow(
        _ object: Model, _ index: Int, _ value: SQLiteValue, _ words: String
    ) throws -> SQLiteValue? {
        let found = noting(index, "reading") {
            if mapping.isDeferred(index) { try manager.load([object], key: mapping.columns[index].key) }
            return try mapping.stored(index, of: object)
        }
        if let found, found != value, !value.isNull { note(index, words, "\(value) \(words) \(found)") }
        return found
    }

    private func checkCriteria(_ object: Model, _ index: Int, _ value: SQLiteValue) {
        guard !value.isNull || !mapping.key.contains(index) else { return }
        let condition = Criteria<Model>(key: mapping.columns[index].key, isStoredAs: value)
        let isFound = noting(index, "condition") { try manager.count(query.where(condition)) == 1 }
        if isFound == false { note(index, "SQL", "a condition in SQL doesn't find the row with \(value)") }
        // Of a deferred property, nil doesn't tell whether it is loaded.
        guard !value.isNull || !mapping.isDeferred(index) else { return }
        // Only the database knows the user's collations.
        guard (mapping.columns[index].declaration.collation ?? .binary).isKnown else { return }
        let isMatched = noting(index, "condition") { try condition.matches(object) }
        if isMatched == false { note(index, "memory", "a condition in memory doesn't match the object with \(value)") }
    }

    private func checkKey(_ index: Int, _ object: Model) {
        guard !mapping.key.isEmpty else { return }
        let found = noting(index, "finding by key") {
            try manager.object(type, table, mapping.key.map { try mapping.stored($0, of: object) }) != nil
        }
        if found == false { note(index, "key", "the row isn't found by its key") }
    }

    /// Sets another value, writes it, and reads the row.
    private func checkUpdate(
        _ object: Model, _ index: Int, _ value: SQLiteValue, _ other: SQLiteValue
    ) throws {
        guard !mapping.key.isEmpty, !mapping.key.contains(index), other != value else { return }
        let before = try mapping.columns.indices.map { try mapping.stored($0, of: object) }
        guard noting(index, "setting", { try mapping.assign(stored: other, to: index, of: object) }) != nil else {
            return
        }
        let key = mapping.columns[index].key
        if object.changedKeys != [key] {
            note(
                index, "changed keys",
                "set from \(value) to \(other), its object counts as changed: \(object.changedKeys)")
            return
        }
        let isUpdated: Void? = noting(index, "updating") {
            try manager.updateWithoutHooks(object, column: index)
        }
        guard isUpdated != nil, let row = noting(index, "fetching", { try manager.fetchOne(query) }) ?? nil else {
            return
        }
        try checkRow(row, index, other, "updated comes back as")
        for other in mapping.columns.indices
        where other != index && isWritten(other) && !mapping.isDeferred(other) {
            let now = try mapping.stored(other, of: row)
            guard now != before[other], !mapping.isAutomatic(other) else { continue }
            note(other, "others", "an update of \(key) changes it from \(before[other]) to \(now)")
        }
        _ = noting(index, "setting") { try mapping.assign(stored: value, to: index, of: row) }
        _ = noting(index, "setting") { try mapping.assign(stored: other, to: index, of: row) }
        if row.hasChanges { note(index, "set back", "set and set back, it counts as changed") }
    }

    private func checkDeletion(_ index: Int, _ object: Model) {
        guard !mapping.key.isEmpty else { return }
        let isDeleted = noting(index, "deleting") {
            try manager.deleteWithoutHooks(object)
            return try manager.fetchOne(query) == nil
        }
        if isDeleted == false { note(index, "deletion", "the row isn't deleted by its key") }
    }
}
