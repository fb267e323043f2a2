internal import Foundation
internal import SQLiteKit

/// A node of libdqlite, from its creation to its end.
///
/// The owner calls it from one thread at a time.
final class RunningNode {
    private let library: NodeLibrary
    private let handle: NodeLibrary.Handle
    private let directory: DirectoryLock
    private let dialer: Unmanaged<NodeDialer>
    /// Listens in libdqlite's place; nil for a node that listens at a Unix socket itself.
    private let relay: NodeRelay?
    private var isStarted = false

    /// Creates a node without starting it.
    ///
    /// - Parameter listening: Nil for a node that never starts.
    init(_ node: ClusterNode, listening: ClusterNode.Listening?) throws(SQLiteError) {
        library = try NodeLibrary.shared.get()
        directory = try DirectoryLock(node.directory)
        if case .internet(let address) = listening { relay = try NodeRelay(address) } else { relay = nil }
        let (handle, code) = library.create(node.id, node.address, node.directory)
        guard let handle else {
            throw SQLiteError(
                .cannotOpen,
                "the node can't use its directory (libdqlite's code \(code)): it must be writable, and contain nothing "
                    + "but what this node has written",
                path: node.directory)
        }
        self.handle = handle
        dialer = Unmanaged.passRetained(NodeDialer(node.configuration))
        // From here on, `deinit` frees everything.
        try configure(node.configuration, listening)
    }

    deinit {
        relay?.stop()
        if isStarted { _ = library.stop(handle) }
        library.destroy(handle)
        dialer.release()
    }

    /// Where the node listens; nil before it has an address.
    var boundAddress: String? { relay?.address ?? nameOfLibrary }

    /// Where libdqlite listens.
    private var nameOfLibrary: String? { library.bindAddress(handle).map { String(cString: $0) } }

    private func configure(
        _ configuration: ClusterNodeConfiguration, _ listening: ClusterNode.Listening?
    ) throws(SQLiteError) {
        switch listening {
        // libdqlite chooses the name.
        case .internet: try check(library.setBindAddress(handle, "@"), "listen at a Unix socket")
        case .unix(let name): try check(library.setBindAddress(handle, name), "listen at \(name)")
        case nil: break
        }
        try check(
            library.setConnect(handle, NodeDialer.connect, dialer.toOpaque()), "set the function that connects")
        let latency = configuration.networkLatency
        guard latency >= .milliseconds(1), latency <= .seconds(3_600) else {
            throw SQLiteError(.misuse, "networkLatency is \(latency): set it to a time from 1 millisecond to an hour")
        }
        try check(
            library.setNetworkLatency(handle, CUnsignedInt((latency / .milliseconds(1)).rounded())),
            "set a network latency of \(latency)")
        try check(library.setFailureDomain(handle, configuration.failureDomain), "set the failure domain")
        if configuration.snapshotThreshold != nil || configuration.snapshotTrailing != nil {
            let (threshold, trailing) = (
                configuration.snapshotThreshold ?? 1_024, configuration.snapshotTrailing ?? 8_192
            )
            guard threshold > 0, trailing > 0 else {
                throw SQLiteError(.misuse, "snapshotThreshold and snapshotTrailing are numbers above 0")
            }
            try check(library.setSnapshots(handle, threshold, trailing), "set the snapshots")
        }
    }

    func start() throws(SQLiteError) {
        // The node's threads inherit the signal mask. Without it, a connection that the other side has closed would end
        // the program.
        let code = withoutPipeSignal { library.start(handle) }
        try check(code, "start")
        isStarted = true
        if let relay, let nameOfLibrary { try relay.start(to: nameOfLibrary) }
    }

    func stop() throws(SQLiteError) {
        guard isStarted else { return }
        isStarted = false
        relay?.stop()
        try check(library.stop(handle), "stop")
    }

    /// Replaces the members of the cluster.
    func recover(_ members: [Cluster.Member]) throws(SQLiteError) {
        let addresses = members.map { strdup($0.address) }
        defer { for address in addresses { free(address) } }
        // Each has its size, the number, the address and the role.
        var values: [UInt64] = []
        for (member, address) in zip(members, addresses) {
            guard let address else { throw SQLiteError(.outOfMemory, "there is no memory for an address") }
            values += [32, member.id, UInt64(UInt(bitPattern: address)), member.role.rawValue]
        }
        try check(library.recover(handle, &values, Int32(clamping: members.count)), "recover")
    }

    private func check(_ code: CInt, _ task: String) throws(SQLiteError) {
        guard code != 0 else { return }
        let message = library.message(handle).map { String(cString: $0) } ?? ""
        throw SQLiteError(
            code == 3 ? .outOfMemory : .cannotOpen,
            "the node can't \(task): " + (message.isEmpty ? "libdqlite's code \(code)" : message))
    }
}

/// Runs `body` on this thread with `SIGPIPE` blocked.
private func withoutPipeSignal<T>(_ body: () -> T) -> T {
    var pipe = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    guard pthread_sigmask(SIG_BLOCK, &pipe, &before) == 0 else { return body() }
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
}
