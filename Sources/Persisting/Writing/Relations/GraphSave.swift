internal import Foundation

/// Objects that are written together, since some of them refer to others that have to be in the table first.
///
/// Those that are referred to are written first. Of objects that refer to each other in a circle, one is written
/// without its foreign key, where that may be NULL, and with it at the end.
struct GraphSave {
    /// One object's reference to another.
    struct Edge {
        let child: PersistingModel
        let parent: PersistingModel
        let hop: ResolvedRelation.Hop
        /// Whether the parent has to be written before the child.
        var isOrdering = true
    }

    /// The objects, in the order in which they are saved.
    private(set) var objects: [PersistingModel] = []
    /// The references that are given to an object before it is saved, by the objects that refer to others.
    private(set) var edges: [ObjectIdentifier: [Edge]] = [:]
    /// Those that are written at the end.
    private(set) var late: [Edge] = []
    /// The objects that are no longer to refer to any.
    let cleared: [(child: PersistingModel, hop: ResolvedRelation.Hop)]
    /// The rows of a relation that are changed first, and the links that are inserted only where they have none.
    let storedLinks: StoredLinks?
    private var linkKeys: [ObjectIdentifier: [SQLiteValue]] = [:]
    /// The objects that a to-many relation without links gets, by the step to its holder.
    private var children: [ObjectIdentifier: ResolvedRelation.Hop] = [:]
    /// The number of the last link that is saved.
    private let lastLink = PendingLink.lastNumber

    /// Whether rows may refer to others that are written after them, until the transaction ends.
    var needsDeferral: Bool { edges.values.joined().contains { !$0.isOrdering } }

    /// Whether its writes need the objects between them: rows with hooks, an object that is written again once those
    /// that it refers to have their keys, and a reference to what the table puts into a row other than a generated key.
    var needsObjects: Bool {
        get throws {
            try !late.isEmpty || storedLinks?.hop.from.members.contains(where: \.hasHooks) == true
                || edges.values.joined().contains { edge in
                    try !(edge.hop.to.isKeyGenerated && edge.hop.toColumns == edge.hop.to.key)
                        && edge.hop.foreignKey(toRowOf: edge.parent) == nil
                }
        }
    }

    /// - Parameters:
    ///   - roots: Objects to save, with what waits to be saved with them.
    ///   - links: What else is to be saved, as if it waited.
    ///   - cleared: Objects to save that are no longer to refer to any.
    ///   - storedLinks: The rows of the relation that the links are of.
    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a circle that can't be written.
    init(
        _ roots: [PersistingModel], links: [PendingLink] = [],
        clearing cleared: [(child: PersistingModel, hop: ResolvedRelation.Hop)] = [],
        storedLinks: StoredLinks? = nil, _ manager: PersistenceManager
    ) throws {
        self.cleared = cleared
        self.storedLinks = storedLinks
        var found = Found()
        for link in links {
            guard let holder = link.holder else { continue }
            // The holder is in its table.
            found.seen.insert(holder)
            try add(link, holder, &found)
            if case .toMany = link.relation.shape, let child = link.target {
                children[ObjectIdentifier(child)] = edges[ObjectIdentifier(child)]?.last?.hop
            }
            if let between = link.link, let target = link.target,
                let key = try storedLinks?.toTarget?.foldedKey(ofRowOf: target)
            {
                linkKeys[ObjectIdentifier(between)] = key
            }
        }
        for root in roots + cleared.map(\.child) { found.insert(root) }
        // Without recursion, since a chain may be of any length.
        var next = 0
        while next < found.objects.count {
            let object = found.objects[next]
            for link in object.pendingLinks { try add(link, object, &found) }
            next += 1
        }
        try order(found.objects, manager)
    }

    /// Begins to save what waits of the objects.
    fileprivate func savingLinks() -> SavingLinks { SavingLinks(of: objects, upTo: lastLink) }

    /// The key of the target of a link that is inserted unless there is a link to it; nil for any other object.
    fileprivate func linkKey(_ object: PersistingModel) -> [SQLiteValue]? { linkKeys[ObjectIdentifier(object)] }

    /// The foreign key that an object has been given and had before, so that a save would leave it out: somebody may
    /// have given the row another one since it was read.
    ///
    /// - Returns: Its columns, and the key of the object's row; nil if a save writes all of them.
    fileprivate func knownForeignKey(
        of object: PersistingModel
    ) throws -> (columns: ColumnSet, rowKey: [SQLiteValue])? {
        guard let hop = children[ObjectIdentifier(object)], object.record.state == .persisted,
            let rows = object.record.trackedRows, rows.isTracking, rows.mapping === hop.from,
            let trackedValues = object.record.trackedValues, let key = try object.rowKey(hop.from)
        else { return nil }
        let columns = ColumnSet(hop.fromColumns).subtracting(try hop.from.changes(object, trackedValues))
        return columns.isEmpty ? nil : (columns, key)
    }

    /// The objects that are to be saved, each once.
    private struct Found {
        var objects: [PersistingModel] = []
        var seen: Set<PersistingModel> = []

        mutating func insert(_ object: PersistingModel) {
            if seen.insert(object).inserted { objects.append(object) }
        }
    }

    private mutating func add(_ link: PendingLink, _ holder: PersistingModel, _ found: inout Found) throws {
        guard let target = link.target else {
            let name = ModelDescription.name(of: link.relation.target)
            throw PersistenceError(
                .invalidRelation,
                "the \(name) that was set as \(try Mapping.of(holder).relationName(of: link.relation)) was released before "
                    + "it was saved: keep a reference to it until then, or save it first",
                model: ModelDescription.name(of: type(of: holder)))
        }
        switch link.relation.shape {
        case .toOne: try add(holder, link.relation, target)
        case .toMany(let inverse): try add(target, inverse.root, holder)
        case .link(let first, let second):
            guard let between = link.link else { break }
            try add(between, first, holder)
            try add(between, second, target)
            found.insert(between)
        case .through: break
        }
        found.insert(target)
    }

    private mutating func add(
        _ child: PersistingModel, _ relation: RelationDeclaration, _ parent: PersistingModel
    ) throws {
        let edge = Edge(child: child, parent: parent, hop: try relation.hop(of: child))
        edges[ObjectIdentifier(child), default: []].append(edge)
    }

    /// Puts the objects into an order in which each comes after those that it refers to.
    private mutating func order(_ found: [PersistingModel], _ manager: PersistenceManager) throws {
        var done: Set<PersistingModel> = []
        for start in found where !done.contains(start) {
            // Without recursion, since a chain may be of any length.
            var path: [Visit] = [Visit(object: start, above: above(start, manager))]
            var onPath: Set<PersistingModel> = [start]
            while let visit = path.last {
                guard visit.next < visit.above.count else {
                    path.removeLast()
                    onPath.remove(visit.object)
                    done.insert(visit.object)
                    objects.append(visit.object)
                    continue
                }
                let edge = visit.above[visit.next]
                path[path.count - 1].next += 1
                if onPath.contains(edge.parent),
                    let first = path.firstIndex(where: { $0.object === edge.parent })
                {
                    let child = try breakUp(path[first...].map { $0.above[$0.next - 1] })
                    // From there on again, with what is left of its references.
                    while let last = path.last, last.object !== child {
                        path.removeLast()
                        onPath.remove(last.object)
                    }
                    path[path.count - 1] = Visit(object: child, above: above(child, manager))
                } else if !done.contains(edge.parent) {
                    path.append(Visit(object: edge.parent, above: above(edge.parent, manager)))
                    onPath.insert(edge.parent)
                }
            }
        }
        sortByDepth(manager)
    }

    /// An object on the way to those that it refers to.
    private struct Visit {
        let object: PersistingModel
        /// Its references to objects that have to come before it.
        let above: [Edge]
        /// The place of the next one to follow.
        var next = 0
    }

    private func above(_ object: PersistingModel, _ manager: PersistenceManager) -> [Edge] {
        edges[ObjectIdentifier(object)]?.filter { $0.isOrdering && manager.state(of: $0.parent) != .persisted } ?? []
    }

    /// Has objects follow each other that refer to none of each other, so that several are written by one statement:
    /// the objects stay in their order, but those that refer to more come later.
    private mutating func sortByDepth(_ manager: PersistenceManager) {
        guard !edges.isEmpty else { return }
        var depths: [ObjectIdentifier: Int] = [:]
        var levels: [[PersistingModel]] = []
        for object in objects {
            let depth = above(object, manager).map { depths[ObjectIdentifier($0.parent), default: 0] + 1 }.max() ?? 0
            depths[ObjectIdentifier(object)] = depth
            while levels.count <= depth { levels.append([]) }
            levels[depth].append(object)
        }
        objects = levels.flatMap(\.self)
    }

    /// Takes one of the references out of a circle: it is written at the end or, where the keys are known, before the
    /// row that it refers to.
    ///
    /// - Returns: The object that has the reference.
    private mutating func breakUp(_ circle: [Edge]) throws -> PersistingModel {
        func isSame(_ edge: Edge, _ other: Edge) -> Bool {
            edge.parent === other.parent && edge.hop.fromColumns == other.hop.fromColumns
        }
        // A key that is known is in the property already, where it may be nil, too.
        if let edge = try circle.first(where: { try $0.hop.foreignKey(toRowOf: $0.parent) != nil }) {
            let own = edges[ObjectIdentifier(edge.child)] ?? []
            for index in own.indices where isSame(own[index], edge) {
                edges[ObjectIdentifier(edge.child)]?[index].isOrdering = false
            }
            return edge.child
        } else if let edge = circle.first(where: \.hop.isOptional) {
            edges[ObjectIdentifier(edge.child)]?.removeAll { isSame($0, edge) }
            late.append(edge)
            return edge.child
        } else {
            let names = circle.map { edge in
                let keys = edge.hop.fromColumns.map { edge.hop.from.columns[$0].key }.joined(separator: ", ")
                return "\(edge.hop.from.modelName).\(keys)"
            }
            throw PersistenceError(
                .invalidRelation,
                "new objects refer to each other in a circle, by \(names.joined(separator: ", ")): none can be the first, "
                    + "unless one of these properties is Optional", model: circle.first?.hop.from.modelName)
        }
    }
}

extension GraphSave {
    /// A foreign key that was given to an object.
    struct Assignment {
        let object: PersistingModel
        let hop: ResolvedRelation.Hop
        let old: [SQLiteValue]
        let new: [SQLiteValue]

        /// Gives an object a foreign key.
        init(_ new: [SQLiteValue], _ object: PersistingModel, _ hop: ResolvedRelation.Hop) throws {
            self.object = object
            self.hop = hop
            old = try hop.foreignKey(of: object)
            try hop.assign(new, to: object)
            // As the property has it, which a row may store in another form.
            self.new = try hop.foreignKey(of: object)
        }

        /// Gives the object its old foreign key again, unless it has been set since.
        func undo() { change.restore?(object) }

        /// The same for the log of a transaction, which holds objects only as long as others do.
        var change: UndoLog.Change {
            UndoLog.Change(restore: { [hop, old, new] object in
                // A value that the object had, it can have again.
                if (try? hop.foreignKey(of: object)) == new { try? hop.assign(old, to: object) }
            })
        }
    }
}

extension GraphSave.Edge {
    /// Gives the child its foreign key, now that the parent has a key.
    func assign() throws -> GraphSave.Assignment {
        guard let new = try hop.foreignKey(toRowOf: parent) else { throw hop.to.missingKeyValue() }
        return try GraphSave.Assignment(new, child, hop)
    }
}

extension PersistenceManager {
    /// Writes a graph: all or nothing.
    func save(_ graph: GraphSave, _ progress: Progress? = nil) throws {
        var assignments: [GraphSave.Assignment] = []
        let links = graph.savingLinks()
        do {
            try transaction(of: { mapping(of: graph.objects, named: $0, or: graph.storedLinks?.hop.from) }) { db in
                // A transaction around this one may yet be rolled back.
                func note(_ assignment: GraphSave.Assignment) {
                    assignments.append(assignment)
                    TransactionContext.current(self, db)?.log.add(assignment.object, assignment.change)
                }
                if graph.needsDeferral { try db.execute("PRAGMA defer_foreign_keys = ON") }
                let linked = try graph.storedLinks?.removeLinks(self) ?? []
                for (child, hop) in graph.cleared {
                    note(try GraphSave.Assignment(hop.fromColumns.map { _ in .null }, child, hop))
                }
                try writeObjects(of: graph, linked: linked, progress, note)
                for edge in graph.late {
                    note(try edge.assign())
                    try updateChanges(of: edge.child)
                }
                try links.remove(TransactionContext.current(self, db)?.log)
            }
        } catch {
            links.keep()
            for assignment in assignments.reversed() { assignment.undo() }
            throw error
        }
    }

    /// Writes the objects of a graph, each after those that it refers to.
    ///
    /// - Parameters:
    ///   - linked: The keys of links that are stored already, which aren't written again.
    ///   - note: Takes what was assigned.
    private func writeObjects(
        of graph: GraphSave, linked: Set<[SQLiteValue]>, _ progress: Progress?,
        _ note: @escaping (GraphSave.Assignment) -> Void
    ) throws {
        var known: [(object: PersistingModel, columns: ColumnSet)] = []
        let objects = graph.objects.filter { object in graph.linkKey(object).map { !linked.contains($0) } ?? true }
        try write(objects, .save, progress) { object, runWaiting in
            for edge in graph.edges[ObjectIdentifier(object)] ?? [] {
                if edge.parent.record.isBeingSaved { try runWaiting() }
                note(try edge.assign())
            }
            if let (columns, key) = try graph.knownForeignKey(of: object), !linked.contains(key) {
                known.append((object, columns))
            }
        }
        for (object, columns) in known { try updateColumns(columns, of: object) }
    }

    /// Writes a graph, while the task is suspended: all or nothing.
    func save(_ graph: GraphSave, _ progress: Progress? = nil) async throws {
        try await saving(graph.objects, needsObjects: graph.needsObjects) {
            try save(graph, progress)
        } suspended: {
            var assignments: [GraphSave.Assignment] = []
            let links = graph.savingLinks()
            do {
                for (child, hop) in graph.cleared {
                    assignments.append(try GraphSave.Assignment(hop.fromColumns.map { _ in .null }, child, hop))
                }
                var writes: [SentWrite?] = []
                var batch = WriteBatch(self, .save, count: graph.objects.count)
                var places: [ObjectIdentifier: Int] = [:]
                for object in graph.objects {
                    places[ObjectIdentifier(object)] = writes.count
                    var keys: [SentWrite.Key] = []
                    for edge in graph.edges[ObjectIdentifier(object)] ?? [] {
                        if try edge.hop.foreignKey(toRowOf: edge.parent) != nil {
                            assignments.append(try edge.assign())
                        } else if let place = places[ObjectIdentifier(edge.parent)] {
                            keys.append(try SentWrite.Key(edge, ofWrite: place))
                        } else {
                            throw edge.hop.to.missingKeyValue()
                        }
                    }
                    writes.append(try sentWrite(of: object, keys, &batch, graph))
                }
                try await executeSuspended(
                    writes, on: graph.objects, BatchProgress(progress, count: writes.count), graph.storedLinks,
                    deferringForeignKeys: graph.needsDeferral)
                try links.remove(nil)
            } catch {
                links.keep()
                for assignment in assignments.reversed() { assignment.undo() }
                throw error
            }
        }
    }

    /// The write of an object whose foreign keys are those that other writes make.
    private func sentWrite(
        of object: PersistingModel, _ keys: [SentWrite.Key], _ batch: inout WriteBatch, _ graph: GraphSave
    ) throws -> SentWrite? {
        let known = try graph.knownForeignKey(of: object)
        guard !keys.isEmpty || known != nil, state(of: object) == .persisted else {
            return SentWrite(try batch.write(of: object), keys: keys, unlessLinkedTo: graph.linkKey(object))
        }
        // The columns are to be among those that are written, though they haven't changed yet.
        let table = try table(of: type(of: object))
        let changed = try object.record.trackedValues.map { try table.mapping.changes(object, $0) }
        let written = try (changed ?? table.mapping.columnsToUpdate(of: object)).subtracting(table.generatedColumns)
        var columns = ColumnSet(keys.map(\.column)).union(written)
        let isKnownAlone = columns.isEmpty
        if let known { columns = columns.union(known.columns) }
        guard let update = try updateOfColumns(columns, of: object) else { return nil }
        return SentWrite(.update(update), keys: keys, unlessLinkedTo: isKnownAlone ? known?.rowKey : nil)
    }
}
