import Foundation
import Persisting

/// What the ten classes of a start have.
class Named: PersistingModel {
    var id: Int64?
    var name: String?
    var note: String?
    var created: Date?
    var rank: Int?
}

final class Artist: Named {}
final class Genre: Named {}
final class Publisher: Named {}
final class Song: Named {}
final class Playlist: Named {}
final class Listener: Named {}
final class Review: Named {}
final class Store: Named {}
final class Concert: Named {}
final class Instrument: Named {}

extension Named {
    static let all: [Named.Type] = [
        Artist.self, Genre.self, Publisher.self, Song.self, Playlist.self, Listener.self, Review.self, Store.self,
        Concert.self, Instrument.self,
    ]

    static let tables = [
        "ARTIST", "GENRE", "PUBLISHER", "SONG", "PLAYLIST", "LISTENER", "REVIEW", "STORE", "CONCERT", "INSTRUMENT",
    ]
}
