import Foundation
import Persisting
import Testing

private final class Shelf: PersistingModel {
    var id: Int64?
    var name = ""
}

private final class LongShelf: PersistingModel {
    var id: Int64?
    var name = ""
    var height: Int?
    var width: Int?
    override class var tableName: String { "SHELF" }
    override class var indexes: [Index] { [Index("height"), Index("width")] }
}

// F49, F116
@Suite("The progress of a plan") struct SchemaPlanProgressTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Shelf.self)
    }

    @Test("counts its steps")
    func counts() throws {
        let progress = Progress(totalUnitCount: 1)
        let plan = try manager.schemaPlan(for: [LongShelf.self])
        try manager.apply(plan, progress: progress)
        #expect(plan.steps.count == 4)
        #expect(progress.totalUnitCount == 4 && progress.completedUnitCount == 4)
    }

    @Test("counts the steps of updateSchema, while the task is suspended as well")
    func updateSchema() async throws {
        let progress = Progress(totalUnitCount: 1)
        try await manager.updateSchema(for: [LongShelf.self], progress: progress)
        #expect(progress.totalUnitCount == 4 && progress.isFinished)
    }

    @Test("undoes all steps when it is cancelled on the way")
    func cancelled() throws {
        let progress = Progress(totalUnitCount: 1)
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            if event.sql.hasPrefix("CREATE INDEX") { progress.cancel() }
        }
        let manager = try PersistenceManager(.memory, configuration: configuration)
        try manager.createTableIfNecessary(for: Shelf.self)
        let plan = try manager.schemaPlan(for: [LongShelf.self])
        #expect(throws: CancellationError.self) { try manager.apply(plan, progress: progress) }
        #expect(progress.completedUnitCount == 3)
        #expect(try manager.schemaPlan(for: [LongShelf.self]).steps == plan.steps)
    }

    @Test("is that of a cancelled task: nothing runs")
    func cancelledTask() async throws {
        let plan = try await manager.schemaPlan(for: [LongShelf.self])
        let task = Task { [manager] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await manager.apply(plan)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await manager.schemaPlan(for: [LongShelf.self]).steps == plan.steps)
    }
}
