/// One of the tests, by its number on SQLite's page. Test 6, which creates indexes, isn't one for object stores: they
/// have their indexes from the start.
struct ClassicTest {
    let number: Int
    let name: String
    let run: (any ClassicStore) throws -> [ClassicAverage]

    private init(_ number: Int, _ name: String, _ run: @escaping (any ClassicStore) throws -> [ClassicAverage]) {
        self.number = number
        self.name = name
        self.run = run
    }

    private init(_ number: Int, _ name: String, writing run: @escaping (any ClassicStore) throws -> Void) {
        self.init(number, name) { store in
            try run(store)
            return []
        }
    }

    static func all(_ data: ClassicData) -> [ClassicTest] {
        func counted(_ values: [some Any], _ what: String) -> String { "\(values.count.grouped) \(what)" }
        return [
            ClassicTest(1, counted(data.few, "INSERTs"), writing: { try $0.insertSingly(data.few) }),
            ClassicTest(
                2, counted(data.unindexed, "INSERTs in a transaction"),
                writing: { try $0.insertIntoT2(data.unindexed) }),
            ClassicTest(
                3, counted(data.indexed, "INSERTs into an indexed table"),
                writing: { try $0.insertIntoT3(data.indexed) }),
            ClassicTest(4, counted(data.wideRanges, "SELECTs without an index")) {
                try $0.averagesOfT2(data.wideRanges)
            },
            ClassicTest(5, counted(data.parts, "SELECTs on a string comparison")) {
                try $0.averagesOfT2(containing: data.parts)
            },
            ClassicTest(7, counted(data.narrowRanges, "SELECTs with an index")) {
                try $0.averagesOfT3(data.narrowRanges)
            },
            ClassicTest(
                8, counted(data.doubled, "UPDATEs without an index"), writing: { try $0.double(data.doubled) }),
            ClassicTest(9, counted(data.numbers, "UPDATEs with an index"), writing: { try $0.setB(data.numbers) }),
            ClassicTest(10, counted(data.words, "text UPDATEs with an index"), writing: { try $0.setC(data.words) }),
            ClassicTest(11, "INSERTs from a SELECT", writing: { try $0.exchange() }),
            ClassicTest(12, "DELETE without an index", writing: { try $0.delete(containing: "fifty") }),
            ClassicTest(13, "DELETE with an index", writing: { try $0.delete(data.deleted) }),
            ClassicTest(14, "A big INSERT after a big DELETE", writing: { try $0.copy() }),
            ClassicTest(
                15, counted(data.replacement, "small INSERTs after a big DELETE"),
                writing: { try $0.replace(data.replacement) }),
            ClassicTest(16, "Clear the tables", writing: { try $0.clear() }),
        ]
    }
}
