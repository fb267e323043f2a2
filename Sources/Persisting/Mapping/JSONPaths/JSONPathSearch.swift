internal import Foundation

/// Finds where in JSON the value is that a key path reads.
///
/// Swift has no way from a key path to the keys that a type is encoded with. So values are set by the key path, and
/// what changes in the JSON is a candidate, as is all else that the JSON has. One counts only when the key path reads
/// each value that is put there in the JSON: a computed property may read another's value, or change what it is given.
struct JSONPathSearch<Root> {
    /// One to set values in.
    let writable: JSONPrototype<Root>?
    /// Those to read from, which differ in as much as they can. The last has other values than its type begins with.
    let prototypes: [JSONPrototype<Root>]

    /// Values of a type, and how they are encoded.
    private typealias Probes<Value> = [(value: Value, tree: JSONContent)]

    /// The value that a key path reads; nil when there is none.
    ///
    /// - Parameters:
    ///   - column: The key of the column; nil for an element of a list.
    ///   - sample: A value of the property's type, where none can be made.
    func term(of keyPath: AnyKeyPath, in column: String?, sample: Any?) -> JSONTerm? {
        func open<Value: Codable>(_ type: Value.Type) -> JSONTerm? {
            (keyPath as? KeyPath<Root, Value>).flatMap { term($0, in: column, sample) }
        }
        return (Swift.type(of: keyPath).valueType as? any Codable.Type).flatMap { open($0) }
    }

    private func term<Value: Codable>(
        _ keyPath: KeyPath<Root, Value>, in column: String?, _ sample: Any?
    ) -> JSONTerm? {
        var values = [sample as? Value].compactMap { $0 }
        // Not the one with other values: a computed property may rely on what rows hold.
        for prototype in prototypes.dropLast() {
            prototype.made(prototype.tree).map { values.append($0[keyPath: keyPath]) }
        }
        let probes = Self.probes(values)
        let form = JSONForm(Value.self, probes.map(\.tree))
        func term(among paths: [[String]]) -> JSONTerm? {
            for path in paths where column == nil || !path.isEmpty {
                guard let absent = absent(keyPath, path, probes) else { continue }
                return JSONTerm(
                    column, JSONPlace(path), Value.self, JSONLeafCodec<Value>(form: form), form,
                    absent: form.stored(absent))
            }
            return nil
        }
        // To set a value may run code of the type's, which may end the program for one that was made up. What isn't
        // stored, and has a place that the JSON doesn't show, is a dictionary's value.
        func changed() -> [[String]] { [changedPath(keyPath, probes)].compactMap { $0 } }
        let shown = prototypes.flatMap { [[]] + $0.tree.paths }
        if keyPath.isStored { return term(among: changed() + shown) }
        return term(among: shown) ?? (unwrapped(Value.self) == Value.self ? nil : term(among: changed()))
    }

    /// The path under which the JSON changes when the key path is set; nil for one that can't be set.
    private func changedPath<Value>(_ keyPath: KeyPath<Root, Value>, _ probes: Probes<Value>) -> [String]? {
        guard let keyPath = keyPath as? WritableKeyPath<Root, Value>, let writable,
            var root = writable.made(writable.tree)
        else { return nil }
        var (first, changed) = (JSONContent?.none, [String]?.none)
        for probe in probes {
            root[keyPath: keyPath] = probe.value
            guard let tree = writable.encoded(root) else { continue }
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
    private func absent<Value: Codable>(
        _ keyPath: KeyPath<Root, Value>, _ path: [String], _ probes: Probes<Value>
    ) -> JSONContent? {
        var (seen, absent) = (Set<JSONContent>(), Set<JSONContent>())
        for prototype in prototypes {
            for probe in probes {
                guard let tree = prototype.tree.replacing(path, by: probe.tree), let root = prototype.made(tree) else {
                    continue
                }
                guard JSONContent(encoding: root[keyPath: keyPath]) == probe.tree else { return nil }
                seen.insert(probe.tree)
            }
            let without = prototype.tree.replacing(path, by: nil).flatMap(prototype.made)
            absent.insert(without.flatMap { JSONContent(encoding: $0[keyPath: keyPath]) } ?? .null)
        }
        return seen.count > 1 && absent.count == 1 ? absent.first : nil
    }

    /// How many values to try are enough.
    private static var most: Int { 24 }

    /// Values of a type to try.
    private static func probes<Value: Codable>(_ given: [Value]) -> Probes<Value> {
        let variations = given.lazy.compactMap { JSONContent(encoding: $0) }.flatMap(\.variations)
        let lists = (unwrapped(Value.self) as? any ListOfElements.Type)?.ofOneElement.map { [$0] } ?? []
        let made = (Array(variations) + lists + JSONContent.literals).compactMap { $0.decoded(Value.self) }
        let bytes = [0, 1].compactMap { oneByteValue($0, as: Value.self) }
        let samples = JSONLeafCodec<Value>(form: .any).samples + [MadeValues.value(of: Value.self)].compactMap { $0 }
        var known: Set<JSONContent> = []
        var probes: Probes<Value> = []
        for value in given + made + bytes + samples where probes.count < most {
            // A date may not be the same after it was written and read.
            guard let tree = JSONContent(encoding: value), !known.contains(tree),
                let again = tree.decoded(Value.self), JSONContent(encoding: again) == tree
            else { continue }
            known.insert(tree)
            probes.append((value, tree))
        }
        return probes
    }
}
