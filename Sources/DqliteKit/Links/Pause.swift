/// Pauses between attempts: each longer than the last, up to a limit, and of random length, so that those who wait for
/// the same thing don't ask together.
struct Pause {
    private var longest = Duration.milliseconds(2)
    private let limit: Duration

    init(upTo limit: Duration) {
        self.limit = limit
    }

    mutating func next() -> Duration {
        defer { longest = min(longest * 2, limit) }
        return longest * Double.random(in: 0.25...1)
    }
}
