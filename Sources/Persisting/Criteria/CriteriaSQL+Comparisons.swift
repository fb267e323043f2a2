internal import Foundation

/// Comparisons.
extension CriteriaSQL {
    mutating func append(_ lhs: Operand, equals rhs: Operand, _ collation: Collation) throws {
        if case .value(.null) = rhs { return try append(isNull: lhs) }
        if case .value(.null) = lhs { return try append(isNull: rhs) }
        if let range = try range(lhs, .equal, rhs) { return append(range) }
        let isValue = if case .value = lhs { true } else if case .value = rhs { true } else { false }
        try appendRanged(lhs, .equal, rhs) { sql in
            try sql.append(lhs, isValue ? " = " : " IS ", rhs, collation)
        }
    }

    mutating func append(
        _ lhs: Operand, _ comparison: CriteriaNode.Comparison, _ rhs: Operand, _ collation: Collation
    ) throws {
        if let range = try range(lhs, comparison, rhs) { return append(range) }
        try appendRanged(lhs, comparison, rhs) { sql in
            try sql.append(lhs, " \(comparison.rawValue) ", rhs, collation, isOrder: true)
        }
    }

    mutating func append(
        _ lhs: Operand, _ sign: String, _ rhs: Operand, _ collation: Collation, isOrder: Bool = false
    ) throws {
        // Values of several classes are compared as they are stored: a column's affinity would change the other's.
        let isMixed = if let left = lhs.kind, let right = rhs.kind { left != right } else { false }
        if isMixed { text += "+" }
        try append(lhs, comparedWith: [rhs])
        text += isMixed ? sign + "+" : sign
        try nested(2) { sql in try sql.append(rhs, comparedWith: [lhs]) }
        let isText = [nil, .text, .any].contains(lhs.kind ?? rhs.kind)
        append(collation, unless: lhs.plainColumn ?? rhs.plainColumn, isOrder: isOrder && isText)
    }

    /// Adds an operand that is compared with others. A column of JSON that is compared with other texts, as of a type
    /// that is stored in its own way, has one form for each value, and an index serves.
    private mutating func append(_ operand: Operand, comparedWith others: [Operand]) throws {
        if case .value(.real(let real)) = operand, real.isFinite, others.contains(where: { $0.column?.json != nil }) {
            // SQLite reads a number of JSON less exactly than Swift does: so it reads both.
            text += "json_extract(?, '$')"
            return bind(.text("\(real)"))
        }
        guard case .column(let column) = operand else { return try append(operand) }
        let isPlain =
            column.isNormalized
            ? others.allSatisfy { if case .value(let value) = $0 { !value.mayBeJSON } else { false } }
            : try forms.areNumeric(column)
        if isPlain { append(plain: column) } else { try append(operand) }
    }

    /// Adds a column as it is stored.
    private mutating func append(plain column: ColumnOperand) {
        noteJSON(column)
        text += column.sql
    }

    /// Says the collation where SQLite would take another, or another order.
    mutating func append(_ collation: Collation, unless column: ColumnOperand?, isOrder: Bool = false) {
        if forms.isUTF16, isOrder, collation == .binary {
            text += " COLLATE UTF8"
        } else if column.map({ collation != $0.ownCollation }) ?? (collation != .binary) {
            text += " COLLATE \(SQLText.identifier(collation.rawValue))"
        }
    }

    /// Adds a comparison, and before it what an index can find of it where a column holds dates in several forms.
    private mutating func appendRanged(
        _ lhs: Operand, _ comparison: CriteriaNode.Comparison, _ rhs: Operand,
        _ write: (inout CriteriaSQL) throws -> Void
    ) throws {
        let isRanged =
            switch (lhs, rhs, comparison) {
            case (.column, .value(let value), .equal): try appendRanges(of: lhs, from: value, to: value)
            case (.value(let value), .column, .equal): try appendRanges(of: rhs, from: value, to: value)
            case (.column, .value(let value), .greater), (.column, .value(let value), .greaterOrEqual):
                try appendRanges(of: lhs, from: value, to: nil)
            case (.column, .value(let value), .less), (.column, .value(let value), .lessOrEqual):
                try appendRanges(of: lhs, from: nil, to: value)
            case (.value(let value), .column, .greater), (.value(let value), .column, .greaterOrEqual):
                try appendRanges(of: rhs, from: nil, to: value)
            case (.value(let value), .column, .less), (.value(let value), .column, .lessOrEqual):
                try appendRanges(of: rhs, from: value, to: nil)
            default: false
            }
        try write(&self)
        if isRanged { text += ")" }
    }

    /// What is stored is asked, and not what the class makes of it: an index on the column serves.
    private mutating func append(isNull operand: Operand) throws {
        if case .column(let column) = operand { append(plain: column) } else { try append(operand) }
        text += " IS NULL"
    }

    mutating func append(_ operand: Operand, in values: [SQLiteValue], _ collation: Collation) throws {
        // Whether several numbers may be read as one of the values.
        let isRounded = try values.contains { try range(operand, .equal, .value($0)) != nil }
        if isRounded, values.count <= Self.widest {
            return try append(.or(values.map { .isEqual(operand, .value($0), collation) }))
        }
        let present = values.filter { !$0.isNull }
        // IN never finds NULL.
        let hasNull = present.count < values.count
        if hasNull { text += "(" }
        let order = present.sorted { $0.compared(with: $1, .binary) < 0 }
        let isRanged = try appendRanges(of: operand, from: order.first, to: order.last)
        if isRounded, case .column(let column) = operand, case .rounded(let rounding) = column.comparedForm {
            text += rounding == .float && !forms.canCall ? column.sql : rounding.sql(column.sql)
        } else {
            try append(operand, comparedWith: present.map { .value($0) })
        }
        append(collation, unless: operand.plainColumn)
        if present.count > Self.longest {
            let (list, element) = Self.json(present)
            text += " IN (SELECT \(element) FROM json_each(?))"
            bind(.text(list))
        } else {
            text += " IN (" + Array(repeating: "?", count: present.count).joined(separator: ", ") + ")"
            for value in present { bind(value) }
        }
        if isRanged { text += ")" }
        guard hasNull else { return }
        text += " OR "
        try append(.isEqual(operand, .value(.null), collation))
        text += ")"
    }

    /// How many values are a parameter each, of which SQLite takes only so many. A longer list is one, as JSON.
    private static let longest = 500

    /// A list as JSON, and what its elements are read by.
    private static func json(_ values: [SQLiteValue]) -> (list: String, element: String) {
        let plain = values.compactMap(plainJSON)
        if plain.count == values.count { return ("[\(plain.joined(separator: ","))]", "value") }
        // JSON does not give these back to the bit.
        return ("[\(values.compactMap(\.listed).map { "\"\($0)\"" }.joined(separator: ","))]", "sqlitekit_value(value)")
    }

    /// A value as an element of a JSON array; nil for one that JSON doesn't give back to the bit.
    static func plainJSON(_ value: SQLiteValue) -> String? {
        switch value {
        case .integer(let integer): "\(integer)"
        case .text(let text): text.utf8.contains(0) ? nil : quotedJSON(text)
        case .real, .blob, .null: nil
        }
    }

    private static func quotedJSON(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return "\"\(text)\"" }
        let hex = Array("0123456789ABCDEF".unicodeScalars)
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted.append(contentsOf: ["\\", scalar])
            case _ where scalar.value < 0x20:
                quoted.append(contentsOf: "\\u00".unicodeScalars)
                quoted.append(contentsOf: [hex[Int(scalar.value >> 4)], hex[Int(scalar.value & 15)]])
            default: quoted.append(scalar)
            }
        }
        quoted.append("\"")
        return String(quoted)
    }
}

extension Operand {
    /// The column that the operand is, whose collation SQLite takes.
    var plainColumn: ColumnOperand? { if case .column(let column) = self { column } else { nil } }
}
