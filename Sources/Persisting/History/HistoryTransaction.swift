public import Foundation

/// A transaction that changed rows of classes with a ``PersistingModel/history``.
///
/// Numbers order transactions; dates only label them, since clocks may jump.
public struct HistoryTransaction: Sendable, Hashable, Identifiable {
    /// The transaction's number in the database. Later transactions have higher numbers.
    public let number: Int64
    /// When it was committed, or when it wrote if it ran outside the library's transactions.
    public let date: Date
    /// The name that `PersistenceManager.transaction(_:by:_:)` gave it; nil if it has none.
    public let name: String?
    /// The author; nil if none was given.
    public let author: String?
    /// The number of the transaction that this one reverses, if an ``UndoHistory`` made it; otherwise nil.
    ///
    /// An undo reverses its step, and a redo reverses the undo.
    public let reverses: Int64?

    /// The number.
    public var id: Int64 { number }
}

/// A change that a transaction made to a row.
///
/// ```swift
/// for change in try manager.history(of: note) {
///     print(
///         change.date, change.author ?? "", change.kind,
///         change.before?.title ?? "", change.after?.title ?? "")
/// }
/// ```
public struct HistoryChange<Model: PersistingModel> {
    /// What happened to the row.
    public enum Kind: String, Sendable {
        /// The row was inserted.
        case insert
        /// The row got other values.
        case update
        /// The row was deleted.
        case delete
    }

    /// The transaction, which has at most one change for each row.
    public let transaction: HistoryTransaction
    /// The row before the change; nil if it was inserted. An object from the past can't be saved.
    public let before: Model?
    /// The row after the change; nil if it was deleted. An object from the past can't be saved.
    public let after: Model?
    /// The keys of the properties whose values changed; all recorded ones if the row was inserted or deleted.
    public let keys: [String]

    /// What happened to the row.
    public var kind: Kind { before == nil ? .insert : after == nil ? .delete : .update }
    /// When the transaction was committed.
    public var date: Date { transaction.date }
    /// The transaction's name; nil if it has none.
    public var name: String? { transaction.name }
    /// The transaction's author; nil if none was given.
    public var author: String? { transaction.author }
}
