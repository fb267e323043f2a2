import Foundation
import Persisting
import PersistingDiagnostics
import Testing

/// Tables with foreign keys of all kinds, for which RelatedModels.swift holds what `modelSources()` prints.
private let script = """
    CREATE TABLE studio (id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL UNIQUE);
    CREATE TABLE presenter (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
        boss_id INTEGER REFERENCES presenter ON DELETE SET NULL);
    CREATE INDEX presenter_boss ON presenter (boss_id);
    CREATE TABLE broadcast (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
        studio_code TEXT REFERENCES studio (code) ON UPDATE CASCADE,
        host_id INTEGER NOT NULL REFERENCES presenter ON DELETE CASCADE,
        guest_id INTEGER REFERENCES presenter ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED);
    CREATE INDEX broadcast_host ON broadcast (host_id, title);
    CREATE TABLE slot (day TEXT NOT NULL, hour INTEGER NOT NULL, broadcast INTEGER REFERENCES broadcast,
        PRIMARY KEY (day, hour));
    CREATE TABLE slot_note (id INTEGER PRIMARY KEY, day TEXT, hour INTEGER, text TEXT,
        FOREIGN KEY (day, hour) REFERENCES slot ON DELETE CASCADE);
    CREATE TABLE character (id INTEGER PRIMARY KEY, save INTEGER NOT NULL DEFAULT 0, is_deleted INTEGER, relations TEXT,
        broadcast_id TEXT REFERENCES broadcast);
    CREATE TABLE query (id INTEGER PRIMARY KEY, "character" INTEGER REFERENCES character,
        "class" INTEGER REFERENCES elsewhere);
    CREATE INDEX query_character ON query ("character")
    """

// F131
@Suite("Swift source for several tables") struct ModelSourcesTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(script: script)
    }

    @Test("is what the compiled file holds") func compiles() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "RelatedModels.swift")
        let text =
            try "// swift-format-ignore-file\n// What modelSources() prints; ModelSourcesTests compares.\n"
            + manager.modelSources()
        if ProcessInfo.processInfo.environment["PERSISTING_TEST_WRITE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("makes classes that a plan leaves as they are") func plan() throws {
        let plan = try manager.schemaPlan(for: [
            Studio.self, Presenter.self, Broadcast.self, Slot.self, SlotNote.self, CharacterRow.self,
        ])
        #expect(plan.steps.isEmpty, "\(plan)")
    }

    @Test("makes relations that find objects") func relations() throws {
        let (studio, host, broadcast) = (Studio(), Presenter(), Broadcast())
        (studio.code, host.name) = ("K", "Ada")
        try manager.save(studio)
        try manager.save(host)
        (broadcast.studioCode, broadcast.hostID) = ("K", try #require(host.id))
        try manager.save(broadcast)
        #expect(try broadcast.related(Broadcast.studio)?.code == "K")
        #expect(try host.related(Presenter.broadcastsByHost).count == 1)
        #expect(try host.related(Presenter.broadcastsByGuest).isEmpty)
        #expect(try manager.count(Broadcast.where(Broadcast.host.matches(\.name == "Ada"))) == 1)
    }

    @Test("has the tables that are named, and relations between these alone") func some() throws {
        let text = try manager.modelSources(tables: ["SLOT", "slot_note"])
        #expect(text.contains("static let slot = ToOne([\\SlotNote.day, \\SlotNote.hour], Slot.self"))
        #expect(!text.contains("class Broadcast"))
        let error = #expect(throws: PersistenceError.self) { try manager.modelSources(tables: ["nothing"]) }
        #expect(error?.code == .noTable)
    }

    @Test("says which names it changes, since others have them") func names() throws {
        let text = try manager.modelSources(tables: ["character"])
        #expect(text.contains("// There is another type Character.\nfinal class CharacterRow: PersistingModel {"))
        #expect(text.contains("var save2: Int64 = 0  // every object has a member save"))
    }

    @Test("isn't Swift that a name in the file brings along") func hostile() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE t (a INTEGER REFERENCES "gone
                } func f() {}");
                CREATE INDEX "i
                } func g() {}" ON t (a + 1)
                """)
        let lines = try manager.modelSources().split(separator: "\n")
        #expect(lines.filter { $0.contains("func") }.allSatisfy { $0.hasPrefix("    //") })
    }
}
