/// What the objects of one fetch have loaded of their relations. It is confined as the objects are, and goes with the
/// last of them.
///
/// It holds what was loaded; what was loaded knows its parents weakly. So there are no circles.
final class SiblingGroup {
    /// By whom the objects were loaded.
    struct Origin {
        /// The relation that the objects were loaded by.
        let relation: RelationDeclaration
        /// The to-one relation back, which leads there without a query; nil where none is declared.
        let inverse: RelationDeclaration?
        /// The group of those who loaded them.
        weak var group: SiblingGroup?
        /// Those of them who have asked for the objects. Only through them is one reached.
        private var parents: [RelationKey: Parent] = [:]

        init(_ relation: RelationDeclaration, inverse: RelationDeclaration?) {
            self.relation = relation
            self.inverse = inverse
        }

        /// The object that a foreign key leads to, if it is known and in its table.
        func parent(_ key: RelationKey) -> PersistingModel? {
            guard let parent = parents[key]?.object, parent.record.state == .persisted else { return nil }
            return parent
        }

        mutating func note(_ parent: PersistingModel, _ key: RelationKey) {
            if inverse != nil, parents[key]?.object !== parent { parents[key] = Parent(object: parent) }
        }

        /// Forgets the object that a foreign key leads to; without a key all of them.
        mutating func forgetParent(_ key: RelationKey? = nil) {
            if let key { parents[key] = nil } else { parents = [:] }
        }
    }

    /// An object that was set, or that asked, which goes when nothing else has it.
    private struct Parent {
        weak var object: PersistingModel?
    }

    /// The tracked values of the objects.
    let roster = SiblingRoster()
    var origin: Origin?
    private var held = ReleaseQueue.Held()
    /// Values that were computed of relations' rows.
    private var values: [LoadKey: LoadedValues] = [:]
    /// The objects to which to-one relations were set.
    private var given: [LoadKey: [RelationKey: Parent]] = [:]
    /// Whether the objects may be given what those have loaded who loaded them.
    private var inherits = true
    /// How often something was forgotten. What was asked before isn't kept any more.
    private(set) var forgotten = 0

    deinit {
        if !held.isEmpty { ReleaseQueue.release(&held) }
    }

    /// The related objects that wait to be saved with objects of the group, by those.
    var pending: [ObjectIdentifier: [PendingLink]] {
        _read { yield held.pending }
        _modify { yield &held.pending }
    }

    /// Notes the object to which a to-one relation was set: an ask for the key is answered by it as long as it is
    /// there.
    func give(_ object: PersistingModel, _ relation: RelationDeclaration, _ key: RelationKey) {
        given[LoadKey(relation: relation), default: [:]][key] = Parent(object: object)
    }

    /// The object to which a to-one relation was set, if it is in its table.
    func given(_ key: LoadKey, _ row: RelationKey) -> PersistingModel? {
        guard !given.isEmpty, let object = given[key]?[row]?.object, object.record.state == .persisted else {
            return nil
        }
        return object
    }

    /// The group, and those by whose relations its objects were loaded, the nearest first.
    ///
    /// What those have loaded of a relation for a key is the answer for these objects as well. So rows that lead to
    /// rows of their own table, such as a tree's, are loaded once, and not once for each step from one to the next.
    private var lineage: [SiblingGroup] {
        var groups = [self]
        while groups.count <= Self.ancestors, let last = groups.last, last.inherits, let next = last.origin?.group {
            groups.append(next)
        }
        return groups
    }

    /// How many steps back are looked at: more than there are relations in a circle of classes, as a rule. Without a
    /// limit each step of a chain would go through all steps before it.
    private static let ancestors = 8

    /// The relations of which something was loaded or computed, refined or not.
    var loadedRelations: [RelationDeclaration] {
        lineage.flatMap { group in
            group.held.loads.keys.map(\.relation) + group.values.keys.map(\.relation)
        }
    }

    /// All objects that were loaded of a relation for a key, by whatever refinement of it.
    func loadedTargets(_ relation: RelationDeclaration, _ key: RelationKey) -> [PersistingModel] {
        lineage.flatMap { group in
            group.held.loads.filter { $0.key.relation === relation }.flatMap { $0.value.targets(of: key) ?? [] }
        }
    }

    /// What was loaded of a relation by this group and those before it, the nearest first; see ``loaded(_:_:)``.
    func loadedByLineage(_ key: LoadKey, _ rollbacks: Int) -> [LoadedRelation] {
        lineage.compactMap { $0.loaded(key, rollbacks) }
    }

    /// What was loaded of a relation, unless it was read in a transaction and something has been rolled back since.
    func loaded(_ key: LoadKey, _ rollbacks: Int) -> LoadedRelation? {
        guard let known = held.loads[key] else { return nil }
        if let noted = known.rollbacks, noted != rollbacks {
            held.loads[key] = nil
            return nil
        }
        return known
    }

    /// Keeps what was loaded, for keys of which nothing was known.
    func keep(_ loaded: LoadedRelation, _ key: LoadKey) {
        for group in loaded.allGroups { group.origin?.group = self }
        // In place: a copy would be one of all that is known.
        held.loads[key, default: LoadedRelation()].take(loaded)
    }

    /// The values that were computed, unless in a transaction after which something has been rolled back.
    func values(_ key: LoadKey, _ rollbacks: Int) -> LoadedValues? {
        guard let known = values[key] else { return nil }
        if let noted = known.rollbacks, noted != rollbacks {
            values[key] = nil
            return nil
        }
        return known
    }

    func keep(_ loaded: LoadedValues, _ key: LoadKey) {
        values[key, default: LoadedValues()].take(loaded)
    }

    /// Forgets what was loaded and computed of a relation, refined or not: for one key or, without one, for all.
    func forget(_ relation: RelationDeclaration, _ key: RelationKey? = nil) {
        for group in lineage { group.forgetOwn(relation.root, key) }
    }

    private func forgetOwn(_ root: RelationDeclaration, _ key: RelationKey?) {
        forgotten += 1
        for load in held.loads.keys where load.relation === root {
            if let key { held.loads[load]?.forget(key) } else { held.loads[load] = nil }
        }
        for load in values.keys where load.relation === root {
            if let key { values[load]?.values[key] = nil } else { values[load] = nil }
        }
    }

    /// Forgets the object that answers an ask without having been loaded: one that was set, or leads back.
    func forgetKnown(_ relation: RelationDeclaration, _ key: RelationKey) {
        given[LoadKey(relation: relation.root)]?[key] = nil
        if origin?.inverse === relation.root { origin?.forgetParent(key) }
    }

    /// Has nothing kept that is being loaded, since it may be older than a write that has just ended.
    func forgetLoading() { forgotten += 1 }

    /// Has those who loaded the objects forget what they loaded, when an object may be another's now or is gone.
    ///
    /// - Parameter columns: Those that were written of an object; nil when it was deleted.
    func forgetAtOrigin(after columns: ColumnSet?, _ mapping: Mapping) {
        guard let origin, let inverse = origin.inverse, let group = origin.group else { return }
        if let columns, let relation = try? inverse.resolved(from: mapping),
            !relation.hops[0].fromColumns.contains(where: { columns.contains($0) })
        {
            return
        }
        group.forget(origin.relation)
        // Other relations may lead through these objects.
        group.values.removeAll()
    }

    /// Forgets all that was loaded.
    func forgetAll() {
        held.loads.removeAll()
        values.removeAll()
        given.removeAll()
        origin?.forgetParent()
        inherits = false
        forgotten += 1
    }
}

/// Values that were computed of a relation's rows, as they are stored: for each key one.
struct LoadedValues: Sendable {
    var values: [RelationKey: SQLiteValue] = [:]
    /// As ``LoadedRelation/rollbacks``.
    var rollbacks: Int?

    mutating func take(_ other: LoadedValues) {
        values.merge(other.values) { $1 }
        rollbacks = other.rollbacks ?? rollbacks
    }
}

extension PersistingModel {
    /// The group in which the object keeps what it loads; nil for one that was never in a table.
    ///
    /// Objects of one fetch share a group, since they belong to one isolation. Others may be tracked together
    /// and belong to several, such as those that one transaction has inserted: each first gets its own tracked values.
    final func joinedGroup() throws -> SiblingGroup? {
        guard let trackedRows = record.trackedRows else { return nil }
        if let group = trackedRows.group { return group }
        if !trackedRows.fetch.isTogether || record.sharesTrackedValues {
            record.trackedRows = try TrackedRow(trackedRows: trackedRows, slot: Int(record.slot)).copy()
            record.slot = 0
            record.sharesTrackedValues = false
        }
        let group = SiblingGroup()
        record.trackedRows?.join(group)
        return group
    }
}
