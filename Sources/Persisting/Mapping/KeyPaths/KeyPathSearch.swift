internal import Foundation

/// Finds what a key path reads of a class's objects.
struct KeyPathSearch {
    let modelType: PersistingModel.Type
    let columns: [Column]
    /// Where the columns' fields are in an object.
    let offsets: [Int]

    /// The column whose property a key path reads.
    ///
    /// - Parameter sample: A value of the property's type, to ask with where none can be made.
    /// - Throws: ``PersistenceError/Code/unknownKey`` when it reads no column, or more than one.
    func column(_ keyPath: AnyKeyPath, sample: Any?) throws -> Int {
        // One as init() makes it, and one with all else changed: a property that is computed from several agrees on
        // one.
        let prototypes = (modelType.init(), modelType.init())
        // Those with a key path of their own are known by it, and setting one runs code of the class's.
        let stored = columns.indices.filter { columns[$0].declaration.path == nil }
        if let index = keyPath.isStored ? stored.first(where: { reads(keyPath, $0, in: prototypes.0) }) : nil {
            return index
        }
        for index in stored { columns[index].codec.change(prototypes.1, at: offsets[index]) }
        // What other columns hold may be a value of a type of which none can be made.
        let changed = Memory(prototypes.1)
        let others = stored.compactMap { flattened(columns[$0].codec.value(in: changed, at: offsets[$0])) }
        let given = [sample].compactMap { $0 } + others
        var found: [Int] = []
        for (index, column) in columns.enumerated() where column.type == type(of: keyPath).valueType {
            let offset = offsets[index]
            func reads(in object: PersistingModel) -> Bool? {
                column.codec.reads(keyPath, object, at: offset, samples: given)
            }
            // The second is asked only if the first agrees: a computed property may rely on what rows hold.
            let answer = reads(in: prototypes.0)
            if answer == false || reads(in: prototypes.1) == false { continue }
            guard answer != nil else {
                throw failure(
                    keyPath,
                    "can't be told from others, since only the class can make another value of \(source: column.type); "
                        + "make the class final, or use the key \"\(column.key)\"")
            }
            found.append(index)
        }
        guard let first = found.first else { throw failure(keyPath, "reads no property with a column") }
        guard found.count == 1 else { throw failure(keyPath, "reads more than one column") }
        return first
    }

    private func failure(_ keyPath: AnyKeyPath, _ reason: String) -> PersistenceError {
        let known = columns.map(\.key).joined(separator: ", ")
        let hint =
            columns.contains(where: \.hasJSON)
            ? "; a value in a column of JSON is found if it is encoded as the key path reads it" : ""
        return PersistenceError(
            .unknownKey, "the key path \(keyPath) \(reason); there is: \(known)\(hint)",
            model: ModelDescription.name(of: modelType))
    }

    /// Whether a key path without code is of a column's field, which its address tells.
    private func reads(_ keyPath: AnyKeyPath, _ index: Int, in object: PersistingModel) -> Bool {
        let (column, offset) = (columns[index], offsets[index])
        return column.type == type(of: keyPath).valueType && column.codec.isAddress(of: keyPath, in: object, at: offset)
    }
}

extension AnyKeyPath {
    /// Whether it leads through stored properties alone, as one of a final class's does: reading its address runs no
    /// code of the class's. Swift says so in the text that describes it.
    var isStored: Bool { !debugDescription.contains("<computed ") }
}

extension FieldCodec {
    /// Whether a key path leads to the field at an offset.
    fileprivate func isAddress(of keyPath: AnyKeyPath, in object: PersistingModel, at offset: Int) -> Bool {
        func open<Root>(_ root: Root.Type) -> Bool {
            guard let keyPath = keyPath as? ReferenceWritableKeyPath<Root, Value>, let root = object as? Root else {
                return false
            }
            return Memory(object).isAddress(of: keyPath, in: root, at: offset)
        }
        return _openExistential(Swift.type(of: keyPath).rootType, do: open)
    }

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
        let original = read(memory, at: offset)
        let isSame = equality
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
    func agree(
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
    func change(_ object: PersistingModel, at offset: Int) {
        let memory = Memory(object)
        if let other = values(besides: read(memory, at: offset), and: []).last {
            write(other, to: memory, at: offset)
        }
    }

    /// Whether two values are stored the same. Those that can't be stored aren't compared, and so not the same.
    private var equality: (Value, Value) -> Bool {
        let comparable = comparable
        return { lhs, rhs in comparable(lhs).map { $0 == comparable(rhs) } ?? false }
    }

    private func values(besides original: Value, and given: [Any]) -> [Value] {
        let given = given.compactMap { $0 as? Value } + [0, 1].compactMap { oneByteValue($0, as: Value.self) }
        let comparable = comparable
        let known = comparable(original)
        // What the column cannot store cannot be compared.
        return (samples + given).filter { value in comparable(value).map { $0 != known } ?? false }
    }
}

extension PersistingModel {
    /// What a key path reads, as it would be stored; nil when it is of another class, or its value cannot be stored.
    fileprivate func storedValue(at keyPath: AnyKeyPath) -> SQLiteValue? {
        (self[keyPath: keyPath] as? any SQLiteValueConvertible).flatMap { try? $0.sqliteValue() }
    }
}
