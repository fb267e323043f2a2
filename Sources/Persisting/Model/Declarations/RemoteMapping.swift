/// What a class's properties are called in other people's JSON and CSV.
///
/// ```swift
/// override class var remoteMapping: RemoteMapping {
///     RemoteMapping(root: "user", [
///         .key("remoteID", "id", .number, isPrimaryKey: true),
///         .key("firstName", "name.first", .string),
///         .key("timeStamp", "timestamp", .time),
///         .relationship("posts") { (user: User, json) in … },
///     ])
/// }
/// ```
///
/// An import takes the keys that the mapping names, and ignores the others, which ``ImportReport/ignoredKeys`` lists.
/// In a class hierarchy each class has the mapping that it overrides or inherits; it can name the class of a row as a
/// property `kind`, without which rows are imported as objects of the base class.
public struct RemoteMapping: Sendable {
    /// What a value is in the file. The property's type converts it; the kind says which values are errors.
    public enum Kind: Sendable, Hashable {
        /// A number, or a text that spells one, whatever the locale.
        case number
        /// A number, of whose fraction nothing is kept: an integer property takes 12.99 as 12. Of any other kind, such
        /// a number is an error.
        case truncatedNumber
        /// A text, or a number, whose digits are the text.
        case string
        /// True or false, 0 or 1, or a text that says one of them, or yes or no.
        case bool
        /// A day such as `2024-02-29`, in UTC.
        case date
        /// A time in ISO 8601, with `Z` or an offset, and a fraction of any length.
        case time
        /// Whatever the property's type takes.
        case any
    }

    /// A key of the file, and what becomes of it.
    public struct Attribute: Sendable {
        /// The key, with points between those of objects inside each other.
        let remoteKey: String
        /// The property; nil for a relationship.
        let property: String?
        let kind: Kind
        let isPrimaryKey: Bool
        let relationship: (@Sendable (PersistingModel, Any?) throws -> Void)?

        /// A property's value.
        ///
        /// - Parameters:
        ///   - property: The property's name.
        ///   - remoteKey: The key; `"name.first"` is the key `first` of the object that the key `name` has, to any
        ///     depth.
        ///   - kind: What the value is in the file.
        ///   - isPrimaryKey: Whether it is what an object's row is found by.
        public static func key(
            _ property: String, _ remoteKey: String, _ kind: Kind = .any, isPrimaryKey: Bool = false
        ) -> Attribute {
            Attribute(
                remoteKey: remoteKey, property: property, kind: kind, isPrimaryKey: isPrimaryKey, relationship: nil)
        }

        /// A value that a closure stores, after the object's own values, in the same transaction: objects of other
        /// classes, as a rule.
        ///
        /// - Parameters:
        ///   - remoteKey: The key, or the name of a CSV field.
        ///   - store: Called for each object in whose JSON or CSV row the key is, after the object has been saved. It
        ///     is given the object, and the value as `JSONSerialization` has it, or a CSV field's text as a `String`;
        ///     nil for a null or an empty field. What it changes of the object is saved. An error undoes the import.
        public static func relationship<Model: PersistingModel>(
            _ remoteKey: String, _ store: @escaping @Sendable (Model, Any?) throws -> Void
        ) -> Attribute {
            Attribute(remoteKey: remoteKey, property: nil, kind: .any, isPrimaryKey: false) { object, value in
                guard let object = object as? Model else {
                    throw PersistenceError(
                        .invalidModel, "the relationship \"\(remoteKey)\" is declared for objects of another class",
                        model: ModelDescription.name(of: type(of: object)), expected: Model.self,
                        found: type(of: object))
                }
                try store(object, value)
            }
        }
    }

    /// The key of the object that each element is wrapped in, if any.
    let root: String?
    let attributes: [Attribute]

    /// Creates a mapping.
    ///
    /// - Parameters:
    ///   - root: An element that is an object of this one key, whose value is an object, is that object. Other elements
    ///     are taken as they are.
    ///   - attributes: The keys.
    public init(root: String? = nil, _ attributes: [Attribute]) {
        self.root = root
        self.attributes = attributes
    }

    /// The names of the properties, or those of the columns.
    public static let automatic = RemoteMapping([])
}
