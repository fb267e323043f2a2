/// A way to run the tests, on a file with the tables T1, T2 and T3. T3 has indexes on A and B.
protocol ClassicStore {
    init(path: String) throws

    /// Inserts rows into T1, each in its own transaction.
    func insertSingly(_ rows: [ClassicValues]) throws
    func insertIntoT2(_ rows: [ClassicValues]) throws
    func insertIntoT3(_ rows: [ClassicValues]) throws
    /// The averages of T2 for ranges of B.
    func averagesOfT2(_ ranges: [Range<Int>]) throws -> [ClassicAverage]
    /// The averages of T2 for texts that C contains.
    func averagesOfT2(containing texts: [String]) throws -> [ClassicAverage]
    /// The averages of T3 for ranges of B.
    func averagesOfT3(_ ranges: [Range<Int>]) throws -> [ClassicAverage]
    /// Doubles B in T1, for ranges of A.
    func double(_ ranges: [Range<Int>]) throws
    /// Sets B in T3, in the rows whose A counts from 1.
    func setB(_ values: [Int]) throws
    /// Sets C in T3, in the same way.
    func setC(_ values: [String]) throws
    /// Copies T3 into T1 with A and B exchanged, and then T1 into T3.
    func exchange() throws
    /// Deletes the rows of T3 in which C contains a text.
    func delete(containing text: String) throws
    /// Deletes the rows of T3 whose A is in a range.
    func delete(_ range: Range<Int>) throws
    /// Copies T1 into T3.
    func copy() throws
    /// Deletes all rows of T1 and inserts others, in one transaction.
    func replace(_ rows: [ClassicValues]) throws
    /// Deletes all rows.
    func clear() throws
}

/// The SQL of the tests that no library expresses without it.
enum ClassicSQL {
    static let exchange = [
        "INSERT INTO T1 (A, B, C) SELECT B, A, C FROM T3", "INSERT INTO T3 (A, B, C) SELECT B, A, C FROM T1",
    ]
    static let copy = "INSERT INTO T3 (A, B, C) SELECT A, B, C FROM T1"
}
