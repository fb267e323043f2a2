internal import CSystemSQLite
internal import Foundation

/// The closures that a connection calls at its events.
///
/// SQLite has one place for each, and no destructor; so the closures stand here, and what SQLite is handed is the
/// connection.
final class Hooks {
    var update = HookPair<@Sendable (RowChange) -> Void>()
    var commit = HookPair<@Sendable () throws -> Void>()
    var rollback = HookPair<@Sendable () -> Void>()
    var preUpdate: (@Sendable (borrowing PreUpdate) -> Void)?
    /// What notes changes for those who listen to the database.
    var recorder: (any Recorder)?
    /// Whether SQLite calls our pre-update hook.
    var hasPreUpdateHook = false
    /// How many sessions record the connection's changes; they use the place of the pre-update hook.
    var sessionCount = 0
    var wal: (@Sendable (WALCommit) -> Void)?
    /// How many pages the log may have before it is checkpointed: SQLite's own hook for that is replaced by ours.
    var autoCheckpoint: Int32 = 0
    var progress: (@Sendable () -> Bool)?
    var busy: (@Sendable (Int) -> Bool)?
    /// Waits for locks where there is no `busy`.
    var busyWait = BusyWait(timeout: .zero)
    var authorizer: (@Sendable (AuthorizerRequest) -> AuthorizerAnswer)?
    /// What a statement that is being prepared reads; nil unless someone asked.
    var columnsRead: Set<ColumnRead>?
    /// What a statement that is being prepared would do; nil unless someone asked.
    var requests: [AuthorizerRequest]?
    /// What reports statements; nil while nobody listens.
    var tracer: Tracer?
    var collationNeeded: (@Sendable (String) -> (@Sendable (String, String) -> ComparisonResult)?)?
    /// Why a hook rejected something, for the error that SQLite makes of that.
    var errorMessage: String?
    let interrupter = Interrupter()
}

/// Who has set a hook: each has a place of its own, and both are called.
package enum HookOwner: Sendable {
    /// The user of the connection.
    case user
    /// The library above this one.
    case library
}

/// The hooks of one event, of each owner.
struct HookPair<Hook> {
    private(set) var user: Hook?
    private(set) var library: Hook?

    subscript(owner: HookOwner) -> Hook? {
        get { owner == .user ? user : library }
        set { if owner == .user { user = newValue } else { library = newValue } }
    }

    var isEmpty: Bool { user == nil && library == nil }
}

extension Connection {
    /// What SQLite hands back to a hook.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Calls `body` with the connection behind a pointer.
    static func at<T>(_ context: UnsafeMutableRawPointer?, _ body: (Connection) -> T) -> T? {
        // A connection outlives its handle, and so all calls of its hooks.
        context.map { body(Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue()) }
    }

    /// Calls `body`, which calls a hook: meanwhile the connection cannot be used, which SQLite forbids to hooks.
    static func hook<T>(_ context: UnsafeMutableRawPointer?, _ body: (Connection) -> T) -> T? {
        at(context) { connection in
            let wasInHook = connection.isInHook
            connection.isInHook = true
            defer { connection.isInHook = wasInHook }
            return body(connection)
        }
    }

    /// The reason that a hook of ours has for the error of a code, where SQLite gives none.
    func takeErrorMessage(_ code: Int32) -> String? {
        let codes = [ResultCode.constraintCommitHook, .authorization, .tokenizerFailed]
        guard codes.contains(where: { $0.rawValue == code }) else { return nil }
        defer { hooks.errorMessage = nil }
        return hooks.errorMessage
    }
}
