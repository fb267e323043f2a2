import Foundation
import Persisting
import Testing

/// A type that says nothing of how it is stored.
private struct Color: Equatable {
    var red: UInt8 = 0
    var green: UInt8 = 0
    var blue: UInt8 = 0
}

private struct BadColor: Error {}

extension Transform where Value == Color {
    fileprivate static let hex = Transform(
        encode: { color in
            [color.red, color.green, color.blue].map { (part: UInt8) -> String in
                let digits = String(part, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        },
        decode: { (text: String) in
            guard text.count == 6, let number = UInt32(text, radix: 16) else { throw BadColor() }
            return Color(
                red: UInt8(number >> 16), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
        })
}

private class Car: PersistingModel {
    var id: Int64?
    var color = Color()
    var trim: Color?
    var kilometres = 0.0
    var history: [String] = []
    private(set) var setterCalls = 0

    var miles: Double {
        get { kilometres / 1.609344 }
        set {
            kilometres = newValue * 1.609344
            setterCalls += 1
        }
    }

    override class var columns: Columns {
        [
            "ID": .int, "COLOR": .path(\Car.color, transform: .hex), "TRIM": .path(\Car.trim, transform: .hex).unique,
            "MILES": .path(\Car.miles), "HISTORY": .path(\Car.history, transform: .json),
        ]
    }
}

private final class Van: Car {}

@Suite("Columns by key path") struct PathColumnTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Car.self, Van.self)
    }

    private func car() throws -> Car {
        let car = Car()
        car.color = Color(red: 255, green: 128, blue: 1)
        car.kilometres = 1.609344
        car.history = ["é", ""]
        try manager.save(car)
        return car
    }

    @Test("store what the transform makes of the property") func stored() throws {
        _ = try car()
        #expect(try manager.stored("SELECT COLOR FROM CAR") == .text("ff8001"))
        #expect(try manager.stored("SELECT TRIM FROM CAR") == .null)
        #expect(try manager.stored("SELECT HISTORY FROM CAR") == .text("[\"é\",\"\"]"))
    }

    @Test("are declared by the type that the transform stores") func declaration() throws {
        #expect(try manager.columnSQL("COLOR", in: "CAR") == "COLOR TEXT NOT NULL")
        #expect(try manager.columnSQL("TRIM", in: "CAR") == "TRIM TEXT UNIQUE")
        #expect(try manager.columnSQL("MILES", in: "CAR") == "MILES REAL NOT NULL DEFAULT 0.0")
    }

    @Test("come back as they were, with no change") func roundTrip() throws {
        let saved = try car()
        let found = try #require(try manager.find(Car.self, saved.id))
        #expect(found.color == saved.color)
        #expect(found.trim == nil)
        #expect(found.history == saved.history)
        #expect(!found.hasChanges)
    }

    @Test("run a computed property's getter and setter") func computed() throws {
        let saved = try car()
        #expect(try manager.stored("SELECT MILES FROM CAR") == .real(1))
        let found = try #require(try manager.find(Car.self, saved.id))
        #expect(found.kilometres == 1.609344)
        #expect(found.setterCalls == 1)
    }

    @Test("are saved when they have changed") func changes() throws {
        let car = try car()
        car.trim = Color(red: 1, green: 2, blue: 3)
        #expect(car.changedKeys == ["trim"])
        try manager.save(car)
        #expect(try manager.stored("SELECT TRIM FROM CAR") == .text("010203"))
    }

    @Test("are compared in their stored form") func criteria() throws {
        _ = try car()
        #expect(try manager.count(Car.self, where: ["color": Color(red: 255, green: 128, blue: 1)] as Criteria) == 1)
        #expect(try manager.count(Car.self, where: \.miles >= 1) == 1)
        #expect(try manager.fetchAll(Car.self, sortedBy: .descending(\.miles)).count == 1)
    }

    @Test("are updated by key path and by key") func update() throws {
        let car = try car()
        try car.update(\.trim, to: Color(red: 9, green: 9, blue: 9))
        try car.update(key: "miles", to: 2)
        #expect(try manager.stored("SELECT TRIM FROM CAR") == .text("090909"))
        #expect(try manager.stored("SELECT MILES FROM CAR") == .real(2))
    }

    @Test("are a subclass's too, by key paths of either class") func inherited() throws {
        let van = Van()
        van.miles = 3
        try manager.save(van)
        #expect(try manager.count(Van.self, where: \Van.miles == 3) == 1)
        try van.update(\Van.color, to: Color(red: 1, green: 1, blue: 1))
        #expect(try manager.stored("SELECT COLOR FROM VAN") == .text("010101"))
    }

    @Test("that the transform rejects throw, and name the column") func rejected() throws {
        _ = try car()
        try manager.execute("UPDATE CAR SET COLOR = 'red'")
        let error = failure { try manager.fetchAll(Car.self) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "color")
        #expect(error?.underlying is BadColor)
    }

    @Test("take a NULL for no property that is not Optional") func null() throws {
        try manager.run("DROP TABLE CAR; CREATE TABLE CAR (ID INTEGER PRIMARY KEY, COLOR, TRIM, MILES REAL, HISTORY)")
        try manager.execute("INSERT INTO CAR (MILES, HISTORY) VALUES (1, '[]')")
        #expect(failure { try manager.fetchAll(Car.self) }?.key == "color")
    }

    @Test("of another class are rejected") func otherClass() throws {
        final class Wrong: PersistingModel {
            var id: Int64?
            override class var columns: Columns { ["ID": .int, "MILES": .path(\Car.miles)] }
        }
        let error = failure { try manager.createTableIfNecessary(for: Wrong.self) }
        #expect(error?.code == .invalidModel)
        #expect(error?.message.contains("Car") == true)
    }

    @Test("of a type that no column can hold are rejected, with the ways out") func unsupported() throws {
        final class Wrong: PersistingModel {
            var id: Int64?
            var colour = Color()
            override class var columns: Columns { ["ID": .int, "COLOUR": .path(\Wrong.colour)] }
        }
        let error = failure { try manager.createTableIfNecessary(for: Wrong.self) }
        #expect(error?.code == .unsupportedType)
        #expect(error?.key == "colour")
        #expect(error?.message.contains("SQLiteValueConvertible") == true)
    }

    @Test("are added to those that Swift's declarations give") func automatic() throws {
        final class Plane: PersistingModel {
            var id: Int64?
            var name = ""
            var colour = Color()
            var feet: Double {
                get { metres / 0.3048 }
                set { metres = newValue * 0.3048 }
            }
            var metres = 0.0
            override class var transientKeys: Set<String> { ["metres"] }
            override class var columns: Columns {
                var columns = super.columns
                columns["COLOUR"] = .path(\Plane.colour, transform: .hex)
                columns["FLIGHT_LEVEL"] = .path(\Plane.feet).property("feet")
                return columns
            }
        }
        try manager.createTableIfNecessary(for: Plane.self)
        let plane = try manager.insert(
            Plane.self, values: ["name": "A", "feet": 3, "colour": Color()] as [String: any Sendable])
        #expect(try manager.stored("SELECT FLIGHT_LEVEL FROM PLANE") == .real(3))
        #expect(try manager.find(Plane.self, plane.id)?.feet == 3)
    }
}
