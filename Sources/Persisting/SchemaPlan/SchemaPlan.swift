/// What would make a database's tables match their classes, before any of it runs.
///
/// ```swift
/// let plan = try manager.schemaPlan(for: [Album.self, User.self])
/// print(plan)              // the steps, their SQL, the rows they touch, and why
/// try manager.apply(plan)  // what adds; anything else throws
/// try manager.apply(plan, allowing: .rewrites, backup: "before.sqlite")
/// ```
///
/// The same classes and the same tables give the same plan, so its description can stand in a test. Columns, indexes
/// and tables that no class has any more stay, and ``notes`` names them: `schemaPlan(for:dropping:)` drops those that
/// you name. What existing rows prevent is in ``obstacles``.
public struct SchemaPlan: Sendable {
    /// What a step does to existing rows.
    public enum Risk: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// It adds a table, a column or an index, or gives one another name. Existing values stay where they are.
        case adds
        /// It copies a table's rows into a new table, by the twelve steps that
        /// [SQLite recommends](https://www.sqlite.org/lang_altertable.html#otheralter). No value is lost.
        case rewrites
        /// It drops values.
        case loses
        /// It drops a table or a view of a prototype, whatever is in it.
        ///
        /// Such steps are in no plan but that of `updateSchema` with `allowing: .erases`: while classes change every
        /// hour and rows are worth nothing, it empties the whole database where it would have to do more than add, and
        /// creates the tables again. Each time it says so on the standard error. **Never release a program that allows
        /// it:** with the next change of a class it would delete all that its users have.
        case erases

        /// By what could be lost.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// A table, or a view, of a database.
    struct Table: Hashable, Sendable {
        let database: String
        let name: String

        init(_ database: String, _ name: String) {
            (self.database, self.name) = (database, name)
        }

        private var key: [String] { [asciiLowercased(database), asciiLowercased(name)] }

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.key == rhs.key }

        func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    /// A step of a plan.
    public struct Step: Sendable, Hashable {
        /// The table, by the name it has before the plan: `NOTE`, or `archive.NOTE` in an attached database.
        public let table: String
        /// The statements, in order.
        public let sql: [String]
        /// How many rows it copies or drops, or puts into an index.
        public let rows: Int
        /// What it does to existing rows.
        public let risk: Risk
        /// Why it is there.
        public let reason: String
        /// Whether it drops the table to rebuild it.
        let isRebuild: Bool
        let place: Table
        /// What the plan's description prints of the statements.
        let printed: [String]

        init(
            _ place: Table, title: String, sql: [String], printed: [String]? = nil, rows: Int, risk: Risk,
            reason: String, isRebuild: Bool = false
        ) {
            (self.place, table, self.sql, self.rows) = (place, title, sql, rows)
            self.printed = printed ?? sql
            (self.risk, self.reason, self.isRebuild) = (risk, reason, isRebuild)
        }
    }

    /// Something that no class has any more, and that is kept.
    public struct Note: Sendable, Hashable {
        /// The name to drop it by: `"USER.NICKNAME"` for a column, that of a table or an index for those.
        public let name: String
        /// What it is.
        public let message: String
    }

    /// Rows that prevent a step.
    public struct Obstacle: Sendable, Hashable {
        /// The table, by the name it has before the plan.
        public let table: String
        /// What is wrong with the rows, which rows they are, and what to do.
        public let message: String
        /// How many rows there are.
        public let rows: Int
    }

    /// What to do, in an order that references allow; empty when the tables have all that the classes need.
    public let steps: [Step]
    /// What no class has any more, and stays.
    public let notes: [Note]
    /// The rows that prevent the plan. While there are any, applying the plan throws.
    public let obstacles: [Obstacle]
    /// The questions that the obstacles are the answers to. They're asked again when the plan is applied.
    let checks: [RowCheck]
    /// The texts of the tables that the plan was made for, with their indexes and triggers, by their names; none of
    /// those to be created.
    let texts: [Table: [String]]
    /// The names that tables have in the end, by those that they have before.
    let newNames: [Table: String]

    init(
        steps: [Step] = [], notes: [Note] = [], obstacles: [Obstacle] = [], checks: [RowCheck] = [],
        texts: [Table: [String]] = [:], newNames: [Table: String] = [:]
    ) {
        self.steps = steps
        self.notes = notes
        self.obstacles = obstacles
        self.checks = checks
        self.texts = texts
        self.newNames = newNames
    }

    /// Plans of several databases as one.
    static func + (first: Self, second: Self) -> Self {
        Self(
            steps: first.steps + second.steps, notes: first.notes + second.notes,
            obstacles: first.obstacles + second.obstacles, checks: first.checks + second.checks,
            texts: first.texts.merging(second.texts) { first, _ in first },
            newNames: first.newNames.merging(second.newNames) { first, _ in first })
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { steps.isEmpty }

    /// The greatest risk of any step; nil for an empty plan.
    public var risk: Risk? { steps.map(\.risk).max() }
}

extension SchemaPlan.Risk: CustomStringConvertible {
    /// `adds`, `rewrites`, `loses` or `erases`.
    public var description: String {
        switch self {
        case .adds: "adds"
        case .rewrites: "rewrites"
        case .loses: "loses"
        case .erases: "erases"
        }
    }
}

extension SchemaPlan: CustomStringConvertible {
    /// The obstacles, the steps with their risk, rows, reason and SQL, then the notes.
    ///
    /// The triggers and indexes of histories and text indexes are counted. ``Step/sql`` has their SQL. A reason that
    /// two steps of a table have in common is printed once.
    public var description: String {
        var lines = obstacles.map { "In the way: \($0.message)" }
        for (number, step) in steps.enumerated() {
            let rows = step.rows == 1 ? "1 row" : "\(step.rows) rows"
            let first = steps.firstIndex { $0.place == step.place && $0.reason == step.reason } ?? number
            let reason = first < number ? "for the reason of step \(first + 1)" : step.reason
            lines.append("\(number + 1). \(step.table), \(step.risk), \(rows): \(reason)")
            for line in step.printed.joined(separator: "\n").split(separator: "\n") { lines.append("       " + line) }
        }
        if steps.isEmpty { lines.append("The tables have all that the classes need.") }
        lines += notes.map { "Stays: \($0.message)" }
        return lines.joined(separator: "\n")
    }
}

extension SchemaPlan.Step {
    /// The statements of a companion, with a comment that counts its triggers and indexes in place of their SQL.
    static func brief(_ statements: [String]) -> [String] {
        var (others, counts): ([String], [String: Int]) = ([], [:])
        for sql in statements {
            let words = sql.prefix(40).split(separator: " ").prefix(3).filter { $0 != "UNIQUE" }.prefix(2)
            let start = words.joined(separator: " ")
            if ["CREATE TRIGGER", "CREATE INDEX", "DROP TRIGGER", "DROP INDEX"].contains(start) {
                counts[start, default: 0] += 1
            } else {
                others.append(sql)
            }
        }
        for verb in ["DROP", "CREATE"] {
            let kinds = [("TRIGGER", "trigger", "triggers"), ("INDEX", "index", "indexes")]
            let parts = kinds.compactMap { kind, one, many in
                counts["\(verb) \(kind)"].map { $0 == 1 ? "1 \(one)" : "\($0) \(many)" }
            }
            if parts.isEmpty { continue }
            others.append("-- \(verb == "DROP" ? "drops" : "creates") \(parts.joined(separator: " and "))")
        }
        return others
    }
}
