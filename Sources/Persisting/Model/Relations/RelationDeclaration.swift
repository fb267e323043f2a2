internal import Foundation

/// What a relation was declared as: one object forever, as the `static let` that made it, or one that refines it and
/// goes with its query. It has no public members.
///
/// A declaration stores key paths and classes and looks at neither, since it is made while a `static let` is: classes
/// whose relations refer to each other would wait for each other. It is resolved when it is first used.
public final class RelationDeclaration: Sendable {
    typealias Keys = [any AnyKeyPath & Sendable]

    enum Shape: Sendable {
        case toOne(ForeignKey)
        case toMany(inverse: RelationDeclaration)
        /// Through the rows of a third table, by its two to-one relations.
        case link(from: RelationDeclaration, to: RelationDeclaration)
        case through(RelationDeclaration, RelationDeclaration)
    }

    /// What a to-one relation says of its foreign key.
    struct ForeignKey: Sendable {
        let keys: Keys
        /// The properties that are referenced; none for the primary key.
        let references: Keys
        let onDelete: ForeignKeyAction?
        let onUpdate: ForeignKeyAction?
        let isDeferred: Bool
        let isIndexed: Bool
        let isEnforced: Bool
    }

    /// Which of the related objects, in which order, and what is loaded with them.
    struct Refinement: Sendable {
        var tree: CriteriaTree?
        var terms: [OrderingTerm] = []
        var limit: Int?
        var offset: Int?
        var loads: [RelatedLoad] = []

        /// Whether it takes other objects than the relation does, or in another order.
        var isSelection: Bool { tree != nil || !terms.isEmpty || limit != nil || offset != nil }
    }

    let source: PersistingModel.Type
    let target: PersistingModel.Type
    let shape: Shape
    let refinement: Refinement
    /// The relation without its refinement; nil for one that has none.
    private let refined: RelationDeclaration?
    private let lock = NSLock()
    // Guarded by `lock`. One for the class itself as a rule, and one for each subclass and form of dates. They hold
    // this declaration, which lives forever; one that refines it keeps none.
    @exclusivity(unchecked) nonisolated(unsafe) private var resolved: [ResolvedRelation] = []

    init(
        _ source: PersistingModel.Type, _ target: PersistingModel.Type, _ shape: Shape,
        _ refinement: Refinement = Refinement(), of refined: RelationDeclaration? = nil
    ) {
        self.source = source
        self.target = target
        self.shape = shape
        self.refinement = refinement
        self.refined = refined
    }

    /// The relation as the class declares it, without a refinement.
    var root: RelationDeclaration { refined ?? self }

    func refined(_ change: (inout Refinement) -> Void) -> RelationDeclaration {
        var refinement = refinement
        change(&refinement)
        return RelationDeclaration(source, target, shape, refinement, of: root)
    }

    /// The relation from the class of a mapping: its own, or a subclass of it.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation`` when the relation isn't one of the class's, and when it
    ///   can't be as it is declared.
    func resolved(from mapping: Mapping) throws -> ResolvedRelation {
        if let refined { return ResolvedRelation(self, try refined.resolved(from: mapping)) }
        if let known = lock.withLock({ resolved.first { $0.source === mapping } }) { return known }
        let relation = try ResolvedRelation(self, mapping)
        lock.withLock { resolved.append(relation) }
        return relation
    }
}
