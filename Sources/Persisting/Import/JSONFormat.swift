/// Where the objects are in a JSON text.
///
/// ```swift
/// // {"response": {"users": […]}}
/// try manager.importJSON(User.self, contentsOf: url, .array(at: "response.users"))
/// ```
public struct JSONFormat: Sendable, Hashable {
    /// Whether each line is an object.
    let isLines: Bool
    /// The keys that lead to the array.
    let path: [String]

    /// One array of objects.
    public static let array = JSONFormat(isLines: false, path: [])
    /// An object on each line: [JSON Lines](https://jsonlines.org).
    public static let lines = JSONFormat(isLines: true, path: [])

    /// An array of objects that is inside an object, as most responses of servers have it. An import reads over
    /// everything else; an export writes nothing else.
    ///
    /// - Parameter path: The array's key, with points between those of objects inside each other.
    public static func array(at path: String) -> JSONFormat {
        JSONFormat(isLines: false, path: JSONPath(path).keys)
    }
}
