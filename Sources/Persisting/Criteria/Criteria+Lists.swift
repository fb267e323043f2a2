/// Lists that are stored as JSON.
extension Criteria {
    /// The rows whose property, a list that is stored as JSON, has an element. Nil is JSON's null.
    ///
    /// The list may be a column, or a value inside of one, such as `\.settings.tags`. See
    /// [json_each](https://www.sqlite.org/json1.html#jeach).
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - element: The element: a text, a number or a Bool. Another one throws when the condition is used.
    public static func contains<List: Collection>(
        _ keyPath: KeyPath<Model, List>, _ element: List.Element
    ) -> Criteria where List.Element: Codable & Sendable {
        keyed(keyPath) { .matches($0, .hasElement, .value(element), []) }
    }
}
