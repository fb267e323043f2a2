/// SQL with operands, conditions and values in it, each written where it stands.
///
/// ```swift
/// try sql.write("CASE WHEN \(condition, 5) THEN \(bound: value) END")
/// ```
///
/// The number after a part is how many places of SQLite's parser wait for it.
struct CriteriaText: ExpressibleByStringInterpolation {
    fileprivate enum Part {
        case text(String)
        case operand(Operand, places: Int)
        case condition(Condition, places: Int)
        case value(SQLiteValue)
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            parts.reserveCapacity(2 * interpolationCount + 1)
        }

        mutating func appendLiteral(_ sql: String) { parts.append(.text(sql)) }
        mutating func appendInterpolation(_ sql: String) { parts.append(.text(sql)) }
        mutating func appendInterpolation(bound value: SQLiteValue) { parts.append(.value(value)) }

        mutating func appendInterpolation(_ operand: Operand, _ places: Int = 0) {
            parts.append(.operand(operand, places: places))
        }

        mutating func appendInterpolation(_ condition: Condition, _ places: Int = 0) {
            parts.append(.condition(condition, places: places))
        }
    }

    fileprivate let parts: [Part]

    init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
    init(stringLiteral sql: String) { parts = [.text(sql)] }
}

extension CriteriaSQL {
    /// Adds SQL with what stands in it.
    mutating func write(_ text: CriteriaText) throws {
        for part in text.parts {
            switch part {
            case .text(let sql): append(sql)
            case .operand(let operand, let places): try nested(places) { sql in try sql.append(operand) }
            case .condition(let condition, let places): try nested(places) { sql in try sql.append(condition) }
            case .value(let value):
                append("?")
                bind(value)
            }
        }
    }
}
