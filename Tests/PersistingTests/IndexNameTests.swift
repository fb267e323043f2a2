import Persisting
import Testing

private final class Member: PersistingModel {
    var id: Int64?
    var groupName = ""
    override class var indexes: [Index] { [Index("groupName")] }
}

private final class MemberGroup: PersistingModel {
    var id: Int64?
    var name = ""
    override class var indexes: [Index] { [Index("name")] }
}

private final class Job: PersistingModel {
    var id: Int64?
    var due: Int?
    var done = false
    override class var indexes: [Index] {
        [Index("due", where: "DONE = 0"), Index("due", where: "DONE = 1"), .unique("due", where: "DONE = 2")]
    }
}

private final class Thing: PersistingModel { var id: Int64? }

private final class Loan: PersistingModel {
    var id: Int64?
    var thingID: Int64?
    var returned: Int?
    static let thing = ToOne(\Loan.thingID, Thing.self)
    override class var relations: Relations { ["thing": thing] }
    override class var indexes: [Index] { [.unique("thingID", where: "RETURNED IS NULL")] }
}

// F45, F46, F116
@Suite("Names of indexes") struct IndexNameTests {
    private func indexes(_ manager: PersistenceManager) throws -> Set<SQLiteValue> {
        Set(try manager.storedColumn("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"))
    }

    @Test(
        "are distinct, by either way to create a table",
        arguments: [
            [Member.self, MemberGroup.self], [MemberGroup.self, Member.self], [Job.self], [Thing.self, Loan.self],
        ]
            as [[PersistingModel.Type]])
    func distinct(types: [PersistingModel.Type]) throws {
        let (created, planned) = (try newManager(), try newManager())
        for type in types { try created.createTableIfNecessary(for: type) }
        try planned.updateSchema(for: types)
        #expect(try indexes(created) == indexes(planned))
        #expect(try created.schemaPlan(for: types).isEmpty)
        #expect(try created.schemaPlan(for: types).notes.isEmpty)
        #expect(try planned.schemaPlan(for: types).notes.isEmpty)
        for type in types { #expect(try !planned.createTableIfNecessary(for: type)) }
    }

    @Test("follow from what an index is, and stay plain where they can") func plain() throws {
        let names = try Job.schema().createIndexes.map { $0.split(separator: " ON ")[0] }
        #expect(names[0] == "CREATE INDEX JOB_DUE_INDEX")
        #expect(Set(names).count == 3)
        #expect(try Job.schema().createIndexes == Job.schema().createIndexes)
        #expect(try Member.schema().createIndexes == ["CREATE INDEX MEMBER_GROUP_NAME_INDEX ON MEMBER (GROUP_NAME)"])
    }

    @Test("of existing indexes are kept, whatever they are") func existing() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE THING (ID INTEGER PRIMARY KEY);
                CREATE TABLE LOAN (ID INTEGER PRIMARY KEY, THING_ID INTEGER REFERENCES THING ON DELETE CASCADE,
                    RETURNED INTEGER);
                CREATE INDEX LOAN_THING_ID_INDEX ON LOAN (THING_ID);
                CREATE UNIQUE INDEX MINE ON LOAN (THING_ID) WHERE RETURNED IS NULL
                """)
        #expect(try manager.schemaPlan(for: [Thing.self, Loan.self]).isEmpty)
        #expect(try !manager.createTableIfNecessary(for: Loan.self))
        try manager.execute("DROP INDEX MINE")
        let plan = try manager.updateSchema(for: [Thing.self, Loan.self])
        #expect(plan.steps.count == 1)
        #expect(
            try manager.stored("SELECT sql FROM sqlite_schema WHERE name = 'LOAN_THING_ID_INDEX'")
                == "CREATE INDEX LOAN_THING_ID_INDEX ON LOAN (THING_ID)")
        #expect(try manager.schemaPlan(for: [Thing.self, Loan.self]).isEmpty)
    }
}
