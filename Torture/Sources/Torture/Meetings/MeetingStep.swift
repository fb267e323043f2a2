/// A step of a program. What isn't possible when its turn comes is skipped, so that a program without some of its steps
/// is a program, too.
enum MeetingStep {
    /// A manager begins a transaction, or a savepoint in one. While another has the lock, it waits from now on.
    case begin(Int, isAsync: Bool)
    case end(Int, Lane.End)
    /// The task of an asynchronous transaction is cancelled.
    case cancel(Int)
    case write(Int, Write, isAsync: Bool)
    /// Asynchronous writes by tasks of their own, all of them at once.
    case atOnce([(manager: Int, write: Write)])
    /// A write by another process.
    case process(Write)
    case compare(Int, Kind)
    case watch(Int, by: Int, Watching)
    case unwatch(Int)
    /// A change of the schema, by a manager or, where there is none, by another process.
    case change(SchemaChange, by: Int?)
    case exchange(Int, Kind, isCSV: Bool)
    /// The plan of a manager is empty, but for the first one of the program.
    case plan(Int)
    /// A manager copies a table, by an alteration by hand that leaves it as it was.
    case alter(Int, Alteration)
    /// A manager runs the migrations up to a version, of which the last one may throw.
    case migrate(Int, to: Int, fails: Bool)
    /// An object is read, and kept.
    case keep(Int, by: Int, Kind, [Int])
    case use(Int, Kept.Use, isAsync: Bool)
    /// A manager's last transaction is taken back, or done again.
    case reverse(Int, redoes: Bool, isAsync: Bool)
    /// All observers come to what they must have.
    case settle
}

/// A table to be copied: one with an index for full-text search, one with a history, or one with neither.
enum Alteration: CaseIterable {
    case notes, folders, journal

    /// The table, and a column of texts that is declared again.
    var column: (table: String, name: String) {
        switch self {
        case .notes: ("NOTE", "TEXT")
        case .folders: ("FOLDER", "NAME")
        case .journal: ("JOURNAL", "TEXT")
        }
    }
}

/// What is done to tables that the classes don't describe, or describe in part.
enum SchemaChange {
    case other(Int), extra, trigger, vacuum

    /// The statement, and what it makes of the tables.
    func apply(to contents: inout Contents) -> String {
        switch self {
        case .other(let number):
            let isThere = contents.others.remove(number) != nil
            if !isThere { contents.others.insert(number) }
            return isThere ? "DROP TABLE OTHER\(number)" : "CREATE TABLE OTHER\(number) (A)"
        case .extra:
            contents.hasExtra.toggle()
            return
                "ALTER TABLE NOTE \(contents.hasExtra ? "ADD" : "DROP") COLUMN EXTRA\(contents.hasExtra ? " TEXT" : "")"
        case .trigger:
            contents.hasTrigger.toggle()
            return contents.hasTrigger
                ? "CREATE TRIGGER WRITES AFTER INSERT ON NOTE BEGIN INSERT INTO JOURNAL (TEXT) VALUES (NEW.TEXT); END"
                : "DROP TRIGGER WRITES"
        case .vacuum: return "VACUUM"
        }
    }
}

/// What happens to a file, from its beginning with empty tables.
struct Program {
    var steps: [MeetingStep]
    let managers: Int
    /// Whether observers ask for commits of other processes.
    let polls: Bool
    /// The rollback journal in place of the write-ahead log.
    let hasJournal: Bool
}
