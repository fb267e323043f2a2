#if Observability

    internal import Foundation
    internal import PersistingDiagnostics
    internal import SQLiteKit

    /// Logs slow statements with their plans and with the indexes that would help.
    final class SlowStatements: Sendable {
        let limit: Duration
        private let log: StatementLog
        private let lock = NSLock()
        nonisolated(unsafe) private var known: [String: (advice: [String], version: Int?)] = [:]  // guarded by `lock`
        /// How many statements' advice is known at most.
        private static let knownLimit = 1000
        /// How many rows a table has at least for its scan to be told.
        private static let minimumRows = 1000

        init(_ log: StatementLog, _ limit: Duration) {
            self.log = log
            self.limit = limit
        }

        /// Logs the slow statements of an access, whose connection is still there to ask.
        func accessEnded(_ report: AccessReport, _ db: Database) {
            for event in report.slow where event.duration >= limit {
                let plan = event.kind == .explain ? nil : try? db.queryPlan(of: SQL(event.sql)).description
                log.receive(slow: event, plan: plan.flatMap { $0.isEmpty ? nil : $0 }, advice: advice(on: event, db))
            }
        }

        /// Logs a slow statement of a connection that can't be asked.
        func receive(_ event: Trace.Event) {
            if event.duration >= limit { log.receive(slow: event, plan: nil, advice: []) }
        }

        /// The advice on a statement, which is looked for once as long as the schema stays the same.
        private func advice(on event: Trace.Event, _ db: Database) -> [String] {
            guard [.select, .insert, .replace, .update, .delete].contains(event.kind) else { return [] }
            // A change of the schema may have followed the advice.
            let version = try? db.scalar("PRAGMA schema_version", as: Int.self)
            if let last = lock.withLock({ known[event.sql] }), last.version == version { return last.advice }
            // A statement that can't be judged, such as one on a table that has gone, is logged without advice.
            let lint = try? QueryLint(db, minimumRows: Self.minimumRows)
            let found = (try? lint?.advice(on: event.sql)) ?? []
            let advice = found.compactMap(\.remedy).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            // A table that is small now may grow.
            guard !advice.isEmpty else { return advice }
            lock.withLock {
                if known.count >= Self.knownLimit { known = [:] }
                known[event.sql] = (advice, version)
            }
            return advice
        }
    }

#endif
