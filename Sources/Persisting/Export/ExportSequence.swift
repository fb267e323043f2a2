internal import Foundation

/// The bytes of an export, some thousands at a time, such as for the body of an HTTP response: what
/// `PersistenceManager.csv(_:_:keys:)` and `PersistenceManager.json(_:_:keys:)` return.
///
/// Rows are read in the background as the bytes are asked for, all of one moment; memory stays flat. On a cluster,
/// which keeps no query open meanwhile, all are read before the first bytes. Each loop runs the query again. It ends
/// with `CancellationError` when its task is cancelled.
public struct ExportSequence<Model: PersistingModel>: AsyncSequence, Sendable {
    let manager: PersistenceManager
    let query: Query<Model>
    let format: FileFormat
    let keys: FileKeys

    /// Starts at the first byte.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// Goes through the bytes of one run of the query.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: ExportSequence
        private var reading: Reading?
        /// What is still to come of a text that was read as a whole.
        private var parts: ArraySlice<[UInt8]>?
        private var isDone = false

        /// What is under way.
        private final class Reading {
            let format: ExportFormat
            let writer: ByteWriter
            let parts: Parts
            var rows: RowSequence.Iterator
            var isFirst = true

            init(_ format: ExportFormat, _ rows: RowSequence) {
                self.format = format
                self.rows = rows.makeAsyncIterator()
                let parts = Parts()
                self.parts = parts
                writer = ByteWriter { parts.bytes += $0 }
                format.writeStart(to: writer)
            }
        }

        /// What has been written and not been asked for.
        private final class Parts {
            var bytes: [UInt8] = []
        }

        fileprivate init(sequence: ExportSequence) {
            self.sequence = sequence
        }

        /// The next bytes, or nil after the last, and from then on.
        ///
        /// - Throws: ``PersistenceError``, or `CancellationError`. After an error there are no more bytes.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> [UInt8]? {
            if isDone { return nil }
            do {
                if case .other = sequence.manager.engine { return try await nextPart() }
                if reading == nil { reading = try await start() }
                guard let reading else { return nil }
                while reading.parts.bytes.isEmpty {
                    guard let row = try await reading.rows.next(isolation: actor) else {
                        isDone = true
                        reading.format.writeEnd(to: reading.writer)
                        try reading.writer.flush()
                        break
                    }
                    try reading.format.writeRow(SnapshotSource(row), isFirst: reading.isFirst, to: reading.writer)
                    reading.isFirst = false
                    try reading.writer.flushIfFull()
                }
                let bytes = reading.parts.bytes
                reading.parts.bytes = []
                return bytes.isEmpty ? nil : bytes
            } catch {
                isDone = true
                reading = nil
                throw error
            }
        }

        private mutating func nextPart(isolation actor: isolated (any Actor)? = #isolation) async throws -> [UInt8]? {
            if parts == nil { parts = try await allParts()[...] }
            try Task.checkCancellation()
            return parts?.popFirst()
        }

        private func allParts(isolation actor: isolated (any Actor)? = #isolation) async throws -> [[UInt8]] {
            let (query, format, keys) = (sequence.query, sequence.format, sequence.keys)
            return try await sequence.manager.onReadingSide(of: query.modelType) { manager in
                var parts: [[UInt8]] = []
                _ = try manager.export(query, format, keys) {
                    ExportWriter { bytes in parts.append(Array(bytes)) }
                }
                return parts
            }
        }

        private func start(isolation actor: isolated (any Actor)? = #isolation) async throws -> Reading {
            let (manager, query) = (sequence.manager, sequence.query)
            let table = try manager.table(of: query.modelType)
            let format = try ExportFormat(sequence.format, sequence.keys, table.mapping)
            let select = format.select(table.mapping)
            let sql = try await manager.onReadingSide(of: query.modelType) { manager in
                try table.mapping.naming {
                    try manager.engine.query { db in try query.sql(select, table.mapping, table.forms(db)) }
                }
            }
            return Reading(format, manager.database.rows(SQL(sql.text), sql.arguments))
        }
    }
}

@available(*, unavailable)
extension ExportSequence.Iterator: Sendable {}

/// A row that was read before.
private struct SnapshotSource: ColumnSource {
    private let row: RowSnapshot

    init(_ row: RowSnapshot) {
        self.row = row
    }

    // It throws for a column that the row doesn't have, and all are asked for by the statement that gave the row.
    private func stored(_ index: Int) -> SQLiteValue { (try? value(at: index)) ?? .null }

    var columnCount: Int { row.count }
    func storageClass(at index: Int) -> StorageClass { stored(index).storageClass }
    func int64(at index: Int) -> Int64 { if case .integer(let number) = stored(index) { number } else { 0 } }
    func double(at index: Int) -> Double { if case .real(let number) = stored(index) { number } else { 0 } }

    func text(at index: Int) throws(SQLiteError) -> String {
        if case .text(let text) = try value(at: index) { text } else { "" }
    }

    func withBytes<T>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        switch stored(index) {
        case .text(var text): return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
        case .blob(let data): return try data.withUnsafeBytes { try body($0) }
        case .null, .integer, .real: return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    func value(at index: Int) throws(SQLiteError) -> SQLiteValue {
        try row.value(at: index, as: SQLiteValue.self)
    }
}

extension PersistenceManager {
    /// The rows of a query as the bytes of a CSV text.
    ///
    /// Nothing runs before the first bytes are asked for.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - format: How to write.
    ///   - keys: What the fields are called, and so which properties are written. By default as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties.
    public func csv<Model: PersistingModel>(
        _ query: Query<Model>, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) -> ExportSequence<Model> {
        ExportSequence(manager: self, query: query, format: .csv(format), keys: keys)
    }

    /// The rows of a query as the bytes of a JSON text.
    ///
    /// Nothing runs before the first bytes are asked for.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - format: Whether to write an array of objects, or an object on each line. By default an array.
    ///   - keys: What the keys are called, and so which properties are written. By default as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties.
    public func json<Model: PersistingModel>(
        _ query: Query<Model>, _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) -> ExportSequence<Model> {
        ExportSequence(manager: self, query: query, format: .json(format), keys: keys)
    }
}
