import Persisting
import SQLiteKit

/// What a file holds before a plan is applied, and afterwards. The plan recreates a table that another refers to,
/// renames a column, and adds a table and an index.
struct PlanStates: SchemaStates {
    let name = "plans"
    let work = Child.Work.plan
    private let before: String
    private let after: String

    init() throws {
        let manager = try PersistenceManager(.memory)
        try Self.fill(manager)
        before = try manager.read(Self.state)
        try Self.update(manager)
        after = try manager.read(Self.state)
    }

    func prepare(_ manager: PersistenceManager) throws { try Self.fill(manager) }

    private static func fill(_ manager: PersistenceManager) throws {
        try manager.updateSchema(for: [Station.self, Departure.self])
        try manager.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO STATION SELECT i, 'station ' || i || ' ' || hex(zeroblob(20)), i % 7 FROM n
            """)
        try manager.execute("INSERT INTO DEPARTURE (STATION_ID) SELECT ID FROM STATION")
    }

    private static func update(_ manager: PersistenceManager) throws {
        try manager.updateSchema(for: [NewStation.self, Departure.self, Ticket.self], allowing: .rewrites)
    }

    private static func state(_ db: Database) throws -> String {
        try db.state(of: ["STATION", "DEPARTURE", "TICKET"])
    }

    func change(_ path: String, _ configuration: DatabaseConfiguration) throws -> PersistenceManager {
        let manager = try PersistenceManager(path: path, configuration: configuration)
        try Self.update(manager)
        return manager
    }

    func check(_ manager: PersistenceManager, _ answer: SchemaAnswer) throws -> [Fault] {
        let state = try manager.read(Self.state)
        if answer == .applied, state != after { return [Fault(.lost, "the plan")] }
        return state == before || state == after ? [] : [Fault(.half, "a part of the plan")]
    }

    func isLast(_ manager: PersistenceManager) throws -> Bool { try manager.read(Self.state) == after }
}

private final class Station: PersistingModel {
    var id: Int64?
    var name = ""
    var zone: String?
}

private final class NewStation: PersistingModel {
    var id: Int64?
    var title = ""
    var zone: Int?
    var code: String?
    override class var tableName: String { "STATION" }
    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.formerly("NAME")
        columns["CODE"] = .string.unique
        return columns
    }
}

private final class Departure: PersistingModel {
    var id: Int64?
    var stationID: Int64?
    override class var columns: Columns {
        ["ID": .int, "STATION_ID": .int.references(Station.self, onDelete: .cascade)]
    }
}

private final class Ticket: PersistingModel {
    var id: Int64?
    var price = 0
}
