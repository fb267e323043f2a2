/// A relation to one object or none. This class has the foreign key.
///
/// ```swift
/// static let show = ToOne(\Episode.showID, Show.self)
/// ```
///
/// If ``PersistingModel/relations`` lists it, the schema declares that the column references the other table, what
/// happens to this row when the related row is deleted, and an index that finds the rows of a related object. The
/// foreign key's property is a column like any other. Its value determines the related object.
///
/// See [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
public struct ToOne<Source: PersistingModel, Target: PersistingModel>: Relation {
    /// What the relation was declared with. For the library's use.
    public let declaration: RelationDeclaration

    /// The related object; nil if there is none. For the library's use.
    public var related: (FoundRelated) throws -> Target? {
        { $0.objects.first.map { downcast($0, to: Target.self) } }
    }

    /// Creates a relation with one foreign key.
    ///
    /// - Parameters:
    ///   - key: The property that contains the key of the related object. Make it Optional if there may be none.
    ///   - target: The related object's class, which may be this one.
    ///   - references: The unique property of the other class that the foreign key refers to. Nil means its primary
    ///     key.
    ///   - onDelete: What happens to this row when the related row is deleted. By default, it is deleted, too. Nil
    ///     prevents the deletion.
    ///   - onUpdate: What happens to this row when the related row's key changes. Nil prevents the change.
    ///   - isDeferred: Whether SQLite checks the foreign key only at the commit, so that the related row may be
    ///     inserted later.
    ///   - isIndexed: Whether to declare an index on the property, if no other index begins with it.
    ///   - isEnforced: Whether SQLite checks the foreign key. If false, the schema has no REFERENCES, and nothing
    ///     happens to this row when the related row is deleted.
    public init<Key>(
        _ key: any KeyPath<Source, Key> & Sendable, _ target: Target.Type,
        references: (any PartialKeyPath<Target> & Sendable)? = nil, onDelete: ForeignKeyAction? = .cascade,
        onUpdate: ForeignKeyAction? = nil, isDeferred: Bool = false, isIndexed: Bool = true, isEnforced: Bool = true
    ) {
        self.init(
            [key], target, references: references.map { [$0] } ?? [], onDelete: onDelete, onUpdate: onUpdate,
            isDeferred: isDeferred, isIndexed: isIndexed, isEnforced: isEnforced)
    }

    /// Creates a relation with several properties, to a class whose key is composite.
    ///
    /// ```swift
    /// static let order = ToOne([\OrderLine.shop, \OrderLine.number], ShopOrder.self)
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The properties that together contain the key of the related object, in that key's order. If one of
    ///     them is nil, there is no related object.
    ///   - target: The related object's class, which may be this one.
    ///   - references: The properties of the other class that the foreign key refers to, in the same order. Together
    ///     they must be unique. An empty array means the primary key.
    ///   - onDelete: What happens to this row when the related row is deleted. By default, it is deleted, too. Nil
    ///     prevents the deletion.
    ///   - onUpdate: What happens to this row when the related row's key changes. Nil prevents the change.
    ///   - isDeferred: Whether SQLite checks the foreign key only at the commit, so that the related row may be
    ///     inserted later.
    ///   - isIndexed: Whether to declare an index on the properties, if no other index begins with them.
    ///   - isEnforced: Whether SQLite checks the foreign key. If false, the schema has no FOREIGN KEY, and nothing
    ///     happens to this row when the related row is deleted.
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

    /// Creates a relation to the related object of a related object: `ToOne(through: Track.album, Album.artist)`.
    ///
    /// - Parameters:
    ///   - first: The relation to the object in between.
    ///   - second: The relation from that object to the target.
    public init<Middle: PersistingModel>(through first: ToOne<Source, Middle>, _ second: ToOne<Middle, Target>) {
        declaration = RelationDeclaration(
            Source.self, Target.self, .through(first.declaration, second.declaration))
    }

    private init(_ declaration: RelationDeclaration) { self.declaration = declaration }

    /// This relation, with other relations that are loaded together with its objects.
    ///
    /// - Parameter relations: Relations of the related objects' class or a superclass, and values computed from them. A
    ///   relation of another class throws when the query is used.
    public func with(_ relations: any Loadable...) -> ToOne {
        ToOne(declaration.refined { $0.loads += relations.map(\.load) })
    }
}
