public import Foundation
internal import SQLiteKit

extension Cluster {
    /// What a node does in the cluster.
    public struct Role: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number that the nodes give the role.
        public let rawValue: UInt64

        /// A role by its number.
        public init(rawValue: UInt64) {
            self.rawValue = rawValue
        }

        /// Has a copy, and a vote on each commit and on who leads.
        public static let voter = Role(rawValue: 0)
        /// Has a copy, and no vote.
        public static let standBy = Role(rawValue: 1)
        /// Has neither.
        public static let spare = Role(rawValue: 2)

        /// The name of the role.
        public var description: String {
            switch self {
            case .voter: "voter"
            case .standBy: "stand-by"
            case .spare: "spare"
            default: "role \(rawValue)"
            }
        }
    }

    /// A node of the cluster.
    public struct Member: Hashable, Sendable, CustomStringConvertible {
        /// Its number, different from that of every other node.
        public let id: UInt64
        /// Where it listens.
        public let address: String
        /// What it does.
        public let role: Role
        /// Whether it led when the cluster was asked.
        public let isLeader: Bool

        /// A node, for ``ClusterNode/recover(_:)``.
        ///
        /// - Parameters:
        ///   - id: Its number.
        ///   - address: Where it listens.
        ///   - role: What it does. A voter unless set.
        ///   - isLeader: Whether it leads.
        public init(id: UInt64, address: String, role: Role = .voter, isLeader: Bool = false) {
            self.id = id
            self.address = address
            self.role = role
            self.isLeader = isLeader
        }

        /// The number, the role and the address, such as `2 voter 10.0.0.2:9001`.
        public var description: String { "\(id) \(role) \(address)" }
    }

    /// A file of the database, as `files()` returns it.
    public struct File: Hashable, Sendable {
        /// The name: that of the database, or of its write-ahead log.
        public let name: String
        /// The bytes.
        public let contents: Data
    }

    /// The nodes of the cluster, as its leader knows them.
    ///
    /// - Throws: ``/SQLiteKit/SQLiteError``: `.noLeader` when no node leads within
    ///   ``ClusterConfiguration/leaderTimeout``, `.connectionLost` or `.requestTimeout`.
    public func members() throws -> [Member] {
        try asLeader { link in
            let members = try link.members(by: deadline)
            directory.learn(members.map(\.address))
            return members
        }
    }

    /// The node that leads.
    ///
    /// - Throws: What `members()` throws.
    public func leader() throws -> Member {
        guard let leader = try members().first(where: \.isLeader) else {
            throw SQLiteError(.noLeader, "the node that leads is none of the cluster: it is being removed")
        }
        return leader
    }

    /// Adds a node that runs, as a voter unless said.
    ///
    /// The node has been started with this number and address and with an empty directory. The call returns when it
    /// has its role, a voter or stand-by thus when it has a copy of the data.
    ///
    /// - Parameters:
    ///   - id: Its number, different from that of every other node.
    ///   - address: Where it listens, for other nodes and for clients.
    ///   - role: What it is to do.
    /// - Throws: What `members()` throws, and what the leader rejects, such as a number that is taken. After an error
    ///   with the outcome `.unknown`, `members()` tells whether the node has been added.
    public func add(id: UInt64, address: String, role: Role = .voter) throws {
        try change(.add(id: id, address: address))
        if role != .spare { try assign(role, to: id) }
    }

    /// Gives a node another role.
    ///
    /// - Parameters:
    ///   - role: What it is to do.
    ///   - id: Its number.
    /// - Throws: What `add(id:address:role:)` throws.
    public func assign(_ role: Role, to id: UInt64) throws {
        try change(.assign(id: id, role: role.rawValue))
    }

    /// Removes a node, which should be stopped afterwards.
    ///
    /// - Parameter id: Its number.
    /// - Throws: What `add(id:address:role:)` throws.
    public func remove(id: UInt64) throws {
        try change(.remove(id: id))
    }

    /// Hands the lead over to another voter, before the leader is stopped.
    ///
    /// Transactions that are open on the leader end with an error.
    ///
    /// - Parameter id: The number of the node that is to lead.
    /// - Throws: What `add(id:address:role:)` throws; `.noLeader` when the node doesn't follow the leader yet, as one
    ///   that has just started.
    public func transferLeadership(to id: UInt64) throws {
        try asLeader { link in try link.transferLeadership(to: id, configuration, by: deadline) }
        directory.leader = nil
    }

    /// The files of the database, for a backup: the database and its write-ahead log, of one moment.
    ///
    /// Written into one directory, SQLite opens them as a local database. All is in memory at the same time.
    ///
    /// - Throws: What `members()` throws.
    public func files() throws -> [File] {
        try asLeader { link in
            let answer = try link.call(.dump(name: database), by: deadline)
            guard case .files(let files) = answer else { throw answer.unexpected }
            return files.map { File(name: $0.name, contents: $0.contents) }
        }
    }

    private var deadline: Deadline { .after(configuration.requestTimeout) }

    private func change(_ request: Request) throws {
        try asLeader { link in
            let answer = try link.call(request, by: deadline)
            guard case .empty = answer else { throw answer.unexpected.with(outcome: .unknown) }
        }
    }

    /// Runs `body` with a connection to the leader of its own.
    private func asLeader<T>(_ body: (NodeLink) throws -> T) throws -> T {
        let search = LeaderSearch(directory: directory, configuration: configuration, cancellation: Cancellation())
        return try body(search.link())
    }
}

/// The same, while the task is suspended.
extension Cluster {
    /// The nodes of the cluster, as its leader knows them, while the task is suspended.
    ///
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled before the call.
    public func members() async throws -> [Member] {
        try await workerThreads.perform { try self.members() }
    }

    /// The node that leads, while the task is suspended.
    ///
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled before the call.
    public func leader() async throws -> Member {
        try await workerThreads.perform { try self.leader() }
    }

    /// Adds a node that runs, as a voter unless said, while the task is suspended.
    ///
    /// - Parameters:
    ///   - id: Its number, different from that of every other node.
    ///   - address: Where it listens, for other nodes and for clients.
    ///   - role: What it is to do.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled before the call.
    public func add(id: UInt64, address: String, role: Role = .voter) async throws {
        try await workerThreads.perform { try self.add(id: id, address: address, role: role) }
    }

    /// Gives a node another role, while the task is suspended.
    ///
    /// - Parameters:
    ///   - role: What it is to do.
    ///   - id: Its number.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled before the call.
    public func assign(_ role: Role, to id: UInt64) async throws {
        try await workerThreads.perform { try self.assign(role, to: id) }
    }

    /// Removes a node, while the task is suspended.
    ///
    /// - Parameter id: Its number.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled before the call.
    public func remove(id: UInt64) async throws {
        try await workerThreads.perform { try self.remove(id: id) }
    }

    /// Hands the lead over to another voter, while the task is suspended.
    ///
    /// - Parameter id: The number of the node that is to lead.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled before the call.
    public func transferLeadership(to id: UInt64) async throws {
        try await workerThreads.perform { try self.transferLeadership(to: id) }
    }

    /// The files of the database, for a backup, while the task is suspended.
    ///
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled before the call.
    public func files() async throws -> [File] {
        try await workerThreads.perform { try self.files() }
    }
}
