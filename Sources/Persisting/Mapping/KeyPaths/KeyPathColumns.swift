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
    // One made at run time is a new object each time, but equal.
    nonisolated(unsafe) private var byValue: [AnyKeyPath: Answer] = [:]
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
        /// The value inside of the column, which is JSON, that the key path leads to.
        var json: JSONTerm?
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
        if let equal = lock.withLock({ byValue[keyPath] }) {
            note(equal, keyPath)
            return equal
        }
        try checkComponents(of: keyPath)
        let answer: Answer
        if let key = declared.first(where: { $0.keyPath == keyPath })?.key {
            answer = Answer(index: try mapping.index(ofKey: key), key: key)
        } else if !keyPath.isStored, let key = mapping.keyOfCalculation(keyPath) {
            // The property isn't asked: its code may rely on what rows hold.
            throw PersistenceError(
                .unknownKey, "the key path \(keyPath) is of the calculation \(key), which has no column",
                model: mapping.modelName, key: key)
        } else if let key = try inheritedKey(keyPath, mapping) {
            answer = Answer(index: try mapping.index(ofKey: key), key: key)
        } else {
            answer = try Self.find(keyPath, in: mapping, sample())
        }
        note(answer, keyPath)
        return answer
    }

    private func note(_ answer: Answer, _ keyPath: AnyKeyPath) {
        let known = Known(keyPath: keyPath, answer: answer)
        lock.withLock {
            if byIdentity.count >= Self.limit { (byIdentity, byValue) = ([:], [:]) }
            byIdentity[ObjectIdentifier(keyPath)] = known
            byValue[keyPath] = answer
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

    private static func find(_ keyPath: AnyKeyPath, in mapping: Mapping, _ sample: Any?) throws -> Answer {
        let search = KeyPathSearch(
            modelType: mapping.modelType, columns: mapping.columns, offsets: mapping.fields.map(\.offset))
        do {
            let index = try search.column(keyPath, sample: sample)
            return Answer(index: index, key: mapping.columns[index].key)
        } catch {
            guard let term = search.term(keyPath, sample: sample) else { throw error }
            return Answer(index: try mapping.index(of: term), key: term.name, json: term)
        }
    }
}
