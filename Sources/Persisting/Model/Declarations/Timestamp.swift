/// Which time a column of dates keeps by itself.
package enum Timestamp: String {
    case created, updated
}
