internal import SQLiteKit

/// Tables and the foreign keys between them, to be drawn.
///
/// ```swift
/// try manager.schemaDiagram().mermaid                     // erDiagram …
/// try manager.schemaDiagram().svg                         // <svg xmlns=…
/// ```
///
/// The same tables give the same text, so a diagram can be kept in version control, and a test can compare it.
public struct SchemaDiagram: Sendable, Hashable {
    /// A table of a diagram.
    public struct Table: Sendable, Hashable {
        /// The table's name.
        public let name: String
        /// The columns, in order.
        public let columns: [Column]
    }

    /// A column of a diagram's table.
    public struct Column: Sendable, Hashable {
        /// The column's name.
        public let name: String
        /// The type as it was declared; empty without one.
        public let type: String
        /// Whether it's a part of the primary key.
        public let isPrimaryKey: Bool
        /// Whether it's a part of a foreign key.
        public let isForeignKey: Bool
        /// Whether it may be NULL.
        public let isOptional: Bool
    }

    /// A foreign key between two tables of a diagram.
    public struct Reference: Sendable, Hashable {
        /// The table that has the foreign key.
        public let child: String
        /// The columns of the foreign key.
        public let columns: [String]
        /// The table that it refers to.
        public let parent: String
        /// The columns that it refers to.
        public let parentColumns: [String]
        /// Whether the columns may be NULL, so that there may be no parent.
        public let isOptional: Bool
        /// Whether a parent has at most one child, since the columns are unique.
        public let isUnique: Bool
    }

    /// The tables, in the order they were created.
    public let tables: [Table]
    /// The foreign keys between them. One to a table that isn't in the diagram is left out.
    public let references: [Reference]

    /// - Parameter tables: The tables and whatever else a schema has. Views, virtual tables and SQLite's own are left
    ///   out.
    init(_ tables: [DatabaseSchema.Table]) {
        let drawn = tables.filter { $0.kind == .table && !$0.isInternal }
        self.tables = drawn.map { table in
            let referring = Set(table.foreignKeys.flatMap(\.columns).map(asciiLowercased))
            return Table(
                name: table.name,
                columns: table.columns.filter { $0.kind != .hidden }.map { column in
                    Column(
                        name: column.name, type: column.declaredType, isPrimaryKey: column.primaryKeyPosition != nil,
                        isForeignKey: referring.contains(asciiLowercased(column.name)),
                        isOptional: !column.isNotNull && column.primaryKeyPosition == nil)
                })
        }
        references = drawn.flatMap { table in
            table.foreignKeys.compactMap { key in
                drawn.first { isSameName($0.name, key.parent) }.map { parent in
                    Reference(
                        child: table.name, columns: key.columns, parent: parent.name,
                        parentColumns: key.parentColumns,
                        isOptional: key.columns.contains { table.column($0)?.mayBeNull == true },
                        isUnique: table.isUnique(key.columns))
                }
            }
        }
    }
}

extension DatabaseSchema.Column {
    fileprivate var mayBeNull: Bool { !isNotNull && primaryKeyPosition == nil }
}

extension DatabaseSchema.Table {
    /// Whether no two rows have the same values in some columns.
    fileprivate func isUnique(_ names: [String]) -> Bool {
        let names = Set(names.map(asciiLowercased))
        let keys = indexes.filter { $0.isUnique && !$0.isPartial }.map { $0.columns.map(\.name) }
        return (keys + [primaryKey]).contains { Set($0.compactMap { $0.map(asciiLowercased) }) == names }
    }
}
