/// Which time a column of dates keeps by itself.
enum Timestamp: String {
    case created, updated
}
