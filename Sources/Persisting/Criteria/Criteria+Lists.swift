/// Lists that are stored as JSON: a column, or a value inside of one, such as `\.settings.tags`. Nil is a list without
/// elements. See [json_each](https://www.sqlite.org/json1.html#jeach).
extension Criteria {
    /// The rows whose property, a list that is stored as JSON, has an element. Nil is JSON's null.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - element: The element: a text, a number or a Bool. Another one throws when the condition is used.
    public static func contains<List: Collection>(
        _ keyPath: KeyPath<Model, List>, _ element: List.Element
    ) -> Criteria where List.Element: Codable & Sendable {
        keyed(keyPath) { .matches($0, .hasElement, .value(element), []) }
    }

    /// The rows whose Optional property, a list that is stored as JSON, has an element.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - element: The element: a text, a number or a Bool. Another one throws when the condition is used.
    public static func contains<List: Collection>(
        _ keyPath: KeyPath<Model, List?>, _ element: List.Element
    ) -> Criteria where List.Element: Codable & Sendable {
        keyed(keyPath) { .matches($0, .hasElement, .value(element), []) }
    }

    /// The rows whose property, a list that is stored as JSON, has an element that meets a condition.
    ///
    /// ```swift
    /// let large = try manager.fetchAll(
    ///     Reader.where(.any(\.shelves, \.books > 10 && \.room == "hall")))
    /// let high = try manager.fetchAll(Reader.where(.any(\.scores, \.self > 90)))
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - condition: The condition, by key paths that go on from an element, or by the keys of its JSON. A key path
    ///     that reads nothing that is encoded, or one of a type of which no value can be made, throws when the
    ///     condition is used.
    public static func any<List: Collection>(
        _ keyPath: KeyPath<Model, List>, _ condition: Criteria<List.Element>
    ) -> Criteria where List.Element: Codable {
        keyed(keyPath) { .anyElement($0, condition.node) }
    }

    /// The rows whose Optional property, a list that is stored as JSON, has an element that meets a condition.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - condition: The condition, as for a property that isn't Optional.
    public static func any<List: Collection>(
        _ keyPath: KeyPath<Model, List?>, _ condition: Criteria<List.Element>
    ) -> Criteria where List.Element: Codable {
        keyed(keyPath) { .anyElement($0, condition.node) }
    }
}
