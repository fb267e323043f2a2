import Foundation
import Persisting
import Testing

// F32, F57
@Suite("Graphs, several rows in a statement") struct GroupedGraphTests {
    private let log = SQLLog()

    private func manager() throws -> PersistenceManager {
        let manager = try log.manager()
        for type in [Pod.Show.self, Pod.Episode.self, Pod.Tag.self, Pod.Tagging.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
        return manager
    }

    /// Episodes, each of a show and with a tag of its own. All are new.
    private func episodes(_ count: Int) throws -> [Pod.Episode] {
        try (1...count).map { number in
            let episode = Pod.Episode("e\(number)")
            try episode.set(Pod.Episode.show, to: Pod.Show("s\(number)"))
            try episode.add(Pod.Tag("t\(number)"), to: Pod.Episode.tags)
            return episode
        }
    }

    private func numbers(_ manager: PersistenceManager) throws -> SQLiteValue? {
        try manager.storedColumn(
            """
            SELECT count(*) FROM EPISODE JOIN SHOW ON SHOW.ID = EPISODE.SHOW_ID
            JOIN TAGGING ON TAGGING.EPISODE_ID = EPISODE.ID JOIN TAG ON TAG.ID = TAGGING.TAG_ID
            WHERE substr(EPISODE.TITLE, 2) = substr(SHOW.TITLE, 2) AND substr(TAG.NAME, 2) = substr(SHOW.TITLE, 2)
            """
        ).first
    }

    /// How many rows each INSERT has.
    private var rows: [String] {
        log.inserts.map { sql in
            "\(sql.split(separator: " ").drop { $0 != "INTO" }.dropFirst().first ?? "") \(sql.components(separatedBy: "(?").count - 1)"
        }
    }

    @Test("have the rows of a class in few statements, those that are referred to first", .local(.connection))
    func statements() throws {
        let manager = try manager()
        try manager.save(episodes(40))
        #expect(try numbers(manager) == 40)
        #expect(
            // With foreign keys and indexes, several rows would take longer.
            Set(rows) == ["SHOW 32", "SHOW 8", "EPISODE 1", "TAG 32", "TAG 8", "TAGGING 1"])
    }

    @Test("have the keys of objects that wait, while the task is suspended", .local(.connection))
    func suspended() async throws {
        let manager = try manager()
        let episodes = try episodes(40)
        try await manager.save(episodes)
        #expect(try numbers(manager) == 40)
        #expect(episodes.allSatisfy { $0.isPersisted && $0.showID != nil && !$0.hasChanges })
        #expect(rows.contains("SHOW 32") && rows.contains("TAG 8"))
    }

    @Test("have each object after the one of its class that it refers to") func chains() throws {
        let manager = try memoryManager(Pod.Worker.self)
        var workers: [Pod.Worker] = []
        for chain in 0..<10 {
            let boss = Pod.Worker("boss \(chain)")
            workers.append(boss)
            for number in 0..<10 {
                let worker = Pod.Worker("\(chain) \(number)")
                try worker.set(Pod.Worker.boss, to: boss)
                workers.insert(worker, at: 0)
            }
        }
        try manager.save(workers)
        #expect(
            try manager.storedColumn(
                """
                SELECT count(*) FROM WORKER JOIN WORKER AS BOSS ON BOSS.ID = WORKER.MANAGER_ID
                WHERE BOSS.NAME = 'boss ' || substr(WORKER.NAME, 1, 1)
                """) == [.integer(100)])
    }

    @Test("are all as they were where one can't be written") func failure() throws {
        let manager = try memoryManager(Pod.Show.self, Pod.Episode.self, Pod.Tag.self, Pod.Tagging.self)
        try manager.run("CREATE UNIQUE INDEX unique_titles ON EPISODE (TITLE)")
        let episodes = try episodes(40)
        episodes[30].title = "e3"
        #expect(throws: PersistenceError.self) { try manager.save(episodes) }
        #expect(episodes.allSatisfy { !$0.isPersisted && $0.id == nil && $0.showID == nil })
        #expect(try manager.count(Pod.Show.self) == 0)
        episodes[30].title = "e31"
        try manager.save(episodes)
        #expect(try numbers(manager) == 40)
    }
}
