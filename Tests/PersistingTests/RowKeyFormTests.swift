import Foundation
import Persisting
import Testing

private final class Portion: PersistingModel {
    var dish = 0
    var size: String?
    var price = 0
    override class var primaryKey: PrimaryKey { .fromSchema }
}

private final class Member: PersistingModel {
    var id: Int64?
    var email = ""
    var left = 0
    var visits = 0
    override class var indexes: [Index] { [.unique("email", where: "LEFT = 0")] }

    convenience init(_ email: String, left: Int = 0, visits: Int = 0) {
        self.init()
        (self.email, self.left, self.visits) = (email, left, visits)
    }
}

private final class Sheet: PersistingModel {
    var id: Int64?
    var a = 0
    var b = 0
}

@Suite("Keys with NULL, partial unique indexes and columns that become generated") struct RowKeyFormTests {
    private func portions() throws -> PersistenceManager {
        try memoryManager(
            script: """
                CREATE TABLE PORTION (DISH INTEGER NOT NULL, SIZE TEXT, PRICE INTEGER NOT NULL,
                    PRIMARY KEY (DISH, SIZE));
                INSERT INTO PORTION VALUES (1, NULL, 1), (1, 'small', 2), (2, NULL, 3), (2, NULL, 4)
                """)
    }

    @Test("A row with NULL in its composite key is saved, read again and deleted") func nullInKey() async throws {
        // F36
        let manager = try portions()
        let portion = try #require(try await manager.fetchOne(Portion.self, where: \.dish == 1 && \.size == nil))
        portion.price = 10
        try await manager.save(portion)
        portion.price = 11
        try await manager.save([portion])
        try await manager.refresh(portion)
        #expect(portion.price == 11)
        #expect(try manager.storedColumn("SELECT PRICE FROM PORTION") == [11, 2, 3, 4])
        #expect(try await manager.delete(portion))
        #expect(try manager.storedColumn("SELECT PRICE FROM PORTION") == [2, 3, 4])
    }

    @Test("Rows that have the same key, because it has NULL in it, aren't written as one") func sameKey() throws {
        // F36
        let manager = try portions()
        let portion = try #require(try manager.fetchOne(Portion.self, where: \.price == 3))
        portion.price = 10
        #expect(failure { try manager.save(portion) }?.code == .conflict)
        #expect(failure { try manager.delete(portion) }?.code == .conflict)
        #expect(failure { try manager.refresh(portion) }?.code == .conflict)
        #expect(try manager.storedColumn("SELECT PRICE FROM PORTION") == [1, 2, 3, 4])
    }

    @Test("An upsert finds a row by a partial unique index") func partialIndex() async throws {
        // F56
        let manager = try memoryManager(Member.self)
        try await manager.insert(Member("a", left: 1, visits: 7))
        try await manager.upsert(Member("a", visits: 1), by: ["email"])
        try await manager.upsert([Member("a", visits: 2), Member("b", visits: 3)], by: ["email"])
        // A row that the index leaves out conflicts with none.
        try await manager.upsert(Member("a", left: 1, visits: 8), by: ["email"])
        let csv = Data("email,visits\na,4\n".utf8)
        _ = try await manager.importCSV(Member.self, contentsOf: csv, onConflict: .update(by: "email"))
        #expect(try manager.storedColumn("SELECT EMAIL || VISITS FROM MEMBER") == ["a7", "a4", "b3", "a8"])
    }

    @Test("An upsert by what only an index on an expression has says so") func expressionIndex() throws {
        // F56
        let manager = try memoryManager(Sheet.self)
        try manager.run("CREATE UNIQUE INDEX SHEET_ABS ON SHEET (abs(A))")
        let error = failure { try manager.upsert(Sheet(), by: ["a"]) }
        #expect(error?.code == .noUniqueConstraint)
        #expect(error?.message.contains("SHEET_ABS") == true)
    }

    @Test(
        "A save writes the rest, and reads what another connection has had the table compute", arguments: [true, false])
    func becomesGenerated(ofSeveral: Bool) async throws {
        // F14
        let folder = try TemporaryDirectory()
        let manager = try PersistenceManager(.file(folder.path()))
        let other = try DatabaseQueue(.file(folder.path()))
        try await manager.createTableIfNecessary(for: Sheet.self)
        for isSuspended in [true, false] {
            try await other.write { db in
                try db.executeScript(
                    "DROP TABLE SHEET; CREATE TABLE SHEET (ID INTEGER PRIMARY KEY, A INTEGER NOT NULL, B INTEGER NOT NULL)"
                )
            }
            let sheet = Sheet()
            try await manager.insert(sheet)
            try await other.write { db in
                try db.executeScript(
                    """
                    DROP TABLE SHEET;
                    CREATE TABLE SHEET (ID INTEGER PRIMARY KEY, A INTEGER NOT NULL, B INTEGER NOT NULL AS (A * 2));
                    INSERT INTO SHEET (ID, A) VALUES (1, 0)
                    """)
            }
            if ofSeveral { sheet.a = 4 }
            sheet.b = 77
            if isSuspended { try await manager.save(sheet) } else { try save(sheet, manager) }
            #expect(sheet.b == sheet.a * 2 && !sheet.hasChanges)
            #expect(try manager.stored("SELECT A + B FROM SHEET") == .integer(ofSeveral ? 12 : 0))
        }
    }

    private func save(_ sheet: Sheet, _ manager: PersistenceManager) throws { try manager.save(sheet) }
}
