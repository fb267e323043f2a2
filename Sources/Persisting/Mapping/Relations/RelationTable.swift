internal import Foundation
internal import Synchronization

/// The relations that a class lists, and what they add to its table.
final class RelationTable: Sendable {
    let relations: [(name: String, declaration: RelationDeclaration)]
    /// The table that the class declares, with the foreign keys and indexes of its relations.
    let definition: TableDefinition

    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    fileprivate init(_ relations: Relations, _ mapping: Mapping) throws {
        self.relations = relations.elements
        var definition = mapping.sql.definition
        for (name, declaration) in relations.elements {
            try mapping.check(name: name, declaration, relations)
            try definition.declare(declaration, name, mapping)
        }
        self.definition = definition
    }

    /// The relation of a name.
    func declaration(named name: String) -> RelationDeclaration? {
        relations.first { $0.name == name }?.declaration
    }

    /// The name of a relation, refined or not.
    func name(of declaration: RelationDeclaration) -> String? {
        relations.first { $0.declaration.root === declaration.root }?.name
    }
}

extension TableDefinition {
    /// Adds the foreign key of a to-one relation, and its index.
    fileprivate mutating func declare(
        _ declaration: RelationDeclaration, _ name: String, _ mapping: Mapping
    ) throws {
        guard case .toOne(let key) = declaration.shape else { return }
        let columns = try mapping.foreignKeyColumns(key, of: declaration, name: name)
        if key.isEnforced { try declare(key, name, declaration, columns, mapping) }
        if key.isIndexed { declareIndex(on: columns.map { mapping.columns[$0].name }) }
    }
}

/// What a mapping knows of its class's relations. They are asked for when the class is first used by a manager, and not
/// when it is mapped: a relation's condition maps the class, and is made with the class's list of relations.
final class DeclaredRelations: Sendable {
    private enum State: UInt8 {
        case unknown, none, some, failed
    }

    private let lock = NSLock()
    // Written once, under `lock`, before the state says so.
    @exclusivity(unchecked) nonisolated(unsafe) private var found: Result<RelationTable?, any Error> = .success(nil)
    private let state = Atomic<UInt8>(State.unknown.rawValue)
    private let isChecked = Atomic(false)

    /// The table of a class's relations; nil for a class without any.
    func table(_ mapping: Mapping) throws -> RelationTable? {
        switch State(rawValue: state.load(ordering: .acquiring)) {
        case .some?, .failed?: return try found.get()
        case Optional.none, State.none?: return nil
        case .unknown?: break
        }
        // Outside the lock, since it runs the class's own code. Of two threads one's work is dropped.
        let relations = mapping.modelType.relations
        let result = Result { relations.isEmpty ? nil : try RelationTable(relations, mapping) }
        return try lock.withLock {
            if state.load(ordering: .relaxed) != State.unknown.rawValue { return try found.get() }
            found = result
            let new: State =
                switch result {
                case .success(nil): .none
                case .success: .some
                case .failure: .failed
                }
            state.store(new.rawValue, ordering: .releasing)
            return try result.get()
        }
    }

    /// Checks all relations with the classes that they lead to, once.
    func check(_ mapping: Mapping) throws {
        guard !isChecked.load(ordering: .acquiring) else { return }
        if let table = try table(mapping) {
            for (name, declaration) in table.relations { try mapping.check(declaration, name) }
        }
        isChecked.store(true, ordering: .releasing)
    }
}

extension Mapping {
    /// The relations that the class lists; nil for a class without any.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    var relations: RelationTable? { get throws { try declaredRelations.table(self) } }

    /// Whether objects of the class, or of one that inherits from it and shares its table, may have relations.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    var mayBeRelated: Bool {
        get throws {
            if try relations != nil { return true }
            guard hasSubclasses, let place else { return false }
            return try place.subclasses.contains { try $0.mapping.relations != nil }
        }
    }

    /// The relation that has a name in the class's list.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey`` when none has it.
    func relation(named name: String) throws -> RelationDeclaration {
        if let declaration = try relations?.declaration(named: name) { return declaration }
        let known = try relations?.relations.map(\.name).joined(separator: ", ")
        throw PersistenceError(
            .unknownKey,
            "there is no relation \"\(name)\""
                + (known.map { "; there is: \($0)" } ?? ": the class lists none in relations"),
            model: modelName, key: name)
    }

    /// The name of the to-one relation whose foreign key has some columns; nil for none.
    func relationName(byColumns names: [String]) -> String? {
        // Who asks has another error to throw.
        let relations = (try? relations)?.relations ?? []
        return relations.first { _, declaration in
            guard case .toOne(let key) = declaration.shape,
                let columns = try? foreignKeyColumns(key, of: declaration)
            else { return false }
            return columns.map { asciiLowercased(self.columns[$0].name) } == names.map(asciiLowercased)
        }.map { "\(modelName).\($0.name)" }
    }

    /// The relation's name with its class, for messages.
    func relationName(of declaration: RelationDeclaration) -> String {
        (try? declaration.resolved(from: self)).map { "\(modelName).\($0.name)" } ?? modelName
    }

    /// The table that the class declares, with its indexes, and with what its relations add.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    var definition: TableDefinition {
        get throws {
            guard let place else { return try relations?.definition ?? sql.definition }
            var definition = sql.definition
            var declared: [RelationDeclaration] = []
            for member in place.table.hierarchy.members {
                let mapping = try Mapping.of(member, dates: dates, schemaKey: schemaKey)
                for (name, declaration) in try mapping.relations?.relations ?? []
                where !declared.contains(where: { $0 === declaration }) {
                    declared.append(declaration)
                    try definition.declare(declaration, name, mapping)
                }
            }
            return definition
        }
    }

    /// Throws for relations that can't be as they are declared.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    func checkRelations() throws { try declaredRelations.check(self) }
}
