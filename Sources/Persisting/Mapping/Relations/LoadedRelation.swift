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

/// The objects that belong to some keys: those of each key in a chain, in the order of their rows.
struct LoadedRelation {
    /// The place of each key.
    private var places: [RelationKey: Int32] = [:]
    /// The first and the last object of each place, and the next one of each object; -1 where there is none.
    private var heads: ContiguousArray<Int32> = []
    private var tails: ContiguousArray<Int32> = []
    private var nexts: ContiguousArray<Int32> = []
    private(set) var objects: ContiguousArray<PersistingModel> = []
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
        for key in keys { add(key) }
    }

    /// Adds a key, unless it is there.
    mutating func add(_ key: RelationKey) {
        guard places[key] == nil else { return }
        places[key] = Int32(heads.count)
        heads.append(-1)
        tails.append(-1)
    }

    func contains(_ key: RelationKey) -> Bool { places[key] != nil }

    func place(of key: RelationKey) -> Int? { places[key].map { Int($0) } }

    /// Adds an object to those of a place.
    mutating func append(_ object: PersistingModel, to place: Int) {
        let index = Int32(truncatingIfNeeded: objects.count)
        objects.append(object)
        nexts.append(-1)
        let tail = tails[place]
        if tail < 0 { heads[place] = index } else { nexts[Int(tail)] = index }
        tails[place] = index
    }

    /// The objects of a key; nil when nothing was loaded for it.
    func targets(of key: RelationKey) -> ContiguousArray<PersistingModel>? {
        guard let place = places[key] else { return nil }
        var found: ContiguousArray<PersistingModel> = []
        var index = heads[Int(place)]
        while index >= 0 {
            found.append(objects[Int(index)])
            index = nexts[Int(index)]
        }
        return found
    }

    /// The group that the objects of a key joined when they were loaded.
    func group(of key: RelationKey) -> SiblingGroup? {
        guard let place = places[key] else { return nil }
        return groups.last { $0.first <= place }?.group
    }

    /// The groups of all objects.
    var allGroups: [SiblingGroup] { groups.map(\.group) }

    /// Adds what another load has found, of other keys.
    mutating func take(_ other: LoadedRelation) {
        if heads.isEmpty {
            self = other
            return
        }
        let (firstPlace, firstObject) = (Int32(heads.count), Int32(objects.count))
        func moved(_ index: Int32) -> Int32 { index < 0 ? index : index + firstObject }
        for (key, place) in other.places { places[key] = place + firstPlace }
        heads += other.heads.lazy.map(moved)
        tails += other.tails.lazy.map(moved)
        nexts += other.nexts.lazy.map(moved)
        objects += other.objects
        groups += other.groups.map { ($0.first + firstPlace, $0.group) }
        rollbacks = other.rollbacks ?? rollbacks
    }

    /// Forgets what was loaded for a key.
    mutating func forget(_ key: RelationKey) {
        places[key] = nil
    }
}
