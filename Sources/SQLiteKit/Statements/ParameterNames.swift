/// The names of a statement's parameters.
///
/// A parameter is named with its prefix or without it. See
/// [sqlite3_bind_parameter_name](https://www.sqlite.org/c3ref/bind_parameter_name.html).
final class ParameterNames {
    /// With their prefixes; nil for a plain `?`.
    let names: [String?]
    /// Without their prefixes.
    private let bare: [String]
    /// Whether every name without its prefix is one parameter's: ASCII, no two the same, and none that looks like
    /// another with its prefix.
    private let isPlain: Bool

    init(_ names: [String?]) {
        self.names = names
        bare = names.map { ($0?.dropFirst()).map(String.init) ?? "" }
        isPlain =
            Set(bare).count == bare.count
            && bare.allSatisfy { name in
                name.utf8.allSatisfy { $0 < 128 } && name.utf8.first.map { !":@$?".utf8.contains($0) } ?? false
            }
    }

    /// The parameter of a name, which is mostly the one behind the parameter that was asked for last; nil when there
    /// is none, or more than one.
    func index(of name: String, after last: inout Int) -> Int? {
        let next = last &+ 1 < bare.count ? last &+ 1 : 0
        // What Swift calls equal to an ASCII text has more bytes than that, or is the same.
        if isPlain, next < bare.count, bare[next] == name, bare[next].utf8.count == name.utf8.count {
            last = next
            return next
        }
        let exact = names.firstIndex { parameter in parameter.map { haveSameBytes($0, name) } ?? false }
        let candidates = exact.map { [$0] } ?? indices(of: name)
        guard candidates.count == 1 else { return nil }
        last = candidates[0]
        return last
    }

    /// The parameters of a name without a prefix.
    func indices(of name: String) -> [Int] {
        bare.indices.filter { names[$0] != nil && haveSameBytes(bare[$0], name) }
    }
}
