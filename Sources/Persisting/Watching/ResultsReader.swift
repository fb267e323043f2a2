internal import SQLiteKit

/// A row's primary key, as it is stored.
enum RowKey: Hashable, Sendable {
    case integer(Int64)
    case values([SQLiteValue])

    init(_ values: some Collection<SQLiteValue>) {
        if values.count == 1, case .integer(let number)? = values.first {
            self = .integer(number)
        } else {
            self = .values(Array(values))
        }
    }

    /// The key in the first columns of a row.
    fileprivate init(_ row: some EngineStatement, _ count: Int) throws {
        if count == 1, row.storageClass(at: 0) == .integer {
            self = .integer(row.int64(at: 0))
        } else {
            self.init(try (0..<count).map { try row.value(at: $0) })
        }
    }

    var values: [SQLiteValue] {
        switch self {
        case .integer(let number): [.integer(number)]
        case .values(let values): values
        }
    }
}

/// Reads the results of a query for who has read them before: which rows there are, and objects of those alone that are
/// new or have changed.
struct ResultsReader<Model: PersistingModel>: Sendable {
    let manager: PersistenceManager
    let query: Query<Model>
    let table: ModelTable
    /// The SQL of what names sections; nil without sections.
    let section: String?

    /// What was read, in one transaction.
    struct Results {
        /// The rows in order.
        var keys: [RowKey] = []
        /// What names sections, as it is stored, and where the rows end that have it; empty without sections.
        var sections: [(stored: SQLiteValue, end: Int)] = []
        var objects: [RowKey: PersistingModel] = [:]
        /// What the results depend on.
        var reads: [String: TableReads] = [:]
        /// What the relations depend on that were loaded with the objects.
        var readsOfLoads: [String: TableReads] = [:]
        /// Whether the rows are those of a view, which change with the tables that it reads.
        var isView = false
    }

    /// Reads the results.
    ///
    /// - Parameters:
    ///   - known: The rows that were read before.
    ///   - touched: The rows that may have changed since; nil for any.
    func read(_ db: Database, known: [RowKey], touched: Set<RowKey>?) throws -> Results {
        var (results, reads) = try db.notingReads {
            try manager.running {
                var results = try rows()
                if let touched {
                    let new = wanted(results.keys, known, touched)
                    try add(new, to: &results, db)
                } else {
                    let objects = try manager.fetchAll(query.withoutLoads)
                    try load(ContiguousArray(upcast(objects)), query.traits(table.mapping), into: &results, db)
                    for object in objects {
                        guard let trackedValues = object.record.trackedValues else { continue }
                        let mapping = try Mapping.of(object)
                        results.objects[RowKey(try mapping.key.map { try mapping.stored($0, in: trackedValues) })] =
                            object
                    }
                    // Among equals in the order, SQLite may choose others when it reads more columns.
                    try add(results.keys.filter { results.objects[$0] == nil }, to: &results, db)
                }
                return results
            }
        }
        results.reads = reads.merging(results.readsOfLoads) { $0.merged(with: $1) }
        results.isView = try table.rowIDIfAny(db) == nil
        return results
    }

    /// The keys and the sections' names.
    private func rows() throws -> Results {
        let mapping = table.mapping
        let list = (mapping.key.map { mapping.sql.columns[$0] } + [section].compactMap { $0 }).joined(separator: ", ")
        let count = mapping.key.count
        return try manager.reading(table) { db in
            try table.withForms(
                db, query.node,
                write: { [query] forms in try query.sql("SELECT \(list) FROM \(mapping.sql.table)", mapping, forms) }
            ) { sql in
                switch try db.statement(CachedSQL(sql.text)) {
                case .local(let statement): try rows(statement, sql, count)
                case .other(let statement): try rows(statement, sql, count)
                }
            }
        }
    }

    private func rows(_ statement: some EngineStatement, _ sql: CriteriaSQL, _ keyCount: Int) throws -> Results {
        try sql.bind(to: statement)
        defer { statement.clear() }
        var results = Results()
        var last: SQLiteValue?
        while try statement.step() {
            results.keys.append(try RowKey(statement, keyCount))
            guard section != nil else { continue }
            let stored = try statement.value(at: keyCount)
            if stored != last { results.sections.append((stored, 0)) }
            last = stored
            results.sections[results.sections.count - 1].end = results.keys.count
        }
        return results
    }

    /// The rows that an object is needed of.
    private func wanted(_ keys: [RowKey], _ known: [RowKey], _ touched: Set<RowKey>) -> [RowKey] {
        // As a rule nearly all is as it was.
        let (prefix, suffix) = commonEnds(known, keys)
        let old = Set(known[prefix..<(known.count - suffix)])
        let new = keys[prefix..<(keys.count - suffix)].filter { !old.contains($0) && !touched.contains($0) }
        return new + (touched.isEmpty ? [] : keys.filter(KeyFinder(touched).contains))
    }

    private func add(_ keys: [RowKey], to results: inout Results, _ db: Database) throws {
        guard !keys.isEmpty else { return }
        var lookup = RowLookup(query.modelType, keyOf: table)
        lookup.fetch = try query.traits(table.mapping)
        lookup.fetch.isWholeTable = false
        let found = try lookup.objects(keys.flatMap(\.values)[...], manager, db, tracked: true)
        try load(ContiguousArray(found.compactMap { $0 }), lookup.fetch, into: &results, db)
        for (key, object) in zip(keys, found) {
            guard let object else { throw table.mapping.notFound(key.values) }
            results.objects[key] = object
        }
    }

    /// Loads the query's relations, and notes what they depend on by itself.
    private func load(
        _ objects: ContiguousArray<PersistingModel>, _ fetch: FetchTraits, into results: inout Results, _ db: Database
    ) throws {
        guard !query.loads.isEmpty else { return }
        let loader = RelationLoader(manager: manager, db: db, rollbacks: nil)
        let (_, reads) = try db.notingReads { try loader.load(query.loads, of: objects, table.mapping, fetch) }
        results.readsOfLoads.merge(reads) { $0.merged(with: $1) }
    }
}

extension PersistingModel {
    /// Whether another object of the row has the same related objects and values as this one had when they were loaded.
    final func hasSameLoads(as other: PersistingModel, _ loads: [RelatedLoad]) throws -> Bool {
        try loads.allSatisfy { load in
            switch load.kind {
            case .value(let term):
                guard let value = try knownValue(term) else { return false }
                return try value == other.knownValue(term)
            case .relation(let declaration, _):
                guard let targets = try knownTargets(declaration), let others = try other.knownTargets(declaration)
                else { return false }
                return try targets.elementsEqual(others) { target, other in
                    try target.isSameAsRead(in: other)
                        && target.hasSameLoads(as: other, declaration.refinement.loads)
                }
            }
        }
    }

    /// Whether the row that another object was just made of is as it was when this object was made of it.
    final func isSameAsRead(in fresh: PersistingModel) throws -> Bool {
        guard let trackedRows = record.trackedRows, trackedRows.mapping === fresh.record.trackedRows?.mapping,
            let trackedValues = record.trackedValues, let others = fresh.record.trackedValues
        else { return false }
        let mapping = trackedRows.mapping
        if mapping.version != nil, try mapping.version(in: trackedValues) != mapping.version(in: others) {
            return false
        }
        return try !mapping.hasChanges(fresh, trackedValues)
    }
}

extension ModelTable {
    /// The rows of the table that commits may have changed; nil for any.
    ///
    /// - Parameters:
    ///   - isView: Whether the rows change with those of other tables.
    ///   - deferred: Whether deferred columns count, too.
    func rows(touchedBy commits: [CommittedChanges], isView: Bool, deferred: Bool = false) -> Set<RowKey>? {
        let name = mapping.recordedName
        let key = mapping.key.map { asciiLowercased(mapping.columns[$0].name) }
        let read = Set(
            mapping.columnsOfRows.filter { deferred || !$0.declaration.isDeferred }.map { asciiLowercased($0.name) })
        var touched: Set<RowKey> = []
        for commit in commits {
            guard let tables = commit.tables else { return nil }
            guard let changed = tables[name] else {
                if isView { return nil }
                continue
            }
            guard let rows = changed.rows, changed.keyColumns.map(asciiLowercased) == key else { return nil }
            // A row that gets another key may get any.
            let hasOtherKey = rows.contains { row in
                row.kind == .update && row.columns.contains { key.contains(asciiLowercased($0)) }
            }
            if hasOtherKey { return nil }
            for row in rows
            where row.kind != .update || row.columns.contains(where: { read.contains(asciiLowercased($0)) }) {
                touched.insert(RowKey(row.key))
            }
        }
        return touched
    }
}
