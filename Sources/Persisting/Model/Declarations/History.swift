/// How a class's table keeps what its rows were.
///
/// ```swift
/// final class Note: PersistingModel {
///     var id: Int64?
///     var title = "", body = ""
///     var draft: String?
///     override class var history: History? {
///         .values(except: ["draft"], keeping: .days(90))
///     }
/// }
/// ```
///
/// Triggers record each change, whoever makes it: the library, raw SQL, foreign keys, other triggers and other
/// programs. The history stands in a table next to the class's, such as `NOTE_history`, which has a whole old row for
/// each change with the numbers of the transactions that began and ended it. It is created with the class's table,
/// planned with it, follows renamed and retyped columns, and is dropped with it.
public struct History: Sendable {
    /// For how long old rows are kept. `PersistenceManager.pruneHistory(of:)` deletes the others.
    public struct Keeping: Sendable {
        enum Limit: Sendable {
            case none
            case seconds(Double)
            case transactions(Int)
        }

        let limit: Limit

        /// For good.
        public static let everything = Keeping(limit: .none)

        /// For so many days.
        ///
        /// - Parameter days: The days, of 86,400 seconds each.
        public static func days(_ days: Double) -> Keeping { Keeping(limit: .seconds(days * 86_400)) }

        /// For so many transactions of the database that changed a class with a history.
        ///
        /// - Parameter count: How many, the last ones.
        public static func transactions(_ count: Int) -> Keeping { Keeping(limit: .transactions(count)) }
    }

    /// The keys of properties that aren't recorded.
    let excluded: [String]
    let keeping: Keeping

    /// The values of all properties, with exceptions.
    ///
    /// - Parameters:
    ///   - excluded: The keys of properties that aren't recorded, such as large ones. In objects of the past they are
    ///     nil, or what their columns have by default. One that is neither Optional nor has a default throws when the
    ///     table is created, as does one of the primary key.
    ///   - keeping: For how long old rows are kept.
    public static func values(except excluded: [String] = [], keeping: Keeping = .everything) -> History {
        History(excluded: excluded, keeping: keeping)
    }
}
