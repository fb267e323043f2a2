/// The values of the columns by which related rows are found, and none is NULL.
enum RelationKey: Hashable, Sendable {
    case integer(Int64)
    case values([SQLiteValue])

    /// - Returns: Nil with a NULL among the values, which is no one's key.
    init?(_ values: [SQLiteValue]) {
        if values.contains(where: \.isNull) { return nil }
        if values.count == 1, case .integer(let integer) = values[0] {
            self = .integer(integer)
        } else {
            self = .values(values)
        }
    }

    var values: [SQLiteValue] {
        switch self {
        case .integer(let integer): [.integer(integer)]
        case .values(let values): values
        }
    }
}

extension Mapping {
    /// The key that an object's properties hold in some columns; nil with a NULL among them.
    func relationKey(_ columns: [Int], of object: PersistingModel) throws -> RelationKey? {
        if columns.count == 1 {
            let field = fields[columns[0]]
            switch field.kind {
            case .int64: return .integer(Memory(object).read(Int64.self, at: field.offset))
            case .optionalInt64: return Memory(object).read(Int64?.self, at: field.offset).map { .integer($0) }
            default: break
            }
        }
        return try RelationKey(columns.map { try stored($0, of: object) })
    }

    /// The key that tracked values hold in some columns, all of which it must have; nil with a NULL among them.
    func relationKey(_ columns: [Int], in trackedValues: Memory) throws -> RelationKey? {
        if columns.count == 1 {
            let field = fields[columns[0]]
            switch field.kind {
            case .int64: return .integer(trackedValues.read(Int64.self, at: field.trackedOffset))
            case .optionalInt64: return trackedValues.read(Int64?.self, at: field.trackedOffset).map { .integer($0) }
            default: break
            }
        }
        return try RelationKey(columns.map { try stored($0, in: trackedValues) })
    }
}
