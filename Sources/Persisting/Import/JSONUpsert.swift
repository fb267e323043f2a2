internal import Foundation

/// Writes objects from JSON, all of them in the transaction that is open.
struct JSONUpsert {
    private let target: ImportTarget
    /// The classes that share the table, the one that is asked for first.
    private let members: [Member]
    private let kinds: ImportKinds?
    private let keyColumns: [Int]
    private let invalidValues: InvalidValues

    /// One of the classes that share the table.
    private struct Member {
        let target: ImportTarget
        let columns: [ImportColumn]

        init(_ target: ImportTarget) throws {
            self.target = target
            columns = try target.keys.importColumns(defaults: target.defaults, prefersDefault: true)
        }
    }

    /// An element of the JSON.
    private struct Element {
        let position: Int
        let json: [String: Any]
        let key: [SQLiteValue]
        /// The kind that the element has; nil for none.
        let kind: String?
        let isDeletion: Bool
    }

    private typealias Values = [(index: Int, value: SQLiteValue)]

    private var mapping: Mapping { target.table.mapping }
    private var manager: PersistenceManager { target.manager }

    /// - Throws: ``PersistenceError/Code/noPrimaryKey``, and what ``ImportTarget`` throws.
    init(_ manager: PersistenceManager, _ type: PersistingModel.Type, _ invalidValues: InvalidValues) throws {
        let target = try ImportTarget(manager, type, .fail)
        self.target = target
        self.invalidValues = invalidValues
        keyColumns = target.keys.keyColumns
        if keyColumns.isEmpty { try target.table.mapping.requireKey() }
        kinds = target.kinds
        members = try (target.members.isEmpty ? [target] : target.members).map { try Member($0) }
    }

    /// Writes the objects, and deletes those whose status says so.
    ///
    /// - Parameter setUp: Called with each object after it has been saved; what it changes is saved.
    /// - Returns: The objects in the order of the elements, and how many rows were deleted.
    func write(
        _ json: [[String: Any]], statusKey: String? = nil, _ db: any EngineConnection,
        _ setUp: (PersistingModel) throws -> Void
    ) throws -> (objects: [PersistingModel], deleted: Int) {
        let elements = try json.enumerated().compactMap { try element($1, at: $0, statusKey) }
        var known = try existing(elements, db)
        // All of them, before any is written. What an element makes of a row counts for those after it.
        var types = known.mapValues { type(of: $0) }
        let written = try elements.map { element in
            try PersistenceError.naming(rowOf: known[element.key]) {
                let member = try member(element, types[element.key])
                types[element.key] = element.isDeletion ? nil : member.target.type
                return (member: member, values: try values(of: element, member))
            }
        }
        var objects: [PersistingModel] = []
        var deleted = 0
        for (element, (member, values)) in zip(elements, written) {
            if element.isDeletion {
                if let object = known.removeValue(forKey: element.key), try manager.delete(object) { deleted += 1 }
                continue
            }
            let object = try write(values, member.target, known[element.key])
            if known[element.key] == nil, let kind = element.kind {
                try member.target.storeUnknown(kind: kind, of: object, db)
            }
            known[element.key] = object
            try member.target.keys.store(
                member.target.keys.relationshipValues(in: element.json), of: object, manager)
            try manager.running { try setUp(object) }
            try manager.save(object)
            objects.append(object)
        }
        return (objects, deleted)
    }

    /// - Returns: Nil for an element of an unknown kind that is left out.
    private func element(_ json: [String: Any], at position: Int, _ statusKey: String?) throws -> Element? {
        var json = json
        if let root = target.keys.remote.root, json.count == 1, let inner = json[root] as? [String: Any] {
            json = inner
        }
        let keys = target.keys
        let kind = kinds == nil ? nil : found(keys.kindIndex, keys, in: json)?.value as? String
        if let kind, try !isTaken(kind, position) { return nil }
        let columns = members[0].columns
        let key = try keyColumns.map { index in
            // A key that is null is none, whatever the default.
            guard let column = columns.first(where: { $0.index == index }),
                let (name, value) = found(index, keys, in: json), !(value is NSNull),
                let stored = try stored(value, column, name, keys, position), !stored.isNull
            else {
                throw PersistenceError(
                    .missingPrimaryKeyValue,
                    "element \(position) has no value of \(keys.names[index] ?? mapping.columns[index].key), by "
                        + "which its row is found", model: mapping.modelName, key: mapping.columns[index].key)
            }
            return stored
        }
        let status = statusKey.flatMap { JSONPath($0).value(in: json) } as? String
        return Element(
            position: position, json: json, key: key, kind: kind, isDeletion: statusKey != nil && status == "D")
    }

    /// Whether elements of a kind aren't left out.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKind``.
    private func isTaken(_ kind: String, _ position: Int) throws -> Bool {
        guard let kinds else { return true }
        var kind = kind
        do {
            return try kind.withUTF8 { bytes in
                let value = ImportValue(kind: .text, start: bytes.baseAddress, count: bytes.count)
                return try kinds.place(of: value) != ImportKinds.skipped
            }
        } catch let fault as ImportFault {
            throw fault.underlying ?? fault
        }
    }

    /// The class of an element: that of its kind, or else that of the object that there is.
    ///
    /// - Parameter known: The object's class.
    private func member(_ element: Element, _ known: PersistingModel.Type?) throws -> Member {
        let ofObject = known.flatMap { type in members.first { $0.target.type == type } }
        guard let kind = element.kind else { return ofObject ?? members[0] }
        let found = try mapping.member(ofKind: kind)
        let ofKind = members.first { $0.target.type == found.modelType } ?? members[0]
        guard let ofObject, ofObject.target.type != ofKind.target.type, !element.isDeletion else { return ofKind }
        throw PersistenceError(
            .unknownKind,
            "element \(element.position) is of the kind \(SQLText.literal(kind)), and its row is a "
                + "\(ofObject.target.table.mapping.modelName): a row's class never changes. Delete the row first",
            model: mapping.modelName, key: target.keys.property(of: target.keys.kindIndex))
    }

    /// The values that an element has for a class's columns.
    private func values(of element: Element, _ member: Member) throws -> Values {
        if element.isDeletion { return [] }
        let keys = member.target.keys
        var values: Values = []
        for column in member.columns {
            guard let (name, value) = found(column.index, keys, in: element.json) else { continue }
            let isKey =
                column.index < keys.mapping.columns.count
                && keyColumns.contains { index in
                    mapping.columns[index].key == keys.mapping.columns[column.index].key
                }
            guard !(value is NSNull && isKey),
                let stored = try stored(value, column, name, keys, element.position, isKey: isKey)
            else { continue }
            values.append((column.index, stored))
        }
        return values
    }

    /// What a column stores for a value; nil where it keeps its own.
    private func stored(
        _ value: Any, _ column: ImportColumn, _ name: String, _ keys: ImportKeys, _ position: Int, isKey: Bool = true
    ) throws -> SQLiteValue? {
        do {
            return try column.stored(json: value, keys.kinds[column.index])
        } catch let problem as ImportProblem {
            if invalidValues == .keep, !isKey { return nil }
            throw PersistenceError(
                .typeMismatch, "element \(position), \(name): \(problem.reason)", model: keys.mapping.modelName,
                key: column.column.key)
        }
    }

    /// The value that an element has for a column, with its key; nil when it has none.
    private func found(_ index: Int, _ keys: ImportKeys, in json: [String: Any]) -> (name: String, value: Any)? {
        let attributes = keys.remote.attributes
        guard !attributes.isEmpty else {
            return keys.allNames(of: index).lazy.compactMap { name in json[name].map { (name, $0) } }.first
        }
        return attributes.lazy.filter { $0.property.map { keys.isName($0, of: index) } ?? false }
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

    private func write(
        _ values: Values, _ target: ImportTarget, _ known: PersistingModel?
    ) throws -> PersistingModel {
        let object = known ?? target.type.init()
        for (index, value) in values { try target.keys.assign(value, to: index, of: object) }
        if known == nil {
            let given = target.keys.columns(of: values.map(\.index))
            try manager.write(object, target.table, .abort, given: given, leavingOutAll: true)
        } else {
            try manager.save(object)
        }
        return object
    }
}
