/// Whether a figure is within its limit. It is beyond only when it is so by more than its own spread.
enum Verdict: String {
    case within = "ok"
    case beyond = "BEYOND"

    init(_ figure: Spread, atMost limit: Double) {
        self = figure.median - figure.interquartileRange > limit ? .beyond : .within
    }

    init(_ figure: Spread, atLeast limit: Double) {
        self = figure.median + figure.interquartileRange < limit ? .beyond : .within
    }
}
