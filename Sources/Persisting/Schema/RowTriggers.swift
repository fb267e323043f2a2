/// Triggers that tell of each row that comes into a table and each that goes, whoever writes.
///
/// REPLACE deletes rows without firing triggers, unless a connection has `recursive_triggers` on; see [ON
/// CONFLICT](https://www.sqlite.org/lang_conflict.html). And what a statement does to a row, a foreign key of the table
/// to itself or another trigger may do to the same row meanwhile, so that neither `old` nor `new` is what a companion
/// knows of it. So before a statement, the rows that it may change or replace, found by the key and by each unique
/// index, are copied into a side table. After it, the companion is told that the copies are gone, as they were, and of
/// the row as it is now, unless it has that already.
///
/// A copy is always what the companion knows of its row. One that a statement leaves, which was ignored or has become
/// an upsert, does no harm: the next change of its row takes it away.
///
/// A copy that is taken out of the side table is told by a trigger of that table, row by row: a statement that joined
/// the two would build a table of its own each time, as does an INSERT that reads the table that it writes to. Hence
/// also the conditions in the triggers' WHEN.
///
/// The conflict clause of a statement overrides those of its triggers, so the side table has no unique index. And no
/// trigger that runs before a statement deletes from the table: a plain INSERT would replace.
package struct RowTriggers: Sendable {
    /// The side table, its indexes and the triggers.
    package let items: [Companion.Item]

    /// - Parameters:
    ///   - table: The table as it is to be, with all its unique indexes.
    ///   - name: What the names of the triggers begin with.
    ///   - columns: The columns, in addition to the key, that the companion stores.
    ///   - opening: A statement that runs before a row is written, and the condition for it; nil is none.
    ///   - first: A statement that runs before those that follow, in each trigger that has any; nil is none.
    ///   - added: A statement that follows new rows, given by a query of the key and the columns.
    ///   - removed: Statements that follow a row that is gone, of which `old` is what it was. They do nothing for a row
    ///     that the companion doesn't have.
    ///   - holds: The condition that the companion has the row with a key, given by SQL for each of its columns.
    /// - Throws: ``PersistenceError/Code/invalidModel`` for a table whose rows have no key.
    package init(
        on table: TableDefinition, named name: String, columns: [String],
        opening: (condition: String, statement: String)? = nil, first: String? = nil, added: (String) -> String,
        removed: String, holds: @escaping ([String]) -> String
    ) throws {
        items = try Texts(table, name, columns, holds).items(opening, first, added, removed)
    }
}

extension RowTriggers {
    /// The name of the companion that a trigger of a table is of; nil for a trigger of none.
    package static func companion(of name: String, _ sql: String) -> String? {
        guard let event = Event.allCases.first(where: { asciiLowercased(name).hasSuffix("_" + $0.rawValue) }) else {
            return nil
        }
        let companion = String(name.dropLast(event.rawValue.count + 1))
        let isOpening = [.openInsert, .openUpdate, .openDelete].contains(event)
        let isOfOne = SQLTokens(sql).tokens.contains { token in
            token.name.map { isSameName($0, isOpening ? opened : companion + "_gone") } == true
        }
        return isOfOne ? companion : nil
    }

    /// The table that opening statements write to.
    static let opened = "history_transactions"

    /// What the name of a trigger ends with.
    fileprivate enum Event: String, CaseIterable {
        case beforeInsert = "before_insert", afterInsert = "after_insert", beforeUpdate = "before_update"
        case beforeConflict = "before_conflict", afterUpdate = "after_update", afterDelete = "after_delete"
        case openInsert = "open_insert", openUpdate = "open_update", openDelete = "open_delete"

        /// The event in SQL.
        var sql: String {
            switch self {
            case .beforeInsert, .openInsert: "BEFORE INSERT"
            case .beforeUpdate, .beforeConflict, .openUpdate: "BEFORE UPDATE"
            case .openDelete: "BEFORE DELETE"
            case .afterInsert: "AFTER INSERT"
            case .afterUpdate: "AFTER UPDATE"
            case .afterDelete: "AFTER DELETE"
            }
        }
    }
}

extension TableDefinition {
    /// The columns that a companion knows a row by.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` for a table without a key, or with one that may be NULL.
    package func companionKey(_ companion: String) throws -> [String] {
        let key = primaryKey
        let isWhole = hasRowIDKey || isWithoutRowID || key.allSatisfy { column($0)?.has(.notNull) == true }
        guard !key.isEmpty, isWhole else {
            throw PersistenceError(
                .invalidModel,
                key.isEmpty
                    ? "the table \(name) has no primary key, which \(companion) needs"
                    : "the primary key of the table \(name) may be NULL, so \(companion) can't tell its rows apart: "
                        + "declare its columns .notNull")
        }
        return key
    }

    /// What no two rows have the same of: the terms of each unique constraint and index, and the condition of a partial
    /// one.
    fileprivate var uniqueTerms: [(terms: [String], condition: String?)] {
        var all: [(terms: [String], condition: String?)] = []
        for column in columns where column.has(.unique) || column.has(.primaryKey) && !hasRowIDKey {
            all.append(([SQLText.identifier(column.name)], nil))
        }
        for clause in constraints where clause.kind == .unique || clause.kind == .primaryKey && !hasRowIDKey {
            all.append((Self.terms(clause.inside ?? ""), nil))
        }
        for index in indexes where index.isUnique {
            let text = SQLTokens(index.sql)
            guard let on = text.tokens.firstIndex(where: { $0.isWord("ON") }),
                let open = text.tokens[on...].firstIndex(where: { $0.isSymbol("(") }), let close = text.closing(open)
            else { continue }
            all.append((Self.terms(text.text(open + 1..<close)), index.condition))
        }
        return all
    }

    /// The terms of a list, without the directions that they are sorted in.
    private static func terms(_ list: String) -> [String] {
        let text = SQLTokens(list)
        return text.parts(text.tokens.indices).map { text.text(text.withoutDirection($0)) }
    }

    /// The foreign keys from the table to itself.
    fileprivate var ownReferences: [ForeignKeyDefinition] { foreignKeys.filter { isSameName($0.parent, name) } }
}

extension TableDefinition {
    /// The column of a companion that stores what a column has, and compares as that does.
    func companion(of column: ColumnDefinition, named name: String? = nil) -> ColumnDefinition {
        // Only in a STRICT table does ANY leave every value as it is.
        let type = isStrict && asciiLowercased(column.type) == "any" ? "" : column.type
        return ColumnDefinition(
            name: name ?? column.name, type: type, clauses: [column.clause(.collation)].compactMap { $0 })
    }
}

/// The texts while they are made.
private struct Texts {
    private let table: TableDefinition
    private let name: String
    private let key: [String]
    /// The columns of the side table: the key, what is told, and what unique indexes are of.
    private let columns: [ColumnDefinition]
    private let told: [String]
    /// The terms of each unique constraint.
    private let unique: [[String]]
    /// The condition for a row of the table or of the side table that can't stand beside the new one.
    private let conflict: String
    private let holds: ([String]) -> String

    init(_ table: TableDefinition, _ name: String, _ columns: [String], _ holds: @escaping ([String]) -> String) throws
    {
        let key = try table.companionKey(name)
        if let reference = table.ownReferences.first(where: { $0.onUpdate == "SET DEFAULT" }) {
            throw PersistenceError(
                .invalidModel,
                "the table \(table.name) refers to itself by \(reference.columns.joined(separator: ", ")) with ON UPDATE "
                    + "SET DEFAULT, where \(name) can't tell what happens to its rows: choose another action")
        }
        let unique = table.uniqueTerms
        let used = unique.flatMap { $0.terms + [$0.condition].compactMap { $0 } }.flatMap { SQLTokens($0).tokens }
        let names = Set((key + columns + used.compactMap(\.name)).map(asciiLowercased))
        let isSameKey = key.map { "\(SQLText.identifier($0)) = new.\(SQLText.identifier($0))" }.list(" AND ")
        let others = unique.map { terms, condition in
            let pairs = terms.map { term in
                let isExpression = SQLTokens(term).tokens.count > 1
                func whole(_ sql: String) -> String { isExpression ? "(\(sql))" : sql }
                return "\(whole(table.naming(term))) = \(whole(table.naming(term, "new.")))"
            }
            let conditions = condition.map { ["(\(table.naming($0)))", "(\(table.naming($0, "new.")))"] } ?? []
            return (pairs + conditions).list(" AND ")
        }
        (self.table, self.name, self.key, self.holds) = (table, name, key, holds)
        self.columns = table.columns.filter { names.contains(asciiLowercased($0.name)) }
        self.unique = unique.map(\.terms)
        told = key + columns.filter { name in !key.contains { isSameName($0, name) } }
        conflict = ([isSameKey] + Set(others).sorted()).list(" OR ")
    }

    private var side: String { SQLText.identifier("\(name)_gone") }
    private var own: String { SQLText.identifier(table.name) }

    private func list(_ names: [String]) -> String { names.map(SQLText.identifier).list(", ") }

    /// A condition on all columns of the key.
    private func each(_ form: (String) -> String) -> String {
        key.map { form(SQLText.identifier($0)) }.list(" AND ")
    }

    private func holds(_ prefix: String) -> String { holds(key.map { "\(prefix).\(SQLText.identifier($0))" }) }

    /// Copies rows of the table that have no copy yet.
    private func copying(_ condition: String) -> String {
        let all = list(columns.map(\.name))
        let hasCopy = "EXISTS (SELECT 1 FROM \(side) AS _copy WHERE \(each { "_copy.\($0) = \(own).\($0)" }))"
        return "INSERT INTO \(side) (\(all)) SELECT \(all) FROM \(own) WHERE (\(condition)) AND NOT \(hasCopy);"
    }

    private func trigger(
        _ event: RowTriggers.Event, of owner: String? = nil, when condition: String? = nil, _ statements: [String]
    ) -> Companion.Item {
        let name = "\(owner ?? name)_\(event.rawValue)"
        let table = owner.map(SQLText.identifier) ?? own
        let body = statements.map { "  \($0)\n" }.list("")
        let when = condition.map { "\n  WHEN \($0)" } ?? ""
        return Companion.Item(
            .trigger, name,
            "CREATE TRIGGER \(SQLText.identifier(name)) \(event.sql) ON \(table)\(when) BEGIN\n\(body)END")
    }

    func items(
        _ opening: (condition: String, statement: String)?, _ first: String?, _ added: (String) -> String,
        _ removed: String
    ) -> [Companion.Item] {
        let first = [first].compactMap { $0 }
        let (isNew, isOld) = (each { "\($0) = new.\($0)" }, each { "\($0) = old.\($0)" })
        let isGone = "NOT EXISTS (SELECT 1 FROM \(own) AS _row WHERE \(each { "_row.\($0) = \(side).\($0)" }))"
        func save(_ condition: String) -> String { copying("(\(condition)) AND \(holds(own))") }
        func tell(_ condition: String) -> String { "DELETE FROM \(side) WHERE \(condition);" }
        func exists(_ table: String, _ condition: String) -> String {
            "EXISTS (SELECT 1 FROM \(table) WHERE \(condition))"
        }
        let add = added("SELECT \(list(told)) FROM \(own) WHERE \(isNew) AND NOT \(holds("new"))")
        var updated = first + [tell("\(isOld) OR (\(conflict)) AND (\(isNew) OR \(isGone))"), add]
        let lost = table.ownReferences.map(loses)
        // A row that loses its reference is about to be written, or replaced, by the statement around.
        if !lost.isEmpty { updated.append(copying("\(isNew) AND (\(lost.list(" OR ")))")) }
        let all = list(columns.map(\.name))
        let events: [RowTriggers.Event] = opening == nil ? [] : [.openInsert, .openUpdate, .openDelete]
        return sideTable
            + [trigger(.afterDelete, of: "\(name)_gone", [removed])]
            + events.map { trigger($0, when: opening?.condition, [opening?.statement ?? ""]) }
            + [
                trigger(.beforeInsert, when: exists(own, conflict), [save(conflict)]),
                trigger(.afterInsert, first + [tell("(\(conflict)) AND (\(isNew) OR \(isGone))"), add]),
                trigger(
                    .beforeUpdate, when: "\(holds("old")) AND NOT \(exists(side, isOld))",
                    ["INSERT INTO \(side) (\(all)) SELECT \(all) FROM \(own) WHERE \(isOld);"]),
                trigger(
                    .beforeConflict, when: exists(own, "(\(conflict)) AND NOT (\(isOld))"),
                    [save("(\(conflict)) AND NOT (\(isOld))")]),
                trigger(.afterUpdate, updated),
                trigger(.afterDelete, first + [tell(isOld), removed]),
            ]
    }

    /// The condition that an update is the action of a foreign key of the table to itself, whose parent is gone or has
    /// another key.
    private func loses(_ reference: ForeignKeyDefinition) -> String {
        let parents = reference.parentColumns.isEmpty ? table.primaryKey : reference.parentColumns
        let pairs = zip(reference.columns, parents).map { (SQLText.identifier($0), SQLText.identifier($1)) }
        let changed = pairs.map { "old.\($0.0) IS NOT NULL AND new.\($0.0) IS NOT old.\($0.0)" }.list(" AND ")
        let isParent = pairs.map { "_parent.\($0.1) = old.\($0.0)" }.list(" AND ")
        return "\(changed) AND NOT EXISTS (SELECT 1 FROM \(own) AS _parent WHERE \(isParent))"
    }

    private var sideTable: [Companion.Item] {
        let definitions = columns.map { table.companion(of: $0).sql }
        let indexes = ([key.map(SQLText.identifier)] + unique).enumerated().map { number, terms in
            let name = "\(name)_gone_\(number + 1)"
            return Companion.Item(
                .index, name, "CREATE INDEX \(SQLText.identifier(name)) ON \(side) (\(terms.list(", ")))")
        }
        return [Companion.Item(.table, "\(name)_gone", "CREATE TABLE \(side) (\(definitions.list(", ")))")] + indexes
    }
}

extension TableDefinition {
    /// An expression on the table's columns with their names as they are written everywhere, such as with those of a
    /// trigger's new row.
    fileprivate func naming(_ sql: String, _ prefix: String = "") -> String {
        let text = SQLTokens(sql)
        return text.replacing { index in
            text.columnName(at: index).flatMap { column($0)?.name }.map { prefix + SQLText.identifier($0) }
        }
    }
}
