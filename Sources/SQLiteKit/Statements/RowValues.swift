internal import CSystemSQLite

/// Where SQLite keeps the values of a statement's rows, which it looks up once and not for each row.
///
/// A row of results is one array of values, so the place of the first says where the others are: while
/// `sqlite3_column_value` returns the same for it, they stay where they were. Only a statement that has been prepared
/// again may have rows of another width there. See
/// [Result Values From A Query](https://www.sqlite.org/c3ref/column_blob.html).
struct RowValues {
    /// The places of the first columns, up to the width.
    private var values = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 0)
    private var width = 0
    /// The row for which the first has been looked at.
    private var position = -1
    /// Room for what the row's columns hold, which each row takes again.
    private var contents = UnsafeMutablePointer<ColumnContent>.allocate(capacity: 0)
    private var capacity = 0

    /// The value of a column of the row that a statement stands on.
    @inline(__always)
    mutating func value(at index: Int, of handle: OpaquePointer, _ position: Int, _ width: Int) -> OpaquePointer? {
        lookUp(handle, position, width)
        // One that is not there is SQLite's own NULL.
        return index >= 0 && index < self.width ? values[index] : sqlite3_column_value(handle, Int32(clamping: index))
    }

    /// What the first columns of the row hold.
    @inline(__always)
    mutating func contents(
        upTo count: Int, of handle: OpaquePointer, _ position: Int, _ width: Int
    ) -> UnsafeMutablePointer<ColumnContent> {
        lookUp(handle, position, width)
        if count > capacity { makeRoom(count) }
        let (values, contents) = (values, contents)
        for index in 0..<min(count, self.width) { contents[index] = ColumnContent(values[index]) }
        for index in min(count, self.width)..<count { contents[index] = .null }
        return contents
    }

    @inline(__always)
    private mutating func lookUp(_ handle: OpaquePointer, _ position: Int, _ width: Int) {
        if position == self.position { return }
        self.position = position
        if self.width != width || width > 0 && values[0] != sqlite3_column_value(handle, 0) { lookUpAll(handle, width) }
    }

    private mutating func lookUpAll(_ handle: OpaquePointer, _ width: Int) {
        if self.width != width {
            values.deallocate()
            values = .allocate(capacity: width)
            self.width = width
        }
        for index in 0..<width { (values + index).initialize(to: sqlite3_column_value(handle, Int32(index))) }
    }

    private mutating func makeRoom(_ count: Int) {
        contents.deallocate()
        contents = .allocate(capacity: count)
        capacity = count
    }

    func deallocate() {
        values.deallocate()
        contents.deallocate()
    }
}
