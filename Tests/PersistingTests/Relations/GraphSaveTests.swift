import Foundation
import Persisting
import Testing

private typealias Show = Pod.Show
private typealias Episode = Pod.Episode
private typealias Tag = Pod.Tag
private typealias Worker = Pod.Worker

/// Objects that refer to new ones are saved with them.
// F123
@Suite struct GraphSaveTests {
    @Test func `setting a saved object sets the foreign key, and stores nothing`() throws {
        let manager = try podManager()
        let (show, episode) = (Show("News"), Episode("One"))
        try manager.save([show, episode] as [PersistingModel])
        try episode.set(Episode.show, to: show)
        #expect(episode.showID == show.id)
        #expect(try manager.stored("SELECT SHOW_ID FROM EPISODE") == .null)
        try manager.save(episode)
        #expect(try manager.stored("SELECT SHOW_ID FROM EPISODE") == .integer(1))
    }

    @Test func `a new object is saved before the one that it was given to`() throws {
        let manager = try podManager()
        let (show, episode) = (Show("News"), Episode("One"))
        try episode.set(Episode.show, to: show)
        try manager.save(episode)
        #expect(show.isPersisted)
        #expect(episode.showID == show.id)
        #expect(try manager.stored("SELECT SHOW_ID FROM EPISODE") == .integer(1))
    }

    @Test func `a chain of any length is saved, the first last`() throws {
        let manager = try podManager()
        let workers = (0..<20_000).map { Worker("\($0)") }
        for (worker, boss) in zip(workers, workers.dropFirst()) { try worker.set(Worker.boss, to: boss) }
        try manager.save(workers[0])
        #expect(try manager.count(Worker.self) == 20_000)
        #expect(workers[0].managerID == workers[1].id)
    }

    @Test func `all that was given to a new object is saved with it`() throws {
        let manager = try podManager()
        let show = Show("News")
        let episodes = ["One", "Two"].map { Episode($0) }
        try show.add(episodes, to: Show.episodes)
        try episodes[0].add(Tag("swift"), to: Episode.tags)
        #expect(try manager.count(Show.self) == 0)
        try manager.insert(show)
        #expect(episodes.map(\.showID) == [1, 1])
        #expect(try manager.rowCount("TAGGING") == 1)
    }

    @Test func `new objects that refer to each other are saved, one of them twice`() throws {
        let manager = try podManager()
        let (ann, bob) = (Worker("Ann"), Worker("Bob"))
        try ann.set(Worker.boss, to: bob)
        try bob.set(Worker.boss, to: ann)
        try manager.save(ann)
        #expect(ann.managerID == bob.id)
        #expect(bob.managerID == ann.id)
        #expect(try manager.stored("SELECT count(*) FROM WORKER WHERE MANAGER_ID IS NOT NULL") == .integer(2))
    }

    @Test func `after a rollback, what was set waits again to be saved`() throws {
        let manager = try podManager()
        let (show, episode) = (Show("News"), Episode("One"))
        try manager.save(episode)
        try episode.set(Episode.show, to: show)
        #expect(throws: CancellationError.self) {
            try manager.transaction {
                try manager.save(episode)
                throw CancellationError()
            }
        }
        try manager.save(episode)
        #expect(try manager.stored("SELECT SHOW_ID FROM EPISODE") == .integer(1))
    }

    @Test func `an object that refers to itself is saved`() throws {
        let manager = try podManager()
        let ann = Worker("Ann")
        try ann.set(Worker.boss, to: ann)
        try manager.save(ann)
        #expect(try manager.stored("SELECT MANAGER_ID FROM WORKER") == .integer(1))
    }

    final class Left: PersistingModel {
        var id: Int64?
        var rightID: Int64 = 0
        static let right = ToOne(\Left.rightID, Right.self)
        override class var relations: Relations { ["right": right] }
    }

    final class Right: PersistingModel {
        var id: Int64?
        var leftID: Int64 = 0
        static let left = ToOne(\Right.leftID, Left.self)
        override class var relations: Relations { ["left": left] }
    }

    @Test func `a circle in which none can be the first is an error, and nothing is saved`() throws {
        let manager = try memoryManager(Left.self, Right.self)
        let (left, right) = (Left(), Right())
        try left.set(Left.right, to: right)
        try right.set(Right.left, to: left)
        let error = #expect(throws: PersistenceError.self) { try manager.save(left) }
        #expect(
            error?.description
                == "Left: new objects refer to each other in a circle, by Left.rightID, Right.leftID: none can be the "
                + "first, unless one of these properties is Optional")
        #expect(!left.isPersisted)
    }

    final class Node: PersistingModel {
        var id = UUID()
        var otherID = UUID()
        static let other = ToOne(\Node.otherID, Node.self)
        override class var relations: Relations { ["other": other] }
    }

    @Test func `a circle of known keys is saved by checking them at the end`() throws {
        let manager = try memoryManager(Node.self)
        let (one, other) = (Node(), Node())
        try one.set(Node.other, to: other)
        try other.set(Node.other, to: one)
        try manager.save(one)
        #expect(try manager.count(Node.self) == 2)
    }

    /// How a graph is saved.
    enum Form: CaseIterable {
        case alone, array, suspended, suspendedArray
    }

    private func save(_ object: PersistingModel, _ form: Form, _ manager: PersistenceManager) async throws {
        func atOnce(_ body: () throws -> Void) rethrows { try body() }
        switch form {
        case .alone: try atOnce { try manager.save(object) }
        case .array: try atOnce { try manager.save([object]) }
        case .suspended: try await manager.save(object)
        case .suspendedArray: try await manager.save([object])
        }
    }

    @Test(arguments: Form.allCases) func `circles are saved in each form`(form: Form) async throws {
        let manager = try podManager()
        let (ann, bob, cid) = (Worker("Ann"), Worker("Bob"), Worker("Cid"))
        try ann.set(Worker.boss, to: bob)
        try bob.set(Worker.boss, to: cid)
        try cid.set(Worker.boss, to: ann)
        try await save(ann, form, manager)
        #expect(ann.managerID == bob.id && bob.managerID == cid.id && cid.managerID == ann.id)
        #expect([ann, bob, cid].allSatisfy { $0.isPersisted && !$0.hasChanges })
        let fetched = try await manager.fetchAll(Worker.sorted(by: \.name))
        #expect(fetched.map(\.managerID) == [bob.id, cid.id, ann.id])
    }

    @Test(arguments: Form.allCases)
    func `a circle that can't be saved leaves nothing in each form`(form: Form) async throws {
        let manager = try podManager()
        try await manager.execute("CREATE TRIGGER T BEFORE UPDATE ON WORKER BEGIN SELECT RAISE(ABORT, 'no'); END")
        let (ann, bob) = (Worker("Ann"), Worker("Bob"))
        try ann.set(Worker.boss, to: bob)
        try bob.set(Worker.boss, to: ann)
        await #expect(throws: PersistenceError.self) { try await save(ann, form, manager) }
        #expect(try manager.rowCount("WORKER") == 0)
        #expect(!ann.isPersisted && !bob.isPersisted && ann.managerID == nil && bob.managerID == nil)
        try await manager.execute("DROP TRIGGER T")
        try await save(ann, form, manager)
        #expect(try manager.rowCount("WORKER") == 2 && ann.managerID == bob.id && bob.managerID == ann.id)
    }

    final class Coded: PersistingModel {
        var id: Int64?
        var code: String?
        override class var columns: Columns { ["ID": .int, "CODE": .string.unique.default(.text("c2"))] }
    }

    final class CodedChild: PersistingModel {
        var id: Int64?
        var parentCode: String?
        static let parent = ToOne(\CodedChild.parentCode, Coded.self, references: \Coded.code)
        override class var relations: Relations { ["parent": parent] }
    }

    @Test(arguments: Form.allCases)
    func `a property that the table has set is taken over in each form`(form: Form) async throws {
        let manager = try memoryManager(Coded.self, CodedChild.self)
        let child = CodedChild()
        try child.set(CodedChild.parent, to: Coded())
        try await save(child, form, manager)
        #expect(child.parentCode == "c2")
        #expect(try manager.storedColumn("SELECT PARENT_CODE FROM CODED_CHILD") == [.text("c2")])
    }

    @Test func `a composite key is taken over`() throws {
        let manager = try podManager()
        let (order, line) = (Pod.Order("a", 7), Pod.Line(nil, nil, "Pen"))
        try line.set(Pod.Line.order, to: order)
        try manager.save(line)
        #expect(line.shop == "a")
        #expect(line.orderNumber == 7)
        #expect(try manager.rowCount("ORDER") == 1)
    }

    @Test func `when one can't be saved none is, and all are as they were`() throws {
        let manager = try podManager()
        try manager.run("CREATE TRIGGER no BEFORE INSERT ON EPISODE BEGIN SELECT raise(ABORT, 'no'); END")
        let (show, episode) = (Show("News"), Episode("One"))
        try episode.set(Episode.show, to: show)
        #expect(throws: PersistenceError.self) { try manager.save(episode) }
        #expect(try manager.count(Show.self) == 0)
        #expect(!show.isPersisted)
        #expect(show.id == nil)
        #expect(episode.showID == nil)
        try manager.run("DROP TRIGGER no")
        try manager.save(episode)
        #expect(episode.showID == show.id)
    }

    @Test func `a transaction that is rolled back takes foreign keys back`() throws {
        let manager = try podManager()
        let (show, episode) = (Show("News"), Episode("One"))
        try manager.save(episode)
        try episode.set(Episode.show, to: show)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try manager.transaction {
                try manager.save(episode)
                throw Stop()
            }
        }
        #expect(episode.showID == nil)
        #expect(!show.isPersisted)
    }

    @Test func `a rollback takes foreign keys back from objects that are new again`() throws {
        let manager = try podManager()
        struct Stop: Error {}
        for count in [1, 10] {
            let show = Show("News")
            let episodes = (0..<count).map { Episode("\($0)") }
            try show.add(episodes, to: Show.episodes)
            #expect(throws: Stop.self) {
                try manager.transaction {
                    try manager.transaction { try manager.save(show) }
                    throw Stop()
                }
            }
            #expect(episodes.allSatisfy { $0.showID == nil && $0.id == nil && !$0.isPersisted })
            try manager.save(Show("Other"))
            try manager.save(show)
            #expect(episodes.allSatisfy { $0.showID == show.id })
        }
    }

    @Test func `a rollback takes foreign keys back from objects that have others waiting`() throws {
        let manager = try podManager()
        let (show, episode) = (Show("News"), Episode("One"))
        try episode.add(Tag("swift"), to: Episode.tags)
        try show.add(episode, to: Show.episodes)
        try catchingTestError {
            try manager.transaction {
                try manager.save(show)
                throw TestError()
            }
        }
        #expect(episode.showID == nil && !episode.isPersisted)
        try manager.save(Show("Other"))
        try manager.save(show)
        #expect(try episode.showID == 2 && manager.rowCount("TAGGING") == 1)
    }

    @Test(arguments: [false, true])
    func `a rollback keeps unsaved changes of an object whose relation was read`(isInner: Bool) throws {
        let manager = try podManager()
        struct Stop: Error {}
        let (show, episode) = (Show("News"), Episode("One"))
        try manager.save(show)
        try manager.save(episode)
        for verb in ["add", "replace", "condition"] {
            episode.title = "changed by \(verb)"
            func change() throws {
                if verb == "replace" {
                    try show.replace(Show.episodes, with: [episode])
                } else {
                    try show.add(episode, to: Show.episodes)
                }
                let isOfShow = Episode.show.matches(\.title == "News")
                if verb == "condition" {
                    _ = try isOfShow.matches(episode)
                } else {
                    _ = try episode.related(Episode.show)
                }
                throw Stop()
            }
            let transaction = {
                if !isInner { return try manager.transaction { try change() } }
                try manager.transaction {
                    #expect(throws: Stop.self) { try manager.transaction { try change() } }
                    throw Stop()
                }
            }
            #expect(throws: Stop.self) { try transaction() }
            #expect(episode.changedKeys == ["title"], "\(verb)")
            #expect(episode.showID == nil)
            try manager.save(episode)
            #expect(try manager.find(Episode.self, episode.id)?.title == "changed by \(verb)")
        }
    }

    @Test func `who sets the foreign key by hand means that`() throws {
        let manager = try podManager()
        let (old, new, episode) = (Show("Old"), Show("New"), Episode("One"))
        try manager.save(old)
        try episode.set(Episode.show, to: new)
        episode.showID = old.id
        try manager.save(episode)
        #expect(try manager.count(Show.self) == 1)
        #expect(episode.showID == old.id)
    }

    @Test func `setting nil takes a new object back`() throws {
        let manager = try podManager()
        let episode = Episode("One")
        try episode.set(Episode.show, to: Show("News"))
        try episode.set(Episode.show, to: nil)
        try manager.save(episode)
        #expect(try manager.count(Show.self) == 0)
    }

    @Test func `nil is rejected where the foreign key can't be nil`() throws {
        let error = #expect(throws: PersistenceError.self) { try Left().set(Left.right, to: nil) }
        #expect(error?.description == "Left.rightID: rightID can't be nil: set another object, or make it Optional")
    }

    @Test func `an upsert rejects an object with which others wait to be saved`() throws {
        let manager = try podManager()
        let episode = Episode("One")
        try episode.set(Episode.show, to: Show("News"))
        let error = #expect(throws: PersistenceError.self) { try manager.upsert(episode) }
        #expect(error?.code == .notPersisted)
    }

    @Test func `hooks run in the order of writes, with the foreign key set`() throws {
        let manager = try memoryManager(Parent.self, Child.self)
        let (parent, child) = (Parent(), Child())
        try child.set(Child.parent, to: parent)
        try manager.save(child)
        #expect(child.parentAtInsert == parent.id)
    }

    final class Parent: PersistingModel { var id: Int64? }

    final class Child: PersistingModel {
        var id: Int64?
        var parentID: Int64?
        var _parentAtInsert: Int64?
        var parentAtInsert: Int64? { _parentAtInsert }
        static let parent = ToOne(\Child.parentID, Parent.self)
        override class var relations: Relations { ["parent": parent] }

        override func willInsert() throws { _parentAtInsert = parentID }
    }

    @Test func `a graph is saved while the task is suspended`() async throws {
        let manager = try podManager()
        let show = Show("News")
        let episode = Episode("One")
        try await show.add(episode, to: Show.episodes)
        try await episode.add(Tag("swift"), to: Episode.tags)
        try await manager.save(show)
        #expect(episode.showID == show.id)
        #expect(episode.changedKeys.isEmpty)
        #expect(try manager.stored("SELECT SHOW_ID FROM EPISODE") == .integer(1))
        #expect(try manager.rowCount("TAGGING") == 1)
    }

    @Test func `an object of the table refers to a new one, while the task is suspended`() async throws {
        let manager = try podManager()
        let (show, episode) = (Show("News"), Episode("One"))
        try await manager.save(episode)
        try episode.set(Episode.show, to: show)
        try await manager.save(episode)
        #expect(episode.showID == show.id)
        #expect(episode.changedKeys.isEmpty)
        #expect(try manager.stored("SELECT SHOW_ID FROM EPISODE") == .integer(1))
    }

    @Test func `a graph that can't be saved leaves all as they were, while the task is suspended`() async throws {
        let manager = try podManager()
        try manager.run("CREATE TRIGGER no BEFORE INSERT ON EPISODE BEGIN SELECT raise(ABORT, 'no'); END")
        let (show, episode) = (Show("News"), Episode("One"))
        try episode.set(Episode.show, to: show)
        await #expect(throws: PersistenceError.self) { try await manager.save(episode) }
        #expect(show.id == nil)
        #expect(episode.showID == nil)
        try manager.run("DROP TRIGGER no")
        try await manager.save(episode)
        #expect(episode.showID == show.id)
    }
}
