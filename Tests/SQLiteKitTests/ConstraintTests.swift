import SQLiteKit
import Testing

@Suite("Constraints")
struct ConstraintTests {
    private func error(_ schema: String, _ sql: String) throws -> SQLiteError? {
        let db = try memory(schema)
        return failure { try db.execute(SQL(sql)) }
    }

    // K1
    @Test("UNIQUE names its table and columns")
    func unique() throws {
        let error = try error(
            "CREATE TABLE user (email, tenant, UNIQUE (email, tenant)); INSERT INTO user VALUES ('a', 1)",
            "INSERT INTO user VALUES ('a', 1)")
        #expect(error?.code == .constraint)
        #expect(error?.extendedCode == .constraintUnique)
        #expect(error?.constraint == .unique)
        #expect(error?.table == "user")
        #expect(error?.columns == ["email", "tenant"])
        #expect(error?.sql == "INSERT INTO user VALUES ('a', 1)")
    }

    // K1
    @Test("a unique index names its table and columns")
    func uniqueIndex() throws {
        let error = try error(
            "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a); INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)")
        #expect(error?.isConstraint(.unique) == true)
        #expect(error?.table == "t")
        #expect(error?.columns == ["a"])
    }

    // K1
    @Test("a unique index on an expression names no column")
    func uniqueExpression() throws {
        let error = try error(
            "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (lower(a)); INSERT INTO t VALUES ('x')",
            "INSERT INTO t VALUES ('X')")
        #expect(error?.isConstraint(.unique) == true)
        #expect(error?.table == nil)
        #expect(error?.columns == [])
    }

    // K1
    @Test("PRIMARY KEY names its table and columns")
    func primaryKey() throws {
        let error = try error(
            "CREATE TABLE t (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO t VALUES (1, 2)",
            "INSERT INTO t VALUES (1, 2)")
        #expect(error?.constraint == .primaryKey)
        #expect(error?.table == "t")
        #expect(error?.columns == ["a", "b"])
    }

    // K1
    @Test("an INTEGER PRIMARY KEY is a primary key")
    func integerPrimaryKey() throws {
        let error = try error(
            "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)")
        #expect(error?.constraint == .primaryKey)
        #expect(error?.columns == ["id"])
    }

    // K1
    @Test("a row identifier that is taken is named")
    func rowID() throws {
        let error = try error(
            "CREATE TABLE t (a); INSERT INTO t (rowid, a) VALUES (1, 1)", "INSERT INTO t (rowid, a) VALUES (1, 2)")
        #expect(error?.constraint == .rowID)
        #expect(error?.table == "t")
        #expect(error?.columns == ["rowid"])
    }

    // K1
    @Test("NOT NULL names its table and column")
    func notNull() throws {
        let error = try error("CREATE TABLE t (a, b NOT NULL)", "INSERT INTO t (a) VALUES (1)")
        #expect(error?.constraint == .notNull)
        #expect(error?.table == "t")
        #expect(error?.columns == ["b"])
    }

    // K1
    @Test("CHECK tells its name, or its text")
    func check() throws {
        let named = try error("CREATE TABLE t (a, CONSTRAINT positive CHECK (a > 0))", "INSERT INTO t VALUES (0)")
        #expect(named?.constraint == .check)
        #expect(named?.checkName == "positive")
        #expect(named?.table == nil)
        let unnamed = try error("CREATE TABLE t (a CHECK (a > 0))", "INSERT INTO t VALUES (0)")
        #expect(unnamed?.checkName == "a > 0")
    }

    // K1
    @Test(
        "a foreign key without its parent is rejected, and its table and column are named",
        arguments: ["INSERT INTO c VALUES (1)", "UPDATE c SET p = 1", "REPLACE INTO c VALUES (1)"])
    func foreignKey(_ sql: String) throws {
        let schema = """
            CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p); CREATE TABLE d (c REFERENCES p);
            INSERT INTO c VALUES (NULL)
            """
        let error = try error(schema, sql)
        #expect(error?.constraint == .foreignKey)
        #expect(error?.table == "c")
        #expect(error?.columns == ["p"])
        #expect(error?.message == "FOREIGN KEY constraint failed: c.p refers to no row of p")
    }

    // K1
    @Test("a foreign key of several columns is named with all of them")
    func foreignKeyOfColumns() throws {
        let schema = """
            CREATE TABLE p (a, b, PRIMARY KEY (a, b)); CREATE TABLE c (x, y, FOREIGN KEY (x, y) REFERENCES p)
            """
        #expect(try error(schema, "INSERT INTO c VALUES (1, 2)")?.columns == ["x", "y"])
    }

    // K1
    @Test("of several foreign keys the error says which it may be")
    func foreignKeys() throws {
        let schema = """
            CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE q (id INTEGER PRIMARY KEY);
            CREATE TABLE c (p REFERENCES p, q REFERENCES q)
            """
        let error = try error(schema, "INSERT INTO c VALUES (1, 1)")
        #expect(error?.message == "FOREIGN KEY constraint failed: one of c.p (to p), c.q (to q)")
        #expect(error?.table == nil)
        let row = schema + "; INSERT INTO c VALUES (NULL, NULL)"
        #expect(try self.error(row, "UPDATE c SET q = 1")?.columns == ["q"])
    }

    private static let twoParents = """
        CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE q (id INTEGER PRIMARY KEY);
        CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p, q REFERENCES q);
        INSERT INTO p VALUES (1); INSERT INTO q VALUES (1); INSERT INTO c VALUES (1, 1, 1)
        """

    // K1
    @Test(
        "of several foreign keys the row's values tell which it is",
        arguments: [
            ("INSERT INTO c VALUES (2, 1, 9)", "q"), ("INSERT INTO c VALUES (2, 9, NULL)", "p"),
            ("UPDATE c SET p = 1, q = 9", "q"), ("UPDATE c SET p = 9, q = q WHERE id = 1", "p"),
            ("INSERT INTO c SELECT 2, id, id + 1 FROM p", "q"), ("REPLACE INTO c VALUES (1, 9, 1)", "p"),
            ("INSERT INTO c VALUES (2, 9, 1) RETURNING id", "p"),
        ])
    func chosenByValues(_ sql: String, _ column: String) throws {
        let error = try error(Self.twoParents, sql)
        #expect(error?.table == "c")
        #expect(error?.columns == [column])
    }

    // K1
    @Test("a statement that is looked into leaves no trace", arguments: [false, true])
    func noTrace(inTransaction: Bool) throws {
        let db = try memory(Self.twoParents)
        let calls = Shared(0)
        try db.setUpdateHook { _ in calls.update { $0 += 1 } }
        if inTransaction { try db.executeScript("BEGIN; INSERT INTO p VALUES (2)") }
        let before = calls.value
        #expect(failure { try db.execute("INSERT INTO c VALUES (2, 1, 9)") }?.columns == ["q"])
        #expect(calls.value == before)
        #expect(db.isInTransaction == inTransaction)
        // The check isn't put off any more.
        #expect(failure { try db.execute("INSERT INTO c VALUES (2, 1, 9)") }?.columns == ["q"])
        if inTransaction { try db.execute("COMMIT") }
        #expect(try db.scalar("SELECT count(*) FROM p", as: Int.self) == (inTransaction ? 2 : 1))
        #expect(try db.scalar("SELECT count(*) FROM c", as: Int.self) == 1)
        try db.execute("INSERT INTO c VALUES (2, 1, 1)")
        #expect(calls.value == before + 1)
    }

    // K1
    @Test("a query that stands on a row goes on while a foreign key is looked for")
    func queryGoesOn() throws {
        let db = try memory(Self.twoParents + "; INSERT INTO p VALUES (2), (3)")
        let rows = try db.query("SELECT id FROM p")
        _ = try rows.next()
        #expect(failure { try db.execute("INSERT INTO c VALUES (2, 1, 9)") }?.columns == ["q"])
        #expect(try rows.next()?.value(at: 0, as: Int.self) == 2)
    }

    // K1
    @Test("the foreign key of a row that a trigger writes is named")
    func trigger() throws {
        let schema = """
            CREATE TABLE t (a); CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p);
            CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO c VALUES (NEW.a); END
            """
        #expect(
            try error(schema, "INSERT INTO t VALUES (5)")?.message
                == "FOREIGN KEY constraint failed: c.p refers to no row of p")
    }

    // K1
    @Test("the foreign key that stops a cascade is named")
    func cascade() throws {
        let schema = """
            CREATE TABLE p (id INTEGER PRIMARY KEY);
            CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE);
            CREATE TABLE d (c REFERENCES c); CREATE TABLE e (c REFERENCES c);
            INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1); INSERT INTO d VALUES (NULL); INSERT INTO e VALUES (1)
            """
        #expect(
            try error(schema, "DELETE FROM p")?.message
                == "FOREIGN KEY constraint failed: e.c still refers to the row of c")
    }

    // K1
    @Test(
        "a foreign key of an attached database is named, at once and by COMMIT",
        arguments: ["", "DEFERRABLE INITIALLY DEFERRED"])
    func attached(_ deferred: String) throws {
        let db = try memory(Self.twoParents)
        try db.attach(.memory, as: "other")
        try db.executeScript("CREATE TABLE other.p (id INTEGER PRIMARY KEY)")
        try db.executeScript("CREATE TABLE other.d (x REFERENCES p \(sql: SQL(deferred)))")
        let error = failure { try db.transaction { try db.execute("INSERT INTO other.d VALUES (1)") } }
        #expect(error?.table == "d")
        #expect(error?.columns == ["x"])
    }

    // K1
    @Test("a foreign key that COMMIT checks is named, with its row")
    func deferredForeignKey() throws {
        let db = try memory(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY);
            CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p DEFERRABLE INITIALLY DEFERRED)
            """)
        let error = failure { try db.transaction { try db.execute("INSERT INTO c VALUES (7, 1)") } }
        #expect(error?.constraint == .foreignKey)
        #expect(error?.table == "c")
        #expect(error?.columns == ["p"])
        #expect(error?.message.hasSuffix("in the row with the identifier 7") == true)
        #expect(!db.isInTransaction)
    }

    // K1
    @Test("a parent that has children is kept")
    func parent() throws {
        let schema = """
            CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p);
            INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)
            """
        let error = try error(schema, "DELETE FROM p")
        #expect(error?.constraint == .foreignKey)
        #expect(error?.table == "c")
        #expect(error?.columns == ["p"])
        #expect(error?.message == "FOREIGN KEY constraint failed: c.p still refers to the row of p")
    }

    // K1
    @Test("a trigger's RAISE is a trigger's error, in its words")
    func raise() throws {
        let error = try error(
            "CREATE TABLE t (a); CREATE TRIGGER r BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'not today'); END",
            "INSERT INTO t VALUES (1)")
        #expect(error?.constraint == .trigger)
        #expect(error?.message == "not today")
    }

    // K1
    @Test("a value of the wrong type for a STRICT table names table and column")
    func datatype() throws {
        let error = try error("CREATE TABLE t (a INTEGER) STRICT", "INSERT INTO t VALUES ('x')")
        #expect(error?.constraint == .datatype)
        #expect(error?.table == "t")
        #expect(error?.columns == ["a"])
    }

    // K1
    @Test("a table whose name has a dot or a blank is named whole")
    func oddTable() throws {
        let error = try error("CREATE TABLE \"my. table\" (a NOT NULL)", "INSERT INTO \"my. table\" VALUES (NULL)")
        #expect(error?.table == "my. table")
        #expect(error?.columns == ["a"])
    }

    // K1
    @Test("an error that isn't a constraint's is none")
    func none() throws {
        let error = try error("", "nonsense")
        #expect(error?.constraint == nil)
        #expect(error?.isConstraint() == false)
        #expect(error?.isConstraint(.unique) == false)
    }

    // K1
    @Test("any constraint can be asked for")
    func any() throws {
        let error = try error("CREATE TABLE t (a NOT NULL)", "INSERT INTO t VALUES (NULL)")
        #expect(error?.isConstraint() == true)
        #expect(error?.isConstraint(.unique) == false)
    }

    // K2
    @Test("a catch knows that the error is a SQLiteError")
    func catchClause() throws {
        let db = try memory("CREATE TABLE user (email UNIQUE); INSERT INTO user VALUES ('a')")
        var caught: [String] = []
        do {
            try db.execute("INSERT INTO user VALUES ('a')")
        } catch {
            if error.isConstraint(.unique) { caught = error.columns }
        }
        #expect(caught == ["email"])
    }

    // K1
    @Test("foreign keys are enforced unless the configuration says otherwise")
    func foreignKeysOff() throws {
        var configuration = DatabaseConfiguration()
        configuration.foreignKeys = false
        let db = try memory("CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p)", configuration)
        #expect(try db.execute("INSERT INTO c VALUES (1)") == 1)
    }
}
