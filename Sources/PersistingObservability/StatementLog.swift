#if Observability

    internal import Logging
    internal import SQLiteKit

    /// Logs statements.
    struct StatementLog: Sendable {
        private let logger: Logger
        let texts: StatementTexts

        init(_ logger: Logger, _ texts: StatementTexts) {
            self.logger = logger
            self.texts = texts
        }

        /// Logs a statement that has ended.
        func receive(_ event: Trace.Event) {
            let text = texts.text(of: event).summary
            if let error = event.error {
                // The program has cancelled its task, which is no fault.
                let level = error.code == .interrupt ? Logger.Level.debug : .warning
                logger.log(level: level, "\(text) failed", metadata: metadata(event))
            } else {
                logger.log(level: event.isInternal ? .trace : .debug, "\(text)", metadata: metadata(event))
            }
        }

        /// Logs a slow statement.
        ///
        /// - Parameters:
        ///   - plan: What SQLite does for it; nil where nobody could ask.
        ///   - advice: The indexes that would help.
        func receive(slow event: Trace.Event, plan: String?, advice: [String]) {
            var metadata = metadata(event)
            if let plan { metadata["plan"] = "\(plan)" }
            if !advice.isEmpty { metadata["advice"] = "\(advice.joined(separator: "\n"))" }
            logger.warning("\(texts.text(of: event).summary) is slow", metadata: metadata)
        }

        private func metadata(_ event: Trace.Event) -> Logger.Metadata {
            var metadata: Logger.Metadata = [
                "db.query.text": "\(texts.shown(event))", "db.namespace": "\(event.database.shortName)",
                "duration": "\(event.duration)", "rows": "\(event.rows)", "changes": "\(event.changes)",
                "connection": "\(event.connection)",
            ]
            if event.waited > .zero {
                metadata[event.isReader ? "waited.reader" : "waited.writer"] = "\(event.waited)"
            }
            if let transaction = event.transaction { metadata["transaction"] = "\(transaction)" }
            if let error = event.error {
                metadata["error.type"] = "\(error.typeName)"
                metadata["error"] = "\(texts.message(of: error))"
            }
            return metadata
        }
    }

#endif
