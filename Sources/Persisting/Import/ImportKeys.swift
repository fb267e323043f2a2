/// What an import looks for: the names of a file, and the columns that they belong to.
final class ImportKeys {
    /// A key, and what it leads to.
    final class Key {
        let bytes: [UInt8]
        /// The name, with those of the objects that it is inside.
        let path: String
        fileprivate(set) var column: Int?
        /// Whether the file has it and no class knows it.
        fileprivate(set) var isIgnored = false
        /// Whether it is a property of another class that shares the table.
        fileprivate(set) var isOfOtherClass = false
        fileprivate(set) var children: [Key] = []
        fileprivate var childByName: [String: Key] = [:]

        init(_ name: String, in parent: Key? = nil) {
            bytes = Array(name.utf8)
            let isTop = parent?.path.isEmpty ?? true
            path = isTop ? name : "\(parent?.path ?? "").\(name)"
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
            let child = childByName[name] ?? Key(name, in: self)
            if childByName.updateValue(child, forKey: name) == nil { children.append(child) }
            child.add(path.dropFirst(), column)
        }

        /// Adds a key of the file that the class doesn't have, so that it is found the next time.
        fileprivate func note(_ name: String) -> Key {
            let child = Key(name, in: self)
            children.append(child)
            return child
        }

        fileprivate func key(at path: ArraySlice<String>) -> Key? {
            guard let name = path.first else { return self }
            return childByName[name]?.key(at: path.dropFirst())
        }

        /// The columns of all keys below this one.
        var columns: [Int] { children.flatMap { ($0.column.map { [$0] } ?? []) + $0.columns } }

        /// Whether a column gets an object as a whole, and others what is inside of it.
        var hasColumnsInsideOfOthers: Bool {
            children.contains { $0.column != nil && !$0.children.isEmpty || $0.hasColumnsInsideOfOthers }
        }

        /// How many objects are inside each other.
        var depth: Int { (children.map(\.depth).max() ?? -1) + 1 }
    }

    let mapping: Mapping
    let remote: RemoteMapping
    private let keys: FileKeys
    let top = Key("")
    /// What a column is called in errors.
    private(set) var names: [Int: String] = [:]
    /// How a value has to look, where the mapping says it.
    private(set) var kinds: [RemoteMapping.Kind]
    /// The columns of the primary key, as the remote mapping says, or else as the class does.
    private(set) var keyColumns: [Int] = []
    /// The bit fields and computed aliases, which only objects can set. They have the numbers after those of the
    /// columns.
    let virtualKeys: [VirtualKey]
    /// The keys of the file that were ignored, in the order in which they were met, as far as they are kept.
    private(set) var ignored: [String] = []
    /// The names of properties that SQLite writes, which an export has and an import leaves out.
    private var namesOfGenerated: Set<String> = []
    /// How many keys are noted that the class doesn't have: a file can have any number.
    private static let limit = 100
    private var noted = 0

    /// - Throws: ``PersistenceError/Code/unknownKey``, and ``PersistenceError/Code/notWritable`` for a column that
    ///   SQLite writes alone.
    init(_ mapping: Mapping, _ keys: FileKeys) throws {
        self.mapping = mapping
        self.keys = keys
        remote = keys == .remote ? mapping.modelType.remoteMapping : .automatic
        virtualKeys = mapping.virtualKeys.filter { $0.kind != .name }.sorted { $0.key < $1.key }
        kinds = Array(repeating: .any, count: mapping.columns.count + virtualKeys.count + 1)
        for attribute in remote.attributes { try add(attribute) }
        if keyColumns.isEmpty { keyColumns = mapping.key }
        if remote.attributes.isEmpty { try addOwnNames() }
    }

    /// Adds a key of the remote mapping.
    private func add(_ attribute: RemoteMapping.Attribute) throws {
        let path = attribute.remoteKey.split(separator: ".", omittingEmptySubsequences: false)
        guard let property = attribute.property else { return top.add(path[...], nil) }
        if mapping.isOfOtherClass(property) { return }
        let index = try index(ofKey: property)
        if index != kindIndex {
            let isVirtual = index >= mapping.columns.count
            guard isWritable(isVirtual ? virtualKeys[index - mapping.columns.count].index : index),
                !(isVirtual && attribute.isPrimaryKey)
            else {
                throw PersistenceError(
                    .notWritable, "the remote mapping names \(property), a property that an import can't write",
                    model: mapping.modelName, key: property)
            }
            if attribute.isPrimaryKey { keyColumns.append(index) }
        }
        add(attribute.remoteKey, path: path, index)
        kinds[index] = attribute.kind
    }

    /// Adds the names that the class itself has for its columns, its kind and its virtual keys: first the properties',
    /// which count before the names of other properties' columns.
    private func addOwnNames() throws {
        let kind = mapping.place?.table
        if keys != .columns {
            for (index, column) in mapping.columns.enumerated() { addOwn(column.key, index) }
            if let kind { addOwn(kind.kindKey, kindIndex) }
            for key in mapping.virtualKeys.map(\.key).sorted() {
                let index = try index(ofKey: key)
                if index >= mapping.columns.count || isWritable(index) { addOwn(key, index) }
            }
        }
        if keys != .properties {
            for (index, column) in mapping.columns.enumerated() { addOwn(column.name, index) }
            if let kind { addOwn(kind.kindColumn.name, kindIndex) }
        }
    }

    /// Adds a name that the class itself has, unless it is known.
    private func addOwn(_ name: String, _ index: Int) {
        if !isWritable(index) { namesOfGenerated.insert(name) }
        guard top.key(at: [name]) == nil else { return }
        if isWritable(index) { add(name, path: [name[...]], index) } else { top.add([name[...]], nil) }
    }

    /// The number of a property's column, or of a virtual key.
    private func index(ofKey key: String) throws -> Int {
        if let place = virtualKeys.firstIndex(where: { $0.key == key }) { return mapping.columns.count + place }
        if mapping.place?.table.kindKey == key { return kindIndex }
        return try mapping.index(ofKey: key)
    }

    /// How many numbers there are: those of the columns, those of the virtual keys, and that of the kind.
    var count: Int { kindIndex + 1 }

    /// The number of the kind, which says of a row of a hierarchy of which class it is.
    var kindIndex: Int { mapping.columns.count + virtualKeys.count }

    /// What has a number: a property, a virtual key, or the kind.
    func property(of index: Int) -> String {
        if index == kindIndex { return mapping.place?.table.kindKey ?? "" }
        return index < mapping.columns.count
            ? mapping.columns[index].key : virtualKeys[index - mapping.columns.count].key
    }

    /// The keys that lead to the kind; none for a class without one.
    var kindPaths: [[[UInt8]]] {
        func paths(below key: Key) -> [[[UInt8]]] {
            key.children.flatMap { child in
                (child.column == kindIndex ? [[child.bytes]] : []) + paths(below: child).map { [child.bytes] + $0 }
            }
        }
        return paths(below: top)
    }

    /// Notes a key of the file that the class doesn't have.
    ///
    /// - Parameters:
    ///   - others: Those of other classes that share the table.
    /// - Returns: Nil where there are too many.
    func note(_ name: UnsafeBufferPointer<UInt8>, below parent: Key, others: [ImportKeys]) -> Key? {
        guard noted < Self.limit else { return nil }
        noted += 1
        let key = parent.note(String(decoding: name, as: UTF8.self))
        let path = key.path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        key.isOfOtherClass = others.contains { $0 !== self && $0.top.key(at: path[...]) != nil }
        key.isIgnored = !key.isOfOtherClass
        if key.isIgnored, !ignored.contains(key.path) { ignored.append(key.path) }
        return key
    }

    /// The names of a property without a remote mapping: its own, its aliases, and its column's unless that is
    /// another property's own.
    func allNames(of index: Int) -> [String] {
        let column =
            index == kindIndex
            ? mapping.place?.kindColumnName : index < mapping.columns.count ? mapping.columns[index].name : nil
        let names = index == kindIndex ? [property(of: index)] : propertyNames(of: index)
        return names + [column].compactMap { $0 }.filter { !mapping.hasColumn(forKey: $0) }
    }

    /// A property's name, and its aliases.
    private func propertyNames(of index: Int) -> [String] {
        let aliases = mapping.virtualKeys.filter { $0.index == index && $0.kind == .name }.map(\.key).sorted()
        return [property(of: index)] + aliases
    }

    /// Whether a property's name leads to a number: it may be an alias.
    func isName(_ property: String, of index: Int) -> Bool { allNames(of: index).contains(property) }

    /// Whether a file's names can lead to a virtual key.
    var hasVirtualKeys: Bool { names.keys.contains(where: isVirtual) }

    func isVirtual(_ index: Int) -> Bool { index >= mapping.columns.count && index < kindIndex }

    /// Gives an object what a column stores, or a virtual key.
    func assign(_ stored: SQLiteValue, to index: Int, of object: PersistingModel) throws {
        guard index >= mapping.columns.count else {
            return try mapping.assign(stored: stored, to: index, of: object)
        }
        let key = virtualKeys[index - mapping.columns.count]
        let value: Any? = stored.isNull ? nil : try key.codec.decoded(stored)
        try key.assign(value, to: object, mapping)
    }

    /// The columns that values are stored in.
    func columns(of indices: [Int]) -> ColumnSet {
        ColumnSet(indices.map { $0 < mapping.columns.count ? $0 : virtualKeys[$0 - mapping.columns.count].index })
    }

    private func add(_ name: String, path: [Substring], _ index: Int) {
        top.add(path[...], index)
        if names[index] == nil { names[index] = name }
    }

    private func isWritable(_ index: Int) -> Bool {
        index != mapping.rowID && !mapping.generated.contains(index)
    }

    /// The column that a field of a CSV text belongs to, by its name; nil for none.
    ///
    /// - Parameter isGiven: Whether the program names the field, and not the file: it may name what the class's remote
    ///   mapping leaves out.
    func column(ofField name: String, isGiven: Bool) -> Int? {
        if let index = index(ofName: name) { return index }
        guard remote.attributes.isEmpty || isGiven else { return nil }
        let lowercased = asciiLowercased(name)
        func isProperty(_ index: Int) -> Bool {
            index == kindIndex
                ? mapping.place?.table.kindKey == name : propertyNames(of: index).contains(name)
        }
        func isColumn(_ index: Int) -> Bool {
            let column =
                index == kindIndex
                ? mapping.place?.table.kindColumn.name
                : index < mapping.columns.count ? mapping.columns[index].name : nil
            return column.map(asciiLowercased) == lowercased
        }
        let indices = (0..<count).filter(isWritable)
        return (keys == .columns ? nil : indices.first(where: isProperty))
            ?? (keys == .properties ? nil : indices.first(where: isColumn))
    }

    /// The number that a key of JSON leads to, with points between those of objects inside each other.
    private func index(ofName name: String) -> Int? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return top.key(at: remote.attributes.isEmpty ? [name] : parts[...])?.column
    }

    /// Whether the remote mapping has both names for one property, for files that have either; of both the last counts.
    func areNamesOfOne(_ name: String, _ other: String) -> Bool {
        guard !remote.attributes.isEmpty, name != other, let index = index(ofName: name) else { return false }
        return index == self.index(ofName: other)
    }

    /// Whether a name is one of a column that SQLite writes.
    func isOfGenerated(_ name: String) -> Bool { namesOfGenerated.contains(name) }

    /// The column of a property that a format names.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/notWritable``.
    func column(ofProperty key: String) throws -> Int {
        let index = try index(ofKey: key)
        guard isWritable(index) else {
            throw PersistenceError(
                .notWritable, "a field is renamed to \(key), a property that an import can't write",
                model: mapping.modelName, key: key)
        }
        return index
    }

    /// The keys whose values closures store.
    var relationships: [RemoteMapping.Attribute] { remote.attributes.filter { $0.relationship != nil } }
}

extension FieldCodec {
    /// The property's value for a stored one.
    func decoded(_ stored: SQLiteValue) throws -> Any { try decode(stored) }
}
