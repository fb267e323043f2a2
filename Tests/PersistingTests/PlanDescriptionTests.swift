import Foundation
import Persisting
import Testing

private enum First {
    final class Poem: PersistingModel {
        var id: Int64?
        var title = ""
        override class var tableName: String { "POEM" }
        static let text = FullTextIndex(\Poem.title)
        override class var fullTextIndexes: FullTextIndexes { ["text": text] }
        override class var history: History? { .values() }
    }
}

private struct Look: Codable, SQLiteValueConvertible {
    var size = 12
    var theme = "light"
}

private final class Poem: PersistingModel {
    var id: Int64?
    var title = ""
    var made: Date?
    var tags: [String] = []
    var look = Look()
    override class var tableName: String { "POEM" }
    override class var columns: Columns {
        var columns = super.columns
        columns["TAGS"] = .json
        return columns
    }
    static let text = FullTextIndex(\Poem.title)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
    override class var history: History? { .values() }
}

private final class Declared: PersistingModel {
    var id: Int64?
    var title = ""
    var tags: [String] = []
    var look = Look()
    override class var tableName: String { "POEM" }
    override class var columns: Columns {
        var columns = super.columns
        columns["TAGS"] = .json.default("[]")
        columns["LOOK"] = .json.default(#"{"size":12,"theme":"light"}"#)
        return columns
    }
}

@Suite("The description of a plan") struct PlanDescriptionTests {
    @Test("counts the triggers and indexes of a history and a text index, whose SQL the steps have") func counts()
        throws
    {
        // F51 F124
        let plan = try PersistenceManager(.memory).schemaPlan(for: [First.Poem.self])
        let (description, sql) = (plan.description, plan.steps.flatMap(\.sql))
        #expect(!description.contains("TRIGGER"), "\(description)")
        #expect(description.contains("CREATE TABLE POEM "))
        let triggers = sql.filter { $0.hasPrefix("CREATE TRIGGER") }.count
        #expect(triggers > 3 && description.contains("-- creates "))
        #expect(description.split(separator: "\n").count < 40, "\(description)")
        let counted = description.matches(of: /(\d+) triggers/).compactMap { Int($0.output.1) }.reduce(0, +)
        #expect(counted == triggers)
    }

    @Test("has the obstacles first, and the reason of a companion's steps once") func order() throws {
        // F51 F124
        let manager = try memoryManager(First.Poem.self)
        try manager.insert(First.Poem.self, values: ["title": "a"])
        let plan = try manager.schemaPlan(for: [Poem.self])
        let lines = plan.description.split(separator: "\n")
        #expect(plan.obstacles.count == 2 && lines.prefix(2).allSatisfy { $0.hasPrefix("In the way: ") })
        #expect(lines[2].hasPrefix("1. "))
        #expect(lines.count < 60, "\(plan)")
        #expect(lines.contains { $0.contains("-- drops ") })
        #expect(lines.contains { $0.hasSuffix("for the reason of step 1") }, "\(plan)")
        for step in plan.steps {
            #expect(lines.filter { $0.hasSuffix(": \(step.reason)") }.count == 1, "\(plan)")
        }
        let error = #expect(throws: PersistenceError.self) { try manager.apply(plan) }
        #expect(error?.code == .unsafePlan && error?.message.hasSuffix(plan.description) == true)
    }

    @Test("has the default to declare for a column of JSON, with which it has no obstacle") func json() throws {
        // F51
        let manager = try memoryManager(First.Poem.self)
        try manager.insert(First.Poem.self, values: ["title": "a"])
        let messages = try manager.schemaPlan(for: [Poem.self]).obstacles.map(\.message)
        #expect(
            messages.contains { $0.contains("declare it .json.default(\"[]\"), or make it Optional") }, "\(messages)")
        #expect(
            messages.contains { $0.contains(##"declare it .json.default(#"{"size":12,"theme":"light"}"#), or"##) },
            "\(messages)")
        let other = try PersistenceManager(.memory)
        try other.execute("CREATE TABLE POEM (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL DEFAULT '')")
        try other.execute("INSERT INTO POEM (TITLE) VALUES ('a')")
        let plan = try other.schemaPlan(for: [Declared.self])
        #expect(plan.obstacles.isEmpty && plan.risk == .adds)
        try other.apply(plan)
        let poem = try #require(try other.fetchOne(Declared.self))
        #expect(poem.tags == [] && poem.look.theme == "light")
    }
}
