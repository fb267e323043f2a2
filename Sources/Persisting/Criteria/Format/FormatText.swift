/// The text of a format, and the errors that say where in it a mistake is.
struct FormatText: Sendable {
    let scalars: [Unicode.Scalar]
    let model: String

    init(_ format: String, model: String) {
        scalars = Array(format.unicodeScalars)
        self.model = model
    }

    subscript(range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    /// An error that names its column, counted in characters from 1, and shows the place after `»`.
    func failure(
        _ reason: String, at position: Int, _ code: PersistenceError.Code = .invalidCriteria, key: String? = nil
    ) -> PersistenceError {
        let before = self[0..<position]
        // A character may have several scalars; few have ten.
        let after = self[position..<min(position + 10 * Self.shown, scalars.count)]
        let (cutBefore, cutAfter) = (before.count > Self.shown ? "…" : "", after.count > Self.shown ? "…" : "")
        let place = "\(cutBefore)\(before.suffix(Self.shown))»\(after.prefix(Self.shown))\(cutAfter)"
        return PersistenceError(
            code, "\(reason), at column \(before.count + 1) of the format: \(place)", model: model, key: key)
    }

    /// How many characters to show on either side of a place.
    private static let shown = 30
}
