/// What waits to be saved with objects while a save of them is under way. What is added meanwhile isn't part of it.
struct SavingLinks {
    private var holders: [(object: PersistingModel, group: SiblingGroup)] = []

    /// - Parameters:
    ///   - objects: The objects that are saved.
    ///   - number: That of the last link that is saved.
    init(of objects: [PersistingModel], upTo number: Int) {
        for object in objects where object.hasGroup {
            guard let group = object.record.trackedRows?.group, group.mark(of: object, upTo: number) else { continue }
            holders.append((object, group))
        }
    }

    /// Takes out what is saved now.
    ///
    /// - Parameter log: That of the transaction, which has it wait again after a rollback.
    func remove(_ log: UndoLog?) throws {
        for (object, group) in holders {
            let links = group.take(of: object, where: \.isBeingSaved)
            if links.isEmpty { continue }
            // A rollback of the object's insertion puts the object back into this group.
            log?.add(object, UndoLog.Change(restore: { group.restore(links, of: $0) }))
            // An object that was in its table may have loaded the others of a relation.
            guard object.record.trackedRows?.group === group else { continue }
            let toMany = Dictionary(grouping: links.filter { !$0.isToOne }) { ObjectIdentifier($0.relation) }
            for links in toMany.values {
                try RelationWrite(object, links[0].relation).forget(links.compactMap(\.target))
            }
        }
    }

    /// Leaves all waiting, after an error.
    func keep() {
        for (object, group) in holders { group.unmark(of: object) }
    }
}
