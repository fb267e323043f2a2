// swift-format-ignore-file
import Foundation
import Persisting
import Testing

// F50, F51: a file goes through three releases, and keeps its rows.
struct EvolvingASchemaArticle: Article {
    func run() async throws {
        try firstRelease(path: "contacts.sqlite")
        try secondRelease(path: "contacts.sqlite")
        let manager = try await openAddressBook(path: "contacts.sqlite", progress: Progress(totalUnitCount: 0))
        let contacts = try await manager.fetchAll(Contact.self, sortedBy: "familyName")
        #expect(contacts.map(\.givenName) == ["Help", "Grace"])
        #expect(try await manager.read { try $0.scalar("SELECT count(*) FROM PHONE", as: Int.self) } == 1)
        #expect(try manager.schemaVersion == 5)
        try plans(path: "tracks.sqlite")
        try testing()
        try adopting()
    }

    private func firstRelease(path: String) throws {
        // snippet.show
        final class Contact: PersistingModel {
            var id: Int64?
            var name = ""
        }
        // snippet.hide

        // snippet.show
        let migrations = [
            Migration(
                1,
                sql: """
                    CREATE TABLE CONTACT (ID INTEGER PRIMARY KEY,
                        NAME TEXT NOT NULL DEFAULT '')
                    """)
        ]
        // snippet.hide

        // snippet.show
        let manager = try PersistenceManager(path: path, migrations: migrations)
        print(try manager.schemaVersion)                                // 1
        // snippet.hide
        try manager.insert(Contact.self, values: ["name": "Grace Hopper"])
        try manager.close()
    }

    private func secondRelease(path: String) throws {
        // snippet.show
        final class Contact: PersistingModel {
            var id: Int64?
            var name = ""
            var email: String?
        }
        // snippet.hide

        // snippet.show
        let migrations = [
            Migration(
                1,
                sql: """
                    CREATE TABLE CONTACT (ID INTEGER PRIMARY KEY,
                        NAME TEXT NOT NULL DEFAULT '')
                    """),
            Migration(
                2, "e-mail and phones",
                sql: """
                    ALTER TABLE CONTACT ADD COLUMN EMAIL TEXT;
                    CREATE TABLE PHONE (ID INTEGER PRIMARY KEY, NUMBER TEXT NOT NULL,
                        CONTACT_ID INTEGER NOT NULL
                            REFERENCES CONTACT ON DELETE CASCADE);
                    """),
        ]
        // snippet.hide
        let manager = try PersistenceManager(path: path, migrations: migrations)
        let grace = try #require(try manager.fetchOne(Contact.self))
        try manager.execute("INSERT INTO PHONE (NUMBER, CONTACT_ID) VALUES ('1', \(grace.id))")
        try manager.close()
    }

    private func thirdRelease() {
        // snippet.show
        final class Contact: PersistingModel {
            var id: Int64?
            var givenName = ""
            var familyName = ""
            var email: String?
        }
        // snippet.hide
    }

    final class Contact: PersistingModel {
        var id: Int64?
        var givenName = ""
        var email = ""
        var familyName = ""
    }

    private let migrations = [
        Migration(
            1,
            sql: """
                CREATE TABLE CONTACT (ID INTEGER PRIMARY KEY,
                    NAME TEXT NOT NULL DEFAULT '')
                """),
        Migration(2, "e-mail and phones", sql: """
            ALTER TABLE CONTACT ADD COLUMN EMAIL TEXT;
            CREATE TABLE PHONE (ID INTEGER PRIMARY KEY, NUMBER TEXT NOT NULL,
                CONTACT_ID INTEGER NOT NULL
                    REFERENCES CONTACT ON DELETE CASCADE);
            """),
        // snippet.show
        Migration(3, "given and family names") { manager in
            try manager.write { db in
                try db.execute("ALTER TABLE CONTACT RENAME COLUMN NAME TO GIVEN_NAME")
                try db.execute(
                    """
                    ALTER TABLE CONTACT
                    ADD COLUMN FAMILY_NAME TEXT NOT NULL DEFAULT ''
                    """)
                for row in try db.rows("SELECT ID, GIVEN_NAME FROM CONTACT") {
                    let id: Int64 = try row["ID"]
                    let words = try (row["GIVEN_NAME"] as String).split(separator: " ")
                    let given = words.dropLast().joined(separator: " ")
                    let family = words.last ?? ""
                    try db.execute(
                        """
                        UPDATE CONTACT
                        SET GIVEN_NAME = \(given), FAMILY_NAME = \(String(family))
                        WHERE ID = \(id)
                        """)
                }
            }
        },
        // snippet.hide
        // snippet.show
        Migration(4, "every contact has an e-mail", sql: """
            CREATE TABLE NEW_CONTACT (ID INTEGER PRIMARY KEY,
                GIVEN_NAME TEXT NOT NULL DEFAULT '',
                EMAIL TEXT NOT NULL DEFAULT '', FAMILY_NAME TEXT NOT NULL DEFAULT '');
            INSERT INTO NEW_CONTACT
                SELECT ID, GIVEN_NAME, coalesce(EMAIL, ''), FAMILY_NAME FROM CONTACT;
            DROP TABLE CONTACT;
            ALTER TABLE NEW_CONTACT RENAME TO CONTACT;
            """),
        // snippet.hide
        // snippet.show
        Migration(5, "the help desk") { manager in
            try manager.insert(
                Contact.self,
                values: [
                    "givenName": "Help", "familyName": "Desk",
                    "email": "help@example.com",
                ])
        },
        // snippet.hide
    ]

    private func plans(path: String) throws {
        func firstRelease(_ manager: PersistenceManager) throws {
            // snippet.show
            final class Track: PersistingModel {
                var id: Int64?
                var name = ""
                var seconds: String?
            }
            // snippet.hide

            // snippet.show
            try manager.updateSchema(for: [Track.self])  // creates the table
            // snippet.hide
        }
        let manager = try PersistenceManager(path: path)
        try firstRelease(manager)
        try manager.execute("INSERT INTO TRACK (NAME, SECONDS) VALUES ('So What', '562'), ('Blue in Green', NULL)")
        // snippet.show
        final class Track: PersistingModel {
            var id: Int64?
            var title = ""
            var seconds: Int?
            var album: String?

            override class var columns: Columns {
                var columns = super.columns
                columns["TITLE"] = .string.formerly("NAME")
                return columns
            }
            override class var indexes: [Index] { [Index("album")] }
        }
        // snippet.hide

        // snippet.show
        let plan = try manager.schemaPlan(for: [Track.self])
        let steps = plan.steps.map { "\($0.risk) \($0.rows)" }
        print(steps)  // ["rewrites 2", "adds 0", "adds 2"]
        print(plan.steps[1].reason)  // TITLE was called NAME
        // snippet.hide

        // snippet.show
        try manager.apply(plan, allowing: .rewrites)
        print(try manager.schemaPlan(for: [Track.self]).isEmpty)        // true
        // snippet.hide
        func json() throws {
            let manager = try PersistenceManager(.memory)
            try manager.execute("CREATE TABLE READER (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '')")
            try manager.execute("INSERT INTO READER (NAME) VALUES ('Ada')")
            do {
                // snippet.show
                struct Look: Codable, SQLiteValueConvertible {
                    var size = 12
                    var theme = "light"
                }

                final class Reader: PersistingModel {
                    var id: Int64?
                    var name = ""
                    var tags: [String] = []                                     // new
                    var look = Look()                                           // new

                    override class var columns: Columns {
                        var columns = super.columns
                        columns["TAGS"] = .json.default("[]")
                        columns["LOOK"] = .json.default(#"{"size":12,"theme":"light"}"#)
                        return columns
                    }
                }
                // snippet.hide
                try manager.updateSchema(for: [Reader.self])
                let ada = try #require(try manager.fetchOne(Reader.self))
                #expect(ada.tags == [] && ada.look.theme == "light")
                try manager.execute(#"UPDATE READER SET LOOK = '{"size":14}'"#)
                #expect(try manager.schemaPlan(for: [Reader.self]).isEmpty)
                #expect(throws: PersistenceError.self) { try manager.fetchOne(Reader.self) }
                // snippet.show
                try manager.update(Reader.where(\.id > 0), \.look.theme, to: "light")
                // snippet.hide
                #expect(try manager.fetchOne(Reader.self)?.look.theme == "light")
                #expect(try manager.fetchOne(Reader.self)?.look.size == 14)
                try manager.execute(#"UPDATE READER SET LOOK = '{"size":14}'"#)
            }
            // snippet.show
            struct Look: Codable, SQLiteValueConvertible {
                var size = 12
                var theme = "light"

                init() {}

                init(from decoder: any Decoder) throws {
                    let values = try decoder.container(keyedBy: CodingKeys.self)
                    size = try values.decodeIfPresent(Int.self, forKey: .size) ?? size
                    theme = try values.decodeIfPresent(String.self, forKey: .theme) ?? theme
                }
            }
            // snippet.hide
            final class Reader: PersistingModel {
                var id: Int64?
                var look = Look()
            }
            let look = try #require(try manager.fetchOne(Reader.self)).look
            #expect(look.size == 14 && look.theme == "light")
        }

        func olderRelease(path: String) throws {
            func open() throws {
                final class Song: PersistingModel {
                    var id: Int64?
                    var name = ""
                }
                let manager = try PersistenceManager(path: path)
                try manager.updateSchema(for: [Song.self])
                try manager.insert(Song.self, values: ["name": "Naima"])
                try manager.close()
            }
            final class Song: PersistingModel {
                var id: Int64?
                var title = ""

                override class var columns: Columns {
                    var columns = super.columns
                    columns["TITLE"] = .string.formerly("NAME")
                    return columns
                }
            }
            try open()
            do {
                // snippet.show
                let releases = [
                    Migration(1, "first release") { _ in }, Migration(2, "titles") { _ in },
                ]
                let manager = try PersistenceManager(path: path, migrations: releases)
                try manager.updateSchema(for: [Song.self], allowing: .rewrites)
                // snippet.hide
                #expect(try manager.values(Song.rows, \.title) == ["Naima"])
                try manager.close()
            }
            let error = #expect(throws: PersistenceError.self) {
                try PersistenceManager(path: path, migrations: [Migration(1, "first release") { _ in }])
            }
            #expect(error?.code == .newerDatabase)
            try open()
            let manager = try PersistenceManager(path: path)
            #expect(try manager.schemaPlan(for: [Song.self]).obstacles.count == 1)
            // snippet.show
            try manager.execute("UPDATE SONG SET TITLE = NAME WHERE NAME <> ''")
            try manager.updateSchema(
                for: [Song.self], dropping: ["SONG.NAME"], allowing: .loses)
            // snippet.hide
            #expect(try manager.values(Song.rows, \.title) == ["Naima", "Naima"])
            #expect(try manager.schemaPlan(for: [Song.self]).isEmpty)
        }
        try json()
        try olderRelease(path: "songs.sqlite")
        let migrations = [
            // snippet.show
            Migration(1, "as the classes are") { manager in
                let plan = try manager.schemaPlan(for: [Track.self])
                try manager.apply(plan, allowing: .rewrites)
            },
            // snippet.hide
        ]
        try manager.migrate(migrations)
        #expect(try manager.fetchAll(Track.self, sortedBy: "id").map(\.seconds) == [562, nil])

        // snippet.show
        try manager.alterTable("TRACK") { table in
            table.rename("ALBUM", to: "RECORD")
            table.change("SECONDS", to: .double.notNull.default(0))
            table.add("NOTE", .string)
        }
        // snippet.hide
        #expect(try manager.columnExists("RECORD", in: "TRACK"))
    }

    // snippet.show
    func openAddressBook(path: String, progress: Progress) async throws
        -> PersistenceManager
    {
        try await PersistenceManager(
            path: path, migrations: migrations, progress: progress)
    }
    // snippet.hide

    private func testing() throws {
        // snippet.show
        let manager = try PersistenceManager(.memory)
        try manager.migrate(Array(migrations.prefix(2)))
        try manager.execute("INSERT INTO CONTACT (NAME) VALUES ('Ada King Lovelace')")
        try manager.migrate(migrations)
        let ada = try manager.fetchOne(Contact.self, where: \.familyName == "Lovelace")
        print(ada?.givenName ?? "")                                     // Ada King
        // snippet.hide
    }

    private func adopting() throws {
        // snippet.show
        let adopting = [
            Migration(
                1,
                sql: """
                    CREATE TABLE IF NOT EXISTS CONTACT (ID INTEGER PRIMARY KEY,
                        NAME TEXT NOT NULL DEFAULT '')
                    """)
        ]
        // snippet.hide
        let manager = try PersistenceManager(.memory)
        try manager.execute("CREATE TABLE CONTACT (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '')")
        try manager.execute("INSERT INTO CONTACT (NAME) VALUES ('Grace Hopper')")
        try manager.migrate(adopting)
        #expect(try manager.read { try $0.scalar("SELECT count(*) FROM CONTACT", as: Int.self) } == 1)
    }
}
