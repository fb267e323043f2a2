/// A relation to any number of objects, which have the foreign key.
///
/// ```swift
/// static let episodes = ToMany(inverse: Episode.show)
/// ```
public struct ToMany<Source: PersistingModel, Target: PersistingModel>: ToManyRelation {
    /// What the relation was declared as. For the library's use.
    public let declaration: RelationDeclaration

    /// The objects whose to-one relation leads to this one.
    ///
    /// - Parameter inverse: The other class's relation to this class, which that class lists in its
    ///   ``PersistingModel/relations``.
    public init(inverse: ToOne<Target, Source>) {
        declaration = RelationDeclaration(Source.self, Target.self, .toMany(inverse: inverse.declaration))
    }

    /// The related objects' related objects: `ToMany(through: Artist.albums, Album.tracks)`. One that is reached in
    /// several ways is in the result once.
    ///
    /// - Parameters:
    ///   - first: The relation to the objects between.
    ///   - second: The relation from there.
    public init<Middle: PersistingModel>(
        through first: some Relation<Source, Middle>, _ second: some Relation<Middle, Target>
    ) {
        declaration = RelationDeclaration(
            Source.self, Target.self, .through(first.declaration, second.declaration))
    }

    /// A relation of what is declared. For the library's use.
    public init(_ declaration: RelationDeclaration) { self.declaration = declaration }
}

/// A relation to any number of objects, which are related to any number of this class's: the rows of a third table, the
/// links, have a key of each.
///
/// ```swift
/// final class Tagging: PersistingModel {
///     var episodeID: Int64 = 0
///     var tagID: Int64 = 0
///     static let episode = ToOne(\Tagging.episodeID, Episode.self)
///     static let tag = ToOne(\Tagging.tagID, Tag.self)
///     override class var relations: Relations {
///         ["episode": episode, "tag": tag]
///     }
///     override class var primaryKey: PrimaryKey {
///         .composite("episodeID", "tagID")
///     }
/// }
///
/// static let tags = ManyToMany(Tagging.episode, Tagging.tag)  // in Episode
/// static let episodes = ManyToMany(inverse: Episode.tags)     // in Tag
/// ```
public struct ManyToMany<Source: PersistingModel, Target: PersistingModel>: ToManyRelation {
    /// What the relation was declared as. For the library's use.
    public let declaration: RelationDeclaration

    /// A relation through the links' own relations.
    ///
    /// - Parameters:
    ///   - first: The link's relation to this class.
    ///   - second: The link's relation to the other class.
    public init<Link: PersistingModel>(_ first: ToOne<Link, Source>, _ second: ToOne<Link, Target>) {
        declaration = RelationDeclaration(
            Source.self, Target.self, .link(from: first.declaration, to: second.declaration))
    }

    /// A relation through properties of the links that hold the primary keys of both. It declares nothing in the
    /// schema: list relations in the link's class for that.
    ///
    /// - Parameters:
    ///   - source: This class.
    ///   - target: The other class.
    ///   - first: The link's property that holds the key of this class's object.
    ///   - second: The link's property that holds the key of the other class's.
    public init<Link: PersistingModel, First, Second>(
        _ source: Source.Type, _ target: Target.Type, through first: any KeyPath<Link, First> & Sendable,
        _ second: any KeyPath<Link, Second> & Sendable
    ) {
        let first = ToOne<Link, Source>(first, source, isIndexed: false, isEnforced: false)
        let second = ToOne<Link, Target>(second, target, isIndexed: false, isEnforced: false)
        self.init(first, second)
    }

    /// The same relation from the other side.
    ///
    /// - Parameter inverse: The other class's relation to this class.
    public init(inverse: ManyToMany<Target, Source>) {
        let inverse = inverse.declaration
        let shape: RelationDeclaration.Shape =
            if case .link(let first, let second) = inverse.shape { .link(from: second, to: first) } else {
                inverse.shape
            }
        declaration = RelationDeclaration(Source.self, Target.self, shape)
    }

    /// A relation of what is declared. For the library's use.
    public init(_ declaration: RelationDeclaration) { self.declaration = declaration }
}
