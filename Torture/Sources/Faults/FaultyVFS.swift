internal import CFaults
internal import Foundation

/// A VFS whose calls fail when they are told to, and whose power can be cut. It goes with the value.
public final class FaultyVFS: Sendable {
    /// The calls that can fail.
    public struct Calls: OptionSet, Sendable {
        /// The calls as bits.
        public let rawValue: UInt32

        /// Calls by their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Opening a file.
        public static let opens = Calls(rawValue: UInt32(FAULT_OPEN))
        /// Reading.
        public static let reads = Calls(rawValue: UInt32(FAULT_READ))
        /// Writing.
        public static let writes = Calls(rawValue: UInt32(FAULT_WRITE))
        /// Syncing.
        public static let syncs = Calls(rawValue: UInt32(FAULT_SYNC))
        /// Cutting a file to a length.
        public static let truncations = Calls(rawValue: UInt32(FAULT_TRUNCATE))
        /// Deleting a file.
        public static let deletions = Calls(rawValue: UInt32(FAULT_DELETE))
        /// Asking for a length.
        public static let sizes = Calls(rawValue: UInt32(FAULT_SIZE))
        /// Taking a lock, and asking who has one.
        public static let locks = Calls(rawValue: UInt32(FAULT_LOCK))
        /// The shared memory of a write-ahead log, and its locks.
        public static let sharedMemory = Calls(rawValue: UInt32(FAULT_SHARED_MEMORY))
        /// Asking whether a file is there.
        public static let accesses = Calls(rawValue: UInt32(FAULT_ACCESS))
        /// All of them.
        public static let all = Calls(rawValue: UInt32(FAULT_ANY))
    }

    /// What `DatabaseConfiguration.vfs` calls it.
    public let name = "faulty-\(UUID().uuidString)"
    // Guarded by a lock of its own.
    nonisolated(unsafe) private let vfs: OpaquePointer

    /// An error of the disk on which files are put back.
    public struct Failure: Error {
        /// The system's number of the error.
        public let errno: Int32
    }

    /// Registers a VFS with a name of its own.
    public init() throws {
        guard let vfs = fault_vfs_create(name) else { throw Failure(errno: ENOMEM) }
        self.vfs = vfs
    }

    deinit { fault_vfs_destroy(vfs) }

    /// Fails the nth of these calls from now, counted from 1, and those after it if `isPersistent`.
    ///
    /// - Parameters:
    ///   - code: What it returns; nil is SQLite's own code for such a call.
    ///   - isTorn: Whether a write that fails leaves its first half.
    public func fail(
        _ calls: Calls, at nth: Int, code: Int32? = nil, isPersistent: Bool = false, isTorn: Bool = false
    ) {
        fault_vfs_arm(
            vfs,
            fault_plan(
                operations: calls.rawValue, nth: nth, code: code ?? 0, is_persistent: isPersistent ? 1 : 0,
                is_torn: isTorn ? 1 : 0))
    }

    /// Fails no more calls.
    ///
    /// - Returns: How many have failed.
    @discardableResult
    public func failNone() -> Int { fault_vfs_disarm(vfs) }

    /// How many of the calls that were to fail there have been.
    public var callCount: Int { fault_vfs_call_count(vfs) }

    /// Keeps from now on what is on the disk for certain, of each file that is opened.
    public func trackDisk() { fault_vfs_track(vfs) }

    /// Cuts the power in the nth change of a file from now.
    public func cutPower(at nth: Int) { fault_vfs_cut_power(vfs, nth) }

    /// Whether the power is off.
    public var isOff: Bool { fault_vfs_is_off(vfs) != 0 }

    /// Leaves on the disk what a power cut may leave, and turns the power on. All connections must be closed.
    public func restorePower(seed: UInt64) throws {
        let code = fault_vfs_restore(vfs, seed)
        guard code == 0 else { throw Failure(errno: code) }
    }
}
