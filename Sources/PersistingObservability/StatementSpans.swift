#if Observability

    internal import SQLiteKit
    internal import Tracing

    /// Makes a span for each statement, under the span of the task that runs it.
    struct StatementSpans: Sendable {
        private let tracer: any Tracer
        private let texts: StatementTexts

        init(_ tracer: any Tracer, _ texts: StatementTexts) {
            self.tracer = tracer
            self.texts = texts
        }

        /// Makes the span of a statement that has ended.
        ///
        /// Of the library's own statements, those that begin and end transactions have spans, and those that fail.
        func receive(_ event: Trace.Event) {
            let text = texts.text(of: event)
            guard !event.isInternal || event.error != nil || [.begin, .commit, .rollback].contains(text.kind) else {
                return
            }
            // The event has the time of a clock that knows no date.
            let age = event.start.duration(to: .now)
            let start = DefaultTracerClock.now.nanosecondsSinceEpoch &- age.nanoseconds
            let span = tracer.startSpan(
                text.summary, ofKind: .client, at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: start))
            if span.isRecording { describe(event, text, span) }
            span.end(
                at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: start &+ event.duration.nanoseconds))
        }

        private func describe(_ event: Trace.Event, _ text: StatementText, _ span: any Span) {
            span.updateAttributes { attributes in
                attributes["db.system.name"] = "sqlite"
                attributes["db.namespace"] = event.database.shortName
                attributes["db.query.text"] = texts.shown(event)
                attributes["db.query.summary"] = text.summary
                attributes["db.operation.name"] = text.kind.rawValue
                if text.kind != .pragma, let table = text.table { attributes["db.collection.name"] = table }
                if event.rows > 0 || text.kind == .select { attributes["db.response.returned_rows"] = event.rows }
                if event.changes > 0 { attributes["sqlite.changes"] = event.changes }
                if event.waited > .zero { attributes["sqlite.wait"] = Double(event.waited.nanoseconds) / 1e9 }
                if let transaction = event.transaction { attributes["sqlite.transaction"] = transaction }
                if event.isInternal { attributes["sqlite.internal"] = true }
                attributes["sqlite.connection"] = event.connection
            }
            guard let error = event.error else { return }
            let message = texts.message(of: error)
            span.attributes["error.type"] = error.typeName
            span.attributes["db.response.status_code"] = "\(error.extendedCode.rawValue)"
            span.setStatus(SpanStatus(code: .error, message: message))
            span.recordError(SQLiteError(error.extendedCode, message))
        }
    }

    extension Duration {
        fileprivate var nanoseconds: UInt64 {
            UInt64(clamping: components.seconds) &* 1_000_000_000
                &+ UInt64(clamping: components.attoseconds / 1_000_000_000)
        }
    }

#endif
