/// A load of a relation on its way to the database's side: values alone.
struct RelationLoad: Sendable {
    let relation: ResolvedRelation
    var keys: RelationKeys
    /// Whether the objects are tracked.
    let tracked: Bool
    /// What the objects' fetch says of loading.
    let loading: RelationLoading?
    /// Of when the objects are.
    var past: Int64?

    init(
        _ relation: ResolvedRelation, _ keys: ContiguousArray<RelationKey>, tracked: Bool, loading: RelationLoading?
    ) {
        self.relation = relation
        self.keys = RelationKeys(relation, keys)
        self.tracked = tracked
        self.loading = loading
    }

    /// Runs the load.
    ///
    /// - Parameter rollbacks: See ``LoadedRelation/rollbacks``.
    func load(
        by manager: PersistenceManager, _ db: any EngineConnection, rollbacks: Int?
    ) throws -> LoadedRelation {
        // Several queries are of one moment.
        try keys.areOfOneQuery && relation.refinement.loads.isEmpty || db.isInTransaction
            ? read(manager, db, rollbacks) : db.transaction(.deferred) { try read(manager, db, rollbacks) }
    }

    private func read(
        _ manager: PersistenceManager, _ db: any EngineConnection, _ rollbacks: Int?
    ) throws -> LoadedRelation {
        let (table, node) = (try manager.table(of: relation.target.modelType), relation.refinement.tree?.node)
        let all = try keys.all(db)
        let group = try relation.target.mayBeRelated ? SiblingGroup() : nil
        group?.origin = SiblingGroup.Origin(relation.declaration.root, inverse: relation.inverse?.root)
        let isScan = isScan
        let fetch = FetchTraits(
            isTogether: group != nil, isWholeTable: isScan && node == nil, loading: loading,
            past: (db as? PastConnection)?.number)
        var rows = RelatedRows(
            relation, LoadedRelation(all, group: group, rollbacks: rollbacks),
            RowObjects.selected(by: table.mapping, manager, tracked: tracked, fetch: fetch, group: group))
        func read(_ first: Int?, _ write: (StoredForms) throws -> CriteriaSQL) throws {
            try table.withForms(db, node, write: write) { sql in
                switch try db.statement(CachedSQL(sql.text)) {
                case .local(let statement): try rows.read(statement, sql, from: first)
                case .other(let statement): try rows.read(statement, sql, from: first)
                }
            }
        }
        let sql = RelationSQL(
            relation, rowID: fetch.past == nil ? try table.rowIDIfAny(db) : nil,
            canCall: db.capabilities.contains(.functions))
        if isScan {
            try read(nil) { try sql.loadAll($0) }
        } else {
            for (first, keys) in RelationKeys.batches(all, width: relation.hops[0].toColumns.count, db) {
                try read(first) { try sql.load(keys, $0) }
            }
        }
        let (loaded, loads) = (rows.loaded, relation.refinement.loads)
        if !loads.isEmpty {
            try RelationLoader(manager: manager, db: db, rollbacks: rollbacks)
                .load(loads, of: loaded.objects, table.mapping, fetch)
        }
        return loaded
    }

    /// Whether to read the whole related table, which is the shortest way where all rows are asked, and possible where
    /// the foreign key is one integer.
    private var isScan: Bool {
        let (hop, refinement) = (relation.hops[0], relation.refinement)
        return keys.areOfWholeTable && relation.hops.count == 1 && !relation.isToOne && hop.toColumns.count == 1
            && refinement.limit == nil && refinement.offset == nil
            && relation.target.operands[hop.toColumns[0]].affinity == .integer
    }

    /// The SQL that the load would run first, for an error.
    var sql: String { (try? RelationSQL(relation, rowID: "_rowid_").load(keys.known.prefix(1), .declared).text) ?? "" }
}

/// Makes objects of the rows that a load reads, and adds them to their keys.
private struct RelatedRows: ~Copyable {
    private let relation: ResolvedRelation
    private(set) var loaded: LoadedRelation
    private var objects: RowObjects
    /// Whether a row may be there for several keys: one object is made of it.
    private let isShared: Bool
    private var known: [RelationKey: (number: Int, object: PersistingModel)] = [:]
    private var pairs: Set<Pair> = []

    private struct Pair: Hashable {
        let place: Int
        let number: Int
    }

    init(_ relation: ResolvedRelation, _ loaded: LoadedRelation, _ objects: consuming RowObjects) {
        self.relation = relation
        self.loaded = loaded
        self.objects = objects
        // Different keys may be the same to a collation.
        let isInteger =
            relation.hops[0].toColumns.count == 1
            && relation.hops[0].to.operands[relation.hops[0].toColumns[0]].affinity == .integer
        isShared = !relation.target.key.isEmpty && (relation.hops.count > 1 || relation.isToOne && !isInteger)
    }

    /// Reads all rows.
    ///
    /// - Parameter first: The place of the first key that the query was for; nil for a query of the whole table, whose
    ///   rows say their key.
    mutating func read(_ statement: some EngineStatement, _ sql: CriteriaSQL, from first: Int?) throws {
        try sql.bind(to: statement)
        defer { statement.clear() }
        guard let first else { return try readAll(statement) }
        guard try statement.step() else { return }
        let column = statement.columnCount - 1
        repeat {
            let columns = objects.columns(of: statement, upTo: column + 1)
            let place = first + Int(columns[column].int64(at: column))
            if isShared {
                try appendShared(statement, to: place)
            } else {
                loaded.append(try objects.object(from: statement, columns), to: place)
            }
        } while try statement.step()
    }

    private mutating func readAll(_ statement: some EngineStatement) throws {
        let column = Int(relation.target.fields[relation.hops[0].toColumns[0]].position)
        // As a rule the next row is of the same key.
        var last: (key: Int64, place: Int?)?
        while try statement.step() {
            let columns = objects.columns(of: statement, upTo: column + 1)
            guard let key = try columns[column].integer(at: column) else { continue }
            if last?.key != key { last = (key, loaded.place(of: .integer(key))) }
            if let place = last?.place { loaded.append(try objects.object(from: statement, columns), to: place) }
        }
    }

    private mutating func appendShared(_ statement: some EngineStatement, to place: Int) throws {
        let target = relation.target
        let key = RelationKey(
            try target.key.map { try statement.value(at: Int(target.fields[$0].position)) as SQLiteValue })
        guard let key else { return loaded.append(try objects.object(from: statement), to: place) }
        let entry = try known[key] ?? (known.count, objects.object(from: statement))
        known[key] = entry
        if pairs.insert(Pair(place: place, number: entry.number)).inserted { loaded.append(entry.object, to: place) }
    }
}

extension ColumnSource {
    /// A foreign key as the integer that it is equal to; nil for NULL, and where there is none.
    @inline(__always)
    fileprivate func integer(at index: Int) throws -> Int64? {
        switch storageClass(at: index) {
        case .integer: return int64(at: index)
        case .null, .blob: return nil
        case .real, .text:
            // A column of an existing table may have another type than the class says.
            switch try value(at: index) as SQLiteValue {
            case .real(let real): return Int64(exactly: real)
            case .text(let text): return Int64(text)
            default: return nil
            }
        }
    }
}

extension PersistenceManager {
    /// Runs a load by itself, or in the transaction of the calling thread.
    func loaded(_ load: RelationLoad) throws -> LoadedRelation {
        try reading(table(of: load.relation.target.modelType), asOf: load.past.map { .transaction($0) }) { db in
            try load.load(by: self, db, rollbacks: rollbacksSoFar(db))
        }
    }

    /// The same, while the task is suspended.
    func loaded(_ load: RelationLoad) async throws -> sending LoadedRelation {
        try await onReadingSide(of: load.relation.target.modelType) { manager in try manager.loaded(load) }
    }
}
