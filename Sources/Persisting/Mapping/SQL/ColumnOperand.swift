/// A column that a condition names. A mapping has one for each of its columns, and conditions refer to it.
final class ColumnOperand: Sendable {
    /// The column, or the expression for bits of one.
    let sql: String
    let column: Column
    let index: Int
    /// The bits of the column that are asked for.
    let mask: Int64?
    /// The value inside of the column that is asked for, where the column is JSON.
    let json: JSONTerm?
    /// What has the JSON in SQL: the column, or an element of a list.
    let source: String
    let collation: Collation
    /// That which SQLite gives the column by itself; nil where tables differ. A column of decimal numbers had DECIMAL
    /// once, and has none now.
    let ownCollation: Collation?
    let affinity: Affinity
    let kind: Kind
    /// How SQL compares the column's values as the class does.
    let comparedForm: ComparedForm
    /// The subclass that has the column, and where; nil for one of the class's own.
    let home: (mapping: Mapping, index: Int)?

    /// What kind of values a column has.
    enum Kind: String {
        case number, text, blob, any
        /// A number in a text.
        case decimal

        init(_ type: ColumnType, _ affinity: Affinity) {
            self =
                switch affinity {
                case _ where type == .decimal: .decimal
                case .integer, .real: .number
                case .text: .text
                case .blob where type.rawValue.isEmpty: .any
                case .blob: .blob
                case .numeric: .any
                }
        }
    }

    /// The index of what isn't a column of the class: a column of a subclass, or an element of a list.
    static let nowhere = Int.max

    /// The same for a class that doesn't have it.
    convenience init(nowhere operand: ColumnOperand, of subclass: Mapping) {
        self.init(
            operand.sql, operand.column, index: Self.nowhere, mask: operand.mask, collation: operand.collation,
            json: operand.json.map { ($0, operand.source) }, home: (subclass, operand.index))
    }

    /// Whether JSON is compared as the class would write it.
    var isNormalized: Bool { if case .normalized = comparedForm { true } else { false } }

    /// A whole column, or a value inside of one, of a table that has a name.
    func qualified(by table: String) -> ColumnOperand {
        if let json { return ColumnOperand(json, in: "\(table).\(source)", index: index) }
        return ColumnOperand("\(table).\(sql)", column, index: index, collation: collation)
    }

    /// - Parameters:
    ///   - sql: The column's name as SQL writes it, or an expression.
    ///   - collation: That of the column in the table; nil for what `column` says.
    init(
        _ sql: String, _ column: Column, index: Int, mask: Int64? = nil, collation: Collation? = nil,
        json: (term: JSONTerm, source: String)? = nil, home: (mapping: Mapping, index: Int)? = nil
    ) {
        self.sql = sql
        self.home = home
        self.column = column
        self.index = index
        self.mask = mask
        self.json = json?.term
        source = json?.source ?? sql
        let type = column.codec.columnType
        let known = collation ?? column.declaration.collation ?? (type == .decimal ? .decimal : .binary)
        self.collation = known
        ownCollation = known == .decimal && type == .decimal ? nil : known
        affinity = Affinity(type)
        kind = Kind(type, affinity)
        comparedForm = mask == nil ? column.codec.comparedForm : .stored
    }
}

extension Mapping {
    /// The columns of a key that no object of the class has, but those of subclasses in the same table: of a property,
    /// bits of one or a value inside of JSON. None for any other key, and several where subclasses have columns of their
    /// own for it. They have no place among the class's own columns.
    func columnsOfSubclasses(_ key: String) -> [ColumnOperand] {
        guard let place, !place.subclasses.isEmpty, (try? columnOperand(key)) == nil else { return [] }
        var known: Set<String> = []
        return place.subclasses.compactMap { _, mapping in
            guard let operand = try? mapping.columnOperand(key), known.insert(operand.sql).inserted else { return nil }
            return ColumnOperand(nowhere: operand, of: mapping)
        }
    }

    /// The column of a key that only subclasses have; nil for any other key.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey`` where they have several.
    func columnOfSubclass(_ key: String) throws -> ColumnOperand? {
        let operands = columnsOfSubclasses(key)
        guard operands.count > 1 else { return operands.first }
        throw PersistenceError(
            .unknownKey,
            "\(key) is a property of several subclasses, which have the columns "
                + "\(operands.map(\.column.name).joined(separator: " and ")) for it: ask one of the subclasses",
            model: modelName, key: key)
    }

    /// The column, or the bits of one, that a key stands for in a condition.
    func columnOperand(_ key: String) throws -> ColumnOperand {
        guard let virtual = virtualKeys[key] else {
            if let term = jsonTerm(ofKey: key) { return try columnOperand(term) }
            return operands[try index(ofKey: key)]
        }
        let (sql, column) = try operand(ofKey: key)
        if case .bits(let mask) = virtual.kind {
            return ColumnOperand(sql, column, index: virtual.index, mask: mask, collation: .binary)
        }
        return ColumnOperand(sql, column, index: virtual.index, collation: operands[virtual.index].collation)
    }
}
