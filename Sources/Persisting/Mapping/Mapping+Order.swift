internal import Foundation

extension Mapping {
    /// Throws for an order by SQLite of a column whose values it does not know as Swift does.
    func checkOrder(_ column: Column) throws {
        guard column.codec.keepsOrder else {
            throw PersistenceError(
                .unsupportedType,
                "the column \(column.name) is declared .bitPattern, and SQLite orders bits as signed numbers: it can "
                    + "be asked for equal values alone", model: modelName, key: column.key, found: column.type)
        }
    }

    /// Throws for a sum or an average of what isn't a number.
    func checkIsNumber(_ column: Column) throws {
        let type = unwrapped(column.type)
        let isNumber = [.integer, .real].contains(column.codec.columnType) && type != Date.self && type != Bool.self
        guard column.codec.keepsSums, isNumber || type == Decimal.self else {
            throw PersistenceError(
                .unsupportedType,
                "a sum or an average needs numbers" + (column.codec.keepsSums ? "" : " that are stored as they are"),
                model: modelName, key: column.key,
                found: column.type)
        }
    }
}
