/// Why something of an import can't be taken.
struct ImportProblem: Error {
    let reason: String
    /// Whether nothing after it can be read.
    var endsImport = false
    /// The line of the mistake, where it isn't that on which the row begins.
    var line: Int?

    static func tooLong(_ limit: Int) -> ImportProblem {
        ImportProblem(
            reason: "the row has more than \(limit) bytes, the most that maximumRowBytes allows", endsImport: true)
    }

    static func unreadable(_ reason: String) -> ImportProblem { ImportProblem(reason: reason, endsImport: true) }
}
