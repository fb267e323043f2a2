internal import Foundation
public import Observation
internal import Synchronization

/// Reading properties of `@Observable` model classes.
extension ObservationRegistrar {
    /// Notes that a property of a model is read, so that the library can notify observers when it sets the property:
    /// by a refresh, by ``LiveObjects``, by the key of an insert, by a rollback.
    ///
    /// The code that `@Observable` adds to a model class calls it. It then does what the registrar's method for other
    /// classes does.
    ///
    /// - Parameters:
    ///   - subject: The object.
    ///   - keyPath: The property.
    public func access<Subject: PersistingModel & Observable, Member>(
        _ subject: Subject, keyPath: KeyPath<Subject, Member>
    ) {
        readProperties.note(keyPath)
        accessOfAny(subject, keyPath)
    }

    /// Calls the method for any class.
    private func accessOfAny<Subject: Observable, Member>(_ subject: Subject, _ keyPath: KeyPath<Subject, Member>) {
        access(subject, keyPath: keyPath)
    }
}

/// The properties of all `@Observable` model classes that have been read: none other is observed.
///
/// Nothing else knows their key paths, by which observers are notified.
private let readProperties = ReadProperties()

private final class ReadProperties: Sendable {
    private let seen = SeenAddresses()
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var known = [ObjectIdentifier: [any ObservedProperty]]()
    private let count = Atomic(0)

    /// Another number after each new property.
    var version: Int { count.load(ordering: .acquiring) }

    @inline(__always)
    func note<Model: PersistingModel & Observable, Value>(_ keyPath: KeyPath<Model, Value>) {
        if !seen.contains(keyPath) { add(keyPath) }
    }

    private func add<Model: PersistingModel & Observable, Value>(_ keyPath: KeyPath<Model, Value>) {
        lock.withLock {
            let id = ObjectIdentifier(Model.self)
            let same = known[id]?.first { $0.keyPath == keyPath }
            if same == nil {
                known[id, default: []].append(ReadProperty(path: keyPath))
                count.add(1, ordering: .releasing)
            }
            // Another key path that is equal isn't held, and may make room for one of another property.
            if same == nil || same?.keyPath === keyPath { seen.insert(keyPath) }
        }
    }

    func properties(of type: AnyClass) -> [any ObservedProperty] {
        lock.withLock { known[ObjectIdentifier(type)] ?? [] }
    }
}

/// A property that has been read.
private protocol ObservedProperty: Sendable {
    var keyPath: AnyKeyPath { get }
    func willSet(_ object: PersistingModel, _ registrar: ObservationRegistrar)
    func didSet(_ object: PersistingModel, _ registrar: ObservationRegistrar)
}

// A key path without subscripts is immutable.
private struct ReadProperty<Model: PersistingModel & Observable, Value>: ObservedProperty, @unchecked Sendable {
    let path: KeyPath<Model, Value>
    var keyPath: AnyKeyPath { path }

    func willSet(_ object: PersistingModel, _ registrar: ObservationRegistrar) {
        registrar.willSet(downcast(object, to: Model.self), keyPath: path)
    }

    func didSet(_ object: PersistingModel, _ registrar: ObservationRegistrar) {
        registrar.didSet(downcast(object, to: Model.self), keyPath: path)
    }
}

/// Notifies those who observe the objects of an `@Observable` class when the library sets a property.
final class ObservedColumns: Sendable {
    /// The class, or those above it, that are `@Observable`, and where their objects have the registrar.
    private let registrars: [(type: AnyClass, offset: Int)]
    private let lock = NSLock()
    // Both guarded by `lock`.
    nonisolated(unsafe) private var version = 0
    nonisolated(unsafe) private var columns = Columns()

    private struct Observed {
        let property: any ObservedProperty
        let offset: Int

        func registrar(of object: PersistingModel) -> ObservationRegistrar {
            Memory(object).read(ObservationRegistrar.self, at: offset)
        }
    }

    /// The properties that have been read, by their columns.
    private struct Columns {
        var byIndex: [Int: [Observed]] = [:]
        /// Those of which nobody can tell the column.
        var others: [Observed] = []
    }

    /// - Returns: Nil for a class that isn't `@Observable`.
    init?(_ prototype: PersistingModel) {
        registrars = lineage(of: type(of: prototype), below: PersistingModel.self).flatMap { type in
            storedProperties(of: type).filter { $0.isRegistrar(of: prototype) }.map { (type, $0.offset) }
        }
        if registrars.isEmpty { return nil }
    }

    /// Sets a column's property, and notifies those who observe it.
    func setting<T>(
        _ index: Int, of object: PersistingModel, _ mapping: Mapping, _ body: () throws -> T
    ) rethrows -> T {
        let columns = current(mapping)
        let observed = (columns.byIndex[index] ?? []) + columns.others
        for one in observed { one.property.willSet(object, one.registrar(of: object)) }
        defer { for one in observed { one.property.didSet(object, one.registrar(of: object)) } }
        return try body()
    }

    private func current(_ mapping: Mapping) -> Columns {
        let now = readProperties.version
        if let known = lock.withLock({ version == now ? columns : nil }) { return known }
        // Outside the lock, since it runs the class's getters.
        var found = Columns()
        for registrar in registrars {
            for property in readProperties.properties(of: registrar.type) {
                let observed = Observed(property: property, offset: registrar.offset)
                if let index = try? mapping.index(of: property.keyPath) {
                    found.byIndex[index, default: []].append(observed)
                } else {
                    found.others.append(observed)
                }
            }
        }
        return lock.withLock {
            (version, columns) = (now, found)
            return found
        }
    }
}

extension Mapping {
    /// Sets a column's property of an object that others may have, and may observe. Whatever the library sets in an
    /// object that it hasn't just made goes through here.
    @inline(__always)
    func setting<T>(_ index: Int, of object: PersistingModel, _ body: () throws -> T) rethrows -> T {
        guard let observedColumns else { return try body() }
        // A setter notifies by itself.
        guard columns[index].declaration.path == nil else { return try body() }
        return try observedColumns.setting(index, of: object, self, body)
    }
}
