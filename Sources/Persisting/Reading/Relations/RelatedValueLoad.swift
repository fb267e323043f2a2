/// A load of what is computed of a relation's rows, such as their number, on its way to the database's side.
struct RelatedValueLoad: Sendable {
    let relation: ResolvedRelation
    let operand: RelatedOperand
    var keys: RelationKeys
    /// Of when the objects are.
    var past: Int64?

    /// - Throws: What a condition with the term does.
    init(_ term: CriteriaTerm, _ mapping: Mapping) throws {
        guard case .related(let relation, let operand) = try CriteriaResolver(mapping: mapping).operand(term, .none)
        else {
            throw PersistenceError(
                .invalidCriteria, "the value isn't one of related rows", model: mapping.modelName)
        }
        self.relation = relation
        self.operand = operand
        keys = RelationKeys(relation, [])
    }

    /// The value of a row whose key has a NULL in it.
    var valueOfNone: SQLiteValue { if case .count = operand { .integer(0) } else { .null } }

    /// How the value is asked for, after the relation's name.
    fileprivate var spelling: String {
        switch operand {
        case .count: ".count"
        case .aggregate(let aggregate, _, let term):
            ".\(aggregate == .average ? "average" : aggregate.rawValue)(\\.\(term.key ?? "…"))"
        case .value(_, let term): "[\\.\(term.key ?? "…")]"
        }
    }

    /// What the values are known by.
    var loadKey: LoadKey {
        get throws {
            var sql = CriteriaSQL(relation.source)
            try sql.append(relation, operand, from: relation.hops[0].toColumns.map { "\($0)" })
            return LoadKey(relation: relation.declaration.root, sql: sql.text, values: try sql.allValues)
        }
    }

    /// Runs the load.
    ///
    /// - Parameter rollbacks: See ``LoadedRelation/rollbacks``.
    func load(
        by manager: PersistenceManager, _ db: any EngineConnection, rollbacks: Int?
    ) throws -> LoadedValues {
        try keys.areOfOneQuery || db.isInTransaction
            ? read(manager, db, rollbacks) : db.transaction(.deferred) { try read(manager, db, rollbacks) }
    }

    private func read(
        _ manager: PersistenceManager, _ db: any EngineConnection, _ rollbacks: Int?
    ) throws -> LoadedValues {
        let table = try manager.table(of: relation.source.modelType)
        let all = try keys.all(db)
        var loaded = LoadedValues(rollbacks: rollbacks)
        for (first, keys) in RelationKeys.batches(all, width: relation.hops[0].toColumns.count, db) {
            try table.withForms(db, nil) { forms in
                try RelationSQL(relation, canCall: db.capabilities.contains(.functions)).values(operand, keys, forms)
            } run: { sql in
                let statement = try db.statement(CachedSQL(sql.text)).any
                try sql.bind(to: statement)
                defer { statement.clear() }
                while try statement.step() {
                    loaded.values[all[first + Int(statement.int64(at: 0))]] = try statement.value(at: 1)
                }
            }
        }
        return loaded
    }

    /// The SQL that the load would run first, for an error.
    var sql: String { (try? RelationSQL(relation).values(operand, keys.known.prefix(1), .declared).text) ?? "" }

    /// A stored value as a caller has it.
    func decoded<Value>(_ stored: SQLiteValue, as type: Value.Type) throws -> Value {
        var value: Any?
        if !stored.isNull {
            if let column = operand.column {
                do {
                    value = flattened(try column.column.codec.decode(stored))
                } catch {
                    throw column.column.failure(error, relation.target, stored: stored.storageClass)
                }
            } else if let convertible = unwrapped(type) as? any SQLiteValueConvertible.Type {
                value = try convertible.init(sqliteValue: stored)
            }
        }
        guard let value = value as? Value else {
            throw PersistenceError(
                .typeMismatch, "\(relation.name): the related value isn't a valid \(source: type)",
                model: relation.source.modelName, key: relation.name, expected: type, stored: stored.storageClass)
        }
        return value
    }
}

extension PersistenceManager {
    /// Runs a load by itself, or in the transaction of the calling thread.
    func loaded(_ load: RelatedValueLoad) throws -> LoadedValues {
        try reading(table(of: load.relation.source.modelType), asOf: load.past.map { .transaction($0) }) { db in
            try load.load(by: self, db, rollbacks: rollbacksSoFar(db))
        }
    }

    /// The same, while the task is suspended.
    func loaded(_ load: RelatedValueLoad) async throws -> LoadedValues {
        try await onReadingSide(of: load.relation.source.modelType) { manager in try manager.loaded(load) }
    }
}

extension PersistingModel {
    /// A value that is computed of a relation's rows; loaded for all objects of the fetch where it isn't known.
    ///
    /// - Parameter place: Where it is asked, for an error.
    final func relatedValue(_ term: CriteriaTerm, _ place: @autoclosure () -> String?) throws -> FoundRelated {
        let answer = try answer(term, place())
        return try answer.found(answer.stored ?? answer.value(in: answer.manager.loaded(answer.load)))
    }

    /// The same, while the task is suspended.
    nonisolated(nonsending) final func relatedValue(
        _ term: CriteriaTerm, _ place: @autoclosure () -> String?
    ) async throws -> FoundRelated {
        let answer = try answer(term, place())
        if let stored = answer.stored { return answer.found(stored) }
        return try await answer.found(answer.value(in: answer.manager.loaded(answer.load)))
    }

    /// A value, as it is stored, if it is known without a query.
    final func knownValue(_ term: CriteriaTerm) throws -> SQLiteValue? {
        try answer(term, nil, isLoading: false).stored
    }

    /// What is known of a value, or what to load.
    private struct ValueAnswer {
        struct Stored: StoredRelatedValue {
            let load: RelatedValueLoad
            let value: SQLiteValue

            func decoded<Value>(as type: Value.Type) throws -> Value { try load.decoded(value, as: type) }
        }

        let load: RelatedValueLoad
        let manager: PersistenceManager
        let key: RelationKey?
        let loadKey: LoadKey
        let group: SiblingGroup?
        /// See ``RelationAsk/forgotten``.
        let forgotten: Int
        /// The value, if it is known.
        let stored: SQLiteValue?

        func value(in loaded: LoadedValues) -> SQLiteValue {
            if let group, group.forgotten == forgotten { group.keep(loaded, loadKey) }
            return key.flatMap { loaded.values[$0] } ?? load.valueOfNone
        }

        func found(_ stored: SQLiteValue) -> FoundRelated {
            FoundRelated(kind: .value(Stored(load: load, value: stored)))
        }
    }

    private func answer(
        _ term: CriteriaTerm, _ place: @autoclosure () -> String?, isLoading: Bool = true
    ) throws -> ValueAnswer {
        var load = try RelatedValueLoad(term, Mapping.of(self))
        let relation = load.relation
        let manager = try record.trackedRows?.manager ?? PersistenceManager.current(for: type(of: self))
        let group = try joinedGroup()
        let loadKey = try load.loadKey
        let isGone = record.state == .deleted && !relation.hops[0].isToOne
        let key = isGone ? nil : try relation.key(of: self)
        let known = group?.values(loadKey, manager.rollbacksNow)
        let stored = key.map { known?.values[$0] } ?? load.valueOfNone
        if stored == nil, isLoading, let key {
            load.keys.known = [key]
            let fetch = record.trackedRows?.fetch ?? FetchTraits()
            load.past = fetch.past
            let loading = fetch.loading ?? manager.relationLoading
            if loading == .strict { throw relation.notLoaded(load.sql, place(), value: load.spelling) }
            if loading == .siblings, let group {
                try load.keys.addSiblings(
                    of: group, fetch, isLoaded: known.map { known in { known.values[$0] != nil } })
            }
        }
        return ValueAnswer(
            load: load, manager: manager, key: key, loadKey: loadKey, group: group,
            forgotten: group?.forgotten ?? 0, stored: stored)
    }
}
