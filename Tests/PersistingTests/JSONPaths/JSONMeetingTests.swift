import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private final class Visit: PersistingModel {
    var id: Int64?
    var readerID: Int64?
    var place = ReaderSettings()

    override class var relations: Relations { ["reader": reader] }
    static let reader = ToOne(\Visit.readerID, JSONReader.self)
    override class var columns: Columns { ["ID": .int, "READER_ID": .int, "PLACE": .json] }
}

@Suite("Values inside of JSON and other features")
struct JSONMeetingTests {
    @Test("wake who watches the rows", .local(.connection))
    func observation() async throws {
        let manager = try readers({ _ in }, { $0.settings.theme = "dark" })
        var ids = manager.observe(JSONReader.where(\.settings.theme == "dark").sorted(by: \.id)).makeAsyncIterator()
        #expect(try await ids.next()?.map(\.id) == [2])
        try await manager.update(JSONReader.where(\.id == 1), \.settings.theme, to: "dark")
        #expect(try await ids.next()?.map(\.id) == [1, 2])
        try await manager.update(JSONReader.where(\.settings.theme == "dark" && \.id == 2), \.settings.theme, to: "x")
        #expect(try await ids.next()?.map(\.id) == [1])
    }

    @Test("have an index advised, which then serves", .local(.connection))
    func lint() throws {
        let manager = try readers()
        try manager.insert((0..<30).map { _ in JSONReader() })
        func remedies(_ query: Query<JSONReader>) throws -> [String?] {
            try manager.lint(query, minimumRows: 20).map(\.remedy)
        }
        func declaring(_ index: String) -> String {
            "JSONReader: override class var indexes: [Index] { [\(index)] }"
        }
        let dark = JSONReader.where(\.settings.theme == "dark")
        #expect(try remedies(dark) == [declaring(#"Index(\JSONReader.settings.theme)"#)])
        #expect(try remedies(JSONReader.where(\.sparse.level > 7)) == [declaring(#"Index(\JSONReader.sparse.level)"#)])
        let both = JSONReader.where(\.name == "a" && \.settings.font.size > 3)
        #expect(try remedies(both) == [declaring(#"Index(\JSONReader.name, \.settings.font.size)"#)])
        try manager.run(
            "CREATE INDEX CURE ON READER "
                + #"(CASE WHEN json_valid(SETTINGS) THEN json_extract(SETTINGS, '$."theme"') END)"#)
        #expect(try remedies(dark).isEmpty)
    }

    @Test("are asked of related rows")
    func relations() throws {
        let manager = try readers({ $0.settings.theme = "dark" }, { $0.settings.tags = ["a"] })
        try manager.createTableIfNecessary(for: Visit.self)
        for reader in [1, 2, 2] as [Int64] {
            let visit = Visit()
            visit.readerID = reader
            visit.place.font.size = Double(reader)
            try manager.insert(visit)
        }
        func ids(_ criteria: Criteria<Visit>) throws -> [Int64?] {
            try manager.fetchAll(Visit.where(criteria).sorted(by: \.id)).map(\.id)
        }
        #expect(try ids(Visit.reader.matches(\.settings.theme == "dark")) == [1])
        #expect(try ids(Visit.reader.matches(\.settings.theme != "dark")) == [2, 3])
        #expect(try ids(!Visit.reader.matches(\.settings.theme == nil)) == [1, 2, 3])
        #expect(try ids(Visit.reader.matches(.any(\.settings.tags, \.self == "a")) && \.place.font.size > 1) == [2, 3])
        #expect(try ids(!Visit.reader.matches(.contains(\.settings.tags, "a"))) == [1])
    }

    @Test("order pages, streams and sections")
    func reading() throws {
        let manager = try readers(
            { $0.settings.font.size = 3 }, { $0.settings.font.size = 1 }, { $0.settings.font.size = 2 })
        let rows = JSONReader.sorted(by: \.settings.font.size)
        let first = try manager.fetchPage(rows, limit: 2)
        #expect(first.map(\.id) == [2, 3])
        #expect(try manager.fetchPage(rows, after: first.last, limit: 2).map(\.id) == [1])
        var ids: [Int64?] = []
        try manager.forEach(rows) { ids.append($0.id) }
        #expect(ids == [2, 3, 1])
        #expect(try manager.sections(JSONReader.sorted(by: \.settings.kind), by: \.settings.kind).count == 1)
    }
}
