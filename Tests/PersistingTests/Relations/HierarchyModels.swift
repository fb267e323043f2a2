import Persisting

/// Classes in one table. In a namespace, since other tests have classes of these names.
enum Gallery {
    class Attachment: PersistingModel {
        var id: Int64?
        var title = ""
        override class var subclasses: [PersistingModel.Type] { [Photo.self, Clip.self] }

        convenience init(_ title: String) {
            self.init()
            self.title = title
        }
    }

    class Photo: Attachment {
        var width = 0
        var camera: String?
        override class var subclasses: [PersistingModel.Type] { [Panorama.self] }
        override class var indexes: [Index] { [Index("width")] }

        convenience init(_ title: String, width: Int) {
            self.init(title)
            self.width = width
        }
    }

    final class Panorama: Photo {
        var angle = 0.0
    }

    final class Clip: Attachment {
        var seconds = 0.0
        /// A name that the other subclass has too, declared alike.
        var camera: String?

        convenience init(_ title: String, seconds: Double) {
            self.init(title)
            self.seconds = seconds
        }
    }

    /// Not listed: it has a table of its own.
    final class Scan: Attachment {
        var pages = 1
    }

    final class Comment: PersistingModel {
        var id: Int64?
        var photoID: Int64?
        static let photo = ToOne(\Comment.photoID, Photo.self)
        override class var relations: Relations { ["photo": photo] }
    }

    /// One of each class: A an Attachment, P a Photo, Q a Panorama, C a Clip, with keys from 1 to 4.
    static func manager() throws -> PersistenceManager {
        let manager = try memoryManager(Attachment.self)
        let panorama = Panorama("Q", width: 40)
        panorama.angle = 180
        try manager.insert([Attachment("A"), Photo("P", width: 30), panorama, Clip("C", seconds: 2.5)])
        return manager
    }

    // The same table before and after.

    class Plain: PersistingModel {
        var id: Int64?
        var title = ""
        override class var tableName: String { "ITEM" }
    }

    class Item: PersistingModel {
        var id: Int64?
        var title = ""
        override class var tableName: String { "ITEM" }
        override class var subclasses: [PersistingModel.Type] { [Book.self] }
    }

    final class Book: Item {
        var pages = 0
    }

    class LaterItem: PersistingModel {
        var id: Int64?
        var title = ""
        override class var tableName: String { "ITEM" }
        override class var kind: String { "Item" }
        override class var subclasses: [PersistingModel.Type] { [LaterBook.self, Disc.self] }
    }

    final class LaterBook: LaterItem {
        var pages = 0
        override class var kind: String { "Book" }
    }

    final class Disc: LaterItem {
        var tracks = 0
        override class var kind: String { "Disc" }
    }
}
