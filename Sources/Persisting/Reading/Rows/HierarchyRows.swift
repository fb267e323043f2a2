internal import SQLiteKit

/// Makes objects of the rows of several classes that share a table, each of the class that its row's kind names.
final class HierarchyRows {
    private let manager: PersistenceManager
    /// The class that was asked for.
    private let mapping: Mapping
    private let place: HierarchyPlace
    private let source: Source
    private let group: SiblingGroup?
    private var names: ColumnNames?
    /// Where the rows have the kind.
    private var position = 0
    /// The kinds that have been met. Rows of one follow each other as a rule.
    private var members: [Member] = []
    private var last = 0

    /// How the rows are read.
    struct Source {
        let prefix: String
        let partial, tracked: Bool
        let expected: Int?
        var fetch = FetchTraits()
        var group: SiblingGroup?
    }

    /// The rows of one kind.
    private final class Member {
        let kind: String
        var rows: RowObjects

        init(_ kind: String, _ rows: consuming RowObjects) {
            self.kind = kind
            self.rows = rows
        }
    }

    init(_ manager: PersistenceManager, _ mapping: Mapping, _ place: HierarchyPlace, _ source: Source) {
        self.manager = manager
        self.mapping = mapping
        self.place = place
        self.source = source
        // Objects of all classes share what they load.
        group = source.group ?? (source.fetch.isTogether ? SiblingGroup() : nil)
    }

    /// The object of a row.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKind``, ``PersistenceError/Code/missingColumn``, and what
    ///   ``Mapping/fill(_:from:trackedRows:fields:column:)`` throws.
    func object(of row: some ColumnSource, _ names: ColumnNames) throws -> PersistingModel {
        if self.names !== names { try begin(names) }
        let kind = try row.value(at: position)
        guard case .text(let kind) = kind else { throw mapping.unknownKind(kind, place) }
        if last >= members.count || members[last].kind != kind {
            last = try members.firstIndex { $0.kind == kind } ?? add(kind, names)
        }
        return try members[last].rows.member(of: row)
    }

    private func begin(_ names: ColumnNames) throws {
        let column = source.prefix + place.table.kindColumn.name
        guard let position = names.index(of: column) else {
            throw PersistenceError(
                .missingColumn,
                "the row has no column \(column), which says of what class it is; it has: "
                    + names.names.joined(separator: ", "),
                model: mapping.modelName, key: place.table.kindColumn.key)
        }
        self.names = names
        self.position = position
        members = []
    }

    private func add(_ kind: String, _ names: ColumnNames) throws -> Int {
        let member = try mapping.member(ofKind: kind)
        let layout = try member.layout(in: names, prefix: source.prefix, partial: source.partial)
        let rows = RowObjects(
            manager, member.modelType, member, layout, tracked: source.tracked, expecting: source.expected,
            fetch: source.fetch, group: group)
        members.append(Member(kind, rows))
        return members.count - 1
    }
}
