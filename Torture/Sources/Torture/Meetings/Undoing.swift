import Persisting

/// The undo history of a manager.
final class Undo: @unchecked Sendable {  // one thread has it at a time: the program waits for each use
    let history: UndoHistory

    init(_ history: UndoHistory) { self.history = history }
}

/// A commit that changed classes of undo histories.
struct Edit {
    /// Nil for one that no undo history can take back here: several at once, and what no manager has done.
    let manager: Int?
    let before: Contents
    let after: Contents
}

/// The steps that take back.
extension MeetingRun {
    /// Takes the last commit back, or does again what was taken back last, if it was the manager's.
    func reverse(_ manager: Int, redoes: Bool, _ isAsync: Bool) throws -> Divergence? {
        guard waiting == nil, let edit = (redoes ? undone : edits).last, edit.manager == manager else { return nil }
        var after = committed
        after.restore(redoes ? edit.after : edit.before)
        let name = "\(Self.name(manager))Undo.\(redoes ? "redo" : "undo")()"
        say("try \(isAsync ? "await " : "")\(name)")
        let undo = undo[manager]
        do {
            let isDone: Bool
            if isAsync {
                let reply = lanes[manager].runAsynchronously { _ in
                    if redoes { try await undo.history.redo() } else { try await undo.history.undo() }
                }
                isDone = try reply.take()
            } else {
                isDone = try lanes[manager].run { _ in
                    if redoes { try undo.history.redo() } else { try undo.history.undo() }
                }
            }
            guard isDone else { return diverges("undo", "\(name) has nothing to do") }
        } catch let hang as Hang {
            throw hang
        } catch {
            return diverges("undo throws", "\(error)")
        }
        let (edits, undone) = (edits, undone)
        commit(after)
        self.edits = redoes ? edits + [edit] : edits.dropLast()
        self.undone = redoes ? undone.dropLast() : undone + [edit]
        return nil
    }
}
