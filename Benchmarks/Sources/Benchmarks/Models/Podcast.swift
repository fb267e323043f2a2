import Persisting

/// A class whose objects have many of another.
final class Podcast: PersistingModel {
    var id: Int64?
    var title = ""

    static let recordings = ToMany(inverse: Recording.podcast)
    override class var relations: Relations { ["recordings": recordings] }
}

final class Recording: PersistingModel {
    var id: Int64?
    var title = ""
    var seconds = 0
    var podcastID: Int64?

    static let podcast = ToOne(\Recording.podcastID, Podcast.self)
    override class var relations: Relations { ["podcast": podcast] }
}

/// The same table without relations.
final class PlainRecording: PersistingModel {
    var id: Int64?
    var title = ""
    var seconds = 0
    var podcastID: Int64?

    override class var tableName: String { "RECORDING" }
}

extension Podcast {
    static let create = """
        CREATE TABLE PODCAST (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL DEFAULT '');
        CREATE TABLE RECORDING (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL DEFAULT '',
            SECONDS INTEGER NOT NULL DEFAULT 0, PODCAST_ID INTEGER REFERENCES PODCAST ON DELETE CASCADE);
        CREATE INDEX RECORDING_PODCAST_ID_INDEX ON RECORDING (PODCAST_ID);
        """

    /// Fills the tables.
    static func fill(_ count: Int, recordings: Int) -> String {
        """
        WITH RECURSIVE N(X) AS (VALUES(1) UNION ALL SELECT X + 1 FROM N LIMIT \(count))
        INSERT INTO PODCAST SELECT X, 'Podcast ' || X FROM N;
        WITH RECURSIVE N(X) AS (VALUES(1) UNION ALL SELECT X + 1 FROM N LIMIT \(count * recordings))
        INSERT INTO RECORDING SELECT X, 'Recording ' || X, X % 3600, 1 + (X - 1) / \(recordings) FROM N;
        """
    }

    static let select = "SELECT ID, TITLE FROM PODCAST"
    static let selectRecordings = "SELECT ID, TITLE, SECONDS, PODCAST_ID FROM RECORDING"
}

extension Recording: Summed {
    func add(to sum: inout Checksum) {
        sum.add(id)
        sum.add(title.utf8.count)
        sum.add(seconds)
        sum.add(podcastID)
    }
}

extension PlainRecording: Summed {
    func add(to sum: inout Checksum) {
        sum.add(id)
        sum.add(title.utf8.count)
        sum.add(seconds)
        sum.add(podcastID)
    }
}
