import Foundation
import Persisting
import SQLiteKit

/// One call that writes, and what is in the table when it has.
struct Step: Sendable {
    let name: String
    /// Each row of the step in the table before and after it, as `TEXT`.
    let before: [String]
    let after: [String]
    /// Writes the rows with a tag. The objects that are watched must be as they were if it throws.
    let run: @Sendable (_ manager: PersistenceManager, _ tag: Int, _ watch: ([Item]) -> Void) throws -> Void
}

/// The steps of a case, in order; the tag of each is its place.
enum Workload {
    static let steps = [
        Step(name: "save a new object", before: [], after: ["new"]) { manager, tag, watch in
            let item = Item(tag)
            watch([item])
            try manager.save(item)
        },
        Step(name: "insert a batch", before: [], after: ["new", "new", "new"]) { manager, tag, watch in
            let items = [Item(tag), Item(tag), Item(tag)]
            watch(items)
            try manager.insert(items)
        },
        Step(name: "transaction", before: [], after: ["new", "new"]) { manager, tag, watch in
            let items = [Item(tag), Item(tag)]
            watch(items)
            try manager.transaction { for item in items { try manager.save(item) } }
        },
        Step(name: "execute", before: [], after: ["new"]) { manager, tag, _ in
            try manager.execute("INSERT INTO ITEM (TAG, TEXT) VALUES (\(tag), 'new')")
        },
        Step(name: "save a change", before: ["old"], after: ["new"]) { manager, tag, watch in
            let item = try manager.fetchAll(Item.self, where: ["tag": tag])[0]
            item.text = "new"
            watch([item])
            try manager.save(item)
        },
        Step(name: "delete", before: ["old"], after: []) { manager, tag, watch in
            let item = try manager.fetchAll(Item.self, where: ["tag": tag])[0]
            watch([item])
            try manager.delete(item)
        },
        Step(name: "update of a query", before: ["old", "old"], after: ["new", "new"]) { manager, tag, _ in
            try manager.update(Item.where(["tag": tag]), set: ["text": "new"])
        },
        Step(name: "upsert", before: ["old"], after: ["new"]) { manager, tag, watch in
            let item = try manager.fetchAll(Item.self, where: ["tag": tag])[0]
            item.text = "new"
            watch([item])
            try manager.upsert(item)
        },
        Step(name: "RETURNING", before: [], after: ["new"]) { manager, tag, _ in
            _ = try manager.database.withoutTransaction { db in
                try db.scalar("INSERT INTO ITEM (TAG, TEXT) VALUES (\(tag), 'new') RETURNING ID", as: Int.self)
            }
        },
        Step(name: "large", before: [], after: ["new"]) { manager, tag, watch in
            let item = Item(tag, data: Data(count: 30_000))
            watch([item])
            try manager.insert(item)
        },
        Step(name: "savepoint undone", before: [], after: ["new"]) { manager, tag, watch in
            let (kept, undone) = (Item(tag), Item(tag, "undone"))
            watch([kept, undone])
            try manager.transaction {
                try manager.save(kept)
                do {
                    try manager.transaction {
                        try manager.save(undone)
                        throw Undone()
                    }
                } catch is Undone {}
            }
        },
        Step(name: "blob", before: ["old"], after: ["new"]) { manager, tag, _ in
            try manager.database.withoutTransaction { db in
                guard let id = try db.scalar("SELECT ID FROM ITEM WHERE TAG = \(tag)", as: Int64.self) else { return }
                let blob = try db.openBlob(table: "ITEM", column: "TEXT", rowID: id, access: .readWrite)
                try blob.write(Data("new".utf8))
                try blob.close()
            }
        },
        Step(name: "DDL", before: [], after: ["new"]) { manager, tag, _ in
            try manager.write { db in
                try db.execute("CREATE TABLE OTHER (A)")
                try db.execute("INSERT INTO ITEM (TAG, TEXT) VALUES (\(tag), 'new')")
            }
        },
    ]

    private struct Undone: Error {}

    /// Makes the file that every case begins with.
    static func prepare(_ manager: PersistenceManager) throws {
        try manager.createTableIfNecessary(for: Item.self)
        for (tag, step) in steps.enumerated() { try manager.insert(step.before.map { Item(tag, $0) }) }
    }
}
