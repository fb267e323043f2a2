public import Foundation

/// What has changed in the results of a ``FetchedResultsController``.
///
/// A row is identified by its primary key, and a section by its name. A row that is in the results before and after is
/// neither deleted nor inserted: it has stayed, or is among ``moves``. There are as few moves as possible. Rows that
/// only go along with their section, or make room for others, don't move.
///
/// To change a list that shows the results, take away the rows of `deletions` and of `moves`, then the sections of
/// ``sectionDeletions`` and ``sectionMoves``, by their places before. Put the sections of ``sectionInsertions`` and
/// `sectionMoves` to their places after, and then the rows of `insertions` and `moves`, in ascending order. At last,
/// redraw the rows of ``updates``. That is what `performBatchUpdates` of a collection view does.
public struct FetchedResultsChange: Sendable, Hashable {
    /// A place before and after the change.
    public struct Move<Place: Sendable & Hashable>: Sendable, Hashable {
        /// The place before.
        public let from: Place
        /// The place after.
        public let to: Place

        package init(from: Place, to: Place) {
            self.from = from
            self.to = to
        }
    }

    /// The rows that are no longer among the results, by their places before; those of deleted sections, too.
    public internal(set) var deletions: [IndexPath] = []
    /// The rows that are new among the results, by their places after; those of inserted sections, too.
    public internal(set) var insertions: [IndexPath] = []
    /// The rows that have moved, within their section or to another one, by their places after.
    public internal(set) var moves: [Move<IndexPath>] = []
    /// The rows whose values have changed, by their places after. They may have moved, too.
    public internal(set) var updates: [Move<IndexPath>] = []

    /// The sections that are gone, by their places before.
    public internal(set) var sectionDeletions: [Int] = []
    /// The sections that are new, by their places after.
    public internal(set) var sectionInsertions: [Int] = []
    /// The sections that have moved, by their places after.
    public internal(set) var sectionMoves: [Move<Int>] = []
    /// The sections that were there before, and of which rows were deleted, inserted, moved or updated, by their places
    /// after: a header that shows a count is redrawn for these.
    public internal(set) var sectionUpdates: [Move<Int>] = []

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty && sectionDeletions.isEmpty
            && sectionInsertions.isEmpty && sectionMoves.isEmpty && sectionUpdates.isEmpty
    }
}
