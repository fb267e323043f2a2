import Persisting

/// Time for a column, of classes with a hundred and with two hundred.
enum ColumnGrowth {
    static func fetching(_ options: Options) throws -> Growth {
        let count = options.size(10_000)
        let manager = try PersistenceManager(.memory)

        func contender<Model: PersistingModel>(_ name: String, _ type: Model.Type, _ columns: Int) throws -> Contender {
            try manager.createTableIfNecessary(for: type)
            try manager.insert((0..<count).map { _ in type.init() })
            return Contender(name: name) { stopwatch in
                var inner = Stopwatch()
                let objects = try inner.measure { try manager.fetchAll(type, tracked: false) }
                guard objects.count == count else { throw BenchmarkFailure("there were \(objects.count)") }
                stopwatch.add(seconds: inner.elapsed / Double(count * columns))
                return Checksum()
            }
        }
        return growth(
            "fetch all, a column", 1.25,
            [try contender("100 columns", Wide.self, 100), try contender("200 columns", VeryWide.self, 200)])
    }

    /// In a process of its own each time, in which the class is new.
    static func registering(_ options: Options) throws -> Growth {
        let contenders = [("100 columns", 100.0), ("200 columns", 200.0)].map { name, columns in
            Contender(name: name) { stopwatch in
                guard let seconds = try Child.run("register", name, options)["seconds"] else {
                    throw BenchmarkFailure("the process did not tell its time")
                }
                stopwatch.add(seconds: seconds / columns)
                return Checksum()
            }
        }
        return growth("register a class and create its table, a column", 1.25, contenders)
    }

    private static func growth(_ name: String, _ limit: Double, _ contenders: [Contender]) -> Growth {
        Growth(
            name: name, small: "100 columns", large: "200 columns", limit: limit,
            workload: Workload(row: "growth", name: name, operations: 1, contenders: contenders, comparisons: []))
    }
}
