import Persisting

/// A music store: artists with albums, tracks in playlists, customers with invoices, employees with managers.
enum MusicStore {
    final class Artist: PersistingModel {
        var id: Int64?
        var name = ""
        static let albums = ToMany(inverse: Album.artist)
        static let tracks = ToMany(through: albums, Album.tracks)
        override class var relations: Relations { ["albums": albums, "tracks": tracks] }
    }

    final class Album: PersistingModel {
        var id: Int64?
        var title = ""
        var artistID: Int64?
        static let artist = ToOne(\Album.artistID, Artist.self)
        static let tracks = ToMany(inverse: Track.album)
        override class var relations: Relations { ["artist": artist, "tracks": tracks] }
    }

    final class Genre: PersistingModel {
        var id: Int64?
        var name = ""
        static let tracks = ToMany(inverse: Track.genre)
        override class var relations: Relations { ["tracks": tracks] }
    }

    final class Track: PersistingModel {
        var id: Int64?
        var name = ""
        var albumID: Int64?
        var genreID: Int64?
        var milliseconds = 0
        var unitPrice = 0.0
        static let album = ToOne(\Track.albumID, Album.self)
        static let genre = ToOne(\Track.genreID, Genre.self, onDelete: .setNull)
        static let artist = ToOne(through: album, Album.artist)
        static let playlists = ManyToMany(Entry.track, Entry.playlist)
        static let lines = ToMany(inverse: Line.track)
        static let buyers = ToMany(through: lines, Line.customer)
        override class var relations: Relations {
            [
                "album": album, "genre": genre, "artist": artist, "playlists": playlists, "lines": lines,
                "buyers": buyers,
            ]
        }
    }

    final class Playlist: PersistingModel {
        var id: Int64?
        var name = ""
        static let tracks = ManyToMany(inverse: Track.playlists)
        override class var relations: Relations { ["tracks": tracks] }
    }

    final class Entry: PersistingModel {
        var playlistID: Int64 = 0
        var trackID: Int64 = 0
        static let playlist = ToOne(\Entry.playlistID, Playlist.self)
        static let track = ToOne(\Entry.trackID, Track.self)
        override class var relations: Relations { ["playlist": playlist, "track": track] }
        override class var primaryKey: PrimaryKey { .composite("playlistID", "trackID") }
    }

    final class Employee: PersistingModel {
        var id: Int64?
        var name = ""
        var bossID: Int64?
        static let boss = ToOne(\Employee.bossID, Employee.self, onDelete: .setNull)
        static let reports = ToMany(inverse: boss)
        static let customers = ToMany(inverse: Customer.rep)
        override class var relations: Relations { ["boss": boss, "reports": reports, "customers": customers] }
    }

    final class Customer: PersistingModel {
        var id: Int64?
        var name = ""
        var country = ""
        var repID: Int64?
        static let rep = ToOne(\Customer.repID, Employee.self, onDelete: .setNull)
        static let invoices = ToMany(inverse: Invoice.customer)
        static let lines = ToMany(through: invoices, Invoice.lines)
        override class var relations: Relations { ["rep": rep, "invoices": invoices, "lines": lines] }
    }

    final class Invoice: PersistingModel {
        var id: Int64?
        var customerID: Int64?
        var total = 0.0
        static let customer = ToOne(\Invoice.customerID, Customer.self, onDelete: .restrict)
        static let lines = ToMany(inverse: Line.invoice)
        override class var relations: Relations { ["customer": customer, "lines": lines] }
    }

    final class Line: PersistingModel {
        var id: Int64?
        var invoiceID: Int64 = 0
        var trackID: Int64 = 0
        var quantity = 1
        static let invoice = ToOne(\Line.invoiceID, Invoice.self)
        static let track = ToOne(\Line.trackID, Track.self, onDelete: .restrict)
        static let customer = ToOne(through: invoice, Invoice.customer)
        override class var relations: Relations { ["invoice": invoice, "track": track, "customer": customer] }
    }

    /// A store with a few hundred rows.
    static func manager() throws -> PersistenceManager {
        let manager = try memoryManager(
            Artist.self, Album.self, Genre.self, Track.self, Playlist.self, Entry.self, Employee.self, Customer.self,
            Invoice.self, Line.self)
        try manager.run(
            """
            CREATE TEMP TABLE n AS WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i FROM n;
            INSERT INTO ARTIST (ID, NAME) SELECT i, 'Artist ' || i FROM n WHERE i <= 12;
            INSERT INTO ALBUM (ID, TITLE, ARTIST_ID) SELECT i, 'Album ' || i, nullif(1 + i * i % 11, 5) FROM n
              WHERE i <= 25;
            INSERT INTO GENRE (ID, NAME) VALUES (1, 'Jazz'), (2, 'Rock'), (3, 'Blues'), (4, 'Opera');
            INSERT INTO TRACK (ID, NAME, ALBUM_ID, GENRE_ID, MILLISECONDS, UNIT_PRICE)
              SELECT i, 'Track ' || i, nullif(1 + i * 7 % 23, 20), nullif(i % 4, 0), 60000 + i * 7919 % 300000,
                CASE WHEN i % 9 = 0 THEN 1.99 ELSE 0.99 END FROM n WHERE i <= 150;
            INSERT INTO PLAYLIST (ID, NAME) VALUES (1, 'Morning'), (2, 'Evening'), (3, 'Empty');
            INSERT INTO ENTRY (PLAYLIST_ID, TRACK_ID)
              SELECT p.ID, i FROM PLAYLIST p, n WHERE p.ID < 3 AND i <= 150 AND i % (p.ID * 10) = p.ID;
            INSERT INTO EMPLOYEE (ID, NAME, BOSS_ID) VALUES (1, 'Ann', NULL), (2, 'Bob', 1), (3, 'Cid', 2), (4, 'Dee', 2),
              (5, 'Eve', 1);
            INSERT INTO CUSTOMER (ID, NAME, COUNTRY, REP_ID)
              SELECT i, 'Customer ' || i, CASE i % 3 WHEN 0 THEN 'Chile' WHEN 1 THEN 'France' ELSE 'India' END,
                nullif(2 + i % 4, 5) FROM n WHERE i <= 18;
            INSERT INTO INVOICE (ID, CUSTOMER_ID, TOTAL) SELECT i, 1 + i * 3 % 16, 0 FROM n WHERE i <= 40;
            INSERT INTO LINE (ID, INVOICE_ID, TRACK_ID, QUANTITY)
              SELECT i, 1 + i * 5 % 37, 1 + i * 13 % 149, 1 + i % 3 FROM n WHERE i <= 120;
            UPDATE INVOICE SET TOTAL = (SELECT total(QUANTITY * UNIT_PRICE) FROM LINE JOIN TRACK ON TRACK.ID = TRACK_ID
              WHERE INVOICE_ID = INVOICE.ID);
            DROP TABLE n;
            """)
        return manager
    }
}
