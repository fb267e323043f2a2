/// A load of a relation on its way to the database's side: values alone.
struct RelationLoad: Sendable {
    let relation: ResolvedRelation
    /// The keys to load the objects of, each once.
    var keys: ContiguousArray<RelationKey>
    /// The rows whose keys are to be read first, since their objects aren't tracked; nil for none.
    var rows: Rows?
    /// Whether the keys are those of all rows of the table: to read the whole related table is the shortest way.
    var isWholeTable = false
    /// Whether the objects are tracked.
    let tracked: Bool
    /// What the objects' fetch says of loading.
    let loading: RelationLoading?

    enum Rows: Sendable {
        case all
        /// By their primary keys.
        case keys(ContiguousArray<RelationKey>)
    }

    /// How many keys a query is for.
    private static let batch = 10_000
    /// The same where each of a key's values is a parameter.
    private static let smallBatch = 500

    /// Runs the load.
    ///
    /// - Parameter rollbacks: How many rollbacks there have been; nil outside of a transaction that writes.
    func run(
        _ manager: PersistenceManager, _ db: any EngineConnection, rollbacks: Int?
    ) throws -> LoadedRelation {
        let table = try manager.table(of: relation.target.modelType)
        let loads = relation.refinement.loads
        guard rows != nil || keys.count > Self.batch || !loads.isEmpty, !db.isInTransaction else {
            return try run(manager, db, table, loads, rollbacks)
        }
        // Several queries, of one moment.
        return try db.transaction(.deferred) { try run(manager, db, table, loads, rollbacks) }
    }

    private func run(
        _ manager: PersistenceManager, _ db: any EngineConnection, _ table: ModelTable, _ loads: [RelatedLoad],
        _ rollbacks: Int?
    ) throws -> LoadedRelation {
        let keys = try allKeys(manager, db)
        let group = try relation.target.relations == nil ? nil : SiblingGroup()
        if let group, let inverse = relation.inverse {
            group.origin = SiblingGroup.Origin(relation.declaration.root, inverse: inverse.root)
        }
        let canScan = canScan
        let traits = FetchTraits(
            isTogether: group != nil, isWholeTable: canScan && relation.refinement.tree == nil, loading: loading)
        var rows = RelatedRows(
            relation, LoadedRelation(keys, group: group, rollbacks: rollbacks),
            RowObjects(selectedBy: table.mapping, manager, tracked: tracked, fetch: traits, group: group))
        let canCall = db.capabilities.contains(.functions)
        let sql = RelationSQL(relation, rowID: try table.rowIDIfAny(db), canCall: canCall)
        let batch = canCall ? Self.batch : Self.smallBatch / relation.hops[0].toColumns.count
        for first in canScan ? stride(from: 0, to: 1, by: 1) : stride(from: 0, to: keys.count, by: max(batch, 1)) {
            try table.withForms(db, relation.refinement.tree?.node) { forms in
                try canScan ? sql.loadAll(forms) : sql.load(Array(keys[first...].prefix(batch))[...], forms)
            } run: { sql in
                switch try db.statement(CachedSQL(sql.text)) {
                case .local(let statement): try rows.read(statement, sql, from: canScan ? nil : first)
                case .other(let statement): try rows.read(statement, sql, from: canScan ? nil : first)
                }
            }
        }
        let loaded = rows.loaded
        try RelationLoader(manager: manager, db: db, rollbacks: rollbacks)
            .load(loads, of: loaded.objects, table.mapping, traits)
        return loaded
    }

    /// Whether to read the whole related table: where the foreign key is one integer.
    private var canScan: Bool {
        guard isWholeTable, relation.hops.count == 1, !relation.isToOne, relation.refinement.limit == nil,
            relation.refinement.offset == nil, relation.hops[0].toColumns.count == 1
        else { return false }
        return relation.target.operands[relation.hops[0].toColumns[0]].affinity == .integer
    }

    /// The keys, with those of the rows that have to be read.
    private func allKeys(
        _ manager: PersistenceManager, _ db: any EngineConnection
    ) throws -> ContiguousArray<RelationKey> {
        guard let rows else { return keys }
        var (all, known) = (keys, Set(keys))
        let canCall = db.capabilities.contains(.functions)
        func read(_ rows: ArraySlice<RelationKey>?) throws {
            let sql = RelationSQL.starts(of: relation, rows, canCall: canCall)
            let statement = try db.statement(CachedSQL(sql.text)).any
            try sql.bind(to: statement)
            defer { statement.clear() }
            while try statement.step() {
                guard let key = RelationKey(try statement.values()), known.insert(key).inserted else { continue }
                all.append(key)
            }
        }
        switch rows {
        case .all: try read(nil)
        case .keys(let keys):
            let batch = canCall ? Self.batch : max(Self.smallBatch / relation.source.key.count, 1)
            for first in stride(from: 0, to: keys.count, by: batch) {
                try read(Array(keys[first...].prefix(batch))[...])
            }
        }
        return all
    }

    /// The SQL that the load would run first, for an error.
    var sql: String {
        let first = keys.first.map { [$0] } ?? []
        return (try? RelationSQL(relation, rowID: "_rowid_").load(first[...], .declared).text) ?? ""
    }
}

/// Makes objects of the rows that a load reads, and adds them to their keys.
private struct RelatedRows {
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

    init(_ relation: ResolvedRelation, _ loaded: LoadedRelation, _ objects: RowObjects) {
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
        let column = statement.columnCount - 1
        while try statement.step() {
            let place = first + Int(statement.int64(at: column))
            if isShared {
                try appendShared(statement, to: place)
            } else {
                loaded.append(try objects.object(from: statement), to: place)
            }
        }
    }

    private mutating func readAll(_ statement: some EngineStatement) throws {
        let column = Int(relation.target.fields[relation.hops[0].toColumns[0]].position)
        // As a rule the next row is of the same key.
        var last: (key: Int64, place: Int?)?
        while try statement.step() {
            guard let key = try statement.integer(at: column) else { continue }
            if last?.key != key { last = (key, loaded.place(of: .integer(key))) }
            if let place = last?.place { loaded.append(try objects.object(from: statement), to: place) }
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

extension EngineStatement {
    /// A foreign key as the integer that it is equal to; nil for NULL, and where there is none.
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
    func run(_ load: RelationLoad) throws -> LoadedRelation {
        try reading(table(of: load.relation.target.modelType)) { db in
            try load.run(self, db, rollbacks: rollbacksSoFar(db))
        }
    }

    /// The same, while the task is suspended.
    func run(_ load: RelationLoad) async throws -> sending LoadedRelation {
        try await onReadingSide { manager in try manager.run(load) }
    }
}
