#if canImport(Darwin)
    internal import Foundation

    extension DatabaseLocation {
        /// Keeps the file, and those that SQLite keeps alongside it, out of the system's backups.
        func excludeFromBackup() throws(SQLiteError) {
            guard let path else { return }
            for file in [path, path + "-wal", path + "-shm"] where FileManager.default.fileExists(atPath: file) {
                var url = URL(filePath: file)
                var values = URLResourceValues()
                values.isExcludedFromBackup = true
                do {
                    try url.setResourceValues(values)
                } catch {
                    throw SQLiteError(
                        .cannotOpen, "the file can't be excluded from backups: \(error.localizedDescription)",
                        path: path)
                }
            }
        }
    }
#endif
