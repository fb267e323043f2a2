/// Conditions on lists that are stored as JSON: a column, or a value inside one, such as `\.settings.tags`. Nil is an
/// empty list. See [json_each](https://www.sqlite.org/json1.html#jeach).
extension Criteria {
    /// The rows whose property, a list that is stored as JSON, contains an element. A nil element is JSON's null.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - element: The element: a text, a number or a Bool. Any other type throws when the condition is used.
    public static func contains<List: Collection>(
        _ keyPath: KeyPath<Model, List>, _ element: List.Element
    ) -> Criteria where List.Element: Codable & Sendable {
        keyed(keyPath) { .matches($0, .hasElement, .value(element), []) }
    }

    /// The rows whose Optional property, a list that is stored as JSON, contains an element.
    ///
    /// - Parameters:
    ///   - keyPath: The property. Nil contains no element.
    ///   - element: The element: a text, a number or a Bool. Any other type throws when the condition is used.
    public static func contains<List: Collection>(
        _ keyPath: KeyPath<Model, List?>, _ element: List.Element
    ) -> Criteria where List.Element: Codable & Sendable {
        keyed(keyPath) { .matches($0, .hasElement, .value(element), []) }
    }

    /// The rows whose property, a list that is stored as JSON, has an element that matches a condition.
    ///
    /// ```swift
    /// let large = try manager.fetchAll(
    ///     Reader.where(.any(\.shelves, \.books > 10 && \.room == "hall")))
    /// let high = try manager.fetchAll(Reader.where(.any(\.scores, \.self > 90)))
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - condition: The condition, with key paths that begin at an element, or with the keys of its JSON. A key path
    ///     throws when the condition is used if what it reads isn't encoded, or if the library can't create values of
    ///     its type.
    public static func any<List: Collection>(
        _ keyPath: KeyPath<Model, List>, _ condition: Criteria<List.Element>
    ) -> Criteria where List.Element: Codable {
        keyed(keyPath) { .anyElement($0, condition.node) }
    }

    /// The rows whose Optional property, a list that is stored as JSON, has an element that matches a condition.
    ///
    /// - Parameters:
    ///   - keyPath: The property. Nil has no elements.
    ///   - condition: The condition, as for a property that isn't Optional.
    public static func any<List: Collection>(
        _ keyPath: KeyPath<Model, List?>, _ condition: Criteria<List.Element>
    ) -> Criteria where List.Element: Codable {
        keyed(keyPath) { .anyElement($0, condition.node) }
    }
}
