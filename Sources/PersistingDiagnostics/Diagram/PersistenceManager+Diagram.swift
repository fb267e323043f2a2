internal import Foundation
public import Persisting
internal import SQLiteKit

/// Drawing a schema.
extension PersistenceManager {
    /// A diagram of the database's tables and their foreign keys.
    ///
    /// - Parameter names: The tables to draw, without regard to the case of ASCII letters; none draws all. Tables of a
    ///   full-text index and SQLite's own tables are left out.
    /// - Throws: ``PersistenceError/Code/noTable`` for a name that no table has; ``/SQLiteKit/SQLiteError``.
    public func schemaDiagram(tables names: [String] = []) throws -> SchemaDiagram {
        let tables = try engine.query { db in try db.schema().tables }
        for name in names where !tables.contains(where: { isSameName($0.name, name) }) {
            throw PersistenceError(.noTable, "there is no table or view \(name)", model: name)
        }
        return SchemaDiagram(tables.filter { table in names.isEmpty || names.contains { isSameName($0, table.name) } })
    }

    /// The same, while the task is suspended.
    public func schemaDiagram(tables names: [String] = []) async throws -> SchemaDiagram {
        try await onReadingSide { manager in try manager.schemaDiagram(tables: names) }
    }

    /// A diagram of the tables that classes declare, whether or not a database has them.
    ///
    /// - Parameter types: The classes. Those that share a table are drawn as one.
    /// - Throws: ``PersistenceError`` when a class can't be mapped.
    public static func schemaDiagram(of types: [PersistingModel.Type]) throws -> SchemaDiagram {
        let mappings = try types.map { try Mapping.of($0) }
        var attached: [String] = []
        for name in mappings.map(\.database) where !["main", "temp"].contains(asciiLowercased(name)) {
            if !attached.contains(where: { isSameName($0, name) }) { attached.append(name) }
        }
        var configuration = DatabaseConfiguration()
        configuration.prepare = { [attached] db in
            for name in attached { try db.attach(.memory, as: name) }
        }
        let manager = try PersistenceManager(.memory, configuration: configuration)
        try manager.updateSchema(for: types)
        let tables = try manager.engine.query { db in
            try mappings.reduce(into: [DatabaseSchema.Table]()) { tables, mapping in
                guard let table = try db.table(mapping.tableName, in: mapping.database) else { return }
                if !tables.contains(where: { $0.name == table.name && $0.database == table.database }) {
                    tables.append(table)
                }
            }
        }
        return SchemaDiagram(tables)
    }
}
