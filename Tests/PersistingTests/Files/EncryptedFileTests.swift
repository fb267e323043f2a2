import Foundation
import Persisting
import PersistingDiagnostics
import Testing

// SQLite3 Multiple Ciphers comes without FTS5 here.
private let canRun = (try? Database(.memory).cipher) != nil && SQLiteLibrary.isCompiled(with: "ENABLE_FTS5")

/// `Scripts/newer-sqlite` runs them: the name is for its filter.
@Suite("Classes in an encrypted file", .enabled(if: canRun)) struct EncryptedFileKeyTests {
    private let directory: TemporaryDirectory
    private let configuration: DatabaseConfiguration

    init() throws {
        directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.key = .raw(0..<32)
        self.configuration = configuration
    }

    private func manager(_ file: String = "notes.sqlite") throws -> PersistenceManager {
        try PersistenceManager(path: directory.path(file), configuration: configuration)
    }

    @Test("are stored, planned with a backup, and found again") func plan() async throws {
        let manager = try manager()
        try await manager.execute("CREATE TABLE SECRET_NOTE (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL DEFAULT '')")
        try await manager.execute("INSERT INTO SECRET_NOTE (TITLE) VALUES ('cleartext')")
        try await manager.updateSchema(for: [SecretNote.self], backup: directory.path("backup.sqlite"))
        #expect(try await manager.count(SecretNote.where(SecretNote.text.matches("cleartext"))) == 1)
        for file in ["notes.sqlite", "backup.sqlite"] {
            let data = try Data(contentsOf: URL(filePath: directory.path(file)))
            #expect(!data.contains(Data("cleartext".utf8)) && !data.starts(with: Data("SQLite".utf8)))
        }
        #expect(try await self.manager("backup.sqlite").database.read { try $0.schema().tables.count } == 1)
        try await manager.rekey(.passphrase("another"))
        #expect(try await manager.count(SecretNote.where(SecretNote.text.matches("cleartext"))) == 1)
        let note = try await manager.fetchOne(SecretNote.rows)
        note?.body = "body"
        try await manager.save(try #require(note))
        try await manager.close()
        let error = #expect(throws: SQLiteError.self) { _ = try self.manager() }
        #expect(error?.extendedCode == .wrongKey)
    }

    @Test("are examined, with copies that are encrypted") func doctor() throws {
        do {
            let manager = try manager()
            try manager.updateSchema(for: [SecretNote.self])
            try manager.insert(SecretNote.self, values: ["title": "a", "body": "b"])
            try manager.write { db in
                try db.execute("INSERT INTO SECRET_NOTE_text (SECRET_NOTE_text) VALUES ('delete-all')")
            }
        }
        let doctor = try FileDoctor(path: directory.path("notes.sqlite"), configuration: configuration)
        #expect(try doctor.examine().contains { $0.kind == .searchIndex })
    }
}

final class SecretNote: PersistingModel {
    var id: Int64?
    var title = ""
    var body = ""

    static let text = FullTextIndex(\SecretNote.title, \SecretNote.body)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}
