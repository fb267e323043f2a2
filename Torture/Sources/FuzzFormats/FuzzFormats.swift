import Foundation
import Fuzzing
import Persisting

/// Asks for objects by what libFuzzer makes up: the first byte says whether the rest is a condition's format or the
/// phrase of an ordering.
///
/// It is an error of the library's that says where, or rows and objects in memory are answered alike. Where a condition
/// holds, its negation doesn't, and an ordering is the same with another key after it.
@main struct FuzzFormats {
    static func main() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Person.self)
        for (number, name) in ["Ann", "béla", "e\u{301}va", "", "100%_\\"].enumerated() {
            let person = Person()
            (person.name, person.number) = (name, number - 2)
            if !number.isMultiple(of: 2) { (person.height, person.isKnown) = (Double(number) / 3, true) }
            try manager.insert(person)
        }
        let people = try manager.fetchAll(Person.self)
        Fuzzing.run { data in
            guard let choice = data.first else { return }
            let text = String(decoding: data.dropFirst(), as: UTF8.self)
            do {
                if choice < 192 {
                    try checkFormat(text, choice, manager, people)
                } else {
                    try checkOrdering(text, manager, people)
                }
            } catch let error as PersistenceError
                where [.invalidCriteria, .invalidOrdering, .unknownKey, .typeMismatch].contains(error.code)
            {
                try check(error, text)
            }
        }
    }

    private static func checkFormat(
        _ text: String, _ choice: UInt8, _ manager: PersistenceManager, _ people: [Person]
    ) throws {
        let all: [(any Sendable)?] = [1, "name", nil, [1, 2], 0.5, "*", Date(timeIntervalSince1970: 0), true]
        let arguments = (0..<Int(choice >> 4 & 3)).map { all[Int(choice &+ UInt8($0) * 3) % all.count] }
        let criteria = try Criteria<Person>(format: text, arguments: arguments)
        let found: [Int64?]
        do {
            found = try manager.fetchAll(Person.self, where: criteria, sortedBy: [.ascending(\.id)]).map(\.id)
        } catch let error as PersistenceError where error.message.contains("isn't a regular expression") {
            // A pattern that is computed of others is read when it is used.
            return
        }
        let filtered = try criteria.filter(people).map(\.id)
        guard found == filtered else { throw Fuzzing.Found("\(text): \(found) in SQL, \(filtered) in memory") }
        let others = try negation(of: text, arguments)?.filter(people).map(\.id)
        guard let others, Set(others) != Set(people.map(\.id)).subtracting(filtered) else { return }
        throw Fuzzing.Found("\(text): \(filtered), and of its negation \(others)")
    }

    private static func checkOrdering(_ text: String, _ manager: PersistenceManager, _ people: [Person]) throws {
        // What is equal is in the order of the keys.
        let ordering = Ordering([try Ordering<Person>(text), .ascending(\.id)])
        let found = try manager.fetchAll(Person.self, sortedBy: ordering).map(\.id)
        let sorted = try ordering.sort(people).map(\.id)
        guard found == sorted else { throw Fuzzing.Found("\(text): \(found) in SQL, \(sorted) in memory") }
        let same: [Int64?]
        do { same = try Ordering<Person>("\(text) , id ASC").sort(people).map(\.id) } catch {
            throw Fuzzing.Found("\(text), and with another key: \(error)")
        }
        guard same == sorted else { throw Fuzzing.Found("\(text): \(sorted), and with another key \(same)") }
    }

    /// The negation of a condition; nil when it is nested too deeply.
    private static func negation(of text: String, _ arguments: [(any Sendable)?]) throws -> Criteria<Person>? {
        do { return try Criteria(format: "NOT\t( \(text) )", arguments: arguments) } catch let error
            as PersistenceError where error.message.contains("nested more than")
        {
            return nil
        } catch {
            throw Fuzzing.Found("\(text), and its negation: \(error)")
        }
    }

    /// A place that the error says must be one of the text's.
    private static func check(_ error: PersistenceError, _ text: String) throws {
        guard let place = error.message.firstRange(of: "at column ")?.upperBound else { return }
        let column = Int(error.message[place...].prefix { $0.isNumber })
        guard column.map({ 1...text.count + 1 ~= $0 }) == true else { throw Fuzzing.Found("\(text): \(error)") }
    }
}

private final class Person: PersistingModel {
    var id: Int64?
    var name = ""
    var number = 0
    var height: Double?
    var isKnown: Bool?
    var born: Date?
}
