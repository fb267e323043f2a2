extension [String] {
    /// The texts with a separator between. The first call of `joined(separator:)` takes a good part of what it takes to
    /// map a class, since the runtime then looks for what arrays conform to.
    package func list(_ separator: String) -> String {
        var text = ""
        text.reserveCapacity(reduce(0) { $0 + $1.utf8.count + separator.utf8.count })
        for (place, next) in enumerated() {
            if place > 0 { text += separator }
            text += next
        }
        return text
    }
}
