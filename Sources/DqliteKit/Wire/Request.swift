internal import SQLiteKit

/// What a client asks of a node.
enum Request {
    /// Who leads.
    case leader
    /// Says who asks, by a number that the node only logs.
    case client(UInt64)
    /// Opens a database of the leader's, which is created if it is missing.
    case open(name: String)
    case prepare(database: UInt32, sql: String)
    /// Runs a statement that was prepared to its end.
    case execute(database: UInt32, statement: UInt32, [SQLiteValue])
    /// Runs a statement that was prepared, and answers with its rows.
    case query(database: UInt32, statement: UInt32, [SQLiteValue])
    case finalize(database: UInt32, statement: UInt32)
    case executeSQL(database: UInt32, String, [SQLiteValue])
    case querySQL(database: UInt32, String, [SQLiteValue])
    /// Ends the rows that are being sent.
    case interrupt(database: UInt32)
    /// Adds a node, which has no vote yet.
    case add(id: UInt64, address: String)
    case assign(id: UInt64, role: UInt64)
    case remove(id: UInt64)
    /// The files of a database.
    case dump(name: String)
    /// The nodes of the cluster, with their roles.
    case cluster
    /// Hands the lead over.
    case transfer(id: UInt64)

    /// What begins a connection: the protocol's version.
    static let handshake: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]

    /// The bytes of the message.
    ///
    /// - Throws: `.unsupported` for a text with a NUL or too many values; `.tooBig`.
    func encoded() throws(SQLiteError) -> [UInt8] {
        var message = MessageWriter(type)
        switch self {
        case .leader: message.append(UInt64(0))
        case .client(let id), .remove(let id), .transfer(let id): message.append(id)
        case .open(let name):
            try message.append(text: name)
            // Flags, which the node doesn't read.
            message.append(UInt64(0))
            // The virtual file system, of which the node has one.
            try message.append(text: "")
        case .prepare(let database, let sql):
            message.append(UInt64(database))
            try message.append(text: sql)
        case .execute(let database, let statement, let values), .query(let database, let statement, let values):
            message.append(database)
            message.append(statement)
            try message.append(values)
        case .finalize(let database, let statement):
            message.append(database)
            message.append(statement)
        case .executeSQL(let database, let sql, let values), .querySQL(let database, let sql, let values):
            message.append(UInt64(database))
            try message.append(text: sql)
            try message.append(values)
        case .interrupt(let database): message.append(UInt64(database))
        case .add(let id, let address):
            message.append(id)
            try message.append(text: address)
        case .assign(let id, let role):
            message.append(id)
            message.append(role)
        case .dump(let name): try message.append(text: name)
        // The form of the answer, in which nodes have roles.
        case .cluster: message.append(UInt64(1))
        }
        return try message.finished()
    }

    private var type: RequestType {
        switch self {
        case .leader: .leader
        case .client: .client
        case .open: .open
        case .prepare: .prepare
        case .execute: .execute
        case .query: .query
        case .finalize: .finalize
        case .executeSQL: .executeSQL
        case .querySQL: .querySQL
        case .interrupt: .interrupt
        case .add: .add
        case .assign: .assign
        case .remove: .remove
        case .dump: .dump
        case .cluster: .cluster
        case .transfer: .transfer
        }
    }
}
