import Foundation
import Persisting
import Testing

/// Shows with episodes, in a database whose queries are counted.
struct PodDatabase {
    let log = SQLLog()
    let manager: PersistenceManager

    /// - Parameters:
    ///   - shows: How many shows there are, with the keys 1, 2, ….
    ///   - episodes: How many episodes each has. Episode `e` of show `s` is `S.E` and takes `e` seconds; those of a show
    ///     don't lie together.
    ///   - tags: How many tags there are; episode `e` of each show has those up to `e`.
    init(shows: Int = 3, episodes: Int = 2, tags: Int = 0) throws {
        manager = try log.manager()
        for type in [
            Pod.Show.self, Pod.Episode.self, Pod.Tag.self, Pod.Tagging.self, Pod.Worker.self, Pod.Order.self,
            Pod.Line.self,
        ] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
        try manager.run(
            """
            WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(shows))
            INSERT INTO SHOW (ID, TITLE) SELECT i, 'show ' || i FROM n WHERE i <= \(shows);
            WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(episodes))
            INSERT INTO EPISODE (TITLE, SECONDS, SHOW_ID) SELECT SHOW.ID || '.' || i, i, SHOW.ID
              FROM n CROSS JOIN SHOW WHERE i <= \(episodes) ORDER BY i, SHOW.ID;
            WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(tags))
            INSERT INTO TAG (ID, NAME) SELECT i, 'tag ' || i FROM n WHERE i <= \(tags);
            INSERT INTO TAGGING (EPISODE_ID, TAG_ID) SELECT EPISODE.ID, TAG.ID FROM EPISODE
              JOIN TAG ON TAG.ID <= SECONDS ORDER BY TAG.ID DESC
            """)
    }

    /// The queries that `body` runs.
    func queries(_ body: () throws -> Void) throws -> [String] {
        let before = log.texts.count
        try body()
        return log.texts[before...].filter { $0.hasPrefix("SELECT") }
    }

    /// The queries that `body` runs.
    func asyncQueries(_ body: () async throws -> Void) async throws -> [String] {
        let before = log.texts.count
        try await body()
        return log.texts[before...].filter { $0.hasPrefix("SELECT") }
    }

    /// Looks at all tables, so that later calls only ask for rows.
    func warmUp() throws {
        _ = try manager.fetchAll(Query(Pod.Show.self).limit(0))
        _ = try manager.fetchAll(Query(Pod.Episode.self).limit(0))
        _ = try manager.fetchAll(Query(Pod.Tag.self).limit(0))
        _ = try manager.fetchAll(Query(Pod.Worker.self).limit(0))
        _ = try manager.fetchAll(Query(Pod.Order.self).limit(0))
        _ = try manager.fetchAll(Query(Pod.Line.self).limit(0))
    }
}
