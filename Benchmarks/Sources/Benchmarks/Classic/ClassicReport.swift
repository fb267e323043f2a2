/// The tests of [SQLite's old speed page](https://www.sqlite.org/speed.html), as object stores run them: on a file with
/// a write-ahead log that is not synchronized at each commit.
enum ClassicReport {
    /// Prints a line for each test.
    ///
    /// - Returns: True: the tests have no limits.
    static func print(_ options: Options) throws -> Bool {
        let tests = ClassicTest.all(ClassicData(options))
        let runs = [
            Run("floor", ClassicFloor.init), Run("Persisting", ClassicSubject.init), Run("GRDB", ClassicPeer.init),
        ]
        let workloads = tests.map { test in
            Workload(
                row: "\(test.number)", name: test.name, operations: 1, contenders: runs.map { $0.contender(test) },
                comparisons: [Comparison(name: "", subject: "Persisting", peers: [.init(contender: "GRDB")])])
        }
        var random = SplitMix64(seed: options.seed)
        var table = Table()
        var samples = SampleFile()
        show(Table.header)
        for measurement in try Measurement.inOrder(workloads, rounds: options.countedRounds, random: &random) {
            samples.add(measurement)
            show(table.lines(measurement).joined(separator: "\n"))
        }
        try samples.write(to: options.csv)
        show("\nTimes are of whole tests. Each round's times: \(options.csv)")
        return true
    }

    /// A contender's run through the tests: the first one gives it a new file.
    private final class Run {
        private let name: String
        private let open: (String) throws -> any ClassicStore
        private var store: (any ClassicStore)?
        private var file: TemporaryFile?

        init(_ name: String, _ open: @escaping (String) throws -> any ClassicStore) {
            self.name = name
            self.open = open
        }

        func contender(_ test: ClassicTest) -> Contender {
            Contender(name: name) { [self] stopwatch in
                let (store, path) = try prepare(test)
                var sum = Checksum(try stopwatch.measure { try test.run(store) })
                let db = try FloorConnection(path)
                for table in ["T1", "T2", "T3"] {
                    let rows = try db.checksum("SELECT ID, A, B, C FROM \(table) ORDER BY ID")
                    sum.add(rows.count)
                    sum.add(bits: rows.bits)
                }
                // No test is to write the log of the one before it to the file.
                try db.execute("PRAGMA wal_checkpoint(RESTART)")
                return sum
            }
        }

        private func prepare(_ test: ClassicTest) throws -> (any ClassicStore, path: String) {
            if test.number > 1, let store, let file { return (store, file.path) }
            store = nil
            let file = try TemporaryFile()
            try ClassicSubject.create(file.path)
            let store = try open(file.path)
            self.file = file
            self.store = store
            return (store, file.path)
        }
    }
}
