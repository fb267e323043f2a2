/// What can be loaded ahead for all objects of a fetch: a relation, or a value that is computed of one, such as
/// `Show.episodes.count`.
///
/// Only the library's own types conform.
public protocol Loadable<Source>: Sendable {
    /// The class of the objects that it is loaded for.
    associatedtype Source: PersistingModel
    /// What an object is given for it: the related object or nil, the related objects, or the value.
    associatedtype Related

    /// What is to be loaded. For the library's use.
    var load: RelatedLoad { get }
    /// Makes of what has been loaded what an object is given. For the library's use.
    var related: (FoundRelated) throws -> Related { get }
}

/// What ``Loadable`` stands for. It has no public members.
public struct RelatedLoad: Sendable {
    enum Kind: Sendable {
        case relation(RelationDeclaration, PersistingModel.Type)
        case value(CriteriaTerm)
    }

    let kind: Kind
}

/// What has been loaded of a ``Loadable`` for one object. It has no public members.
public struct FoundRelated {
    enum Kind {
        case objects(ContiguousArray<PersistingModel>)
        case value(any StoredRelatedValue)
    }

    let kind: Kind

    /// The related objects.
    var objects: ContiguousArray<PersistingModel> { if case .objects(let objects) = kind { objects } else { [] } }
}

/// A value of related rows as it is stored.
protocol StoredRelatedValue {
    /// Decodes the value.
    func decoded<Value>(as type: Value.Type) throws -> Value
}

/// How the rows of a class belong to those of another: ``ToOne``, ``ToMany`` or ``ManyToMany``.
///
/// A relation is a value, and stands on the class as a `static let`. ``PersistingModel/relations`` lists it with a
/// name, by which the schema, dictionaries and format strings know it.
///
/// ```swift
/// final class Show: PersistingModel {
///     var id: Int64?
///     var title = ""
///     static let episodes = ToMany(inverse: Episode.show)
///     override class var relations: Relations { ["episodes": episodes] }
/// }
///
/// final class Episode: PersistingModel {
///     var id: Int64?
///     var title = ""
///     var showID: Int64?
///     static let show = ToOne(\Episode.showID, Show.self)
///     override class var relations: Relations { ["show": show] }
/// }
/// ```
///
/// Only the library's own types conform.
public protocol Relation<Source, Target>: Loadable {
    /// The class of the objects that the relation is loaded for.
    associatedtype Target: PersistingModel

    /// What the relation was declared as. For the library's use.
    var declaration: RelationDeclaration { get }
}

extension Relation {
    /// The relation itself. For the library's use.
    public var load: RelatedLoad { RelatedLoad(kind: .relation(declaration, Target.self)) }
}

/// A relation to any number of objects: ``ToMany`` or ``ManyToMany``.
///
/// It can be refined by a condition, an order, and a limit for each parent:
///
/// ```swift
/// let latest = Show.episodes.where(\.seconds > 60).sorted(by: \.date, .descending)
///     .limit(3)
/// let shows = try manager.fetchAll(Show.with(latest))
/// ```
///
/// Only the library's own types conform.
public protocol ToManyRelation<Source, Target>: Relation where Related == [Target] {
    /// A relation of what is declared. For the library's use.
    ///
    /// - Parameter declaration: What is declared.
    init(_ declaration: RelationDeclaration)
}

extension ToManyRelation {
    /// The related objects, in the relation's order. For the library's use.
    public var related: (FoundRelated) throws -> [Target] { { downcast($0.objects, to: Target.self) } }

    /// At most this many related objects for each parent.
    ///
    /// - Parameter count: Nil is no limit, 0 no objects; a negative one throws when the relation is used.
    public func limit(_ count: Int?) -> Self {
        refined { $0.limit = count }
    }

    /// The related objects, without as many of the first, for each parent.
    ///
    /// - Parameter count: Nil is none; a negative one throws when the relation is used.
    public func offset(_ count: Int?) -> Self {
        refined { $0.offset = count }
    }

    /// The relation with others that are loaded with its objects.
    ///
    /// - Parameter relations: Relations of the related objects' class or one above it, and values computed of them. A
    ///   relation of another class throws when the query is used.
    public func with(_ relations: any Loadable...) -> Self {
        refined { $0.loads += relations.map(\.load) }
    }

    func refined(_ change: (inout RelationDeclaration.Refinement) -> Void) -> Self {
        Self(declaration.refined(change))
    }
}
