import Foundation

/// A dozen albums to begin with.
enum Collection {
    static func albums() -> [Album] {
        [
            album("Kind of Blue", "Miles Davis", (1959, 8, 17), (38, 70, 140), [.favorite]),
            album("Blue Train", "John Coltrane", (1958, 1, 15), (28, 60, 120), []),
            album("Time Out", "The Dave Brubeck Quartet", (1959, 12, 14), (200, 120, 40), []),
            album("Mingus Ah Um", "Charles Mingus", (1959, 9, 14), (180, 60, 50), []),
            album("Waltz for Debby", "Bill Evans Trio", (1962, 3, 1), (60, 80, 90), [.live]),
            album("Getz/Gilberto", "Stan Getz & João Gilberto", (1964, 3, 1), (210, 90, 30), [.favorite]),
            album("A Love Supreme", "John Coltrane", (1965, 1, 1), (40, 40, 40), [.favorite]),
            album("Speak No Evil", "Wayne Shorter", (1966, 6, 1), (90, 110, 160), []),
            album("The Köln Concert", "Keith Jarrett", (1975, 11, 30), (120, 120, 120), [.live, .favorite]),
            album("Head Hunters", "Herbie Hancock", (1973, 10, 26), (190, 40, 60), []),
            album("Head Over Heels", "Cocteau Twins", (1983, 10, 31), (70, 30, 90), []),
            album("Ágætis byrjun", "Sigur Rós", (1999, 6, 12), (20, 30, 80), []),
        ]
    }

    private static func album(
        _ title: String, _ artist: String, _ published: (year: Int, month: Int, day: Int),
        _ color: (UInt8, UInt8, UInt8),
        _ flags: AlbumFlags
    ) -> Album {
        let album = Album()
        album.mediaKey = UUID().uuidString
        album.title = title
        album.artist = artist
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        album.publishDate = calendar.date(
            from: DateComponents(year: published.year, month: published.month, day: published.day))
        album.coverImageData = cover(color)
        album.flags = flags.rawValue
        return album
    }

    /// A picture of 8 by 8 pixels in one color, as a portable pixmap.
    private static func cover(_ color: (UInt8, UInt8, UInt8)) -> Data {
        Data("P6 8 8 255\n".utf8) + Data((0..<64).flatMap { _ in [color.0, color.1, color.2] })
    }
}
