/// What an INSERT writes, and asks for.
struct InsertShape: Hashable, Sendable {
    /// What it does about a conflicting row. Of an upsert, the columns that it writes there are all named.
    let conflict: InsertConflict
    /// Whether a row with the key comes before any other conflicting one.
    var isKeyFirst = false
    /// The columns that are left to the table.
    let omitted: ColumnSet
    /// The columns that come back.
    let returned: ColumnSet
    /// The forms that columns of dates hold, where they are not the class's own.
    var dates: [Int: DateForm] = [:]
    /// Whether the kind is the parameter after the others: that of a row whose kind belongs to no class.
    var bindsKind = false
    /// How many rows it inserts.
    var rows = 1

    /// That of a row in which everything is written.
    static let ofAll = InsertShape(conflict: .abort, omitted: ColumnSet(), returned: ColumnSet())
}

/// The text of an INSERT, with the columns of its parameters and of the row that it returns.
final class InsertText: Sendable {
    let shape: InsertShape
    let sql: CachedSQL
    let bound: ColumnSet
    let returned: ColumnSet

    /// - Parameter kind: How the row of a class that shares its table is marked.
    init(
        _ shape: InsertShape, table: String, name: String, columns: [String], key: [Int], countVersion: String?,
        kind: KindMark?
    ) {
        self.shape = shape
        returned = shape.returned
        bound = ColumnSet(columns.indices).subtracting(shape.omitted)
        let kindValue = shape.bindsKind ? "?\(bound.count + 1)" : kind?.value
        let kind = kind.flatMap { kind in
            kindValue.map { KindMark(column: kind.column, value: $0, rows: kind.rows) }
        }
        // A failure that leaves the rows before needs no copy of the pages that several rows change: with indexes, the
        // copies would take longer than the statements that are saved.
        let verb = shape.conflict == .replace ? "INSERT OR REPLACE" : shape.rows > 1 ? "INSERT OR FAIL" : "INSERT"
        // The new values of an upsert go by a name that the table may have.
        let isNamed = if case .update = shape.conflict { asciiLowercased(name) == "excluded" } else { false }
        var text = "\(verb) INTO \(table) \(isNamed ? "AS stored " : "")"
        let written = bound.map { columns[$0] } + [kind?.column].compactMap { $0 }
        if !written.isEmpty {
            text += "(\(written.list(", "))) VALUES ("
            let values = (bound.map { shape.dates.parameter($0) } + [kind?.value].compactMap { $0 }).list(", ")
            text += Array(repeating: values, count: shape.rows).list("), (") + ")"
        } else {
            // The grammar has no conflict clause after DEFAULT VALUES.
            let isPlain = shape.conflict == .abort || shape.conflict == .replace
            text += isPlain ? "DEFAULT VALUES" : "(_rowid_) VALUES (NULL)"
        }
        switch shape.conflict {
        case .abort, .replace: break
        case .ignore: text += " ON CONFLICT DO NOTHING"
        case .update(let upsert):
            let settings = Self.settings(upsert, shape, bound, columns, key, countVersion)
            // A row never changes its class.
            let rows = shape.bindsKind ? kind.map { "\($0.column) = \($0.value)" } : kind?.rows
            let ofClass = rows.map { " WHERE \($0)" } ?? ""
            for target in upsert.targets(keyFirst: shape.isKeyFirst ? key : nil) {
                let names = target.columns.map { " (\($0.map { columns[$0] }.list(", ")))" } ?? ""
                let condition = target.condition.map { " WHERE \($0)" } ?? ""
                text += " ON CONFLICT\(names)\(condition) DO UPDATE SET \(settings)\(ofClass)"
            }
        }
        sql = CachedSQL(text + (returned.isEmpty ? "" : " RETURNING " + returned.map { columns[$0] }.list(", ")))
    }

    /// What an upsert sets in a row that is there.
    private static func settings(
        _ upsert: UpsertColumns, _ shape: InsertShape, _ bound: ColumnSet, _ columns: [String], _ key: [Int],
        _ countVersion: String?
    ) -> String {
        func value(_ index: Int, of column: String) -> String {
            // The date that was bound: the one in the new row may be written with less of the time than the old has.
            guard shape.dates[index] != nil, let place = bound.enumerated().first(where: { $0.element == index }) else {
                return "excluded.\(column)"
            }
            return shape.dates.parameter(index, over: column, as: "?\(place.offset + 1)")
        }
        let updated = columns.indices.filter { upsert.written?.contains($0) == true }
        guard updated.isEmpty else {
            let settings = updated.map { "\(columns[$0]) = \(value($0, of: columns[$0]))" }
            return (settings + [countVersion].compactMap { $0 }).list(", ")
        }
        // To write a column as it is makes SQLite return the row, which DO NOTHING would not.
        let unchanged = columns[bound.first { !key.contains($0) } ?? key.first ?? 0]
        return "\(unchanged) = \(unchanged)"
    }
}

extension UpsertColumns {
    /// The conflicting rows: which columns are the same, and of which rows. Nil is any.
    ///
    /// - Parameter key: The columns of the key, where a row with it comes before others.
    fileprivate func targets(keyFirst key: [Int]?) -> [(columns: [Int]?, condition: String?)] {
        if let key { return [(key, nil), (nil, nil)] }
        return conditions.isEmpty ? [(target, nil)] : conditions.map { (target, $0) }
    }
}
