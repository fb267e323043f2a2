/// Which class each row of a file belongs to, of those that share a table.
final class ImportKinds {
    /// The place of a row that is left out, as the base class's ``PersistingModel/unknownKind`` says.
    static let skipped = -1

    private let mapping: Mapping
    private let place: HierarchyPlace
    /// The keys of the class, and those of the classes that inherit from it.
    let members: [ImportKeys]
    /// The kind that was met last, and its place. Rows of one follow each other as a rule.
    private var last: (kind: String, place: Int)?

    /// - Parameter members: Those of ``Mapping/members``.
    /// - Returns: Nil for a class that has a table of its own.
    init?(_ mapping: Mapping, _ members: [ImportKeys]) {
        guard let place = mapping.place else { return nil }
        self.mapping = mapping
        self.place = place
        self.members = members
    }

    /// The place of the row's class among ``members``; the one after them for a row of an unknown kind that becomes an
    /// object of the base class, and ``skipped`` for one that is left out.
    ///
    /// - Parameter value: The row's kind. Without one it is of the class that is imported.
    /// - Throws: ``ImportFault``.
    func place(of value: ImportValue) throws -> Int {
        if value.kind == .null { return 0 }
        let kind = value.text
        if let last, last.kind == kind { return last.place }
        let found: Int
        do {
            let member = try mapping.member(ofKind: kind)
            let isKept = member === mapping && kind != place.kind
            found = isKept ? members.count : members.firstIndex { $0.mapping.modelType == member.modelType } ?? 0
        } catch let error as PersistenceError {
            let base = place.table.hierarchy.base
            let isUnknown = base == mapping.modelType && !place.table.kinds.contains(kind)
            guard isUnknown, base.unknownKind == .skipped else {
                throw ImportFault(
                    ImportProblem(reason: error.message), column: members[0].kindIndex, underlying: error)
            }
            found = Self.skipped
        }
        last = (kind, found)
        return found
    }
}
