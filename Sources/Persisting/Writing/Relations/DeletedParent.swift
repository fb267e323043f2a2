/// What SQLite does to the rows that refer to a row which is deleted, told to the objects that were loaded for it.
///
/// Objects of such rows that were loaded otherwise aren't known, and aren't told.
extension PersistingModel {
    /// Tells the related objects that were loaded for this one, and those that it was loaded for, after its row was
    /// deleted, and before the object knows: until then its key is the row's, whatever the property holds.
    ///
    /// - Parameter log: That of the transaction, which undoes it when it is rolled back.
    final func tellOfDeletion(_ log: UndoLog?) {
        if let trackedRows = record.trackedRows { trackedRows.group?.forgetAtOrigin(after: nil, trackedRows.mapping) }
        // Nothing of this can fail for objects that were loaded by the same relations; of one that could not be told,
        // the next write says so.
        var deleted: [PersistingModel] = [self]
        while let parent = deleted.popLast() {
            guard let trackedRows = parent.record.trackedRows, let group = trackedRows.group,
                trackedRows.manager?.engine.enforcesForeignKeys == true
            else { continue }
            for relation in group.loadedRelations {
                guard case .toMany(let inverse) = relation.shape, case .toOne(let rule) = inverse.shape,
                    rule.isEnforced,
                    let resolved = try? relation.resolved(from: trackedRows.mapping),
                    let key = try? resolved.key(of: parent)
                else { continue }
                let hop = resolved.hops[0].reversed
                for child in group.loadedTargets(relation, key) where child.record.state == .persisted {
                    switch rule.onDelete {
                    case .cascade:
                        log?.addDeleted(child)
                        child.record.state = .deleted
                        deleted.append(child)
                    case .setNull: child.loseParent(hop, key, log)
                    case .setDefault, .restrict, .none: break
                    }
                }
            }
        }
    }

    /// Follows a foreign key that has become NULL, unless the object refers to another row by now.
    private final func loseParent(_ hop: ResolvedRelation.Hop, _ key: RelationKey, _ log: UndoLog?) {
        let nulls = [SQLiteValue](repeating: .null, count: hop.fromColumns.count)
        if !record.sharesTrackedValues { note(nulls, hop) }
        guard let old = try? hop.foreignKey(of: self), RelationKey(old) == key else { return }
        log?.add(
            self,
            UndoLog.Change(restore: { object in
                object.note(key.values, hop)
                if (try? hop.foreignKey(of: object)) == nulls { try? hop.assign(old, to: object) }
            }))
        try? hop.assign(nulls, to: self)
    }

    /// Notes the foreign key that the row has. Only the mapping that made tracked values can write them: that of a
    /// subclass may have its columns in other places.
    private func note(_ foreignKey: [SQLiteValue], _ hop: ResolvedRelation.Hop) {
        guard let trackedValues = record.trackedValues, let mapping = record.trackedRows?.mapping else { return }
        for (column, value) in zip(hop.fromColumns, foreignKey) {
            // A subclass has all columns of the class above it, of the same types.
            guard let own = try? mapping.index(ofKey: hop.from.columns[column].key) else { continue }
            try? mapping.assign(stored: value, to: own, in: trackedValues)
        }
    }
}
