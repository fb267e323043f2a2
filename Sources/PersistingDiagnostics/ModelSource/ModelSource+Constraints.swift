internal import Persisting
internal import SQLiteKit

/// What a table has besides its columns' names and types.
extension ModelSource {
    /// The columns of which a class says more than it does by a property's name and type, with what it says.
    var declarations: [(column: String, words: String)] {
        let checks = checks.declared
        return properties.compactMap { property in
            let column = property.column
            var words = property.words
            if naming.value.column(property.key) != column.name {
                words.append("property(\(SwiftSource.literal(property.key)))")
            }
            if let check = checks[column.name] { words.append("check(\(SwiftSource.literal(check)))") }
            if let collation = column.collation.map({ Collation(rawValue: $0.uppercased()) }), collation != .binary {
                words.append("collate(\(collation.source))")
            }
            if let reference = reference(of: column) { words.append(reference) }
            return words.isEmpty ? nil : (column.name, ([property.kind] + words).map { ".\($0)" }.joined())
        }
    }

    /// The CHECKs, by the columns that declare them: each has one, first that in its own definition. Another is
    /// declared by a column that it names, or by any that has none; what is left a class can't declare.
    private var checks: (declared: [String: String], left: [String]) {
        let all = table.kind == .table ? table.sql.flatMap { TableDefinition(sql: $0)?.checks } ?? [] : []
        var (declared, others, left) = ([String: String](), [String](), [String]())
        for check in all {
            let property = check.column.flatMap { name in properties.first { isSameName($0.column.name, name) } }
            if let name = property?.column.name, declared[name] == nil {
                declared[name] = check.expression
            } else {
                others.append(check.expression)
            }
        }
        for expression in others {
            let names = Set(SQLTokens(expression).tokens.compactMap(\.name).map(asciiLowercased))
            let free = properties.map(\.column.name).filter { declared[$0] == nil }
            if let name = free.first(where: { names.contains(asciiLowercased($0)) }) ?? free.first {
                declared[name] = expression
            } else {
                left.append(expression)
            }
        }
        return (declared, left)
    }

    /// The foreign key of one column.
    private func reference(of column: DatabaseSchema.Column) -> String? {
        guard
            let key = table.foreignKeys.first(where: {
                $0.columns == [column.name] && isDeclarable($0) && !relations.foreignKeys.contains($0.id)
            }),
            let parent = parent(of: key)
        else { return nil }
        var arguments = ["\(className(of: parent.name)).self"]
        if let name = key.parentColumns.first, [asciiLowercased(name)] != parent.primaryKey.map(asciiLowercased) {
            arguments.append(SwiftSource.literal(name))
        }
        if let action = ForeignKeyAction(rawValue: key.onDelete.rawValue) { arguments.append("onDelete: .\(action)") }
        if let action = ForeignKeyAction(rawValue: key.onUpdate.rawValue) { arguments.append("onUpdate: .\(action)") }
        if key.isDeferred { arguments.append("isDeferred: true") }
        return "references(\(arguments.joined(separator: ", ")))"
    }

    private func isDeclarable(_ key: DatabaseSchema.ForeignKey) -> Bool {
        key.columns.count == 1 && parent(of: key) != nil
    }

    private func parent(of key: DatabaseSchema.ForeignKey) -> DatabaseSchema.Table? {
        parents.first { asciiLowercased($0.name) == asciiLowercased(key.parent) }
    }

    /// The indexes, the oldest first, except for that of the key.
    var indexes: [String] { table.indexes.reversed().compactMap(source) }

    private func source(of index: DatabaseSchema.Index) -> String? {
        guard index.origin != .primaryKey, let keys = keys(of: index) else { return nil }
        var arguments = keys.map(SwiftSource.literal)
        if index.isPartial {
            guard let condition = index.sql.flatMap(SQLTokens.condition) else { return nil }
            arguments.append("where: \(SwiftSource.literal(condition))")
        }
        if index.origin == .created { arguments.append("name: \(SwiftSource.literal(index.name))") }
        return "\(index.isUnique ? ".unique" : "Index")(\(arguments.joined(separator: ", ")))"
    }

    /// The properties that an index is of; nil for one of expressions or in another order than theirs.
    private func keys(of index: DatabaseSchema.Index) -> [String]? {
        let keys = index.columns.compactMap { column in
            properties.first {
                $0.column.name == column.name && !column.isDescending
                    && asciiLowercased($0.column.collation ?? "BINARY") == asciiLowercased(column.collation)
            }?.key
        }
        return keys.count == index.columns.count ? keys : nil
    }

    /// What a class cannot declare.
    var leftOut: [String] {
        let indexes = table.indexes.reversed().filter { $0.origin != .primaryKey && source(of: $0) == nil }
        let keys = table.foreignKeys.filter { !isDeclarable($0) && !relations.foreignKeys.contains($0.id) }
        return checks.left.map { "CHECK (\($0))" }
            + indexes.map { "the index \($0.name)" }
            + keys.map { "the foreign key of \($0.columns.joined(separator: ", ")) to \($0.parent)" }
    }
}
