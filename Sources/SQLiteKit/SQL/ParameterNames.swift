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
                name.utf8.allSatisfy { $0 < 128 } && name.utf8.first.map { !":@$?#".utf8.contains($0) } ?? false
            }
    }

    /// Whether each parameter is named without its prefix, in their order.
    func areNamedInOrder(by pairs: UnsafeBufferPointer<NamedValueInPlace>) -> Bool {
        guard isPlain, pairs.count == bare.count else { return false }
        for index in pairs.indices where !isBare(pairs[index].name, index) { return false }
        return true
    }

    /// Whether a text is the name of a parameter, without its prefix, where all are plain.
    @inline(__always)
    private func isBare(_ name: String, _ index: Int) -> Bool {
        // What Swift calls equal to an ASCII text has more bytes than that, or is the same.
        bare[index] == name && bare[index].utf8.count == name.utf8.count
    }

    /// The parameter of a name, counted from 0: mostly the one after the parameter that was asked for last.
    ///
    /// - Throws: ``ResultCode/unknownParameter`` when no parameter has the name, or more than one without its prefix.
    func index(of name: String, after last: inout Int) throws(SQLiteError) -> Int {
        let next = last &+ 1 < bare.count ? last &+ 1 : 0
        if isPlain, next < bare.count, isBare(name, next) {
            last = next
            return next
        }
        let exact = names.firstIndex { parameter in parameter.map { haveSameBytes($0, name) } ?? false }
        let candidates = exact.map { [$0] } ?? bare.indices.filter { names[$0] != nil && haveSameBytes(bare[$0], name) }
        guard let found = candidates.first else {
            let known = names.compactMap { $0 }.joined(separator: ", ")
            throw SQLiteError(
                .unknownParameter, "there is no parameter \(name); there is: \(known.isEmpty ? "none" : known)")
        }
        guard candidates.count == 1 else {
            let known = candidates.compactMap { names[$0] }.joined(separator: " and ")
            throw SQLiteError(.unknownParameter, "\(name) is ambiguous: it may be \(known)")
        }
        last = found
        return found
    }
}
