import Persisting

/// A row of the tests: two numbers, and the second one in words.
class ClassicRow: PersistingModel {
    var id: Int64?
    var a = 0
    var b = 0
    var c = ""
}

final class T1: ClassicRow {}

final class T2: ClassicRow {}

final class T3: ClassicRow {
    override class var indexes: [Index] { [Index("a"), Index("b")] }
}

extension ClassicRow {
    convenience init(_ values: ClassicValues) {
        self.init()
        a = values.a
        b = values.b
        c = values.c
    }
}
