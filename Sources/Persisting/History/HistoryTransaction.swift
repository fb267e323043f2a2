public import Foundation

/// A transaction that changed rows of classes with a ``PersistingModel/history``.
///
/// Numbers order transactions; dates only label them, since clocks may jump.
public struct HistoryTransaction: Sendable, Hashable, Identifiable {
    /// Its number in the database. Later ones have higher numbers.
    public let number: Int64
    /// When it was committed, or for one that ran outside of the library's transactions, when it wrote.
    public let date: Date
    /// What it was called by `PersistenceManager.transaction(_:by:_:)`; nil without a name.
    public let name: String?
    /// Who made it; nil where nobody said.
    public let author: String?
    /// The number of the transaction that an ``UndoHistory`` took back or repeated with this one; nil for any other. A
    /// step that is redone takes back the one that undid it.
    public let reverses: Int64?

    /// The number.
    public var id: Int64 { number }
}

/// What a transaction did to a row.
///
/// ```swift
/// for change in try manager.history(of: note) {
///     print(
///         change.date, change.author ?? "", change.kind,
///         change.before?.title ?? "", change.after?.title ?? "")
/// }
/// ```
public struct HistoryChange<Model: PersistingModel> {
    /// What became of the row.
    public enum Kind: String, Sendable {
        /// It was inserted.
        case insert
        /// It got other values.
        case update
        /// It was deleted.
        case delete
    }

    /// The transaction, which has one change of a row at most.
    public let transaction: HistoryTransaction
    /// The row as it was; nil for one that was inserted. An object of the past can't be saved.
    public let before: Model?
    /// The row as it became; nil for one that was deleted. An object of the past can't be saved.
    public let after: Model?
    /// The keys of the properties whose values changed; all that are recorded for one that was inserted or deleted.
    public let keys: [String]

    /// What became of the row.
    public var kind: Kind { before == nil ? .insert : after == nil ? .delete : .update }
    /// When the transaction was committed.
    public var date: Date { transaction.date }
    /// What the transaction was called; nil without a name.
    public var name: String? { transaction.name }
    /// Who made the transaction; nil where nobody said.
    public var author: String? { transaction.author }
}
