public import Foundation

/// The objects of a query by sections: what `PersistenceManager.sections(_:by:)` returns, and what a
/// ``FetchedResultsController`` keeps up to date.
///
/// It is a collection of its sections. An index path has two indices: the section's, and the object's row in it.
///
/// ```swift
/// let sections = try manager.sections(User.sorted(by: \.lastName), by: \.lastName)
/// for section in sections { print(section.name ?? "-", section.count) }
/// let user = sections[[0, 2]]              // the third of the first section
/// let path = sections.indexPath(of: user)  // [0, 2]
/// ```
public struct Sections<Model: PersistingModel, Name: Hashable>: RandomAccessCollection {
    /// The objects with one name.
    public struct Section {
        /// What the objects have in common.
        public let name: Name
        /// What stands for the section in an index along a list: the first letter of its name in upper case, or what a
        /// controller was told.
        public let indexTitle: String
        /// The objects, in the query's order.
        public internal(set) var objects: [Model]

        /// The number of objects.
        public var count: Int { objects.count }
    }

    private var sections: [Section] = []

    init(_ sections: [Section] = []) {
        self.sections = sections
    }

    /// Groups objects by a name: a section stands where its first object does.
    init(_ objects: [Model], _ name: (Model) throws -> Name) rethrows {
        var positions: [Name: Int] = [:]
        for object in objects {
            let name = try name(object)
            if let position = positions[name] {
                sections[position].objects.append(object)
            } else {
                positions[name] = sections.count
                sections.append(Section(name: name, indexTitle: Self.firstLetter(of: name), objects: [object]))
            }
        }
    }

    static func firstLetter(of name: Name) -> String {
        flattened(name).map { "\($0)".prefix(1).uppercased() } ?? ""
    }

    /// The first section's position.
    public var startIndex: Int { sections.startIndex }

    /// The position after the last section.
    public var endIndex: Int { sections.endIndex }

    /// A section. As in an array, its position must be one that there is.
    public subscript(position: Int) -> Section { sections[position] }

    /// The object at an index path; nil where there is none.
    ///
    /// - Parameter path: The position of a section, and that of an object in it.
    public subscript(path: IndexPath) -> Model? {
        guard path.count == 2, sections.indices.contains(path[0]),
            sections[path[0]].objects.indices.contains(path[1])
        else { return nil }
        return sections[path[0]].objects[path[1]]
    }

    /// The index path of an object, or of another that is the same row; nil when it is in no section.
    ///
    /// - Parameter object: The object.
    public func indexPath(of object: Model) -> IndexPath? {
        for (position, section) in sections.enumerated() {
            if let row = section.objects.firstIndex(where: { $0.isSameRow(as: object) }) { return [position, row] }
        }
        return nil
    }

    /// The section of a name; nil when there is none.
    ///
    /// - Parameter name: The name.
    public func section(named name: Name) -> Section? { sections.first { $0.name == name } }

    /// The sections' index titles in order, each of them once.
    public var indexTitles: [String] {
        var known: Set<String> = []
        return sections.map(\.indexTitle).filter { known.insert($0).inserted }
    }

    /// The position of the first section with an index title; nil when none has it.
    ///
    /// - Parameter title: One of ``indexTitles``.
    public func section(forIndexTitle title: String) -> Int? { sections.firstIndex { $0.indexTitle == title } }

    /// All objects, section by section.
    public var objects: [Model] { sections.flatMap(\.objects) }
}

/// Sections.
extension PersistenceManager {
    /// The objects of a query by sections, one for each value of a property.
    ///
    /// Nil is a value too, and has one section. Without any object there is no section.
    ///
    /// - Parameters:
    ///   - query: Which rows. Its order begins with the property, so that sections follow each other.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` when the order does not begin with the property, and without
    ///   one; also for a deferred property.
    public func sections<Model: PersistingModel, Name: Hashable>(
        _ query: Query<Model>, by keyPath: KeyPath<Model, Name>
    ) throws -> Sections<Model, Name> {
        try sections(query, by: keyPath) { $0 }
    }

    /// The same, while the task is suspended.
    public func sections<Model: PersistingModel, Name: Hashable>(
        _ query: Query<Model>, by keyPath: KeyPath<Model, Name>
    ) async throws -> Sections<Model, Name> {
        try await sections(query, by: keyPath) { $0 }
    }

    /// The objects of a query by sections, named by a function of a property: its first letter, say.
    ///
    /// ```swift
    /// try manager.sections(User.sorted(by: \.lastName), by: \.lastName) {
    ///     String($0?.prefix(1) ?? "")
    /// }
    /// ```
    ///
    /// A section stands where its first object does. Where the function gives one name in several places of the order,
    /// as a first letter without regard to case does in an order by bytes, the objects are in one section all the same.
    ///
    /// - Parameters:
    ///   - query: Which rows. Its order begins with the property.
    ///   - keyPath: The property.
    ///   - name: The name of the section for a value of the property.
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` when the order does not begin with the property, and without
    ///   one; also for a deferred property; what `name` throws.
    public func sections<Model: PersistingModel, Value, Name: Hashable>(
        _ query: Query<Model>, by keyPath: KeyPath<Model, Value>, _ name: (Value) throws -> Name
    ) throws -> Sections<Model, Name> {
        try checkLeads(keyPath, query)
        return try Sections(fetchAll(query)) { try name($0[keyPath: keyPath]) }
    }

    /// The same, while the task is suspended.
    public func sections<Model: PersistingModel, Value, Name: Hashable>(
        _ query: Query<Model>, by keyPath: KeyPath<Model, Value>, _ name: (Value) throws -> Name
    ) async throws -> Sections<Model, Name> {
        try checkLeads(keyPath, query)
        return try Sections(await fetchAll(query)) { try name($0[keyPath: keyPath]) }
    }

    /// Checks that the order of a query begins with a property, which makes its sections.
    func checkLeads<Model: PersistingModel>(
        _ keyPath: PartialKeyPath<Model>, _ query: Query<Model>
    ) throws {
        let mapping = try Mapping.of(query.modelType, dates: dates)
        let term = try mapping.term(of: keyPath)
        let key = term.key ?? ""
        func failure(_ reason: String) -> PersistenceError {
            PersistenceError(
                .invalidOrdering, "sections by \(key) need an order that begins with it: \(reason)",
                model: mapping.modelName, key: key)
        }
        guard try !mapping.fields[mapping.index(of: keyPath)].isDeferred else {
            throw PersistenceError(
                .invalidOrdering, "\(key) is deferred, so that an object may not have its value: it makes no sections",
                model: mapping.modelName, key: key)
        }
        let found: String
        switch query.terms.first {
        case nil: throw failure("the query has none")
        case .column(let first)? where first.key == key && first.related?.key == key: return
        case .column(let first)?:
            if case .column(let column) = try CriteriaResolver(mapping: mapping).operand(of: first),
                try column.sql == mapping.operand(ofKey: key).sql
            {
                return
            }
            found = first.key
        case .sql(let sql)?: found = "SQL, \(sql.sql)"
        case .rank?: found = "the rank"
        case .invalid(let error)?: throw error
        }
        throw failure("the query's begins with \(found)")
    }
}
