internal import Synchronization

/// A related object that was given to another one and waits to be saved with it.
///
/// It belongs to the object that it was given to, its holder, and goes with it. The holder holds the object, unless
/// that one holds the holder by the same foreign key: of a parent and its child, the parent holds the child.
struct PendingLink {
    weak var holder: PersistingModel?
    /// The relation, as its class declares it.
    let relation: RelationDeclaration
    /// The row between, of a relation through links.
    let link: PersistingModel?
    /// What the holder's foreign key held when a to-one relation was set: who sets it later by hand means another.
    let foreignKey: [SQLiteValue]
    /// Whether a save of the holder that is under way stores it.
    fileprivate(set) var isBeingSaved = false
    /// Later links have greater numbers.
    fileprivate let number = PendingLink.numbers.wrappingAdd(1, ordering: .relaxed).newValue
    private static let numbers = Atomic(0)
    private var held: PersistingModel?
    private weak var known: PersistingModel?

    init(
        _ holder: PersistingModel, _ relation: RelationDeclaration, _ target: PersistingModel,
        link: PersistingModel? = nil, foreignKey: [SQLiteValue] = []
    ) {
        self.holder = holder
        self.relation = relation
        self.link = link
        self.foreignKey = foreignKey
        // An object that refers to itself would hold itself.
        if target === holder { known = target } else { held = target }
    }

    /// The related object; nil when it was not held and is gone.
    var target: PersistingModel? { held ?? known }

    /// The number of the last link so far.
    static var lastNumber: Int { numbers.load(ordering: .relaxed) }

    var isToOne: Bool { if case .toOne = relation.shape { true } else { false } }

    /// Holds the related object, or no longer: one that holds this link's holder would never be released.
    fileprivate mutating func hold(_ isHeld: Bool) {
        guard let target, target !== holder else { return }
        (held, known) = isHeld ? (target, nil) : (nil, target)
    }
}

extension PersistingModel {
    /// Whether related objects wait to be saved with this one.
    @inline(__always)
    final var hasPendingLinks: Bool {
        guard hasGroup, let group = record.trackedRows?.group, !group.pending.isEmpty else { return false }
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

    /// Whether an object waits to be saved with this one by a relation.
    final func hasPending(_ target: PersistingModel, of relation: RelationDeclaration) -> Bool {
        let links = record.trackedRows?.group?.pending[ObjectIdentifier(self)] ?? []
        return links.contains { $0.relation === relation && $0.target === target && $0.holder === self }
    }

    /// Whether a new object was set by a foreign key's column while a save that doesn't store it is under way.
    final func hasSetMeanwhile(by column: Int) -> Bool {
        hasPendingLinks
            && pendingLinks.contains { link in
                guard !link.isBeingSaved, link.isToOne, let hop = try? link.relation.hop(of: self) else { return false }
                return hop.fromColumns.contains(column)
            }
    }

    /// Has a related object wait.
    final func addPending(_ link: PendingLink) throws {
        let group = try joinedGroup() ?? newGroup()
        if link.isToOne { removePending(link.relation) }
        group.pending[ObjectIdentifier(self), default: []].append(link)
        // The parent holds its child, and the child knows its parent.
        switch (link.relation.shape, link.target) {
        case (.toMany(let inverse), let child?): child.holdPending(self, of: inverse.root, false)
        case (.toOne, let parent?) where parent.holdsPending(self, of: link.relation):
            holdPending(parent, of: link.relation, false)
        default: break
        }
    }

    /// Whether an object waits to be saved with this one by a to-many relation that is the inverse of a to-one
    /// relation.
    private final func holdsPending(_ child: PersistingModel, of relation: RelationDeclaration) -> Bool {
        let links = record.trackedRows?.group?.pending[ObjectIdentifier(self)] ?? []
        return links.contains { link in
            guard link.target === child, link.holder === self, case .toMany(let inverse) = link.relation.shape else {
                return false
            }
            return inverse.root === relation
        }
    }

    /// Has the object that was set as a to-one relation, and waits, held by this one, or no longer.
    private final func holdPending(_ parent: PersistingModel, of relation: RelationDeclaration, _ isHeld: Bool) {
        guard let group = record.trackedRows?.group, let links = group.pending[ObjectIdentifier(self)] else { return }
        for (place, link) in links.enumerated()
        where link.holder === self && link.relation === relation && link.target === parent {
            group.pending[ObjectIdentifier(self)]?[place].hold(isHeld)
        }
    }

    /// Takes those of a relation's objects that are meant, all unless said, out of those that wait.
    final func removePending(_ relation: RelationDeclaration, where isMeant: (PersistingModel) -> Bool = { _ in true })
    {
        let group = record.trackedRows?.group
        guard let links = group?.pending[ObjectIdentifier(self)] else { return }
        let root = relation.root
        func isRemoved(_ link: PendingLink) -> Bool {
            link.holder !== self || link.relation === root && link.target.map(isMeant) ?? true
        }
        group?.pending[ObjectIdentifier(self)] = links.filter { !isRemoved($0) }
        guard case .toMany(let inverse) = root.shape else { return }
        for link in links where isRemoved(link) { link.target?.holdPending(self, of: inverse.root, true) }
    }

    /// Gives the object other tracked values, which are its row's.
    final func track(_ trackedRows: TrackedRows?, slot: Int32) throws {
        var new = record
        (new.trackedRows, new.slot, new.sharesTrackedValues) = (trackedRows, slot, false)
        try replaceRecord(by: new)
    }

    /// Replaces what is known of the object. What waits to be saved with it goes on waiting, except for what a save has
    /// just stored.
    @inline(__always)
    final func replaceRecord(by new: Record) throws {
        if hasGroup { try replaceRecordWithGroup(by: new) } else { record = new }
    }

    private func replaceRecordWithGroup(by new: Record) throws {
        let group = record.trackedRows?.group
        let links = group === new.trackedRows?.group ? [] : group?.take(of: self) { !$0.isBeingSaved } ?? []
        record = new
        if links.isEmpty { return }
        try (joinedGroup() ?? newGroup()).pending[ObjectIdentifier(self), default: []] += links
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

extension PersistingModel {
    /// What the object's row holds in some columns, as far as that is known, or else what the properties hold.
    ///
    /// - Parameter mapping: That of the object's class or of one above it.
    func rowValues(_ columns: [Int], _ mapping: Mapping) throws -> [SQLiteValue] {
        guard record.state == .persisted, let rows = record.trackedRows else {
            return try columns.map { try mapping.stored($0, of: self) }
        }
        let own =
            try rows.mapping === mapping
            ? columns : columns.map { try rows.mapping.index(ofKey: mapping.columns[$0].key) }
        guard rows.isTracking || own.allSatisfy({ rows.columns.contains($0) }) else {
            return try columns.map { try mapping.stored($0, of: self) }
        }
        return try own.map { try rows.mapping.stored($0, in: rows[Int(record.slot)]) }
    }
}

extension SiblingGroup {
    /// Marks what waits to be saved with an object as being saved.
    ///
    /// - Returns: Whether anything waits.
    func mark(of object: PersistingModel, upTo number: Int) -> Bool {
        guard let numbers = pending[ObjectIdentifier(object)]?.map(\.number) else { return false }
        for (place, own) in numbers.enumerated() where own <= number {
            pending[ObjectIdentifier(object)]?[place].isBeingSaved = true
        }
        return true
    }

    func unmark(of object: PersistingModel) {
        for place in 0..<(pending[ObjectIdentifier(object)]?.count ?? 0) {
            pending[ObjectIdentifier(object)]?[place].isBeingSaved = false
        }
    }

    /// Takes out some of what waits to be saved with an object.
    func take(of object: PersistingModel, where isTaken: (PendingLink) -> Bool) -> [PendingLink] {
        guard let links = pending[ObjectIdentifier(object)] else { return [] }
        let left = links.filter { !isTaken($0) }
        pending[ObjectIdentifier(object)] = left.isEmpty ? nil : left
        return left.isEmpty ? links : links.filter(isTaken)
    }

    /// Puts what was saved back in front of the others, unless another object was set by the same to-one relation.
    func restore(_ links: [PendingLink], of object: PersistingModel) {
        let others = pending[ObjectIdentifier(object)] ?? []
        let restored = links.filter { link in !link.isToOne || !others.contains { $0.relation === link.relation } }
        pending[ObjectIdentifier(object)] = restored + others
        unmark(of: object)
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

    /// What refers to a parent as its properties are; nil while it has no key.
    func foreignKey(to parent: PersistingModel) throws -> [SQLiteValue]? {
        let values = try toColumns.map { try to.stored($0, of: parent) }
        return values.contains(where: \.isNull) ? nil : values
    }

    /// What refers to a parent's row, whatever the properties hold by now; nil while it has no key.
    func foreignKey(toRowOf parent: PersistingModel) throws -> [SQLiteValue]? {
        let values = try parent.rowValues(toColumns, to)
        return values.contains(where: \.isNull) ? nil : values
    }

    /// Gives an object a foreign key.
    func assign(_ values: [SQLiteValue], to child: PersistingModel) throws {
        for (column, value) in zip(fromColumns, values) { try from.assign(stored: value, to: column, of: child) }
    }

    /// Whether no property that has a foreign key rejects nil.
    var isOptional: Bool { fromColumns.allSatisfy { from.columns[$0].isOptional } }
}
