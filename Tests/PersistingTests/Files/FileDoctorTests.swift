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

    @Test("finds the rows without a parent that SQLite finds, and clears no more than it must") func orphans() throws {
        let file = try CollectionFile(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY, parent_id REFERENCES parent (id));
            INSERT INTO parent VALUES (1, NULL), (2, 1), (3, 9);
            CREATE TABLE code (k TEXT PRIMARY KEY); INSERT INTO code VALUES ('1');
            CREATE TABLE item (id INTEGER PRIMARY KEY, k REFERENCES code (k)); INSERT INTO item VALUES (1, 1), (2, 2);
            CREATE TABLE album (tenant INT, id INT, PRIMARY KEY (tenant, id)); INSERT INTO album VALUES (1, 1);
            CREATE TABLE track (id INTEGER PRIMARY KEY, tenant INT NOT NULL, album INT,
                FOREIGN KEY (tenant, album) REFERENCES album);
            INSERT INTO track VALUES (1, 1, 1), (2, 1, 7);
            CREATE INDEX a ON parent (parent_id); CREATE INDEX b ON item (k); CREATE INDEX c ON track (tenant, album)
            """)
        let doctor = try FileDoctor(path: file.path)
        let findings = try doctor.examine().filter { $0.kind == .orphan }
        #expect(findings.map(\.table) == ["parent", "item", "track"])
        #expect(findings.allSatisfy { $0.message.hasPrefix("1 row") })
        _ = try doctor.mend(findings, allowing: .changes)
        let db = try Database(.file(file.path))
        #expect(
            try db.column("SELECT parent_id FROM parent ORDER BY id", as: SQLiteValue.self) == [.null, 1, .null])
        #expect(try db.column("SELECT k FROM item ORDER BY id", as: SQLiteValue.self) == [1, .null])
        #expect(try db.column("SELECT tenant FROM track ORDER BY id", as: SQLiteValue.self) == [1, 1])
        #expect(try db.column("SELECT album FROM track ORDER BY id", as: SQLiteValue.self) == [1, .null])
    }

    @Test("leaves views of other programs' modules, and rows left out of an index, unless it may")
    func leftAlone() throws {
        let file = try CollectionFile(
            """
            CREATE TABLE t (a TEXT, hidden INT); INSERT INTO t VALUES ('seen', 0), ('hid', 1);
            CREATE VIRTUAL TABLE s USING fts5(a, content='t'); INSERT INTO s (rowid, a) VALUES (1, 'seen');
            CREATE VIEW numbers AS SELECT * FROM secret_series(1, 5)
            """)
        let doctor = try FileDoctor(path: file.path)
        #expect(try doctor.mend(doctor.examine()).map(\.kind) == [.searchIndex])
        let db = try Database(.file(file.path))
        #expect(try db.scalar("SELECT count(*) FROM s WHERE s MATCH 'hid'", as: Int.self) == 0)
    }

    @Test("leaves fractions that SQLite's functions would round") func fractions() throws {
        let file = try CollectionFile(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at DATETIME);
            INSERT INTO t (at) VALUES (1700000001), (1700000002), (1700000003), (1700000000000400), (1700000000000000),
                ('2024-01-01T10:00:00.0004Z')
            """)
        let doctor = try FileDoctor(path: file.path)
        _ = try doctor.mend(doctor.examine(), allowing: .changes)
        #expect(
            try Database(.file(file.path)).column("SELECT at FROM t ORDER BY id", as: SQLiteValue.self) == [
                1_700_000_001, 1_700_000_002, 1_700_000_003, 1_700_000_000_000_400, 1_700_000_000,
                "2024-01-01T10:00:00.0004Z",
            ])
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
