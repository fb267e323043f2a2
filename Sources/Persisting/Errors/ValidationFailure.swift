/// Something that is wrong with an object, of those that ``PersistingModel/validate()`` finds, or with a class, of
/// those that `selfTest(_:examples:schema:dates:)` of PersistingDiagnostics finds.
public struct ValidationFailure: Sendable, Hashable {
    /// The name of the property that is wrong; nil where it is the object as a whole.
    public let key: String?
    /// What is wrong, in words.
    public let reason: String

    /// Something that is wrong with an object.
    ///
    /// - Parameters:
    ///   - key: The name of the property that is wrong; nil where it is the object as a whole.
    ///   - reason: What is wrong, in words.
    public init(key: String? = nil, reason: String) {
        self.key = key
        self.reason = reason
    }
}

extension ValidationFailure: CustomStringConvertible {
    /// The key and the reason.
    public var description: String { (key.map { "\($0) " } ?? "") + reason }
}
