internal import Foundation

/// A value in whose JSON others are tried: an object with a column of JSON, or an element of a list.
struct JSONPrototype<Root> {
    /// Its JSON.
    let tree: JSONContent
    /// What it is with other JSON; nil for JSON that its type doesn't read.
    let made: (JSONContent) -> Root?
    /// The JSON that it has become.
    let encoded: (Root) -> JSONContent?

    /// The same with all that its type asks for and that isn't there, as inside of what is nil; nil when that makes
    /// none.
    fileprivate func filled(_ more: JSONContent?) -> JSONPrototype? {
        let filled = more.map(tree.filled) ?? tree
        return made(filled).map { _ in JSONPrototype(tree: filled, made: made, encoded: encoded) }
    }

    /// The same with other values, as far as its type takes them.
    fileprivate var varied: JSONPrototype {
        JSONPrototype(tree: tree.varied { made($0) != nil }, made: made, encoded: encoded)
    }
}

/// What a prototype has.
enum JSONPrototypeKind: CaseIterable {
    /// What its type begins with.
    case plain
    /// All that its type asks for.
    case filled
    /// Other values than these, everywhere: a property that is computed of several differs in one.
    case varied
}

/// Elements of lists.
extension JSONPathSearch where Root: Codable {
    /// - Returns: Nil for a type of which no value can be made.
    static func ofElements() -> JSONPathSearch? {
        guard let value = MadeValues.value(of: Root.self), let tree = JSONContent(encoding: value) else { return nil }
        let filled = JSONPrototype<Root>(
            tree: tree, made: { $0.decoded(Root.self) }, encoded: { JSONContent(encoding: $0) })
        return JSONPathSearch(writable: filled, prototypes: [filled, filled.varied])
    }
}

/// Objects of a class.
extension KeyPathSearch {
    /// The value inside of a column of JSON that a key path reads; nil when there is none.
    ///
    /// - Parameter sample: A value of the property's type, where none can be made.
    func term(_ keyPath: AnyKeyPath, sample: Any?) -> JSONTerm? {
        func open<Root>(_ root: Root.Type) -> JSONTerm? {
            for index in columns.indices where columns[index].hasJSON {
                let search = JSONPathSearch<Root>(
                    writable: prototype(index, .plain),
                    prototypes: JSONPrototypeKind.allCases.compactMap { prototype(index, $0) })
                if let term = search.term(of: keyPath, in: columns[index].key, sample: sample) { return term }
            }
            return nil
        }
        return _openExistential(Swift.type(of: keyPath).rootType, do: open)
    }

    /// An object, and what it has in a column of JSON.
    private func prototype<Root>(_ index: Int, _ kind: JSONPrototypeKind) -> JSONPrototype<Root>? {
        let object = modelType.init()
        guard let root = object as? Root else { return nil }
        for (column, offset) in zip(columns, offsets) {
            // Setting a column by its key path runs code of the class's.
            if kind == .varied, column.declaration.path == nil { column.codec.change(object, at: offset) }
            guard column.hasJSON, case .null? = try? column.codec.stored(in: Memory(object), at: offset) else {
                continue
            }
            // What is nil has no values inside of it.
            let content = column.codec.madeJSON ?? .object([:])
            _ = try? column.codec.assign(stored: .text(content.text), to: Memory(object), at: offset)
        }
        let (codec, offset) = (columns[index].codec, offsets[index])
        func encoded(_ object: PersistingModel) -> JSONContent? {
            (try? codec.stored(in: Memory(object), at: offset)).flatMap { JSONContent($0) }
        }
        guard let tree = encoded(object), case .object = tree else { return nil }
        let plain = JSONPrototype<Root>(
            tree: tree,
            made: { tree in
                let isRead = (try? codec.assign(stored: .text(tree.text), to: Memory(object), at: offset)) != nil
                return isRead ? root : nil
            },
            encoded: { _ in encoded(object) })
        switch kind {
        case .plain: return plain
        case .filled: return plain.filled(codec.madeJSON)
        case .varied: return (plain.filled(codec.madeJSON) ?? plain).varied
        }
    }
}

extension FieldCodec {
    /// The JSON of some value of the codec's type; nil when none can be made.
    var madeJSON: JSONContent? {
        func made<T: Codable>(_ type: T.Type) -> JSONContent? {
            MadeValues.value(of: type).flatMap { JSONContent(encoding: $0) }
        }
        return (unwrapped(Value.self) as? any Codable.Type).flatMap { made($0) }
    }
}

/// Values to try.
extension JSONContent {
    /// Texts of which many types make values.
    static let literals: [JSONContent] = [
        .text("a"), .text(""), .text("Aa \u{C9}e\u{301} z"), .number("1"), .number("-1"), .number("1000003"),
        .number("0.5"), .truth(true), .truth(false), .array([]), .array([.text("a")]), .array([.number("1")]),
        .array([.truth(true)]), .object([:]), .object(["a": .text("a")]), .object(["a": .number("1")]),
    ]

    /// The tree that a value is encoded as; nil for one that can't be.
    init?(encoding value: some Encodable) {
        guard let text = try? StoredJSON.encode(value) else { return nil }
        self.init(text)
    }

    /// The value that the tree describes; nil when it describes none.
    func decoded<Value: Decodable>(_ type: Value.Type) -> Value? {
        try? StoredJSON.decode(type, from: Data(text.utf8))
    }

    /// The tree with what another has and it hasn't.
    func filled(from other: JSONContent) -> JSONContent {
        guard case .object(let own) = self, case .object(let others) = other else {
            return self == .null ? other : self
        }
        return .object(own.merging(others) { $0.filled(from: $1) })
    }

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
    var variations: [JSONContent] {
        guard case .object = self else { return [other].compactMap { $0 } }
        return paths.compactMap { path in value(at: path)?.other.flatMap { replacing(path, by: $0) } }
    }

    /// The tree with other values, as far as they are taken.
    fileprivate func varied(_ takes: (JSONContent) -> Bool) -> JSONContent {
        guard case .object = self else { return other.flatMap { takes($0) ? $0 : nil } ?? self }
        return paths.reduce(self) { tree, path in
            guard let other = value(at: path)?.other, let varied = tree.replacing(path, by: other), takes(varied)
            else { return tree }
            return varied
        }
    }
}
