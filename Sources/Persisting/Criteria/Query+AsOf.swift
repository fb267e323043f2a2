public import Foundation

/// Rows as they were.
extension Query {
    /// The rows as they were at a time, with their relations.
    ///
    /// ```swift
    /// let then = try manager.fetchAll(Note.where(\.title == "Plan").asOf(yesterday))
    /// ```
    ///
    /// Conditions, orders and relations are of that time as well, so each class that takes part must have a
    /// ``PersistingModel/history``. The objects are of the past: what they load later is of the same time, and they
    /// can't be saved or deleted. Fetches, counts, aggregates, groups and selections read the past; other verbs throw,
    /// and so does a query in whose condition a query of the past stands.
    ///
    /// Clocks only label transactions, whose numbers order them: a date means the last transaction with a date that
    /// isn't after it. One before all transactions means the rows as they were when the history began.
    ///
    /// - Parameter date: The time.
    public func asOf(_ date: Date) -> Query { with { $0.past = .date(date.timeIntervalSince1970) } }

    /// The rows as they were after a transaction.
    ///
    /// - Parameter transaction: Its number, of ``HistoryTransaction/number``.
    public func asOf(_ transaction: Int64) -> Query { with { $0.past = .transaction(transaction) } }

    /// The query of what the table that it is run on has.
    var ofNow: Query { with { $0.past = nil } }
}
