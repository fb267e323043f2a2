public import Persisting
internal import SQLiteKit

extension PersistenceManager {
    /// Checks model classes on their own, for a test or a build server.
    ///
    /// It checks that the classes can be mapped, that their relations fit each other and have the indexes that they
    /// need, and that each class stores and reads back the values of its objects. It uses databases in memory.
    ///
    /// - Parameters:
    ///   - types: The classes.
    ///   - examples: Objects for `selfTest(_:examples:schema:dates:)`, for classes whose `init()` doesn't make an
    ///     object that can be inserted.
    /// - Returns: What is wrong; empty if nothing is.
    /// - Throws: ``/SQLiteKit/SQLiteError`` if there is no memory for a database.
    public static func check(
        _ types: [PersistingModel.Type], examples: [PersistingModel] = []
    ) throws -> [ModelFinding] {
        var findings: [ModelFinding] = []
        for type in types {
            for failure in try selfTest(type, examples: examples.filter { Swift.type(of: $0) == type }) {
                findings.append(ModelFinding(model: "\(type)", key: failure.key, reason: failure.reason))
            }
        }
        let manager = try PersistenceManager(.memory)
        try manager.takeAnyCollation()
        do {
            try manager.updateSchema(for: types.filter { try Mapping.of($0).database == "main" })
            let schema = try manager.database.read { db in try ExaminedDatabase(path: "", db: db) }
            findings += IndexCheck.findings(schema).map {
                ModelFinding(model: $0.table ?? "", key: nil, reason: $0.message)
            }
        } catch let error as PersistenceError {
            // The self tests have already reported a class that can't be mapped.
            guard findings.isEmpty else { return findings }
            findings.append(ModelFinding(model: error.model ?? "", key: error.key, reason: error.message))
        } catch let error as SQLiteError {
            // So have they a table that can't be made, since it calls a function of the user's.
            guard findings.isEmpty else { return findings }
            findings.append(ModelFinding(model: "", key: nil, reason: "\(error)"))
        }
        return findings
    }
}
