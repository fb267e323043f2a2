import Foundation
import Persisting
import PersistingDiagnostics
import SQLiteKit
import Testing

// F133
@Suite("A doctor of files") struct FileDoctorTests {
    @Test("finds each fault, and nothing else", arguments: Fault.all)
    func faults(_ fault: Fault) throws {
        let file = try CollectionFile()
        try fault.seed(file)
        let findings = try file.findings()
        #expect(Set(findings.map(\.kind)) == [fault.kind], "\(findings)")
    }

    @Test("mends what statements can mend", arguments: Fault.all.filter(\.isMendable))
    func mending(_ fault: Fault) throws {
        let file = try CollectionFile()
        try fault.seed(file)
        let doctor = try FileDoctor(path: file.path)
        #expect(try doctor.mend(doctor.examine(), allowing: .changes) == [])
    }

    @Test("finds nothing in sound files", arguments: SoundFile.all)
    func sound(_ sound: SoundFile) throws {
        let file = try CollectionFile(sound.script)
        #expect(try file.findings() == [])
    }

    @Test("changes no row unless it may") func rows() throws {
        let file = try CollectionFile()
        try file.change { db in
            try db.executeScript("UPDATE album SET artist_id = 999 WHERE id = 5; DROP INDEX album_artist")
        }
        let doctor = try FileDoctor(path: file.path)
        #expect(Set(try doctor.mend(doctor.examine()).map(\.kind)) == [.orphan])
    }

    @Test("checks the other tables where an index calls a function that isn't here") func function() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("functions.sqlite")
        let db = try Database(.file(path))
        try db.addFunction("secret", argumentCount: 1, [.deterministic]) { _ in 1 }
        try db.executeScript(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, n INT); CREATE INDEX a_n ON a (secret(n)); INSERT INTO a VALUES (1, 1);
            CREATE TABLE b (id INTEGER PRIMARY KEY, n INT); INSERT INTO b VALUES (1, 'x')
            """)
        try db.close()
        let findings = try FileDoctor(path: path).examine()
        #expect(findings.map(\.kind) == [.integrity, .unfitValue])
        #expect(findings.first?.message.contains("the table a can't be checked here") == true)
        #expect(findings.first?.message.contains("secret") == true)
    }

    @Test("offers what succeeds, and goes on after what fails") func failing() throws {
        let file = try CollectionFile(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY, code TEXT); INSERT INTO p VALUES (1, 'a'), (2, 'a'), (3, NULL);
            CREATE TABLE c (id INTEGER PRIMARY KEY, code TEXT REFERENCES p (code), p REFERENCES p);
            CREATE INDEX c_p ON c (p) WHERE p IS NOT NULL; CREATE VIEW c_code AS SELECT 1;
            CREATE TABLE u (t TEXT UNIQUE); INSERT INTO u VALUES ('1'), (x'31');
            CREATE TABLE v (t TEXT); INSERT INTO v VALUES (x'31')
            """)
        let doctor = try FileDoctor(path: file.path)
        let findings = try doctor.examine()
        #expect(findings.filter { $0.kind == .foreignKey }.map(\.remedy) == [[]])
        #expect(throws: SQLiteError.self) { try doctor.mend(findings, allowing: .changes) }
        let left = try doctor.examine()
        #expect(left.map(\.kind) == [.foreignKey, .unfitValue])
        #expect(left.last?.table == "u")
    }

    @Test("leaves alone what another form can't hold") func unfit() throws {
        let file = try CollectionFile(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at DATETIME, words TEXT);
            INSERT INTO t (at) VALUES ('2024-01-01 10:00:00'), ('2024-01-02 10:00:00'), ('2024-01-03T10:00:00Z'),
                ('2024-01-04 10:00:00'), ('2024-01-05 10:00:00'),
                ('0000-00-00'), ('2024-01-01T10:00:00.999Z'), (1704103200.75), ('2024-13-01T10:00:00');
            INSERT INTO t (words) VALUES (x'616263'), (x'ffd8ff'), (x'6100')
            """)
        let doctor = try FileDoctor(path: file.path)
        _ = try doctor.mend(doctor.examine(), allowing: .changes)
        let db = try Database(.file(file.path))
        #expect(
            try db.column("SELECT at FROM t WHERE at IS NOT NULL ORDER BY id", as: SQLiteValue.self) == [
                "2024-01-01 10:00:00", "2024-01-02 10:00:00", "2024-01-03 10:00:00", "2024-01-04 10:00:00",
                "2024-01-05 10:00:00", "0000-00-00", "2024-01-01T10:00:00.999Z", 1_704_103_200.75,
                "2024-13-01T10:00:00",
            ])
        #expect(
            try db.column("SELECT typeof(words) FROM t WHERE words IS NOT NULL ORDER BY id", as: String.self) == [
                "text", "blob", "blob",
            ])
    }

    @Test("writes nothing to the file, and prints none of its values") func readOnly() throws {
        let file = try CollectionFile()
        try file.change { db in
            try db.executeScript(
                "UPDATE album SET title = 'secret', year = 'secret', artist_id = 'secret' WHERE id = 5")
        }
        let before = try Data(contentsOf: URL(filePath: file.path))
        let findings = try file.findings()
        #expect(Set(findings.map(\.kind)) == [.orphan, .unfitValue, .searchIndex])
        #expect(!"\(findings)".contains("secret"))
        #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.directory.url.path).count == 1)
    }

    @Test("reads and moves values of many megabytes") func large() throws {
        let file = try CollectionFile(
            """
            CREATE TABLE t (a TEXT, b BLOB, c INTEGER);
            INSERT INTO t VALUES (hex(zeroblob(7500000)), zeroblob(15000000), 1);
            CREATE VIRTUAL TABLE s USING fts5(a, content='t'); INSERT INTO s (s) VALUES ('rebuild');
            CREATE TABLE big AS SELECT zeroblob(20000000) AS z; DROP TABLE big
            """)
        let doctor = try FileDoctor(path: file.path)
        #expect(try doctor.examine().map(\.kind) == [.freePages])
        #expect(try doctor.mend(doctor.examine()) == [])
        let manager = try PersistenceManager(path: file.path, configuration: FileDoctor.careful())
        #expect(try manager.modelSources().contains("var b: Data?"))
        try manager.close()
    }

    @Test("prints no control characters of names in the file") func controls() throws {
        let file = try CollectionFile(
            "CREATE TABLE \"a\u{1B}[2J\nb\" (x INTEGER); INSERT INTO \"a\u{1B}[2J\nb\" VALUES ('x')")
        let finding = try #require(file.findings().first)
        #expect(finding.table == "a\u{1B}[2J\nb")
        #expect(!finding.description.unicodeScalars.contains { $0.value < 32 })
    }

    @Test("rejects what isn't a database, and what isn't there") func others() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("text.sqlite")
        try Data(repeating: 65, count: 5000).write(to: URL(filePath: path))
        let error = #expect(throws: SQLiteError.self) { try FileDoctor(path: path) }
        #expect(error?.code == .notADatabase)
        let missing = #expect(throws: SQLiteError.self) { try FileDoctor(path: directory.path("missing.sqlite")) }
        #expect(missing?.code == .cannotOpen)
        #expect(missing.map { "\($0)".contains("missing.sqlite") } == true)
    }

    @Test("stops when its progress is cancelled") func cancelling() throws {
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        let file = try CollectionFile()
        let doctor = try FileDoctor(path: file.path)
        #expect(throws: CancellationError.self) { try doctor.examine(progress: progress) }
    }
}
