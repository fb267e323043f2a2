public import SQLiteKit

/// What goes wrong on the way to a cluster, or in it.
extension ResultCode {
    /// `SQLITE_IOERR_NOT_LEADER` of dqlite: the node that was asked doesn't lead. Nothing was applied.
    public static let notLeader = ResultCode(rawValue: 10 | 40 << 8)
    /// `SQLITE_IOERR_LEADERSHIP_LOST` of dqlite: the node lost its lead, or the majority of the nodes, while it worked.
    public static let leadershipLost = ResultCode(rawValue: 10 | 41 << 8)
    /// The connection to a node could not be made, or has been lost.
    public static let connectionLost = ResultCode(rawValue: 10 | 220 << 8)
    /// A node did not answer in time.
    public static let requestTimeout = ResultCode(rawValue: 10 | 221 << 8)
    /// No node that leads was found in time.
    public static let noLeader = ResultCode(rawValue: 14 | 220 << 8)
    /// A node sent what the protocol doesn't allow.
    public static let invalidMessage = ResultCode(rawValue: 15 | 220 << 8)
    /// An address that isn't one.
    public static let invalidAddress = ResultCode(rawValue: 21 | 220 << 8)
}
