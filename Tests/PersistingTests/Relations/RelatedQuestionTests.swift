import Foundation
import Persisting
import Testing

private typealias Store = MusicStore

/// A question, the library's answer, and the SQL that one would write.
struct RelatedQuestion: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sql: String
    let answer: @Sendable (PersistenceManager) throws -> [String]

    init(_ question: String, _ sql: String, _ answer: @escaping @Sendable (PersistenceManager) throws -> [String]) {
        testDescription = question
        self.sql = sql
        self.answer = answer
    }
}

// F123
@Suite("Questions that one asks of a store")
struct RelatedQuestionTests {
    private static let employees: [RelatedQuestion] = [
        RelatedQuestion(
            "employees with their managers",
            """
            SELECT e.NAME || ' < ' || ifnull(b.NAME, '-') FROM EMPLOYEE e LEFT JOIN EMPLOYEE b ON b.ID = e.BOSS_ID
            ORDER BY e.ID
            """
        ) { manager in
            try manager.fetchAll(Store.Employee.sorted(by: \.id).with(Store.Employee.boss)).map { employee in
                "\(employee.name) < \(try employee.related(Store.Employee.boss)?.name ?? "-")"
            }
        },
        RelatedQuestion("who has no manager", "SELECT NAME FROM EMPLOYEE WHERE BOSS_ID IS NULL") { manager in
            try manager.fetchAll(Store.Employee.self, where: !Store.Employee.boss.matches(.all)).map(\.name)
        },
        RelatedQuestion(
            "who has reports that have reports",
            """
            SELECT DISTINCT a.NAME FROM EMPLOYEE a JOIN EMPLOYEE b ON b.BOSS_ID = a.ID JOIN EMPLOYEE c ON c.BOSS_ID = b.ID
            """
        ) { manager in
            try manager.fetchAll(
                Store.Employee.self, where: Store.Employee.reports.contains(Store.Employee.reports.contains(.all))
            ).map(\.name)
        },
        RelatedQuestion(
            "how many report to each",
            "SELECT b.NAME || ' ' || (SELECT count(*) FROM EMPLOYEE e WHERE e.BOSS_ID = b.ID) FROM EMPLOYEE b ORDER BY b.ID"
        ) { manager in
            try manager.fetchAll(Store.Employee.sorted(by: \.id).with(Store.Employee.reports.count)).map { employee in
                "\(employee.name) \(try employee.related(Store.Employee.reports.count))"
            }
        },
        RelatedQuestion(
            "who reports to whom reports to Ann",
            """
            SELECT c.NAME FROM EMPLOYEE c JOIN EMPLOYEE b ON c.BOSS_ID = b.ID JOIN EMPLOYEE a ON b.BOSS_ID = a.ID
            WHERE a.NAME = 'Ann' ORDER BY c.ID
            """
        ) { manager in
            try manager.fetchAll(Store.Employee.self, where: .format("boss.boss.name == 'Ann'"), sortedBy: "id").map(
                \.name)
        },
    ]

    private static let customers: [RelatedQuestion] = [
        RelatedQuestion(
            "customers without invoices",
            "SELECT NAME FROM CUSTOMER c WHERE NOT EXISTS (SELECT 1 FROM INVOICE WHERE CUSTOMER_ID = c.ID) ORDER BY ID"
        ) { manager in
            try manager.fetchAll(Store.Customer.self, where: Store.Customer.invoices.isEmpty, sortedBy: "id").map(
                \.name)
        },
        RelatedQuestion(
            "customers whom Cid serves",
            "SELECT c.NAME FROM CUSTOMER c JOIN EMPLOYEE e ON e.ID = c.REP_ID WHERE e.NAME = 'Cid' ORDER BY c.ID"
        ) { manager in
            try manager.fetchAll(Store.Customer.self, where: ["rep.name": "Cid"], sortedBy: "id").map(\.name)
        },
        RelatedQuestion(
            "customers by what they have spent",
            """
            SELECT NAME FROM CUSTOMER c ORDER BY (SELECT sum(TOTAL) FROM INVOICE WHERE CUSTOMER_ID = c.ID) DESC NULLS LAST,
              ID
            """
        ) { manager in
            try manager.fetchAll(
                Store.Customer.self, sortedBy: [.descending(Store.Customer.invoices.sum(\.total)), .ascending(\.id)]
            ).map(\.name)
        },
        RelatedQuestion(
            "customers with an invoice of more than 7",
            "SELECT DISTINCT c.ID FROM CUSTOMER c JOIN INVOICE i ON i.CUSTOMER_ID = c.ID WHERE i.TOTAL > 7 ORDER BY c.ID"
        ) { manager in
            try manager.fetchAll(Store.Customer.self, where: .format("ANY invoices.total > 7"), sortedBy: "id").map {
                "\($0.id ?? 0)"
            }
        },
        RelatedQuestion(
            "customers whose invoices are all below 8",
            """
            SELECT ID FROM CUSTOMER c WHERE NOT EXISTS (SELECT 1 FROM INVOICE WHERE CUSTOMER_ID = c.ID AND NOT TOTAL < 8)
            ORDER BY ID
            """
        ) { manager in
            try manager.fetchAll(
                Store.Customer.self, where: Store.Customer.invoices.allSatisfy(\.total < 8), sortedBy: "id"
            ).map {
                "\($0.id ?? 0)"
            }
        },
        RelatedQuestion(
            "the two largest invoices of each customer",
            """
            SELECT CUSTOMER_ID || ':' || ID FROM (SELECT *, row_number() OVER (PARTITION BY CUSTOMER_ID
              ORDER BY TOTAL DESC, ID) AS n FROM INVOICE) WHERE n <= 2 ORDER BY CUSTOMER_ID, TOTAL DESC, ID
            """
        ) { manager in
            let largest = Store.Customer.invoices.sorted(by: [.descending(\.total), .ascending(\.id)]).limit(2)
            return try manager.fetchAll(Store.Customer.sorted(by: \.id).with(largest)).flatMap { customer in
                try customer.related(largest).map { "\(customer.id ?? 0):\($0.id ?? 0)" }
            }
        },
        RelatedQuestion(
            "how many customers in France have bought jazz",
            """
            SELECT count(*) FROM CUSTOMER c WHERE COUNTRY = 'France' AND EXISTS (SELECT 1 FROM INVOICE i
              JOIN LINE l ON l.INVOICE_ID = i.ID JOIN TRACK t ON t.ID = l.TRACK_ID JOIN GENRE g ON g.ID = t.GENRE_ID
              WHERE i.CUSTOMER_ID = c.ID AND g.NAME = 'Jazz')
            """
        ) { manager in
            let jazz: Criteria<Store.Customer> = Store.Customer.lines.contains(
                Store.Line.track.matches(Store.Track.genre.matches(\.name == "Jazz")))
            return [try manager.count(Store.Customer.self, where: \.country == "France" && jazz).description]
        },
    ]

    private static let artists: [RelatedQuestion] = [
        RelatedQuestion(
            "artists by how many albums they have",
            "SELECT NAME FROM ARTIST a ORDER BY (SELECT count(*) FROM ALBUM WHERE ARTIST_ID = a.ID) DESC, NAME"
        ) { manager in
            try manager.fetchAll(
                Store.Artist.self, sortedBy: [.descending(Store.Artist.albums.count), .ascending(\.name)]
            ).map(\.name)
        },
        RelatedQuestion(
            "artists with more than two albums",
            "SELECT NAME FROM ARTIST a WHERE (SELECT count(*) FROM ALBUM WHERE ARTIST_ID = a.ID) > 2 ORDER BY ID"
        ) { manager in
            try manager.fetchAll(Store.Artist.self, where: .format("albums.@count > 2"), sortedBy: "id").map(\.name)
        },
        RelatedQuestion(
            "albums without an artist", "SELECT TITLE FROM ALBUM WHERE ARTIST_ID IS NULL ORDER BY ID"
        ) { manager in
            try manager.fetchAll(Store.Album.self, where: .format("artist.name == nil"), sortedBy: "id").map(\.title)
        },
        RelatedQuestion(
            "albums by artist and title",
            "SELECT TITLE FROM ALBUM b LEFT JOIN ARTIST a ON a.ID = b.ARTIST_ID ORDER BY a.NAME, TITLE"
        ) { manager in
            try manager.fetchAll(Store.Album.self, sortedBy: "artist.name, title").map(\.title)
        },
        RelatedQuestion(
            "how long each artist plays",
            """
            SELECT a.NAME || ' ' || ifnull(sum(t.MILLISECONDS), 0) FROM ARTIST a LEFT JOIN ALBUM b ON b.ARTIST_ID = a.ID
            LEFT JOIN TRACK t ON t.ALBUM_ID = b.ID GROUP BY a.ID ORDER BY a.ID
            """
        ) { manager in
            let time = Store.Artist.tracks.sum(\.milliseconds)
            return try manager.fetchAll(Store.Artist.sorted(by: \.id).with(time)).map {
                "\($0.name) \(try $0.related(time) ?? 0)"
            }
        },
        RelatedQuestion(
            "artists of whom somebody has bought something",
            """
            SELECT DISTINCT a.NAME FROM ARTIST a JOIN ALBUM b ON b.ARTIST_ID = a.ID JOIN TRACK t ON t.ALBUM_ID = b.ID
            JOIN LINE l ON l.TRACK_ID = t.ID ORDER BY a.ID
            """
        ) { manager in
            try manager.fetchAll(
                Store.Artist.self, where: Store.Artist.tracks.contains(Store.Track.lines.count > 0), sortedBy: "id"
            ).map(\.name)
        },
    ]

    private static let tracks: [RelatedQuestion] = [
        RelatedQuestion(
            "tracks of a playlist",
            """
            SELECT t.NAME FROM TRACK t JOIN ENTRY e ON e.TRACK_ID = t.ID JOIN PLAYLIST p ON p.ID = e.PLAYLIST_ID
            WHERE p.NAME = 'Evening' ORDER BY t.ID
            """
        ) { manager in
            let evening = try manager.fetchOne(Store.Playlist.self, where: \.name == "Evening")
            return try evening?.related(Store.Playlist.tracks.sorted(by: \.id)).map(\.name) ?? []
        },
        RelatedQuestion(
            "playlists by how many tracks they have",
            """
            SELECT NAME || ' ' || (SELECT count(*) FROM ENTRY WHERE PLAYLIST_ID = p.ID) FROM PLAYLIST p ORDER BY ID
            """
        ) { manager in
            try manager.fetchAll(Store.Playlist.sorted(by: \.id).with(Store.Playlist.tracks.count)).map {
                "\($0.name) \(try $0.related(Store.Playlist.tracks.count))"
            }
        },
        RelatedQuestion(
            "tracks in no playlist that nobody has bought",
            """
            SELECT NAME FROM TRACK t WHERE NOT EXISTS (SELECT 1 FROM ENTRY WHERE TRACK_ID = t.ID)
              AND NOT EXISTS (SELECT 1 FROM LINE WHERE TRACK_ID = t.ID) ORDER BY ID
            """
        ) { manager in
            try manager.fetchAll(
                Store.Track.self, where: Store.Track.playlists.isEmpty && Store.Track.lines.isEmpty, sortedBy: "id"
            ).map(\.name)
        },
        RelatedQuestion(
            "tracks of Artist 2, with album and genre",
            """
            SELECT t.NAME || ', ' || b.TITLE || ', ' || ifnull(g.NAME, '-') FROM TRACK t JOIN ALBUM b ON b.ID = t.ALBUM_ID
            JOIN ARTIST a ON a.ID = b.ARTIST_ID LEFT JOIN GENRE g ON g.ID = t.GENRE_ID WHERE a.NAME = 'Artist 2'
            ORDER BY t.ID
            """
        ) { manager in
            let tracks = Store.Track.where(Store.Track.artist.matches(\.name == "Artist 2")).sorted(by: \.id)
            return try manager.fetchAll(tracks.with(Store.Track.album, Store.Track.genre)).map { track in
                let album = try track.related(Store.Track.album)?.title ?? "-"
                return "\(track.name), \(album), \(try track.related(Store.Track.genre)?.name ?? "-")"
            }
        },
        RelatedQuestion(
            "genres without tracks",
            "SELECT NAME FROM GENRE g WHERE NOT EXISTS (SELECT 1 FROM TRACK WHERE GENRE_ID = g.ID)"
        ) { manager in
            try manager.fetchAll(
                Store.Genre.self, where: .format("NONE tracks.milliseconds > 0 AND tracks.@count == 0")
            ).map(\.name)
        },
        RelatedQuestion(
            "who has bought Track 14",
            """
            SELECT DISTINCT c.NAME FROM CUSTOMER c JOIN INVOICE i ON i.CUSTOMER_ID = c.ID JOIN LINE l ON l.INVOICE_ID = i.ID
            JOIN TRACK t ON t.ID = l.TRACK_ID WHERE t.NAME = 'Track 14' ORDER BY c.ID
            """
        ) { manager in
            let track = try manager.fetchOne(Store.Track.self, where: \.name == "Track 14")
            return try track?.related(Store.Track.buyers.sorted(by: \.id)).map(\.name) ?? []
        },
        RelatedQuestion(
            "the dearest track of each album",
            "SELECT ID || ' ' || ifnull((SELECT max(UNIT_PRICE) FROM TRACK WHERE ALBUM_ID = b.ID), '-') FROM ALBUM b ORDER BY ID"
        ) { manager in
            let price = Store.Album.tracks.max(\.unitPrice)
            return try manager.fetchAll(Store.Album.sorted(by: \.id).with(price)).map { album in
                "\(album.id ?? 0) \(try album.related(price).map { "\($0)" } ?? "-")"
            }
        },
        RelatedQuestion(
            "how many tracks of the genre Rock are longer than three minutes",
            """
            SELECT count(*) FROM TRACK t JOIN GENRE g ON g.ID = t.GENRE_ID WHERE g.NAME = 'Rock' AND MILLISECONDS > 180000
            """
        ) { manager in
            let rock: Criteria<Store.Track> = Store.Track.genre[\.name] == "Rock" && \.milliseconds > 180_000
            return [try manager.count(Store.Track.self, where: rock).description]
        },
    ]

    @Test("has the answer that SQL has", .local(.temporaryTables), arguments: employees + customers + artists + tracks)
    func answer(question: RelatedQuestion) throws {
        let manager = try MusicStore.manager()
        let expected = try manager.storedColumn(question.sql).map { value in
            if case .text(let text) = value { text } else { "\(value)" }
        }
        #expect(try question.answer(manager) == expected)
        #expect(!expected.isEmpty)
    }
}
