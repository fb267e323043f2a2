internal import Foundation

/// Which manager the methods on the models use.
extension PersistenceManager {
    /// The manager that the methods of model classes use by default. While it is nil, they throw
    /// ``PersistenceError/Code/noManager``.
    public static var shared: PersistenceManager? {
        get { sharedManagers.lock.withLock { sharedManagers.shared } }
        set { sharedManagers.lock.withLock { sharedManagers.shared = newValue } }
    }

    /// Runs `body` with this manager as the current task's: the methods of model classes use it, there and in tasks
    /// that it starts.
    ///
    /// - Returns: What `body` returns.
    public func asCurrent<T>(_ body: () throws -> T) rethrows -> T {
        try Self.$ofTask.withValue(self, operation: body)
    }

    /// Runs `body` with this manager as the current task's: the methods of model classes use it, there and in tasks
    /// that it starts.
    public func asCurrent<T>(_ body: () async throws -> T) async rethrows -> T {
        try await Self.$ofTask.withValue(self, operation: body)
    }

    /// The manager for methods of model classes here: that whose closure runs, else the class's own, else the task's,
    /// else the shared one.
    ///
    /// - Throws: ``PersistenceError/Code/noManager``.
    static func current(for type: PersistingModel.Type) throws -> PersistenceManager {
        if let running = ofClosure, running.engine.isMine { return running }
        if let manager = ofLoop ?? type.manager ?? ofTask ?? shared { return manager }
        throw PersistenceError(
            .noManager,
            "there is no manager: set PersistenceManager.shared, use asCurrent, or override the class's manager",
            model: ModelDescription.name(of: type))
    }

    @TaskLocal static var ofTask: PersistenceManager?
    /// A task that a closure starts inherits this, but not the access to the database.
    @TaskLocal private static var ofClosure: PersistenceManager?

    /// Of a closure that is called with one object after the other, outside of any access.
    @TaskLocal private static var ofLoop: PersistenceManager?

    /// Calls a user's closure outside of any access. Its methods of model classes are to use this manager.
    func looping(_ body: () throws -> Void) rethrows {
        try Self.$ofLoop.withValue(self) { try running(body) }
    }

    /// Calls a user's closure outside of any access, in the caller's isolation.
    func looping(_ body: () async throws -> Void) async rethrows {
        try await Self.$ofLoop.withValue(self) {
            try await Self.$ofClosure.withValue(self, operation: body)
        }
    }

    /// Runs a user's closure, whose methods of model classes are to use this manager.
    func running<T>(_ body: () throws -> T) rethrows -> T {
        try Self.$ofClosure.withValue(self, operation: body)
    }

    /// Runs a user's closure on the database's side, and hands over what it hands over.
    func handingOver<T>(_ body: () throws -> sending T) rethrows -> sending T {
        // The closure gives its result up, which withValue, between it and here, cannot repeat.
        nonisolated(unsafe) let result = try running(body)
        return result
    }
}

/// Managers by name, for programs with several databases.
extension PersistenceManager {
    /// The manager with a name; nil if there is none.
    ///
    /// ```swift
    /// PersistenceManager.named["archive"] = try PersistenceManager(
    ///     path: "archive.sqlite")
    ///
    /// final class Invoice: PersistingModel {
    ///     override class var manager: PersistenceManager? {
    ///         PersistenceManager.named["archive"]
    ///     }
    /// }
    /// ```
    public static var named: NamedManagers { NamedManagers() }

    /// The named managers of the program.
    public struct NamedManagers: Sendable {
        /// The manager of a name; setting nil removes the name, and leaves the manager open.
        public subscript(name: String) -> PersistenceManager? {
            get { sharedManagers.lock.withLock { sharedManagers.named[name] } }
            nonmutating set { sharedManagers.lock.withLock { sharedManagers.named[name] = newValue } }
        }

        /// The names there are, sorted.
        public var names: [String] { sharedManagers.lock.withLock { sharedManagers.named.keys.sorted() } }
    }
}

extension PersistenceManager {
    /// Takes away the names of a manager, the shared one's place among them.
    static func forget(_ manager: PersistenceManager) {
        sharedManagers.lock.withLock {
            if sharedManagers.shared === manager { sharedManagers.shared = nil }
            sharedManagers.named = sharedManagers.named.filter { $0.value !== manager }
        }
    }
}

private let sharedManagers = SharedManagers()

private final class SharedManagers: Sendable {
    let lock = NSLock()
    // Both guarded by `lock`.
    nonisolated(unsafe) var shared: PersistenceManager?
    nonisolated(unsafe) var named: [String: PersistenceManager] = [:]
}
