/// Something wrong with a model class or its table; see `PersistenceManager.check(_:examples:)`.
public struct ModelFinding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The class, or the table where no single class is meant.
    public let model: String
    /// The property; nil for the class as a whole.
    public let key: String?
    /// What is wrong.
    public let reason: String

    package init(model: String, key: String?, reason: String) {
        (self.model, self.key, self.reason) = (model, key, reason)
    }

    /// The class, the property and the reason, for a log.
    public var description: String { "\(model)\(key.map { ".\($0)" } ?? ""): \(reason)" }
}
