import DqliteKit
import Foundation

/// An album of a record collection.
final class Album: PersistingModel {
    var id: Int64?
    var title = ""
    var artist: String?
    var publishDate: Date?
    var lastPlayedDate: Date?

    required init() {}

    convenience init(_ title: String, _ artist: String, _ year: Int) {
        self.init()
        self.title = title
        self.artist = artist
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        publishDate = calendar.date(from: DateComponents(year: year, month: 1, day: 1))
    }

    static func collection() -> [Album] {
        [
            Album("Kind of Blue", "Miles Davis", 1959), Album("Blue Train", "John Coltrane", 1958),
            Album("Time Out", "The Dave Brubeck Quartet", 1959), Album("Mingus Ah Um", "Charles Mingus", 1959),
            Album("Waltz for Debby", "Bill Evans Trio", 1962), Album("A Love Supreme", "John Coltrane", 1965),
        ]
    }
}
