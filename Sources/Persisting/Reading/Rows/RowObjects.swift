/// Makes objects of rows. Not generic, so that a row costs no look-up of types; and not copied, which would count all
/// its references.
struct RowObjects: ~Copyable {
    private let manager: PersistenceManager
    private let type: PersistingModel.Type
    private let mapping: Mapping
    private let fields: ContiguousArray<Field>
    /// Where the rows have the columns; nil for rows that begin with those that the mapping fetches.
    private let layout: RowLayout?
    /// How many of a row's columns there are to look at.
    private let width: Int
    private let tracked: Bool
    private let fetch: FetchTraits
    private var trackedRows: TrackedRows
    /// The group that the objects share what they load in; nil until there is one.
    private var group: SiblingGroup?
    /// Those of the classes that the rows may be of, where they are several. ``trackedRows`` have no room then, so that
    /// they are asked for only where there is none.
    private let hierarchy: HierarchyRows?

    /// How many rows there is room for at first where nobody knows.
    static let expected = SpareMemory.Size.few

    /// - Parameters:
    ///   - layout: Where the rows have the columns; nil for rows that begin with those that the mapping fetches.
    ///     Objects of rows without some of them keep what was read, or a save would write what was not.
    ///   - tracked: Whether objects keep what was read.
    ///   - expected: How many rows there will be, where that is known.
    ///   - fetch: How the rows are fetched.
    ///   - group: The group that the objects join. Without one, those that are fetched together get one when there are
    ///     more than one allocation holds the tracked values of; otherwise the first that is asked for a relation makes
    ///     it.
    init(
        _ manager: PersistenceManager, _ type: PersistingModel.Type, _ mapping: Mapping, _ layout: RowLayout? = nil,
        tracked: Bool, expecting expected: Int? = nil, fetch: FetchTraits = FetchTraits(), group: SiblingGroup? = nil
    ) {
        self.manager = manager
        self.type = type
        self.mapping = mapping
        var fetch = fetch
        if let layout { fetch.unread = layout.unread }
        self.tracked = tracked || !fetch.unread.isEmpty
        self.layout = layout
        fields = layout?.fields ?? mapping.fields
        width = layout?.width ?? mapping.fetchedCount
        self.fetch = fetch
        self.group = group
        trackedRows = TrackedRows(
            manager, mapping, capacity: expected ?? Self.expected, tracking: self.tracked, fetch: fetch)
        if let group { trackedRows.join(group) }
        hierarchy = nil
    }

    /// Makes objects of rows of a class or of others that share its table, each of its own class.
    ///
    /// - Parameter layout: Where the rows have the columns of the class that was asked for.
    init(
        _ manager: PersistenceManager, _ mapping: Mapping, _ place: HierarchyPlace, _ source: HierarchyRows.Source,
        _ layout: RowLayout? = nil
    ) {
        self.manager = manager
        type = mapping.modelType
        self.mapping = mapping
        tracked = source.tracked
        fetch = source.fetch
        group = source.group
        self.layout = layout
        fields = []
        width = 0
        trackedRows = TrackedRows(manager, mapping, capacity: 0, tracking: source.tracked)
        hierarchy = HierarchyRows(manager, mapping, place, source)
    }

    /// Makes objects of rows that begin with the columns that a class's SQL selects.
    ///
    /// - Parameters:
    ///   - tracked: Whether objects keep what was read.
    ///   - expected: How many rows there will be, where that is known.
    ///   - fetch: How the rows are fetched.
    ///   - group: The group that the objects join.
    // No initializer, which would make a copy of what it makes by another.
    static func selected(
        by mapping: Mapping, _ manager: PersistenceManager, tracked: Bool, expecting expected: Int? = nil,
        fetch: FetchTraits = FetchTraits(), group: SiblingGroup? = nil
    ) -> RowObjects {
        guard mapping.hasSubclasses, let place = mapping.place else {
            return RowObjects(
                manager, mapping.modelType, mapping, tracked: tracked, expecting: expected, fetch: fetch, group: group)
        }
        let source = HierarchyRows.Source(
            prefix: "", partial: false, tracked: tracked, expected: expected, fetch: fetch, group: group)
        return RowObjects(manager, mapping, place, source)
    }

    /// The values of the row that a statement stands on, of all columns that an object is made of.
    ///
    /// - Parameter count: How many columns there are to be at least.
    @inline(__always)
    func columns<Source: EngineStatement>(of statement: Source, upTo count: Int = 0) -> ColumnValues<Source> {
        statement.columns(upTo: max(width, count))
    }

    /// The object of the row that a statement stands on. An error names its SQL.
    @inline(__always)
    mutating func object(from statement: some EngineStatement) throws -> PersistingModel {
        try object(from: statement, columns(of: statement))
    }

    /// The object of the row that a statement stands on. An error names its SQL.
    ///
    /// - Parameter columns: What ``columns(of:upTo:)`` says of the row.
    @inline(__always)
    mutating func object<Source: EngineStatement>(
        from statement: Source, _ columns: ColumnValues<Source>
    ) throws -> PersistingModel {
        do {
            return try object(of: statement, columns)
        } catch let error as PersistenceError {
            throw error.adding(sql: statement.sql)
        }
    }

    /// The object of the row that a statement stands on.
    @inline(__always)
    mutating func object(of statement: some EngineStatement) throws -> PersistingModel {
        try object(of: statement, columns(of: statement))
    }

    @inline(__always)
    private mutating func object<Source: EngineStatement>(
        of statement: Source, _ columns: ColumnValues<Source>
    ) throws -> PersistingModel {
        if trackedRows.isFull {
            if let hierarchy { return try hierarchy.object(of: statement, statement.columns) }
            takeMoreTrackedRows()
        }
        return try trackedRows.object(type, mapping, of: statement, fields) { columns[$0] }
    }

    /// Whether there is no row of the class in a joined row.
    func isAbsent(from row: some ColumnSource) -> Bool { layout?.isAbsent(from: row) ?? false }

    /// The object of a row.
    mutating func object(of row: RowSnapshot) throws -> PersistingModel {
        if let hierarchy { return try hierarchy.object(of: row, row.columns) }
        return try member(of: row)
    }

    /// The object of a row that is known to be of the class.
    mutating func member(of row: some ColumnSource) throws -> PersistingModel {
        if trackedRows.isFull { takeMoreTrackedRows() }
        return try trackedRows.object(type, mapping, of: row, fields) { _ in row }
    }

    private mutating func takeMoreTrackedRows() {
        if fetch.isTogether, group == nil {
            let new = SiblingGroup()
            trackedRows.join(new)
            group = new
        }
        trackedRows = TrackedRows(
            manager, mapping, capacity: TrackedRows.capacityOfFetch, tracking: tracked, fetch: fetch)
        if let group { trackedRows.join(group) }
    }
}

extension TrackedRows {
    /// The object of a row of the mapping's class that begins with the columns that it fetches, with its tracked values
    /// as the next of these. An error names the statement's SQL.
    @inline(__always)
    func object(from statement: some EngineStatement) throws -> PersistingModel {
        let columns = statement.columns(upTo: mapping.fetchedCount)
        do {
            return try object(mapping.modelType, mapping, of: statement, mapping.fields) { columns[$0] }
        } catch let error as PersistenceError {
            throw error.adding(sql: statement.sql)
        }
    }

    /// The object of a row, with its tracked values as the next of these.
    ///
    /// - Parameter mapping: That of these, which who makes many objects has at hand.
    @inline(__always)
    fileprivate func object<Source: ColumnSource, Column: ColumnSource>(
        _ type: PersistingModel.Type, _ mapping: Mapping, of row: borrowing Source, _ fields: ContiguousArray<Field>,
        column: (Int) -> Column
    ) throws -> PersistingModel {
        let object = type.init()
        try mapping.fill(object, from: row, trackedRows: self, fields: fields, column: column)
        object.record = Record(
            state: .persisted, slot: Int32(truncatingIfNeeded: count - 1), trackedRows: self)
        return object
    }

    /// How many rows' tracked values share an allocation: enough to spread its cost, and few enough that one object
    /// kept does not hold many, and that those of an integer key alone stay below a kilobyte: for more glibc's malloc
    /// first puts together all that was freed, which the next objects then do not find.
    static let capacityOfFetch = SpareMemory.Size.many
}
