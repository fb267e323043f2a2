/// Objects of several classes from the rows of SQL that joins their tables.
extension PersistenceManager {
    /// The objects of a join's rows, a tuple for each row.
    ///
    /// ```swift
    /// let album = try Album.selection("a"), artist = try Artist.selection("b")
    /// let pairs: [(Album, Artist?)] = try manager.fetchAll(
    ///     album, artist,
    ///     sql: """
    ///         SELECT \(album), \(artist) FROM ALBUM a
    ///         LEFT JOIN ARTIST b ON b.ID = a.ARTIST_ID
    ///         """)
    /// ```
    ///
    /// Each row makes objects of its own: two albums of one artist have two objects of one row.
    ///
    /// - Parameters:
    ///   - first: The class of which each row has an object.
    ///   - joined: The classes of which a row may have one: nil where an outer join has found none.
    ///   - sql: One statement that writes nothing; interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More of them.
    ///   - partial: Whether the rows may lack columns, except for those of the primary keys.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    /// - Throws: What `fetchAll(_:sql:_:_:partial:tracked:)` throws; ``PersistenceError/Code/typeMismatch`` for a row
    ///   without an object of the first class, as a RIGHT or FULL JOIN may have.
    public func fetchAll<First: PersistingModel, each Joined: PersistingModel>(
        _ first: Selection<First>, _ joined: repeat Selection<each Joined>, sql: SQL, _ arguments: Arguments = [],
        _ more: Arguments = [], partial: Bool = false, tracked: Bool = true
    ) throws -> [(First, repeat (each Joined)?)] {
        func tuples(_ statement: some EngineStatement) throws -> [(First, repeat (each Joined)?)] {
            var isRow = try statement.step()
            return try naming(statement) {
                let names = statement.columns
                let first = try JoinedObjects(first, self, names, partial, tracked)
                let joined = (repeat try JoinedObjects(each joined, self, names, partial, tracked))
                var tuples: [(First, repeat (each Joined)?)] = []
                while isRow {
                    tuples.append((try first.required(statement), repeat try (each joined).object(statement)))
                    isRow = try statement.step()
                }
                return tuples
            }
        }
        return try reading(first.modelType, sql, arguments + more) { statement in
            switch statement {
            case .local(let statement): try tuples(statement)
            case .other(let statement): try tuples(statement)
            }
        }
    }

    /// The same, while the task is suspended.
    public func fetchAll<First: PersistingModel, each Joined: PersistingModel>(
        _ first: Selection<First>, _ joined: repeat Selection<each Joined>, sql: SQL, _ arguments: Arguments = [],
        _ more: Arguments = [], partial: Bool = false, tracked: Bool = true
    ) async throws -> sending [(First, repeat (each Joined)?)] {
        let joined = (repeat each joined)
        return try await onReadingSide(of: First.self) { manager in
            try manager.fetchAll(
                first, repeat each joined, sql: sql, arguments, more, partial: partial, tracked: tracked)
        }
    }
}

/// Makes the objects of one class of a join's rows.
private final class JoinedObjects<Model: PersistingModel> {
    private var rows: RowObjects

    init(
        _ selection: Selection<Model>, _ manager: PersistenceManager, _ names: ColumnNames, _ partial: Bool,
        _ tracked: Bool
    ) throws {
        rows = try manager.rowObjects(
            selection.modelType, names, partial, tracked, prefix: selection.prefix, expecting: nil)
    }

    func object(_ statement: some EngineStatement) throws -> Model? {
        rows.isAbsent(from: statement) ? nil : downcast(try rows.object(of: statement), to: Model.self)
    }

    func required(_ statement: some EngineStatement) throws -> Model {
        guard let object = try object(statement) else {
            throw PersistenceError(
                .typeMismatch, "a row has no object of the first class: put a class first that every row contains",
                model: ModelDescription.name(of: Model.self))
        }
        return object
    }
}
