internal import Foundation

/// Which column a key path reads.
///
/// Swift has no public way from a key path to a name, and the key path of an inherited or overridable property is a
/// computed one. So it is asked: on an object of the class, the field of one column after the other is changed, and the
/// key path read. The column whose change it shows, value for value, is its own. The answer is kept.
final class KeyPathColumns: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`. A literal key path is the same object each time, so most are found by identity; the dictionary
    // keeps them alive.
    @exclusivity(unchecked) nonisolated(unsafe) private var byIdentity: [ObjectIdentifier: Known] = [:]
    @exclusivity(unchecked) nonisolated(unsafe) private var last: Known?

    /// The keys of the computed properties that the class declares by their key paths. Literals of the class's, and
    /// only read.
    nonisolated(unsafe) private let declared: [(keyPath: AnyKeyPath, key: String)]

    init(declared: [(keyPath: AnyKeyPath, key: String)]) {
        self.declared = declared
    }

    private struct Known {
        let keyPath: AnyKeyPath
        let answer: Answer
    }

    struct Answer {
        /// The column.
        let index: Int
        /// The key of the property, which may be one of several that are kept in the column.
        let key: String
        /// Whether the key path leads straight to the column's field, so that setting it runs no code of the class's;
        /// nil until it has been asked for.
        fileprivate(set) var isStored: Bool?
        /// Whether it is of the column's own property, which the tracked values hold as it is. Known with `isStored`.
        fileprivate(set) var isOfTrackedProperty = false
    }

    /// Key paths made at run time are new objects each time; they must not fill the memory.
    private static let limit = 4096

    /// The column and the key of a key path.
    ///
    /// - Parameter sample: A value of the property's type, to ask with where none can be made.
    /// - Throws: ``PersistenceError/Code/unknownKey`` when it reads no column, or more than one.
    func answer(_ keyPath: AnyKeyPath, in mapping: Mapping, sample: @autoclosure () -> Any? = nil) throws -> Answer {
        let identity = ObjectIdentifier(keyPath)
        let known: Answer? = lock.withLock {
            if last?.keyPath !== keyPath {
                guard let known = byIdentity[identity] else { return nil }
                last = known
            }
            return last?.answer
        }
        if let known { return known }
        let answer: Answer
        if let key = try declared.first(where: { $0.keyPath == keyPath })?.key ?? inheritedKey(keyPath, mapping) {
            answer = Answer(index: try mapping.index(ofKey: key), key: key)
        } else {
            let index = try Self.find(keyPath, in: mapping, sample())
            answer = Answer(index: index, key: mapping.columns[index].key)
        }
        note(answer, keyPath)
        return answer
    }

    private func note(_ answer: Answer, _ keyPath: AnyKeyPath) {
        let known = Known(keyPath: keyPath, answer: answer)
        lock.withLock {
            if byIdentity.count >= Self.limit { byIdentity = [:] }
            byIdentity[ObjectIdentifier(keyPath)] = known
            last = known
        }
    }

    /// The column of a property that is to be set, and whether it is stored as it is.
    func answer<Model: PersistingModel, Value>(
        setting keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value, in mapping: Mapping
    ) throws -> Answer {
        var answer = try answer(keyPath, in: mapping, sample: value)
        if answer.isStored != nil { return answer }
        let (column, field) = (mapping.columns[answer.index], mapping.fields[answer.index])
        answer.isOfTrackedProperty =
            column.type == Value.self && column.key == answer.key && field.kind.isOfProperty
        let object = mapping.modelType.init() as? Model
        answer.isStored =
            column.type == Value.self
            && object.map { Memory($0).isAddress(of: keyPath, in: $0, at: field.offset) } ?? false
        note(answer, keyPath)
        return answer
    }

    /// The key of a computed property that a class above declares: its key path there is never equal to the same one of
    /// this class, so both are read while their column changes.
    private func inheritedKey(_ keyPath: AnyKeyPath, _ mapping: Mapping) throws -> String? {
        let object = mapping.modelType.init()
        let keys = try declared.filter { candidate, key in
            guard type(of: candidate).valueType == type(of: keyPath).valueType,
                type(of: candidate).rootType != type(of: keyPath).rootType
            else { return false }
            let index = try mapping.index(ofKey: key)
            var bits: [SQLiteValue] = []
            if case .bits(let mask) = mapping.virtualKeys[key]?.kind {
                bits = [.integer(mask), .integer(0), .integer(~mask)]
            }
            return mapping.columns[index].codec.agree(
                keyPath, candidate, object, at: mapping.fields[index].offset, alongside: bits)
        }
        return keys.count == 1 ? keys.first?.key : nil
    }

    private static func find(_ keyPath: AnyKeyPath, in mapping: Mapping, _ sample: Any?) throws -> Int {
        // One as init() makes it, and one with all else changed: a property that is computed from several agrees on
        // one.
        let prototypes = (mapping.modelType.init(), mapping.modelType.init())
        // Those with a key path of their own are known by it, and setting one runs code of the class's.
        let stored = mapping.columns.indices.filter { mapping.columns[$0].declaration.path == nil }
        for index in stored { mapping.columns[index].codec.change(prototypes.1, at: mapping.fields[index].offset) }
        // What other columns hold may be a value of a type of which none can be made.
        let given = [sample].compactMap(\.self) + stored.compactMap { mapping.value($0, of: prototypes.1) }
        func failure(_ reason: String) -> PersistenceError {
            let known = mapping.columns.map(\.key).joined(separator: ", ")
            return PersistenceError(
                .unknownKey, "the key path \(keyPath) \(reason); there is: \(known)", model: mapping.modelName)
        }
        var found: [Int] = []
        for (index, column) in mapping.columns.enumerated() where column.type == type(of: keyPath).valueType {
            let offset = mapping.fields[index].offset
            let answers = [prototypes.0, prototypes.1].map {
                column.codec.reads(keyPath, $0, at: offset, samples: given)
            }
            switch answers.contains(false) ? false : answers[0] {
            case true?: found.append(index)
            case false?: break
            case nil:
                throw failure(
                    "can't be told from others, since only the class can make another value of \(column.type); make the "
                        + "class final, or use the key \"\(column.key)\"")
            }
        }
        guard let first = found.first else { throw failure("reads no property with a column") }
        guard found.count == 1 else { throw failure("reads more than one column") }
        return first
    }
}

extension FieldCodec {
    /// Whether a key path reads the field at an offset; nil when there is no way to tell.
    fileprivate func reads(
        _ keyPath: AnyKeyPath, _ object: PersistingModel, at offset: Int, samples: [Any]
    ) -> Bool? {
        func open<Root>(_ root: Root.Type) -> Bool? {
            guard let keyPath = keyPath as? KeyPath<Root, Value>, let root = object as? Root else { return false }
            return reads(keyPath, root, object, at: offset, samples: samples)
        }
        return _openExistential(Swift.type(of: keyPath).rootType, do: open)
    }

    private func reads<Root>(
        _ keyPath: KeyPath<Root, Value>, _ root: Root, _ object: PersistingModel, at offset: Int, samples: [Any]
    ) -> Bool? {
        let memory = Memory(object)
        // A stored property is found by its address, where the class allows.
        if ownCodec(for: Value.self) == nil, let keyPath = keyPath as? ReferenceWritableKeyPath<Root, Value>,
            memory.isAddress(of: keyPath, in: root, at: offset)
        {
            return true
        }
        let original = read(memory, at: offset)
        guard isSame(root[keyPath: keyPath], original) else { return false }
        // More than one, and awkward ones: a property that is computed from the column agrees on some.
        let others = values(besides: original, and: samples)
        defer { write(original, to: memory, at: offset) }
        for other in others {
            write(other, to: memory, at: offset)
            // As the column has it now: a property that is computed may not give back what it was given.
            guard isSame(root[keyPath: keyPath], read(memory, at: offset)) else { return false }
        }
        return others.isEmpty ? nil : true
    }

    /// Whether two key paths read the same, and not always the same, whatever the property holds.
    ///
    /// - Parameter stored: Values, as they are stored, to try besides those that are known of the type.
    fileprivate func agree(
        _ keyPath: AnyKeyPath, _ other: AnyKeyPath, _ object: PersistingModel, at offset: Int,
        alongside stored: [SQLiteValue]
    ) -> Bool {
        let memory = Memory(object)
        let original = read(memory, at: offset)
        defer { write(original, to: memory, at: offset) }
        var seen: Set<SQLiteValue> = []
        for value in values(besides: original, and: []) + values(of: stored) {
            write(value, to: memory, at: offset)
            guard let one = object.storedValue(at: keyPath), one == object.storedValue(at: other) else { return false }
            seen.insert(one)
        }
        return seen.count > 1
    }

    /// Puts another value than an object of the class begins with into a field, if one can be made.
    fileprivate func change(_ object: PersistingModel, at offset: Int) {
        let memory = Memory(object)
        if let other = values(besides: read(memory, at: offset), and: []).last {
            write(other, to: memory, at: offset)
        }
    }

    private func isSame(_ lhs: Value, _ rhs: Value) -> Bool {
        // Values that cannot be stored are not compared, and so not the same.
        guard let lhs = comparable(lhs), let rhs = comparable(rhs) else { return false }
        return lhs == rhs
    }

    private func values(besides original: Value, and given: [Any]) -> [Value] {
        let given = given.compactMap { $0 as? Value } + [0, 1].compactMap { oneByteValue($0, as: Value.self) }
        // What the column cannot store cannot be compared.
        return (samples + given).filter { comparable($0) != nil && !isSame($0, original) }
    }
}

extension PersistingModel {
    /// What a key path reads, as it would be stored; nil when it is of another class, or its value cannot be stored.
    fileprivate func storedValue(at keyPath: AnyKeyPath) -> SQLiteValue? {
        (self[keyPath: keyPath] as? any SQLiteValueConvertible).flatMap { try? $0.sqliteValue() }
    }
}
