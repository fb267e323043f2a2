import Foundation

/// How much the tests do that try what chance brings. They are short by default; with the environment variable
/// PERSISTING_TEST_EFFORT they try so many times as much. `.ci/run` has them try ten times as much.
enum Effort {
    private static let factor =
        ProcessInfo.processInfo.environment["PERSISTING_TEST_EFFORT"].flatMap { Int($0) } ?? 1

    /// So many times as often as a short run.
    static func times(_ count: Int) -> Int { count * factor }

    /// A random tenth of the elements by default, as many more as the effort is.
    static func some<Element>(of elements: [Element]) -> [Element] {
        Array(elements.shuffled().prefix(times(elements.count / 10)))
    }
}
