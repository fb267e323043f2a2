internal import Foundation

// Finding the value inside of a column of JSON that a key path reads.
//
// Swift has no way from a key path to the keys that a type is encoded with. So values are put into objects by the key
// path, and what changes in their JSON is a candidate. One counts only when the key path reads each value that is put
// there in the JSON: a computed property may read another's value, or change what it is given.

extension KeyPathSearch {
    /// Values of a type, and how they are encoded.
    private typealias Probes<Value> = [(value: Value, tree: JSONContent)]

    /// The value inside of a column of JSON that a key path reads.
    ///
    /// - Parameter sample: A value of the property's type, where none can be made.
    /// - Returns: Nil when no value is what the key path reads.
    func term(_ keyPath: AnyKeyPath, sample: Any?) -> JSONTerm? {
        guard let type = Swift.type(of: keyPath).valueType as? any Codable.Type, columns.contains(where: \.hasJSON)
        else { return nil }
        func open<Value: Codable>(_ type: Value.Type) -> JSONTerm? {
            func open<Root>(_ root: Root.Type) -> JSONTerm? {
                (keyPath as? KeyPath<Root, Value>).flatMap { find($0, sample) }
            }
            return _openExistential(Swift.type(of: keyPath).rootType, do: open)
        }
        return open(type)
    }

    private func find<Root, Value: Codable>(_ keyPath: KeyPath<Root, Value>, _ sample: Any?) -> JSONTerm? {
        for index in columns.indices where columns[index].hasJSON {
            guard let plain = JSONPrototype(self, column: index), let root = plain.object as? Root,
                let varied = JSONPrototype(self, column: index, isVaried: true)
            else { continue }
            let probes = probes(besides: root[keyPath: keyPath], sample as? Value)
            let form = JSONForm(Value.self, probes.map(\.tree))
            let paths = [changedPath(keyPath, column: index, probes)].compactMap(\.self) + plain.tree.paths
            for path in paths {
                guard let absent = absent(keyPath, path, probes, [plain, varied]) else { continue }
                return JSONTerm(
                    columns[index].key, JSONPlace(path), Value.self, JSONLeafCodec<Value>(form: form), form,
                    absent: form.stored(absent))
            }
        }
        return nil
    }

    /// The path under which the JSON changes when the key path is set; nil for one that can't be set.
    private func changedPath<Root, Value>(
        _ keyPath: KeyPath<Root, Value>, column index: Int, _ probes: Probes<Value>
    ) -> [String]? {
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<Root, Value>,
            let prototype = JSONPrototype(self, column: index), let root = prototype.object as? Root
        else { return nil }
        var (first, changed) = (JSONContent?.none, [String]?.none)
        for probe in probes {
            root[keyPath: keyPath] = probe.value
            guard let tree = prototype.encoded else { continue }
            guard let first else {
                first = tree
                continue
            }
            guard let path = tree.difference(from: first) else { continue }
            changed = changed.map { zip($0, path).prefix { $0 == $1 }.map(\.0) } ?? path
        }
        return changed.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What the key path reads where nothing is at a path; nil when it doesn't read the path's value.
    private func absent<Root, Value: Codable>(
        _ keyPath: KeyPath<Root, Value>, _ path: [String], _ probes: Probes<Value>, _ prototypes: [JSONPrototype]
    ) -> JSONContent? {
        var (seen, absent) = (Set<JSONContent>(), Set<JSONContent>())
        for prototype in prototypes {
            guard let root = prototype.object as? Root else { return nil }
            defer { prototype.hold(prototype.tree) }
            for probe in probes {
                guard let tree = prototype.tree.replacing(path, by: probe.tree), prototype.hold(tree) else { continue }
                guard Self.encoded(root[keyPath: keyPath]) == probe.tree else { return nil }
                seen.insert(probe.tree)
            }
            let isReadable = prototype.tree.replacing(path, by: nil).map(prototype.hold) ?? false
            absent.insert(isReadable ? Self.encoded(root[keyPath: keyPath]) ?? .null : .null)
        }
        return seen.count > 1 && absent.count == 1 ? absent.first : nil
    }
}

/// Values to try.
extension KeyPathSearch {
    /// How many are enough.
    private static let most = 64

    /// Texts of which many types make values.
    private static let literals: [JSONContent] = [
        .text("a"), .text(""), .text("Aa \u{C9}e\u{301} z"), .number("1"), .number("-1"), .number("1000003"),
        .number("0.5"), .truth(true), .truth(false), .array([]), .array([.text("a")]), .array([.number("1")]),
        .array([.truth(true)]), .object([:]), .object(["a": .text("a")]), .object(["a": .number("1")]),
    ]

    private func probes<Value: Codable>(besides value: Value, _ sample: Value?) -> Probes<Value> {
        let base = Self.encoded(value)
        let variations = base?.variations ?? []
        let made = (variations + Self.literals).compactMap { Self.decoded($0, Value.self) }
        let bytes = [0, 1].compactMap { oneByteValue($0, as: Value.self) }
        let values = [value] + [sample].compactMap(\.self) + made + bytes + JSONLeafCodec<Value>(form: .any).samples
        var known: Set<JSONContent> = []
        var probes: Probes<Value> = []
        for value in values where probes.count < Self.most {
            // A date may not be the same after it was written and read.
            guard let tree = Self.encoded(value), !known.contains(tree),
                let again = Self.decoded(tree, Value.self), Self.encoded(again) == tree
            else { continue }
            known.insert(tree)
            probes.append((value, tree))
        }
        return probes
    }

    private static func encoded(_ value: some Encodable) -> JSONContent? {
        (try? StoredJSON.encode(value)).flatMap { JSONContent($0) }
    }

    private static func decoded<Value: Decodable>(_ tree: JSONContent, _ type: Value.Type) -> Value? {
        try? StoredJSON.decode(type, from: Data(tree.text.utf8))
    }
}

/// An object to try values in.
private struct JSONPrototype {
    let object: PersistingModel
    let tree: JSONContent
    private let codec: any FieldCodec
    private let offset: Int

    /// - Parameters:
    ///   - index: The column of JSON.
    ///   - isVaried: Whether all other values are others than `init()` makes them: a property that is computed of
    ///     several differs in one.
    init?(_ search: KeyPathSearch, column index: Int, isVaried: Bool = false) {
        object = search.modelType.init()
        for (column, offset) in zip(search.columns, search.offsets) {
            // Setting a column by its key path runs code of the class's.
            if isVaried, column.declaration.path == nil { column.codec.change(object, at: offset) }
            guard column.hasJSON, case .null? = try? column.codec.stored(in: Memory(object), at: offset) else {
                continue
            }
            // What is nil has no values inside of it.
            try? column.codec.assign(stored: .text("{}"), to: Memory(object), at: offset)
        }
        (codec, offset) = (search.columns[index].codec, search.offsets[index])
        guard let stored = try? codec.stored(in: Memory(object), at: offset), let tree = JSONContent(stored),
            case .object = tree
        else { return nil }
        guard isVaried else {
            self.tree = tree
            return
        }
        let (codec, offset, memory) = (codec, offset, Memory(object))
        self.tree = tree.varied { (try? codec.assign(stored: .text($0.text), to: memory, at: offset)) != nil }
        hold(self.tree)
    }

    /// The column's JSON as the object has it.
    var encoded: JSONContent? { (try? codec.stored(in: Memory(object), at: offset)).flatMap { JSONContent($0) } }

    /// Gives the object the value that a tree describes.
    ///
    /// - Returns: Whether there is one.
    @discardableResult
    func hold(_ tree: JSONContent) -> Bool {
        (try? codec.assign(stored: .text(tree.text), to: Memory(object), at: offset)) != nil
    }
}

extension JSONContent {
    /// Another value of the same kind.
    private var other: JSONContent? {
        switch self {
        case .null: nil
        case .truth(let truth): .truth(!truth)
        case .number(let digits): .number(Int64(digits).map { "\($0 &+ 1)" } ?? "0.25")
        case .text(let text): .text(text + "a")
        case .array, .object: nil
        }
    }

    /// Trees of which each differs in one value; of a value by itself, another.
    fileprivate var variations: [JSONContent] {
        guard case .object = self else { return [other].compactMap(\.self) }
        return paths.compactMap { path in value(at: path)?.other.flatMap { replacing(path, by: $0) } }
    }

    /// The tree with other values, as far as they are taken.
    fileprivate func varied(_ takes: (JSONContent) -> Bool) -> JSONContent {
        paths.reduce(self) { tree, path in
            guard let other = value(at: path)?.other, let varied = tree.replacing(path, by: other), takes(varied)
            else { return tree }
            return varied
        }
    }
}
