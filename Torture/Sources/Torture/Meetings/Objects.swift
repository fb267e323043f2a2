import Foundation
import Persisting
import SQLiteKit

/// The library's side of a program: objects of any class.
enum Objects {
    /// An object as ``Contents/words(_:)`` says the row.
    static func words(_ object: PersistingModel) -> String {
        guard let kind = Kind.of(object) else { return "\(type(of: object))" }
        let values = kind.properties.filter(\.isFetched).map { property in
            do {
                return "\(property.name)=\(Property.words(try object.value(forKey: property.name)))"
            } catch {
                return "\(property.name) throws \(error)"
            }
        }
        return "\(kind.rawValue) " + values.joined(separator: " ")
    }

    /// What tells an object from others, as ``Contents/name(_:_:)`` says it.
    static func name(_ object: PersistingModel, _ kind: Kind) -> String {
        // Of a property that can't be read, the words say so.
        kind.table.identity.map { "\($0)=\(Property.words(try? object.value(forKey: $0)))" }.joined(separator: " ")
    }

    /// The objects of a query, in the order of their words.
    static func words<Model: PersistingModel>(_ query: Query<Model>, _ manager: PersistenceManager) throws -> [String] {
        try manager.fetchAll(query).map { words($0) }.sorted()
    }

    static func words(_ kind: Kind, _ manager: PersistenceManager) throws -> [String] {
        func opened<Model: PersistingModel>(_ type: Model.Type) throws -> [String] { try words(Query(type), manager) }
        return try opened(kind.type)
    }

    /// The names of folders, each with the number of its notes.
    static func groupsOfNotes(_ manager: PersistenceManager) throws -> [String] {
        let name = Note.folder[\.name]
        let groups = try manager.groups(Note.rows, by: .key(name), computing: .count, having: name != nil)
        return groups.map { "\(Property.words($0.0))=\($0.1)" }.sorted()
    }

    /// The notes as memory sorts them, and as SQL does, if these differ.
    static func notesSortedDifferently(_ manager: PersistenceManager) throws -> String? {
        let ordering: Ordering<Note> = "folder.name desc, number, id"
        let (notes, sorted) = (try manager.fetchAll(Note.self), try manager.fetchAll(Note.self, sortedBy: ordering))
        let (found, expected) = (try ordering.sort(notes).map(\.id), sorted.map(\.id))
        return found == expected ? nil : "\(found), and by SQL as \(expected)"
    }

    /// What two ways of reading the same say differently; nil where they agree.
    static func readDifferently(_ kind: Kind, _ manager: PersistenceManager) throws -> String? {
        switch kind {
        case .note:
            let part = Note.sorted(by: "number, id").limit(4)
            let numbers = try manager.values(part, \.number, distinct: true)
            let notes = try manager.fetchAll(part.with(Note.folder))
            var expected: [Int?] = []
            for note in notes where !expected.contains(note.number) { expected.append(note.number) }
            if numbers != expected { return "distinct numbers are \(numbers), and of objects \(expected)" }
            let folders = try notes.map { try $0.related(Note.folder) }
            try manager.load(notes, \.body)
            for (note, folder) in zip(notes, folders) where try !note.isLoaded(Note.folder) {
                return "the folder \(folder?.name ?? "nil") isn't known after the note's body was loaded"
            }
        case .media:
            for number in 1...9 {
                let (wide, long) = try (
                    manager.count(Media.self, where: .format("width >= %@", number)),
                    manager.count(Media.self, where: .format("length < %@", number))
                )
                let (photos, clips) = try (
                    manager.count(Photo.self, where: \.width >= number),
                    manager.count(Clip.self, where: \.length < number)
                )
                if (wide, long) != (photos, clips) {
                    return "\(number): \(wide) and \(long) media, \(photos) photos and \(clips) clips"
                }
            }
            let (rows, objects) = try (manager.dictionaries(Media.rows), manager.fetchAll(Media.self))
            let widths = (rows.compactMap { $0["width"] as? Int }, objects.compactMap { ($0 as? Photo)?.width })
            if widths.0.sorted() != widths.1.sorted() { return "widths are \(widths.0), and of objects \(widths.1)" }
        default: break
        }
        return nil
    }

    /// The number of the last transaction of the histories.
    static func lastTransaction(_ manager: PersistenceManager) throws -> Int64 {
        try manager.historyTransactions().last?.number ?? 0
    }

    /// The objects of the classes with a history, as they were after a transaction; nil for now.
    static func past(_ number: Int64?, _ manager: PersistenceManager) throws -> [String] {
        func opened<Model: PersistingModel>(_ type: Model.Type) throws -> [String] {
            try words(number.map { Query(type).asOf($0) } ?? Query(type), manager)
        }
        return try Kind.recorded.flatMap { try opened($0.type) }
    }

    /// All rows as SQLite has them, as ``Contents/stored`` says them.
    static func stored(_ tables: [TableName], _ manager: PersistenceManager) throws -> [String] {
        try manager.read { _ in
            try tables.flatMap { table in
                let names = table.properties.map(\.column) + (table == .media ? ["KIND"] : [])
                let select = SQL("SELECT \(names.joined(separator: ", ")) FROM \(table.rawValue)" as String)
                return try manager.read { db in
                    try db.rows(select).map { row in
                        try names.indices.map { "\(try row[$0] as SQLiteValue)" }.joined(separator: "|")
                    }
                }.sorted().map { "\(table.rawValue) \($0)" }
            }
        }
    }

    /// How many rows have each value inside of their JSON, and how many the full-text indexes find for each text, which
    /// are what their tables' rows make them.
    static func searched(_ manager: PersistenceManager) throws -> [String] {
        func counts<Model: PersistingModel>(
            _ index: FullTextIndex<Model>, _ table: TableName, _ name: String
        ) throws -> [String] {
            try manager.check(index)
            return try (1...9).map { number in
                let text = "\(table.property(name)?.value(number) ?? "")"
                let count = try manager.count(Model.self, where: index.matches(text, mode: .allWords))
                return "\(table.rawValue) \(text) \(count)"
            }
        }
        let inside = try (1...9).map { number in
            let (word, theme) = try (
                manager.count(Note.self, where: .contains(\.words, "w\(number)")),
                manager.count(Note.self, where: \.sheet?.theme == "s\(number)")
            )
            return "NOTE w\(number) \(word) s\(number) \(theme)"
        }
        return try inside + counts(Note.search, .note, "text") + counts(Media.search, .media, "title")
            + counts(Score.search, .score, "game") + counts(OldScore.search.of(OldScore.self), .oldScore, "game")
    }

    /// A new object with values.
    static func new<Model: PersistingModel>(_ type: Model.Type, _ kind: Kind, _ values: Write.Values) throws -> Model {
        let object = type.init()
        for property in kind.properties {
            guard let number = values[property.name], property.isSettable else { continue }
            try object.setValue(property.value(number), forKey: property.name)
        }
        return object
    }

    static func query<Model: PersistingModel>(_ type: Model.Type, _ kind: Kind, _ key: [Int]) -> Query<Model> {
        var values: [String: (any Sendable)?] = [:]
        for (name, number) in zip(kind.table.identity, key) { values[name] = kind.property(name)?.value(number) }
        return Query(type).where(Criteria(values))
    }

    static func query<Model: PersistingModel>(_ type: Model.Type, _ kind: Kind, below limit: Int) -> Query<Model> {
        Query(type).where(.format("\(kind.numbered?.name ?? "") < %@", limit))
    }

    static func value(_ kind: Kind, _ name: String, _ number: Int?) -> (any Sendable)? {
        number.flatMap { kind.property(name)?.value($0) }
    }

    /// The one object of a query.
    static func one<Model: PersistingModel>(_ objects: [Model]) throws -> Model {
        guard objects.count == 1, let object = objects.first else {
            throw Complaint("\(objects.count) objects were found in place of one")
        }
        return object
    }
}
