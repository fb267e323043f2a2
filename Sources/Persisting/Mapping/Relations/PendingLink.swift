/// A related object that was given to another one and waits to be saved with it.
///
/// It belongs to the object that it was given to, its holder, and goes with it.
struct PendingLink {
    weak var holder: PersistingModel?
    /// The relation, as its class declares it.
    let relation: RelationDeclaration
    let target: PersistingModel
    /// The row between, of a relation through links.
    let link: PersistingModel?
    /// What the holder's foreign key held when a to-one relation was set: who sets it later by hand means another.
    let foreignKey: [SQLiteValue]
}

extension PersistingModel {
    /// Whether related objects wait to be saved with this one.
    @inline(__always)
    final var hasPendingLinks: Bool {
        guard let group = record.trackedRows?.group, !group.pending.isEmpty else { return false }
        return !pendingLinks.isEmpty
    }

    /// The related objects that wait to be saved with this one. Those of a foreign key that was set since don't.
    final var pendingLinks: [PendingLink] {
        // Another object may have had the identity before.
        let links = record.trackedRows?.group?.pending[ObjectIdentifier(self)]?.filter { $0.holder === self } ?? []
        // What can't be told here, the save says: it needs the same columns.
        return links.filter { link in
            guard case .toOne = link.relation.shape, let hop = try? link.relation.hop(of: self) else { return true }
            return (try? hop.foreignKey(of: self)) == link.foreignKey
        }
    }

    /// Has a related object wait.
    final func addPending(_ link: PendingLink) throws {
        let group = try joinedGroup() ?? newGroup()
        if case .toOne = link.relation.shape { removePending(link.relation) }
        group.pending[ObjectIdentifier(self), default: []].append(link)
    }

    /// Takes those of a relation's objects that are meant, all unless said, out of those that wait.
    final func removePending(_ relation: RelationDeclaration, where isMeant: (PersistingModel) -> Bool = { _ in true })
    {
        record.trackedRows?.group?.pending[ObjectIdentifier(self)]?.removeAll {
            $0.holder !== self || $0.relation === relation.root && isMeant($0.target)
        }
    }

    /// Takes all out of those that wait.
    @discardableResult
    final func removePending() -> [PendingLink] {
        record.trackedRows?.group?.pending.removeValue(forKey: ObjectIdentifier(self)) ?? []
    }

    /// Puts those taken out back in front of the others.
    final func restorePending(_ links: [PendingLink]) {
        record.trackedRows?.group?.pending[ObjectIdentifier(self), default: []].insert(contentsOf: links, at: 0)
    }

    /// The group of an object that was never in a table: its tracked values hold no column to compare with.
    private func newGroup() throws -> SiblingGroup {
        let trackedRows = TrackedRows(nil, try Mapping.of(self), capacity: 1, tracking: false)
        try trackedRows.append(self)
        let group = SiblingGroup()
        trackedRows.join(group)
        record.trackedRows = trackedRows
        record.slot = 0
        record.sharesTrackedValues = false
        return group
    }
}

extension RelationDeclaration {
    /// The step of a relation that has one, from an object's class.
    func hop(of object: PersistingModel) throws -> ResolvedRelation.Hop {
        try resolved(from: Mapping.of(object)).hops[0]
    }
}

/// Foreign keys, from the side that has them.
extension ResolvedRelation.Hop {
    /// What an object's properties hold, as it is stored.
    func foreignKey(of child: PersistingModel) throws -> [SQLiteValue] {
        try fromColumns.map { try from.stored($0, of: child) }
    }

    /// What refers to a parent; nil while that has no key.
    func foreignKey(to parent: PersistingModel) throws -> [SQLiteValue]? {
        let values = try toColumns.map { try to.stored($0, of: parent) }
        return values.contains(where: \.isNull) ? nil : values
    }

    /// Gives an object a foreign key.
    func assign(_ values: [SQLiteValue], to child: PersistingModel) throws {
        for (column, value) in zip(fromColumns, values) { try from.assign(stored: value, to: column, of: child) }
    }

    /// Whether no property that has a foreign key rejects nil.
    var isOptional: Bool { fromColumns.allSatisfy { from.columns[$0].isOptional } }
}
