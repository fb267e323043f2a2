internal import Foundation

/// Where values are in the elements of lists, by the key paths that read them. The answers are kept.
final class JSONElementPaths: Sendable {
    static let shared = JSONElementPaths()

    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var known: [AnyKeyPath: JSONTerm] = [:]
    /// Key paths made at run time must not fill the memory.
    private static let limit = 4096

    /// The value that a key path reads in an element.
    ///
    /// - Parameter sample: A value of the property's type, where none can be made.
    /// - Throws: ``PersistenceError/Code/unknownKey`` when it reads none that is encoded.
    func term(of keyPath: AnyKeyPath, sample: Any?) throws -> JSONTerm {
        if let term = lock.withLock({ known[keyPath] }) { return term }
        try checkComponents(of: keyPath)
        let type = Swift.type(of: keyPath).rootType
        func open<Element: Codable>(_ type: Element.Type) -> JSONTerm? {
            JSONPathSearch<Element>.ofElements()?.term(of: keyPath, in: nil, sample: sample)
        }
        guard let term = (type as? any Codable.Type).flatMap({ open($0) }) else {
            throw PersistenceError(
                .unknownKey,
                "the key path \(keyPath) reads no value that \(source: type) is encoded with, "
                    + "so it isn't found in the JSON of a list"
            )
        }
        lock.withLock {
            if known.count >= Self.limit { known = [:] }
            known[keyPath] = term
        }
        return term
    }
}
