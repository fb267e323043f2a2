internal import Foundation
public import Persisting
internal import SQLiteKit

/// Checking a model class.
extension PersistenceManager {
    /// Checks that a model class stores and reads back what its objects hold, on a database in memory of its own.
    ///
    /// It belongs into a unit test for each class:
    ///
    /// ```swift
    /// #expect(try PersistenceManager.selfTest(Album.self) == [])
    /// ```
    ///
    /// For each column it writes ordinary and extreme values, NULL among them, reads them back, and compares. It checks
    /// that an object knows its changes, that an update writes them and leaves the other columns alone, that a
    /// condition finds the row in SQL and the object in memory, and that a row is found and deleted by its key.
    ///
    /// Hooks and `validate()` don't run. Values that violate a constraint of the table are skipped. The library has no
    /// values for a type that you convert yourself, such as a Codable struct or a ``/Persisting/Transform``: of those
    /// it takes what `init()` and the examples hold, and the cases of an enum.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - examples: Objects whose values are written as well. They stay as they are.
    ///   - schema: SQL that creates the table, for a class over an existing table; nil has the class create its own.
    ///   - dates: The form in which dates are stored.
    /// - Returns: What doesn't hold, at most once for each column and check; empty when all is well. A class that can't
    ///   be mapped, or doesn't fit the table, is a failure as well.
    /// - Throws: ``/SQLiteKit/SQLiteError`` when there is no memory for the database, or `schema` fails.
    public static func selfTest<Model: PersistingModel>(
        _ type: Model.Type, examples: [Model] = [], schema: SQL? = nil, dates: DateStorage = .unixSeconds
    ) throws -> [ValidationFailure] {
        var configuration = DatabaseConfiguration()
        // The rows that others refer to are not there.
        configuration.foreignKeys = false
        let manager = try PersistenceManager(.memory, configuration: configuration, dates: dates)
        try manager.takeAnyCollation()
        if let schema { try manager.database.withoutTransaction { db in try db.executeScript(schema) } }
        do {
            try manager.createTableIfNecessary(for: type)
            let test = try SelfTest(manager, type, examples)
            return try test.findFailures()
        } catch let error as PersistenceError {
            return [ValidationFailure(key: error.key, reason: "\(error)")]
        }
    }

    /// Has the database know the user's collations, which aren't here, by an order of texts. What is tested is the same
    /// in any.
    func takeAnyCollation() throws {
        try database.withoutTransaction { db in
            try db.setCollationNeeded { _ in
                { left, right in
                    left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
                }
            }
        }
    }
}
