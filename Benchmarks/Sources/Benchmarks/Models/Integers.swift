import Persisting

/// Ten integers.
final class Integers: PersistingModel {
    var id: Int64?
    var a = 0
    var b = 0
    var c = 0
    var d = 0
    var e = 0
    var f = 0
    var g = 0
    var h = 0
    var i = 0

    static let create = """
        CREATE TABLE INTEGERS (
            ID INTEGER PRIMARY KEY, A INTEGER NOT NULL, B INTEGER NOT NULL, C INTEGER NOT NULL, D INTEGER NOT NULL,
            E INTEGER NOT NULL, F INTEGER NOT NULL, G INTEGER NOT NULL, H INTEGER NOT NULL, I INTEGER NOT NULL
        )
        """
    static let select = "SELECT ID, A, B, C, D, E, F, G, H, I FROM INTEGERS"

    /// Fills the table.
    static func fill(_ count: Int, seed: UInt64 = 0) -> String {
        """
        WITH RECURSIVE N(X) AS (VALUES(1) UNION ALL SELECT X + 1 FROM N LIMIT \(count))
        INSERT INTO INTEGERS
        SELECT X, X & 255, X * 7, X * 1000003, -X, X * X, X % 10, X << 20, X / 3, X + \(seed % 1_000_000) FROM N
        """
    }
}

extension Integers: Summed {
    func add(to sum: inout Checksum) {
        sum.add(id)
        for value in [a, b, c, d, e, f, g, h, i] { sum.add(value) }
    }
}

extension FloorStatement {
    /// The object of a row of `Integers.select`.
    @inline(__always)
    func integers() -> Integers {
        let object = Integers()
        object.id = int64(0)
        object.a = required(1)
        object.b = required(2)
        object.c = required(3)
        object.d = required(4)
        object.e = required(5)
        object.f = required(6)
        object.g = required(7)
        object.h = required(8)
        object.i = required(9)
        return object
    }
}

extension FloorConnection {
    /// All objects.
    func integers() throws -> [Integers] {
        let statement = try prepare(Integers.select)
        defer { statement.finalize() }
        var objects: [Integers] = []
        while try statement.step() { objects.append(statement.integers()) }
        return objects
    }
}
