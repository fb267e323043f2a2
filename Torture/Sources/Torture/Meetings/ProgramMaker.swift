import RandomTables

/// Makes programs at random.
struct ProgramMaker {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func program() -> Program {
        let managers = number(2...4)
        let polls = chance(15)
        var steps: [MeetingStep] = chance(70) ? beginning() : []
        let length = number(30...60)
        // One theme in a third of the programs, so that what belongs together meets often.
        let theme = chance(33) ? Kind.allCases.randomElement(using: &random) : nil
        // Another process that changes the schema between all writes, in a tenth of them.
        let isUnrest = chance(10)
        for _ in 0..<length {
            if isUnrest, chance(50) { steps.append(.change(chance(80) ? .other(number(1...4)) : .extra, by: nil)) }
            steps.append(step(managers, polls, theme))
            if chance(25) { steps.append(.settle) }
        }
        return Program(steps: steps, managers: managers, polls: polls, hasJournal: chance(20))
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
    private mutating func one<T>(_ values: [T], or other: T) -> T { values.randomElement(using: &random) ?? other }

    /// Some rows of each class.
    private mutating func beginning() -> [MeetingStep] {
        let kinds: [Kind] = [.folder, .label, .note, .media, .photo, .clip, .score, .scrap, .oldScore, .visit]
        return kinds.flatMap { kind in
            (1...number(1...3)).map { number in
                var values = self.values(kind)
                for name in kind.table.identity { values[name] = kind.table.isGenerated ? nil : number }
                for name in ["parentID", "code"] { values[name] = nil }
                if values["folderID"] != nil { values["folderID"] = 1 }
                return .write(0, .insert(kind, [values]), isAsync: false)
            }
        }
    }

    private mutating func step(_ managers: Int, _ polls: Bool, _ theme: Kind?) -> MeetingStep {
        let manager = number(0...managers - 1)
        switch number(0...119) {
        case 100..<104:
            let kind = kind(theme)
            return .keep(number(0...2), by: manager, kind, key(kind))
        case 104..<109: return .use(number(0...2), use(), isAsync: chance(40))
        case 109: return .plan(manager)
        case 110: return .alter(manager, one(Alteration.allCases, or: .notes))
        case 112..<117: return .reverse(manager, redoes: chance(35), isAsync: chance(40))
        case 117...119: return .watch(number(0...5), by: manager, .feed)
        case 111: return .migrate(manager, to: number(1...4), fails: chance(30))
        case 0..<34: return .write(manager, write(theme), isAsync: chance(40))
        case 34..<44: return .begin(manager, isAsync: chance(40))
        case 44..<56: return .end(manager, chance(70) ? .commit : .rollback)
        case 56: return .cancel(manager)
        case 57..<62: return atOnce(managers)
        case 62, 63: return polls ? .process(sqlWrite(kind(theme))) : .compare(manager, kind(theme))
        case 64..<68: return .compare(manager, theme ?? one(Kind.allCases, or: .note))
        case 68..<82: return .watch(number(0...5), by: manager, watching(theme))
        case 82..<85: return .unwatch(number(0...5))
        case 85..<94: return .change(schemaChange(), by: chance(40) ? nil : manager)
        case 94: return .exchange(manager, theme ?? one(Kind.allCases, or: .note), isCSV: chance(50))
        case 95: return .plan(manager)
        default: return .settle
        }
    }

    private mutating func kind(_ theme: Kind?) -> Kind {
        if let theme, Kind.written.contains(theme), chance(70) { return theme }
        return one(Kind.written, or: .note)
    }

    private mutating func schemaChange() -> SchemaChange {
        switch number(0...9) {
        case 0..<5: .other(number(1...4))
        case 5..<8: .extra
        case 8: .trigger
        default: .vacuum
        }
    }

    private mutating func watching(_ theme: Kind?) -> Watching {
        let kind = theme ?? one(Kind.allCases, or: .note)
        switch number(0...15) {
        case 0...2: return .query(kind)
        case 3, 4: return .count(kind)
        case 5: return .either(kind, one(Kind.allCases, or: .note))
        case 6:
            let isNumbered = kind.table.keys == ["id"]
            return .object(isNumbered ? kind : .note, number(1...4))
        case 7: return .notesOfFolders
        case 8...10: return .changes
        case 11: return .handler(kind)
        case 12, 13: return kind.table.isKeyed ? .controller(kind) : .query(kind)
        case 14: return .folderController
        default: return kind.table.isKeyed ? .live(kind) : .query(kind)
        }
    }

    private mutating func use() -> Kept.Use {
        chance(20)
            ? .refresh : .save((1...number(1...2)).map { _ in (number(0...9), chance(15) ? nil : number(1...4)) })
    }

    // MARK: Writes

    private mutating func values(_ kind: Kind) -> Write.Values {
        var values: Write.Values = [:]
        for property in kind.properties where property.isSettable {
            let isKey = kind.table.identity.contains(property.name)
            let isReference = property.name.hasSuffix("ID")
            let isThere = isKey ? !kind.table.isGenerated || chance(20) : chance(isReference ? 30 : 60)
            guard isThere else { continue }
            values[property.name] = number(1...(isKey || isReference || property.name == "code" ? 4 : 9))
        }
        return values
    }

    private mutating func key(_ kind: Kind) -> [Int] { kind.table.identity.map { _ in number(1...4) } }

    private mutating func change(_ kind: Kind) -> (name: String, number: Int?) {
        guard let property = kind.changeable.randomElement(using: &random) else { return ("", nil) }
        return (property.name, chance(15) ? nil : number(1...(property.name.hasSuffix("ID") ? 3 : 9)))
    }

    private mutating func sqlWrite(_ kind: Kind) -> Write {
        switch number(0...3) {
        case 0: return .sqlInsert(kind, values(kind), replaces: false)
        case 1: return .sqlInsert(kind, values(kind), replaces: true)
        case 2:
            let change = change(kind)
            return .sqlUpdate(kind, key(kind), change.name, change.number)
        default: return .sqlDelete(kind, key(kind))
        }
    }

    private mutating func relate() -> Write {
        let link = one(Write.Link.allCases, or: .notes)
        let others = (1...4).shuffled(using: &random).prefix(number(1...3))
        return .relate(one(Write.Relating.allCases, or: .add), link, number(1...3), Array(others))
    }

    private mutating func write(_ theme: Kind?) -> Write {
        let kind = kind(theme)
        switch number(0...29) {
        case 0...3:
            guard chance(15) else { return .insert(kind, (1...(chance(30) ? 3 : 1)).map { _ in values(kind) }) }
            // Enough for a statement of several rows.
            return .insert(kind, (1...number(8...12)).map { _ in values(kind).filter { $0.key != "code" } })
        case 4, 5: return .insertOver(kind, values(kind), replaces: chance(50))
        case 6...9:
            let changes = (1...number(1...3)).map { _ in change(kind) }
            return .save(kind, key(kind), Dictionary(changes.map { ($0.name, $0.number) }) { $1 })
        case 10, 11:
            let change = change(kind)
            return .update(kind, key(kind), change.name, change.number)
        case 12, 13: return .upsert(kind, values(kind))
        case 14, 15: return .delete(kind, chance(70) ? [key(kind)] : [key(kind), key(kind)])
        case 16:
            let kind = kind.numbered == nil ? .note : kind
            let change = change(kind)
            let isArray = chance(50)
            let limit = number(1...(isArray ? 10 : 5))
            return .updateWhere(kind, below: limit, change.name, change.number, asArray: isArray)
        case 17: return .deleteWhere(kind.numbered == nil ? .note : kind, below: number(1...3), asArray: chance(50))
        case 18...22: return relate()
        case 23: return .importRows(kind, (1...number(1...3)).map { _ in values(kind) }, isCSV: chance(50))
        default: return sqlWrite(kind)
        }
    }

    /// Writes that meet: the same object's relations, the same row, or rows of one table.
    private mutating func atOnce(_ managers: Int) -> MeetingStep {
        let count = number(2...3)
        let manager = number(0...managers - 1)
        let isOneManager = chance(60)
        var pairs: [(manager: Int, write: Write)] = []
        let kind = one(Kind.written, or: .note)
        let (same, owner) = (key(kind), number(1...3))
        let (link, relating) = (one(Write.Link.allCases, or: .labels), one(Write.Relating.allCases, or: .add))
        let choice = number(0...2)
        for _ in 0..<count {
            let write: Write
            switch choice {
            case 0, 1:
                let others = (1...4).shuffled(using: &random).prefix(number(1...3))
                write = .relate(relating, link, owner, Array(others))
            default:
                let change = change(kind)
                write = chance(50) ? .upsert(kind, values(kind)) : .update(kind, same, change.name, change.number)
            }
            pairs.append((isOneManager ? manager : number(0...managers - 1), write))
        }
        return .atOnce(pairs)
    }
}
