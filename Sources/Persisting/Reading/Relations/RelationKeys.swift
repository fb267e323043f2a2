/// The keys that a relation is loaded by, on their way to the database's side.
struct RelationKeys: Sendable {
    let relation: ResolvedRelation
    /// The keys that are known, each once.
    var known: ContiguousArray<RelationKey>
    /// The rows whose keys are to be read first, since their objects aren't tracked; nil for none.
    private var rows: Rows?
    /// Whether the keys are those of all rows of the table.
    var areOfWholeTable = false

    private enum Rows {
        case all
        /// By their primary keys.
        case keys(ContiguousArray<RelationKey>)
    }

    /// How many keys a query is for.
    private static let batch = 10_000
    /// The same where each of a key's values is a parameter.
    private static let smallBatch = 500

    init(_ relation: ResolvedRelation, _ known: ContiguousArray<RelationKey>) {
        self.relation = relation
        self.known = known
    }

    /// Whether one query asks for all of them.
    var areOfOneQuery: Bool { rows == nil && known.count <= Self.batch }

    /// Adds what the other objects of a fetch would ask for.
    ///
    /// - Parameters:
    ///   - isLoaded: Whether a key has been loaded before.
    mutating func addSiblings(
        of group: SiblingGroup, _ fetch: FetchTraits, isLoaded: ((RelationKey) -> Bool)?
    ) throws {
        var seen = Set(known)
        var untracked: ContiguousArray<RelationKey> = []
        // Before the roster is locked, since it may run the classes' own code.
        let relations = group.roster.mappings.compactMap(relation)
        try group.roster.forEach { trackedRows in
            guard let relation = relations.first(where: { $0.source === trackedRows.mapping }) else { return }
            let (mapping, columns) = (trackedRows.mapping, relation.hops[0].fromColumns)
            let isKept = trackedRows.isTracking || columns.allSatisfy { trackedRows.columns.contains($0) }
            for slot in 0..<trackedRows.count {
                if !isKept {
                    if let row = try mapping.relationKey(mapping.key, in: trackedRows[slot]) { untracked.append(row) }
                } else if let key = try mapping.relationKey(columns, in: trackedRows[slot]), seen.insert(key).inserted,
                    isLoaded?(key) != true
                {
                    known.append(key)
                }
            }
        }
        let isWhole = fetch.isWholeTable && group.roster.isWhole
        areOfWholeTable = isWhole && isLoaded == nil
        if untracked.count > 1, !relation.source.key.isEmpty { rows = isWhole ? .all : .keys(untracked) }
    }

    /// The keys, with those of the rows that have to be read.
    func all(_ db: any EngineConnection) throws -> ContiguousArray<RelationKey> {
        guard let rows else { return known }
        var (all, seen) = (known, Set(known))
        let canCall = db.capabilities.contains(.functions)
        func read(_ rows: ArraySlice<RelationKey>?) throws {
            let sql = RelationSQL.starts(of: relation, rows, canCall: canCall)
            let statement = try db.statement(CachedSQL(sql.text)).any
            try sql.bind(to: statement)
            defer { statement.clear() }
            while try statement.step() {
                if let key = RelationKey(try statement.values()), seen.insert(key).inserted { all.append(key) }
            }
        }
        switch rows {
        case .all: try read(nil)
        case .keys(let keys):
            for (_, keys) in Self.batches(keys, width: relation.source.key.count, db) { try read(keys) }
        }
        return all
    }

    /// Keys in portions that a query takes, each with the place of its first.
    static func batches(
        _ keys: ContiguousArray<RelationKey>, width: Int, _ db: any EngineConnection
    ) -> [(first: Int, keys: ArraySlice<RelationKey>)] {
        let size = db.capabilities.contains(.functions) ? batch : max(smallBatch / width, 1)
        return stride(from: 0, to: keys.count, by: size).map { first in
            (first, ArraySlice(keys[first..<min(first + size, keys.count)]))
        }
    }

    private func relation(from mapping: Mapping) -> ResolvedRelation? {
        if mapping === relation.source { return relation }
        // An object of another class of the table may not have the relation.
        return try? relation.declaration.resolved(from: mapping)
    }
}
