internal import Foundation
internal import SQLiteKit

/// A directory that only one node uses. libdqlite doesn't notice when two use it, and both lose their data.
final class DirectoryLock {
    private let descriptor: CInt

    /// Creates the directory if it is missing, accessible only to its owner.
    ///
    /// - Throws: `.busy` if another node uses it, in this process or another.
    init(_ path: String) throws(SQLiteError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SQLiteError(
                .cannotOpen, "can't create the node's directory: \(error.localizedDescription)", path: path)
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SQLiteError(
                .cannotOpen, "can't open the node's directory: \(String(cString: strerror(errno)))", path: path)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // The object is whole by now, so that deinit closes the descriptor.
            let failure = errno
            throw SQLiteError(
                failure == EWOULDBLOCK ? .busy : .cannotOpen,
                failure == EWOULDBLOCK
                    ? "another node uses the directory: each node needs one of its own"
                    : "can't lock the node's directory: \(String(cString: strerror(failure)))",
                path: path)
        }
    }

    deinit {
        // Closing it isn't enough while a process that is being started has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
