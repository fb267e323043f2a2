import Foundation
import Persisting
import Testing

/// Random schemas of three classes whose properties refer to each other at random, with random rows: each relation, and
/// conditions through it, against SQL by hand.
// F123
@Suite struct RelationSchemaRandomTests {
    /// There are as many schemas as numbers of so many bits.
    private static let bits = 3

    @Test(.local(.foreignKeysOff)) func `every relation of a random schema leads where its columns do`() throws {
        let seed = SeededGenerator().seed
        try check(First.self, bits: Self.bits, seed)
    }

    private func check<Number: SchemaNumber>(_ number: Number.Type, bits: Int, _ seed: UInt64) throws {
        guard bits > 0 else {
            return try RandomSchema.of(number).check("schema \(Number.value), seed \(seed)", seed)
        }
        try check(Even<Number>.self, bits: bits - 1, seed)
        try check(Odd<Number>.self, bits: bits - 1, seed)
    }
}

/// A number as a type: classes with another are other classes.
private protocol SchemaNumber: SendableMetatype {
    static var value: Int { get }
}

private enum First: SchemaNumber { static var value: Int { 1 } }
private enum Even<Number: SchemaNumber>: SchemaNumber { static var value: Int { Number.value * 2 } }
private enum Odd<Number: SchemaNumber>: SchemaNumber { static var value: Int { Number.value * 2 + 1 } }

private protocol Node: PersistingModel, SendableMetatype {
    static var place: Int { get }
    var id: Int64? { get set }
    var a: Int64? { get set }
    var b: Int64? { get set }
    var c: Int64? { get set }
}

private class NodeBase<Number: SchemaNumber>: PersistingModel {
    var id: Int64?
    var a: Int64?
    var b: Int64?
    var c: Int64?

    override class var relations: Relations {
        let place = (self as? any Node.Type)?.place ?? 0
        return RandomSchema.of(Number.self).relations[place].reduce(Relations.none) { $0 + [$1.name: $1.relation] }
    }

    override class var tableName: String { "NODE_\(Number.value)_\((self as? any Node.Type)?.place ?? 0)" }
}

private final class Node0<Number: SchemaNumber>: NodeBase<Number>, Node { static var place: Int { 0 } }
private final class Node1<Number: SchemaNumber>: NodeBase<Number>, Node { static var place: Int { 1 } }
private final class Node2<Number: SchemaNumber>: NodeBase<Number>, Node { static var place: Int { 2 } }

private let columns = ["A", "B", "C"]

private final class RandomSchema: Sendable {
    private struct Reference {
        let child: Int
        let column: Int
        let parent: Int
        let relation: any Relation
    }

    private typealias Check = @Sendable (PersistenceManager) throws -> (ours: [String], sql: String)

    let classes: [any Node.Type]
    nonisolated(unsafe) private(set) var relations: [[(name: String, relation: any Relation)]] = [[], [], []]
    nonisolated(unsafe) private var checks: [Check] = []
    nonisolated(unsafe) private var references: [Reference] = []

    private static let lock = NSLock()
    nonisolated(unsafe) private static var schemas: [Int: RandomSchema] = [:]

    static func of<Number: SchemaNumber>(_: Number.Type) -> RandomSchema {
        lock.withLock {
            if let known = schemas[Number.value] { return known }
            let classes: [any Node.Type] = [Node0<Number>.self, Node1<Number>.self, Node2<Number>.self]
            let new = RandomSchema(classes, SeededGenerator(seed: UInt64(Number.value)))
            schemas[Number.value] = new
            return new
        }
    }

    private init(_ classes: [any Node.Type], _ random: SeededGenerator) {
        self.classes = classes
        var random = random
        for child in 0..<3 {
            for column in 0..<3 where !random.chance(3) {
                let parent = Int.random(in: 0..<3, using: &random)
                addReference(classes[child], classes[parent], column, random.chance(2) ? .cascade : .setNull)
            }
        }
        for first in references {
            for second in references {
                // From the parent to its children, and to theirs.
                if second.parent == first.child, random.chance(2) {
                    addThrough(classes[first.parent], classes[first.child], classes[second.child], first, second)
                }
                // Rows with two references are links.
                if second.child == first.child, second.column != first.column, random.chance(2) {
                    addLink(classes[first.parent], classes[first.child], classes[second.parent], first, second)
                }
            }
        }
    }

    private func addReference<Child: Node, Parent: Node>(
        _ child: Child.Type, _ parent: Parent.Type, _ column: Int, _ onDelete: ForeignKeyAction
    ) {
        let keys: [any KeyPath<Child, Int64?> & Sendable] = [\Child.a, \Child.b, \Child.c]
        let toOne = ToOne(keys[column], parent, onDelete: onDelete)
        let toMany = ToMany(inverse: toOne)
        let name = "\(columns[column].lowercased())Of\(child.place)"
        relations[child.place].append((name, toOne))
        relations[parent.place].append(("\(name)s", toMany))
        references.append(Reference(child: child.place, column: column, parent: parent.place, relation: toOne))
        let (c, p, key) = (child.tableName, parent.tableName, columns[column])
        checks.append { manager in
            let found = try manager.fetchAll(child, sortedBy: "id").map { try $0.related(toOne)?.id }
            return (found.map(text), "SELECT p.ID FROM \(c) c LEFT JOIN \(p) p ON p.ID = c.\(key) ORDER BY c.ID")
        }
        addMany(
            toMany, "SELECT p.ID || ':' || c.ID FROM \(p) p JOIN \(c) c ON c.\(key) = p.ID",
            "SELECT count(DISTINCT c.ID) FROM \(c) c WHERE c.\(key) = p.ID")
        checks.append { manager in
            let found = try manager.fetchAll(child, where: toOne.matches(\.a > 2), sortedBy: "id").map { text($0.id) }
            return (found, "SELECT c.ID FROM \(c) c JOIN \(p) p ON p.ID = c.\(key) WHERE p.A > 2 ORDER BY c.ID")
        }
        checks.append { manager in
            let found = try manager.fetchAll(child, where: toOne[\.b] == nil, sortedBy: "id").map { text($0.id) }
            return (
                found, "SELECT c.ID FROM \(c) c LEFT JOIN \(p) p ON p.ID = c.\(key) WHERE p.B IS NULL ORDER BY c.ID"
            )
        }
    }

    private func addThrough<Parent: Node, Child: Node, Grandchild: Node>(
        _ parent: Parent.Type, _ child: Child.Type, _ grandchild: Grandchild.Type, _ first: Reference,
        _ second: Reference
    ) {
        guard let toParent = first.relation as? ToOne<Child, Parent>,
            let toChild = second.relation as? ToOne<Grandchild, Child>
        else { return }
        let (p, c, g) = (parent.tableName, child.tableName, grandchild.tableName)
        let (key, next) = (columns[first.column], columns[second.column])
        addMany(
            ToMany(through: ToMany(inverse: toParent), ToMany(inverse: toChild)),
            "SELECT DISTINCT p.ID || ':' || g.ID FROM \(p) p JOIN \(c) c ON c.\(key) = p.ID JOIN \(g) g ON g.\(next) = c.ID",
            "SELECT count(DISTINCT g.ID) FROM \(c) c JOIN \(g) g ON g.\(next) = c.ID WHERE c.\(key) = p.ID")
        let back = ToOne(through: toChild, toParent)
        checks.append { manager in
            let found = try manager.fetchAll(grandchild, sortedBy: "id").map { text(try $0.related(back)?.id) }
            return (
                found,
                """
                SELECT p.ID FROM \(g) g LEFT JOIN \(c) c ON c.ID = g.\(next) LEFT JOIN \(p) p ON p.ID = c.\(key)
                ORDER BY g.ID
                """
            )
        }
    }

    private func addLink<Source: Node, Link: Node, Target: Node>(
        _ source: Source.Type, _ link: Link.Type, _ target: Target.Type, _ first: Reference, _ second: Reference
    ) {
        guard let toSource = first.relation as? ToOne<Link, Source>,
            let toTarget = second.relation as? ToOne<Link, Target>
        else { return }
        let (s, l, t) = (source.tableName, link.tableName, target.tableName)
        let (from, to) = (columns[first.column], columns[second.column])
        addMany(
            ManyToMany(toSource, toTarget),
            "SELECT DISTINCT p.ID || ':' || t.ID FROM \(s) p JOIN \(l) l ON l.\(from) = p.ID JOIN \(t) t ON t.ID = l.\(to)",
            "SELECT count(DISTINCT t.ID) FROM \(l) l JOIN \(t) t ON t.ID = l.\(to) WHERE l.\(from) = p.ID")
    }

    /// - Parameters:
    ///   - pairs: A query of the keys of all pairs.
    ///   - count: A query of how many there are for a row `p`.
    private func addMany<Many: ToManyRelation>(_ many: Many, _ pairs: String, _ count: String)
    where Many.Source: Node, Many.Target: Node {
        let p = Many.Source.tableName
        for query in [Query(Many.Source.self), Query(Many.Source.self).with(many)] {
            checks.append { manager in
                let found = try manager.fetchAll(query).flatMap { source in
                    try source.related(many).map { "\(text(source.id)):\(text($0.id))" }
                }
                return (found.sorted(), "SELECT * FROM (\(pairs)) ORDER BY 1")
            }
        }
        checks.append { manager in
            let found = try manager.fetchAll(Query(Many.Source.self).sorted(by: \.id)).map { source in
                text(Int64(try source.related(many.count)))
            }
            return (found, "SELECT (\(count)) FROM \(p) p ORDER BY ID")
        }
        checks.append { manager in
            let found = try manager.fetchAll(Many.Source.self, where: many.count > 1, sortedBy: "id").map {
                text($0.id)
            }
            return (found, "SELECT ID FROM \(p) p WHERE (\(count)) > 1 ORDER BY ID")
        }
        checks.append { manager in
            let found = try manager.fetchAll(Many.Source.self, where: many.isEmpty, sortedBy: "id").map { text($0.id) }
            return (found, "SELECT ID FROM \(p) p WHERE (\(count)) = 0 ORDER BY ID")
        }
    }

    /// Fills the tables, and compares all answers.
    func check(_ place: String, _ seed: UInt64) throws {
        let manager = try newManager()
        for type in classes { try manager.createTableIfNecessary(for: type) }
        var random = SeededGenerator(seed: seed)
        try manager.run("PRAGMA foreign_keys = OFF")
        for type in classes {
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                let values = (0..<3).map { _ in random.chance(4) ? "NULL" : "\(Int.random(in: 1..<8, using: &random))" }
                try manager.run(
                    "INSERT INTO \(type.tableName) (A, B, C) VALUES (\(values.joined(separator: ", ")))")
            }
        }
        for check in checks {
            let (ours, sql) = try check(manager)
            let expected = try manager.storedColumn(sql).map { value in
                switch value {
                case .text(let text): text
                case .integer(let integer): "\(integer)"
                default: "-"
                }
            }
            #expect(ours == expected, "\(place): \(sql)")
        }
    }
}

private func text(_ id: Int64?) -> String { id.map { "\($0)" } ?? "-" }
