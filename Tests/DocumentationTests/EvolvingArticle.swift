// swift-format-ignore-file
import Foundation
import Persisting
import Testing

// The snippets of Evolving a Schema, word for word: compiled here, and compared with the article by SnippetTests.

private enum FirstRelease {
    final class Contact: PersistingModel {
        var id: Int64?
        var name = ""
    }

    static func open(path: String) throws -> PersistenceManager {
        let migrations = [
            Migration(1, sql: "CREATE TABLE CONTACT (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '')"),
        ]
        let manager = try PersistenceManager(path: path, migrations: migrations)
        print(try manager.schemaVersion)                                // 1
        return manager
    }
}

private enum SecondRelease {
    final class Contact: PersistingModel {
        var id: Int64?
        var name = ""
        var email: String?
    }

    static func open(path: String) throws -> PersistenceManager {
        let migrations = [
            Migration(1, sql: "CREATE TABLE CONTACT (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '')"),
            Migration(2, "e-mail and phones", sql: """
                ALTER TABLE CONTACT ADD COLUMN EMAIL TEXT;
                CREATE TABLE PHONE (ID INTEGER PRIMARY KEY, NUMBER TEXT NOT NULL,
                    CONTACT_ID INTEGER NOT NULL REFERENCES CONTACT ON DELETE CASCADE);
                """),
        ]
        return try PersistenceManager(path: path, migrations: migrations)
    }
}

private enum ThirdRelease {
    final class Contact: PersistingModel {
        var id: Int64?
        var givenName = ""
        var email = ""
        var familyName = ""
    }

    static let migrations = [
        Migration(1, sql: "CREATE TABLE CONTACT (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '')"),
        Migration(2, "e-mail and phones", sql: """
            ALTER TABLE CONTACT ADD COLUMN EMAIL TEXT;
            CREATE TABLE PHONE (ID INTEGER PRIMARY KEY, NUMBER TEXT NOT NULL,
                CONTACT_ID INTEGER NOT NULL REFERENCES CONTACT ON DELETE CASCADE);
            """),
        Migration(3, "given and family names") { manager in
            try manager.write { db in
                try db.execute("ALTER TABLE CONTACT RENAME COLUMN NAME TO GIVEN_NAME")
                try db.execute("ALTER TABLE CONTACT ADD COLUMN FAMILY_NAME TEXT NOT NULL DEFAULT ''")
                for row in try db.rows("SELECT ID, GIVEN_NAME FROM CONTACT") {
                    let id: Int64 = try row["ID"]
                    let words = try (row["GIVEN_NAME"] as String).split(separator: " ")
                    let (given, family) = (words.dropLast().joined(separator: " "), words.last ?? "")
                    try db.execute("UPDATE CONTACT SET GIVEN_NAME = \(given), FAMILY_NAME = \(String(family)) WHERE ID = \(id)")
                }
            }
        },
        Migration(4, "every contact has an e-mail", sql: """
            CREATE TABLE NEW_CONTACT (ID INTEGER PRIMARY KEY, GIVEN_NAME TEXT NOT NULL DEFAULT '', EMAIL TEXT NOT NULL DEFAULT '',
                FAMILY_NAME TEXT NOT NULL DEFAULT '');
            INSERT INTO NEW_CONTACT SELECT ID, GIVEN_NAME, coalesce(EMAIL, ''), FAMILY_NAME FROM CONTACT;
            DROP TABLE CONTACT;
            ALTER TABLE NEW_CONTACT RENAME TO CONTACT;
            """),
        Migration(5, "the help desk") { manager in
            try manager.insert(Contact.self, values: ["givenName": "Help", "familyName": "Desk", "email": "help@example.com"])
        },
    ]

    static func openAddressBook(path: String, progress: Progress) async throws -> PersistenceManager {
        func openAddressBook(path: String, progress: Progress) async throws -> PersistenceManager {
            try await PersistenceManager(path: path, migrations: migrations, progress: progress)
        }
        return try await openAddressBook(path: path, progress: progress)
    }

    static func testing() throws -> String? {
        let manager = try PersistenceManager(.memory)
        try manager.migrate(Array(migrations.prefix(2)))
        try manager.execute("INSERT INTO CONTACT (NAME) VALUES ('Ada King Lovelace')")
        try manager.migrate(migrations)
        let ada = try manager.fetchOne(Contact.self, where: \.familyName == "Lovelace")
        print(ada?.givenName ?? "")                                     // Ada King
        return ada?.givenName
    }
}

/// What Evolving a Schema shows runs, one release after the other on one file.
@Suite struct EvolvingArticleTests {
    // F50, F51
    @Test("a file goes through three releases, and keeps its rows")
    func releases() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
        // Nothing can be done about files that stay.
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
        let first = try FirstRelease.open(path: file.path)
        try await first.insert(FirstRelease.Contact.self, values: ["name": "Grace Hopper"])
        try first.close()
        let second = try SecondRelease.open(path: file.path)
        let grace = try #require(try await second.fetchOne(SecondRelease.Contact.self))
        try await second.execute("INSERT INTO PHONE (NUMBER, CONTACT_ID) VALUES ('1', \(grace.id))")
        try second.close()
        let third = try await ThirdRelease.openAddressBook(path: file.path, progress: Progress(totalUnitCount: 0))
        let contacts = try await third.fetchAll(ThirdRelease.Contact.self, sortedBy: "familyName")
        #expect(contacts.map(\.givenName) == ["Help", "Grace"])
        #expect(try await third.read { try $0.scalar("SELECT count(*) FROM PHONE", as: Int.self) } == 1)
        #expect(try third.schemaVersion == 5)
    }

    @Test("a test brings a database to an earlier version and goes on")
    func testing() throws {
        #expect(try ThirdRelease.testing() == "Ada King")
    }
}
