internal import CSystemSQLite

extension Connection {
    /// How many pages the file of `main`'s write-ahead log has room for; nil without a log, or before it is in use.
    ///
    /// The file keeps its size after a checkpoint, and begins again at its start. It only shrinks when it is truncated.
    ///
    /// - Parameter pageSize: The size of the pages, which is asked for once.
    func logPages(_ pageSize: inout Int?) -> Int? {
        guard hasOpenLog == true else { return nil }
        pageSize = pageSize ?? probing { _ in (try? headerNumber("page_size")).map(Int.init) }
        var journal: UnsafeMutablePointer<sqlite3_file>?
        guard let pageSize, sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal) == SQLITE_OK,
            let journal, let size = journal.pointee.pMethods?.pointee.xFileSize
        else { return nil }
        var bytes: sqlite3_int64 = 0
        guard size(journal, &bytes) == SQLITE_OK else { return nil }
        // A header of 32 bytes, then a header of 24 bytes before each page:
        // https://www.sqlite.org/fileformat.html#walformat
        return max(0, Int(bytes) - 32) / (pageSize + 24)
    }
}
