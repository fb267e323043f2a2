import Foundation
import Persisting
import Synchronization

/// What the cases write. Each step has rows of its own, which its tag tells.
final class Item: PersistingModel {
    var id: Int64?
    var tag = 0
    var text = ""
    var data: Data?

    private static let alive = Atomic(0)
    /// How many objects of the class there are.
    static var count: Int { alive.load(ordering: .relaxed) }

    required init() {
        super.init()
        Self.alive.add(1, ordering: .relaxed)
    }

    deinit { Self.alive.subtract(1, ordering: .relaxed) }

    override class var indexes: [Index] { [Index("tag")] }
    override class var history: History? { .values() }

    convenience init(_ tag: Int, _ text: String = "new", data: Data? = nil) {
        self.init()
        (self.tag, self.text, self.data) = (tag, text, data)
    }

    /// What is wrong with the history of the table: a row has one entry among those of now, without it has none,
    /// and no transaction is open.
    static func recordingFaults(_ db: Database) throws -> [Fault] {
        let questions: [(words: String, sql: SQL)] = [
            (
                "rows without a record, or with several",
                """
                SELECT count(*) FROM ITEM
                WHERE (SELECT count(*) FROM ITEM_history_current AS e WHERE e.ID = ITEM.ID) <> 1
                """
            ),
            (
                "records without a row",
                """
                SELECT count(*) FROM ITEM_history_current AS e
                WHERE NOT EXISTS (SELECT 1 FROM ITEM WHERE ITEM.ID = e.ID)
                """
            ),
            ("open transactions", "SELECT count(*) FROM history_transactions WHERE open IS NOT NULL"),
            (
                "records of no transaction",
                """
                WITH n (number) AS (
                    SELECT _began FROM ITEM_history_current UNION SELECT _began FROM ITEM_history
                    UNION SELECT _ended FROM ITEM_history)
                SELECT count(*) FROM n WHERE number > 0 AND number NOT IN (SELECT number FROM history_transactions)
                """
            ),
        ]
        return try questions.compactMap { words, sql in
            let count = try db.scalar(sql, as: Int.self) ?? 0
            return count == 0 ? nil : Fault(.half, "\(count) \(words)")
        }
    }

    /// What must be as before after a call that failed.
    var state: [String] { ["\(isPersisted)", "\(id ?? -1)", "\(changedKeys.sorted())", text] }
}
