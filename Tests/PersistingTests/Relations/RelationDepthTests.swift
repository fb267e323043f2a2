import Foundation
import Persisting
import Testing

/// How many objects there are.
private final class Census: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var number = 0  // guarded by `lock`

    func change(by difference: Int) { lock.withLock { number += difference } }

    var count: Int { lock.withLock { number } }
}

/// A row that leads to others of its table.
private final class Node: PersistingModel {
    static let census = Census()

    var id: Int64?
    var parentID: Int64?
    var otherID: Int64?
    static let parent = ToOne(\Node.parentID, Node.self)
    static let children = ToMany(inverse: parent)
    static let other = ToOne(\Node.otherID, Node.self)
    override class var relations: Relations { ["parent": parent, "children": children, "other": other] }

    required init() {
        super.init()
        Self.census.change(by: 1)
    }

    deinit { Self.census.change(by: -1) }
}

/// A chain in which each row is the parent of the next, and its other.
private func chain(_ length: Int) throws -> PersistenceManager {
    let manager = try memoryManager(Node.self)
    try manager.run(
        """
        WITH c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < \(length))
        INSERT INTO NODE (ID, PARENT_ID, OTHER_ID) SELECT i, nullif(i - 1, 0), nullif(i - 1, 0) FROM c
        """)
    return manager
}

/// Runs `body` on a thread whose stack is as small as those of secondary threads on Apple's systems.
private func onSmallStack(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let thread = Thread { continuation.resume(with: Result(catching: body)) }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}

/// Two new objects of which each is given to the other, or one to itself.
private enum Circle: CaseIterable {
    case addedThenSet, setThenAdded, setToItself

    func make(_ parent: Node, _ child: Node) throws {
        switch self {
        case .addedThenSet:
            try parent.add(child, to: Node.children)
            try child.set(Node.parent, to: parent)
        case .setThenAdded:
            try child.set(Node.parent, to: parent)
            try parent.add(child, to: Node.children)
        case .setToItself: try parent.set(Node.parent, to: parent)
        }
    }
}

/// However many rows lead to each other, following them ends no program, and loads each of them once.
// F123
@Suite(.serialized) struct RelationDepthTests {
    private static let depth = 10_000

    @Test func `a chain that was walked is released on a small stack`() async throws {
        try await onSmallStack {
            let manager = try chain(Self.depth)
            do {
                let last = try #require(try manager.find(Node.self, Self.depth))
                var (node, steps) = (last, 0)
                while let parent = try node.related(Node.parent) { (node, steps) = (parent, steps + 1) }
                #expect(steps == Self.depth - 1)
                withExtendedLifetime(last) {}
            }
            #expect(Node.census.count == 0)
        }
    }

    @Test func `a chain of new objects is released on a small stack`() async throws {
        try await onSmallStack {
            do {
                let first = Node()
                var node = first
                for _ in 0..<Self.depth {
                    let next = Node()
                    try node.set(Node.parent, to: next)
                    node = next
                }
                withExtendedLifetime(first) {}
            }
            #expect(Node.census.count == 0)
        }
    }

    @Test func `a tree of new objects is saved, rolled back and released on a small stack`() async throws {
        try await onSmallStack {
            let manager = try memoryManager(Node.self)
            do {
                let root = Node()
                var node = root
                for _ in 0..<Self.depth {
                    let next = Node()
                    try node.add(next, to: Node.children)
                    node = next
                }
                try? manager.transaction {
                    try manager.save(root)
                    throw CancellationError()
                }
                #expect(try manager.count(Node.self) == 0)
                try manager.save(root)
                #expect(try manager.count(Node.self) == Self.depth + 1)
            }
            #expect(Node.census.count == 0)
        }
    }

    @Test func `objects are released in the middle of a release`() throws {
        let manager = try chain(10)
        var first: Node? = try manager.find(Node.self, 1)
        var kept: Node?
        var node = first
        while let next = try node?.related(Node.children).first {
            node = next
            if next.id == 5 { kept = next }
        }
        (first, node) = (nil, nil)
        #expect(Node.census.count == 6)
        #expect(try kept?.related(Node.children).first?.related(Node.parent) === kept)
        kept = nil
        #expect(Node.census.count == 0)
        withExtendedLifetime(first) {}
    }

    @Test func `walking down a table that is kept makes two objects for each row`() throws {
        let manager = try chain(300)
        let all = try manager.fetchAll(Node.self, sortedBy: "id")
        var (node, steps) = (all[0], 0)
        while let child = try node.related(Node.children).first {
            #expect(try child.related(Node.parent) === node)
            (node, steps) = (child, steps + 1)
        }
        #expect(steps == 299)
        #expect(Node.census.count == 300 + 299)
        withExtendedLifetime(all) {}
    }

    @Test func `walking up a table that is kept makes two objects for each row`() throws {
        let manager = try chain(300)
        let all = try manager.fetchAll(Node.self, sortedBy: "id")
        var (node, steps) = (all[299], 0)
        while let parent = try node.related(Node.parent) { (node, steps) = (parent, steps + 1) }
        #expect(steps == 299)
        #expect(Node.census.count == 300 + 299)
        withExtendedLifetime(all) {}
    }

    @Test func `following two relations in turn makes three objects for each row`() throws {
        let manager = try chain(300)
        let all = try manager.fetchAll(Node.self, sortedBy: "id")
        var node: Node? = all[299]
        while let parent = try node?.related(Node.parent) { node = try parent.related(Node.other) }
        #expect(Node.census.count <= 3 * 300)
        withExtendedLifetime(all) {}
    }

    @Test func `what changes after the walk is read again`() throws {
        let manager = try chain(5)
        let all = try manager.fetchAll(Node.self, sortedBy: "id")
        let second = try #require(try all[0].related(Node.children).first)
        let third = try #require(try second.related(Node.children).first)
        let new = Node()
        try second.add(new, to: Node.children)
        #expect(try second.related(Node.children).map(\.id) == [3, 6])
        try second.remove(third, from: Node.children)
        #expect(try second.related(Node.children).map(\.id) == [6])
        // Known to the relation is the object that it loaded.
        try manager.delete(#require(try second.related(Node.children).first))
        #expect(try second.related(Node.children).isEmpty)
        try manager.run("UPDATE NODE SET PARENT_ID = 2 WHERE ID = 5")
        second.forgetRelated()
        #expect(try second.related(Node.children).map(\.id) == [5])
        withExtendedLifetime(all) {}
    }

    @Test func `a parent that was deleted is no longer found by the walk`() throws {
        let manager = try chain(4)
        let all = try manager.fetchAll(Node.self, sortedBy: "id")
        let third = try #require(try all[3].related(Node.parent))
        let second = try #require(try all[2].related(Node.parent))
        try manager.run("UPDATE NODE SET PARENT_ID = NULL WHERE ID = 2")
        try manager.delete(second)
        #expect(try third.related(Node.parent) == nil)
    }
}

/// New objects that refer to each other: here, since they are counted, too.
extension RelationDepthTests {
    @Test(arguments: Circle.allCases) fileprivate func `a circle of new objects is released when it is never saved`(
        circle: Circle
    ) throws {
        weak var released: Node?
        do {
            let (one, other) = (Node(), Node())
            try circle.make(one, other)
            released = one
        }
        #expect(released == nil)
    }

    @Test(arguments: Circle.allCases) fileprivate func `a circle of new objects is saved from either end`(
        circle: Circle
    ) throws {
        for isFromChild in [false, true] {
            let manager = try memoryManager(Node.self)
            let (one, other) = (Node(), Node())
            try circle.make(one, other)
            try manager.save(isFromChild ? other : one)
            try manager.save(one)
            let parents = [one, other].map { $0.parentID }
            #expect(parents == (circle == .setToItself ? [one.id, nil] : [nil, one.id]))
        }
    }

    @Test func `a child that is taken out again holds the parent that was set`() throws {
        let manager = try memoryManager(Node.self)
        let child = Node()
        do {
            let parent = Node()
            try parent.add(child, to: Node.children)
            try child.set(Node.parent, to: parent)
            try parent.remove(child, from: Node.children)
        }
        try manager.save(child)
        #expect(child.parentID != nil)
    }

    @Test func `a parent that was released before its child is saved is missed`() throws {
        let manager = try memoryManager(Node.self)
        let child = Node()
        do {
            let parent = Node()
            try parent.add(child, to: Node.children)
            try child.set(Node.parent, to: parent)
        }
        let error = #expect(throws: PersistenceError.self) { try manager.save(child) }
        #expect(error?.code == .invalidRelation)
        #expect(error?.message.contains("was released before it was saved") == true)
        try child.set(Node.parent, to: nil)
        try manager.save(child)
        #expect(child.parentID == nil)
    }
}
