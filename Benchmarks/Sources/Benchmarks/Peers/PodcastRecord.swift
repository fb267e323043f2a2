import GRDB

/// A podcast with its recordings, as GRDB's guide to associations writes it.
struct PodcastRecord: FetchableRecord, TableRecord, Decodable {
    static let databaseTableName = "PODCAST"
    static let recordings = hasMany(RecordingRecord.self, using: ForeignKey(["PODCAST_ID"])).forKey("recordings")
    var id: Int64
    var title: String

    enum CodingKeys: String, CodingKey {
        case id = "ID", title = "TITLE"
    }
}

struct RecordingRecord: FetchableRecord, TableRecord, Decodable, Summed {
    static let databaseTableName = "RECORDING"
    var id: Int64
    var title: String
    var seconds: Int
    var podcastID: Int64?

    enum CodingKeys: String, CodingKey {
        case id = "ID", title = "TITLE", seconds = "SECONDS", podcastID = "PODCAST_ID"
    }

    func add(to sum: inout Checksum) {
        sum.add(id)
        sum.add(title.utf8.count)
        sum.add(seconds)
        sum.add(podcastID)
    }
}

struct PodcastInfo: FetchableRecord, Decodable {
    var podcast: PodcastRecord
    var recordings: [RecordingRecord]
}
