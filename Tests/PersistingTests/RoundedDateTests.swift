import Foundation
import Persisting
import Testing

private final class Event: PersistingModel {
    var id: Int64?
    var at = Date()
    var number = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["AT"] = .date.unique
        return columns
    }
}

@Suite("Numbers of dates that a Date rounds", .onBothEngines)
struct RoundedDateTests {
    // Settled 25
    private let manager: PersistenceManager
    /// Numbers that other programs write: a Date counts from 2001, and some numbers near 1970 are between its own.
    private static let numbers = [1000.123, 7_346_543.527_471_066, -0.3, 1e-300, 86_400.000_000_001]

    init() throws { manager = try memoryManager(Event.self) }

    @Test("are found by the date that they are read as", arguments: numbers)
    func equal(number: Double) throws {
        try manager.execute("INSERT INTO EVENT (AT, NUMBER) VALUES (\(number), 1), (\(number + 1), 2)")
        let event = try #require(try manager.fetchAll(Event.self, where: \.number == 1).first)
        let conditions: [Criteria<Event>] = [
            \.at == event.at, \.at <= event.at, !(\.at != event.at), !(\.at > event.at), .in(\.at, [event.at]),
            .in(\.at, [event.at] + (1...40).map { event.at.addingTimeInterval(Double($0) * 100) }),
            ["at": event.at], .format("at BETWEEN {%@, %@}", event.at, event.at),
        ]
        for condition in conditions {
            #expect(try manager.fetchAll(Event.self, where: condition).map(\.number) == [1])
            #expect(try condition.matches(event))
        }
        for condition in [\.at < event.at, \.at > event.at] as [Criteria<Event>] {
            #expect(try !manager.fetchAll(Event.self, where: condition).contains { $0.number == 1 })
        }
    }

    @Test("are on one page each", arguments: [SortDirection.ascending, .descending])
    func pages(direction: SortDirection) throws {
        for (place, number) in Self.numbers.enumerated() {
            try manager.execute("INSERT INTO EVENT (AT, NUMBER) VALUES (\(number), \(place))")
        }
        var (found, last): ([Int], Event?) = ([], nil)
        for _ in 0...Self.numbers.count {
            last = try manager.fetchPage(Event.sorted(by: \.at, direction), after: last, limit: 1).first ?? last
            if let last { found.append(last.number) }
        }
        #expect(Array(found.dropLast()) == (try manager.fetchAll(Event.sorted(by: \.at, direction)).map(\.number)))
    }

    @Test("are those that the class writes, once a file has been imported")
    func imports() throws {
        var random = SeededGenerator(seed: 41)
        let events = (0..<300).map { number in
            let event = Event()
            event.at = Date(timeIntervalSince1970: Double.random(in: -1e9...1e9, using: &random))
            event.number = number
            return event
        }
        try manager.insert(events)
        let other = try memoryManager(Event.self)
        let directory = try TemporaryDirectory()
        let json = URL(filePath: directory.path("events.json"))
        try manager.exportJSON(Event.rows, to: json)
        #expect(try other.importJSON(Event.self, contentsOf: json).inserted == 300)
        for event in events { #expect(try other.count(Event.self, where: \.at == event.at) == 1) }
        #expect(try other.importJSON(Event.self, contentsOf: json, onConflict: .update(by: "at")).updated == 300)
    }
}
