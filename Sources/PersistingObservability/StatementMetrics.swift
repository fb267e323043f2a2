#if Observability

    internal import Foundation
    internal import Metrics
    internal import SQLiteKit

    /// Records metrics of statements and accesses.
    final class StatementMetrics: Sendable {
        /// A series of durations.
        private struct Series: Hashable {
            let kind: Trace.Kind
            let error: String?
        }

        private let factory: any MetricsFactory
        private let (statements, rows, changes, busy): (Counter, Counter, Counter, Counter)
        private let (cacheHits, cacheMisses): (Counter, Counter)
        private let (writerWait, readerWait): (Metrics.Timer, Metrics.Timer)
        private let readers: Meter
        private let logPages: Gauge
        private let lock = NSLock()
        nonisolated(unsafe) private var durations: [Series: Metrics.Timer] = [:]  // guarded by `lock`

        init(_ factory: any MetricsFactory) {
            self.factory = factory
            func counter(_ label: String) -> Counter { Counter(label: label, factory: factory) }
            func wait(_ connection: String) -> Metrics.Timer {
                Timer(label: "sqlite.wait", dimensions: [("connection", connection)], factory: factory)
            }
            (statements, rows) = (counter("sqlite.statements"), counter("sqlite.rows"))
            (changes, busy) = (counter("sqlite.changes"), counter("sqlite.busy"))
            (cacheHits, cacheMisses) = (counter("sqlite.cache.hits"), counter("sqlite.cache.misses"))
            (writerWait, readerWait) = (wait("writer"), wait("reader"))
            readers = Meter(label: "sqlite.readers", factory: factory)
            logPages = Gauge(label: "sqlite.log.pages", factory: factory)
        }

        /// Records a statement that has ended.
        func receive(_ event: Trace.Event) {
            statements.increment()
            if event.rows > 0 { rows.increment(by: event.rows) }
            if event.changes > 0 { changes.increment(by: event.changes) }
            if event.error?.code == .busy { busy.increment() }
            if event.waited > .zero { (event.isReader ? readerWait : writerWait).record(duration: event.waited) }
            duration(of: event).record(duration: event.duration)
        }

        /// Records that an access begins.
        func accessBegan(_ isReader: Bool) {
            if isReader { readers.increment() }
        }

        /// Records that an access has ended.
        func accessEnded(_ report: AccessReport) {
            if report.isReader { readers.decrement() }
            if report.cacheHits > 0 { cacheHits.increment(by: report.cacheHits) }
            if report.cacheMisses > 0 { cacheMisses.increment(by: report.cacheMisses) }
            if !report.isReader, let pages = report.logPages { logPages.record(pages) }
        }

        private func duration(of event: Trace.Event) -> Metrics.Timer {
            let series = Series(kind: event.kind, error: event.error?.typeName)
            return lock.withLock {
                if let timer = durations[series] { return timer }
                let error = series.error.map { [("error.type", $0)] } ?? []
                let timer = Metrics.Timer(
                    label: "db.client.operation.duration",
                    dimensions: [("db.system.name", "sqlite"), ("db.operation.name", series.kind.rawValue)] + error,
                    factory: factory)
                durations[series] = timer
                return timer
            }
        }
    }

#endif
