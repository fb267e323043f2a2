internal import CSystemSQLite

extension Connection {
    /// Throws for a name that no VFS has. SQLite does so too, without saying which there are.
    static func checkVFS(_ name: String, path: String?) throws(SQLiteError) {
        guard name.utf8.contains(0) || sqlite3_vfs_find(name) == nil else { return }
        var names: [String] = []
        var next = sqlite3_vfs_find(nil)
        while let vfs = next {
            names.append(String(cString: vfs.pointee.zName))
            next = vfs.pointee.pNext
        }
        throw SQLiteError(
            .cannotOpen, "there is no VFS \"\(name)\"; there are: \(names.joined(separator: ", "))", path: path)
    }
}
