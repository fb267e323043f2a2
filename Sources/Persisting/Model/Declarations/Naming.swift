/// How a class's name becomes its table's, and a property's name its column's.
///
/// ```swift
/// // Category.imageURL: categories.image_url
/// override class var naming: Naming { .pluralSnakeCase }
/// override class var naming: Naming {
///     Naming(table: { "t_" + $0 }, column: { $0 })
/// }
/// ```
///
/// Acronyms stay whole: `imageURL` becomes IMAGE_URL, `userIDs` USER_IDS, `didIDie` DID_I_DIE. Only ASCII letters
/// change case.
public struct Naming: Sendable {
    /// The table's name for a class's.
    public let table: @Sendable (String) -> String
    /// The column's name for a property's.
    public let column: @Sendable (String) -> String

    /// A custom strategy.
    ///
    /// - Parameters:
    ///   - table: Turns the name of a class, without its module, into a table's.
    ///   - column: Turns the name of a property into a column's.
    public init(table: @escaping @Sendable (String) -> String, column: @escaping @Sendable (String) -> String) {
        self.table = table
        self.column = column
    }

    /// `PodcastEpisode.feedURL`: PODCAST_EPISODE.FEED_URL. The default.
    public static let upperSnakeCase = Naming(table: NameText.upperSnakeCase, column: NameText.upperSnakeCase)
    /// `PodcastEpisode.feedURL`: podcast_episode.feed_url.
    public static let snakeCase = Naming(table: NameText.snakeCase, column: NameText.snakeCase)
    /// `PodcastEpisode.feedURL`: podcast_episodes.feed_url.
    public static let pluralSnakeCase = Naming(
        table: { NameText.plural(NameText.snakeCase($0)) }, column: NameText.snakeCase)
    /// `PodcastEpisode.feedURL`: PodcastEpisode.feedURL.
    public static let identity = Naming(table: { $0 }, column: { $0 })
}
