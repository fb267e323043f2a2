internal import Foundation

/// Writes the rows of an import, without objects.
final class ImportWriter {
    /// What has become of a row.
    enum Outcome {
        case inserted, updated, skipped
    }

    private let table: ModelTable
    private let planner: ImportPlanner
    private let columns: [ImportColumn]
    private let kinds: [RemoteMapping.Kind]
    private let hasKinds: Bool
    private let db: any EngineConnection
    /// The columns that have no NULL, since they find a row.
    private let keyColumns: [Int]
    @exclusivity(unchecked) private var plan: ImportPlan?
    private var plans: [ColumnSet: ImportPlan] = [:]
    private let limit = 64
    private let isOfHierarchy: Bool
    /// Whether rows may wait to be inserted by one statement.
    private let isGrouping: Bool
    /// The rows that wait, for their plan.
    private let waiting = WaitingImportRows()
    /// How many rows a statement may have, the most first.
    static let sizes = [64, 8]
    /// The place of the column that is being bound, for errors.
    @exclusivity(unchecked) private var current: Int?

    /// - Parameter isGrouping: Whether rows may wait to be inserted by one statement; see ``insertWaiting()``.
    init(_ run: borrowing ImportTarget, _ db: any EngineConnection, isGrouping: Bool = false) throws {
        self.isGrouping =
            isGrouping && run.keys.kinds.allSatisfy { $0 == .any } && !run.keys.top.hasColumnsInsideOfOthers
        run.manager.lookForSchemaOfOthers(db)
        table = run.table
        columns = run.columns
        kinds = run.keys.kinds
        hasKinds = kinds.contains { $0 != .any }
        keyColumns = run.requiredColumns
        planner = try ImportPlanner(run.table, run.conflict, defaults: run.defaults, bindsKind: run.keepsKind)
        isOfHierarchy = run.table.mapping.place != nil
        self.db = db
    }

    static var isOfAnotherClass: ImportProblem {
        ImportProblem(reason: "the row in the table is of another class, and a row's class never changes")
    }

    /// Writes a row.
    ///
    /// - Throws: ``ImportFault`` for a row that can't be taken, and other errors that end the import.
    @inline(__always)
    func write<Rows: ImportRows>(_ rows: Rows) throws -> Outcome {
        current = nil
        do {
            let plan = try plan(for: rows)
            if isGrouping {
                if waiting.plan !== plan || waiting.count == Self.sizes[0] { try insertWaiting() }
                if plan.shape != nil {
                    waiting.append(rows, plan)
                    return .inserted
                }
            }
            if try execute(rows, plan, plan.first) > 0 { return .inserted }
            guard let second = plan.second else { return .skipped }
            if try execute(rows, plan, second) > 0 { return .updated }
            if isOfHierarchy, case .update = planner.conflict { throw Self.isOfAnotherClass }
            return .skipped
        } catch {
            throw fault(error)
        }
    }

    /// Inserts the rows that wait.
    ///
    /// - Throws: ``ImportFault`` for the first that can't be taken, and other errors that end the import.
    func insertWaiting() throws {
        guard let plan = waiting.plan else { return }
        defer { waiting.removeAll() }
        var next = 0
        while next < waiting.count {
            let group = Self.sizes.indices.first { Self.sizes[$0] <= waiting.count - next }
            let some = next..<next + (group.map { Self.sizes[$0] } ?? 1)
            next = some.upperBound
            let done = group == nil ? 0 : try insert(some, plan)
            for place in some.dropFirst(done) { try insert(place, plan) }
        }
    }

    /// Inserts rows by one statement.
    ///
    /// - Returns: How many are inserted: if one of them can't be taken, those before.
    private func insert(_ places: Range<Int>, _ plan: ImportPlan) throws -> Int {
        do {
            guard let statement = try plan.statement(rows: places.count, table, db) else { return 0 }
            defer { statement.clear() }
            try statement.bindAll {
                for place in places {
                    let offset = (place - places.lowerBound) * plan.sources.count
                    try bind(plan, statement, after: offset) { waiting[place, $0] }
                }
            }
            return try statement.runInsertOrFail()
        } catch let error as SQLiteError where (error.isOfRow || error.code == .error) && db.isInTransaction {
            return 0
        } catch is ImportProblem {
            return 0
        }
    }

    /// Inserts a row that has waited by itself.
    private func insert(_ place: Int, _ plan: ImportPlan) throws {
        do {
            switch plan.first {
            case .local(let statement): try insert(place, plan, statement)
            case .other(let statement): try insert(place, plan, statement)
            }
        } catch {
            var fault = fault(error)
            if var known = fault as? ImportFault {
                let value = plan.values.firstIndex { $0.index == known.column }.map { waiting[place, $0] }
                known.row = (waiting.line(place), value?.beginning)
                fault = known
            }
            throw fault
        }
    }

    private func insert(_ place: Int, _ plan: ImportPlan, _ statement: some EngineStatement) throws {
        defer { statement.clear() }
        try statement.bindAll { try bind(plan, statement) { waiting[place, $0] } }
        current = nil
        _ = try statement.run()
    }

    @inline(__always)
    private func execute<Rows: ImportRows>(
        _ rows: Rows, _ plan: ImportPlan, _ statement: PreparedStatement
    ) throws -> Int {
        switch statement {
        case .local(let statement): try execute(rows, plan, statement)
        case .other(let statement): try execute(rows, plan, statement)
        }
    }

    @inline(__always)
    private func execute<Rows: ImportRows>(
        _ rows: Rows, _ plan: ImportPlan, _ statement: some EngineStatement
    ) throws -> Int {
        try bind(rows, plan, statement)
        defer { statement.clear() }
        return try statement.run()
    }

    private func plan<Rows: ImportRows>(for rows: Rows) throws -> ImportPlan {
        let present = rows.present
        for index in keyColumns where !present.contains(index) || rows.values[index].kind == .null {
            throw ImportProblem(reason: "the row has no value of \(table.mapping.columns[index].key), which is its key")
        }
        if let plan, plan.present == present { return plan }
        if plans.count >= limit { plans = [:] }
        let new = try plans[present] ?? planner.plan(present, columns, db)
        plans[present] = new
        plan = new
        return new
    }

    @inline(__always)
    private func bind<Rows: ImportRows>(_ rows: Rows, _ plan: ImportPlan, _ statement: some EngineStatement) throws {
        if plan.looksAtValues || plan.needsFreshObject || hasKinds { return try bindSlowly(rows, plan, statement) }
        try statement.bindAll {
            let values = rows.values
            try bind(plan, statement) { values[plan.values[$0].index] }
            if let parameter = plan.kindParameter { try statement.bind(text: rows.kind, at: parameter) }
        }
        current = nil
    }

    /// Binds the values of a row.
    ///
    /// - Parameters:
    ///   - offset: How many parameters come before its.
    ///   - value: The value of one of the plan's.
    @inline(__always)
    private func bind(
        _ plan: ImportPlan, _ statement: some EngineStatement, after offset: Int = 0, _ value: (Int) -> ImportValue
    ) throws {
        try plan.values.withUnsafeBufferPointer { parameters in
            for place in parameters.indices {
                let parameter = parameters[place]
                current = parameter.index
                let (value, position) = (value(place), offset + parameter.parameter)
                if try !parameter.form.bindPlain(value, to: statement, at: position) {
                    try columns[parameter.place].bind(value, to: statement, at: position)
                }
            }
        }
        for (parameter, value) in plan.constants { try statement.bind(value: value, at: offset + parameter) }
    }

    /// Binds values that are looked at first.
    private func bindSlowly<Rows: ImportRows>(_ rows: Rows, _ plan: ImportPlan, _ statement: some EngineStatement)
        throws
    {
        let fresh = plan.needsFreshObject ? table.mapping.modelType.init() : nil
        try statement.bindAll {
            for (position, (index, source)) in plan.sources.enumerated() {
                current = index
                let value: SQLiteValue
                switch source {
                case .value(let place):
                    try kinds[index].check(rows.values[index])
                    value = try columns[place].stored(rows.values[index])
                case .constant(let constant): value = constant
                case .fresh: value = try fresh.map { try table.mapping.stored(index, of: $0) } ?? .null
                }
                try table.checkFit(value, in: index)
                try statement.bind(value: value, at: position + 1)
            }
            if let parameter = plan.kindParameter { try statement.bind(text: rows.kind, at: parameter) }
        }
        current = nil
    }

    private func fault(_ error: any Error) -> any Error {
        if let problem = error as? ImportProblem { return ImportFault(problem, column: current, underlying: nil) }
        if let error = error as? PersistenceError, [.schemaMismatch, .missingPrimaryKeyValue].contains(error.code) {
            return ImportFault(ImportProblem(reason: error.message), column: current, underlying: error)
        }
        guard let error = error as? SQLiteError, error.isOfRow else { return error }
        let known = PersistenceError(error, table.mapping)
        let column = known.key.flatMap { key in table.mapping.columns.firstIndex { $0.key == key } }
        return ImportFault(ImportProblem(reason: error.message), column: current ?? column, underlying: known)
    }
}

/// A row of an import that can't be taken.
struct ImportFault: Error {
    let problem: ImportProblem
    /// The column whose value is at fault; nil when it is the row as a whole.
    let column: Int?
    let underlying: (any Error)?
    /// The line and the value, where it isn't the row that was read last.
    var row: (line: Int, value: String?)?

    init(_ problem: ImportProblem, column: Int?, underlying: (any Error)?) {
        self.problem = problem
        self.column = column
        self.underlying = underlying
    }
}

extension SQLiteError {
    /// Whether it is the row that SQLite rejects, and the next may be taken.
    var isOfRow: Bool { code == .constraint || code == .mismatch || code == .tooBig || code == .typeMismatch }
}

extension RemoteMapping.Kind {
    /// Throws for a value that isn't of the kind.
    func check(_ value: ImportValue) throws {
        if value.kind == .null { return }
        let isFitting: Bool
        switch self {
        case .any: return
        case .number, .truncatedNumber:
            isFitting = value.kind != .container && (value.start == nil || value.kind != .text || isNumber(value))
        case .string: isFitting = value.kind == .text || value.kind == .number
        case .bool: isFitting = value.truth != nil
        case .date: isFitting = value.kind == .text && value.trimmed.count == 10
        case .time: isFitting = value.kind == .text || value.kind == .number
        }
        let name = self == .truncatedNumber ? "number" : "\(self)"
        guard isFitting else { throw ImportProblem(reason: "the value isn't a \(name), as the remote mapping says") }
    }

    private func isNumber(_ value: ImportValue) -> Bool {
        NumberText.number(value.trimmed) != nil || NumberText.infinity(value.text) != nil
    }
}
