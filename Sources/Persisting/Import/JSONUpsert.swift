internal import Foundation

/// Writes objects from JSON, all of them in the transaction that is open.
struct JSONUpsert {
    private let target: ImportTarget
    private let columns: [ImportColumn]
    private let keyColumns: [Int]
    private let invalidValues: InvalidValues

    /// The values that an element has for the class's columns.
    private struct Element {
        let json: [String: Any]
        let key: [SQLiteValue]
        let values: [(index: Int, value: SQLiteValue)]
        let isDeletion: Bool
    }

    private var mapping: Mapping { target.table.mapping }
    private var manager: PersistenceManager { target.manager }

    /// - Throws: ``PersistenceError/Code/noPrimaryKey``, and what ``ImportTarget`` throws.
    init(_ manager: PersistenceManager, _ type: PersistingModel.Type, _ invalidValues: InvalidValues) throws {
        let target = try ImportTarget(manager, type, .fail)
        self.target = target
        self.invalidValues = invalidValues
        keyColumns = target.keys.keyColumns
        if keyColumns.isEmpty { try target.table.mapping.requireKey() }
        columns = try target.keys.importColumns(defaults: target.defaults, prefersDefault: true)
    }

    /// Writes the objects, and deletes those whose status says so.
    ///
    /// - Parameter setUp: Called with each object after it has been saved; what it changes is saved.
    /// - Returns: The objects in the order of the elements, and how many rows were deleted.
    func run(
        _ json: [[String: Any]], statusKey: String? = nil, _ db: any EngineConnection,
        _ setUp: (PersistingModel) throws -> Void
    ) throws -> (objects: [PersistingModel], deleted: Int) {
        let elements = try json.enumerated().map { try element($1, at: $0, statusKey) }
        var known = try existing(elements, db)
        var objects: [PersistingModel] = []
        var deleted = 0
        for element in elements {
            if element.isDeletion {
                if let object = known.removeValue(forKey: element.key), try manager.delete(object) { deleted += 1 }
                continue
            }
            let object = try write(element, known[element.key])
            known[element.key] = object
            try target.keys.store(element.json, of: object, manager)
            try manager.running { try setUp(object) }
            try manager.save(object)
            objects.append(object)
        }
        return (objects, deleted)
    }

    private func element(_ json: [String: Any], at position: Int, _ statusKey: String?) throws -> Element {
        var json = json
        if let root = target.keys.remote.root, json.count == 1, let inner = json[root] as? [String: Any] {
            json = inner
        }
        var values: [(index: Int, value: SQLiteValue)] = []
        for column in columns {
            guard let (name, value) = found(column.index, in: json) else { continue }
            // A key that is null is none, whatever the default.
            if value is NSNull, keyColumns.contains(column.index) { continue }
            do {
                values.append((column.index, try column.stored(json: value, target.keys.kinds[column.index])))
            } catch let problem as ImportProblem {
                if invalidValues == .keep, !keyColumns.contains(column.index) { continue }
                throw PersistenceError(
                    .typeMismatch, "element \(position), \(name): \(problem.reason)", model: mapping.modelName,
                    key: column.column.key)
            }
        }
        let key = try keyColumns.map { index in
            guard let value = values.first(where: { $0.index == index })?.value, !value.isNull else {
                throw PersistenceError(
                    .missingPrimaryKeyValue,
                    "element \(position) has no value of \(target.keys.names[index] ?? mapping.columns[index].key), by "
                        + "which its row is found", model: mapping.modelName, key: mapping.columns[index].key)
            }
            return value
        }
        let status = statusKey.flatMap { JSONPath($0).value(in: json) } as? String
        return Element(json: json, key: key, values: values, isDeletion: statusKey != nil && status == "D")
    }

    /// The value that an element has for a column, with its key; nil when it has none.
    private func found(_ index: Int, in json: [String: Any]) -> (name: String, value: Any)? {
        let attributes = target.keys.remote.attributes
        guard !attributes.isEmpty else {
            return target.keys.allNames(of: index).lazy.compactMap { name in json[name].map { (name, $0) } }.first
        }
        return attributes.lazy.filter { $0.property.map { target.keys.isName($0, of: index) } ?? false }
            .compactMap { attribute in
                JSONPath(attribute.remoteKey).value(in: json).map { (attribute.remoteKey, $0) }
            }.first
    }

    /// The objects that there are, by their keys.
    private func existing(_ elements: [Element], _ db: any EngineConnection) throws -> [[SQLiteValue]: PersistingModel]
    {
        var wanted: [[SQLiteValue]] = []
        var seen: Set<[SQLiteValue]> = []
        for element in elements where seen.insert(element.key).inserted { wanted.append(element.key) }
        try target.table.check(db)
        let found = try mapping.naming {
            try RowLookup(target.type, target.table, by: keyColumns)
                .objects(wanted.flatMap(\.self)[...], manager, db, tracked: true)
        }
        var objects: [[SQLiteValue]: PersistingModel] = [:]
        for (key, object) in zip(wanted, found) { objects[key] = object }
        return objects
    }

    private func write(_ element: Element, _ known: PersistingModel?) throws -> PersistingModel {
        let object = known ?? target.type.init()
        for (index, value) in element.values { try target.keys.assign(value, to: index, of: object) }
        if known == nil {
            let given = target.keys.columns(of: element.values.map(\.index))
            try manager.write(object, target.table, .abort, given: given, leavingOutAll: true)
        } else {
            try manager.save(object)
        }
        return object
    }
}
