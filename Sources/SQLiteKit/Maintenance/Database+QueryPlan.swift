/// How SQLite will run a statement.
///
/// ```swift
/// print(
///     try db.queryPlan(of: "SELECT * FROM book WHERE year > 1970 ORDER BY title"))
/// // SEARCH book USING INDEX book_year (year>?)
/// // USE TEMP B-TREE FOR ORDER BY
/// ```
///
/// It is for people to read: the words differ between versions of SQLite. See [EXPLAIN QUERY
/// PLAN](https://www.sqlite.org/eqp.html).
public struct QueryPlan: Sendable, Hashable, CustomStringConvertible {
    /// A step of a plan.
    public struct Node: Sendable, Hashable {
        /// What SQLite says of it, such as `SCAN book`.
        public let detail: String
        /// The steps it consists of.
        public let children: [Node]
    }

    /// The outermost steps, in order; empty for a statement that has no plan.
    public let nodes: [Node]

    /// A line for each step, indented below the one it is part of.
    public var description: String { Self.lines(nodes, "").joined(separator: "\n") }

    private static func lines(_ nodes: [Node], _ indentation: String) -> [String] {
        nodes.flatMap { [indentation + $0.detail] + lines($0.children, indentation + "  ") }
    }
}

extension Database {
    /// How SQLite will run a statement, which is not run.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - arguments: Values for its parameters; without any, they are NULL, which hardly ever changes the plan.
    /// - Throws: ``SQLiteError``.
    public func queryPlan(of sql: SQL, _ arguments: Arguments = []) throws(SQLiteError) -> QueryPlan {
        let statement = try prepare(SQL("EXPLAIN QUERY PLAN " + sql.sql), cached: false)
        let given = sql.arguments + arguments
        let none = Arguments(Array(repeating: SQLiteValue.null, count: statement.parameterCount))
        let rows = try statement.query(given.isEmpty ? none : given)
        var steps: [(id: Int, parent: Int, detail: String)] = []
        while let row = try rows.next() { steps.append((try row[0], try row[1], try row[3])) }
        func children(of parent: Int) -> [QueryPlan.Node] {
            // A step comes after the one it is part of.
            steps.filter { $0.parent == parent && $0.id > parent }
                .map { QueryPlan.Node(detail: $0.detail, children: children(of: $0.id)) }
        }
        return QueryPlan(nodes: children(of: 0))
    }
}
