import GRDB
import Persisting

/// Row 19: objects with those that they are related to.
enum Relating {
    /// Of each podcast all recordings.
    static func loading(_ options: Options) throws -> Workload {
        let data = try Podcasts(options)
        return Workload(
            row: "19", name: "load \(data.count.grouped) podcasts × 100 recordings", operations: data.count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    let (podcasts, recordings) = try stopwatch.measure { try data.floor.podcasts() }
                    var sum = Checksum()
                    for podcast in podcasts { sum.add(podcast.title, recordings[podcast.id ?? 0] ?? []) }
                    return sum
                },
                data.contender("ahead, untracked", tracked: false, Podcast.with(Podcast.recordings)),
                data.contender("ahead, tracked", tracked: true, Podcast.with(Podcast.recordings)),
                data.contender("at the first ask, untracked", tracked: false, Query(Podcast.self)),
                data.contender("at the first ask, tracked", tracked: true, Query(Podcast.self)),
                Contender(name: "GRDB including(all:)") { stopwatch in
                    let podcasts = try stopwatch.measure {
                        try data.peer.read { db in
                            try PodcastRecord.including(all: PodcastRecord.recordings)
                                .asRequest(of: PodcastInfo.self).fetchAll(db)
                        }
                    }
                    var sum = Checksum()
                    for podcast in podcasts { sum.add(podcast.podcast.title, podcast.recordings) }
                    return sum
                },
            ],
            comparisons: ["ahead", "at the first ask"].flatMap { name in
                [
                    Comparison(
                        name: "\(name), untracked", subject: "\(name), untracked", limit: .ratio(1.15),
                        peers: [.init(contender: "GRDB including(all:)", atLeast: 4)]),
                    Comparison(
                        name: "\(name), tracked", subject: "\(name), tracked", limit: .ratio(1.3),
                        peers: [.init(contender: "GRDB including(all:)", atLeast: 4)]),
                ]
            })
    }

    /// A fetch of a class with relations that nobody asks for, against the same without.
    static func notAsking(_ options: Options) throws -> Workload {
        let data = try Podcasts(options)
        let count = data.count * Podcasts.recordings
        return Workload(
            row: "19", name: "fetch all, \(count.grouped) with a relation", operations: count,
            contenders: [
                Contender(name: "without") { stopwatch in
                    Checksum(try stopwatch.measure { try data.manager.fetchAll(PlainRecording.self) })
                },
                Contender(name: "with") { stopwatch in
                    Checksum(try stopwatch.measure { try data.manager.fetchAll(Recording.self) })
                },
            ],
            comparisons: [Comparison(name: "", subject: "with", floor: "without", limit: .ratio(1.02))])
    }
}

/// The same rows in all databases.
private struct Podcasts {
    static let recordings = 100
    let count: Int
    let floor: FloorConnection
    let peer: GRDB.DatabaseQueue
    let manager: PersistenceManager

    init(_ options: Options) throws {
        count = options.size(1000)
        let fill = Podcast.fill(count, recordings: Self.recordings)
        floor = try FloorConnection()
        try floor.execute(Podcast.create)
        try floor.execute(fill)
        peer = try Peer.database()
        try peer.write { db in
            try db.execute(sql: Podcast.create)
            try db.execute(sql: fill)
        }
        manager = try PersistenceManager(.memory)
        try manager.write { db in
            try db.executeScript(SQL(Podcast.create))
            try db.executeScript(SQL(fill))
        }
    }

    func contender(_ name: String, tracked: Bool, _ query: Query<Podcast>) -> Contender {
        Contender(name: name) { [manager] stopwatch in
            let found = try stopwatch.measure {
                try manager.fetchAll(query, tracked: tracked).map { podcast in
                    (podcast, try podcast.related(Podcast.recordings))
                }
            }
            var sum = Checksum()
            for (podcast, recordings) in found { sum.add(podcast.title, recordings) }
            return sum
        }
    }
}

extension FloorConnection {
    /// The podcasts, and the recordings by the podcasts' keys.
    fileprivate func podcasts() throws -> ([Podcast], [Int64: [Recording]]) {
        let podcasts = try prepare(Podcast.select)
        defer { podcasts.finalize() }
        var all: [Podcast] = []
        while try podcasts.step() {
            let podcast = Podcast()
            podcast.id = podcasts.int64(0)
            podcast.title = try podcasts.text(1) ?? ""
            all.append(podcast)
        }
        let recordings = try prepare(Podcast.selectRecordings)
        defer { recordings.finalize() }
        var byPodcast: [Int64: [Recording]] = [:]
        while try recordings.step() {
            let recording = Recording()
            recording.id = recordings.int64(0)
            recording.title = try recordings.text(1) ?? ""
            recording.seconds = recordings.required(2)
            recording.podcastID = recordings.int64(3)
            byPodcast[recording.podcastID ?? 0, default: []].append(recording)
        }
        return (all, byPodcast)
    }
}

extension Checksum {
    fileprivate mutating func add(_ title: String, _ recordings: some Sequence<some Summed>) {
        add(title)
        for recording in recordings { recording.add(to: &self) }
    }
}
