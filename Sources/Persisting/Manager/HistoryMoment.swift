/// A moment of a history.
enum HistoryMoment: Sendable, Hashable {
    case transaction(Int64)
    /// In seconds since 1970.
    case date(Double)
}
