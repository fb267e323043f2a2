import Foundation

/// What the command line asks for.
struct Options {
    var isQuick = false
    var rounds: Int?
    var only: Set<String> = []
    var seed: UInt64 = 20_240_229
    var csv = Options.package.appending(path: ".build/benchmarks.csv").path
    var measuresGrowth = false
    var measuresContention = false
    var measuresCluster = false
    var measuresClassic = false
    var measuresPython = false
    var measuresBuild = false
    var asksForHelp = false
    /// The task of a process that was started by another of this program, and for which contender.
    var child: (task: String, contender: String)?

    static let usage = """
        USAGE: swift run -c release --package-path Benchmarks Benchmarks [<options>]

        Compares Persisting and SQLiteKit with sqlite3 called by hand, the floor, and with GRDB, all in one run.
        Exits with 1 when a figure is beyond its limit by more than its spread, and with 2 when two contenders did not
        do the same work.

        OPTIONS:
          --quick          Smaller sizes and three rounds: under a minute, and less to be trusted.
          --only <rows>    Some rows alone, such as 3,5.
          --rounds <n>     How many rounds are counted: 7 unless said, 3 with --quick.
          --seed <n>       The seed of the data and of the order of the contenders.
          --csv <path>     Where each round's times are written; unless said, .build/benchmarks.csv of this package.
          --growth         How cost grows with rows, query shapes, columns and tables, and not the table.
          --contention     How evenly several processes share one file that all write to, and not the table.
          --cluster        Three nodes of a cluster on this machine, and not the table. It needs libdqlite.
          --classic        The fifteen tests of SQLite's old speed page, and not the table.
          --python         Three object layers for Python on the same data, and not the table. It needs Python 3.10 or
                           later, and installs the libraries into .build/python of this package.
          --build          With row 13, the time of a clean release build of each library.
          -h, --help       Show this help.
        """

    /// The folder of this package.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        func value(of option: String) throws -> String {
            guard let value = arguments.next() else { throw BenchmarkFailure("\(option) needs a value") }
            return value
        }
        func number<Number: FixedWidthInteger>(of option: String) throws -> Number {
            let text = try value(of: option)
            guard let number = Number(text), number > 0 else {
                throw BenchmarkFailure("\(option) needs a positive number, and \(text) is none")
            }
            return number
        }
        while let option = arguments.next() {
            switch option {
            case "--quick": isQuick = true
            case "--growth": measuresGrowth = true
            case "--contention": measuresContention = true
            case "--cluster": measuresCluster = true
            case "--classic": measuresClassic = true
            case "--python": measuresPython = true
            case "--build": measuresBuild = true
            case "-h", "--help": asksForHelp = true
            case "--rounds": rounds = try number(of: option)
            case "--seed": seed = try number(of: option)
            case "--csv": csv = try value(of: option)
            case "--only":
                only = Set(try value(of: option).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
            case "--child": child = (try value(of: option), try value(of: option))
            default: throw BenchmarkFailure("there is no option \(option)")
            }
        }
    }

    /// How many rounds are counted.
    var countedRounds: Int { rounds ?? (isQuick ? 3 : 7) }

    /// A size of the table, or a tenth of it.
    func size(_ full: Int) -> Int { isQuick ? full / 10 : full }

    /// Whether a row is asked for.
    func wants(_ row: String) -> Bool { only.isEmpty || only.contains(row) }

    /// What a child needs to know, to work on the same data.
    var forChildren: [String] { ["--seed", "\(seed)"] + (isQuick ? ["--quick"] : []) }
}
