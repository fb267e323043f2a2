import Foundation
import Persisting
import Testing

/// Databases as programs have them after some years, with rows, to be changed in every way.
enum EvolvingDatabase: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case shop, music

    var testDescription: String { rawValue }

    func manager(_ location: DatabaseLocation = .memory) throws -> PersistenceManager {
        let manager = try PersistenceManager(location)
        try manager.database.withoutTransaction { db in try db.executeScript(self == .shop ? shopScript : musicScript) }
        return manager
    }
}

/// A table, all that belongs to it, and the columns that can be changed without a thought.
struct EvolvingTable: Sendable, CustomTestStringConvertible {
    let database: EvolvingDatabase
    let name: String

    var testDescription: String { "\(database.rawValue), \(name)" }

    static let all: [EvolvingTable] = EvolvingDatabase.allCases.flatMap { database in
        let names = try? database.manager().read { db in
            try db.schema().tables.filter { $0.kind == .table && !$0.isInternal }.map(\.name)
        }
        return (names ?? []).map { EvolvingTable(database: database, name: $0) }
    }
}

/// What a database holds, as texts that can be compared.
struct DatabaseContents: Equatable {
    /// The SQL of tables, indexes, views and triggers, by their kind and name.
    var schema: [String: String]
    /// The rows of tables and views, by name.
    var rows: [String: [String]]

    init(_ manager: PersistenceManager) throws {
        (schema, rows) = try manager.database.withoutTransaction { db in
            var (schema, rows) = ([String: String](), [String: [String]]())
            for row in try db.rows("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL") {
                let (type, name): (String, String) = (try row[0], try row[1])
                schema["\(type) \(name)"] = try row[2]
                guard type == "table" || type == "view" else { continue }
                rows[name] = try db.rows("SELECT * FROM \(identifier: name)").map { "\($0)" }.sorted()
            }
            return (schema, rows)
        }
    }

    /// The same without the text of a table, which changes when it is recreated.
    func leavingOut(textOf table: String) -> DatabaseContents {
        var copy = self
        copy.schema["table \(table)"] = nil
        return copy
    }
}

extension PersistenceManager {
    /// Whether the file is whole, and every row has its parent.
    func isSound() throws -> Bool {
        try database.withoutTransaction { db in
            try db.scalar("PRAGMA integrity_check", as: String.self) == "ok"
                && db.rows("PRAGMA foreign_key_check").isEmpty
                && db.scalar("PRAGMA foreign_keys", as: Int.self) == 1
        }
    }
}

private let shopScript: SQL = """
    CREATE TABLE region (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE territory (code TEXT PRIMARY KEY, name TEXT, region_id INT NOT NULL REFERENCES region) WITHOUT ROWID;
    CREATE TABLE employee (id INTEGER PRIMARY KEY AUTOINCREMENT, "last name" TEXT NOT NULL, hired DATE, photo BLOB,
        boss INTEGER REFERENCES employee (id) ON DELETE SET NULL, CHECK (boss IS NULL OR boss <> id));
    CREATE TABLE employee_territory (employee_id INTEGER REFERENCES employee ON DELETE CASCADE,
        territory_code TEXT REFERENCES territory ON UPDATE CASCADE, since REAL,
        PRIMARY KEY (employee_id, territory_code)) WITHOUT ROWID;
    CREATE TABLE customer (id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 3), company TEXT COLLATE NOCASE,
        street TEXT, city TEXT, country TEXT DEFAULT 'DE', UNIQUE (company, city));
    CREATE TABLE shipper (id INTEGER PRIMARY KEY DESC, company TEXT, phone TEXT);
    CREATE TABLE supplier (id INTEGER PRIMARY KEY, company TEXT NOT NULL, home_page TEXT DEFAULT (lower('NONE'))) STRICT;
    CREATE TABLE category (id INTEGER PRIMARY KEY, name VARCHAR(15) NOT NULL, picture BLOB, "order" INT DEFAULT -1);
    CREATE TABLE product (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, price NUMERIC DEFAULT 0.0,
        stock INTEGER CONSTRAINT "never less" CHECK (stock >= 0), category_id INTEGER REFERENCES category,
        supplier_id INTEGER REFERENCES supplier ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
        label TEXT GENERATED ALWAYS AS (name || ' #' || id) VIRTUAL, value REAL AS (price * stock) STORED);
    CREATE TABLE "order" (id INTEGER PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customer ON UPDATE CASCADE,
        employee_id INTEGER, ordered TEXT DEFAULT CURRENT_TIMESTAMP, shipper_id INT,
        FOREIGN KEY (employee_id) REFERENCES employee ON DELETE SET NULL);
    CREATE TABLE order_line (order_id INTEGER NOT NULL REFERENCES "order" ON DELETE CASCADE, product_id INTEGER NOT NULL,
        amount INTEGER NOT NULL DEFAULT 1, discount REAL, PRIMARY KEY (order_id, product_id),
        FOREIGN KEY (product_id) REFERENCES product (id));
    CREATE TABLE line_note (order_id INTEGER, product_id INTEGER, note TEXT NOT NULL ON CONFLICT IGNORE,
        FOREIGN KEY (order_id, product_id) REFERENCES order_line (order_id, product_id) ON DELETE CASCADE);
    CREATE TABLE log (what TEXT, at);
    CREATE INDEX order_by_customer ON "order" (customer_id, ordered DESC);
    CREATE UNIQUE INDEX product_name ON product (name COLLATE NOCASE) WHERE stock > 0;
    CREATE INDEX customer_lower ON customer (lower(company));
    CREATE VIEW "order total" AS SELECT o.id, sum(l.amount * p.price) AS total FROM "order" o
        JOIN order_line l ON l.order_id = o.id JOIN product p ON p.id = l.product_id GROUP BY o.id;
    CREATE VIEW big_order AS SELECT * FROM "order total" WHERE total > 10;
    CREATE VIEW staff AS SELECT e."last name" AS name, b."last name" AS boss FROM employee e
        LEFT JOIN employee b ON b.id = e.boss;
    CREATE TRIGGER stock_goes AFTER INSERT ON order_line BEGIN
        UPDATE product SET stock = stock - new.amount WHERE id = new.product_id; END;
    CREATE TRIGGER price_log AFTER UPDATE OF price ON product WHEN old.price IS NOT new.price BEGIN
        INSERT INTO log (what) VALUES (new.name || ' now costs ' || new.price); END;
    CREATE TRIGGER new_staff INSTEAD OF INSERT ON staff BEGIN
        INSERT INTO employee ("last name") VALUES (new.name); END;
    INSERT INTO region VALUES (1, 'north'), (2, 'south');
    INSERT INTO territory VALUES ('01', 'one', 1), ('02', 'two', 2);
    INSERT INTO employee VALUES (1, 'Fuller', '1952-02-19', x'00ff', NULL), (2, 'Davolio', NULL, NULL, 1);
    INSERT INTO employee VALUES (9, 'Left', NULL, NULL, NULL);
    DELETE FROM employee WHERE id = 9;
    INSERT INTO employee_territory VALUES (1, '01', 1.5), (2, '01', NULL), (2, '02', 3);
    INSERT INTO customer VALUES ('ALF', 'Alfreds', 'Obere Str. 57', 'Berlin', 'DE'), ('ANA', 'Ana', NULL, 'México', 'MX');
    INSERT INTO shipper VALUES (1, 'Speedy', '555'), (2, 'United', NULL);
    INSERT INTO supplier VALUES (1, 'Exotic Liquids', 'none'), (2, 'Tokyo Traders', NULL);
    INSERT INTO category VALUES (1, 'Beverages', x'', 1), (2, 'Condiments', NULL, NULL);
    INSERT INTO product (id, name, price, stock, category_id, supplier_id)
        VALUES (1, 'Chai', 18, 39, 1, 1), (2, 'Chang', 19.5, 17, 1, 1), (5, 'Aniseed', '10', 13, 2, 2);
    INSERT INTO "order" VALUES (7, 'ALF', 1, '1996-07-04', 1), (8, 'ANA', NULL, '1996-07-05', NULL);
    INSERT INTO order_line VALUES (7, 1, 2, NULL), (7, 2, 1, 0.25), (8, 5, 3, 0);
    INSERT INTO line_note VALUES (7, 1, 'cold'), (NULL, NULL, 'lost');
    ANALYZE
    """

private let musicScript: SQL = """
    CREATE TABLE Artist (ArtistId INTEGER NOT NULL, Name NVARCHAR(120), CONSTRAINT PK_Artist PRIMARY KEY (ArtistId));
    CREATE TABLE Album (AlbumId INTEGER NOT NULL PRIMARY KEY, Title NVARCHAR(160) NOT NULL, ArtistId INTEGER NOT NULL,
        FOREIGN KEY (ArtistId) REFERENCES Artist (ArtistId) ON DELETE NO ACTION ON UPDATE NO ACTION);
    CREATE TABLE MediaType (MediaTypeId INTEGER PRIMARY KEY, Name TEXT);
    CREATE TABLE Genre (GenreId INTEGER PRIMARY KEY, Name TEXT UNIQUE ON CONFLICT REPLACE);
    CREATE TABLE Track (TrackId INTEGER NOT NULL PRIMARY KEY, Name TEXT NOT NULL, AlbumId INTEGER REFERENCES Album,
        MediaTypeId INTEGER NOT NULL REFERENCES MediaType, GenreId INTEGER REFERENCES Genre, Composer TEXT,
        Milliseconds INTEGER NOT NULL, Bytes INTEGER, UnitPrice NUMERIC(10,2) NOT NULL, CHECK (Milliseconds > 0));
    CREATE TABLE Playlist (PlaylistId INTEGER PRIMARY KEY, Name TEXT, parent INTEGER REFERENCES Playlist);
    CREATE TABLE PlaylistTrack (PlaylistId INTEGER NOT NULL REFERENCES Playlist ON DELETE CASCADE,
        TrackId INTEGER NOT NULL REFERENCES Track ON DELETE CASCADE, position INTEGER,
        CONSTRAINT PK_PlaylistTrack PRIMARY KEY (PlaylistId, TrackId));
    CREATE TABLE Customer (CustomerId INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, Email TEXT COLLATE NOCASE,
        FullName TEXT AS (FirstName || ' ' || LastName), SupportRepId INTEGER);
    CREATE TABLE Invoice (InvoiceId INTEGER PRIMARY KEY, CustomerId INTEGER NOT NULL REFERENCES Customer,
        InvoiceDate DATETIME NOT NULL, Total NUMERIC(10,2));
    CREATE TABLE InvoiceLine (InvoiceLineId INTEGER PRIMARY KEY, InvoiceId INTEGER NOT NULL REFERENCES Invoice,
        TrackId INTEGER NOT NULL REFERENCES Track, Quantity INT DEFAULT (1 + 0));
    CREATE TABLE "weird ""table" ("a b" TEXT, "select" INTEGER, "größe" REAL, [x y] TEXT, `y` ANY, PRIMARY KEY ("a b", `y`));
    CREATE TABLE setting (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
    CREATE INDEX IFK_TrackAlbum ON Track (AlbumId);
    CREATE INDEX "by größe" ON "weird ""table" ("größe" DESC);
    CREATE UNIQUE INDEX one_mail ON Customer (Email);
    CREATE VIEW TrackList AS SELECT t.Name, a.Title, r.Name AS Artist FROM Track t
        LEFT JOIN Album a ON a.AlbumId = t.AlbumId LEFT JOIN Artist r ON r.ArtistId = a.ArtistId;
    CREATE VIEW Popular AS WITH n AS (SELECT TrackId AS id, count(*) AS times FROM InvoiceLine GROUP BY 1)
        SELECT Name, times FROM Track JOIN n ON n.id = TrackId;
    CREATE TRIGGER InvoiceTotal AFTER INSERT ON InvoiceLine BEGIN
        UPDATE Invoice SET Total = (SELECT sum(UnitPrice * Quantity) FROM InvoiceLine JOIN Track
            ON Track.TrackId = InvoiceLine.TrackId WHERE InvoiceId = new.InvoiceId) WHERE InvoiceId = new.InvoiceId; END;
    CREATE TRIGGER "no Genre" BEFORE DELETE ON Genre BEGIN
        UPDATE Track SET GenreId = NULL WHERE GenreId = old.GenreId; END;
    INSERT INTO Artist VALUES (1, 'AC/DC'), (2, 'Accept');
    INSERT INTO Album VALUES (1, 'For Those About To Rock', 1), (2, 'Balls to the Wall', 2);
    INSERT INTO MediaType VALUES (1, 'MPEG'), (2, 'AAC');
    INSERT INTO Genre VALUES (1, 'Rock'), (2, 'Jazz');
    INSERT INTO Track VALUES (1, 'Rock', 1, 1, 1, 'Young', 343719, 11170334, 0.99), (2, 'Wall', 2, 2, 1, NULL, 342562, NULL, 1.99);
    INSERT INTO Playlist VALUES (1, 'Music', NULL), (2, 'Best', 1);
    INSERT INTO PlaylistTrack VALUES (1, 1, 1), (1, 2, 2), (2, 2, 1);
    INSERT INTO Customer (CustomerId, FirstName, LastName, Email) VALUES (1, 'Luís', 'Gonçalves', 'l@x'), (2, 'Leo', 'K', NULL);
    INSERT INTO Invoice VALUES (1, 1, '2009-01-01 00:00:00', 0), (2, 2, '2009-01-02 00:00:00', 0);
    INSERT INTO InvoiceLine (InvoiceId, TrackId) VALUES (1, 1), (1, 2), (2, 2);
    INSERT INTO "weird ""table" VALUES ('a', 1, 1.5, ']', 'y'), ('ß', NULL, NULL, NULL, 2);
    INSERT INTO setting VALUES ('volume', 7), ('name', 'x'), ('raw', x'00');
    ANALYZE
    """
