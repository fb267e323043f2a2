import Foundation
import Persisting
import Testing

@Suite("Rows and tables that do not fit")
struct RowErrorTests {
    /// The error of fetching a row of `Everything` in which one column holds something else.
    private func readingError(_ column: String, _ value: String) throws -> PersistenceError? {
        let manager = try memoryManager(Everything.self)
        try manager.save(Everything())
        try manager.run("UPDATE EVERYTHING SET \(column) = \(value)")
        return failure { try manager.fetchAll(Everything.self) }
    }

    @Test(
        "A stored value that the property cannot hold throws, with model, key and type",
        arguments: [
            ("int8", "128", "Int8"), ("uint8", "-1", "UInt8"), ("uint8", "256", "UInt8"), ("int16", "40000", "Int16"),
            ("int32", "2147483648", "Int32"), ("uint64", "-1", "UInt64"), ("int", "0.5", "Int"), ("int", "'a'", "Int"),
            ("int", "X'00'", "Int"), ("bool", "'yes'", "Bool"), ("double", "'a'", "Double"),
            ("float", "1e300", "Float"),
            ("string", "X'00'", "String"), ("date", "'soon'", "Date"), ("uuid", "'x'", "UUID"),
            ("decimal", "'1x'", "Decimal"),
            ("kind", "'unknown'", "Kind"), ("level", "150", "Level"), ("tags", "'{'", "Tags"), ("pair", "'1'", "Pair"),
            ("data", "5", "Data"), ("bytes", "5", "[UInt8]"),
        ])
    func mismatch(_ key: String, _ value: String, _ type: String) throws {
        // F29, Settled 9
        let error = try readingError(key.uppercased(), value)
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "Everything")
        #expect(error?.key == key)
        #expect(error?.expected == type)
    }

    @Test("An enum's unknown raw value is said")
    func rawValue() throws {
        // Settled 9
        #expect(try readingError("LEVEL", "150")?.message.contains("150") == true)
    }

    @Test("A number out of range is said")
    func number() throws {
        // Settled 9
        #expect(try readingError("INT8", "128")?.message.contains("128") == true)
    }

    @Test("The error of a row that does not fit names the SQL")
    func sql() throws {
        // Settled 9
        #expect(try readingError("INT8", "128")?.sql?.contains("SELECT") == true)
    }

    @Test("A text that is not UTF-8 throws, with model and key")
    func invalidText() throws {
        // Settled 9
        let error = try readingError("STRING", "CAST(X'FF' AS TEXT)")
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "string")
    }

    @Test("A bad row in the middle fails only its fetch")
    func middle() throws {
        // Settled 9
        let manager = try memoryManager(User.self)
        try manager.insert((0..<100).map { (number: Int) in User(name: "\(number)", age: number) })
        try manager.run("UPDATE USER SET SCORE = 'x' WHERE ID = 80")
        #expect(failure { try manager.fetchAll(User.self) }?.key == "score")
        #expect(failure { try manager.fetchAll(User.self, tracked: false) }?.key == "score")
        #expect(try manager.fetchAll(User.self, where: \.id != 80).count == 99)
        #expect(failure { try manager.find(User.self, 80) }?.key == "score")
    }

    @Test("A refresh from a bad row leaves the object as it was")
    func refresh() throws {
        // Settled 9
        let manager = try memoryManager(User.self)
        let user = User(name: "a", age: 1)
        try manager.save(user)
        try manager.run("UPDATE USER SET NAME = 'b', SCORE = 'x'")
        user.age = 2
        #expect(failure { try manager.refresh(user) }?.key == "score")
        #expect(user.name == "a")
        #expect(user.changedKeys == ["age"])
    }

    @Test("A missing table throws, by every verb, and says how to make it")
    func noTable() throws {
        // F17, F41
        let manager = try PersistenceManager(.memory)
        let user = User(name: "a")
        for error in [
            failure { try manager.save(user) }, failure { try manager.fetchAll(User.self) },
            failure { try manager.find(User.self, 1) }, failure { try manager.count(User.self) },
            failure { try manager.insert(User.self, values: ["name": "a"]) },
            failure { try manager.delete(User.self, where: \.id == 1) }, failure { try manager.deleteAll(User.self) },
        ] {
            #expect(error?.code == .noTable)
            #expect(error?.model == "User")
            #expect(error?.message.contains("createTableIfNecessary") == true)
        }
        #expect(!user.isPersisted)
    }

    @Test("A table that was dropped behind the manager's back is missing")
    func dropped() throws {
        // F17, F48
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.run("DROP TABLE USER")
        user.name = "b"
        #expect(failure { try manager.save(user) }?.code == .noTable)
        #expect(failure { try manager.fetchAll(User.self) }?.code == .noTable)
    }

    @Test("A table without one of the columns throws, names it and those there are, for reading and writing")
    func missingColumn() throws {
        // F41, F17
        let manager = try memoryManager(script: "CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME, AGE, IS_ACTIVE)")
        for error in [failure { try manager.fetchAll(User.self) }, failure { try manager.save(User(name: "a")) }] {
            #expect(error?.code == .missingColumn)
            #expect(error?.model == "User")
            #expect(error?.key == "score")
            #expect(error?.message.contains("SCORE") == true)
            #expect(error?.message.contains("ID, NAME, AGE, IS_ACTIVE") == true)
        }
    }

    @Test("A column that was dropped behind the manager's back is missing")
    func droppedColumn() throws {
        // F17, F48
        let manager = try memoryManager(User.self)
        try manager.save(User(name: "a"))
        try manager.run("ALTER TABLE USER DROP COLUMN SCORE")
        #expect(failure { try manager.fetchAll(User.self) }?.code == .missingColumn)
        #expect(failure { try manager.save(User(name: "a")) }?.code == .missingColumn)
    }
}

@Suite("Constraints")
struct ConstraintTests {
    @Test("An existing value is a constraint error with its column")
    func unique() throws {
        // F17, F16
        let manager = try memoryManager(Account.self)
        try manager.save(Account(email: "a"))
        let error = failure { try manager.save(Account(email: "a")) }
        #expect(error?.code == .constraint)
        #expect(error?.model == "Account")
        #expect(error?.sqliteError?.isConstraint(.unique) == true)
        #expect(error?.sqliteError?.columns == ["EMAIL"])
        #expect(error?.sql?.hasPrefix("INSERT INTO ACCOUNT") == true)
    }

    @Test("The key of a constraint error is the property of its column")
    func key() throws {
        // Settled 9
        let manager = try memoryManager(Account.self)
        try manager.save(Account(email: "a"))
        #expect(failure { try manager.save(Account(email: "a")) }?.key == "email")
    }

    @Test("A CHECK is a constraint error with its text")
    func check() throws {
        // F17
        let manager = try memoryManager(Account.self)
        let error = failure { try manager.save(Account(email: "a", balance: -1)) }
        #expect(error?.code == .constraint)
        #expect(error?.sqliteError?.checkName == "BALANCE >= 0")
    }

    @Test("A NOT NULL is a constraint error with its column")
    func notNull() throws {
        // F17
        let manager = try memoryManager(
            script: "CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME, AGE NOT NULL, SCORE, IS_ACTIVE)")
        let error = failure { try manager.save(User(name: "a")) }
        #expect(error?.sqliteError?.isConstraint(.notNull) == true)
        #expect(error?.sqliteError?.columns == ["AGE"])
    }

    @Test("A composite key that is taken names both columns")
    func composite() throws {
        // F17, F38
        let manager = try memoryManager(Enrolment.self)
        try manager.save(Enrolment(1, "a", nil))
        let error = failure { try manager.save(Enrolment(1, "a", 2)) }
        #expect(error?.sqliteError?.columns == ["STUDENT", "COURSE"])
    }

    @Test("A trigger that raises is a constraint error, and the object stays new")
    func trigger() throws {
        // F17
        let manager = try memoryManager(User.self)
        try manager.run("CREATE TRIGGER NO BEFORE INSERT ON USER BEGIN SELECT RAISE(ABORT, 'not today'); END")
        let user = User(name: "a")
        let error = failure { try manager.save(user) }
        #expect(error?.code == .constraint)
        #expect(error?.message == "not today")
        #expect(!user.isPersisted)
    }

    @Test("A constraint that fails inside a transaction leaves the transaction usable")
    func insideTransaction() throws {
        // F14
        let manager = try memoryManager(Account.self)
        try manager.transaction {
            try manager.save(Account(email: "a"))
            #expect(failure { try manager.save(Account(email: "a")) }?.code == .constraint)
            try manager.save(Account(email: "b"))
        }
        #expect(try manager.storedColumn("SELECT EMAIL FROM ACCOUNT") == ["a", "b"])
    }

    @Test("Raw SQL throws SQLite's error")
    func ownSQL() throws {
        // F12, F16
        let manager = try memoryManager(Account.self)
        let error = #expect(throws: SQLiteError.self) {
            try manager.execute("INSERT INTO ACCOUNT (BALANCE) VALUES (-1)")
        }
        #expect(error?.isConstraint(.check) == true)
    }
}
