public import Foundation
public import Observation
internal import SQLiteKit

/// The objects of a query by sections, kept up to date after each commit, for a list or table that shows them.
///
/// ```swift
/// let controller = FetchedResultsController(
///     User.where(\.age > 17).sorted(by: [
///         .ascending(\.lastName), .ascending(\.firstName),
///     ]),
///     sectionedBy: \.lastName, in: manager)
/// for section in controller.sections { print(section.name, section.count) }
/// for try await change in controller.changes { table.apply(change) }
/// ```
///
/// A controller belongs to the actor that it is made on, the main actor or another, and is used there. It reads on the
/// database's side: after a commit that may have changed the results, it asks for the rows' keys and sections in their
/// order, and for objects of those rows alone that are new or were changed. An object is replaced by a new one if its
/// row was changed, or rows of relations and values that the query loads with it; the others stay the same objects.
/// Several commits while it is reading give one change.
///
/// The first reading begins immediately, and its end is a change as well; ``fetch(isolation:)`` reads immediately
/// instead. It hears of what `PersistenceManager.changes()` hears, and of other processes on request.
///
/// A controller is `Observable`: a view that uses ``sections`` is drawn again when they change.
@Observable
public final class FetchedResultsController<Model: PersistingModel, SectionName: Hashable & SendableMetatype> {
    /// The sections, in the order of their first objects.
    public private(set) var sections = Sections<Model, SectionName>()

    /// Why the results are no longer kept up to date: the last error. Nil if there is none.
    public internal(set) var error: (any Error)?

    /// What names the sections, for a class's table.
    struct Sectioning {
        let sql: String
        let name: (SQLiteValue) throws -> SectionName
    }

    @ObservationIgnored let manager: PersistenceManager
    @ObservationIgnored let query: Query<Model>
    @ObservationIgnored private let sectioning: ((PersistenceManager) throws -> Sectioning)?
    /// The name of the one section of results without sections.
    @ObservationIgnored private let onlyName: SectionName?
    @ObservationIgnored private let indexTitle: (SectionName) -> String
    @ObservationIgnored private let interval: Duration?
    @ObservationIgnored private let watch: Watch
    @ObservationIgnored private var task: Task<Void, Never>?

    @ObservationIgnored var results = ResultsState<SectionName>()
    /// Those who go through the changes.
    @ObservationIgnored var subscribers: [WeakSubscriber<SectionName>] = []

    private init(
        _ query: Query<Model>, in manager: PersistenceManager, _ onlyName: SectionName?,
        _ indexTitle: ((SectionName) -> String)?, _ interval: Duration?, isolation: isolated any Actor,
        _ sectioning: ((PersistenceManager) throws -> Sectioning)?
    ) {
        self.query = query
        self.manager = manager
        self.sectioning = sectioning
        self.onlyName = onlyName
        self.indexTitle = indexTitle ?? Sections<Model, SectionName>.firstLetter
        self.interval = interval
        watch = Watch(manager, bound: 100)
        if let onlyName {
            results.arrangement.sections = [.init(name: onlyName, rows: [])]
            sections = Sections([.init(name: onlyName, indexTitle: self.indexTitle(onlyName), objects: [])])
        }
        start(isolation: isolation)
    }

    deinit {
        task?.cancel()
        for subscriber in subscribers { subscriber.end() }
    }

    /// Makes a controller of a query's objects in sections, one for each value of a property.
    ///
    /// - Parameters:
    ///   - query: Which rows, in an order that begins with the property. The class needs a primary key.
    ///   - keyPath: The property.
    ///   - manager: The manager.
    ///   - indexTitle: What stands for a section in an index; by default the first letter of its name, in upper case.
    ///   - interval: How often to ask whether other processes have committed anything. Nil doesn't ask.
    ///   - isolation: The actor that the controller belongs to.
    public convenience init(
        _ query: Query<Model>, sectionedBy keyPath: KeyPath<Model, SectionName>, in manager: PersistenceManager,
        indexTitle: ((SectionName) -> String)? = nil, otherProcessesEvery interval: Duration? = nil,
        isolation: isolated any Actor = #isolation
    ) {
        self.init(
            query, sectionedBy: keyPath, in: manager, indexTitle: indexTitle, otherProcessesEvery: interval,
            isolation: isolation
        ) { $0 }
    }

    /// Makes a controller of a query's objects in sections that are named by a function of a property: its first
    /// letter, say.
    ///
    /// - Parameters:
    ///   - query: Which rows, in an order that begins with the property. The class needs a primary key.
    ///   - keyPath: The property.
    ///   - manager: The manager.
    ///   - indexTitle: What stands for a section in an index; by default the first letter of its name, in upper case.
    ///   - interval: How often to ask whether other processes have committed anything. Nil doesn't ask.
    ///   - isolation: The actor that the controller belongs to.
    ///   - sectionName: The name of the section for a value of the property.
    public convenience init<Value>(
        _ query: Query<Model>, sectionedBy keyPath: KeyPath<Model, Value>, in manager: PersistenceManager,
        indexTitle: ((SectionName) -> String)? = nil, otherProcessesEvery interval: Duration? = nil,
        isolation: isolated any Actor = #isolation, sectionName: @escaping (Value) throws -> SectionName
    ) {
        self.init(query, in: manager, nil, indexTitle, interval, isolation: isolation) { manager in
            try manager.checkLeads(keyPath, query)
            let column = try manager.table(of: query.modelType).mapping.selected(keyPath)
            return Sectioning(sql: column.operand.sql) { try sectionName(column.read($0)) }
        }
    }

    /// Makes a controller of a query's objects in one section, whose name is empty. It is there without objects, too.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order. The class needs a primary key.
    ///   - manager: The manager.
    ///   - interval: How often to ask whether other processes have committed anything. Nil doesn't ask.
    ///   - isolation: The actor that the controller belongs to.
    public convenience init(
        _ query: Query<Model>, in manager: PersistenceManager, otherProcessesEvery interval: Duration? = nil,
        isolation: isolated any Actor = #isolation
    ) where SectionName == String {
        self.init(query, in: manager, "", nil, interval, isolation: isolation, nil)
    }

    // MARK: Objects

    /// All objects, section by section.
    public var objects: [Model] { sections.objects }

    /// The object at an index path; nil where there is none.
    ///
    /// - Parameter path: The place of a section, and that of an object in it.
    public subscript(path: IndexPath) -> Model? { sections[path] }

    /// The index path of an object, or of another that is the same row; nil when it isn't among the results.
    ///
    /// - Parameter object: The object.
    public func indexPath(of object: Model) -> IndexPath? { sections.indexPath(of: object) }

    // MARK: Reading

    /// Reads the results now, on the calling thread: for a program that needs them immediately. Also begins again after
    /// an ``error``.
    ///
    /// - Parameter isolation: The actor that the controller belongs to.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a class without a key;
    ///   ``PersistenceError/Code/invalidOrdering`` when the order doesn't begin with the sections' property; any other
    ///   mistake in the query, or a row that doesn't fit the class.
    public func fetch(isolation: isolated any Actor = #isolation) throws {
        let (reader, sectioning) = try reader()
        watch.forgetReads()
        let read = try manager.database.read { db in try reader.read(db, known: [], touched: nil) }
        try take(read, nil, sectioning)
        if error != nil {
            error = nil
            start(isolation: isolation)
        }
    }

    private func start(isolation: isolated any Actor) {
        task?.cancel()
        task = Task { [weak self, watch, interval] in
            _ = isolation
            do {
                if let interval { await watch.poll(every: interval) }
                if interval != nil || self?.results.isLoaded == false { try await self?.refresh(nil) }
                while true {
                    let commits = try await watch.wait()
                    guard self != nil else { return }
                    try await self?.refresh(commits)
                }
            } catch {
                if !(error is CancellationError) { self?.fail(error) }
            }
        }
    }

    /// Reads what commits may have changed; all for nil.
    private func refresh(_ commits: [CommittedChanges]?) async throws {
        // All commits are heard of while related objects are being read.
        if let commits, results.isLoaded, !commits.contains(where: { $0.mayHaveChanged(results.reads) }) { return }
        try await manager.discoverKey(of: query.modelType)
        while true {
            let (reader, sectioning) = try reader()
            let (state, isView) = (results.readings, results.isView)
            // Which objects have a related row isn't known: all are read again, and those that differ are shown.
            let isSame =
                results.isLoaded && results.mapping === reader.table.mapping
                && commits?.contains { $0.mayHaveChanged(results.readsOfLoads) } == false
            let touched = isSame ? commits.flatMap { reader.table.rows(touchedBy: $0, isView: isView) } : nil
            let known = results.keys
            // Related objects of the first ones are of tables that haven't been read yet.
            if touched == nil || !query.loads.isEmpty { watch.forgetReads() }
            let read = try await manager.database.read { db in
                // The objects are handed over.
                nonisolated(unsafe) let read = try reader.read(db, known: known, touched: touched)
                return read
            }
            // A call of `fetch` may have come between.
            guard results.readings == state else { continue }
            return try take(read, touched, sectioning)
        }
    }

    private func reader() throws -> (ResultsReader<Model>, Sectioning?) {
        let table = try manager.table(of: query.modelType)
        try table.mapping.requireKey()
        let sectioning = try sectioning?(manager)
        return (ResultsReader(manager: manager, query: query, table: table, section: sectioning?.sql), sectioning)
    }

    /// Shows what was read.
    private func take(
        _ read: ResultsReader<Model>.Results, _ touched: Set<RowKey>?, _ sectioning: Sectioning?
    ) throws {
        let new = try arrangement(of: read, sectioning)
        var fresh = read.objects
        if touched == nil { try leaveOutUnchanged(&fresh) }
        let updated = Set(fresh.keys)
        let difference = results.arrangement.difference(to: new, updated: updated)
        results.readings += 1
        results.isLoaded = true
        results.isView = read.isView
        results.mapping = try manager.table(of: query.modelType).mapping
        results.keys = read.keys
        // A reading of few rows doesn't say all that the results depend on.
        func merged(_ old: [String: TableReads], _ new: [String: TableReads]) -> [String: TableReads] {
            touched == nil ? new : old.merging(new) { $0.merged(with: $1) }
        }
        results.reads = merged(results.reads, read.reads)
        watch.reads = results.reads
        results.readsOfLoads = merged(results.readsOfLoads, read.readsOfLoads)
        guard !difference.change.isEmpty else { return }
        sections = sections(of: new, difference, fresh)
        publish(new, difference.change, updated)
    }

    /// The sections of an arrangement, with the shown objects and those that were read again.
    private func sections(
        of new: Arrangement<SectionName, RowKey>, _ difference: ArrangementDifference,
        _ fresh: [RowKey: PersistingModel]
    ) -> Sections<Model, SectionName> {
        let shown = sections
        // A view may have several rows with one key: they are one object.
        lazy var shownByKey = Dictionary(
            zip(results.arrangement.sections, shown).flatMap { zip($0.rows, $1.objects) }, uniquingKeysWith: { $1 })
        var next = zip(new.sections, difference.origins).map { section, origin in
            let old = origin.section.map { shown[$0] }
            let before = old?.objects ?? []
            let end = section.rows.count - origin.suffix
            if let old, origin.prefix == before.count, end == origin.prefix { return old }
            var objects = Array(before.prefix(origin.prefix))
            objects.reserveCapacity(section.rows.count)
            for (key, path) in zip(section.rows[origin.prefix..<end], origin.middle) {
                if let object = fresh[key] {
                    objects.append(downcast(object, to: Model.self))
                } else if let path {
                    objects.append(shown[path[0]].objects[path[1]])
                } else if let object = shownByKey[key] {
                    objects.append(object)
                }
            }
            objects += before.suffix(origin.suffix)
            return Sections<Model, SectionName>.Section(
                name: section.name, indexTitle: old?.indexTitle ?? indexTitle(section.name), objects: objects)
        }
        for update in difference.change.updates {
            let path = update.to
            if let object = fresh[new.sections[path[0]].rows[path[1]]] {
                next[path[0]].objects[path[1]] = downcast(object, to: Model.self)
            }
        }
        return Sections(next)
    }

    /// The rows by their sections: a section stands where its first row does.
    private func arrangement(
        of read: ResultsReader<Model>.Results, _ sectioning: Sectioning?
    ) throws -> Arrangement<SectionName, RowKey> {
        guard let sectioning else {
            return Arrangement(onlyName.map { [.init(name: $0, rows: read.keys)] } ?? [])
        }
        var sections: [Arrangement<SectionName, RowKey>.Section] = []
        var places: [SectionName: Int] = [:]
        var start = 0
        for run in read.sections {
            let rows = read.keys[start..<run.end]
            start = run.end
            let name = try sectioning.name(run.stored)
            if let place = places[name] {
                sections[place].rows += rows
            } else {
                places[name] = sections.count
                sections.append(.init(name: name, rows: Array(rows)))
            }
        }
        return Arrangement(sections)
    }

    /// Leaves out the objects whose rows are as they were.
    private func leaveOutUnchanged(_ fresh: inout [RowKey: PersistingModel]) throws {
        for (place, section) in results.arrangement.sections.enumerated() {
            for (row, key) in section.rows.enumerated() {
                let known = sections[place].objects[row]
                guard let object = fresh[key], try known.isSameAsRead(in: object),
                    try known.hasSameLoads(as: object, query.loads)
                else { continue }
                fresh[key] = nil
            }
        }
    }
}

/// What a controller knows of its results.
struct ResultsState<SectionName: Hashable> {
    var arrangement = Arrangement<SectionName, RowKey>()
    /// The rows in the query's order.
    var keys: [RowKey] = []
    /// How often they were read.
    var readings = 0
    var isLoaded = false
    var isView = false
    /// What the results depend on.
    var reads: [String: TableReads] = [:]
    /// What the relations depend on that were loaded with the objects.
    var readsOfLoads: [String: TableReads] = [:]
    var mapping: Mapping?
    /// The number of changes, and the last.
    var version = 0
    var lastChange = FetchedResultsChange()
}
