/// What a fetch does with a row whose kind is that of no class.
public enum UnknownKind: Sendable {
    /// The fetch throws ``PersistenceError/Code/unknownKind``.
    case refused
    /// The row becomes an object of the base class.
    case asBase
    /// Fetches, conditions and aggregates skip the row.
    case skipped
}

/// Classes that share a table: a base class, and the subclasses that ``PersistingModel/subclasses`` lists.
struct Hierarchy: Sendable {
    /// The classes, the base class first and each class before its subclasses.
    let members: [PersistingModel.Type]

    var base: PersistingModel.Type { members[0] }

    /// The hierarchy of a class; nil if the class has its own table.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` if a listed class doesn't inherit from the class that lists it.
    init?(of type: PersistingModel.Type) throws {
        let base = Self.base(of: type)
        let descendants = Self.descendants(of: base)
        try Self.checkList(of: base)
        try descendants.forEach(Self.checkList)
        if descendants.isEmpty { return nil }
        members = [base] + descendants.sorted { Self.depth(of: $0) < Self.depth(of: $1) }
    }

    /// The topmost superclass whose ``PersistingModel/subclasses`` lead to a class, or else the class itself.
    static func base(of type: PersistingModel.Type) -> PersistingModel.Type {
        var base = type
        var next: AnyClass? = _getSuperclass(type)
        while let ancestor = next as? PersistingModel.Type, ancestor != PersistingModel.self {
            if descendants(of: ancestor).contains(where: { $0 == type }) { base = ancestor }
            next = _getSuperclass(ancestor)
        }
        return base
    }

    /// The subclasses that a class lists, and those that its subclasses list.
    static func descendants(of type: PersistingModel.Type) -> [PersistingModel.Type] {
        var found: [PersistingModel.Type] = []
        func add(listedBy lister: PersistingModel.Type) {
            for subclass in listed(by: lister)
            where inherits(subclass, from: lister) && !found.contains(where: { $0 == subclass }) {
                found.append(subclass)
                add(listedBy: subclass)
            }
        }
        add(listedBy: type)
        return found
    }

    static func inherits(_ type: PersistingModel.Type, from other: PersistingModel.Type) -> Bool {
        type != other && lineage(of: type, below: PersistingModel.self).contains { $0 == other }
    }

    private static func depth(of type: PersistingModel.Type) -> Int {
        lineage(of: type, below: PersistingModel.self).count
    }

    /// The classes that a class itself lists. A class that doesn't override the list inherits that of its superclass.
    private static func listed(by type: PersistingModel.Type) -> [PersistingModel.Type] {
        let listed = type.subclasses
        guard !listed.isEmpty, let parent = lineage(of: type, below: PersistingModel.self).dropLast().last,
            let inherited = (parent as? PersistingModel.Type)?.subclasses
        else { return listed }
        return listed.elementsEqual(inherited) { $0 == $1 } ? [] : listed
    }

    private static func checkList(of type: PersistingModel.Type) throws {
        for subclass in listed(by: type) where !inherits(subclass, from: type) {
            let name = ModelDescription.name(of: subclass)
            throw PersistenceError(
                .invalidModel,
                "subclasses lists \(name), which doesn't inherit from \(ModelDescription.name(of: type))",
                model: ModelDescription.name(of: type))
        }
    }
}
