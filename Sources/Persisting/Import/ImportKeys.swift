/// What an import looks for: the names of a file, and the columns that they belong to.
final class ImportKeys {
    /// A key, and what it leads to.
    final class Key {
        let bytes: [UInt8]
        fileprivate(set) var column: Int?
        fileprivate(set) var children: [Key] = []
        fileprivate var childByName: [String: Key] = [:]

        init(_ name: String) {
            bytes = Array(name.utf8)
        }

        /// The child of a name.
        @inline(__always)
        func child(_ name: UnsafeBufferPointer<UInt8>, expected: Int) -> Int? {
            // As a rule each object has its keys in the order of the one before.
            if expected < children.count, children[expected].isNamed(name) { return expected }
            return children.firstIndex { $0.isNamed(name) }
        }

        private func isNamed(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
            guard bytes.count == name.count else { return false }
            for index in bytes.indices where bytes[index] != name[index] { return false }
            return true
        }

        /// Adds a key below this one; the first of two with one name counts.
        fileprivate func add(_ path: ArraySlice<Substring>, _ column: Int?) {
            guard let name = path.first.map(String.init) else {
                self.column = self.column ?? column
                return
            }
            let child = childByName[name] ?? Key(name)
            if childByName.updateValue(child, forKey: name) == nil { children.append(child) }
            child.add(path.dropFirst(), column)
        }

        /// The columns of all keys below this one.
        var columns: [Int] { children.flatMap { ($0.column.map { [$0] } ?? []) + $0.columns } }

        /// How many objects are inside each other.
        var depth: Int { (children.map(\.depth).max() ?? -1) + 1 }
    }

    let mapping: Mapping
    let remote: RemoteMapping
    let top = Key("")
    /// What a column is called in errors.
    private(set) var names: [Int: String] = [:]
    /// How a value has to look, where the mapping says it.
    private(set) var kinds: [RemoteMapping.Kind]
    /// The columns of the primary key, as the remote mapping says, or else as the class does.
    private(set) var keyColumns: [Int] = []

    /// - Throws: ``PersistenceError/Code/unknownKey``, and ``PersistenceError/Code/notWritable`` for a column that
    ///   SQLite writes alone.
    init(_ mapping: Mapping) throws {
        self.mapping = mapping
        remote = mapping.modelType.remoteMapping
        kinds = Array(repeating: .any, count: mapping.columns.count)
        for attribute in remote.attributes {
            guard let property = attribute.property else { continue }
            let index = try mapping.index(ofKey: property)
            guard isWritable(index), mapping.virtualKeys[property] == nil else {
                throw PersistenceError(
                    .notWritable, "the remote mapping names a property that an import can't write",
                    model: mapping.modelName, key: property)
            }
            add(
                attribute.remoteKey, path: attribute.remoteKey.split(separator: ".", omittingEmptySubsequences: false),
                index)
            kinds[index] = attribute.kind
            if attribute.isPrimaryKey { keyColumns.append(index) }
        }
        if keyColumns.isEmpty { keyColumns = mapping.key }
        guard remote.attributes.isEmpty else { return }
        for (index, column) in mapping.columns.enumerated() where isWritable(index) {
            add(column.key, path: [column.key[...]], index)
            add(column.name, path: [column.name[...]], index)
        }
    }

    private func add(_ name: String, path: [Substring], _ index: Int) {
        top.add(path[...], index)
        if names[index] == nil { names[index] = name }
    }

    private func isWritable(_ index: Int) -> Bool {
        index != mapping.rowID && !mapping.generated.contains(index)
    }

    /// The column that a field of a CSV text belongs to, by its name; nil for none.
    func column(ofField name: String) -> Int? {
        if let (index, _) = names.first(where: { $0.value == name }) { return index }
        let lowercased = asciiLowercased(name)
        return mapping.columns.indices.first {
            isWritable($0)
                && (mapping.columns[$0].key == name || asciiLowercased(mapping.columns[$0].name) == lowercased)
        }
    }

    /// The keys whose values closures store.
    var relationships: [RemoteMapping.Attribute] { remote.attributes.filter { $0.relationship != nil } }
}
