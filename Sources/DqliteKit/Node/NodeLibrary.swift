internal import Foundation
internal import SQLiteKit

/// The functions of libdqlite. The library is loaded when the first node is made, so that nothing else needs it.
///
/// They are declared as in `dqlite.h` of libdqlite 1.11.1; all of them exist since 1.11.0. The type `dqlite_node_id` is
/// 64 bits wide.
struct NodeLibrary: Sendable {
    /// A `dqlite_node *`.
    typealias Handle = OpaquePointer
    /// Connects to an address, and stores the socket. It is called with the context that was passed with it, on one of
    /// the node's threads.
    typealias Connect =
        @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<CInt>?) -> CInt
    typealias Address = UnsafePointer<CChar>

    private let createNode: @convention(c) @Sendable (UInt64, Address, Address, UnsafeMutablePointer<Handle?>) -> CInt
    private let destroyNode: @convention(c) @Sendable (Handle) -> Void
    let start: @convention(c) @Sendable (Handle) -> CInt
    let stop: @convention(c) @Sendable (Handle) -> CInt
    let message: @convention(c) @Sendable (Handle) -> Address?
    let setBindAddress: @convention(c) @Sendable (Handle, Address) -> CInt
    let bindAddress: @convention(c) @Sendable (Handle) -> Address?
    let setConnect: @convention(c) @Sendable (Handle, Connect, UnsafeMutableRawPointer?) -> CInt
    let setNetworkLatency: @convention(c) @Sendable (Handle, CUnsignedInt) -> CInt
    let setFailureDomain: @convention(c) @Sendable (Handle, UInt64) -> CInt
    let setSnapshots: @convention(c) @Sendable (Handle, CUnsignedInt, CUnsignedInt) -> CInt
    /// Takes `dqlite_node_info_ext` values of four 64-bit numbers each. The first number is the size in bytes.
    let recover: @convention(c) @Sendable (Handle, UnsafeMutablePointer<UInt64>, CInt) -> CInt

    /// SQLite's `sqlite3_vfs_find`, of the SQLite that libdqlite uses.
    private let findVFS: @convention(c) @Sendable (Address?) -> UnsafeMutableRawPointer?

    /// The library, or the error why it is missing.
    static let shared = Result { () throws(SQLiteError) in try NodeLibrary() }

    private init() throws(SQLiteError) {
        let names = ["libdqlite.so.0", "libdqlite.so", "libdqlite.dylib"]
        guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw SQLiteError(
                .missingFeature,
                """
                a node needs libdqlite 1.11 or later, which isn't installed: run `apt-get install libdqlite0` on \
                Debian and Ubuntu, or install your system's package of dqlite. Connecting to a cluster needs no library
                """)
        }
        func symbol<Function>(_ name: String) throws(SQLiteError) -> Function {
            guard let address = dlsym(library, name) else {
                throw SQLiteError(.missingFeature, "libdqlite has no \(name): install libdqlite 1.11 or later")
            }
            return unsafeBitCast(address, to: Function.self)
        }
        createNode = try symbol("dqlite_node_create")
        destroyNode = try symbol("dqlite_node_destroy")
        start = try symbol("dqlite_node_start")
        stop = try symbol("dqlite_node_stop")
        message = try symbol("dqlite_node_errmsg")
        setBindAddress = try symbol("dqlite_node_set_bind_address")
        bindAddress = try symbol("dqlite_node_get_bind_address")
        setConnect = try symbol("dqlite_node_set_connect_func")
        setNetworkLatency = try symbol("dqlite_node_set_network_latency_ms")
        setFailureDomain = try symbol("dqlite_node_set_failure_domain")
        setSnapshots = try symbol("dqlite_node_set_snapshot_params")
        recover = try symbol("dqlite_node_recover_ext")
        findVFS = try symbol("sqlite3_vfs_find")
    }
}

extension NodeLibrary {
    // libdqlite doesn't lock when it numbers its nodes.
    private static let lock = NSLock()

    /// Makes a node.
    ///
    /// - Returns: The node, or else libdqlite's error code.
    func create(_ id: UInt64, _ address: String, _ directory: String) -> (handle: Handle?, code: CInt) {
        Self.lock.withLock {
            // A node registers a VFS with SQLite. If libdqlite 1.11 can't make the node, it leaves the VFS registered,
            // in memory that it frees. SQLite puts a new VFS after the first one in its list.
            let first = findVFS(nil)?.assumingMemoryBound(to: VFS.self)
            let second = first?.pointee.next
            var handle: Handle?
            let code = createNode(id, address, directory, &handle)
            guard code != 0 else { return (handle, code) }
            if let handle { destroyNode(handle) }
            first?.pointee.next = second
            return (nil, code)
        }
    }

    func destroy(_ handle: Handle) { Self.lock.withLock { destroyNode(handle) } }

    /// The beginning of a `sqlite3_vfs`. See [OS Interface Object](https://www.sqlite.org/c3ref/vfs.html).
    private struct VFS {
        let version: CInt
        let fileSize: CInt
        let greatestPathLength: CInt
        var next: UnsafeMutableRawPointer?
    }
}
