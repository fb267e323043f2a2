import Persisting

/// An object that a program keeps over several steps, whatever others do to its row meanwhile.
final class Kept: @unchecked Sendable {  // one thread has the object at a time: the program waits for each use
    /// What is done with it.
    enum Use {
        /// Properties are set, and the object is saved: those that a class has, by their places.
        case save([(place: Int, number: Int?)])
        case refresh
    }

    let manager: Int
    let kind: Kind
    let key: [Int]
    let object: PersistingModel
    /// What the row held when it was read or written last.
    var known: Write.Values
    /// What the object holds.
    var values: Write.Values

    init(_ manager: Int, _ kind: Kind, _ key: [Int], _ object: PersistingModel, _ row: Contents.Row) {
        (self.manager, self.kind, self.key, self.object) = (manager, kind, key, object)
        known = Self.fetched(row)
        values = known
    }

    static func fetched(_ row: Contents.Row) -> Write.Values {
        row.values.filter { name, _ in row.kind.property(name)?.isFetched == true }
    }

    /// The properties that a save writes.
    var changes: [String: Int?] {
        var changes: [String: Int?] = [:]
        for property in kind.changeable where property.isFetched && values[property.name] != known[property.name] {
            changes.updateValue(values[property.name], forKey: property.name)
        }
        return changes
    }
}

/// The steps with kept objects.
extension MeetingRun {
    func keep(_ slot: Int, _ manager: Int, _ kind: Kind, _ key: [Int]) throws -> Divergence? {
        // VACUUM gives rows other identifiers.
        guard isReadable(manager), kind.table.isKeyed, committed.has(kind),
            let row = contents(manager).row(kind, key), row.kind == kind
        else { return nil }
        say("let k\(slot) = try \(Self.name(manager)).\(Write.find(kind, key))!")
        kept[slot] = try lanes[manager].run { lane in
            func opened<Model: PersistingModel>(_ type: Model.Type) throws -> Kept {
                Kept(manager, kind, key, try Objects.one(lane.fetchAll(Objects.query(type, kind, key))), row)
            }
            return try opened(kind.type)
        }
        return nil
    }

    func use(_ slot: Int, _ use: Kept.Use, _ isAsync: Bool) throws -> Divergence? {
        guard let kept = kept[slot], isFree(kept.manager) else { return nil }
        let (manager, kind, key) = (kept.manager, kept.kind, kept.key)
        let row = contents(manager).rows(kind.table)[key]
        // A row of another class has taken the place.
        if let row, row.kind != kind { return nil }
        var after = contents(manager)
        var settings: [(name: String, number: Int?)] = []
        var mustThrow = row == nil
        switch use {
        case .refresh: say("try \(Self.name(manager)).refresh(k\(slot))" + (mustThrow ? "  // must throw" : ""))
        case .save(let chosen):
            let properties = kind.changeable.filter(\.isFetched)
            settings = chosen.map { (properties[$0.place % properties.count].name, $0.number) }
            for (name, number) in settings { kept.values[name] = number }
            let changes = kept.changes
            if changes.isEmpty {
                mustThrow = false
            } else if row != nil {
                do { _ = try after.apply(.save(kind, key, changes)) } catch { mustThrow = true }
            }
            let words = settings.map { "k\(slot).\($0.name) = \(kind.property($0.name)?.code($0.number) ?? ""); " }
            say(words.joined() + "try \(Self.name(manager)).save(k\(slot))" + (mustThrow ? "  // must throw" : ""))
        }
        do {
            let given = settings.map { ($0.name, Objects.value(kind, $0.name, $0.number)) }
            if isAsync, drafts[manager] == nil {
                try lanes[manager].runAsynchronously { lane in
                    for (name, value) in given { try kept.object.setValue(value, forKey: name) }
                    if case .refresh = use {
                        try await lane.refresh(kept.object)
                    } else {
                        try await lane.save(kept.object)
                    }
                }.take()
            } else {
                try lanes[manager].run { lane in
                    for (name, value) in given { try kept.object.setValue(value, forKey: name) }
                    if case .refresh = use { try lane.refresh(kept.object) } else { try lane.save(kept.object) }
                }
            }
            if mustThrow { return diverges("kept object: \(kind.rawValue) doesn't throw", "the call has not thrown") }
        } catch let hang as Hang {
            throw hang
        } catch {
            return mustThrow ? nil : diverges("kept object throws: \(kind.rawValue)", "\(error)")
        }
        if case .refresh = use, let row {
            kept.known = Kept.fetched(row)
            kept.values = kept.known
        } else if !kept.changes.isEmpty, let row = after.row(kind, key) {
            kept.known = kept.values
            // A generated column is read with each write of others.
            kept.known["doubled"] = row.values["doubled"]
            kept.values = kept.known
            if let depth = drafts[manager]?.count {
                drafts[manager]?[depth - 1] = after
            } else {
                commit(after, by: manager)
            }
        }
        let expected = after.words(Contents.Row(kind: kind, values: kept.values))
        let found = try lanes[manager].run { _ in Objects.words(kept.object) }
        return found == expected
            ? nil : diverges("kept object: \(kind.rawValue)", "it is [\(found)], and the model's [\(expected)]")
    }
}
