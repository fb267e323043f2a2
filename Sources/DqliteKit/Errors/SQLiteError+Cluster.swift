internal import SQLiteKit

extension SQLiteError {
    static func invalidMessage(_ what: String) -> SQLiteError {
        SQLiteError(
            .invalidMessage, "a message of the node can't be read, \(what): check that the address is that of a node")
    }

    static let textWithNUL = SQLiteError(
        .unsupported, "the cluster can't store a text that contains a NUL: store it as Data")

    static func tooManyParameters(_ count: Int) -> SQLiteError {
        SQLiteError(
            .unsupported, "the cluster takes at most 255 values in a statement, and this one has \(count): use several")
    }

    func with(outcome: Outcome) -> SQLiteError {
        SQLiteError(extendedCode, message, sql: sql, offset: offset, path: path, outcome: outcome)
    }
}
