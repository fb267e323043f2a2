internal import SQLiteKit

/// The requests of the protocol, by their numbers.
enum RequestType: UInt8 {
    case leader = 0
    case client = 1
    case open = 3
    case prepare = 4
    case execute = 5
    case query = 6
    case finalize = 7
    case executeSQL = 8
    case querySQL = 9
    case interrupt = 10
    case add = 12
    case assign = 13
    case remove = 14
    case dump = 15
    case cluster = 16
    case transfer = 17
}

/// The answers of the protocol, by their numbers.
enum ResponseType: UInt8 {
    case failure = 0
    case node = 1
    case welcome = 2
    case nodes = 3
    case database = 4
    case statement = 5
    case result = 6
    case rows = 7
    case empty = 8
    case files = 9
}

/// The classes of values, by their numbers.
enum ValueType: UInt8 {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
    /// An integer in a column that is declared as DATETIME, DATE or TIMESTAMP.
    case unixTime = 9
    /// A text in such a column.
    case isoDate = 10
    /// An integer in a column that is declared as BOOLEAN.
    case boolean = 11

    init(_ value: SQLiteValue) {
        self =
            switch value {
            case .null: .null
            case .integer: .integer
            case .real: .real
            case .text: .text
            case .blob: .blob
            }
    }

    /// As what SQLite stores it.
    var storageClass: StorageClass {
        switch self {
        case .integer, .unixTime, .boolean: .integer
        case .real: .real
        case .text, .isoDate: .text
        case .blob: .blob
        case .null: .null
        }
    }
}
