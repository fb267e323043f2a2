import Foundation
import Persisting
import Testing

@Suite("Classes that cannot be mapped")
struct InvalidModelTests {
    /// What using a class says.
    private func mappingError(_ type: PersistingModel.Type) throws -> PersistenceError {
        let manager = try PersistenceManager(.memory)
        return try #require(failure { try manager.createTableIfNecessary(for: type) })
    }

    @Test("A variable of a type that no column holds is rejected with its name, its type and the ways out")
    func unsupportedType() throws {
        // F28, F41, Settled 9
        let error = try mappingError(Unsupported.self)
        #expect(error.code == .unsupportedType)
        #expect(error.model == "Unsupported")
        #expect(error.key == "cache")
        #expect(error.message.contains("[String: [Int]]"))
        #expect(error.message.contains("transientKeys"))
        #expect(error.message.contains("SQLiteValueConvertible"))
    }

    @Test("A list of models is rejected with what to do instead", arguments: ["Shelf", "MaybeShelf"])
    func listOfModels(_ name: String) throws {
        // F28, Settled 9
        let error = try mappingError(name == "Shelf" ? Shelf.self : MaybeShelf.self)
        #expect(error.key == "books")
        #expect(error.message.contains("give ShelfBook a property that stores this object's key"))
        #expect(error.message.contains("fetchAll(ShelfBook.self, where: …)"))
    }

    @Test("A model is rejected with what to do instead")
    func model() throws {
        // F28, Settled 9
        let error = try mappingError(Owned.self)
        #expect(error.key == "owner")
        #expect(error.message.contains("store the other object's key"))
        #expect(error.message.contains("find(ShelfBook.self, …)"))
    }

    @Test("A list of what is not Codable is rejected with the ways to make it a column")
    func listOfOthers() throws {
        // F28, Settled 9
        let error = try mappingError(Drawer.self)
        #expect(error.message.contains("make Thing conform to Codable and declare the column .json"))
    }

    @Test("The type that was found is said")
    func foundType() throws {
        // Settled 9
        #expect(try mappingError(Unsupported.self).found == "[String: [Int]]")
        #expect(try mappingError(Misfit.self).found == "String?")
    }

    @Test("A column type that does not fit the property is rejected")
    func misfit() throws {
        // F41
        let error = try mappingError(Misfit.self)
        #expect(error.code == .unsupportedType)
        #expect(error.key == "age")
        #expect(error.message.contains("AGE"))
        #expect(error.message.contains(".int"))
    }

    @Test("A form of dates for what isn't a date is rejected")
    func dateStorage() throws {
        // F31, F41
        let error = try mappingError(DatedText.self)
        #expect(error.code == .unsupportedType)
        #expect(error.key == "text")
        #expect(error.expected == "Date")
    }

    @Test("Two properties with one column are rejected, and both named")
    func oneColumn() throws {
        // Settled 1
        let error = try mappingError(Twice.self)
        #expect(error.code == .invalidModel)
        #expect(error.model == "Twice")
        #expect(error.message.contains("userId"))
        #expect(error.message.contains("userID"))
        #expect(error.message.contains("USER_ID"))
    }

    @Test("Two columns for one property are rejected")
    func oneProperty() throws {
        // F22
        let error = try mappingError(TwoColumns.self)
        #expect(error.code == .invalidModel)
        #expect(error.key == "name")
        #expect(error.message.contains("NAME") && error.message.contains("OTHER"))
    }

    @Test("transientKeys that name nothing are rejected")
    func transientNothing() throws {
        // F41, Settled 4
        let error = try mappingError(WrongTransient.self)
        #expect(error.code == .unknownKey)
        #expect(error.model == "WrongTransient")
        #expect(error.key == "chache")
        #expect(error.message.contains("chache"))
    }

    @Test("A column without a property is rejected, with the properties there are")
    func columnWithoutProperty() throws {
        // F41, Settled 4
        let error = try mappingError(WrongColumn.self)
        #expect(error.code == .unknownKey)
        #expect(error.key == "TITEL")
        #expect(error.message.contains("id, title"))
    }

    @Test("A column that names a property that is not there is rejected")
    func columnOfUnknownProperty() throws {
        // F22, F41
        let error = try mappingError(WrongProperty.self)
        #expect(error.code == .unknownKey)
        #expect(error.message.contains("\"titel\""))
    }

    @Test("An id that is an integer and not Optional is rejected, with the ways out")
    func integerID() throws {
        // Settled 13
        let error = try mappingError(IntegerID.self)
        #expect(error.code == .invalidModel)
        #expect(error.key == "id")
        #expect(error.message.contains("Int?"))
        #expect(error.message.contains(".assigned(\"id\")"))
    }

    @Test("An integer id that is declared assigned is taken")
    func assignedIntegerID() throws {
        // Settled 13, F37
        let manager = try memoryManager(AssignedInteger.self)
        let object = AssignedInteger()
        try manager.save(object)
        #expect(try manager.find(AssignedInteger.self, 0)?.isSameRow(as: object) == true)
    }

    @Test("A generated key of text is rejected, with its type")
    func generatedText() throws {
        // F36, F41
        let error = try mappingError(GeneratedText.self)
        #expect(error.code == .invalidModel)
        #expect(error.key == "code")
        #expect(error.found == "String?")
    }

    @Test("A generated key that is not Optional is rejected")
    func generatedNonOptional() throws {
        // F36, F41
        let error = try mappingError(GeneratedNonOptional.self)
        #expect(error.code == .invalidModel)
        #expect(error.key == "number")
        #expect(error.found == "Int")
    }

    @Test("A generated key that is a Bool is rejected")
    func generatedBool() throws {
        // F36
        #expect(try mappingError(GeneratedBool.self).code == .invalidModel)
    }

    @Test("A primary key that names nothing is rejected, with the keys there are")
    func unknownKey() throws {
        // F35, Settled 4
        let error = try mappingError(WrongKey.self)
        #expect(error.code == .unknownKey)
        #expect(error.key == "guid")
        #expect(error.message.contains("name"))
    }

    @Test("A composite key that names a property twice is rejected")
    func keyTwice() throws {
        // F38, F41
        #expect(try mappingError(KeyTwice.self).code == .invalidModel)
    }

    @Test("A class without any variable is rejected")
    func empty() throws {
        // F41
        let error = try mappingError(Empty.self)
        #expect(error.code == .invalidModel)
        #expect(error.model == "Empty")
    }

    @Test("An empty table name is rejected")
    func noTableName() throws {
        // F41
        #expect(try mappingError(Nameless.self).code == .invalidModel)
    }

    @Test(
        "A class that describes itself to Mirror otherwise is stored by its properties all the same",
        .local(.connection))
    func customMirror() throws {
        // F41
        let manager = try memoryManager(Disguised.self)
        try manager.insert(Disguised.self, values: ["name": "x"])
        #expect(try manager.fetchAll(Disguised.self).map(\.name) == ["x"])
        let stored = try manager.database.read { try $0.scalar("SELECT ID || NAME FROM DISGUISED", as: String.self) }
        #expect(stored == "1x")
    }

    @Test("A mistake in a class is thrown by every verb")
    func everywhere() throws {
        // F41, Settled 9
        let manager = try PersistenceManager(.memory)
        let object = Twice()
        #expect(failure { try manager.save(object) }?.code == .invalidModel)
        #expect(failure { try manager.insert(Twice.self, values: [:]) }?.code == .invalidModel)
        #expect(failure { try manager.fetchAll(Twice.self) }?.code == .invalidModel)
        #expect(failure { try manager.count(Twice.self, where: \.userId == "a") }?.code == .invalidModel)
        #expect(failure { try manager.find(Twice.self, 1) }?.code == .invalidModel)
        #expect(failure { try manager.deleteAll(Twice.self) }?.code == .invalidModel)
        #expect(failure { try object.setValue("a", forKey: "userId") }?.code == .invalidModel)
        #expect(failure { try object.value(forKey: "userId") }?.code == .invalidModel)
    }

    @Test("An object of a class that cannot be mapped is printed all the same")
    func printed() {
        // F110
        #expect("\(Twice())" == "<Twice>")
        #expect(Twice().dictionary().isEmpty)
    }

    @Test("The description names model, key, message and type")
    func description() throws {
        // F16
        let error = try mappingError(DatedText.self)
        #expect(error.description.hasPrefix("DatedText.text: "))
        #expect(error.description.contains("expected Date"))
        #expect(error.localizedDescription == error.description)
    }
}

private final class Unsupported: PersistingModel {
    var id: Int64?
    var cache: [String: [Int]] = [:]
}

private final class Misfit: PersistingModel {
    var id: Int64?
    var age: String?
    override class var columns: Columns { ["ID": .int, "AGE": .int] }
}

private final class DatedText: PersistingModel {
    var id: Int64?
    var text: String?
    override class var columns: Columns { ["ID": .int, "TEXT": .string.stored(as: .iso8601)] }
}

private final class Twice: PersistingModel {
    var id: Int64?
    var userId: String?
    var userID: String?
}

private final class TwoColumns: PersistingModel {
    var id: Int64?
    var name: String?
    override class var columns: Columns { ["ID": .int, "NAME": .string, "OTHER": .string.property("name")] }
}

private final class WrongTransient: PersistingModel {
    var id: Int64?
    var cache: String?
    override class var transientKeys: Set<String> { ["chache"] }
}

private final class WrongColumn: PersistingModel {
    var id: Int64?
    var title: String?
    override class var columns: Columns { ["ID": .int, "TITEL": .string] }
}

private final class WrongProperty: PersistingModel {
    var id: Int64?
    var title: String?
    override class var columns: Columns { ["ID": .int, "TITLE": .string.property("titel")] }
}

private final class IntegerID: PersistingModel {
    var id = 0
}

private final class AssignedInteger: PersistingModel {
    var id = 0
    var name = ""
    override class var primaryKey: PrimaryKey { .assigned("id") }
}

private final class GeneratedText: PersistingModel {
    var code: String?
    override class var primaryKey: PrimaryKey { .generated("code") }
}

private final class GeneratedNonOptional: PersistingModel {
    var number = 0
    override class var primaryKey: PrimaryKey { .generated("number") }
}

private final class GeneratedBool: PersistingModel {
    var flag: Bool?
    override class var primaryKey: PrimaryKey { .generated("flag") }
}

private final class WrongKey: PersistingModel {
    var name = ""
    override class var primaryKey: PrimaryKey { .assigned("guid") }
}

private final class KeyTwice: PersistingModel {
    var name = ""
    override class var primaryKey: PrimaryKey { .composite("name", "name") }
}

private final class Empty: PersistingModel {
    let constant = 1
}

private final class Disguised: PersistingModel, CustomReflectable {
    var id: Int64?
    var name = ""
    var customMirror: Mirror { Mirror(self, children: ["name": 5]) }
}

private final class Nameless: PersistingModel {
    var id: Int64?
    override class var tableName: String { "" }
}

private final class ShelfBook: PersistingModel {
    var id: Int64?
}

private final class Shelf: PersistingModel {
    var id: Int64?
    var books: [ShelfBook] = []
}

private final class MaybeShelf: PersistingModel {
    var id: Int64?
    var books: Set<ShelfBook>?
}

private final class Owned: PersistingModel {
    var id: Int64?
    var owner: ShelfBook?
}

private struct Thing: Sendable {}

private final class Drawer: PersistingModel {
    var id: Int64?
    var things: [Thing] = []
}
