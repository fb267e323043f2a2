#if Observability

    internal import Foundation
    internal import SQLiteKit

    /// The texts of statements, each looked at once while it is known.
    final class StatementTexts: Sendable {
        let values: Trace.Values
        private let lock = NSLock()
        nonisolated(unsafe) private var known: [String: StatementText] = [:]  // guarded by `lock`
        /// How many are known at most. A program that writes its values into the text has any number of texts.
        private static let limit = 1000

        init(values: Trace.Values) {
            self.values = values
        }

        /// What is said of an event's text.
        func text(of event: Trace.Event) -> StatementText {
            if let known = lock.withLock({ known[event.sql] }) { return known }
            let text = StatementText(event.sql)
            lock.withLock {
                if known.count >= Self.limit { known = [:] }
                known[event.sql] = text
            }
            return text
        }

        /// The text as it is shown.
        func shown(_ event: Trace.Event) -> String {
            values == .shown ? event.expandedSQL ?? event.sql : text(of: event).sql
        }

        /// The message of an error as it is shown. Those of some constraints name columns and no values; others may
        /// hold a value, such as those of FTS5 and of functions.
        func message(of error: SQLiteError) -> String {
            let naming: [ResultCode] = [
                .constraintUnique, .constraintPrimaryKey, .constraintNotNull, .constraintRowID, .constraintForeignKey,
            ]
            return values == .shown || naming.contains(error.extendedCode)
                ? error.message : error.extendedCode.description
        }
    }

#endif
