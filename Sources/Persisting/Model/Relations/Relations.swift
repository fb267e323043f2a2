/// The relations of a class with their names; see ``PersistingModel/relations``.
///
/// ```swift
/// override class var relations: Relations { ["show": show, "tags": tags] }
/// ```
public struct Relations: Sendable, ExpressibleByDictionaryLiteral {
    /// The relations in the order in which they were named.
    let elements: [(name: String, declaration: RelationDeclaration)]

    /// No relations.
    public static var none: Relations { Relations(elements: []) }

    /// Relations by names. A name stands once, and no property has it; otherwise the class's first use throws.
    public init(dictionaryLiteral elements: (String, any Relation)...) {
        self.init(elements: elements.map { ($0, $1.declaration) })
    }

    private init(elements: [(name: String, declaration: RelationDeclaration)]) { self.elements = elements }

    /// These relations and others: `super.relations + ["albums": albums]` in a subclass.
    public static func + (lhs: Relations, rhs: Relations) -> Relations {
        Relations(elements: lhs.elements + rhs.elements)
    }

    var isEmpty: Bool { elements.isEmpty }
}
