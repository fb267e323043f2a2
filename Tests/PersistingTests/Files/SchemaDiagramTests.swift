import Foundation
import Persisting
import PersistingDiagnostics
import Testing

// F132
@Suite("Diagrams of schemas") struct SchemaDiagramTests {
    /// A table's place in a picture.
    private struct Box {
        let x: Double
        let y: Double
        let width: Double
        let height: Double

        func overlaps(_ other: Box) -> Bool {
            let isBeside = x >= other.x + other.width || other.x >= x + width
            return !isBeside && y < other.y + other.height && other.y < y + height
        }
    }

    /// The boxes of a picture, and its size.
    private struct Picture {
        let boxes: [Box]
        /// The pieces of lines that cross a layer, as boxes without a height.
        let levels: [Box]
        let width: Double
        let height: Double

        init(_ svg: String) throws {
            func numbers(_ pattern: String) throws -> [[Double]] {
                try svg.matches(of: Regex(pattern.replacing("#", with: "(-?[0-9.]+)"))).map { match in
                    (1..<match.output.count).compactMap { Double(match.output[$0].substring ?? "") }
                }
            }
            boxes = try numbers("class=\"box\" x=\"#\" y=\"#\" width=\"#\" height=\"#\"")
                .map { Box(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) }
            levels = try numbers("d=\"M#,# H# ").map { Box(x: $0[0], y: $0[1], width: $0[2] - $0[0], height: 0) }
            let size = try numbers("<svg [^>]*width=\"#\" height=\"#\"")
            (width, height) = (size[0][0], size[0][1])
        }

        var overlaps: Int {
            boxes.indices.reduce(0) { sum, first in
                sum + boxes[(first + 1)...].count { $0.overlaps(boxes[first]) }
            }
        }

        var crossedBoxes: Int { levels.count { level in boxes.contains { $0.overlaps(level) } } }
    }

    /// A schema of random tables that refer to former ones, and to later ones now and then.
    private func manager(_ count: Int, _ seed: UInt64) throws -> PersistenceManager {
        var state = seed
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, limit)
        }
        let tables = (0..<count).map { number in
            let columns = (0..<random(24)).map { "column_\($0) VARCHAR(\($0 * 1000))" }
            let keys = (0..<random(4)).map {
                "ref_\($0) INTEGER REFERENCES t\(random(10) == 0 ? random(count) : random(number))"
            }
            return "CREATE TABLE t\(number) (\((["id INTEGER PRIMARY KEY"] + columns + keys).joined(separator: ", ")))"
        }
        return try memoryManager(script: tables.joined(separator: ";"))
    }

    @Test("have no boxes that overlap or leave the picture, and no line through a box", arguments: [1, 5, 15, 50, 120])
    func layout(_ count: Int) throws {
        for seed in 1...6 {
            let picture = try Picture(manager(count, UInt64(seed)).schemaDiagram().svg)
            #expect(picture.boxes.count == count)
            #expect(picture.overlaps == 0)
            #expect(picture.crossedBoxes == 0)
            #expect(picture.boxes.allSatisfy { $0.x > 0 && $0.x + $0.width < picture.width })
            #expect(picture.boxes.allSatisfy { $0.y > 0 && $0.y + $0.height < picture.height })
        }
    }

    @Test("are well-formed XML, whatever the names are") func names() throws {
        let manager = try memoryManager(
            script: #"CREATE TABLE "<a> & 'b'" ("]]>""x" "T<&>" PRIMARY KEY); CREATE TABLE 日本語 (名 TEXT, "🙂" INT)"#)
        let svg = try manager.schemaDiagram().svg
        #expect(svg.contains("&lt;a&gt; &amp; 'b'"))
        let parser = XMLChecker()
        #expect(parser.isWellFormed(svg))
        let mermaid = try manager.schemaDiagram().mermaid
        #expect(mermaid.contains(#"    "<a> & 'b'" {"#))
        #expect(mermaid.contains("        INT _"))
    }

    @Test("say in Mermaid how many there are at each end") func mermaid() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE artist (id INTEGER PRIMARY KEY, name VARCHAR(20));
                CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER NOT NULL REFERENCES artist,
                    price NUMERIC(10,2));
                CREATE TABLE cover (album_id INTEGER UNIQUE REFERENCES album, data);
                CREATE VIEW names AS SELECT name FROM artist
                """)
        #expect(
            try manager.schemaDiagram().mermaid == """
                erDiagram
                    artist {
                        INTEGER id PK
                        VARCHAR(20) name
                    }
                    album {
                        INTEGER id PK
                        INTEGER artist_id FK
                        NUMERIC(10_2) price
                    }
                    cover {
                        INTEGER album_id FK
                        ANY data
                    }
                    artist ||--o{ album : "artist_id"
                    album |o--o| cover : "album_id"

                """)
    }

    @Test("show what classes declare, and the tables that are named") func classes() throws {
        let diagram = try PersistenceManager.schemaDiagram(of: [Studio.self, Presenter.self, Broadcast.self])
        #expect(diagram.tables.map(\.name) == ["studio", "presenter", "broadcast"])
        #expect(diagram.references.count == 4)
        let manager = try manager(5, 1)
        #expect(try manager.schemaDiagram(tables: ["T1"]).tables.map(\.name) == ["t1"])
        let error = #expect(throws: PersistenceError.self) { try manager.schemaDiagram(tables: ["t9"]) }
        #expect(error?.code == .noTable)
    }

    @Test("show circles of tables, and tables that refer to themselves") func circles() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b, up INTEGER REFERENCES a);
                CREATE TABLE b (id INTEGER PRIMARY KEY, c INTEGER REFERENCES c);
                CREATE TABLE c (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a)
                """)
        let svg = try manager.schemaDiagram().svg
        #expect(try Picture(svg).overlaps == 0)
        #expect(try manager.schemaDiagram().references.count == 4)
    }

    @Test("are the same each time") func stable() throws {
        #expect(try manager(50, 3).schemaDiagram().svg == manager(50, 3).schemaDiagram().svg)
    }
}
