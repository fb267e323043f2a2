import Foundation
import Persisting
import Testing

private class Volume: PersistingModel {
    var id: Int64?
    var title = ""
    var pages: Int?
    var note: String?
    var revision = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.unique
        return columns
    }
    override class var versionKey: String? { "revision" }
}

/// One whose hooks write, too.
private final class HookedVolume: Volume {
    override class var tableName: String { "HOOKED_VOLUME" }
    override func willInsert() throws { try Entry.create(["text": "\(title) will be inserted"]) }
    override func didUpdate() { title += "." }
    override func willDelete() throws { try Entry.create(["text": "\(title) will be deleted"]) }
}

private final class Entry: PersistingModel {
    var id: Int64?
    var text = ""
}

private final class Shelf: PersistingModel {
    var id: Int64?
    var name = ""
    static let places = ManyToMany(ToOne(\Place.shelfID, Shelf.self), ToOne(\Place.volumeID, Volume.self))
    override class var relations: Relations { ["places": places] }
}

private final class Place: PersistingModel {
    var id: Int64?
    var shelfID: Int64?
    var volumeID: Int64?
}

/// A verb on the volumes with some numbers, one by one or in an array, and what it says of them.
private struct TwoForms: CustomTestStringConvertible, Sendable {
    typealias Synchronous = @Sendable (PersistenceManager, [Int], _ isArray: Bool) throws -> String
    typealias Suspended = @Sendable (PersistenceManager, [Int], _ isArray: Bool) async throws -> String

    let testDescription: String
    /// Whether doing it twice, from two tasks, leaves what doing it once does.
    let isRepeatable: Bool
    let synchronous: Synchronous
    let suspended: Suspended

    init(
        _ name: String, isRepeatable: Bool = false, _ synchronous: @escaping Synchronous,
        suspended: @escaping Suspended
    ) {
        testDescription = name
        self.isRepeatable = isRepeatable
        self.synchronous = synchronous
        self.suspended = suspended
    }

    static let all = of(Volume.self) + of(HookedVolume.self) + relations

    private static func of<V: Volume>(_ type: V.Type) -> [TwoForms] {
        @Sendable func new(_ numbers: [Int], _ name: String = "new") -> [V] {
            numbers.map { number in
                let volume = V()
                volume.title = "\(name) \(number)"
                return volume
            }
        }
        @Sendable func known(_ manager: PersistenceManager, _ numbers: [Int]) throws -> [V] {
            try numbers.map { try #require(try manager.find(V.self, $0)) }
        }
        @Sendable func changed(_ manager: PersistenceManager, _ numbers: [Int]) throws -> [V] {
            let volumes = try known(manager, numbers)
            for volume in volumes { volume.pages = 100 }
            return volumes
        }
        func named(_ name: String) -> String { "\(V.self): \(name)" }
        return [
            TwoForms(named("insert")) { manager, numbers, isArray in
                let volumes = new(numbers)
                if isArray { try manager.insert(volumes) } else { for volume in volumes { try manager.insert(volume) } }
                return states(volumes)
            } suspended: { manager, numbers, isArray in
                let volumes = new(numbers)
                if isArray {
                    try await manager.insert(volumes)
                } else {
                    for volume in volumes { try await manager.insert(volume) }
                }
                return states(volumes)
            },
            TwoForms(named("insert, ignoring")) { manager, numbers, isArray in
                let volumes = new(numbers, "known") + new(numbers)
                let count =
                    try isArray
                    ? manager.insert(volumes, onConflict: .ignore)
                    : volumes.filter { try manager.insert($0, onConflict: .ignore) }.count
                return "\(count) \(states(volumes))"
            } suspended: { manager, numbers, isArray in
                let volumes = new(numbers, "known") + new(numbers)
                var count = 0
                if isArray {
                    count = try await manager.insert(volumes, onConflict: .ignore)
                } else {
                    for volume in volumes where try await manager.insert(volume, onConflict: .ignore) { count += 1 }
                }
                return "\(count) \(states(volumes))"
            },
            TwoForms(named("save")) { manager, numbers, isArray in
                let volumes = try changed(manager, numbers) + new(numbers)
                if isArray { try manager.save(volumes) } else { for volume in volumes { try manager.save(volume) } }
                return states(volumes)
            } suspended: { manager, numbers, isArray in
                let volumes = try changed(manager, numbers) + new(numbers)
                if isArray {
                    try await manager.save(volumes)
                } else {
                    for volume in volumes { try await manager.save(volume) }
                }
                return states(volumes)
            },
            TwoForms(named("save without changes")) { manager, numbers, isArray in
                let volumes = try known(manager, numbers)
                if isArray { try manager.save(volumes) } else { for volume in volumes { try manager.save(volume) } }
                return states(volumes)
            } suspended: { manager, numbers, isArray in
                let volumes = try known(manager, numbers)
                if isArray {
                    try await manager.save(volumes)
                } else {
                    for volume in volumes { try await manager.save(volume) }
                }
                return states(volumes)
            },
            TwoForms(named("upsert")) { manager, numbers, isArray in
                let volumes = new(numbers, "known") + new(numbers)
                for volume in volumes { (volume.pages, volume.note) = (5, "n") }
                if isArray {
                    try manager.upsert(volumes, by: ["title"], updating: ["pages"])
                } else {
                    for volume in volumes { try manager.upsert(volume, by: ["title"], updating: ["pages"]) }
                }
                return states(volumes)
            } suspended: { manager, numbers, isArray in
                let volumes = new(numbers, "known") + new(numbers)
                for volume in volumes { (volume.pages, volume.note) = (5, "n") }
                if isArray {
                    try await manager.upsert(volumes, by: ["title"], updating: ["pages"])
                } else {
                    for volume in volumes { try await manager.upsert(volume, by: ["title"], updating: ["pages"]) }
                }
                return states(volumes)
            },
            TwoForms(named("delete")) { manager, numbers, isArray in
                let volumes = try known(manager, numbers)
                let count = try isArray ? manager.delete(volumes) : volumes.filter { try manager.delete($0) }.count
                return "\(count) \(states(volumes))"
            } suspended: { manager, numbers, isArray in
                let volumes = try known(manager, numbers)
                var count = 0
                if isArray {
                    count = try await manager.delete(volumes)
                } else {
                    for volume in volumes where try await manager.delete(volume) { count += 1 }
                }
                return "\(count) \(states(volumes))"
            },
            TwoForms(named("update")) { manager, numbers, _ in
                let volumes = try changed(manager, numbers)
                for volume in volumes {
                    volume.title += "!"
                    try manager.update(volume, keys: ["title"])
                    try volume.update(\.pages, to: 7)
                }
                return states(volumes)
            } suspended: { manager, numbers, _ in
                let volumes = try changed(manager, numbers)
                for volume in volumes {
                    volume.title += "!"
                    try await manager.update(volume, keys: ["title"])
                    try await volume.update(\.pages, to: 7)
                }
                return states(volumes)
            },
            TwoForms(named("merge and refresh")) { manager, numbers, _ in
                let volumes = try changed(manager, numbers)
                try manager.update(V.where(.in(\.id, numbers.map { Int64($0) })), \.title, to: \.title + "?")
                for volume in volumes { try manager.merge(volume) }
                let merged = states(volumes)
                for volume in volumes { try volume.refresh() }
                return "\(merged) \(states(volumes))"
            } suspended: { manager, numbers, _ in
                let volumes = try changed(manager, numbers)
                try await manager.update(V.where(.in(\.id, numbers.map { Int64($0) })), \.title, to: \.title + "?")
                for volume in volumes { try await manager.merge(volume) }
                let merged = states(volumes)
                for volume in volumes { try await volume.refresh() }
                return "\(merged) \(states(volumes))"
            },
            TwoForms(named("update and delete of rows")) { manager, numbers, _ in
                let rows = V.where(.in(\.id, numbers.map { Int64($0) }))
                let count = try manager.update(rows, set: ["pages": 3])
                return try "\(count) \(manager.delete(rows.where(\.id < 2)))"
            } suspended: { manager, numbers, _ in
                let rows = V.where(.in(\.id, numbers.map { Int64($0) }))
                let count = try await manager.update(rows, set: ["pages": 3])
                return try await "\(count) \(manager.delete(rows.where(\.id < 2)))"
            },
            TwoForms(named("findOrCreate"), isRepeatable: true) { manager, numbers, _ in
                try states(numbers.map { try manager.findOrCreate(V.self, where: ["title": "new \($0)"]) })
            } suspended: { manager, numbers, _ in
                var text: [String] = []
                for number in numbers {
                    text.append(states([try await manager.findOrCreate(V.self, where: ["title": "new \(number)"])]))
                }
                return text.joined(separator: "; ")
            },
            TwoForms(named("upsertAll of JSON"), isRepeatable: V.self == Volume.self) { manager, numbers, _ in
                try states(manager.upsertAll(V.self, json: json(numbers)))
            } suspended: { manager, numbers, _ in
                try await states(manager.upsertAll(V.self, json: json(numbers)))
            },
        ]
    }

    private static let relations = [
        TwoForms("add to a relation", isRepeatable: true) { manager, numbers, isArray in
            let (shelf, volumes) = try shelf(manager, numbers)
            if isArray {
                try shelf.add(volumes, to: Shelf.places)
            } else {
                for volume in volumes { try shelf.add(volume, to: Shelf.places) }
            }
            return try titles(of: shelf)
        } suspended: { manager, numbers, isArray in
            let (shelf, volumes) = try shelf(manager, numbers)
            if isArray {
                try await shelf.add(volumes, to: Shelf.places)
            } else {
                for volume in volumes { try await shelf.add(volume, to: Shelf.places) }
            }
            return try titles(of: shelf)
        },
        TwoForms("remove from a relation", isRepeatable: true) { manager, numbers, isArray in
            let (shelf, volumes) = try shelf(manager, numbers)
            if isArray {
                try shelf.remove(volumes, from: Shelf.places)
            } else {
                for volume in volumes { try shelf.remove(volume, from: Shelf.places) }
            }
            return try titles(of: shelf)
        } suspended: { manager, numbers, isArray in
            let (shelf, volumes) = try shelf(manager, numbers)
            if isArray {
                try await shelf.remove(volumes, from: Shelf.places)
            } else {
                for volume in volumes { try await shelf.remove(volume, from: Shelf.places) }
            }
            return try titles(of: shelf)
        },
        TwoForms("replace a relation", isRepeatable: true) { manager, numbers, _ in
            let (shelf, volumes) = try shelf(manager, numbers)
            try shelf.replace(Shelf.places, with: volumes)
            return try titles(of: shelf)
        } suspended: { manager, numbers, _ in
            let (shelf, volumes) = try shelf(manager, numbers)
            try await shelf.replace(Shelf.places, with: volumes)
            return try titles(of: shelf)
        },
    ]

    private static func shelf(_ manager: PersistenceManager, _ numbers: [Int]) throws -> (Shelf, [Volume]) {
        (
            try #require(try manager.find(Shelf.self, 1)),
            try numbers.map { try #require(try manager.find(Volume.self, $0)) }
        )
    }

    private static func titles(of shelf: Shelf) throws -> String {
        try shelf.related(Shelf.places).map(\.title).sorted().joined(separator: ", ")
    }

    private static func json(_ numbers: [Int]) -> Data {
        Data("[\(numbers.map { "{\"id\": \($0), \"pages\": 9}" }.joined(separator: ", "))]".utf8)
    }

    private static func states(_ volumes: [Volume]) -> String {
        volumes.map { volume in
            let keys = volume.changedKeys.sorted()
            let (pages, note) = (volume.pages ?? 0, volume.note ?? "-")
            return "\(volume.title) \(pages) \(note) \(volume.revision) \(volume.isPersisted) \(keys)"
        }.joined(separator: "; ")
    }
}

// F14, F15, F57
@Suite("Both forms of each verb") struct BothFormsTests {
    /// A manager of four volumes of each kind, two of which stand on a shelf.
    private static func manager() throws -> PersistenceManager {
        let manager = try memoryManager(Volume.self, HookedVolume.self, Entry.self, Shelf.self, Place.self)
        for number in 1...4 {
            for type in [Volume.self, HookedVolume.self] {
                try manager.run("INSERT INTO \(type.tableName) (TITLE, REVISION) VALUES ('known \(number)', 1)")
            }
        }
        try manager.run("INSERT INTO SHELF (NAME) VALUES ('a')")
        try manager.run("INSERT INTO PLACE (SHELF_ID, VOLUME_ID) VALUES (1, 1), (1, 2)")
        return manager
    }

    /// What the tables hold, but for generated keys.
    private static func rows(_ manager: PersistenceManager) throws -> [SQLiteValue] {
        try manager.storedColumn(
            """
            WITH ALL_VOLUMES AS (SELECT 'plain' AS KIND, * FROM VOLUME UNION ALL SELECT 'hooked', * FROM HOOKED_VOLUME)
            SELECT KIND || ' ' || TITLE || ' ' || ifnull(PAGES, '-') || ' ' || ifnull(NOTE, '-') || ' ' || REVISION AS T
            FROM ALL_VOLUMES
            UNION ALL SELECT TEXT FROM ENTRY UNION ALL SELECT 'place ' || VOLUME_ID FROM PLACE ORDER BY 1
            """)
    }

    /// What a verb says, or how it fails, and what the tables hold then.
    private static func outcome(
        _ manager: PersistenceManager, _ verb: () async throws -> String
    ) async throws -> (said: String, rows: [SQLiteValue]) {
        let said: String
        do {
            said = try await manager.asCurrent { try await verb() }
        } catch let error as PersistenceError {
            said = "\(error.code): \(error.message)"
        }
        return (said, try rows(manager))
    }

    @Test("do the same, one by one and in an array", arguments: TwoForms.all, [false, true])
    private func same(_ verb: TwoForms, isArray: Bool) async throws {
        let (first, second) = (try Self.manager(), try Self.manager())
        let synchronous = try await Self.outcome(first) { try verb.synchronous(first, [1, 2, 3], isArray) }
        let suspended = try await Self.outcome(second) { try await verb.suspended(second, [1, 2, 3], isArray) }
        #expect(synchronous.said == suspended.said)
        #expect(synchronous.rows == suspended.rows)
    }

    @Test("of an array do what those of its objects do", arguments: TwoForms.all)
    private func array(_ verb: TwoForms) async throws {
        let (first, second) = (try Self.manager(), try Self.manager())
        let oneByOne = try await Self.outcome(first) { try verb.synchronous(first, [1, 2, 3], false) }
        let array = try await Self.outcome(second) { try verb.synchronous(second, [1, 2, 3], true) }
        #expect(oneByOne.said == array.said)
        #expect(oneByOne.rows == array.rows)
    }

    @Test("do from two tasks what they do one after the other", arguments: TwoForms.all, [false, true])
    private func tasks(_ verb: TwoForms, isArray: Bool) async throws {
        let (first, second) = (try Self.manager(), try Self.manager())
        let halves = verb.isRepeatable ? [[1, 2], [1, 2]] : [[1, 2], [3, 4]]
        try await second.asCurrent {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for numbers in halves {
                    group.addTask { _ = try await verb.suspended(second, numbers, isArray) }
                }
                try await group.waitForAll()
            }
        }
        for numbers in halves { _ = try await Self.outcome(first) { try verb.synchronous(first, numbers, isArray) } }
        #expect(try Self.rows(first) == Self.rows(second))
    }
}
