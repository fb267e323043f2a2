// swift-format-ignore-file
import Foundation
import Persisting
import PersistingDiagnostics
import Testing

struct PersistingDiagnosticsArticle: Article {
    // snippet.show
    final class Song: PersistingModel {
        var id: Int64?
        var title = ""
        var seconds = 0
    }
    // snippet.hide

    func run() throws {
        // snippet.show
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Song.self)
        // stores and reads extreme values of each column
        let wrong = try PersistenceManager.selfTest(Song.self)
        try manager.expectingQueries(atMost: 1) {  // throws if more run
            _ = try manager.fetchAll(Song.where(\.seconds > 300))
        }
        for advice in try manager.lint(Song.where(\.seconds > 300), minimumRows: 0) {
            // Song: override class var indexes: [Index] { [Index("seconds")] }
            print(advice.remedy ?? "")  // Song: … [Index("seconds")]…
        }
        print(try manager.modelSource(table: "SONG"))  // import Foundation…
        print(try Song.columnTemplate())  // override class var columns: Columns {…
        // snippet.hide
        #expect(wrong.isEmpty)
        let other = try PersistenceManager(path: "songs.sqlite")
        try other.execute("CREATE TABLE ARTIST (ID INTEGER PRIMARY KEY)")
        try other.execute("CREATE TABLE SONG (ID INTEGER PRIMARY KEY, ARTIST_ID INTEGER REFERENCES ARTIST)")
        try other.close()
        // snippet.show
        let doctor = try FileDoctor(path: "songs.sqlite")
        for finding in try doctor.examine() {
            print(finding)  // SONG.ARTIST_ID refers to ARTIST without an index: …
        }
        let diagram = try PersistenceManager.schemaDiagram(of: [Song.self])
        print(diagram.mermaid)  // erDiagram…
        let picture = Data(diagram.svg.utf8)
        let classes = try manager.modelSources()  // all tables, with their relations
        // self tests, relations, indexes
        let mistakes = try PersistenceManager.check([Song.self])
        // snippet.hide
        #expect(mistakes.isEmpty)
        #expect(!picture.isEmpty)
        #expect(classes.contains("class Song"))
    }
}
