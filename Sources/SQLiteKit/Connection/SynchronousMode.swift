/// How hard a commit waits for the disk. See [PRAGMA
/// synchronous](https://www.sqlite.org/pragma.html#pragma_synchronous).
public enum SynchronousMode: Int, Sendable, Hashable {
    /// Never waits: a power cut may damage the file.
    case off = 0
    /// In WAL mode, a power cut may lose the last commits but damages nothing.
    case normal = 1
    /// Waits: with a write-ahead log, a commit that returned is on the disk. With a rollback journal, a power cut may
    /// undo the last commit, by restoring a journal that was just deleted.
    case full = 2
    /// Waits for the directory entry of a rollback journal as well: a commit that returned is on the disk. With a
    /// write-ahead log it is the same as ``full``.
    case extra = 3
}
