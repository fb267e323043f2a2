extension SavepointControl {
    init?(_ statement: Statement) {
        guard statement.preparedColumnCount == 0 else { return nil }
        var words = SQLTokens(statement.sql).tokens.compactMap(\.name).map(asciiLowercased)[...]
        guard let first = words.popFirst() else { return nil }
        if first == "rollback" {
            if words.first == "transaction" { words.removeFirst() }
            guard words.popFirst() == "to" else { return nil }
        }
        if words.count > 1, words.first == "savepoint" { words.removeFirst() }
        guard let name = words.first else { return nil }
        switch first {
        case "savepoint": self = .begin(name)
        case "release": self = .release(name)
        case "rollback": self = .rollback(name)
        default: return nil
        }
    }
}
