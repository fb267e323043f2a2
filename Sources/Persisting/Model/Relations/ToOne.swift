/// A relation to one object, or none: this class has the foreign key.
///
/// ```swift
/// static let show = ToOne(\Episode.showID, Show.self)
/// ```
///
/// Listed in ``PersistingModel/relations``, it declares in the schema that the column references the other table, what
/// happens to this row when its parent goes, and an index by which the rows of a parent are found. The property is a
/// column like any other, and what it holds decides which object is the related one.
///
/// See [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
public struct ToOne<Source: PersistingModel, Target: PersistingModel>: Relation {
    /// What the relation was declared as. For the library's use.
    public let declaration: RelationDeclaration

    /// The related object; nil where there is none. For the library's use.
    public var related: (FoundRelated) throws -> Target? {
        { $0.objects.first.map { downcast($0, to: Target.self) } }
    }

    /// A relation by one property.
    ///
    /// - Parameters:
    ///   - key: The property that holds the key of the related object: Optional where there may be none.
    ///   - target: The related object's class, which may be this one.
    ///   - references: The property of the other class that is referenced, which must be unique; nil is its primary
    ///     key.
    ///   - onDelete: What happens to this row when the related one is deleted: by default it is deleted, too. Nil
    ///     prevents the deletion.
    ///   - onUpdate: What happens to this row when the related one's key changes. Nil prevents the change.
    ///   - isDeferred: Whether the related row may be missing until the transaction is committed.
    ///   - isIndexed: Whether an index of the property is declared, where there is none that begins with it.
    ///   - isEnforced: Whether SQLite watches over it. Without, the schema has no REFERENCES, and nothing happens to
    ///     this row when the related one goes.
    public init<Key>(
        _ key: any KeyPath<Source, Key> & Sendable, _ target: Target.Type,
        references: (any PartialKeyPath<Target> & Sendable)? = nil, onDelete: ForeignKeyAction? = .cascade,
        onUpdate: ForeignKeyAction? = nil, isDeferred: Bool = false, isIndexed: Bool = true, isEnforced: Bool = true
    ) {
        self.init(
            [key], target, references: references.map { [$0] } ?? [], onDelete: onDelete, onUpdate: onUpdate,
            isDeferred: isDeferred, isIndexed: isIndexed, isEnforced: isEnforced)
    }

    /// A relation by several properties, to a class whose key is composite.
    ///
    /// ```swift
    /// static let order = ToOne([\OrderLine.shop, \OrderLine.number], ShopOrder.self)
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The properties that together hold the key of the related object, in that key's order. If one is nil
    ///     there is none.
    ///   - target: The related object's class, which may be this one.
    ///   - references: The properties of the other class that are referenced, in the same order, which together must be
    ///     unique; none is its primary key.
    ///   - onDelete: What happens to this row when the related one is deleted: by default it is deleted, too. Nil
    ///     prevents the deletion.
    ///   - onUpdate: What happens to this row when the related one's key changes. Nil prevents the change.
    ///   - isDeferred: Whether the related row may be missing until the transaction is committed.
    ///   - isIndexed: Whether an index of the properties is declared, where there is none that begins with them.
    ///   - isEnforced: Whether SQLite watches over it. Without, the schema has no FOREIGN KEY, and nothing happens to
    ///     this row when the related one goes.
    public init(
        _ keys: [any PartialKeyPath<Source> & Sendable], _ target: Target.Type,
        references: [any PartialKeyPath<Target> & Sendable] = [], onDelete: ForeignKeyAction? = .cascade,
        onUpdate: ForeignKeyAction? = nil, isDeferred: Bool = false, isIndexed: Bool = true, isEnforced: Bool = true
    ) {
        let rule = RelationDeclaration.ForeignKey(
            keys: keys, references: references, onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred,
            isIndexed: isIndexed, isEnforced: isEnforced)
        declaration = RelationDeclaration(Source.self, target, .toOne(rule))
    }

    /// The related object's related object: `ToOne(through: Track.album, Album.artist)`.
    ///
    /// - Parameters:
    ///   - first: The relation to the object between.
    ///   - second: The relation from there.
    public init<Middle: PersistingModel>(through first: ToOne<Source, Middle>, _ second: ToOne<Middle, Target>) {
        declaration = RelationDeclaration(
            Source.self, Target.self, .through(first.declaration, second.declaration))
    }

    private init(_ declaration: RelationDeclaration) { self.declaration = declaration }

    /// The relation with others that are loaded with its objects.
    ///
    /// - Parameter relations: Relations of the related objects' class or one above it, and values computed of them. A
    ///   relation of another class throws when the query is used.
    public func with(_ relations: any Loadable...) -> ToOne {
        ToOne(declaration.refined { $0.loads += relations.map(\.load) })
    }
}
