/// What a load is known by: the relation as its class declares it, and how it was refined.
struct LoadKey: Hashable {
    /// Held, so that no other has its identity.
    let relation: RelationDeclaration
    /// The condition, the order and the limit, as SQL with its values.
    var sql = ""
    var values: [SQLiteValue] = []

    static func == (lhs: LoadKey, rhs: LoadKey) -> Bool {
        lhs.relation === rhs.relation && lhs.sql == rhs.sql && lhs.values == rhs.values
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(relation))
        if !sql.isEmpty { hasher.combine(sql) }
    }
}

/// The objects that belong to some keys, in the order of their rows.
///
/// Each key's objects are an array, which an ask is given as it is: a new one would count a reference to each of them.
struct LoadedRelation {
    /// The place of each key.
    private var places: [RelationKey: Int32] = [:]
    /// The objects of each place.
    private var targets: ContiguousArray<ContiguousArray<PersistingModel>> = []
    /// The place that was last given its first object.
    private var latest = 0
    /// The groups that the objects are in, each with the first place of its load.
    private var groups: [(first: Int32, group: SiblingGroup)] = []
    /// How many rollbacks there had been when this was read in a transaction, which a rollback would undo; nil
    /// elsewhere.
    private(set) var rollbacks: Int?

    /// - Parameters:
    ///   - keys: Keys, each once.
    ///   - group: The group that the objects join, if any.
    init(_ keys: ContiguousArray<RelationKey> = [], group: SiblingGroup? = nil, rollbacks: Int? = nil) {
        if let group { groups.append((0, group)) }
        self.rollbacks = rollbacks
        places.reserveCapacity(keys.count)
        for (place, key) in keys.enumerated() { places[key] = Int32(truncatingIfNeeded: place) }
        targets = ContiguousArray(repeating: [], count: keys.count)
    }

    func contains(_ key: RelationKey) -> Bool { places[key] != nil }

    func place(of key: RelationKey) -> Int? { places[key].map { Int($0) } }

    /// Adds an object to those of a place.
    @inline(__always)
    mutating func append(_ object: consuming PersistingModel, to place: Int) {
        if targets[place].isEmpty { expectMore(at: place) }
        targets[place].append(object)
    }

    /// Makes room for as many objects as another key has, since keys have similar numbers of them as a rule.
    private mutating func expectMore(at place: Int) {
        let expected = max(targets[latest].count, 1)
        targets[place].reserveCapacity(expected)
        latest = place
    }

    /// The objects of a key; nil when nothing was loaded for it.
    func targets(of key: RelationKey) -> ContiguousArray<PersistingModel>? {
        places[key].map { targets[Int($0)] }
    }

    /// Whether all objects of a key are in their table, as far as is known.
    func areTargetsPersisted(of key: RelationKey) -> Bool {
        guard let place = places[key] else { return true }
        return targets[Int(place)].allSatisfy { $0.record.state == .persisted }
    }

    /// All objects, those of one key after those of another.
    var objects: ContiguousArray<PersistingModel> { ContiguousArray(targets.joined()) }

    /// The group that the objects of a key joined when they were loaded.
    func group(of key: RelationKey) -> SiblingGroup? {
        guard let place = places[key] else { return nil }
        return groups.last { $0.first <= place }?.group
    }

    /// The groups of all objects.
    var allGroups: [SiblingGroup] { groups.map(\.group) }

    /// Adds what another load has found, of other keys.
    mutating func take(_ other: LoadedRelation) {
        if targets.isEmpty {
            self = other
            return
        }
        let first = Int32(truncatingIfNeeded: targets.count)
        for (key, place) in other.places { places[key] = place + first }
        targets += other.targets
        groups += other.groups.map { ($0.first + first, $0.group) }
        rollbacks = other.rollbacks ?? rollbacks
    }

    /// Forgets what was loaded for a key.
    mutating func forget(_ key: RelationKey) {
        places[key] = nil
    }
}
