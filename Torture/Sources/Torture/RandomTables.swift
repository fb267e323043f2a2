import RandomTables

/// R17: tables of random rows, exported in each format and imported again.
enum RandomTables {
    static func run(_ options: Options) throws -> [Figures] {
        var figures = Figures("R17 tables exported and imported in \(RoundTrips.formatCount) formats")
        var trips = try RoundTrips(seed: options.seed)
        for number in 0..<options.count(long: 100_000, full: 5_000, quick: 200) {
            figures.add(try trips.next().map { Fault(.lost, $0) }, "table \(number)")
        }
        return [figures]
    }
}
