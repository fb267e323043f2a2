import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import Persisting
import PersistingObservability
import SQLiteKit
import Tracing

/// The backends of one test, in memory.
struct Backends {
    let tracer = InMemoryTracer()
    let metrics = TestMetrics()
    let log = InMemoryLogHandler()

    /// A configuration that is observed by them.
    func configuration(
        slowerThan: Duration? = nil, values: Trace.Values = .hidden, _ base: DatabaseConfiguration = .init()
    ) -> DatabaseConfiguration {
        var configuration = base
        var log = log
        log.logLevel = .trace
        let logger = Logger(label: "database") { [log] _ in log }
        withTracer(tracer) {
            withMetricsFactory(metrics) {
                configuration.observe(
                    logger: logger, metrics: true, tracer: true, slowerThan: slowerThan, values: values)
            }
        }
        return configuration
    }

    /// The spans of statements, in the order of their ends.
    var statements: [FinishedInMemorySpan] {
        tracer.finishedSpans.filter { $0.attribute("db.system.name") == "sqlite" }
    }

    /// The span of a statement.
    func span(_ name: String) -> FinishedInMemorySpan? { statements.last { $0.operationName == name } }

    /// The entry of a statement.
    func entry(_ message: String) -> InMemoryLogHandler.Entry? { log.entries.last { "\($0.message)" == message } }

    func total(_ label: String) -> Int64 { metrics.counterTotal(label: label) }
}

extension FinishedInMemorySpan {
    func attribute(_ name: String) -> String? {
        switch attributes.get(name) {
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .int32(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        default: nil
        }
    }
}

extension InMemoryLogHandler.Entry {
    func value(_ key: String) -> String? { metadata[key].map { "\($0)" } }
}

/// A folder of one test.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    var file: DatabaseLocation { .file(url.appending(path: "library.sqlite")) }
}

final class Album: PersistingModel {
    var id: Int64?
    var title = ""
    var year = 0

    required init() {}
}

/// Runs `body` on a thread of its own.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
