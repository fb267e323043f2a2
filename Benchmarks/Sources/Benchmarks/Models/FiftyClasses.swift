import Persisting

/// One of fifty classes with a table each.
final class Cell<Row, Column>: Named {
    override class var tableName: String { "CELL_\(Row.self)_\(Column.self)" }
}

/// The same, with a column more.
final class WiderCell<Row, Column>: Named {
    var color: String?

    override class var tableName: String { "CELL_\(Row.self)_\(Column.self)" }
}

enum Fifty {
    private enum A {}
    private enum B {}
    private enum C {}
    private enum D {}
    private enum E {}
    private enum F {}
    private enum G {}
    private enum H {}
    private enum I {}
    private enum J {}

    static let all: [PersistingModel.Type] =
        cells(A.self) + cells(B.self) + cells(C.self) + cells(D.self) + cells(E.self)

    static let wider: [PersistingModel.Type] =
        widerCells(A.self) + widerCells(B.self) + widerCells(C.self) + widerCells(D.self) + widerCells(E.self)

    private static func cells<Row>(_ row: Row.Type) -> [PersistingModel.Type] {
        [
            Cell<Row, A>.self, Cell<Row, B>.self, Cell<Row, C>.self, Cell<Row, D>.self, Cell<Row, E>.self,
            Cell<Row, F>.self, Cell<Row, G>.self, Cell<Row, H>.self, Cell<Row, I>.self, Cell<Row, J>.self,
        ]
    }

    private static func widerCells<Row>(_ row: Row.Type) -> [PersistingModel.Type] {
        [
            WiderCell<Row, A>.self, WiderCell<Row, B>.self, WiderCell<Row, C>.self, WiderCell<Row, D>.self,
            WiderCell<Row, E>.self, WiderCell<Row, F>.self, WiderCell<Row, G>.self, WiderCell<Row, H>.self,
            WiderCell<Row, I>.self, WiderCell<Row, J>.self,
        ]
    }
}
