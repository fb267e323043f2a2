import Persisting
import SQLiteKit

/// The tests with Persisting: objects for rows, and queries for what a statement does with many rows.
struct ClassicSubject: ClassicStore {
    private let manager: PersistenceManager

    init(path: String) throws {
        var configuration = DatabaseConfiguration()
        configuration.synchronous = .normal
        manager = try PersistenceManager(path: path, configuration: configuration)
    }

    /// Creates a file with the tables, for all contenders.
    static func create(_ path: String) throws {
        let manager = try PersistenceManager(path: path)
        try manager.updateSchema(for: [T1.self, T2.self, T3.self])
        try manager.close()
    }

    func insertSingly(_ rows: [ClassicValues]) throws {
        for row in rows { try manager.insert(T1(row)) }
    }

    func insertIntoT2(_ rows: [ClassicValues]) throws { try manager.insert(rows.map { T2($0) }) }

    func insertIntoT3(_ rows: [ClassicValues]) throws { try manager.insert(rows.map { T3($0) }) }

    private func average<Model: ClassicRow>(_ query: Query<Model>) throws -> ClassicAverage {
        let (count, average) = try manager.compute(query, .count, .average(\.b))
        return ClassicAverage(count: count, average: average)
    }

    func averagesOfT2(_ ranges: [Range<Int>]) throws -> [ClassicAverage] {
        try manager.read { _ in
            try ranges.map { try average(T2.where(\.b >= $0.lowerBound && \.b < $0.upperBound)) }
        }
    }

    func averagesOfT2(containing texts: [String]) throws -> [ClassicAverage] {
        try manager.read { _ in try texts.map { try average(T2.where(.contains(\.c, $0))) } }
    }

    func averagesOfT3(_ ranges: [Range<Int>]) throws -> [ClassicAverage] {
        try manager.read { _ in
            try ranges.map { try average(T3.where(\.b >= $0.lowerBound && \.b < $0.upperBound)) }
        }
    }

    func double(_ ranges: [Range<Int>]) throws {
        try manager.transaction {
            for range in ranges {
                try manager.update(
                    T1.where(\.a >= range.lowerBound && \.a < range.upperBound), \.b, to: \.b * 2)
            }
        }
    }

    func setB(_ values: [Int]) throws {
        try manager.transaction {
            for (index, value) in values.enumerated() {
                try manager.update(T3.where(\.a == index + 1), \.b, to: value)
            }
        }
    }

    func setC(_ values: [String]) throws {
        try manager.transaction {
            for (index, value) in values.enumerated() {
                try manager.update(T3.where(\.a == index + 1), \.c, to: value)
            }
        }
    }

    func exchange() throws {
        try manager.transaction {
            for sql in ClassicSQL.exchange { try manager.execute(SQL(sql)) }
        }
    }

    func delete(containing text: String) throws { try manager.delete(T3.where(.contains(\.c, text))) }

    func delete(_ range: Range<Int>) throws {
        try manager.delete(T3.where(\.a >= range.lowerBound && \.a < range.upperBound))
    }

    func copy() throws { try manager.execute(SQL(ClassicSQL.copy)) }

    func replace(_ rows: [ClassicValues]) throws {
        try manager.transaction {
            try manager.deleteAll(T1.self)
            try manager.insert(rows.map { T1($0) })
        }
    }

    func clear() throws {
        try manager.deleteAll(T1.self)
        try manager.deleteAll(T2.self)
        try manager.deleteAll(T3.self)
    }
}
