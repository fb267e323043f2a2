import Foundation
import Persisting
import Testing

private struct Look: Codable, SQLiteValueConvertible {
    var percent = 50 { didSet { precondition((0...100).contains(percent)) } }
    var name = "x" { willSet { precondition(!newValue.isEmpty) } }
    var half: Int {
        get { percent / 2 }
        set {
            precondition(newValue >= 0)
            percent = 2 * newValue
        }
    }
}

private final class Lamp: PersistingModel {
    var id: Int64?
    var look = Look()
    var picture = Data()
}

// F60
@Suite("Values that are made up to find a place in JSON") struct MadeUpValueTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Lamp.self)
        try manager.insert(Lamp())
    }

    @Test("run no observers of the property") func observers() throws {
        #expect(try manager.count(Lamp.self, where: \.look.percent > 40 && \.look.name == "x") == 1)
        #expect(try manager.update(Lamp.where(\.look.percent == 50), \.look.name, to: "y") == 1)
        #expect(try manager.fetchAll(Lamp.self).first?.look.name == "y")
    }

    @Test("aren't set by properties that store nothing, such as the count of a Data") func computed() throws {
        #expect(failure { try manager.count(Lamp.self, where: \.picture.count > 10) }?.code == .unknownKey)
        #expect(failure { try manager.count(Lamp.self, where: \.look.half > 10) }?.code == .unknownKey)
    }
}
