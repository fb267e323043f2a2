/// What the command line asks for.
struct Options {
    var rows = Set(Row.allCases)
    /// Whether to leave out most of the cases.
    var isQuick = false
    /// Whether there is a night's time.
    var isLong = false
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))

    init(_ arguments: some Sequence<String>) throws {
        var named: Set<Row> = []
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--long": isLong = true
            case "--seed":
                guard let seed = rest.popFirst().flatMap({ UInt64($0) }) else {
                    throw Complaint("--seed takes a number")
                }
                self.seed = seed
            default:
                guard let row = Row(rawValue: argument) else {
                    throw Complaint("\(argument) is not one of: \(Row.names) --quick --long --seed N")
                }
                named.insert(row)
            }
        }
        if !named.isEmpty { rows = named }
    }

    /// How many cases to run.
    func count(long: Int, full: Int, quick: Int) -> Int { isQuick ? quick : isLong ? long : full }

    /// How far apart the calls are that fail.
    var stride: Int { isQuick ? 3 : 1 }
}

/// Why the command cannot run.
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
