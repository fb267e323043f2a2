internal import Foundation

/// Writes the rows of an import by way of objects, for a class with hooks or validation.
final class ImportObjects {
    private let target: ImportTarget
    private let db: any EngineConnection
    /// Whether a row that fails is left out, and leaves nothing.
    private let isolatesRows: Bool
    /// The constraints by which an existing row is looked for, each by its columns.
    private let constraints: [[Int]]
    /// What a row has in the columns of these constraints where the file says nothing.
    private let defaults: [Int: SQLiteValue]

    /// - Throws: ``PersistenceError/Code/noUniqueConstraint``, and what the table lacks.
    init(_ target: ImportTarget, _ db: any EngineConnection, isolatesRows: Bool) throws {
        self.target = target
        self.db = db
        self.isolatesRows = isolatesRows
        let inspection = try target.table.checkForWriting(db)
        let known = inspection.uniqueness.constraints
        switch target.conflict {
        case .abort: constraints = []
        case .ignore, .replace: constraints = known
        case .update(let upsert):
            constraints = upsert.target.map { [$0] } ?? known
            let mapping = target.table.mapping
            guard !constraints.isEmpty else {
                throw mapping.noUniqueConstraint("the table \(mapping.tableName) has no unique constraint")
            }
            if let asked = upsert.target, !known.contains(where: { Set($0) == Set(asked) }),
                inspection.uniqueness.conditions(on: asked).isEmpty
            {
                let keys = asked.map { mapping.columns[$0].key }.list(", ")
                throw mapping.noUniqueConstraint("no unique constraint of \(mapping.tableName) is on \(keys)")
            }
        }
        let (mapping, fresh) = (target.table.mapping, target.type.init())
        var defaults: [Int: SQLiteValue] = [:]
        for index in constraints.joined() where defaults[index] == nil {
            defaults[index] =
                try inspection.defaultValue(of: index, mapping, db) ?? mapping.stored(index, of: fresh)
        }
        self.defaults = defaults
    }

    /// Writes a row.
    ///
    /// - Throws: ``ImportFault`` for a row that can't be taken, and other errors that end the import.
    func write(_ rows: some ImportRows) throws -> ImportWriter.Outcome {
        do {
            return isolatesRows ? try db.savepoint { try take(rows) } : try take(rows)
        } catch let fault as ImportFault {
            throw fault
        } catch let problem as ImportProblem {
            throw ImportFault(problem, column: nil, underlying: nil)
        } catch let error as PersistenceError where error.sqliteError?.isOfRow ?? true {
            let column = error.key.flatMap { key in target.table.mapping.columns.firstIndex { $0.key == key } }
            throw ImportFault(ImportProblem(reason: error.message), column: column, underlying: error)
        } catch {
            if error is CancellationError || error is SQLiteError || error is PersistenceError { throw error }
            // A hook that throws rejects the row.
            throw ImportFault(ImportProblem(reason: "\(error)"), column: nil, underlying: error)
        }
    }

    private func take(_ rows: some ImportRows) throws -> ImportWriter.Outcome {
        let values = try values(of: rows)
        for index in target.requiredColumns where !rows.present.contains(index) || rows.values[index].kind == .null {
            let key = target.table.mapping.columns[index].key
            throw ImportProblem(reason: "the row has no value of \(key), which is its key")
        }
        let found = try existing(values)
        guard let object = try save(values, in: found) else { return .skipped }
        if target.keepsKind, found == nil || target.conflict == .replace {
            try target.storeUnknown(kind: rows.kind, of: object, db)
        }
        if !target.keys.relationships.isEmpty {
            try target.keys.store(try rows.relationshipValues(), of: object, target.manager)
        }
        return found == nil ? .inserted : .updated
    }

    /// What the columns store for the values that the row has.
    private func values(of rows: some ImportRows) throws -> [(index: Int, value: SQLiteValue)] {
        var values: [(index: Int, value: SQLiteValue)] = []
        for column in target.columns where rows.present.contains(column.index) {
            do {
                try target.keys.kinds[column.index].check(rows.values[column.index])
                values.append((column.index, try column.stored(rows.values[column.index])))
            } catch let problem as ImportProblem {
                throw ImportFault(problem, column: column.index, underlying: nil)
            }
        }
        return values
    }

    /// Saves the values, in an existing object or in a new one.
    ///
    /// - Returns: The object; nil if the row is skipped.
    private func save(
        _ values: [(index: Int, value: SQLiteValue)], in found: PersistingModel?
    ) throws -> PersistingModel? {
        var conflict = target.conflict
        if let found {
            if case .ignore = conflict { return nil }
            if case .update(let upsert) = conflict {
                let named = target.table.mapping.keySet.union(ColumnSet(upsert.target ?? []))
                try assign(values.filter { !named.contains($0.index) }, to: found)
                try target.manager.save(found)
                return found
            }
        } else if case .update = conflict {
            conflict = .abort
        }
        let object = try new(values)
        let isWritten = try target.manager.write(
            object, target.table, conflict, given: given(values), leavingOutAll: true)
        return isWritten || found != nil ? object : nil
    }

    /// The object in whose way the row is; nil when it is new, and when it is to be an error.
    private func existing(_ values: [(index: Int, value: SQLiteValue)]) throws -> PersistingModel? {
        for columns in constraints {
            let names = columns.map { index in
                values.first { $0.index == index }?.value ?? defaults[index] ?? .null
            }
            if names.contains(where: \.isNull) { continue }
            let found = try RowLookup(target.type, target.table, by: columns)
                .objects(names[...], target.manager, db, tracked: true)
            if let object = found.first ?? nil { return object }
        }
        return nil
    }

    private func new(_ values: [(index: Int, value: SQLiteValue)]) throws -> PersistingModel {
        let object = target.type.init()
        try assign(values, to: object)
        return object
    }

    private func assign(_ values: [(index: Int, value: SQLiteValue)], to object: PersistingModel) throws {
        for (index, value) in values { try target.keys.assign(value, to: index, of: object) }
    }

    private func given(_ values: [(index: Int, value: SQLiteValue)]) -> ColumnSet {
        target.keys.columns(of: values.map(\.index))
    }
}

extension ModelTable.Inspection {
    /// What the table gives a column by itself; nil where it has no default.
    fileprivate func defaultValue(of index: Int, _ mapping: Mapping, _ db: any EngineConnection) throws -> SQLiteValue?
    {
        guard columnsWithDefault.contains(index),
            let sql = columns.first(where: { isSameName($0.name, mapping.columns[index].name) })?.defaultSQL
        else { return nil }
        return try db.scalar(SQL("SELECT \(sql)" as String), as: SQLiteValue.self)
    }
}

extension ImportKeys {
    /// Runs the closures that store parts of a row, and saves what they change of the object.
    func store(_ values: [RelationshipValue], of object: PersistingModel, _ manager: PersistenceManager) throws {
        for (attribute, value) in values { try manager.running { try attribute.relationship?(object, value) } }
        if !relationships.isEmpty { try manager.save(object) }
    }

    /// What an object of JSON has for the closures.
    func relationshipValues(in json: [String: Any]) -> [RelationshipValue] {
        relationships.compactMap { attribute in
            JSONPath(attribute.remoteKey).value(in: json).map { (attribute, $0 is NSNull ? nil : $0) }
        }
    }
}

/// The place of a value in objects inside each other.
struct JSONPath {
    let keys: [String]

    init(_ key: String) {
        keys = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The value, `NSNull` for a null; nil when there is none. An object that is null has null for all that is in it.
    func value(in json: [String: Any]) -> Any? {
        var value: Any = json
        for key in keys {
            if value is NSNull { return value }
            guard let next = (value as? [String: Any])?[key] else { return nil }
            value = next
        }
        return value
    }
}
