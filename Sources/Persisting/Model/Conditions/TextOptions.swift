/// What a comparison of texts ignores: NSPredicate's `[c]`, `[d]` and `[cd]`.
///
/// Case folds as Unicode says, in full: `ß` is `ss`. Diacritics are accents, cedillas and the like, composed with their
/// letter or after it; `ø` and `ł` are letters of their own. No locale is asked. Without an option texts are compared
/// as they are.
public struct TextOptions: OptionSet, Hashable, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Options by their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Large and small letters are the same: `[c]`.
    public static let caseInsensitive = TextOptions(rawValue: 1 << 0)
    /// Letters with and without accents are the same: `[d]`.
    public static let diacriticInsensitive = TextOptions(rawValue: 1 << 1)
}
