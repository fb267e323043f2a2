#if Observability

    public import Logging
    internal import Metrics
    public import SQLiteKit
    internal import Tracing

    extension DatabaseConfiguration {
        /// Sends what runs on the database to swift-log, swift-metrics and swift-distributed-tracing.
        ///
        /// ```swift
        /// var configuration = DatabaseConfiguration()
        /// configuration.observe(
        ///     logger: logger, metrics: true, tracer: true, slowerThan: .milliseconds(50))
        /// let manager = try PersistenceManager(path: path, configuration: configuration)
        /// ```
        ///
        /// A trace that was set before keeps receiving statements. Texts are shown without their values: each literal
        /// is written as `?`.
        ///
        /// - Parameters:
        ///   - logger: Logs each statement: at the level `debug`, those of the library itself at `trace`, failed and
        ///     slow ones at `warning`. Nil logs none.
        ///   - metrics: Whether to record metrics, with the factory that swift-metrics has now.
        ///   - tracer: Whether to make a span for each statement, under the caller's span, with the tracer that
        ///     swift-distributed-tracing has now.
        ///   - slowerThan: The duration from which a statement is logged as slow, with its plan and the index that
        ///     would help. Nil logs none as slow.
        ///   - values: Whether logs and spans show bound values, literals and the messages of all errors. Consider who
        ///     can read them.
        public mutating func observe(
            logger: Logger? = nil, metrics: Bool = false, tracer: Bool = false, slowerThan: Duration? = nil,
            values: Trace.Values = .hidden
        ) {
            let texts = StatementTexts(values: values)
            let log = logger.map { StatementLog($0, texts) }
            let metrics = metrics ? StatementMetrics(MetricsSystem.factory) : nil
            let spans = tracer ? StatementSpans(InstrumentationSystem.tracer, texts) : nil
            let earlier = trace
            let earlierAccesses = earlier?.accesses as? AccessObserver
            let showsValues = values == .shown || earlier?.values == .shown
            var trace = Trace(values: showsValues ? .shown : .hidden) { event in
                earlier?.receive(event)
                log?.receive(event)
                metrics?.receive(event)
                spans?.receive(event)
            }
            let slow = slowerThan.flatMap { limit in log.map { SlowStatements($0, limit) } }
            if slow != nil || metrics != nil || earlierAccesses != nil {
                trace.accesses = AccessObserver(
                    slowerThan: [slow?.limit, earlierAccesses?.slowerThan].compactMap { $0 }.min(),
                    began: { isReader in
                        earlierAccesses?.began(isReader)
                        metrics?.accessBegan(isReader)
                    },
                    ended: { report, db in
                        earlierAccesses?.ended(report, db)
                        metrics?.accessEnded(report)
                        slow?.accessEnded(report, db)
                    },
                    slow: { event in
                        earlierAccesses?.receive(slow: event)
                        slow?.receive(event)
                    })
            }
            self.trace = trace
        }
    }

#endif
