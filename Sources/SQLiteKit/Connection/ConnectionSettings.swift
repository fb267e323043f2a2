/// How a connection is opened, of what its configuration says.
struct ConnectionSettings {
    /// SQLite's flags for what may be done with the file. See [Opening A New Database
    /// Connection](https://www.sqlite.org/c3ref/open.html).
    let flags: Int32
    /// Whether the file never changes.
    let isImmutable: Bool
    let vfs: String?
    /// Whether texts that are not UTF-8 are read with replacement characters.
    let repairsText: Bool
    let synchronous: SynchronousMode
}
