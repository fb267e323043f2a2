import Persisting

/// Row 20: sums of groups.
enum Grouping {
    /// Of each country the number of sales and what they came to.
    static func sums(_ options: Options) throws -> Workload {
        let count = options.size(1_000_000)
        let fill = Sale.fill(count)
        let floor = try FloorConnection()
        try floor.execute(Sale.create)
        try floor.execute(fill)
        let manager = try PersistenceManager(.memory)
        try manager.write { db in
            try db.executeScript(SQL(Sale.create))
            try db.executeScript(SQL(fill))
        }
        return Workload(
            row: "20", name: "sum \(count.grouped) rows in 50 groups", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    let groups = try stopwatch.measure { try floor.sums() }
                    return Checksum(groups: groups)
                },
                Contender(name: "groups") { stopwatch in
                    let groups = try stopwatch.measure {
                        try manager.groups(
                            Sale.rows, by: .key(\.country), computing: .count, .sum(\Sale.price * \Sale.quantity))
                    }
                    return Checksum(groups: groups)
                },
            ],
            comparisons: [Comparison(name: "", subject: "groups", limit: .ratio(1.05))])
    }
}

final class Sale: PersistingModel {
    var id: Int64?
    var country = ""
    var price = 0.0
    var quantity = 0

    static let create = """
        CREATE TABLE SALE (
            ID INTEGER PRIMARY KEY, COUNTRY TEXT NOT NULL, PRICE REAL NOT NULL, QUANTITY INTEGER NOT NULL
        )
        """

    static func fill(_ count: Int) -> String {
        """
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO SALE SELECT i, 'Country ' || i * 7919 % 50, i % 997 / 4.0, 1 + i % 9 FROM n
        """
    }
}

extension FloorConnection {
    fileprivate func sums() throws -> [(String, Int, Double?)] {
        let statement = try prepare(
            "SELECT COUNTRY, count(*), sum(PRICE * QUANTITY) FROM SALE GROUP BY COUNTRY ORDER BY COUNTRY")
        defer { statement.finalize() }
        var groups: [(String, Int, Double?)] = []
        while try statement.step() {
            groups.append((try statement.text(0) ?? "", statement.required(1), statement.double(2)))
        }
        return groups
    }
}

extension Checksum {
    fileprivate init(groups: [(String, Int, Double?)]) {
        self.init()
        for (country, count, sum) in groups {
            add(country)
            add(count)
            add(sum)
        }
    }
}
