/// What each write makes of the tables.
extension Contents {
    /// - Returns: Whether there is something to do: a program skips what isn't possible.
    /// - Throws: Why the write must throw. The tables are then as they were.
    mutating func apply(_ write: Write) throws(Violation) -> Bool {
        guard has(write.kind) else { return false }
        var after = self
        guard try after.perform(write) else { return false }
        self = after
        return true
    }

    private mutating func perform(_ write: Write) throws(Violation) -> Bool {
        switch write {
        case .insert(let kind, let rows):
            if kind == .scrap, !canInsert(kind, rows) { return false }
            for row in rows { try insert(kind, row) }
        case .insertOver(let kind, let values, let replaces):
            let conflicts = conflicts(kind, values)
            // Nobody knows whether a row may take the place of one of another class.
            if conflicts.contains(where: { rows(kind.table)[$0]?.kind != kind }) || kind == .scrap { return false }
            if !replaces, !conflicts.isEmpty { return true }
            if replaces, isUnchecked(kind, values) { return false }
            try insert(kind, values, replaces: replaces)
        case .save(let kind, let key, let changes):
            guard row(kind, key) != nil else { return false }
            // Nil in a deferred property that isn't loaded leaves the column alone.
            try update(kind.table, key, changes.filter { name, number in name != "body" || number != nil })
        case .update(let kind, let key, let name, let number), .sqlUpdate(let kind, let key, let name, let number):
            guard row(kind, key) != nil else { return false }
            try update(kind.table, key, [name: number])
        case .upsert(let kind, let values): return try upsert(kind, values)
        case .delete(let kind, let keys):
            guard Set(keys).count == keys.count, keys.allSatisfy({ row(kind, $0) != nil }) else { return false }
            for key in keys { delete(kind.table, key) }
        case .updateWhere(let kind, let limit, let name, let number, let asArray):
            // The order of the rows matters to a unique column.
            if name == "code" { return false }
            if asArray, kind == .scrap || name == "body" && number == nil { return false }
            for key in rows(of: kind).keys where isBelow(kind, key, limit) {
                try update(kind.table, key, [name: number])
            }
        case .deleteWhere(let kind, let limit, _):
            for key in rows(of: kind).keys where isBelow(kind, key, limit) { delete(kind.table, key) }
        case .relate(let relating, let link, let owner, let others):
            return try relate(relating, link, owner, others)
        case .importRows(let kind, let rows, let isCSV):
            // In CSV, a row without values is an empty line, which is none. In JSON it is an error.
            if rows.contains(where: \.isEmpty) {
                if isCSV { return false }
                throw .constraint
            }
            guard canInsert(kind, rows) else { return false }
            for row in rows { try insert(kind, row) }
        case .sqlInsert(let kind, let values, let replaces):
            if kind == .scrap, !canInsert(kind, [values]) { return false }
            if conflicts(kind, values).contains(where: { rows(kind.table)[$0]?.kind != kind }) { return false }
            if replaces, isUnchecked(kind, values) { return false }
            try insert(kind, values, replaces: replaces)
        case .sqlDelete(let kind, let key):
            guard row(kind, key) != nil else { return false }
            delete(kind.table, key)
        }
        return true
    }

    /// Whether SQLite takes a row that refers to none: it doesn't check what REPLACE writes to a tree with SET NULL.
    private func isUnchecked(_ kind: Kind, _ values: Write.Values) -> Bool {
        kind == .folder && values["parentID"].map { row(.folder, [$0]) == nil } ?? false
    }

    /// Whether the rows have what tells them from others.
    private func canInsert(_ kind: Kind, _ rows: [Write.Values]) -> Bool {
        let names = kind.table.identity
        return kind.table.isGenerated
            || rows.allSatisfy { values in names.allSatisfy { values[$0] != nil } }
                && (kind != .scrap
                    || rows.allSatisfy { conflicts(kind, $0).isEmpty }
                        && Set(rows.map { $0["number"] }).count == rows.count)
    }

    private func isBelow(_ kind: Kind, _ key: [Int], _ limit: Int) -> Bool {
        guard let name = kind.numbered?.name, let number = rows(kind.table)[key]?.values[name] else { return false }
        return number < limit
    }

    private mutating func upsert(_ kind: Kind, _ values: Write.Values) throws(Violation) -> Bool {
        if kind == .scrap { return false }
        let conflicts = conflicts(kind, values)
        let identity = kind.table.identity.compactMap { values[$0] }
        guard let key = conflicts.contains(identity) ? identity : conflicts.first else {
            try insert(kind, values)
            return true
        }
        guard let row = rows(kind.table)[key] else { return false }
        if row.kind != kind { return false }
        // A second row in conflict, and one that is found by its code and keeps its key.
        if conflicts.count > 1 || key != identity && !identity.isEmpty { return false }
        var changes: [String: Int?] = [:]
        for property in kind.changeable where property.isFetched || values[property.name] != nil {
            changes.updateValue(values[property.name], forKey: property.name)
        }
        try update(kind.table, key, changes)
        return true
    }

    private mutating func relate(
        _ relating: Write.Relating, _ link: Write.Link, _ owner: Int, _ others: [Int]
    ) throws(Violation) -> Bool {
        guard row(link.owner, [owner]) != nil, Set(others).count == others.count,
            others.allSatisfy({ row(link.target, [$0]) != nil })
        else { return false }
        if link == .notes {
            let own = rows(.note).filter { $0.value.values["folderID"] == owner }.keys.compactMap(\.first)
            let leaving = relating == .remove ? others.filter(own.contains) : own.filter { !others.contains($0) }
            if relating != .add { for note in leaving { try update(.note, [note], ["folderID": nil]) } }
            if relating != .remove {
                for note in others where !own.contains(note) { try update(.note, [note], ["folderID": owner]) }
            }
            return true
        }
        let (table, kind) = link == .labels ? (TableName.labelling, Kind.labelling) : (.pin, .pin)
        let links = rows(table).filter { $0.value.values["noteID"] == owner }
        for (key, row) in links {
            guard let label = row.values["labelID"] else { continue }
            let isGoing = relating == .remove ? others.contains(label) : relating == .replace && !others.contains(label)
            if isGoing { delete(table, key) }
        }
        if relating != .remove {
            let linked = links.values.compactMap { $0.values["labelID"] }
            for label in others where !linked.contains(label) { try insert(kind, ["noteID": owner, "labelID": label]) }
        }
        return true
    }
}
